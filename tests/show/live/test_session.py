"""Sessions without a browser: sliders, dragging, pulling, gravity, loops, played motions."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, SingularError, UnknownNameError
from visviva.show.live.acting import HOLD, felt_inertia
from visviva.show.live.panel import distinct
from visviva.show.live.reaching import Dragging
from visviva.show.live.session import Session


@pytest.fixture(scope="module")
def arm():
    return vv.catalog.two_link()


@pytest.fixture(scope="module")
def linkage():
    return vv.catalog.four_bar()


def gripped(session, carrier):
    """Holds the origin of a carrier; where that is."""
    at = session.places[session.scene.carrier(carrier)][:, 3]
    assert session.grab(carrier, at)
    return at


# ---- positions


def test_a_slider_sets_a_coordinate_and_leaves_the_others(arm):
    session = Session(arm)
    assert session.slide(1, -0.7)
    assert session.q == pytest.approx([0.5, -0.7], abs=0)
    assert not session.v.any()
    tool = arm.pose("tool")(session.q)[:3, 3]
    assert session.places[session.scene.carrier("frame:tool")][:, 3] == pytest.approx(tool)


def test_a_slider_of_a_loop_takes_the_others_along_or_says_no(linkage):
    session = Session(linkage)
    for value in (1.4, 2.6, 4.0, 7.0):
        assert session.slide(0, value)
        assert session.q[0] == value
        assert np.abs(linkage.constraint_error(session.q)).max() < 1e-11
    before = session.q.copy()
    assert not session.slide(2, before[2] + 2.5)  # no rocker goes there
    assert "do not close" in session.said
    assert (session.q == before).all()


def test_quaternions_stay_of_length_one():
    build = vv.Builder("brick")
    build.body("brick", joint="free", inertia=vv.Inertia.box(1.0, x=0.1, y=0.2, z=0.3))
    session = Session(build.build())
    assert session.slide(0, 0.6)
    assert np.linalg.norm(session.q[:4]) == pytest.approx(1.0, abs=1e-14)


# ---- dragging


@pytest.mark.parametrize("name", ["puma560", "planar_3r"])
def test_a_dragged_frame_reaches_its_pose(name):
    session = Session(getattr(vv.catalog, name)())
    drag = Dragging(session.system, "tool", session.closing, session.q)
    assert drag.turns
    wanted = drag.pose(session.q + 0.15)
    reached = drag.to(session.q, wanted, session.parameters)
    assert reached.is_there
    assert str(reached) == "reached"
    assert np.abs(drag.pose(reached.q) - wanted).max() < 1e-6
    session.lead(reached.q)
    assert (session.q == reached.q).all()


def test_what_is_out_of_reach_says_how_far_and_is_the_nearest(arm):
    session = Session(arm)
    drag = Dragging(arm, "tool", session.closing, session.q)
    assert not drag.turns  # two joints choose no orientation
    far = np.eye(4)
    far[:3, 3] = [3.0, 4.0, 0.0]
    reached = drag.to(session.q, far, session.parameters)
    length = np.linalg.norm(arm.pose("tool")([0.0, 0.0])[:3, 3])
    assert reached.metres == pytest.approx(5.0 - length, abs=1e-6)
    assert "out of reach" in str(reached)
    tip = drag.pose(reached.q)[:3, 3]
    assert tip == pytest.approx([0.6 * length, 0.8 * length, 0.0], abs=1e-4)


def test_a_frame_of_a_linkage_is_dragged_with_its_loop_closed(linkage):
    session = Session(linkage)
    drag = Dragging(linkage, "coupler_end", session.closing, session.q)
    wanted = drag.pose(session.closing.moved(session.q, 0, session.q[0] + 0.4, session.parameters))
    reached = drag.to(session.q, wanted, session.parameters)
    assert reached.is_there
    assert np.abs(linkage.constraint_error(reached.q)).max() < 1e-11
    away = wanted.copy()
    away[:3, 3] += 0.3
    nearest = drag.to(session.q, away, session.parameters)
    assert not nearest.is_there
    assert np.abs(linkage.constraint_error(nearest.q)).max() < 1e-9


# ---- constraints in time


def test_a_slider_closes_loops_as_they_are_at_this_time():
    rope = {"rope": "x^2 + y^2 = (1 + 0.3*sin(t))^2"}
    session = Session(vv.Lagrangian("x y", "(x'^2 + y'^2)/2", "9.81*y", constraints=rope))
    session.place([0.0, -1.0])
    session.t = np.pi / 2
    assert session.slide(0, 0.5)
    assert session.q == pytest.approx([0.5, -1.2], abs=1e-11)  # of length 1.3


def test_a_frame_is_dragged_as_constraints_are_at_this_time():
    driven = vv.catalog.planar_3r().with_constraint("theta1 = 0.3*sin(t)")
    session = Session(driven)
    session.t = np.pi / 2
    drag = Dragging(driven, "tool", session.closing, session.q, session.t)
    wanted = drag.pose(np.array([0.3, 0.7, -0.4]))
    reached = drag.to(session.q, wanted, session.parameters, session.t)
    assert reached.is_there
    assert reached.q[0] == pytest.approx(0.3, abs=1e-12)


# ---- time


def test_steps_are_those_of_simulate(arm):
    session = Session(arm)
    q, v = session.q.copy(), session.v.copy()
    session.running = True
    session.advance(0.4)
    run = arm.simulate(q, v, 0.4, method="rk4", dt=session.dt)
    assert session.t == pytest.approx(0.4)
    assert np.abs(session.q - run.q[-1]).max() < 1e-12
    assert np.abs(session.v - run.v[-1]).max() < 1e-11


def test_time_passes_only_while_it_runs(arm):
    session = Session(arm)
    q = session.q.copy()
    session.advance(0.2)
    assert (session.q == q).all()
    assert session.t == 0.0


def test_a_pull_makes_it_swing_and_its_work_is_what_energy_grows_by(arm):
    session = Session(arm)
    session.switch_gravity(False)
    at = gripped(session, "frame:tool")
    assert session.running
    session.pull(at + np.array([0.0, 0.4, 0.0]))
    for _ in range(10):
        session.advance(0.02)
    account = session.account
    assert account["hand"] > 0.01
    assert account["gained"] == pytest.approx(account["hand"], rel=1e-5)
    assert abs(account["lost"]) < 1e-5 * account["hand"]
    assert session.held_at[1] > at[1] + 0.05
    assert np.linalg.norm(session.force) > 0
    session.release()
    work = session.account["hand"]
    assert np.abs(session.v).max() > 0.1
    session.advance(0.2)
    assert session.account["hand"] == work  # who has let go does nothing
    assert session.account["gained"] == pytest.approx(work, rel=1e-5)


def test_a_held_point_comes_to_rest_at_the_hand_and_feels_its_weight(arm):
    session = Session(arm)
    at = gripped(session, "frame:tool")
    target = at + np.array([-0.1, 0.05, 0.0])
    session.pull(target)
    session.friction = 3.0
    session.advance(3.0)
    assert np.linalg.norm(session.held_at - target) < session.scene.size / 20
    assert session.force[1] > 1.0  # it carries


def test_nothing_holds_the_world(arm):
    session = Session(arm)
    assert not session.grab("world", [0.0, 0.0, 0.0])
    assert session.grip is None
    with pytest.raises(UnknownNameError, match="carrier"):
        session.grab("nose", [0.0, 0.0, 0.0])


def test_gravity_off_and_on(arm):
    session = Session(arm)
    assert session.has_gravity
    session.switch_gravity(False)
    assert session.energies["potential"] == pytest.approx(0.0, abs=1e-12)
    q = session.q.copy()
    session.running = True
    session.advance(0.1)
    assert np.abs(session.q - q).max() < 1e-14
    session.switch_gravity(True)
    session.advance(0.1)
    assert np.abs(session.q - q).max() > 1e-3
    assert not Session(vv.catalog.knife_edge()).has_gravity


def test_loops_stay_closed_while_it_is_pulled(linkage):
    session = Session(linkage)
    at = gripped(session, "frame:coupler_end")
    for k in range(30):
        session.pull(at + 0.3 * np.array([np.sin(0.4 * k), np.cos(0.4 * k), 0.0]))
        session.advance(0.02)
        assert np.abs(linkage.constraint_error(session.q)).max() < 1e-9
    A = linkage.constraint_matrix(session.q)
    assert np.abs(A @ session.v).max() < 1e-9
    account = session.account
    assert account["gained"] == pytest.approx(account["hand"], rel=1e-4)


def test_motors_hold_the_pose_and_go_where_sliders_say():
    session = Session(vv.catalog.planar_3r())
    session.switch_motors(HOLD)
    session.running = True
    q = session.q.copy()
    session.advance(0.5)
    assert np.abs(session.q - q).max() < 1e-6
    session.slide(0, q[0] + 0.2)
    assert session.q[0] == pytest.approx(q[0], abs=1e-6)  # not at once
    session.advance(2.0)
    assert session.q[0] == pytest.approx(q[0] + 0.2, abs=1e-3)
    with pytest.raises(UnknownNameError, match="what motors do"):
        session.switch_motors("sleep")


def test_stops_stop():
    pendulum = vv.catalog.pendulum(n=1).with_limits({"theta1": (-0.2, 0.2)}).with_stops(0.5)
    session = Session(pendulum, q=[0.15])
    session.running = True
    seen = []
    for _ in range(100):
        session.advance(0.02)
        seen.append(session.q[0])
    assert max(seen) <= 0.2 + 1e-12
    assert min(seen) >= -0.2 - 1e-12


@pytest.mark.filterwarnings("ignore::visviva.errors.NotFiniteWarning")
def test_what_no_longer_has_finite_numbers_stops(arm):
    session = Session(arm)
    session.place(session.q, [1e200, 0.0])
    session.running = True
    session.advance(0.01)
    assert not session.running
    assert "stopped" in session.said
    assert np.isfinite(session.q).all()
    session.reset()
    assert session.said == ""


@pytest.mark.filterwarnings("ignore::visviva.errors.NotFiniteWarning")
@pytest.mark.parametrize("turning", [0.1, 1e-3])
def test_past_a_pole_of_its_coordinates_it_keeps_its_energy(turning):
    session = Session(vv.catalog.spherical_pendulum())
    session.place([1.0, 0.0], [0.0, turning])
    session.running = True
    session.advance(1.0)  # below the pivot after 0.48 s, where phi' grows ten thousand times
    assert session.q[1] == pytest.approx(np.pi, abs=0.1)
    assert abs(session.account["lost"]) < 5e-5
    session.place([0.0, 0.0])
    session.running = True
    session.advance(0.01)
    assert not session.running
    assert "pole" in session.said


def test_large_mechanisms_step_by_called_accelerations(monkeypatch, arm):
    fast = Session(arm)
    fast.running = True
    fast.advance(0.05)
    monkeypatch.setattr("visviva.show.live.stepping.MOST_AT_ONCE", 1)
    slow = Session(vv.catalog.two_link())
    slow.running = True
    slow.advance(0.05)
    assert np.abs(slow.q - fast.q).max() < 1e-13


# ---- played motions


def test_a_saved_trajectory_is_played(arm, tmp_path):
    path = tmp_path / "run.npz"
    arm.simulate([1.0, 0.2], [0.0, 0.0], 1.0).save(path)
    run = vv.load_trajectory(path)
    session = Session(run.system, run)
    assert session.q == pytest.approx([1.0, 0.2])
    session.play()
    session.advance(0.3)
    assert session.t == pytest.approx(0.3)
    assert session.q == pytest.approx(run.at(0.3)[0], abs=1e-14)
    session.speed = 10.0
    session.advance(0.3)
    assert not session.playing  # at its end
    assert session.q == pytest.approx(run.q[-1], abs=1e-14)
    session.play()
    assert session.t == 0.0
    session.reset()
    assert session.q == pytest.approx([1.0, 0.2])


def test_a_trajectory_of_another_system_is_refused(arm):
    run = vv.catalog.pendulum(n=1).simulate([0.3], [0.0], 0.1)
    for made in (lambda: Session(arm).play(run), lambda: Session(arm, run)):
        with pytest.raises(ArgumentError, match="coordinates theta1, and 'two_link' has q1, q2"):
            made()
    other = vv.catalog.cart_pole()  # with as many coordinates
    with pytest.raises(ArgumentError, match="a trajectory of 'cart_pole'"):
        Session(arm).play(other.simulate([0.0, 0.1], [0.0, 0.0], 0.1))
    other = vv.catalog.two_link(r1="L1/2")  # and with the same names
    with pytest.raises(ArgumentError, match="trajectory of 'two_link with r1 = L1/2', whose"):
        Session(arm).play(other.simulate([0.0, 0.1], [0.0, 0.0], 0.1))
    with pytest.raises(ArgumentError, match="no trajectory"):
        Session(arm).play()


def test_a_motion_of_a_batch_is_chosen(arm):
    t, v = np.linspace(0.0, 1.0, 11), np.zeros((2, 11, 2))
    q = np.stack([np.full((11, 2), 0.1), np.full((11, 2), 0.2)])
    q[1, 6:] = np.nan  # where it ended
    session = Session(arm, vv.Trajectory(arm, t, q, v))
    assert session.q == pytest.approx([0.1, 0.1])
    session.choose(1)
    assert session.q == pytest.approx([0.2, 0.2])
    session.play()
    session.advance(0.3)
    session.advance(0.6)
    assert not session.playing
    assert "no state at t = 0.9 s" in session.said
    assert session.q == pytest.approx([0.2, 0.2])
    session.seek(0.4)
    assert session.said == ""
    with pytest.raises(IndexError, match="2 trajectories"):
        session.choose(2)
    with pytest.raises(ArgumentError, match="no batch"):
        Session(arm).choose(0)


def test_frames_keep_names_of_their_own():
    names = ["a" * 50 + x for x in "xyz"] + ["tool"]
    found = distinct(names, 40)
    assert [*found.values()] == names
    assert max(map(len, found)) <= 40


# ---- the hand


def test_a_point_feels_the_inertia_of_what_it_moves():
    J = np.diag([1.0, 1.0, 0.0])
    a = J / 4.0  # four kilograms in x and y, nothing to move in z
    assert felt_inertia(J, a) == pytest.approx(np.diag([4.0, 4.0, 0.0]))
    assert not felt_inertia(np.zeros((3, 3)), np.zeros((3, 3))).any()


def test_what_no_inertia_resists_is_moved_by_sliders_alone():
    """The view is there; what it cannot do is said of the mechanism, with what helps."""
    b = vv.Builder("hollow")
    b.body("a", joint="revolute", axis="z")
    b.body("b", parent="a", joint="prismatic", axis="z", mass=1.0)
    shown = Session(b.build())
    with pytest.raises(
        SingularError, match="'hollow' cannot be let go, it is moved by sliders"
    ) as e:
        shown.dt  # noqa: B018
    assert "no inertia resists the motion of a_joint alone" in str(e.value)
    assert "give a body there a tensor, or the joint an armature" in str(e.value)
    assert "a live view" not in str(e.value)
