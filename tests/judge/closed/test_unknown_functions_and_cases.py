"""Energies with unknown functions, by cases, with min and max: printed, and as code."""

import ctypes
import shutil
import subprocess
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.errors import ArgumentError
from visviva.notation.names import Names
from visviva.notation.writing.plain import plain_text
from visviva.notation.writing.write import latex, mathml

x, y, t = sympy.symbols("x y t")
f = sympy.Function("f")


def equations_of(kinetic, potential, coordinates="x"):
    return vv.Lagrangian(coordinates, kinetic, potential, parameters="m k").closed_form()


def letters(form, what="equations"):
    """The signs of the page of a form, in order."""
    body = form.html(what).split("\n", 1)[1]
    return "".join(ElementTree.fromstring(body).find("body").itertext())


# ---- unknown functions


def test_the_slope_of_an_unknown_function_of_a_coordinate_has_a_prime_and_no_dot():
    form = equations_of("m*x'^2/2", f(x))
    assert str(form) == "lagrangian: 1 equation in x\n  τ₁ = m ẍ + f′(x)"
    assert r"\tau_{1} = m \ddot{x} + f'(x)" in form.latex("equations")
    assert r"\tau_{1} = m \ddot{x} + f'(x)" in form.markdown("equations")
    assert "f′\u2061(x)" in letters(form)
    assert "˙" not in letters(form)
    inertia = vv.Lagrangian("x", f(x) * sympy.Symbol("xd") ** 2 / 2).closed_form()
    assert str(inertia).endswith("τ₁ = f(x) ẍ + 1/2 f′(x) ẋ²")
    assert r"\frac{1}{2} f'(x) \dot{x}" in inertia.latex()


@pytest.mark.parametrize(
    ("slope", "plain", "tex"),
    [
        (f(x).diff(x, 2), "f″(x)", "f''(x)"),
        (f(x).diff(x, 4), "f⁽⁴⁾(x)", "f^{(4)}(x)"),
        (f(2 * x).diff(x), "2 f′(2 x)", "2 f'(2 x)"),
        (f(x, y).diff(x), "∂f/∂x", r"\frac{\partial f}{\partial x}"),
        (f(x, y).diff(x, 2, y), "∂³f/∂x²∂y", r"\frac{\partial^{3} f}{\partial x^{2} \partial y}"),
        (y * f(x, y).diff(x), "y (∂f/∂x)", r"y \frac{\partial f}{\partial x}"),
        (f(x * y, y).diff(x), "y ∂₁f(x y, y)", r"y \partial_{1} f(x y, y)"),
        (f(x, t).diff(t), "∂f/∂t", r"\frac{\partial f}{\partial t}"),
        (f(t).diff(t), "ḟ", r"\dot{f}"),
        (f(t).diff(t, 2), "f̈", r"\ddot{f}"),
        (
            sympy.Function("mass")(x).diff(x) ** 2,
            "mass′(x)²",
            r"\left(\operatorname{mass}'(x)\right)^{2}",
        ),
    ],
    ids=str,
)
def test_only_slopes_by_the_time_have_dots(slope, plain, tex):
    assert plain_text(slope, Names(["x", "y"])) == plain
    assert latex(slope, ["x", "y"]) == tex
    ElementTree.fromstring(mathml(slope, ["x", "y"]))


@pytest.mark.parametrize("write", ["python_source", "c_source"])
@pytest.mark.parametrize("potential", [f(x, y), f(2 * x), y * f(x)], ids=str)
def test_code_of_an_unknown_function_is_refused_by_its_name(write, potential):
    form = equations_of("m*(x'^2 + y'^2)/2", potential, "x y")
    with pytest.raises(ArgumentError, match="f is an unknown function, for which there is no"):
        getattr(form, write)("equations")


def test_code_that_numpy_and_c_do_not_have_is_refused_by_its_name():
    for potential, name in ((sympy.gamma(x), "polygamma"), (sympy.floor(x), r"Derivative\(floor")):
        form = equations_of("m*x'^2/2", potential)
        with pytest.raises(ArgumentError, match=f"there is no Python for {name}"):
            form.python_source("equations")
        with pytest.raises(ArgumentError, match=f"there is no C for {name}"):
            form.c_source("equations")


# ---- cases


def test_print_shows_energies_by_cases_in_words():
    ball = equations_of("m*x'^2/2", "9.81*m*x + where(less(x, 0), k*x^2/2, 0)")
    assert str(ball).endswith("τ₁ = m ẍ + 9.81 m + {k x if x < 0, 0 otherwise}")
    both = sympy.Piecewise((x**2, sympy.And(x > 0, x < 1)), (x, sympy.Or(x > 3, x < -3)), (0, True))
    form = equations_of("m*x'^2/2", both)
    assert "{2 x if x > 0 and x < 1, 1 if x > 3 or x < -3, 0 otherwise}" in str(form)
    assert r"\text{if } x > 0 \text{ and } x < 1" in form.latex()
    assert "if\xa0x>0\xa0and\xa0x<1" in letters(form)


