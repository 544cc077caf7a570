"""Statistics: by hand, against loops in plain Python, and refused where they make no sense."""

from __future__ import annotations

import math
import statistics as plain
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import heats
from heats import expected_shortfall, linear, mean, median, positional, power_mean, quantile, win_rate
from heats.engine.feedback import Kind
from heats.engine.scoring import adapt_to_kind, as_statistic, score
from heats.engine.statistics import Statistic, make_statistic
from heats.errors import BadFeedback, InvalidArgument
from tests.playing import play

# Two arms, four pulls.
SEEN = np.array([[1.0, 4.0], [2.0, 2.0], [3.0, -1.0], [6.0, 7.0]])
EVERY = [
    mean,
    median,
    win_rate,
    power_mean(2),
    quantile(0.25),
    expected_shortfall(0.4),
    linear(np.exp),
    positional([2, 1, 0]),
]


@pytest.mark.parametrize(
    ("statistic", "scores"),
    [
        (mean, (3, 3)),
        (median, (2.5, 3)),
        (win_rate, ((0 + 0.5 + 1 + 0) / 4, (1 + 0.5 + 0 + 1) / 4)),
        (power_mean(1), (3, 3)),
        (power_mean(2), (math.sqrt(50 / 4), math.sqrt(70 / 4))),
        (power_mean(3), ((252 / 4) ** (1 / 3), ((64 + 8 - 1 + 343) / 4) ** (1 / 3))),
        (quantile(0), (1, -1)),
        (quantile(0.5), (2.5, 3)),
        (quantile(0.5, "lower"), (2, 2)),
        (quantile(0.5, "inverted_cdf"), (2, 2)),
        (quantile(1), (6, 7)),
        (expected_shortfall(0.5), (1.5, 0.5)),
        (expected_shortfall(0.6), ((1 + 2 + 0.4 * 3) / 2.4, (-1 + 2 + 0.4 * 4) / 2.4)),
        (expected_shortfall(1), (3, 3)),
        (linear(np.square), (50 / 4, 70 / 4)),
        (linear(lambda x: 1.0 if x > 2 else 0.0), (0.5, 0.5)),
        (positional([3, 1]), ((1 + 2 + 3 + 1) / 4, (3 + 2 + 1 + 3) / 4)),
        (positional(lambda size: range(size, 0, -1)), ((1 + 1.5 + 2 + 1) / 4, (2 + 1.5 + 1 + 2) / 4)),
    ],
)
def test_scores_by_hand(statistic: Statistic, scores: tuple[float, ...]) -> None:
    """Worked out with pencil and paper."""
    assert statistic(SEEN) == pytest.approx(scores)


@pytest.mark.parametrize("statistic", EVERY, ids=repr)
@given(observed=arrays(np.float64, (3, 2, 5, 3), elements=st.floats(0, 10)))
def test_many_heats_at_once_are_the_same_as_one_by_one(statistic: Statistic, observed: Any) -> None:
    """Leading axes are only a loop."""
    together = statistic(observed)
    assert together.shape == (3, 2, 3)
    for i in range(3):
        for j in range(2):
            assert np.array_equal(statistic(observed[i, j]), together[i, j])


@given(arrays(np.float64, (6, 4), elements=st.floats(-5, 5)))
def test_against_plain_python(observed: Any) -> None:
    """The same definitions written as loops."""
    columns = observed.T.tolist()
    assert mean(observed) == pytest.approx([plain.fmean(column) for column in columns])
    assert median(observed) == pytest.approx([plain.median(column) for column in columns])
    worst = [sum(sorted(column)[:3]) / 3 for column in columns]
    assert expected_shortfall(0.5)(observed) == pytest.approx(worst)
    wins = [0.0] * 4
    for pull in observed.tolist():
        for arm in range(4):
            wins[arm] += (pull[arm] == max(pull)) / pull.count(max(pull)) / 6
    assert win_rate(observed) == pytest.approx(wins)


@given(arrays(np.float64, (5, 4), elements=st.integers(0, 3)))
def test_positional_by_counting_places(observed: Any) -> None:
    """An arm with a better ones and b equal ones (itself included) shares the weights of places a..a+b-1."""
    weights = [5, 3, 2, 0]
    expected = [0.0] * 4
    for pull in observed.tolist():
        for arm in range(4):
            better, equal = sum(x > pull[arm] for x in pull), pull.count(pull[arm])
            expected[arm] += plain.fmean(weights[better : better + equal]) / 5
    assert positional(weights)(observed) == pytest.approx(expected)


