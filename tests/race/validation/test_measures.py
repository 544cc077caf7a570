"""What pairs of runs say: ratios with intervals that hold, times that are only bounds, values, and who solved what."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from heats.race.outcome import Rule
from heats.race.validation import measure
from heats.race.validation.measures import compare_geometric_means, compare_means
from heats.race.validation.record import Asked
from heats.reports.validation import Estimate, list_findings
from tests.race.validation.pairs import AT, CUTOFF, make_pair, make_run, measure_runs, measure_times, measure_values

TIMES = st.lists(st.tuples(st.floats(0.01, 100), st.floats(0.01, 100)), min_size=2, max_size=30)


def take_numbers(estimate: Estimate | None) -> tuple[float, float, float]:
    assert estimate is not None
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.estimate, estimate.low, estimate.high


@given(times=TIMES, factor=st.floats(0.1, 10))
def test_ratios_scale_and_turn_round(times: list[tuple[float, float]], factor: float) -> None:
    """Twice the time is twice the ratio, and who is twice as fast has one beside it that is half as fast."""
    ours, theirs = np.array(times).T
    for compare in (compare_means, compare_geometric_means):
        ratio, low, high = take_numbers(compare(ours, theirs))
        assert low <= ratio * (1 + 1e-9)
        assert ratio <= high * (1 + 1e-9)
        scaled = take_numbers(compare(ours, theirs * factor))
        assert scaled == pytest.approx((ratio * factor, low * factor, high * factor), rel=1e-6)
        turned = take_numbers(compare(theirs, ours))
        assert turned == pytest.approx((1 / ratio, 1 / high, 1 / low), rel=1e-6)


def test_intervals_of_geometric_means_are_student_s() -> None:
    """As SciPy computes them of the logarithms."""
    ours, theirs = np.array([1.0, 2.0, 4.0, 3.0]), np.array([2.0, 3.0, 12.0, 5.0])
    ratio, low, high = take_numbers(compare_geometric_means(ours, theirs))
    expected = stats.ttest_1samp(np.log(theirs / ours), 0).confidence_interval(0.95)
    assert ratio == pytest.approx(stats.gmean(theirs) / stats.gmean(ours))
    assert (math.log(low), math.log(high)) == pytest.approx((expected.low, expected.high))


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """Of 400 simulated validations on 20 instances, each interval of 95 % misses in 3 to 9 of a hundred."""
    draw = np.random.default_rng(1)
    hits = {compare_means: 0, compare_geometric_means: 0}
    for _ in range(400):
        instances, ours, theirs = np.exp(draw.normal(0, [[0.8], [0.4], [0.4]], (3, 20)))
        for compare in hits:
            _, low, high = take_numbers(compare(instances * ours, 2 * instances * theirs))
            hits[compare] += low <= 2 <= high
    assert all(0.91 <= hit / 400 <= 0.97 for hit in hits.values())


def test_one_instance_has_no_interval() -> None:
    """But a ratio."""
    found = measure_times((1.0, 3.0))
    assert found.ratio_of_means == Estimate(pytest.approx(3.0), None, None)
    assert found.ratio_of_geometric_means == Estimate(pytest.approx(3.0), None, None)
    assert list_findings(found)[0] == "on 1 held-out instance: 3.00 times as fast as default"


def test_runs_that_were_cut_off_make_ratios_bounds() -> None:
    """They count with the cutoff, so the truth is on one side of it, or on either if both have some."""
    assert measure_times((1.0, 2.0), (1.0, 3.0)).bound == "exact"
    found = measure_times((1.0, 2.0), (1.0, "cutoff"))
    assert found.bound == "at least"
    assert found.ratio_of_means is not None
    assert found.ratio_of_means.estimate == pytest.approx((2.0 + CUTOFF) / 2.0)
    assert "at least 6.00 times as fast as default" in list_findings(found)[0]
    assert measure_times(("undecided", 2.0), (1.0, 3.0)).bound == "at most"
    assert measure_times(("cutoff", 2.0), (1.0, "cutoff")).bound == "roughly"


def test_who_solved_what_is_counted_and_penalised() -> None:
    """PAR10 counts ten cutoffs for an instance that was not solved, however that came about."""
    found = measure_times((1.0, 2.0), (1.0, "cutoff"), ("undecided", 3.0), ("crashed", "cutoff"))
    assert (found.both, found.only_winner, found.only_against, found.neither) == (1, 1, 1, 1)
    assert (found.wins, found.ties) == (2, 1)
    assert found.winner.par10 == pytest.approx((1 + 1 + 100 + 100) / 4)
    assert found.against.par10 == pytest.approx((2 + 100 + 3 + 100) / 4)
    assert found.winner.mean == pytest.approx((1 + 1 + 10 + 10) / 4)
    assert [met.winner for met in found.meetings] == ["finished", "finished", "undecided", "crashed"]


def test_crashes_say_nothing_about_speed() -> None:
    """A default that crashes at once is not fast, and one that always does is compared with nobody."""
    some = measure_times((1.0, 2.0), (1.0, "crashed"))
    assert some.compared == 1
    assert some.ratio_of_means is not None
    assert some.ratio_of_means.estimate == pytest.approx(2.0)
    assert "crashed: default, on 1 of 2 (out of luck)" in list_findings(some)
    none = measure_times((1.0, "crashed"), (2.0, "crashed"))
    assert (none.compared, none.ratio_of_means, none.against.crashed) == (0, None, 2)
    assert list_findings(none)[0] == "on 2 held-out instances: nothing can be said of the speed beside default"


def test_times_that_no_clock_can_tell_are_the_same() -> None:
    """A run of no CPU time at all is not infinitely fast."""
    found = measure_times((0.0, 0.0005), (0.0, 0.0))
    assert found.ratio_of_means is not None
    assert found.ratio_of_means.estimate == pytest.approx(1.0)


def test_values_have_a_difference_and_wins() -> None:
    """Above 0 where the winner's are better, whichever way that is."""
    smaller = measure_values((1.0, 3.0), (2.0, 2.0), (4.0, 3.0))
    assert smaller.difference is not None
    assert (smaller.wins, smaller.ties, smaller.difference.estimate) == (1, 1, pytest.approx(1 / 3))
    assert smaller.ratio_of_means is None
    assert smaller.winner.par10 is None
    larger = measure_values((1.0, 3.0), (2.0, 2.0), (4.0, 3.0), goal="maximize")
    assert larger.difference is not None
    assert (larger.wins, larger.difference.estimate) == (1, pytest.approx(-1 / 3))
    assert "better than default on 1, worse on 1, equal on 1" in list_findings(larger)[0]


