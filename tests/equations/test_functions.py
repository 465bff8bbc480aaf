"""Functions of a model: what they depend on, what they share, and the edges of their definition."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import visviva as vv
from tests.support.counts import count
from tests.support.generators.bodies import close
from tests.support.oracles.robots import robot
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.joints.axis import Revolute, Universal
from visviva.describe.joints.free import Planar, Spherical
from visviva.describe.model.body import Mimic, Spring
from visviva.errors import ArgumentError, UnknownNameError


def swinging(length):
    """A point on a bar whose length is a formula over L = 1."""
    b = Builder("arm", parameters={"L": 1.0})
    at = [length(b.parameters["L"]), 0.0, 0.0]
    b.body("one", joint="revolute", axis="y", inertia=Inertia.point(1.0, at))
    return b.build()


def test_formulas_that_agree_at_one_value_do_not_share_code():
    for length, wanted in ((lambda L: L, 9.0), (lambda L: L * L, 81.0)):
        f = swinging(length).function("mass_matrix", parameters=["L"])
        assert f(np.array([0.3]), np.array([3.0])) == pytest.approx(wanted, rel=1e-15)


@dataclass(frozen=True, eq=False)
class Cardan(Universal):
    """A joint of the user's own, with a subspace that moves."""

    def subspace_rate(self, q, v):
        return super().subspace_rate(q, v)


def chain(kind, n=4):
    """Universal joints of one class, one after the other."""
    b = Builder("chain")
    body = Inertia.box(1.0, x=0.1, y=0.2, z=0.5)
    for k in range(n):
        joint = kind([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
        parent = f"b{k - 1}" if k else ""
        b.body(f"b{k}", parent=parent, joint=joint, at=[0.0, 0.0, 0.5], inertia=body)
    return b.build()


@pytest.mark.spread(0)
def test_derivatives_ask_the_joint_whether_its_subspace_moves():
    ours, theirs = chain(Universal), chain(Cardan)
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, ours.nv))
    for name in ("inverse_dynamics", "forward_dynamics"):
        pairs = (m.function(name).jacobian("q", "v")(q, v, a) for m in (ours, theirs))
        for x, y in zip(*pairs, strict=True):
            close(x, y)
    assert ours.nv == 8


@pytest.mark.spread(1)
@pytest.mark.soak
@pytest.mark.parametrize(("convention", "wanted"), [("modified", 760), ("standard", 741)])
def test_every_arm_in_dh_frames_has_the_same_count(convention, wanted):
    """No zero is lost to rounding when origins slide, whatever the lengths and angles are."""
    for seed in range(count(4, 100)):
        rng = np.random.default_rng(seed)
        rows = [(*rng.uniform(-3.0, 3.0, 3), 0.0, "R") for _ in range(6)]
        bodies = [Inertia.point_masses(np.ones(9), rng.normal(size=(9, 3))) for _ in rows]
        arm = vv.from_dh(rows, convention=convention, inertias=bodies)
        made = arm.inverse_dynamics.operations
        assert made.multiplications + made.additions == wanted


def test_own_parameters_keep_their_names():
    b = Builder("arm", parameters={"m_arm": 2.0})
    mass = b.parameters["m_arm"] / 2
    b.body("arm", joint="prismatic", axis="x", inertia=Inertia.point(mass))
    arm = b.build()
    f = arm.function("mass_matrix", parameters=["m_arm"])
    assert f([0.0], [2.0]) == arm.mass_matrix([0.0]) == 1.0
    assert arm.parameter_names == ("m_arm",)
    assert arm.parameter_values(["m_arm"]) == [2.0]


def test_axes_may_be_formulas():
    b = Builder("arm", parameters={"t": 0.3})
    t = b.parameters["t"]
    b.body(
        "one",
        joint="revolute",
        axis=[0.0, vv.generic.sin(t), vv.generic.cos(t)],
        inertia=Inertia.box(1.0, x=0.1, y=0.2, z=0.5),
    )
    arm = b.build()
    f = arm.function("mass_matrix", parameters=["t"])
    for value in (0.3, 1.1):
        wanted = arm.with_parameters(t=value).mass_matrix([0.2])
        close(f([0.2], [value]), wanted)
    assert f.inputs == {"q": (1,), "parameters": (1,)}


def test_formulas_without_values_are_refused():
    arm = vv.catalog.two_link().symbolic
    with pytest.raises(ArgumentError, match="keep parameters as inputs"):
        _ = arm.mass_matrix


def test_names_given_twice_are_refused():
    arm = vv.catalog.two_link()
    with pytest.raises(ArgumentError, match="twice"):
        arm.function("mass_matrix", parameters=["m1", "m1"])
    with pytest.raises(ArgumentError, match="twice"):
        arm.function("inverse_dynamics", wrenches=["tool", "tool"])
    with pytest.raises(ArgumentError, match=r"jacobian takes the name of a frame.*\(q\)"):
        arm.jacobian(np.zeros(2))
    with pytest.raises(UnknownNameError, match="inverse_dynamics"):
        arm.function(["mass_matrix"])


def test_a_model_that_cannot_move():
    still = Builder("rock").build()
    none = np.zeros(0)
    assert still.inverse_dynamics(none, none, none).shape == (0,)
    assert still.mass_matrix_inverse(none).shape == (0, 0)
    assert still.christoffel(none).shape == (0, 0, 0)
    assert still.forward_dynamics.jacobian()(none, none, none)[0].shape == (0, 0)


@pytest.mark.parametrize("joint", [Spherical(), Planar([0.0, 0.0, 1.0])], ids=["ball", "planar"])
def test_only_plain_coordinates_can_be_followed(joint):
    b = Builder("pair")
    b.body("a", joint=joint, inertia=Inertia.sphere(1.0, radius=0.1))
    b.body("b", parent="a", joint=joint, inertia=Inertia.sphere(1.0, radius=0.1))
    pair = b.build()
    first, second = pair.bodies
    with pytest.raises(ArgumentError, match="cannot follow"):
        replace(pair, bodies=(first, replace(second, mimic=Mimic(first.joint_name, 0.5))))


def test_springs_are_checked_when_a_model_is_made():
    arm = vv.catalog.two_link()
    joint = arm.joint_names[0]
    with pytest.raises(UnknownNameError, match="elbow"):
        replace(arm, springs=(Spring("s", 1.0, 0.0, joint="elbow"),))
    with pytest.raises(UnknownNameError, match="nowhere"):
        replace(arm, springs=(Spring("s", 1.0, 0.0, frames=("tool", "nowhere")),))
    with pytest.raises(ArgumentError, match="one of them"):
        replace(arm, springs=(Spring("s", 1.0, 0.0, joint=joint, frames=("tool", "link1")),))


def test_operations_of_inverse_dynamics():
    """Fewer than the prototype's 435 for the UR5, and than Balafoutis and Patel's for any 6R."""
    ur5 = vv.load(robot("ur5_robot.urdf")).inverse_dynamics.operations
    assert ur5.multiplications + ur5.additions <= 300
    puma = vv.catalog.puma560().inverse_dynamics.operations
    assert puma.multiplications < 450
    assert puma.additions < 386


def test_help_says_what_a_verb_does():
    arm = vv.catalog.two_link()
    assert "τ = M a + C v + g + b" in arm.inverse_dynamics.__doc__
    assert vv.Model.inverse_dynamics.__doc__.startswith("Forces τ = M a + C v + g + b")
    assert arm.inverse_dynamics.__name__ == "inverse_dynamics"
    assert isinstance(arm.bodies[0].joint, Revolute)
