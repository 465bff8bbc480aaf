"""No false verdict: wrong edits of true formulas all differ, right rewritings are all identical.

`make test` draws sixty of each by fixed seeds, `make soak` a thousand of each by new ones. What
fails prints a call that can be pasted.
"""

import time

import pytest
import sympy

from tests.support.claims.draw import NAMES, draw, verify, verify_witness
from tests.support.counts import SOAK, count, progress
from visviva.errors import VisvivaError

FIRST = int(time.time()) * 1000 if SOAK else 0
SEEDS = range(FIRST, FIRST + count(3, 84))  # of each mechanism


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_edit_differs_and_the_difference_is_the_edit(name):
    for seed in SEEDS:
        drawn = draw(name, seed, wrong=True)
        verdict = judged(drawn)
        assert verdict.status == "differs", f"{drawn} is {verdict.status}"
        verify(drawn, verdict)
        verify_witness(drawn, verdict)
    progress(f"  {len(SEEDS)} wrong claims about {name}")


@pytest.mark.spread(5)
@pytest.mark.parametrize("name", NAMES)
def test_a_rewriting_is_identical(name):
    for seed in SEEDS:
        drawn = draw(name, seed, wrong=False)
        verdict = judged(drawn)
        expected = ["identical", "identical if"] if is_scaled(drawn, verdict) else ["identical"]
        assert verdict.status in expected, f"{drawn} is {verdict.status}"
    progress(f"  {len(SEEDS)} right claims about {name}")


def is_scaled(drawn, verdict):
    """Whether it was multiplied by one symbol, and says nothing where that is zero."""
    conditions = verdict.conditions
    apart = all(isinstance(x, sympy.Ne) and x.lhs.is_Symbol for x in conditions)
    return "scaled" in drawn.how and len(conditions) == 1 and apart


def judged(drawn):
    try:
        return drawn.check()
    except VisvivaError as error:
        pytest.fail(f"{drawn} was not understood: {error}")
