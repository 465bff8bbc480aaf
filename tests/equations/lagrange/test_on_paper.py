"""On paper nothing is rounded: every function of the evaluation, over SymPy."""

import inspect

import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.algebra.arrays import each
from visviva.describe.energies.formulas import TIME, exact
from visviva.equations.lagrange import evaluation
from visviva.equations.lagrange.evaluation import on_paper
from visviva.equations.lagrange.paper import Paper

POLYNOMIAL = vv.Lagrangian(
    "x y",
    "m*(x'^2 + y'^2*cos(x/3)^2)/3 + x'*y*t/7",
    "k*x^2/6 + sqrt(2)*m*9.81*y/3",
    dissipation="c*x'^2/3 + sqrt(3)*x'*y'/7",
    forces=["x/3", "sin(t)/7"],
    constraints=["x/3 + sqrt(2)*y^2 - t/7", "x*x'/3 + y'/7 - 1/3"],
    parameters={"m": 1.3, "k": 2.0, "c": 0.4},
)
OTHER = vv.Lagrangian(
    "x y",
    "m*exp(x/3)*x'^2/3 + y'^2/sqrt(7)",
    "k*abs(x)^3/3 + log(3 + y/7)",
    actuators=[["1/3"], ["sqrt(2)*x"]],
    parameters={"m": 1.3, "k": 2.0},
)
PASSIVE = vv.Lagrangian("x y", "x'^2/3 + y'^2", passive="x")
FUNCTIONS = {
    name: f
    for name, f in vars(evaluation).items()
    if inspect.isfunction(f) and f.__module__ == evaluation.__name__ and name[0] != "_"
    and [*inspect.signature(f).parameters][:2] == ["s", "q"]
}  # fmt: skip
SYSTEMS = {"polynomial": POLYNOMIAL, "other": OTHER, "passive": PASSIVE}


@pytest.mark.spread(27)
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_third_stays_a_third(name, system):
    s, f = SYSTEMS[system], FUNCTIONS[name]
    symbols = {"q": s.names.q, "v": s.names.v, "a": s.names.a, "t": TIME}
    symbols["tau"] = sympy.symbols("tau1 tau2")
    wanted = [k for k in inspect.signature(f).parameters if k != "s"]
    paper = Paper()
    nodes = f(on_paper(s, paper), **{k: paper.nodes(symbols[k])[()] for k in wanted})
    formulas = each(paper.formula, nodes)
    assert not any(x.atoms(sympy.Float) for x in formulas.ravel())
    rng = np.random.default_rng(0)
    numbers = {k: rng.uniform(0.2, 0.9, np.shape(symbols[k])) for k in wanted}
    point = {sympy.Symbol(k): exact(x) for k, x in s.parameters.items()}
    for k in wanted:
        point |= dict(zip(np.ravel(symbols[k]), map(exact, np.ravel(numbers[k])), strict=True))
    values = [float(x.subs(point)) for x in formulas.ravel()]
    computed = np.asarray(f(s, **numbers))
    assert computed.shape == formulas.shape
    np.testing.assert_allclose(values, computed.ravel().astype(float), rtol=1e-12, atol=1e-12)


def test_numbers_that_a_function_brings_are_the_decimals_that_they_are():
    paper, rest = Paper(), np.zeros(2)
    s, (x, y) = on_paper(POLYNOMIAL, paper), paper.nodes(sympy.symbols("x y"))
    g = evaluation.gravity_forces(s, [0.1, y], rest, 0.0)
    formulas = [sympy.sympify(text) for text in ("k/30 + y/7", "sqrt(2)*m*327/100")]
    assert [paper.formula(e) for e in g] == formulas
    half = 0.5 * evaluation.gravity_forces(s, [2.0 * x / 7.0, y], rest, 0.0)[0]
    assert paper.formula(half).equals(sympy.sympify("k*x/21 + y/14"))
