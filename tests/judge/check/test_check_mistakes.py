"""Known mistakes are named: claims derived with one of them, by SymPy from energies."""

from collections import Counter

import pytest

from tests.support.claims.mistakes import MECHANISMS, mistaken, right
from tests.support.claims.systems import closed, same, system
from tests.support.counts import SOAK, count, progress

WANTED = 0.95
ALL = count(3, 204)
DRAWN = MECHANISMS if SOAK else [x for x in MECHANISMS if x != "puma560"]


@pytest.mark.spread(6)
@pytest.mark.parametrize("name", [n for n in MECHANISMS if n != "puma560"])
def test_without_a_mistake_the_derivation_is_right(name):
    """Otherwise the claims below had two mistakes."""
    assert same(right(name).equations(), closed(name).equations)


@pytest.mark.soak
def test_the_diagnosis_names_the_mistake():
    """One of at most three; where two mistakes lead to the same claim, either is right."""
    made, named, missed = Counter(), Counter(), []
    for k in range(ALL):
        claim = mistaken(DRAWN[k % len(DRAWN)], k)
        verdict = system(claim.mechanism).check(claim.claim)
        assert verdict.status == "differs", f"{claim} is {verdict.status}"
        assert len(verdict.diagnosis) <= 3
        made[claim.kind] += 1
        if claim.kinds & {d.kind for d in verdict.diagnosis}:
            named[claim.kind] += 1
        else:
            said = [d.sentence for d in verdict.diagnosis]
            missed.append(f"{claim.mechanism}, {claim.kind}, said {said}: {claim.claim}")
    listed = ", ".join(f"{kind} {named[kind]}/{n}" for kind, n in sorted(made.items()))
    rate = named.total() / made.total()
    progress(f"  {rate:.1%} of {ALL} mistakes named: {listed}")
    assert rate >= WANTED, "\n".join([listed, *missed])
