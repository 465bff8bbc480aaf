"""Motions that no inertia resists: named in the notes, and where forward dynamics is asked for."""

import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.oracles.oracle import MOVING, mechanism
from tests.support.oracles.robots import robot
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.model.idle import idle_motions
from visviva.errors import SingularError


def bob(inertia, **more):
    return vv.Builder("swing").body("bob", joint="spherical", inertia=inertia, **more).build()


def sliders(*masses):
    """Two along one line, one on the other."""
    b = vv.Builder("sliders").body("a", joint="prismatic", axis="x", inertia=masses[0])
    return b.body("b", parent="a", joint="prismatic", axis="x", inertia=masses[1]).build()


CASES = {
    "of bob_joint_wz alone": lambda: bob(Inertia.point(1.0, [0.0, 0.0, -0.4])),
    "of bob_joint_wy, bob_joint_wz in the ratio 1 : -1.333": lambda: bob(
        Inertia.point(1.0, [0.0, 0.3, -0.4])
    ),
    "of q2 alone": lambda: vv.catalog.two_link(I1=0.0, I2=0.0, r2=0.0),
    "of a_joint, b_joint in the ratio 1 : -1": lambda: sliders(
        Inertia.point(0.0), Inertia.point(1.0)
    ),
}


@pytest.mark.parametrize("motion", CASES)
def test_a_motion_without_inertia_is_noted_and_forward_dynamics_refused_by_its_name(motion):
    model = CASES[motion]()
    assert model.notes == (
        f"M is singular at every position: no inertia resists the motion {motion}",
    )
    q, v = model.neutral(), np.zeros(model.nv)
    for ask in (
        lambda: model.forward_dynamics(q, v, v),
        lambda: model.forward_dynamics.jacobian("tau")(q, v, v),
        lambda: model.forward_dynamics.jacobian("q", "v")(q, v, v),
        lambda: model.mass_matrix_inverse(q),
    ):
        with pytest.raises(SingularError, match=r"of .* does not exist: no inertia resists"):
            ask()
    assert np.isfinite(model.inverse_dynamics(q, v, v)).all()
    assert np.linalg.matrix_rank(model.mass_matrix(q)) < model.nv


def test_the_geometry_of_a_mechanism_has_no_note_and_no_forward_dynamics():
    bare = sliders(*[Inertia.point(0.0)] * 2)
    assert bare.notes == ()
    with pytest.raises(SingularError, match=r"the motion of a_joint alone, nor of b_joint alone"):
        bare.forward_dynamics([0.0, 0.0], [0.0, 0.0], [1.0, 1.0])


def test_values_that_leave_a_motion_without_inertia_are_noted():
    arm = vv.catalog.two_link()
    assert arm.notes == ()
    bare = arm.with_parameters(I2=0.0, r2=0.0)
    assert "the motion of q2 alone" in bare.notes[0]
    assert bare.with_parameters(r2=0.1).notes == ()


@pytest.mark.parametrize(
    "more",
    [
        {"inertia": Inertia(1.0, [0.0, 0.0, -0.4], np.eye(3) * 1e-10)},
        {"inertia": Inertia.point(1.0, [0.0, 0.0, -0.4]), "armature": [0.0, 0.0, 1e-10]},
    ],
    ids=["tensor", "armature"],
)
def test_a_small_inertia_is_not_taken_for_none(more):
    model = bob(**more)
    assert model.notes == ()
    a = model.forward_dynamics(model.neutral(), np.zeros(3), [0.0, 0.0, 1e-10])
    assert a == pytest.approx([0.0, 0.0, 1.0], abs=1e-5)  # beside 0.16, 1e-10 has six digits


def test_positions_where_a_motion_has_no_inertia_are_not_all_positions():
    """A point on two hinges: turning about the first is idle only where it points along it."""
    b = vv.Builder("crane").body("turn", joint="revolute", axis="z")
    point = Inertia.point(1.0, [0.0, 0.0, 1.0])
    b.body("lift", parent="turn", joint="revolute", axis="x", inertia=point)
    model = b.build()
    assert model.notes == ()
    assert model.mass_matrix([0.0, 0.0])[0, 0] == 0


@examples(3, 1000)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_mechanisms_of_bodies_have_no_such_motion(seed, size):
    assert idle_motions(mechanism(np.random.default_rng(seed), size, MOVING)) == []


def test_hands_without_mass_are_found_in_a_real_robot():
    """Fingers follow the hand's joint, and have no mass in this file; legs and arms do."""
    romeo = vv.load(robot("romeo.urdf"))
    assert sorted(idle_motions(romeo)) == ["of LHand alone", "of RHand alone"]


@pytest.mark.parametrize(
    ("kinetic", "motion"),
    [
        ("(x' + y')^2/2", "of x, y in the ratio 1 : -1"),
        ("x'^2/2", "of y alone"),
        ("cos(x)^2*(x' + y')^2", "of x, y in the ratio 1 : -1"),
        ("(x' + x*y')^2", "of x, y in a ratio that depends on the position"),
    ],
)
def test_energies_without_inertia_are_told(kinetic, motion):
    s = vv.Lagrangian("x y", kinetic, "x + y", notes=("mine",))
    said = f"M is singular at every position: no inertia resists the motion {motion}"
    assert s.notes == ("mine", said)
    assert vv.Lagrangian("x y", f"m*({kinetic})", parameters="m").notes == (said,)
    for ask in (
        lambda: s.forward_dynamics([0.1, 0.2], [0.0, 0.0], [1.0, 1.0]),
        lambda: s.mass_matrix_inverse([0.1, 0.2]),
    ):
        with pytest.raises(SingularError, match=f"the motion {motion}, at any position"):
            ask()
    assert vv.pencil.where_singular(s) == 0


def test_the_note_on_energies_goes_with_what_they_are():
    bare = vv.Lagrangian("x y", "(x' + y')^2/2 + m*y'^2", parameters={"m": 0.0}, notes=["mine"])
    assert len(bare.notes) == 2
    assert bare.with_parameters(m=1.0).notes == ("mine",)
    assert pickle.loads(pickle.dumps(bare)).notes == bare.notes
    assert replace(bare, kinetic="x'^2 + y'^2").notes == ("mine",)
    assert bare.in_coordinates("s y", {"x": "s - y"}).notes[1].endswith("the motion of y alone")
    with pytest.raises(FrozenInstanceError):
        bare.notes = ()


def test_places_where_energies_have_no_inertia_are_not_all_places():
    for s in (vv.catalog.spherical_pendulum(), vv.catalog.heavy_top()):
        assert s.notes == ()


def test_energies_with_a_small_inertia_are_not_refused():
    s = vv.Lagrangian("x y", "(x' + y')^2/2 + 1e-13*y'^2", "x + y")
    assert s.notes == ()
    assert np.isfinite(s.forward_dynamics([0.1, 0.2], [0.0, 0.0], [1.0, 2.0])).all()
    polar = vv.Lagrangian("r a", "(r'^2 + r^2*a'^2)/2")
    assert polar.forward_dynamics([2.0, 0.0], [0.0, 0.0], [1.0, 4.0]) == pytest.approx([1.0, 1.0])
