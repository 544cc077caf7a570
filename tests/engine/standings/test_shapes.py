"""Shapes of fields: the even one as a density, beside SciPy's sums and differences, and against the normal one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import expit

from heats.engine.standings.shapes import END, SOFTNESS, compare_with_even, look_at_even, look_at_normal


def density(x: float) -> float:
    return float(np.exp(look_at_even(np.array(x))[0])) / math.sqrt(2 * math.pi)


@pytest.mark.parametrize(("power", "moment"), [(0, 1.0), (1, 0.0), (2, 1.0)])
def test_an_even_field_has_the_mean_and_the_deviation_of_a_normal_one(power: int, moment: float) -> None:
    """So its spread means the same, and how likely it is can be compared."""
    assert quad(lambda x: x**power * density(x), -5, 5, limit=200)[0] == pytest.approx(moment, abs=1e-8)


@given(x=st.floats(-4, 4))
def test_an_even_density_is_a_uniform_number_plus_a_logistic_one(x: float) -> None:
    """Which is a difference of two logistic curves."""
    plain = (expit((x + END) / SOFTNESS) - expit((x - END) / SOFTNESS)) / (2 * END)
    assert density(x) == pytest.approx(plain, rel=1e-6, abs=1e-12)


@given(x=st.floats(-20, 20))
def test_slopes_are_what_differences_say_and_only_fall(x: float) -> None:
    """Only falling slopes make a posterior with one mode."""
    points = x + np.array([-1e-5, 0, 1e-5])
    for look in (look_at_normal, look_at_even):
        values, slopes = look(points)
        assert slopes[1] == pytest.approx((values[2] - values[0]) / 2e-5, rel=1e-4, abs=1e-4)
        assert np.all(np.diff(slopes) <= 1e-12)


def test_strengths_far_outside_are_unlikely_and_not_an_overflow() -> None:
    """The longest moves of chains lead there."""
    values, slopes = look_at_even(np.array([-1e6, 1e6]))
    assert np.all(values < -1e6)
    assert slopes == pytest.approx(np.array([1, -1]) / SOFTNESS)


@given(middle=st.floats(-3, 3), deviation=st.floats(0.05, 0.95))
def test_shapes_are_compared_as_an_integral_says(middle: float, deviation: float) -> None:
    """Of one arm, of which a normal field says that it is about here; of two alike, twice that."""

    def weigh(z: float) -> float:
        x = middle + deviation * z
        return density(x) / math.exp(-(x**2) / 2) * math.exp(-(z**2) / 2)

    exact = math.log(quad(weigh, -8, 8, limit=500, points=[0])[0])
    once = compare_with_even(np.array([middle]), np.array([deviation]))
    assert once == pytest.approx(exact, abs=0.02)
    assert compare_with_even(np.full(2, middle), np.full(2, deviation)) == pytest.approx(2 * once)


def test_of_an_arm_nobody_saw_no_shape_is_likelier() -> None:
    """What a normal field says of it is the normal density itself."""
    assert compare_with_even(np.zeros(1), np.ones(1)) == pytest.approx(0, abs=1e-3)


def test_the_strengths_of_many_arms_tell_their_shape() -> None:
    """Known closely, those that are spaced equally speak for an even field, and normal ones for a normal one."""
    known = np.full(200, 0.1)
    assert compare_with_even(np.linspace(-1.7, 1.7, 200), known) > 5
    assert compare_with_even(np.random.default_rng(0).normal(size=200), known) < -5