def test_borda_is_a_positional_rule() -> None:
    """With weights m-1, …, 0 the positional score of rankings is (m-1) times the default score."""
    rows = np.array([heats.Ranking(order).row((0, 1, 2)) for order in ([2, 0, 1], [1, 2], [0])])
    assert positional([2, 1, 0])(rows) == pytest.approx(2 * mean(rows))


def test_power_mean_and_the_sign_of_rewards() -> None:
    """Even q by magnitude, odd q with the sign, other q refuses."""
    rewards = np.array([[-3.0, 3.0], [-3.0, -3.0]])
    assert power_mean(2)(rewards) == pytest.approx([3, 3])
    assert power_mean(3)(rewards) == pytest.approx([-3, 0])
    assert power_mean(1)(rewards) == pytest.approx(mean(rewards))
    tournament = heats.Tournament(heats.plan(4, 2, 10), power_mean(1.5))
    with pytest.raises(BadFeedback, match=r"power_mean\(q=1.5\) needs non-negative rewards"):
        tournament.tell(0, [1.0, -1.0])
    assert tournament.spent == 0
    tournament.tell(0, [1.0, 0.0])
    assert tournament.spent == 1


def test_huge_rewards_do_not_overflow() -> None:
    """The largest number that may be told, to the tenth power."""
    assert power_mean(10)(np.full((3, 2), 1e100)) == pytest.approx([1e100, 1e100])


def test_extreme_rewards_and_parameters_are_scored_exactly() -> None:
    """Neither a share of next to nothing nor weights far apart lose what differs."""
    assert expected_shortfall(1e-300)(np.array([[3e-300, 1e100], [2e-300, -1e100]])).tolist() == [2e-300, -1e100]
    assert positional([1e100, 1, 0])(np.array([[3.0, 2.0, 1.0]])).tolist() == [1e100, 1, 0]


def test_a_functional_must_be_finite_where_rewards_are() -> None:
    """Refused when told, whether the function takes arrays or single numbers."""
    for root in (math.sqrt, np.sqrt):
        tournament = heats.Tournament(heats.plan(4, 2, 10), linear(root))
        with pytest.raises(BadFeedback, match="where sqrt is finite"):
            tournament.tell(0, [1.0, -1.0])
        tournament.tell(0, [4.0, 1.0])
    tournament = heats.Tournament(heats.plan(2, 2, 3), linear(np.exp))
    with pytest.raises(BadFeedback, match=r"where exp is finite, and within ±1e\+300"):
        tournament.tell(0, [700.0, 1.0])  # two of them overflow
    assert play(tournament, lambda query: [600.0 + arm for arm in query.arms]).winner == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: power_mean(0), "q=0"),
        (lambda: power_mean(True), "q=True"),
        (lambda: power_mean(math.inf), "q=inf"),
        (lambda: power_mean("2"), "q='2'"),
        (lambda: quantile(1.1), r"p=1.1 must be a number in \[0, 1\]"),
        (lambda: quantile(math.nan), "p=nan"),
        (lambda: quantile(0.5, "nearest-ish"), "choose one of linear"),
        (lambda: expected_shortfall(0), r"alpha=0 must be a number in \(0, 1\]"),
        (lambda: linear(3), "r=3"),
        (lambda: as_statistic(3, [2]), "statistic=3"),
        (lambda: as_statistic(positional([2, 1]), [2, 3]), "do not cover a heat of 3"),
        (lambda: as_statistic(positional([1, 2]), [2]), "not increase"),
        (lambda: as_statistic(positional(lambda size: [math.nan] * size), [2]), "finite"),
        (lambda: as_statistic(positional([1.7e308, 0]), [2]), r"within ±1e\+100"),
        (lambda: as_statistic(positional(lambda size: None), [2]), "must be numbers"),
        (lambda: positional("abc"), "must be numbers"),
        (lambda: positional(5), "must be numbers"),
        (lambda: as_statistic(quantile, [2]), r"heats.quantile needs its parameter first"),
        (lambda: heats.RoundRobin(4, 2, 9, statistic=power_mean), r"heats.power_mean\(…\)"),
    ],
)
def test_impossible_parameters_are_refused(make: Any, message: str) -> None:
    """When the statistic is made, or at the latest when a tournament is built with it."""
    with pytest.raises(InvalidArgument, match=message):
        make()


