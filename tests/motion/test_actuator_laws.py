"""Controllers of actuators: u of (t, q, v), of what is remembered, and of a computer."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, ShapeError

ARM = vv.catalog.rp_arm_thrusters()  # two thrusters, along axes of the world
M = ARM.parameter_names[0]
Q, V = np.array([0.4, 0.7]), np.array([0.1, 0.0])


def law(t, q, v):
    return np.array([-3.0 * q[0] - v[0], -4.0 * q[1] - v[1] + t])


def same(t, q, v):
    return ARM.actuator_map(q) @ law(t, q, v)


@pytest.mark.spread(1)
@pytest.mark.parametrize("how", [{}, {"dt": 0.01}])
def test_a_law_of_actuators_acts_through_their_map(how):
    run, other = ARM.simulate(Q, V, 0.5, u=law, **how), ARM.simulate(Q, V, 0.5, tau=same, **how)
    np.testing.assert_allclose(run.q, other.q, atol=1e-10)
    np.testing.assert_allclose(run.tau, other.tau, atol=1e-8)
    assert run.account.closes
    work = run.account.work["actuators"][-1]
    np.testing.assert_allclose(work, other.account.work["actuators"][-1], rtol=1e-7)


def test_what_it_remembers_and_parameters_of_each_row():
    c = {"start": [0.1, 0.0], "rate": lambda t, q, v, x: q - 0.1}
    drive = vv.Controller(lambda t, q, v, x: law(t, q, v) - 5.0 * x, **c)
    force = vv.Controller(lambda t, q, v, x: ARM.actuator_map(q) @ (law(t, q, v) - 5.0 * x), **c)
    more = {"dt": 0.01, "parameters": {M: [0.8, 1.0, 1.2]}}
    run = ARM.simulate(Q, V, 0.5, u=drive, **more)
    other = ARM.simulate(Q, V, 0.5, tau=force, **more)
    np.testing.assert_allclose(run.q, other.q, atol=1e-12)
    np.testing.assert_allclose(run.tau, other.tau, atol=1e-10)
    assert np.ptp(run.q[:, -1], axis=0).min() > 1e-4
    np.testing.assert_allclose(run[1].forces_at(0.333), other[1].forces_at(0.333), atol=1e-7)


@pytest.mark.parametrize("how", [{}, {"dt": 0.01}])
def test_a_computer_holds_u_not_tau(how):
    run = ARM.simulate(Q, V, 0.4, u=vv.Controller(law, period=0.1), **how)
    q, v = Q, V
    for k in range(4):
        part = ARM.simulate(q, v, 0.1, u=law(0.1 * k, q, v), **how)
        q, v = part.q[-1], part.v[-1]
    np.testing.assert_allclose(run.q[-1], q, atol=1e-10)
    q, v = run.at(0.25)
    np.testing.assert_allclose(
        run.forces_at(0.25), ARM.actuator_map(q) @ law(0.2, *run.at(0.2)), atol=1e-6
    )
    assert run.account.closes


def test_a_law_that_python_must_be_asked():
    run = ARM.simulate(Q, V, 0.5, u=lambda t, q, v: law(t, np.asarray(q, float), v))
    np.testing.assert_allclose(run.q[-1], ARM.simulate(Q, V, 0.5, tau=same).q[-1], atol=1e-8)
    assert run.statistics["method"] == "scipy-dop853"
    branching = lambda t, q, v: np.asarray(q, float)  # noqa: E731
    with pytest.raises(ArgumentError, match="not called beside parameters"):
        ARM.simulate(Q, V, 0.5, u=branching, parameters={M: 1.0})


def test_its_size_is_that_of_the_actuators():
    with pytest.raises(ShapeError, match="returns 2 numbers, got"):
        ARM.simulate(Q, V, 0.5, u=lambda t, q, v: [q[0]])


@pytest.mark.spread(0)
def test_numbers_of_bodies_may_differ_among_rows():
    """What `function(parameters=…)` takes, `simulate` takes."""
    s = vv.Builder("rod").body("rod", joint="revolute", axis="y", inertia=vv.Inertia.box(
        2.0, x=0.1, y=0.1, z=1.0).moved(p=[0.1, 0.0, -0.5])).build()  # fmt: skip
    name = next(x for x in s.parameter_names if x.startswith("m_"))
    named = vv.catalog.two_link()
    for model, own in ((s, name), (named, "m_link1")):
        values = [float(model.parameter_values([own])[0]) * x for x in (1.0, 1.5)]
        q, v = np.full(model.nq, 0.3), np.zeros(model.nv)
        run = model.simulate(q, v, 0.3, parameters={own: values}, dt=0.01)
        plain = model.simulate(q, v, 0.3, dt=0.01)
        np.testing.assert_allclose(run.q[0], plain.q, atol=1e-12)
        assert np.abs(run.q[1] - plain.q).max() > 1e-4
        assert run.account.closes
    with pytest.raises(vv.errors.UnknownNameError, match=r"parameter 'm_lnk1'.*m_link1"):
        named.simulate([0.3, 0.3], [0.0, 0.0], 0.3, parameters={"m_lnk1": 1.0})
