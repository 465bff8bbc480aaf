"""The table: complete rows, and loud errors for anything missing."""

import itertools
import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest

import visviva as vv
from visviva.algebra import generic
from visviva.algebra.expr import Graph, evaluate
from visviva.algebra.fold import RULES
from visviva.algebra.ops import NUMPY_NAMES, OPS, Op
from visviva.algebra.sympy_graph import from_sympy, to_sympy
from visviva.errors import UnknownNameError, VisvivaError
from visviva.machine.code import imports
from visviva.notation.formula import parse
from visviva.notation.tree import FUNCTIONS

POINT = {"a": 0.3, "b": 0.7, "c": 0.2}


@pytest.mark.parametrize("op", OPS.values(), ids=list(OPS))
def test_cells_use_every_argument_and_nothing_else(op):
    for text in (op.c, op.js):
        assert set(re.findall(r"\{(\d)\}", text)) == set(map(str, range(op.arity)))
    assert "{r} = " in op.llvm
    assert op.name in RULES


@pytest.mark.parametrize("cell", ["value", "c", "js", "llvm"])
def test_an_empty_cell_is_refused(cell):
    texts = {"c": "f({0})", "js": "{0}", "llvm": "{r}"}
    cells = {"name": "f", "arity": 1, "value": abs, "derivative": (None,), **texts}
    with pytest.raises(VisvivaError, match=f"operation 'f': the cell '{cell}' is empty"):
        Op(**{**cells, cell: "" if cell != "value" else None})


def test_a_missing_derivative_is_refused():
    with pytest.raises(VisvivaError, match="2 arguments, but 1 derivatives"):
        Op("f", 2, max, (None,), "{0}", "{0}", "{r}")


def test_an_unknown_operation_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"unknown operation 'sine'; did you mean 'sin'\?"):
        OPS["sine"]


def test_generic_has_every_function_documented():
    for name in NUMPY_NAMES:
        assert getattr(generic, name).__doc__


@pytest.mark.spread(12)
@pytest.mark.parametrize("op", OPS.values(), ids=list(OPS))
def test_every_road_has_the_value_of_the_row(op):
    """Interpreter, machine code, derivatives, SymPy and typed text at a point."""
    names = list(POINT)[: op.arity]
    x = np.array([POINT[k] for k in names])
    value = float(op.value(*x))
    f = vv.function(lambda x: op.value(*x), {"x": op.arity}, name=op.name)
    assert op.name in f.operations
    for result in (f(x), float(f.interpret(x))):
        np.testing.assert_allclose(result, value, rtol=1e-15)
    for k, slope in enumerate(f.jacobian("x")(x)):
        step = 1e-6 * np.eye(op.arity)[k]
        difference = (float(op.value(*(x + step))) - float(op.value(*(x - step)))) / 2e-6
        np.testing.assert_allclose(slope, difference, rtol=1e-8, atol=1e-9)
    graph = Graph()
    inputs = {k: graph.input(k) for k in names}
    node = graph.apply(op.name, *inputs.values())
    again = from_sympy(to_sympy(node), graph, inputs)
    np.testing.assert_allclose(evaluate(again, POINT), value, rtol=1e-15)
    if op.is_function and op.name != "pow":
        assert FUNCTIONS[op.name] == op.arity
        assert parse(f"{op.name}({', '.join(names)})", graph, inputs) is node


SIZES = [s * 10.0**e for e in (-50, -7, -1, 1, 2, 7, 50) for s in (1, -1)]
SLOPED = [op for op in OPS.values() if any(op.derivative)]
CANCEL = ("asin", "acos", "atan2")  # slopes of 1 - a² and a² + b²: right as parts of the value are
FINITE = 1e300  # where the truth is beyond, floats are not finite either


def derivatives(op):
    """The operation as a compiled function, and its first three derivatives."""
    f = vv.function(lambda x: op.value(*x), {"x": op.arity}, name=op.name)
    yield f
    for _ in range(3):
        yield (f := f.jacobian("x"))


def truth(op, point, order):
    """A partial derivative by 500 digits and more, or None where it is not real."""
    with mpmath.workdps(500):
        value = mpmath.diff(op.value, tuple(map(mpmath.mpf, point)), order)
        return None if isinstance(value, mpmath.mpc) and value.imag else mpmath.re(value)


@pytest.mark.spread(6)
@pytest.mark.parametrize("op", SLOPED, ids=lambda op: op.name)
def test_derivatives_are_right_wherever_the_truth_is_finite(op):
    """To the third order; 0.7 and 1.3: off the zeros of sums and differences."""
    points = list(itertools.product(*(np.array(SIZES) * f for f in (1.0, 0.7, 1.3)[: op.arity])))
    points = points[:: (1, 5, 61)[op.arity - 1]]
    values = {x: truth(op, x, (0,) * op.arity) for x in points}
    real = [x for x, value in values.items() if value is not None]
    for n, f in enumerate(derivatives(op)):
        results = f(np.array(real)).reshape(len(real), *[op.arity] * n)
        for by in itertools.combinations_with_replacement(range(op.arity), n):
            order = tuple(by.count(k) for k in range(op.arity))
            for x, result in zip(real, results[:, *by], strict=True):
                true = truth(op, x, order)
                if true is None or abs(true) > FINITE:
                    continue
                scale = abs(true)
                if op.name in CANCEL:
                    scale += abs(values[x]) / math.prod(map(mpmath.mpf, np.abs(x)[[*by]]))
                assert abs(result - true) <= 1e-12 * scale + 1e-300, (x, by, result, true)