def test_a_value_beats_none() -> None:
    """What it would have been is not known, unless the scenario says what it counts."""
    unknown = measure_values((1.0, None), (None, None), (1.0, 2.0))
    assert (unknown.wins, unknown.ties, unknown.compared) == (2, 1, 1)
    assert unknown.difference == Estimate(pytest.approx(1.0), None, None)
    assert measure_values((None, None)).difference is None
    said = measure_values((1.0, None), (1.0, 2.0), missing=11.0)
    assert said.difference is not None
    assert said.difference.estimate == pytest.approx((10 + 1) / 2)


def test_the_default_is_called_so() -> None:
    """Whatever its parameters are."""
    pair = make_pair(0, make_run(1, 1.0), make_run(0, 3.0))
    found = measure(Asked(1, 0, ("/i/0",), AT, "default"), [pair], ("rho=0.5 wp=0.01", "best"), Rule(), CUTOFF)
    assert list_findings(found)[0] == "on 1 held-out instance: 3.00 times as fast as the default"
    assert found.against.name == "rho=0.5 wp=0.01"


def test_what_is_not_done_is_said() -> None:
    """A validation that was stopped half way speaks of what it has."""
    found = measure_runs([(make_run(1, 1.0), make_run(0, 2.0))], asked=5)
    assert list_findings(found)[0].startswith("on 1 held-out instance of 5 so far: 2.00 times")
