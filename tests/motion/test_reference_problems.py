"""The page of reference problems says what the code gives."""

import json

import mpmath
import numpy as np
import pytest

from tests.support import bicycle
from tests.support.counts import SOAK, count
from tests.support.oracles import collocation
from tests.support.problems.bodies import MOTIONS
from tests.support.problems.by_hand import graded
from tools import reference_problems as page

CHEAP = [name for name, problem in MOTIONS.items() if problem.cheap]


def test_the_page_is_that_of_the_stored_values():
    assert page.page(json.loads(page.STORED.read_text())) == page.PAGE.read_text()


@pytest.mark.parametrize("name", CHEAP)
def test_cheap_problems_give_the_stored_values(name):
    assert not list(page.check([name]))


@pytest.mark.soak
def test_what_was_published_of_the_bicycle_follows_from_its_formulas():
    """Weave and capsize speed, and table 2, by the appendix of the paper with 30 digits."""
    weave, capsize = bicycle.speeds()
    assert abs(weave - bicycle.WEAVE_SPEED) < 1e-13
    assert abs(capsize - bicycle.CAPSIZE_SPEED) < 1e-13
    for speed in range(0, 11, count(5, 1)):
        exact = bicycle.eigenvalues(speed)
        for value in page.published(speed):
            away = min(abs(mpmath.mpc(value) - z) for z in exact)
            assert away < 1e-12, (speed, value)


def test_a_wrong_value_is_noticed(monkeypatch, tmp_path):
    stored = json.loads(page.STORED.read_text())
    truth = stored["problems"]["pendulum"]["truth"]
    truth["x at 10 s"] = mpmath.nstr(mpmath.mpf(truth["x at 10 s"]) + mpmath.mpf("1e-8"), 22)
    (tmp_path / "wrong.json").write_text(json.dumps(stored))
    monkeypatch.setattr(page, "STORED", tmp_path / "wrong.json")
    (said,) = page.check(["pendulum"])
    assert "x at 10 s" in said


def test_the_stiff_road_has_its_digits():
    """y' = -1000 (y - z), z' = -z from (1, 1), at 1 s: exp(-1) and a share of it."""
    with mpmath.workdps(32):
        A = np.array([[mpmath.mpf(-1000), mpmath.mpf(1000)], [0, mpmath.mpf(-1)]], dtype=object)
        y = collocation.motion(lambda y: A @ y, lambda y: A, [1, 1], graded(1, 0.5, 1e-3), 8, 16)
        # y = c e^-t + (1 - c) e^(-1000 t) with c = 1000 / 999
        wanted = mpmath.mpf(1000) / 999 * mpmath.exp(-1)
        assert max(abs(y[0] - wanted), abs(y[1] - mpmath.exp(-1))) < mpmath.mpf("1e-13")


def test_values_are_near_the_published_ones():
    for name, problem in MOTIONS.items():
        found = json.loads(page.STORED.read_text())["problems"][name]["truth"]
        for label, value in problem.published.items():
            assert np.isclose(float(found[label]), value, rtol=1e-9, atol=2e-9), (name, label)


@pytest.mark.skipif(not SOAK, reason="seconds each: in the soak")
@pytest.mark.soak
@pytest.mark.parametrize("name", [x for x in page.NAMES if x not in CHEAP])
def test_all_problems_give_the_stored_values(name):
    assert not list(page.check([name]))
