"""Joints that are held while forces change with time, parameters and periods: nothing is missed."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError

sin, exp = vv.generic.sin, vv.generic.exp


def block(friction=6.0, parameters=None, **more):
    b = vv.Builder("block", gravity=(0.0, 0.0, 0.0), parameters=parameters or {})
    friction = b.parameters.get(friction, friction)
    b.body("block", joint="prismatic", axis="x", mass=1.0, friction=friction, **more)
    return b.build()


def pushed(law, t, dt=1e-5):
    """A block of 1 kg with 6 N of friction, by short steps, each force held: far from our road."""
    x = v = 0.0
    for k in range(round(t / dt)):
        f = law((k + 0.5) * dt)
        if v == 0.0:
            v = max(abs(f) - 6.0, 0.0) * np.sign(f) * dt
        else:
            new = v + (f - 6.0 * np.sign(v)) * dt
            v = 0.0 if new * v < 0 else new
        x += v * dt
    return x


@pytest.mark.spread(0)
@pytest.mark.parametrize(
    ("law", "floats", "t"),
    [
        (
            lambda t: 10 * exp(-(((t - 5) / 0.5) ** 2)),
            lambda t: 10 * np.exp(-(((t - 5) / 0.5) ** 2)),
            8,
        ),
        (lambda t: 5 + 2 * sin(3 * t), lambda t: 5 + 2 * np.sin(3 * t), 4),
    ],
)
def test_a_push_in_time_breaks_a_joint_loose(law, floats, t):
    run = block().simulate([0.0], [0.0], t, tau=lambda t, q, v: [law(t)])
    np.testing.assert_allclose(run.q[-1, 0], pushed(floats, t), atol=2e-4)  # of the held forces
    same = block().simulate([0.0], [0.0], t, tau=lambda t, q, v: [law(t)], dt=1e-3)
    np.testing.assert_allclose(run.q[-1], same.q[-1], atol=1e-7)
    assert np.abs(run.at(np.linspace(0, t, 200))[1]).max() > 0
    assert np.abs(run.friction).max() <= 6.0 * (1 + 1e-9)


@pytest.mark.spread(0)
def test_a_push_in_time_lifts_a_joint_off_its_stop():
    def law(t, q, v):
        return [-1 + 1.5 * sin(7 * t)]

    model = block(friction=0.0, limits=(0.0, 9.0), restitution=0.3)
    chosen = model.simulate([0.0], [0.0], 3.0, tau=law)
    given = model.simulate([0.0], [0.0], 3.0, tau=law, dt=1e-3)
    assert chosen.statistics["changes"] == given.statistics["changes"] > 4
    np.testing.assert_allclose(chosen.q[-1], given.q[-1], atol=1e-7)


def test_events_of_time_are_found_while_everything_is_held():
    run = block().simulate([0.0], [0.0], 100.0, events={"zero": lambda t, q, v: sin(t)})
    np.testing.assert_allclose(run.events["zero"].t, np.pi * np.arange(1, 32), atol=1e-9)


@pytest.mark.parametrize(
    "how", [{"friction": 6.0}, {"friction": 0.0, "limits": (-1.0, 5.0), "restitution": 0.0}]
)
def test_periods_of_a_controller_end_on_the_grid_of_steps(how):
    """0.15 is not three times 0.05 in doubles."""
    law = vv.Controller(lambda t, q, v: [-20 * (q[0] - 1) - 3 * v[0]], period=0.05)
    run = block(**how).simulate([0.0], [0.0], 1.0, tau=law, dt=1e-3)
    assert run.t[-1] == 1.0


def test_friction_is_what_the_parameters_of_the_run_say():
    """A value of zero in the model does not mean that nothing sticks in a run with another one."""
    model = block(friction="F", parameters={"F": 0.0})
    run = model.simulate([0.0], [3.0], 5.0, parameters={"F": 6.0})
    assert run.v[-1] == 0.0
    np.testing.assert_allclose(run.q[-1], 0.75, atol=1e-9)
    with pytest.raises(ArgumentError, match=r"'block_joint' is .*not negative, got -6"):
        model.simulate([0.0], [3.0], 5.0, parameters={"F": -6.0})
    with pytest.raises(ArgumentError, match="not negative"):
        block().simulate([0.0], [3.0], 5.0, parameters={"friction_block_joint": -1.0})


def test_controllers_called_from_python_are_refused():
    with pytest.raises(
        ArgumentError, match="have dry friction, and this controller cannot be traced"
    ):
        block().simulate([0.0], [0.0], 1.0, tau=lambda t, q, v: [float(np.sin(float(t)))])


def test_followers_have_no_stops_of_their_own():
    b = vv.Builder("gear")
    b.body("a", joint="revolute", axis="z", mass=1.0)
    b.body("c", parent="a", joint="revolute", axis="z", mass=1.0, limits=(0.0, 1.0),
           restitution=0.5, mimic=("a_joint", 2.0, 0.0))  # fmt: skip
    with pytest.raises(ArgumentError, match="it follows 'a_joint', whose stops hold it"):
        b.build()
