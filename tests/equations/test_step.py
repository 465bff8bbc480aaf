"""`step`: the state after a while, the same as one of `simulate`, and a function as all others."""

import pickle

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.bodies import JOINTS, random_tree
from visviva.equations.steps.slopes import step_rule
from visviva.equations.steps.step import METHODS
from visviva.errors import ArgumentError, UnknownNameError
from visviva.machine.program.trace import input_ports, traced

SYSTEMS = {
    "arm": vv.catalog.two_link(),
    "ball": vv.catalog.tumbling_body(),
    "loop": vv.catalog.four_bar().with_passive([]),
    "energies": vv.Lagrangian("theta", "theta'^2/2", "-cos(theta)"),
    "time": vv.Lagrangian("x", "x'^2/2", "x^2*sin(t)"),
    "wheel": vv.catalog.rolling_disc(),
}


def state(system, seed=0):
    rng = np.random.default_rng(seed)
    q, v, tau = system.neutral(), *rng.normal(size=(2, system.nv))
    if system.held_by:
        q = system.assembled()
        v = system.admitted_velocity(q, v)
    return q, v, tau


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("method", METHODS)
def test_it_is_one_step_of_simulate(name, method):
    system, (q, v, tau) = SYSTEMS[name], state(SYSTEMS[name])
    f = system.function("step", method=method)
    got = f(*(q, v, tau, 0.01, 0.3)[: len(f.inputs)])
    time = (0.3, 0.31) if "t" in f.inputs else 0.01
    run = system.simulate(q, v, time, tau=tau, dt=0.01, method=method)
    np.testing.assert_array_equal(got[0], run.q[-1])
    np.testing.assert_array_equal(got[1], run.v[-1])


