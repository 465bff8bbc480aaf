"""The table of quantities: what stands in a row is found everywhere."""

import sys
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
import sympy

import visviva as vv
from tools.quantities_page import PAGE, page
from tools.stubs import PATH, stub
from visviva.describe import quantities
from visviva.describe.quantities import EXACT, FUNCTIONS, Quantity
from visviva.equations import dynamics
from visviva.equations.lagrange import evaluation
from visviva.errors import UnknownNameError

ROW = Quantity(
    "gravity_power",
    "Zg",
    "q v",
    "g · v: what gravity and springs take.",
    bodies="power_of_gravity:of_bodies",
    energies="power_of_gravity:of_energies",
    parts="gravity",
    exact="gravity_power",
    phrase="the power against gravity and springs",
    letters=("Zg",),
)
ENERGIES = vv.Lagrangian("theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters="m l g")


@pytest.fixture
def row(monkeypatch):
    """One row, and one function for each kind of system."""
    module = ModuleType("visviva.equations.power_of_gravity")
    module.of_bodies = lambda model, q, v: dynamics.gravity_forces(model, q) @ np.asarray(v)
    module.of_energies = lambda s, q, v, t=0.0: (
        evaluation.gravity_forces(s, q, v, t) @ np.asarray(v)
    )
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for index in (FUNCTIONS, EXACT, quantities.KINDS):
        monkeypatch.setitem(index, ROW.name, ROW)
    return ROW


def test_a_quantity_is_one_row_and_one_function_of_a_model(row):
    arm = vv.catalog.two_link()
    q, v = np.array([0.3, -0.4]), np.array([0.5, 0.7])
    f = arm.gravity_power
    np.testing.assert_allclose(f(q, v), arm.gravity_forces(q) @ v, rtol=1e-14)
    np.testing.assert_allclose(f.jacobian("v")(q, v), arm.gravity_forces(q), rtol=1e-14)
    form = arm.closed_form()
    expected = (form.gravity.T * sympy.Matrix(form.velocities))[0]
    assert form.gravity_power.equals(expected)
    assert "gravity_power" in dir(form)
    assert arm.check(f"Zg = {expected}").is_identical
    assert str(arm.check(f"Zg = 2*({expected})").subject) == row.phrase
    assert form.latex("gravity_power").startswith(r"\[ Z_{g} = ")
    assert "def two_link_gravity_power(q, v, parameters)" in form.python_source("gravity_power")


def test_a_quantity_is_one_row_and_one_function_of_a_lagrangian(row):
    s = ENERGIES.with_parameters(m=1.0, l=0.5, g=9.81)
    q, v = np.array([0.3]), np.array([0.5])
    np.testing.assert_allclose(s.gravity_power(q, v), 9.81 * 0.5 * np.sin(0.3) * 0.5, rtol=1e-14)
    form = ENERGIES.closed_form()
    assert form.gravity_power.equals(sympy.sympify("m*g*l*sin(theta)*thetad"))
    assert ENERGIES.check("Zg = m g l sin(theta) theta'").is_identical
    assert not ENERGIES.check("Zg = m g l cos(theta) theta'").is_identical
    assert form.c_source("gravity_power")


def test_the_inputs_of_a_quantity_of_energies_are_those_of_its_parts(row, monkeypatch):
    timed = vv.Lagrangian("x", "x'^2/2", "x^2 + sin(t)")  # whose slopes know no time
    assert [*timed.gravity_power.inputs] == ["q", "v"]
    assert [*vv.Lagrangian("x", "x'^2/2", "x^2*t").gravity_power.inputs] == ["q", "v", "t"]
    monkeypatch.setitem(FUNCTIONS, row.name, replace(row, parts=""))  # all of the energies
    unknown = vv.Lagrangian("x", "x'^2/2", "x^2 + sin(t)")
    assert [*unknown.gravity_power.inputs] == ["q", "v", "t"]
    monkeypatch.setitem(FUNCTIONS, row.name, replace(row, parts="weight"))
    told = "unknown part of the equations of motion, in the row 'gravity_power' 'weight'"
    with pytest.raises(UnknownNameError, match=told):
        vv.Lagrangian("x", "x'^2/2").gravity_power  # noqa: B018


def test_the_stub_for_type_checkers_is_that_of_the_table():
    assert PATH.read_text(encoding="utf-8") == stub(), "run tools/stubs.py"


def test_the_reference_lists_every_row():
    assert PAGE.read_text(encoding="utf-8") == page(), "run tools/quantities_page.py"
