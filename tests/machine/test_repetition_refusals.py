"""Whatever is wrong about a repetition is said: what was asked, what was got, what there is."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, DtypeError, ShapeError, UnknownNameError


@pytest.fixture(scope="module")
def step():
    def body(x, y, a, u):
        return {"x": y + u, "y": a * x}

    return vv.function(body, {"x": 2, "y": 2, "a": (), "u": 2}, name="step")


GOOD = {"x": [1.0, 2.0], "y": [0.0, 0.0], "a": 0.5}
TABLE = np.ones((3, 2))


def until(names, f=lambda _: 1.0):
    return vv.function(f, names, name="until")


@pytest.mark.parametrize(
    ("kind", "message", "named"),
    [
        (ArgumentError, "each is a list of names, got 'u'", {"each": "u"}),
        (ArgumentError, "each is a list of names, got 3", {"each": 3}),
        (UnknownNameError, "input of step 'w' .*'x', 'y', 'a', 'u'", {"each": ["w"]}),
        (UnknownNameError, "input of step", {"each": [2]}),
        (ArgumentError, "returns 'x', and each= gives a row of it", {"each": ["x"]}),
        (ArgumentError, "keep is a list of names, got 'x'", {"keep": "x"}),
        (UnknownNameError, "state of step 'a' .*'x', 'y'", {"keep": ["a"]}),
        (ArgumentError, "flag is a scalar output of step, got 'x'; .*none", {"flag": "x"}),
        (ArgumentError, "flag is a scalar output of step, got 'z'", {"flag": "z"}),
        (ArgumentError, "flag is a scalar output of step, got 7", {"flag": 7}),
        (ArgumentError, "until is a Function, got function", {"until": lambda x: x}),
        (ArgumentError, "until is a Function, got int", {"until": 0}),
        (UnknownNameError, "for until 'z' .*'x', 'y', 'a', 'u'", {"until": until({"z": ()})}),
        (UnknownNameError, "for until.*'u'", {"until": until({"u": 2}), "each": ["u"]}),
        (
            ShapeError,
            r"until takes 'x' of shape \(3,\), the step \(2,\)",
            {"until": until({"x": 3})},
        ),
        (
            ArgumentError,
            r"until returns one scalar.*; got out: \(2,\)",
            {"until": until({"x": 2}, lambda x: x)},
        ),
        (
            ArgumentError,
            r"until returns one scalar.*; got a: \(\), b: \(\)",
            {"until": until({"x": 2}, lambda x: {"a": x[0], "b": x[1]})},
        ),
    ],
)
def test_loops_that_cannot_be(step, kind, message, named):
    with pytest.raises(kind, match=message):
        vv.Loop(step, **named)


def test_steps_that_are_none():
    with pytest.raises(ArgumentError, match=r"takes a Function; got function: vv.function"):
        vv.repeat(lambda x: x, {"x": 1.0}, times=1)
    with pytest.raises(ArgumentError, match=r"no output of .* has the name of an input"):
        vv.Loop(vv.function(lambda x: {"y": x, "z": x}, {"x": ()}))
    with pytest.raises(ArgumentError, match=r"no output of .* has the name of an input"):
        vv.Loop(vv.function(lambda: 1.0, {}))
    with pytest.raises(ArgumentError, match=r"output 'z' of f is no input.*inputs are x"):
        vv.Loop(vv.function(lambda x: {"x": x, "z": x}, {"x": ()}, name="f"))
    with pytest.raises(ShapeError, match=r"f takes 'x' of shape \(2,\) and returns \(\)"):
        vv.Loop(vv.function(lambda x: {"x": x[0]}, {"x": 2}, name="f"))
    with pytest.raises(ShapeError, match=r"takes 'x' of shape \(2,\) and returns \(3,\)"):
        vv.Loop(vv.function(lambda x: [x[0], x[1], 0.0], {"x": 2}))
    flagged = vv.function(lambda x: {"x": x, "f": x}, {"x": ()}, name="f")
    with pytest.raises(ArgumentError, match="keep= names none; states are x"):
        vv.Loop(flagged, flag="f", keep=[])
    with pytest.raises(ArgumentError, match="keeps states where its step says so; no save="):
        vv.Loop(flagged, flag="f")(1.0, times=3, save=1)


@pytest.mark.parametrize(
    ("kind", "message", "state"),
    [
        (ArgumentError, "state maps x, y, a to their values at the start", [1.0, 2.0]),
        (ArgumentError, "state lacks y, a of step", {"x": [0.0, 0.0]}),
        (UnknownNameError, "'z' .*'x', 'y', 'a'", {**GOOD, "z": 1.0}),
        (UnknownNameError, "'u'", {**GOOD, "u": [1.0, 1.0]}),
        (ShapeError, r"'x' has shape \(3,\); expected \(..., 2\)", {**GOOD, "x": [1.0, 2.0, 3.0]}),
        (ShapeError, r"'x' has shape \(\); expected \(..., 2\)", {**GOOD, "x": 1.0}),
        (ShapeError, "'x' is not an array", {**GOOD, "x": [[1.0], [1.0, 2.0]]}),
        (DtypeError, "'x' holds complex128", {**GOOD, "x": [1j, 0.0]}),
        (DtypeError, "'a' holds", {**GOOD, "a": "one"}),
        (DtypeError, "'a' holds object", {**GOOD, "a": None}),
        (DtypeError, "'a' holds longdouble|'a' holds float128", {**GOOD, "a": np.longdouble(1)}),
        (
            ArgumentError,
            "entries of 'x' are masked",
            {**GOOD, "x": np.ma.masked_array([1.0, 2.0], [False, True])},
        ),
        (
            ShapeError,
            r"leading axes do not broadcast.*x: \(3,\), y: \(2,\), a: \(\), u: \(\)",
            {"x": np.ones((3, 2)), "y": np.ones((2, 2)), "a": 0.5},
        ),
    ],
)
def test_states_that_cannot_be(step, kind, message, state):
    with pytest.raises(kind, match=message):
        vv.repeat(step, state, times=3, each={"u": TABLE})


@pytest.mark.parametrize(
    ("kind", "message", "each"),
    [
        (ArgumentError, "each maps names to tables.*got 5", 5),
        (ArgumentError, r"each maps names to tables.*got \['u'\]", ["u"]),
        (UnknownNameError, "table of step.*'a'.*u", {"u": TABLE, "a": [1.0]}),
        (ArgumentError, "each lacks 'u', which changes at every pass", {}),
        (ArgumentError, "each lacks 'u'", None),
        (ShapeError, r"has shape \(2,\); expected \(..., rows, 2\)", {"u": [1.0, 2.0]}),
        (ShapeError, r"has shape \(0, 2\).*with a row at least", {"u": np.ones((0, 2))}),
        (ShapeError, r"'u' has shape \(3, 3\); expected \(..., 2\)", {"u": np.ones((3, 3))}),
        (DtypeError, "'u' holds complex128", {"u": 1j * TABLE}),
        (ShapeError, "do not broadcast", {"u": np.ones((4, 3, 2))}),
    ],
)
def test_tables_that_cannot_be(step, kind, message, each):
    loop = vv.Loop(step, each=["u"])
    state = {**GOOD, "x": np.ones((3, 2))}
    with pytest.raises(kind, match=message):
        loop(state, times=3, each=each)


def test_tables_go_together(step):
    two = vv.function(lambda x, u, w: {"x": x + u + w}, {"x": (), "u": (), "w": ()})
    with pytest.raises(ShapeError, match=r"tables in each have \[2, 3\] rows"):
        vv.repeat(two, {"x": 0.0}, times=3, each={"u": [1.0, 2.0], "w": [1.0, 2.0, 3.0]})


def test_how_often(step):
    each, end = {"u": TABLE}, until({"x": 2}, lambda x: x[0])
    for named in ({}, {"at_most": 3}, {"times": 3, "at_most": 3}):
        with pytest.raises(ArgumentError, match="takes times=n, or until=f with at_most=n"):
            vv.repeat(step, GOOD, each=each, **named)
    for named in ({}, {"times": 3}, {"times": 3, "at_most": 3}):
        with pytest.raises(ArgumentError, match="with until= takes at_most=n"):
            vv.repeat(step, GOOD, each=each, until=end, **named)
    for wrong in (-1, 2.0, "3", True, np.nan, [1]):
        with pytest.raises(ArgumentError, match="times is a whole number from 0 on, got"):
            vv.repeat(step, GOOD, each=each, times=wrong)
        with pytest.raises(ArgumentError, match="at_most is a whole number from 0 on, got"):
            vv.repeat(step, GOOD, each=each, until=end, at_most=wrong)
    for wrong in (0, -1, 2.0, "3", True):
        with pytest.raises(ArgumentError, match="save is a whole number from 1 on, got"):
            vv.repeat(step, GOOD, each=each, times=3, save=wrong)
        with pytest.raises(ArgumentError, match="threads is a whole number from 1 on, got"):
            vv.repeat(step, GOOD, each=each, times=3, threads=wrong)
    assert vv.repeat(step, GOOD, each=each, times=np.int64(3), save=np.uint8(1)).passes == 3


def test_the_reference_refuses_the_same(step):
    loop = vv.Loop(step, each=["u"])
    with pytest.raises(ArgumentError, match="state lacks a of step"):
        loop.interpret({"x": [0, 0], "y": [0, 0]}, passes=1, each={"u": TABLE})
    with pytest.raises(ArgumentError, match="each lacks 'u'"):
        loop.interpret(GOOD, passes=1)
    with pytest.raises(
        ShapeError, match=r"'x' has shape \(3, 2\); interpret takes one row, \(2,\)"
    ):
        loop.interpret({**GOOD, "x": np.ones((3, 2))}, passes=1, each={"u": TABLE})
    with pytest.raises(ArgumentError, match="passes is a whole number from 0 on, got -1"):
        loop.interpret(GOOD, passes=-1, each={"u": TABLE})
