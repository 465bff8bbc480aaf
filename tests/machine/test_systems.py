"""What is asked of a system is plain data: it names one function, and asks for it again."""

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest

import visviva as vv
from visviva.describe.model.model import POSES_WORTH_CODE
from visviva.describe.quantities import FUNCTIONS
from visviva.errors import ShapeError, UnknownNameError
from visviva.machine.systems import Request, asked
from visviva.machine.systems import stated_functions as functions

ABOUT_FRAMES = [name for name, row in FUNCTIONS.items() if row.about]
OTHERS = {
    "quantity": "bias_forces",
    "inputs": ("v", "q"),
    "parameters": ("m_upper",),
    "wrenches": (("lower", "body"),),
    "frame": "lower",
    "reference": "body",
    "point": (0.0, 0.0, 1.0),
    "clip": True,
    "columns": (0,),
    "method": "rk4",
    "substeps": 2,
    "controls": True,
}


def arm():
    b = vv.Builder("arm")
    b.body("upper", joint="revolute", axis="y", inertia=vv.Inertia.point(2.0, at=[0, 0, 0.5]))
    elbow = {"parent": "upper", "at": (0, 0, 1), "joint": "revolute", "axis": "y"}
    b.body("lower", inertia=vv.Inertia.point(1.0, at=[0, 0, 0.5]), **elbow)
    return b.build()


def test_every_part_of_a_request_counts():
    """In its name for machine code, and in which function it is."""
    plain, model = Request("coriolis_matrix"), arm()
    assert set(OTHERS) == {field.name for field in fields(Request)}
    different = [plain, *(replace(plain, **{k: x}) for k, x in OTHERS.items())]
    assert len({request.key(model) for request in different}) == len(different)
    assert len({plain, replace(plain), *different}) == len(different)


def test_equal_requests_are_one_function():
    model = arm()
    assert asked(model, Request("mass_matrix")) is model.mass_matrix
    request = Request("jacobian", frame="lower", reference="body", point=(0.0, 0.0, 1.0))
    assert asked(model, request) is model.jacobian("lower", "body", [0, 0, 1])
    assert asked(model, Request("regressor", columns=(3, 0))) is model.regressor_columns([3, 0])


def test_a_pickled_function_is_asked_for_again():
    model, q = arm(), np.array([0.3, -0.4])
    for f in (
        model.function("gravity_forces", inputs=["parameters", "q"], parameters=["m_upper"]),
        model.function("inverse_dynamics", wrenches={"lower": "world"}),
        model.velocity("lower", point=[0.0, 0.0, 1.0]),
        model.regressor_columns([0, 2]),
    ):
        again = pickle.loads(pickle.dumps(f))
        assert (again.name, again.key, again.inputs) == (f.name, f.key, f.inputs)
        values = [q if k == "q" else np.ones(shape) for k, shape in f.inputs.items()]
        np.testing.assert_array_equal(again(*values), f(*values))


def test_a_quantity_that_is_not_there():
    with pytest.raises(UnknownNameError, match="unknown function of 'arm' 'mass'"):
        asked(arm(), Request("mass"))


def test_a_rule_is_for_the_plain_quantity():
    model = arm()
    ruled = {name for name in functions(vv.Model) if Request(name).rule(model, ("q",)) is not None}
    assert ruled == {"inverse_dynamics", "forward_dynamics", "free_acceleration", "step"}
    other = Request("inverse_dynamics", inputs=("a", "q", "v"))
    assert other.rule(model, ("q",)) is not None
    for k in ("parameters", "wrenches"):
        assert replace(other, **{k: OTHERS[k]}).rule(model, ("q",)) is None
    assert {
        Request(name, frame="lower").rule(model, ("q",))
        for name in {k: x for k, x in FUNCTIONS.items() if x.about}
    } == {None}


def test_functions_of_frames_are_kept_and_often_asked_poses_are_compiled():
    model, q = arm(), np.array([0.3, -0.4])
    assert model.pose("lower") is model.pose("lower")
    assert model.jacobian("lower", "body") is model.jacobian("lower", reference="body")
    assert model.jacobian("lower") is not model.jacobian("lower", "body")
    poses = [model.frame_pose("lower", q).matrix() for _ in range(2 * POSES_WORTH_CODE)]
    np.testing.assert_allclose(poses, poses[:1] * len(poses), atol=1e-15)
    with pytest.raises(ShapeError, match=r"q of 'arm' has 2 entries, got shape \(3,\)"):
        model.frame_pose("lower", np.zeros(3))
    with pytest.raises(UnknownNameError, match="frame"):
        model.frame_pose("foot", q)


def test_options_of_a_step_belong_to_functions():
    arm = vv.catalog.two_link()
    state = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 0.01
    for options in ({"method": "rk4"}, {"substeps": 3}, {"controls": True}):
        with pytest.raises(UnknownNameError) as caught:
            arm.step(*state, **options)
        other = eval(caught.value.cure, {"model": arm})
        other(*state)
    with pytest.raises(UnknownNameError, match="did you mean 'dt'"):
        arm.step(*state[:3], timestep=0.01)
    with pytest.raises(UnknownNameError) as caught:
        arm.step(*state[:2], u=[1.0], dt=0.01)
    assert caught.value.cure == "model.function('step', controls=True)"
    with pytest.raises(UnknownNameError, match="method of a step"):
        arm.step(*state, method="euler")
