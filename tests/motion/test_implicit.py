"""Implicit steps of `simulate`: what they solve, their order, and what they keep for ever."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import fsolve

import visviva as vv
from tests.support.counts import count, examples
from tests.support.generators.bodies import JOINTS
from tests.support.oracles.oracle import Interpreted, mechanism
from visviva.equations.steps.flow import State
from visviva.errors import ArgumentError, MotionError
from visviva.motion.simulation.integrate import METHODS
from visviva.motion.simulation.task import task_of
from visviva.motion.steps.implicit import _slopes

IMPLICIT = ("midpoint", "variational")
BOX = vv.Inertia.box(3.0, x=0.3, y=0.5, z=0.8)
ASIDE = [0.2, -0.1, 0.3]


def chain(*joints, gravity=(0.0, 0.0, -9.81)):
    """Boxes, each beside its frame, one after the other."""
    b, parent = vv.Builder("chain of " + ", ".join(joints), gravity=list(gravity)), ""
    for i, kind in enumerate(joints):
        aside = BOX.moved(p=ASIDE)
        more = {"parent": parent} if parent else {}
        at = [0.0, 0.1 * i, 0.4 * i]
        b.body(f"body{i}", joint=JOINTS[kind], inertia=aside, joint_name=f"j{i}", at=at, **more)
        parent = f"body{i}"
    return b.build()


def energies():
    """Energies with the time, a magnetic term, losses and forces of their own."""
    return vv.Lagrangian(
        "x y", "(1 + x^2/4)*x'^2/2 + y'^2/2 + B*(x*y' - y*x')/2", "k*(x - sin(t))^2/2 + x^2*y^2/2",
        dissipation="c*(x'^2 + y'^2)/2", forces=["0", "F*cos(3*t)"],
        parameters={"B": 0.8, "k": 4.0, "c": 0.2, "F": 0.6}, name="driven",
    )  # fmt: skip


@cache
def system(name):
    """One object for all tests, that keeps what is compiled."""
    return SYSTEMS[name]()


def start(s, fast=1.0):
    rng = np.random.default_rng(1)
    q = s.random(rng) if hasattr(s, "random") else rng.uniform(0.2, 0.9, s.nq)
    return q, fast * rng.uniform(0.3, 1.0, s.nv)


SYSTEMS = {
    "two_link": vv.catalog.two_link,
    "free": lambda: chain("free"),
    "planar": lambda: chain("planar", "revolute", gravity=(1.0, -9.0, -2.0)),
    "spherical": lambda: chain("spherical"),
    "damped": lambda: vv.catalog.cart_pole().with_friction(damping={"x": 0.4, "theta": 0.05}),
    "energies": energies,
    "bead": vv.catalog.bead_on_rotating_wire,
    "relativistic": lambda: vv.Lagrangian("x", "1 - sqrt(1 - x'^2)", "x^2/2"),
}


def stepped(s, method, q, v, h, **more):
    """One step on floats, of any sign."""
    flow = task_of(s, q, v, 1.0, None, None, {}).integrator(method).flow  # traced once
    named = {"tau": np.zeros(s.nv), "residual": 0.0, "rest": np.zeros(s.nv), **more}
    new, memory = METHODS[method].step(flow, State(q, v, np.zeros(0)), 0.3, h, named)
    return np.asarray(new.q, float), np.asarray(new.v, float), memory


def apart(s, q0, q1):
    return np.abs(s.difference(q0, q1) if hasattr(s, "difference") else q1 - q0).max()


@pytest.mark.spread(4)
@pytest.mark.soak
@pytest.mark.parametrize("method", IMPLICIT)
@pytest.mark.parametrize(
    "name", count(("two_link", "spherical", "damped", "energies"), tuple(SYSTEMS))
)
def test_implicit_steps_have_order_two(name, method):
    s = system(name)
    q, v = start(s, 0.5)
    true = s.simulate(q, v, 0.64, rtol=1e-12, atol=1e-14)
    errors = []
    for h in (0.02, 0.01):
        run = s.simulate(q, v, 0.64, method=method, dt=h)
        errors.append(max(apart(s, true.q[-1], run.q[-1]), np.abs(run.v - true.v[-1])[-1].max()))
    assert abs(np.log2(errors[0] / errors[1]) - 2) < 0.1, errors


@pytest.mark.spread(4)
@pytest.mark.parametrize("method", IMPLICIT)
@pytest.mark.parametrize("name", ["two_link", "free", "planar", "spherical", "relativistic"])
def test_a_step_back_returns(name, method):
    s = system(name)
    q, v = start(s)
    q1, v1, memory = stepped(s, method, q, v, 0.05)
    back, w, _ = stepped(s, method, q1, v1, -0.05, rest=memory.get("rest"))
    assert apart(s, q, q1) > 1e-2
    assert apart(s, q, back) < 1e-13
    np.testing.assert_allclose(w, v, atol=2e-12)


@pytest.mark.parametrize("name", ["two_link", "free", "damped"])
def test_the_midpoint_rule_is_its_equation(name):
    """Solved by MINPACK with accelerations from forward dynamics."""
    s, h = system(name), 0.05
    q, v = start(s)

    def left(v1):
        mean = (v + v1) / 2
        return v1 - v - h * s.forward_dynamics(s.integrate(q, h / 2 * mean), mean, np.zeros(s.nv))

    v1 = fsolve(left, v, xtol=1e-12)
    got_q, got_v, _ = stepped(s, "midpoint", q, v, h)
    np.testing.assert_allclose(got_v, v1, atol=1e-11)
    assert apart(s, s.integrate(q, h / 2 * (v + v1)), got_q) < 1e-12


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", ["two_link", "free", "planar", "spherical"])
def test_variational_positions_make_the_action_stationary(name):
    """By differences of h L(middle) between positions alone, moved along the motions of joints."""
    s, h = system(name), 0.04
    run = s.simulate(*start(s, 2.0), 4 * h, method="variational", dt=h)

    def action(a, b):
        v = s.difference(a, b) / h
        q = s.integrate(a, v * h / 2)
        return h * float(s.kinetic_energy(q, v) - s.potential_energy(q))

    for a, b, c in zip(run.q, run.q[1:], run.q[2:], strict=False):

        def both(x):
            moved = s.integrate(b, x)  # noqa: B023  called at once
            return action(a, moved) + action(moved, c)  # noqa: B023

        def slope(e):  # of fourth order
            d = [both(k * 1e-3 * e) - both(-k * 1e-3 * e) for k in (1, 2)]
            return (8 * d[0] - d[1]) / 12e-3

        size = np.abs(s.mass_matrix(b)).max() * np.abs(run.v).max()
        assert max(abs(slope(e)) for e in np.eye(s.nv)) < 1e-8 * size


@examples(3, 200)
@given(st.integers(0, 2**32 - 1))
def test_momenta_change_as_the_equations_of_motion_say(seed):
    """∂L/∂q along motions, and p along brackets of them, is Cᵀ v - g - b, for every joint."""
    rng = np.random.default_rng(seed)
    s = mechanism(rng, 2)
    q, v = s.random(rng), rng.normal(size=s.nv)
    flow = task_of(s, q, v, 1.0, None, None, {}).flow
    f, p = _slopes(flow, 0.0, q, v, {})
    turned = np.zeros(s.nv)
    for b, own in zip(s.bodies, s.v_index, strict=True):
        if not b.joint.has_rates:
            turned[own] = [p[own] @ b.joint.bracket(v[own], e) for e in np.eye(b.joint.nv)]
    run = Interpreted(s)
    expected = run("coriolis_transpose_product", q, v) - run("gravity_forces", q)
    expected = expected - run("dissipation_forces", q, v)
    size = max(np.abs(p).max() * np.abs(v).max(), np.abs(expected).max())
    np.testing.assert_allclose(np.asarray(f + turned, float), expected, atol=1e-12 * size)
    np.testing.assert_allclose(np.asarray(p, float), run("mass_matrix", q) @ v, atol=1e-12 * size)


def slope_of(y):
    """The slope of block means and its standard error."""
    means = y[: len(y) // 20 * 20].reshape(20, -1).mean(axis=1)
    x = np.arange(20.0) - 9.5
    slope = x @ means / (x @ x)
    rest = means - means.mean() - slope * x
    return slope, np.sqrt(rest @ rest / 18 / (x @ x))


@pytest.mark.soak
@pytest.mark.parametrize("name", ["two_link", "tumbling"])
def test_the_energy_of_variational_steps_has_no_trend(name):
    steps = count(20_000, 1_000_000)
    s = system("two_link") if name == "two_link" else vv.catalog.tumbling_body()
    q, v = ([0.3, 0.2], [0.0, 0.5]) if name == "two_link" else ([0, 0, 0, 1], [0.1, 3.0, 0.1])
    run = s.simulate(q, v, steps * 0.01, method="variational", dt=0.01, save=steps // 10_000)
    T = s.kinetic_energy(run.q, run.v)
    E = T + s.potential_energy(run.q)
    half = len(E) // 2
    assert 1e-9 * T.max() < np.abs(E - E[0]).max() < 1e-2 * T.max()
    assert np.ptp(E[half:]) < 1.5 * np.ptp(E[:half])
    slope, error = slope_of(E)
    assert abs(slope) < 3 * error


@pytest.mark.soak
def test_the_midpoint_rule_keeps_what_is_quadratic():
    """Energy and length of the moment of momentum of a tumbling body, to rounding."""
    steps = count(20_000, 1_000_000)
    s = vv.catalog.tumbling_body().with_gravity([0, 0, 0])
    run = s.simulate(
        [0, 0, 0, 1], [0.1, 3.0, 0.1], steps * 0.01, method="midpoint", dt=0.01, save=steps // 1000
    )
    length = np.linalg.norm(s.momentum(run.q, run.v)[:, :3], axis=1)
    for kept in (s.kinetic_energy(run.q, run.v), length):
        assert np.abs(kept - kept[0]).max() < 2e-12 * kept[0]


@pytest.mark.spread(1)
@pytest.mark.soak
@pytest.mark.parametrize("name", ["tumbling", "free", "two_link"])
def test_momenta_are_kept_to_rounding(name):
    steps = count(20_000, 1_000_000)
    if name == "two_link":
        s = vv.catalog.two_link().with_gravity([0, 0, 0])
        q, v = [0.3, 1.2], [2.0, -1.0]
    else:
        s = vv.catalog.tumbling_body() if name == "tumbling" else chain("free", gravity=(0, 0, 0))
        s, w = s.with_gravity([0, 0, 0]), np.array([0.1, 3.0, 0.1])
        # the free one turns about its centre: far from the origin digits of moments are lost
        q, v = s.neutral(), np.append(w, -np.cross(w, ASIDE))[: s.nv]
    run = s.simulate(q, v, steps * 0.01, method="variational", dt=0.01, save=steps // 1000)
    if name == "two_link":
        p = (s.mass_matrix(run.q) @ run.v[..., None])[:, 0, 0]
    else:
        p = s.momentum(run.q, run.v)[:, : s.nv]  # of the tumbling one about what holds it
    assert np.abs(p - p[0]).max() <= 1e-12 * np.abs(p[0]).max()


@pytest.mark.parametrize("method", IMPLICIT)
def test_rows_of_a_batch_are_single_runs(method):
    s = vv.catalog.two_link()
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
    push = rng.normal(size=(5, 20, 2))
    many = s.simulate(q, v, 0.2, tau=push, method=method, dt=0.01)
    for i in range(5):
        one = s.simulate(q[i], v[i], 0.2, tau=push[i], method=method, dt=0.01)
        np.testing.assert_array_equal(many.q[i], one.q)
        np.testing.assert_array_equal(many.v[i], one.v)
    s = vv.catalog.tumbling_body()
    q, v = np.array([s.random(rng) for _ in range(5)]), rng.normal(size=(5, 3))
    wide = {"Ix": np.linspace(1.0, 2.0, 5)}
    many = s.simulate(q, v, 0.2, parameters=wide, method=method, dt=0.01)
    one = s.simulate(q[0], v[0], 0.2, method=method, dt=0.01)
    np.testing.assert_allclose(many.q[0], one.q, atol=1e-12)
    assert np.abs(many.q[4] - s.simulate(q[4], v[4], 0.2, method=method, dt=0.01).q).max() > 1e-6


@pytest.mark.parametrize("method", IMPLICIT)
def test_a_controller_that_remembers_is_part_of_the_step(method):
    hold = vv.Controller(
        lambda t, q, v, x: -30.0 * q - 4.0 * v - 9.0 * x, (0.0, 0.0), lambda t, q, v, x: q
    )
    s, q, v = vv.catalog.two_link(), [0.3, 0.2], [0.0, 0.0]
    true = s.simulate(q, v, 0.5, tau=hold, rtol=1e-12).q[-1]
    off = [
        np.abs(s.simulate(q, v, 0.5, tau=hold, method=method, dt=h).q[-1] - true).max()
        for h in (0.01, 0.005)
    ]
    assert abs(np.log2(off[0] / off[1]) - 2) < 0.1


@pytest.mark.parametrize("method", IMPLICIT)
def test_a_stiff_spring_may_turn_faster_than_the_step(method):
    """ω h = 30: the methods are stable, and their equations are solved."""
    s = vv.Lagrangian("x", "x'^2/2", "k*x^2/2", parameters={"k": 9e6})
    run = s.simulate([1e-3], [0.0], 1.0, method=method, dt=0.01)
    assert np.abs(run.q).max() <= 1e-3 * (1 + 1e-9)


@pytest.mark.parametrize("method", IMPLICIT)
def test_what_rests_stays(method):
    run = vv.catalog.two_link().simulate([-np.pi / 2, 0], [0, 0], 1.0, method=method, dt=0.01)
    assert np.abs(run.v).max() < 1e-14


@pytest.mark.parametrize("method", IMPLICIT)
def test_steps_whose_equations_are_not_solved_are_refused(method):
    s = vv.catalog.two_link()
    with pytest.raises(MotionError, match="shorter dt") as told:
        s.simulate([0.3, 0.2], [9.0, -20.0], 2.0, method=method, dt=0.2)
    assert method in str(told.value)


@pytest.mark.parametrize("method", IMPLICIT)
def test_constraints_are_refused_with_the_reason(method):
    s = vv.catalog.four_bar()
    q = s.assembled(s.neutral()) if hasattr(s, "neutral") else np.zeros(s.nq)
    with pytest.raises(ArgumentError, match=rf"{method}.*no constraints.*rk4"):
        s.simulate(q, np.zeros(s.nv), 0.1, method=method, dt=0.01)


class Doubled(type(JOINTS["spherical"])):
    """A ball whose velocity is half an angular velocity."""

    def subspace(self, q):
        return 2 * super().subspace(q)


@pytest.mark.parametrize("method", IMPLICIT)
def test_joints_that_are_no_groups_are_refused(method):
    s = vv.Builder("odd").body("ball", joint=Doubled(), inertia=BOX, joint_name="socket").build()
    with pytest.raises(ArgumentError, match=r"socket.*does not move so"):
        s.simulate([0, 0, 0, 1], [0, 0, 0], 0.1, method=method, dt=0.01)
