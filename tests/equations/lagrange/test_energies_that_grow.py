"""Energies that grow when they are multiplied out: answered or refused, in little memory."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import sympy

import visviva as vv
from tests.support.counts import SOAK
from tests.support.generators.bodies import close
from tests.support.programs import growing
from visviva.algebra.exact.budget import AT_ONCE, MOST_TERMS, Budget
from visviva.algebra.exact.growth import expanded, expanded_terms
from visviva.algebra.exact.ring import Ring
from visviva.equations.lagrange.terms import exact_terms, shown_terms
from visviva.errors import ArgumentError, OutsideError


def in_a_process(*arguments):
    folders = Path(__file__).parents[2], Path(vv.__file__).parents[1]  # ours, and the sources
    env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, folders)), "VISVIVA_CACHE": "off"}
    command = [sys.executable, growing.__file__, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout.splitlines()


@pytest.mark.spread(0)
def test_energies_that_grow_are_answered_in_a_gigabyte():
    """FLINT would end the process where memory ends."""
    names = [
        "a sum of ten to the power 20",
        "a sum of three to the power 900",
        "powers in powers",
        "a mass to the power 1000",
        "a ring of 30 rotors",
        "24 sines, squared",
    ]
    said = in_a_process(";".join(names), "gravity_forces,closed_form")
    assert len(said) == 2 * len(names)
    assert all(": answered, " in line for line in said), said


@pytest.mark.soak
@pytest.mark.parametrize("verb", growing.VERBS if SOAK else [])
def test_energies_that_grow_take_five_seconds_and_stop_within_one(verb):
    """Processor time; Ctrl-C is sent at several moments of each."""
    names = [*growing.SYSTEMS, *(growing.MODELS if verb == "closed_form" else [])]
    said = in_a_process(";".join(names), verb, "5")
    assert len(said) == len(names)


@pytest.mark.spread(0)
def test_a_ring_of_rotors_turns_as_its_graph_says():
    n = 30
    s = growing.SYSTEMS["a ring of 30 rotors"]()
    q, v, a = np.random.default_rng(0).normal(size=(3, n))
    ahead, behind = np.roll(q, -1), np.roll(q, 1)
    close(s.inverse_dynamics(q, v, a), a - np.sin(q - ahead) + np.sin(behind - q), 1e-14)


def test_potentials_of_high_powers_have_their_slopes():
    values = {**growing.LETTERS, "x": 0.3}
    total = sum(growing.LETTERS.values()) + 0.3
    g = growing.SYSTEMS["a sum of ten to the power 20"]().gravity_forces([values["x"]])
    close(g, [20 * total**19], 1e-12 * 20 * total**19)
    form = growing.SYSTEMS["a sum of ten to the power 20"]().closed_form()
    assert not form.is_exact
    assert form.gravity[0] == sympy.diff(form.potential_energy, sympy.Symbol("x"))


def test_harmonics_are_printed_and_judged_as_they_were_written():
    """In normal form the hundredth harmonic has thousands of terms."""
    s = growing.SYSTEMS["harmonics"]()
    assert exact_terms(s).L.size > 2000
    assert shown_terms(s) is not exact_terms(s)
    x, y = sympy.symbols("x y")
    assert s.closed_form().gravity[0] == -100 * sympy.sin(100 * x) * sympy.cos(99 * y)
    assert s.check("g = [-100 sin(100 x) cos(99 y), -99 cos(100 x) sin(99 y)]").is_identical


def test_products_are_weighed_before_they_are_made():
    ring = Ring([f"x{k}" for k in range(40)], {"x0": {"x0": 1}})
    long = sum((ring[f"x{k}"] for k in range(40)), ring.number(0))
    with pytest.raises(OutsideError, match=r"too many terms: 40 terms to the power 9 make up to "):
        long**9
    cube = long**3
    with pytest.raises(OutsideError, match=r"11480 terms times 11480 terms are 131790400 products"):
        cube * cube
    assert (long * cube).size == 123410
    square = long**2  # 820 terms; their product stays below the work of one call
    assert square.size**2 < AT_ONCE
    shifted = sum((ring[f"x{k}"] ** 3 for k in range(40)), ring.number(0)) * long
    with pytest.raises(OutsideError, match=f"too many terms: [0-9]+, .* with {MOST_TERMS}"):
        _ = square * shifted


def test_numbers_are_weighed_too():
    ring = Ring(["x"], {})
    with pytest.raises(OutsideError, match="too many digits: the power 64 of a sum of 2 terms"):
        (ring["x"] + ring.number(3**200)) ** 64


def test_each_quantity_has_a_budget_of_its_own():
    budget = Budget(100)
    ten = list(range(10))
    budget.spend(ten, ten)
    with pytest.raises(OutsideError, match="100 products of terms for one quantity"):
        budget.spend(ten, ten)
    budget.renew()
    budget.spend(ten, ten)


def test_squares_of_many_sines_are_refused_in_the_ring():
    """(s₁ … s₂₄)² is one term before it is brought to normal form, and 2²⁴ after."""
    names = [f"q{k}" for k in range(24)]
    ring = Ring(names, {x: {x: 1} for x in names})
    product = ring.number(1)
    for x in names:
        product = product * ring[x].sin()
    with pytest.raises(OutsideError, match="too many terms"):
        product * product
    total = sum((ring[x] for x in names), ring.number(0))
    with pytest.raises(OutsideError, match=r"too many terms: 8388608, exact algebra works with"):
        total.cos()


def test_what_multiplying_out_would_make_is_known_before():
    x, y = sympy.symbols("x y")
    cases = [x, x + y, (x + y + 1) ** 5, x * (x + y) ** 2 * (1 + y), sympy.sin((x + y) ** 9), 1 / x]
    for case in cases:
        assert len(sympy.Add.make_args(sympy.expand(case))) <= expanded_terms(case)
        assert expanded(case) == sympy.expand(case)
    large = (x + y + 1) ** 100
    assert expanded_terms(large) == 5151
    assert expanded(large) is large


def test_long_numbers_are_refused_before_they_enter_the_exact_ring():
    x = vv.coordinates("x")
    for exponent, fits in ((3000, True), (5000, False)):
        digits = sympy.Integer(7) ** exponent
        V = x**2 * digits / (digits + 1)
        if fits:
            close(vv.Lagrangian(x, x.diff("t") ** 2 / 2, V).gravity_forces([0.5]), [1.0], 1e-15)
            continue
        with pytest.raises(ArgumentError, match=r"numbers of at most \d+ bits, got one of 14037"):
            vv.Lagrangian(x, x.diff("t") ** 2 / 2, V)
