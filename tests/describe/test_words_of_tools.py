"""Words of other tools for code, controllers, payloads, runs: the error has the line."""

import pickle
import re

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError

ARM = vv.catalog.two_link()


@pytest.mark.parametrize(
    ("called", "way"),
    [
        (lambda: ARM.gravity_forces.c_source("f", float=True), r"c_source\('f', scalar='float'\)"),
        (lambda: ARM.gravity_forces.save_c("f", dtype="float"), r"scalar='float'"),
        (lambda: ARM.gravity_forces.js_source("f", float=True), r"function\.js_source\('f'\)"),
        (lambda: ARM.gravity_forces.to_jax(jit=True), r"jax\.jit\(function\.to_jax\(\)\)"),
        (lambda: ARM.workspace("tool", n=500), r"model\.workspace\('tool', samples=500\)$"),
        (
            lambda: ARM.workspace("tool", colour="red"),
            r"workspace\(frame, \*, samples=20000, s",
        ),
        (lambda: vv.load_trajectory("x.npz", model=ARM), r"load_trajectory\(path, system=model\)$"),
        (lambda: ARM.neutral(3), r"for example model\.neutral\(\)$"),
    ],
)
def test_words_that_a_call_does_not_have_are_answered_in_ours(called, way):
    with pytest.raises(ArgumentError, match=way):
        called()


def test_what_holds_between_samples_is_a_word():
    """As a text it is as before; called, it says what gives states between two times."""
    run = ARM.simulate([0.1, 0.2], [0.0, 0.0], 0.2)
    assert (run.between, str(run.between)) == ("held", "held")
    assert pickle.loads(pickle.dumps(run.between)) == "held"
    with pytest.raises(ArgumentError, match=r"run\.at\(np\.linspace\(0\.05, 0\.1, 50\)\)"):
        run.between(0.05, 0.1)
    with pytest.raises(ArgumentError, match="between= is 'held'"):
        vv.Trajectory(ARM, run.t, run.q, run.v, between="helt")


def test_functions_that_generic_has_by_other_names():
    for name, ours in (("min", "minimum"), ("max", "maximum"), ("if_else", "where")):
        with pytest.raises(AttributeError, match=rf"it has abs.*here it is vv\.generic\.{ours}$"):
            getattr(vv.generic, name)
    for name in ("clip", "saturate"):
        with pytest.raises(AttributeError, match="here it is") as caught:
            getattr(vv.generic, name)
        (line,) = re.findall(r"here it is (.*)$", str(caught.value))
        assert eval(line, {"vv": vv, "x": 3.0, "lower": -1.0, "upper": 2.0}) == 2.0
    with pytest.raises(AttributeError, match=r"has no 'fourier'; it has absolute, acos"):
        vv.generic.fourier  # noqa: B018


def test_controllers_of_others_are_laws_here():
    for name in ("pd", "pid", "computed_torque"):
        with pytest.raises(AttributeError, match=f"Controller has no '{name}': here it is") as said:
            getattr(vv.Controller, name)
        (line,) = re.findall(r"here it is (.*)$", str(said.value))
        made = eval(line.replace("[0.0]", "[0.0, 0.0]"), {"vv": vv, "model": ARM})
        assert ARM.simulate([0.1, 0.2], [0.0, 0.0], 0.05, tau=made).q.shape[1] == 2


def test_a_second_payload_has_a_prefix():
    one = ARM.attached(vv.Inertia.point(2.0), "tool", prefix="load")
    with pytest.raises(ArgumentError, match="has 'load' already") as caught:
        one.attached(vv.Inertia.point(2.0), "tool", prefix="load")
    (line,) = re.findall(r"here it is (.*)$", str(caught.value))
    known = {"model": one, "payload": vv.Inertia.point(2.0)}
    assert "load2" in eval(line, known).frame_names
    b = vv.Builder("finger")
    b.body("tip", joint="prismatic", axis="x", mass=0.1)
    two = ARM.attached(b.build(), "tool", prefix="a_")
    with pytest.raises(ArgumentError, match=r"model\.attached\(other, 'tool', prefix='a2_'\)"):
        two.attached(b.build(), "tool", prefix="a_")
    assert "a2_tip" in two.attached(b.build(), "tool", prefix="a2_").frame_names


def test_a_motion_of_another_model_is_told_so():
    other = ARM.with_friction(damping=0.1)
    run = other.simulate([0.1, 0.2], [0.0, 0.0], 0.05)
    with pytest.raises(ArgumentError, match="of another system, 'two_link' as it was") as caught:
        ARM.feasibility(run)
    line = caught.value.cure
    assert eval(line, {"run": run}) is not None
    many = ARM.simulate([[0.1, 0.2], [0.2, 0.2]], [0.0, 0.0], 0.05)
    with pytest.raises(ArgumentError, match=r"one motion, .*\.feasibility\(run\[0\]\)"):
        ARM.feasibility(many)


def test_wrenches_by_name_are_rows_and_all_of_them():
    """Where some are missing no row is guessed: which one it is, only the order says."""
    f = ARM.function("forward_dynamics", wrenches={"tool": "world", "link1": "world"})
    load = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    with pytest.raises(TypeError, match=r"array of 2 rows of 6, in the order") as caught:
        f([0.1, 0.2], [0.0, 0.0], [0.0, 0.0], {"tool": load})
    assert str(caught.value).endswith("np.zeros((2, 6))")
    f([0.1, 0.2], [0.0, 0.0], [0.0, 0.0], np.zeros((2, 6)))
