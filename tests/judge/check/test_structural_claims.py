"""No false status of claims made of whole equations: sums, multiples, solved, with forces left out.

Thirteen mechanisms with one to six coordinates, one of them with a singular mass matrix. `make
test` draws a few claims by fixed seeds, `make soak` a thousand by new ones. The truth is decided by
numbers of fifty digits and by derivatives of SymPy, never by the engine under test.
"""

import time
from collections import Counter

import mpmath
import numpy as np
import pytest
import sympy

from tests.support.claims.structural import draw, worth
from tests.support.claims.structural_systems import NAMES, equations_at, mechanism
from tests.support.counts import SOAK, count, progress
from visviva.errors import VisvivaError

FIRST = int(time.time()) * 1000 if SOAK else 0
SEEDS = range(FIRST, FIRST + count(1, 84))  # of each mechanism
MOST_REFUSED = 0.02


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", NAMES)
def test_the_energies_are_those_of_the_mechanism(name):
    """SymPy's equations at one motion are what the machine code computes."""
    m = mechanism(name)
    n = len(m.q)
    parameters = {s: mpmath.mpf(m.system.parameters[s.name]) for s in m.parameters}
    q, v, a = (np.linspace(0.3 + k, 1.1 - k, n) for k in range(3))
    point = dict(zip((*m.q, *m.v), map(mpmath.mpf, (*q, *v)), strict=True))
    M, h = equations_at(m, point | parameters)
    tau = np.array([float(x) for x in M * mpmath.matrix(a) + h])
    assert np.allclose(m.system.inverse_dynamics(q, v, a), tau, rtol=1e-12, atol=1e-12)


@pytest.mark.spread(0)
@pytest.mark.soak
def test_no_structural_claim_gets_a_false_status():
    found, refused = Counter(), []
    for name in NAMES:
        for seed in SEEDS:
            drawn = draw(name, seed)
            status, conditions = worth(drawn)
            try:
                verdict = drawn.check()
            except VisvivaError as error:
                if mechanism(name).stiffness is None:  # a singular one is a reason to refuse
                    refused.append(f"{drawn}: {error}")
                continue
            zero = [x for x in verdict.conditions if not isinstance(x, sympy.Ne)]
            said = {int(str(x.lhs).removeprefix("tau")) - 1 for x in zero}
            only_factors = verdict.status == "identical if" and not zero  # that may vanish
            found_out = "identical" if only_factors else verdict.status
            assert found_out == status, f"{drawn} is {verdict.status}, not {status}"
            assert status == "differs" or said == conditions, f"{drawn}: {said}, not {conditions}"
            found[status] += 1
        progress(f"  {len(SEEDS)} claims about {name}: {dict(found)}, {len(refused)} refused")
    listed = "\n".join(refused)
    assert len(refused) <= MOST_REFUSED * len(SEEDS) * len(NAMES), f"refused:\n{listed}"
    assert min(found[x] for x in ("identical", "identical if", "differs")) > 0
    if SOAK:
        progress(f"  refused:\n{listed}")