def test_the_least_and_the_greatest_are_printed_with_the_slope_of_the_case_that_holds():
    form = equations_of("m*x'^2/2", "k*max(x, 0)^2/2")
    assert str(form).endswith("τ₁ = m ẍ + k max(0, x) {0 if x ≤ 0, 1 otherwise}")
    assert r"k \max(0, x) \begin{cases}" in form.latex()
    assert plain_text(sympy.Abs(x) + sympy.Min(x, y), Names()) == "|x| + min(x, y)"


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("potential", "slopes"),
    [
        ("k*min(x, m)", [3.0, 0.0]),
        ("k*max(x, m)", [0.0, 3.0]),
        ("k*min(x, 2*x)", [3.0, 6.0]),
        ("k*max(x, m, 2)", [0.0, 3.0]),
        ("k*abs(x - m)", [0.0]),
    ],
)
def test_where_two_cases_meet_numbers_and_exported_code_have_the_slope_of_the_same_one(
    potential, slopes
):
    system = vv.Lagrangian("x", "m*x'^2/2", potential, parameters={"m": 2, "k": 3})
    at = 0.0 if "2*x" in potential else 2.0
    number = system.inverse_dynamics([at], [0.0], [0.0])
    assert number[0] in slopes
    space = {}
    exec(system.closed_form().python_source("equations"), space)
    assert space["lagrangian_equations"]([at], [0.0], [0.0], [2.0, 3.0]) == number
    assert system.gravity_forces([at]) == number


# ---- code of every function

ONE = "sqrt sin cos tan asin acos atan exp log sinh cosh tanh sign abs".split()
ADMITTED = [f"k*{name}(x/3)*x" for name in ONE] + [
    "k*atan2(x, 2)",
    "k*min(x, 0.5) + max(x, m, 1)^2",
    "where(less(x, 0), x^2, x^3) + less_equal(x, 1)*x + equal(x, 1)*x^2",
    "k*x^2.5 + k^x + pi*x",
    sympy.sec(x) + sympy.cot(x) + sympy.csc(x),
    sympy.Piecewise((x**2, sympy.And(x > 0, x < 1)), (x**3, sympy.Or(x > 2, x < -2)), (x, True)),
    sympy.Piecewise((x**2, sympy.Ne(x, 1)), (x, True)) * sympy.Max(x, sympy.Min(x**2, y), y),
]


@pytest.mark.spread(8)
@pytest.mark.parametrize("potential", ADMITTED, ids=str)
def test_exported_code_of_every_function_runs_and_agrees(potential, tmp_path):
    parameters = {"m": 2.0, "k": 3.0}
    system = vv.Lagrangian("x y", "m*(x'^2 + y'^2)/2", potential, parameters=parameters)
    given = [np.array(row) for row in ([0.4, 0.7], [0.1, 0.2], [0.3, -1.0], [2.0, 3.0])]
    expected = system.inverse_dynamics(*given[:3])
    space = {}
    exec(system.closed_form().python_source("equations"), space)
    np.testing.assert_allclose(space["lagrangian_equations"](*given), expected, rtol=1e-13)
    if not shutil.which("cc"):
        return
    (tmp_path / "f.c").write_text(system.closed_form().c_source("equations"))
    flags = "-std=c99 -Wall -Wextra -Werror -pedantic-errors -shared -fPIC".split()
    subprocess.run(["cc", *flags, "f.c", "-o", "f.so", "-lm"], cwd=tmp_path, check=True)
    result = np.zeros(2)
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (*given, result)]
    ctypes.CDLL(str(tmp_path / "f.so")).lagrangian_equations(*pointers)
    np.testing.assert_allclose(result, expected, rtol=1e-13)


# ---- names of what is printed


def test_the_weight_is_called_the_same_with_and_without_values():
    for parameters in ("m g", {"m": 1, "g": 9.81}):
        form = vv.Lagrangian("x", "m*x'^2/2", "m*g*x", parameters=parameters).closed_form()
        assert r"\[ g(q) = \begin{bmatrix} m g \end{bmatrix} \]" in form.latex()


def test_a_form_without_matrices_says_how_its_equations_are_printed():
    form = vv.catalog.relativistic_particle().closed_form()
    for write in (form.html, form.latex, form.markdown, form.python_source):
        with pytest.raises(ArgumentError, match=r'latex\("equations"\), .* --form equations'):
            write()