@pytest.mark.parametrize(
    "statistic", [median, quantile(0.5), expected_shortfall(0.1), power_mean(2), positional([1, 0]), linear(abs)]
)
def test_a_race_knows_only_its_winner(statistic: Statistic) -> None:
    """Losers were stopped: mean and win_rate only, at the first tell, and the sentence says so."""
    tournament = heats.Tournament(heats.plan(4, 2, 10), statistic)
    query = tournament.ask()
    assert query is not None
    with pytest.raises(BadFeedback, match=r"only who won is known.*heats\.mean or heats\.win_rate"):
        tournament.tell(query, heats.Race({query.arms[0]: 1.0}))
    tournament.tell(query, heats.Winner(query.arms[0]))  # of winner bits any statistic is defined


def test_nobody_winning_counts_for_nobody() -> None:
    """The win rate of winner feedback is its mean: a pull without winner adds nothing to anyone."""
    assert adapt_to_kind(win_rate, Kind.WINNER) is mean
    assert adapt_to_kind(win_rate, Kind.RANKING) is win_rate
    assert adapt_to_kind(median, Kind.WINNER) is median


def test_equal_shares_are_equal_scores() -> None:
    """Ten times a tenth is not one in floating point; as scores they tie."""
    shares = np.array([[1.0, 0.1]] + [[0.0, 0.1]] * 9)
    assert shares.sum(axis=0)[1] != 1.0
    assert score(mean, Kind.WINNER, shares).tolist() == [0.1, 0.1]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda o: o.mean(), r"scores of shape \(\)"),
        (lambda o: o.mean(axis=-1), r"must average over the pulls"),
        (lambda o: o.mean(axis=-2) * np.nan, "not finite"),
    ],
)
def test_a_function_that_is_no_statistic_is_refused_before_anything_is_spent(function: Any, message: str) -> None:
    """It is tried on made-up heats when the tournament is built."""
    with pytest.raises(InvalidArgument, match=message):
        heats.Tournament(heats.plan(4, 2, 3), function)


def test_a_statistic_that_fails_later_changes_nothing() -> None:
    """The pull that would have closed the round counts as not told."""
    tournament = heats.Tournament(heats.plan(4, 2, 3), lambda o: np.log(o.mean(axis=-2) - 0.5))
    tournament.tell(0, [1.0, 2.0])
    before = tournament.report()
    with np.errstate(invalid="ignore"), pytest.raises(InvalidArgument, match="not finite"):
        tournament.tell(1, [0.0, 2.0])
    assert tournament.report() == before
    assert tournament.spent == 1
    tournament.tell(1, [1.0, 2.0])
    assert tournament.spent == 2


@pytest.mark.parametrize("statistic", [*EVERY, power_mean(1.5), positional(abs)], ids=repr)
def test_statistics_travel_to_other_processes(statistic: Statistic) -> None:
    """By what made them; the plain ones stay the very same objects."""
    import pickle

    again = pickle.loads(pickle.dumps(statistic))
    assert repr(again) == repr(statistic)
    assert (again is statistic) == (statistic.name in ("mean", "median", "win_rate"))
    if statistic.parameters.get("weights") != "abs":
        assert np.array_equal(again(np.eye(3)), statistic(np.eye(3)))


def test_a_plain_function_is_a_statistic() -> None:
    """It goes by its own name."""

    def best(observations: Any) -> Any:
        return observations.max(axis=-2)

    assert repr(as_statistic(best, [2])).endswith("best")
    assert repr(quantile(0.5)) == "quantile(p=0.5, method='linear')"
    assert mean.__doc__ is not None


@pytest.mark.parametrize(
    "statistic",
    [
        heats.mean,
        heats.median,
        heats.win_rate,
        heats.power_mean(3),
        heats.quantile(0.25, "lower"),
        heats.expected_shortfall(0.2),
        heats.positional([3, 1, 0]),
    ],
    ids=repr,
)
def test_a_statistic_is_made_again_from_what_is_written(statistic: heats.Statistic) -> None:
    """Name and parameters say all; where a parameter is a function they do not, and nothing is made."""
    again = make_statistic(statistic.name, statistic.parameters)
    assert again is not None
    observations = np.random.default_rng(1).normal(size=(2, 20, 3))
    np.testing.assert_array_equal(again(observations), statistic(observations))
    assert statistic.ours
    assert make_statistic("linear", heats.linear(np.exp).parameters) is None
    assert make_statistic("positional", heats.positional(lambda size: [1] * size).parameters) is None
    assert make_statistic("something", {}) is None
