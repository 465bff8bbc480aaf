"""Names without a value are told all at once, not one at a time."""

import pytest

import visviva as vv
from visviva.errors import ArgumentError, ParseError

KINETIC, POTENTIAL = "m*x'^2/2 + M*y'^2/2", "k*x^2/2 + K*y^2/2"


def test_of_a_table():
    rows = [
        {"joint": "R", "a": "a1", "theta": "theta1"},
        {"joint": "P", "a": "a2/2", "alpha": "alpha2", "d": "d2"},
        {"joint": "R", "d": "d3", "a": "a1"},
    ]
    said = r"parameters=\{'a1': \.\.\., 'a2': \.\.\., 'alpha2': \.\.\., 'd3': \.\.\.\}"
    with pytest.raises(ArgumentError, match=rf"a of DH row 1: unknown name 'a1'[\s\S]*{said}"):
        vv.from_dh(rows, convention="standard")
    values = {"a1": 1.0, "a2": 1.0, "alpha2": 0.0, "d3": 0.2}
    assert vv.from_dh(rows, convention="standard", parameters=values).nv == 3


def test_of_all_formulas_of_a_lagrangian():
    with pytest.raises(ParseError, match='parameters="m M k K c"'):
        vv.Lagrangian("x y", KINETIC, POTENTIAL, dissipation="c*x'^2/2")


def test_of_what_one_quantity_needs_and_of_the_rest():
    s = vv.Lagrangian("x y", KINETIC, POTENTIAL, parameters="m M k K")
    with pytest.raises(ArgumentError, match=r"no value for M, m, nor, .* of K, k") as error:
        s.mass_matrix([0.0, 0.0])
    assert "with_parameters(M=..., m=..., K=..., k=...)" in str(error.value)
    s = s.with_parameters(m=1.0, M=2.0)
    assert s.mass_matrix([0.0, 0.0]).tolist() == [[1.0, 0.0], [0.0, 2.0]]