@pytest.mark.parametrize("joint", [k for k in JOINTS if k != "fixed"])
def test_substeps_are_steps(joint):
    model = random_tree(np.random.default_rng(0), 2, (joint,))
    q, v, tau = state(model)
    once, twice = model.step, model.function("step", substeps=2)
    for a, b in zip(twice(q, v, tau, 0.02), once(*once(q, v, tau, 0.01), tau, 0.01), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_it_repeats_and_travels():
    arm = SYSTEMS["arm"]
    q, v, tau = state(arm)
    run = arm.simulate(q, v, 0.05, tau=tau, dt=0.01, method="semi-implicit")
    ends = vv.repeat(arm.step, {"q": q, "v": v, "tau": tau, "dt": 0.01}, times=5).state
    np.testing.assert_array_equal(ends["q"], run.q[-1])
    kept = vv.Loop(arm.step)({"q": q, "v": v, "tau": tau, "dt": 0.01}, times=5).state["v"]
    np.testing.assert_array_equal(kept, run.v[-1])
    again = pickle.loads(pickle.dumps(arm.function("step", method="rk4", substeps=2)))
    assert again.inputs == arm.step.inputs
    assert "void step(const double *q," in " ".join(arm.step.c_source().split())


def test_controls_go_through_the_actuators():
    crank = vv.catalog.slider_crank()
    q, v, _ = state(crank)
    f = crank.function("step", controls=True, method="rk4")
    u = np.full(f.inputs["u"], 0.7)
    run = crank.simulate(q, v, 0.01, u=u, dt=0.01, method="rk4")
    for got, wanted in zip(f(q, v, u, 0.01), (run.q[-1], run.v[-1]), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_controls_are_clipped_on_request():
    """Between the limits of the actuators, which the function names."""
    b = vv.Builder("cart")
    b.body("cart", joint="prismatic", axis="x", inertia=vv.Inertia.point(2.0))
    free = b.build()
    motor = vv.Actuator.motor("motor", free.joint_names[0], limits=(-3.0, 5.0))
    cart = free.with_actuators([motor])
    step = cart.function("step", controls=True)
    clipped = cart.function("step", controls=True, clip=True)
    for u, within in ((-9.0, -3.0), (9.0, 5.0), (1.5, 1.5), (np.inf, 5.0)):
        for a, b in zip(
            clipped([0.1], [0.2], [u], 0.01), step([0.1], [0.2], [within], 0.01), strict=True
        ):
            assert a.tobytes() == b.tobytes()
    assert np.isnan(clipped([0.1], [0.2], [np.nan], 0.01)[1]).all()
    assert "Controls are clipped: motor from -3 to 5." in clipped.__doc__
    with pytest.raises(ArgumentError, match="say controls=True as well"):
        cart.function("step", clip=True)([0.1], [0.2], [1.0], 0.01)
    with pytest.raises(ArgumentError, match="no actuator of 'cart' has limits"):
        free.function("step", controls=True, clip=True)([0.1], [0.2], [1.0], 0.01)
    with pytest.raises(ArgumentError, match="clip is True or False, got 1"):
        cart.function("step", controls=True, clip=1)


def test_parameters_and_pushes_are_inputs():
    arm = SYSTEMS["arm"]
    q, v, tau = state(arm)
    f = arm.function("step", parameters=arm.parameter_names[:1])
    values = arm.parameter_values(arm.parameter_names[:1])
    for got, wanted in zip(f(q, v, tau, 0.01, values), arm.step(q, v, tau, 0.01), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)
    pushed = arm.function("step", wrenches={arm.frame_names[-1]: "world"})
    push = np.array([[0.0, 0.0, 0.0, 1.0, 2.0, 3.0]])
    J = arm.jacobian(arm.frame_names[-1])(q)
    for got, wanted in zip(
        pushed(q, v, tau, 0.01, push), arm.step(q, v, tau + J.T @ push[0], 0.01), strict=True
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)


def test_what_a_step_cannot_hold_is_refused():
    arm = SYSTEMS["arm"]
    with pytest.raises(ArgumentError, match=r"dry friction .*simulate\(dt=\).*with_friction"):
        arm.with_friction(0.1).step(*state(arm), 0.01)
    rubbing = arm.function("step", parameters=[f"friction_{arm.joint_names[0]}"])
    with pytest.raises(ArgumentError, match="dry friction"):
        rubbing(*state(arm), 0.01, [0.0])
    b = vv.Builder("ball")
    b.body("ball", joint="prismatic", axis="z", limits=(0.0, 9.0), mass=1.0)
    with pytest.raises(ArgumentError, match=r"stops \(ball_joint\).*with_stops\(None\)"):
        b.build().with_stops(0.5).step([1.0], [0.0], [0.0], 0.01)
    with pytest.raises(UnknownNameError, match=r"'midpoint'.*available: 'semi-implicit', 'rk4'"):
        arm.function("step", method="midpoint")
    for wrong in (0, 1.5, True):
        with pytest.raises(ArgumentError, match="substeps is a whole number from 1 on"):
            arm.function("step", substeps=wrong)
    for option, value in (("method", "rk4"), ("substeps", 2), ("controls", True)):
        with pytest.raises(ArgumentError, match=f"mass_matrix is not offered with {option}"):
            arm.function("mass_matrix", **{option: value})


def test_only_the_state_that_is_given_has_conditions():
    """What long steps lead through is none of the caller's states."""
    loop = SYSTEMS["loop"]
    rk4 = loop.function("step", method="rk4", substeps=3).program.conditions
    assert len(rk4) == len(loop.forward_dynamics.program.conditions)


@pytest.mark.parametrize("kinds", [("revolute",), ("free", "spherical"), ("planar", "helical")])
def test_its_derivatives_are_those_of_its_graph(kinds):
    """The chain rule, over the derivatives of the acceleration, against the graph's own."""
    model = random_tree(np.random.default_rng(3), 3, kinds)
    q, v, tau = state(model)
    q = model.random(np.random.default_rng(4))
    rule = step_rule(model, ("q", "v", "tau", "dt"))
    inputs = input_ports(model.step.inputs)
    values = traced(rule, inputs)
    names = [port.name for port in values.outputs]
    assert names == [f"d{y}_d{x}" for y in "qv" for x in ("q", "v", "tau", "dt")]
    got = vv.function(rule, model.step.inputs)(q, v, tau, 0.01)
    pushed = model.function("step", wrenches=[model.frame_names[-1]])  # it has no such rule
    want = pushed.jacobian("q", "v", "tau", "dt")(q, v, tau, 0.01, np.zeros((1, 6)))
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)


def test_they_take_hardly_more_than_those_of_the_acceleration():
    arm = vv.catalog.puma560()
    ours, theirs = (f.jacobian("q", "v", "tau") for f in (arm.step, arm.forward_dynamics))
    assert ours.operations.total() <= 1.3 * theirs.operations.total()
