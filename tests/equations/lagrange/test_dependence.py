"""What a function of a `Lagrangian` takes is read off its formulas; asking derives nothing."""

import os
import subprocess
import sys

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.catalogue import LAGRANGIANS
from tests.support.counts import examples
from visviva.algebra import diff
from visviva.describe.energies.formulas import TIME
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.quantities import FUNCTIONS
from visviva.equations.lagrange import terms
from visviva.equations.lagrange.dependence import DERIVED, standing
from visviva.equations.lagrange.terms import MATRICES, sympy_terms
from visviva.errors import ArgumentError

DRIVEN = "m*((A*cos(t) + l*x'*cos(x))^2 + (l*x'*sin(x))^2)/2"
WIRE = "m*((x'*cos(t) - x*sin(t))^2 + (x'*sin(t) + x*cos(t))^2)/2"
TIMED = {
    "driven pendulum": Lagrangian("x", DRIVEN, "-m*g*l*cos(x)", parameters="m A l g"),
    "rotating wire": Lagrangian("x", WIRE, "m*g*x*sin(t)", parameters="m g"),
    "growing": Lagrangian("x", "m*exp(t)*x'^2/2", "k*x^2/2", "c*x'^2*(1 + t)", parameters="m k c"),
    "roots": Lagrangian("x", "sqrt(2 + x^2)*(x' + sin(t))^2", "x^2", forces=["t*x'"]),
    "potential of time": Lagrangian("x", "x'^2/2", "x^2 + sin(t)"),
    "linear in v": Lagrangian("x y", "x'^2 + y'^2 + sin(t)*x'"),
}
ENERGIES = [name for name, row in FUNCTIONS.items() if row.energies]


@pytest.mark.spread(10)
@pytest.mark.parametrize("name", [*LAGRANGIANS, *TIMED])
def test_attributes_derive_nothing(name, monkeypatch):
    def derives(*_):
        raise AssertionError("something is derived")

    for calculus in (terms.InSympy, terms.Exact, terms.OnGraph):
        monkeypatch.setattr(calculus, "gradient", derives)
        monkeypatch.setattr(calculus, "carried", derives)
    monkeypatch.setattr(diff, "jacobian", derives)
    monkeypatch.setattr(terms, "slope", derives)
    s = TIMED[name] if name in TIMED else vv.catalog.build(name)
    for row in ENERGIES:
        if row in MATRICES and name == "relativistic_particle":
            with pytest.raises(ArgumentError, match="depends on velocities"):
                getattr(s, row)
        elif not s.constraints:
            assert getattr(s, row).name == row


USER = """
import sys, visviva as vv
s = vv.Lagrangian("x y", "m*(x'^2 + (y' + A*cos(t))^2*cos(x)^2)/2", "m*g*x*y",
                  parameters={"m": 2.0, "A": 0.1, "g": 9.81})
if sys.argv[1] == "again":
    from visviva.equations.lagrange import terms
    def derives(*_):
        raise AssertionError("something is derived")
    for calculus in (terms.InSympy, terms.Exact, terms.OnGraph):
        calculus.gradient = calculus.carried = derives
print(s.mass_matrix([0.5, 0.7]), s.inverse_dynamics([0.5, 0.7], [1, 2], [3, 4], 0.1))
"""


@pytest.mark.spread(0)
def test_what_is_kept_on_disk_is_called_without_deriving(tmp_path):
    environment = os.environ | {"VISVIVA_CACHE": str(tmp_path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", USER, when],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for when in ("first", "again")
    ]
    assert said[0] == said[1] != ""


@pytest.mark.parametrize(
    ("name", "part", "takes"),
    [
        ("driven pendulum", "mass_matrix", ""),
        ("driven pendulum", "gravity", "t"),
        ("driven pendulum", "coriolis_matrix", ""),
        ("rotating wire", "mass_matrix", ""),
        ("rotating wire", "drift", "t"),
        ("rotating wire", "jacobi_integral", "t"),
        ("growing", "mass_matrix", "t"),
        ("growing", "gravity", ""),
        ("growing", "dissipation", "vt"),
        ("roots", "mass_matrix", ""),
        ("roots", "momentum", "vt"),
        ("roots", "forces", "vt"),
        ("potential of time", "gravity", ""),
        ("potential of time", "potential", "t"),
        ("linear in v", "gravity", "t"),
        ("linear in v", "coriolis_matrix", ""),
        ("linear in v", "jacobi_integral", ""),
    ],
)
def test_what_stands_in_a_part(name, part, takes):
    assert standing(TIMED[name], part) == set(takes)


FACTORS = ["x", "y", "x'", "y'", "t", "sin(t)", "cos(x + t)", "(x' + t)", "(1 + x^2)", "exp(y)"]


@examples(11, 1000)
@given(st.lists(st.lists(st.sampled_from(FACTORS), min_size=1, max_size=4), min_size=1, max_size=4))
def test_nothing_that_stands_in_a_derived_part_is_missed(products):
    """Against SymPy's derivatives: what is read off may be more, where terms cancel, never less."""
    s = Lagrangian("x y", " + ".join("*".join(product) for product in products))
    derived, v = sympy_terms(s), set(s.names.v)
    for part in DERIVED:
        if part in MATRICES and not derived.is_quadratic:
            assert "v" in standing(s, "mass_matrix")
            continue
        entries = np.ravel(np.asarray(getattr(derived, part), dtype=object))
        used = set().union(*(sympy.expand(x).free_symbols for x in entries))
        stands = {kind for kind, symbols in {"v": v, "t": {TIME}}.items() if used & symbols}
        known = {"v"} if "coriolis" in part or part == "jacobi_integral" else set()
        assert stands <= standing(s, part) | known, part