@pytest.mark.parametrize("op", [OPS[x] for x in ("tanh", "atan", "sech")], ids=lambda op: op.name)
def test_derivatives_of_what_saturates_are_never_nan(op):
    x = np.array([s * 10.0**e for e in range(-300, 301) for s in (1, -1)] + [355.0, 400.0, 711.0])
    for f in derivatives(op):
        assert np.isfinite(f(x[:, None])).all()


def test_a_steep_tanh_in_energies_and_paths():
    p = vv.Lagrangian("x", "x'^2/2", "-tanh(k*x)", parameters={"k": 400.0})
    assert p.forward_dynamics.jacobian("q")([1.0], [0.0], [0.0]) == 0.0
    assert p.linearize([1.0], tau="hold").eigenvalues.tolist() == [0.0, 0.0]
    step = vv.catalog.two_link().feasibility(
        lambda t: [0.5 * generic.tanh((t - 500.1) / 0.02), 0.0 * t], 1000.0, velocity=[30.0, 30.0]
    )
    assert not step.violations


NEW = """
import numpy as np, sympy, visviva as vv
from visviva.algebra import generic as g
f = vv.function(lambda x: g.asinh(x) + np.arcsinh(x), {"x": 3})
x = np.array([-0.5, 0.25, 3.0])
np.testing.assert_allclose(f(x), 2 * np.arcsinh(x), rtol=1e-15)
interpreted = np.asarray(f.interpret(x), dtype=float)
np.testing.assert_allclose(interpreted, 2 * np.arcsinh(x), rtol=1e-15)
np.testing.assert_allclose(f.jacobian("x")(x), np.diag(2 / np.sqrt(1 + x**2)), rtol=1e-15)
assert "asinh(" in f.c_source() and "Math.asinh(" in f.js_source()
assert g.asinh(sympy.Symbol("x")) == sympy.asinh(sympy.Symbol("x"))
s = vv.Lagrangian("x", "m*x'^2/2", "k*asinh(x)", parameters={"m": 2.0, "k": 3.0})
np.testing.assert_allclose(s.gravity_forces([0.7]), 3.0 / np.sqrt(1.49), rtol=1e-14)
assert s.check("V = k asinh(x)").is_identical
assert not s.check("V = k sinh(x)").is_identical
assert s.check("g = k/sqrt(1 + x^2)").is_identical
assert "asinh" in s.closed_form().latex("potential_energy")
print("all roads")
"""


@pytest.mark.spread(0)
def test_a_new_function_is_one_row_and_one_function_of_generic(tmp_path):
    """What CONTRIBUTING.md says, done to a copy of the sources."""
    shutil.copytree(Path(vv.__file__).parent, tmp_path / "visviva")
    path = tmp_path / "visviva/algebra/ops.py"
    last = '    _function("cosh",'
    row = '    _function("asinh", lambda t, y, a: t * (1.0 / g.sqrt(1.0 + a * a))),\n'
    path.write_text(path.read_text("utf-8").replace(last, row + last), "utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "VISVIVA_CACHE": str(tmp_path / "c")}

    def told():
        command = [sys.executable, "-c", NEW]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        return run.stdout + run.stderr

    assert "operation 'asinh': visviva.algebra.generic has no function of this name" in told()
    with (tmp_path / "visviva/algebra/generic.py").open("a", encoding="utf-8") as file:
        file.write("\n\ndef asinh(x):\n    return _call('asinh', x)\n")
    assert told() == "all roads\n"


def test_a_function_that_compiled_code_cannot_call_is_told():
    with pytest.raises(UnknownNameError, match="unknown function that compiled code calls 'gamma'"):
        imports.position("gamma")


@pytest.mark.parametrize("power", [1, 2, 3])
@pytest.mark.parametrize("scale", [1.0, 0.5, 3.0])
def test_slopes_of_quotients_by_cosh_are_finite_where_cosh_is_beyond_floats(power, scale):
    """They are c sech(x)ⁿ: the slope of a quotient would be 0 · ∞."""
    spelled = [
        lambda x: [scale / generic.cosh(x[0]) ** power],
        lambda x: [scale * generic.cosh(x[0]) ** -power],
    ]
    for f in spelled:
        slope = vv.function(f, inputs={"x": 1})
        for _ in range(3):
            slope = slope.jacobian("x")
            far = np.array([[-1e300], [-800.0], [-400.0], [400.0], [800.0], [1e300]])
            assert np.abs(slope(far)).max() < 1e-170
            assert np.isfinite(slope([[0.3]])).all()
