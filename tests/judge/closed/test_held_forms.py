"""Closed forms of systems that are held, against factors of matrices of numbers."""

from inspect import signature

import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.algebra.arrays import each
from visviva.describe.quantities import FUNCTIONS, function_at
from visviva.errors import ArgumentError, OutsideError, UnknownNameError

QUANTITIES = (
    "constraint_matrix",
    "constraint_drift",
    "constraint_bias",
    "multipliers",
    "constraint_forces",
    "projection",
    "force_projection",
    "forward_dynamics",
)
PARAMETERS = {"l1": 0.3, "l2": 0.8, "l3": 0.6, "d": 0.7, "m": 1.0, "J": 0.1}


def four_bar():
    b = vv.Builder("four_bar", parameters=PARAMETERS, gravity=[0, -9.81, 0])
    p = b.parameters

    def bar(length):
        tensor = [[0, 0, 0], [0, p["J"], 0], [0, 0, p["J"]]]
        return {"inertia": vv.Inertia(p["m"], [length / 2, 0, 0], tensor), "joint": "revolute"}

    b.body("crank", joint_name="a", **bar(p["l1"]))
    b.body("coupler", parent="crank", joint_name="b", at=[p["l1"], 0, 0], **bar(p["l2"]))
    b.body("rocker", joint_name="c", at=[p["d"], 0, 0], **bar(p["l3"]))
    model = b.build().with_frame("e", [p["l2"], 0, 0], on="coupler")
    return model.with_frame("r", [p["l3"], 0, 0], on="rocker").with_loop("r", "e", name="pin")


ARM = vv.catalog.two_link()
BALL = vv.Builder("ball", gravity=[0, 0, -9.81])
BALL.body("ball", joint="free", inertia=vv.Inertia.sphere(radius=0.5, mass=2.0))
BALL = BALL.build().with_frame("hook", [0, 0, 0.5], on="ball")
HELD = {
    "gear": ARM.with_constraint("q1 + 2*q2"),
    "driven": ARM.with_constraint("q1 = 0.3*t^2*L1"),
    "cam": ARM.with_constraint("L1*cos(q1) + L2*cos(q1 + q2) = 1"),
    "rail": ARM.with_loop("world", "tool", "point_on_line", axis="x"),
    "rod": ARM.with_loop("world", "tool", "distance", length=1.0),
    "hung": BALL.with_loop("world", "hook", "spherical"),
    "four_bar": four_bar(),
    "sleigh": vv.catalog.chaplygin_sleigh(),
    "disc": vv.catalog.rolling_disc(),
    "bead": vv.catalog.bead_on_rotating_wire(constrained=True),
    "root": vv.Lagrangian(
        "x y",
        "m*(x'^2 + y'^2)/2",
        "m*h*y",
        constraints="sqrt(x^2 + y^2) - l",
        parameters={"m": 2.0, "h": 9.81, "l": 0.7},
    ),
}
SYMBOLS = {"gear": None, "driven": ("L1", "m2")}  # that are kept


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", HELD)
def test_closed_forms_are_what_numbers_give(name):
    s = HELD[name]
    symbols = None if isinstance(s, vv.Lagrangian) else SYMBOLS.get(name, ())
    form = s.closed_form(symbols)
    rng = np.random.default_rng(3)
    q = s.random(rng) if name == "hung" else rng.normal(size=s.nq)
    v, tau = rng.normal(size=(2, s.nv))
    t = 0.4
    names = (*form.coordinates, *form.velocities, *form.generalized_forces)
    at = dict(zip(names, (*q, *v, *tau), strict=True)) | form.parameters
    at[sympy.Symbol("t")] = t
    given = {"q": q, "v": v, "tau": tau, "t": t}
    for quantity in QUANTITIES:
        f = function_at(getattr(FUNCTIONS[quantity], s.stated))  # as it is compiled, on numbers
        number = f(s.numeric, **{x: given[x] for x in signature(f).parameters if x in given})
        exact = each(form.exact.plain, form.exact.quantity(quantity))  # not shortened for readers
        value = np.array(sympy.lambdify([*at], exact.tolist())(*at.values()), dtype=float)
        np.testing.assert_allclose(
            np.reshape(value, np.shape(number)), number, rtol=1e-9, atol=1e-9, err_msg=quantity
        )  # factors of A M⁻¹ Aᵀ lose digits that exact forms have
    assert form.left_out == ()


def test_equations_of_a_held_model_have_the_multipliers():
    form = HELD["gear"].closed_form()
    (lam,) = form.multiplier_symbols
    free = ARM.closed_form().equations
    difference = (form.equations - free).applyfunc(sympy.expand)
    assert list(difference) == [-lam, -2 * lam]
    kinds = [x.kind for x in form.terms(1)]
    assert kinds[-1] == "of a constraint"
    assert form.terms(1)[-1].formula == -2 * lam
    assert form.held_by == HELD["gear"].held_by


def test_what_nothing_holds_has_no_constraints_and_accelerations_in_closed_form():
    form = vv.catalog.cart_pole().closed_form()
    with pytest.raises(AttributeError, match="has no 'multipliers': nothing holds it"):
        form.multipliers  # noqa: B018
    with pytest.raises(ArgumentError, match="'cart_pole' has no constraints"):
        form.latex("constraints")
    a = form.forward_dynamics
    at = dict(zip(form.accelerations, a, strict=True))
    rest = form.equations.subs(at) - sympy.Matrix(form.generalized_forces)
    assert rest.applyfunc(sympy.simplify).is_zero_matrix
    assert "multipliers" not in dir(form)
    assert "multipliers" in dir(HELD["gear"].closed_form())


def test_multipliers_get_names_that_are_free():
    s = vv.Lagrangian(
        "x y",
        "(x'^2 + y'^2)/2",
        constraints="x - lambda1*y",
        parameters="lambda1",
    )
    form = s.closed_form()
    assert [str(x) for x in form.multiplier_symbols] == ["lambda1_"]
    k, u, f, n = sympy.symbols("lambda1 tau1 tau2 lambda1_")
    assert sympy.simplify(form.multipliers[0] - (k * f - u) / (1 + k**2)) == 0
    assert n in form.equations.free_symbols


def test_rows_that_may_depend_on_others_are_refused():
    T = "m*(x'^2 + y'^2)/2"
    hidden = ["exp(x) - y", "sinh(x) + cosh(x) - y"]
    s = vv.Lagrangian("x y", T, constraints=hidden, parameters="m")
    with pytest.raises(OutsideError, match="may depend on each other"):
        s.closed_form().multipliers  # noqa: B018


def test_constraints_are_printed_in_both_conventions_and_as_functions():
    form = HELD["bead"].closed_form()
    space = {}
    exec(form.python_source("constraints"), space)
    exec(form.python_source("constraints", "columns").replace("_constraints", "_turned"), space)
    values = [0.4, 0.1, 0.2], [1.0, 2.0, 3.0], list(form.parameters.values())
    A, B = (space[f"{form.name}{x}"](*values)[0] for x in ("_constraints", "_turned"))
    np.testing.assert_array_equal(A.T, B)
    assert A.shape == (2, 3)
    with pytest.raises(UnknownNameError, match="'rows', 'columns'"):
        form.latex("constraints", "column")
    for what in ("standard", "constraints", "equations", "projected_equations", "multipliers"):
        for to in ("latex", "markdown", "html", "python_source", "c_source"):
            assert getattr(form, to)(what)
