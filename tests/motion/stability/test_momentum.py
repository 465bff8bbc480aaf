"""No rest where weight alone acts along a direction of space: proved, without a search."""

import numpy as np
import pytest

import visviva as vv

G = (0.0, 0.0, -9.81)
TOTAL = 4.0  # kg


def falling(joint, gravity=G, **more):
    """Two links on a body that a joint carries, all of it free of other forces."""
    b = vv.Builder("falling", gravity=gravity)
    b.body("base", joint=joint, mass=2.0, com=[0.1, 0.2, 0.0], **more)
    b.body("arm", parent="base", joint="revolute", axis="y", mass=1.0, com=[0.3, 0, 0])
    b.body("tip", parent="arm", joint="revolute", axis="z", mass=1.0, com=[0.3, 0, 0.1],
           at=[0.2, 0, 0.1])  # fmt: skip
    return b


FALLS = [
    falling("free"),
    falling("free").spring("inner", 100.0, joint="arm_joint"),
    falling("free").spring("rope", 100.0, between=("base", "tip")),
    falling("planar", axis=[0, 1, 0]),
    falling("planar", gravity=(0.0, 1.0, -9.0)),
    falling("prismatic", axis="z"),
    falling("prismatic", axis="z", damping=1.0),
    falling("prismatic", axis=[0.6, 0, 0.8]),
    falling("cylindrical", axis="z"),
]
HOLDS = [
    falling("free").spring("rope", 100.0, between=("world", "tip")),
    falling("free", gravity=(0, 0, 0)),
    falling("planar"),
    falling("prismatic", axis="x"),
    falling("prismatic", axis="z").spring("coil", 100.0, joint="base_joint"),
    falling("spherical"),
]


@pytest.mark.parametrize("builder", FALLS)
def test_what_falls_freely_rests_nowhere(builder):
    model = builder.build()
    found = model.equilibria()
    assert found.proved
    assert not len(found)
    assert "momentum" in found.why
    rng = np.random.default_rng(4)
    for _ in range(5):  # somewhere it accelerates by at least the component of g that is free
        q = model.integrate(model.neutral(), rng.normal(size=model.nv))
        a = model.forward_dynamics(q, np.zeros(model.nv), np.zeros(model.nv))
        assert np.abs(a).max() > 0.5


@pytest.mark.parametrize("builder", HOLDS)
def test_what_something_else_holds_is_searched(builder):
    assert len(builder.build().equilibria(starts=2))


def test_a_free_body_alone():
    b = vv.Builder("stone")
    b.body("stone", joint="free", inertia=vv.Inertia.box(1.0, x=0.1, y=0.2, z=0.3))
    assert b.build().equilibria().proved


def test_constant_forces_count_along_one_direction():
    lift = falling("prismatic", axis="z").build()
    assert len(lift.equilibria(tau=[TOTAL * 9.81, 0, 0]))
    found = lift.equilibria(tau=[0.99 * TOTAL * 9.81, 0, 0])
    assert found.proved
    assert not len(found)
    flying = falling("free").build()
    held = flying.equilibria(tau=[0, 0, 0, 0, 0, TOTAL * 9.81, 0, 0], starts=2)
    assert not held.proved  # along an axis of the body, which turns
    carried = flying.equilibria(wrenches={"base": [0, 0, 0, 0, 0, TOTAL * 9.81]}, starts=2)
    assert not carried.proved


@pytest.mark.parametrize(("factor", "rests"), [(-1.0, True), (1.0, False)])
def test_joints_that_follow_a_slide_may_hold_it(factor, rests):
    """Two slides of one mass: coupled the other way they balance everywhere."""
    b = vv.Builder("scales", gravity=G)
    b.body("left", joint="prismatic", axis="z", joint_name="left", mass=2.0)
    b.body("right", joint="prismatic", axis="z", mass=2.0, mimic=("left", factor))
    assert bool(len(b.build().equilibria())) is rests


def test_stops_and_friction_may_hold_what_would_fall():
    for more, word in (
        ({"limits": (0, 1), "restitution": 0.0}, "stops"),
        ({"friction": 1.0}, "dry friction"),
    ):
        found = falling("prismatic", axis="z", **more).build().equilibria()
        assert not found.proved
        assert word in found.why
