"""Short JavaScript computes what the program does, operation by operation."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.show.laboratory.running import in_node
from tests.support.counts import examples
from tests.support.generators.expressions import evaluate, trees
from visviva.algebra.ops import OPS
from visviva.machine.program.interpret import interpret
from visviva.show.laboratory import javascript
from visviva.show.laboratory.javascript import written

VALUES = [0.75, -1.5, 2.0]
ROUNDED = {"rtol": 1e-11, "atol": 1e-300, "equal_nan": True}


def called(program, made, values, name="f"):
    """What the function writes, for each row of values."""
    size = len(program.results)
    return in_node(
        f"const w = new Float64Array({made.scratch});\n{made.text}\n"
        f"const y = new Float64Array({size});\nconst rows = {json.dumps(values)}.map((x) => "
        f"{{ {name}(...x, y); return [...y].map(String); }});\nconsole.log(JSON.stringify(rows));"
    )


def numbers(rows):
    return np.array([[float(x.replace("Infinity", "inf")) for x in row] for row in rows])


@examples(4, 300)
@given(st.lists(trees(3, size=20), min_size=8, max_size=40))
def test_random_expressions(forms):
    f = vv.function(lambda x: [evaluate(tree, x) for tree in forms], {"x": 3}, name="f")
    got = numbers(called(f.program, written(f.program, "f", ["x"]), [[VALUES]]))[0]
    with np.errstate(all="ignore"):
        wanted = np.array(interpret(f.program, VALUES), dtype=float)
    # steps and quotients of rounding errors may be anything
    plain = np.isfinite(wanted) & (np.abs(wanted) < 1e6)
    stepped = {k for k, tree in enumerate(forms) if _jumps(tree)}
    chosen = [k for k in np.flatnonzero(plain) if k not in stepped]
    np.testing.assert_allclose(got[chosen], wanted[chosen], rtol=1e-8, atol=1e-9)


def _jumps(tree):
    kind, *rest = tree
    if kind in ("x", "number"):
        return False
    return kind in ("lt", "le", "eq", "ne", "sign", "where", "tan", "pow") or any(map(_jumps, rest))


def test_every_operation_inside_every_other():
    """Each as an argument of each, on every side: brackets are where they must be."""
    value = {name: row.value for name, row in OPS.items()}

    def body(x):
        made = []
        for op in OPS:
            inner = value[op](*(x[k] for k in range(OPS[op].arity)))
            for other, row in OPS.items():
                for place in range(row.arity):
                    args = [x[k] for k in range(row.arity)]
                    args[place] = inner
                    made.append(value[other](*args))
        return made

    f = vv.function(body, {"x": 3}, name="f")
    assert len(f.program.results) > 1000
    values = [[[0.75, 0.5, 0.25]], [[0.25, -0.5, 0.75]]]
    got = numbers(called(f.program, written(f.program, "f", ["x"]), values))
    with np.errstate(all="ignore"):
        wanted = [np.array(interpret(f.program, row[0]), dtype=float) for row in values]
    np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-15, equal_nan=True)


@pytest.mark.parametrize("largest", [7, 40, 1200])
def test_pieces_hand_on_what_later_ones_need(largest, monkeypatch):
    monkeypatch.setattr(javascript, "_LARGEST", largest)
    f = vv.catalog.puma560().forward_dynamics
    made = written(f.program, "f", ["q", "v", "tau"])
    pieces = made.text.count("function f_")
    assert pieces == 0 if largest == 1200 else pieces > 10
    rng = np.random.default_rng(2)
    states = rng.uniform(-1, 1, (3, 3, 6))
    got = numbers(called(f.program, made, states.tolist()))
    np.testing.assert_allclose(got, f(*states.swapaxes(0, 1)), rtol=1e-11)


def test_results_that_are_inputs_constants_or_the_same():
    def body(x, t):
        y = x[0] * x[1] + t
        return [x[1], 2.5, y, y, t, -0.0, y * y, 1e-320, float("inf"), float("nan"), 1e22]

    f = vv.function(body, {"x": 2, "t": ()}, name="f")
    made = written(f.program, "f", ["t", "x"])
    row = numbers(called(f.program, made, [[0.5, [3.0, 4.0]]]))[0]
    wanted = [4.0, 2.5, 12.5, 12.5, 0.5, -0.0, 156.25, 1e-320, np.inf, np.nan, 1e22]
    np.testing.assert_array_equal(row, wanted)


def test_entries_of_an_input_may_be_elsewhere():
    f = vv.function(lambda q, parameters: q * parameters[::-1], {"q": 2, "parameters": 2}, name="f")
    made = written(f.program, "f", ["q", "p"], {"parameters": ["p[3]", "p[0]"]})
    assert numbers(called(f.program, made, [[[2.0, 3.0], [5.0, 0, 0, 7.0]]])).tolist() == [[10, 21]]


def test_text_is_short():
    """A third of what `js_source` writes, which has a line for each operation."""
    f = vv.catalog.puma560().forward_dynamics
    short = written(f.program, "f", ["q", "v", "tau"]).text
    assert len(short) < 0.45 * len(f.js_source())
