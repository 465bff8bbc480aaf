"""Every real robot, against Pinocchio: names, sizes, masses, placements, limits, poses."""

import numpy as np
import pinocchio as pin
import pytest
from lxml import etree

from tests.support.oracles import robots
from tests.support.oracles.robots import ROBOTS, all_poses, peer_inertia, peer_q, peer_v
from visviva.describe.files.urdf.read import load_urdf, loads_urdf
from visviva.describe.files.urdf.write import to_urdf
from visviva.errors import ReadError

TOLERANCE = 1e-12  # both compute the same few products of numbers of size one, in another order
GOOD = [p for p in ROBOTS if p != robots.NAMELESS]


def peer_of(path, base="fixed", mimic=False):
    root = [pin.JointModelFreeFlyer()] if base == "free" else []
    return pin.buildModelFromUrdf(str(path), *root, mimic=mimic)


def error(ours, theirs):
    """The largest difference, relative to the size of the numbers where that is above one."""
    return float(np.max(np.abs(ours - theirs), initial=0.0)) / max(
        1.0, float(np.max(np.abs(theirs), initial=0.0))
    )


def compare_structure(model, peer):
    assert [b.joint_name for b in model.bodies] == list(peer.names)[1:]
    assert model.nv == peer.nv
    doubled = sum(j.nq == 2 for j in peer.joints) + sum(j.nq == 4 for j in peer.joints)
    assert model.nq == peer.nq - doubled
    worst = 0.0
    for i, b in enumerate(model.bodies):
        assert b.parent == peer.parents[i + 1] - 1
        worst = max(worst, error(b.placement.matrix(), peer.jointPlacements[i + 1].homogeneous))
        assert b.inertia.mass == pytest.approx(peer.inertias[i + 1].mass, rel=TOLERANCE, abs=0)
        theirs = peer_inertia(peer.inertias[i + 1])
        scale = max(np.abs(theirs).max(), 1e-300)
        worst = max(worst, float(np.abs(b.inertia.spatial() - theirs).max() / scale))
    if model.base_inertia is not None:
        worst = max(worst, error(model.base_inertia.spatial(), peer_inertia(peer.inertias[0])))
    return worst


def compare_limits(model, peer):
    for b in model.bodies:
        j = peer.joints[peer.getJointId(b.joint_name)]
        at, speed = slice(j.idx_q, j.idx_q + j.nq), slice(j.idx_v, j.idx_v + j.nv)
        if j.nq == 1:
            assert b.limits.lower == peer.lowerPositionLimit[at]
            assert b.limits.upper == peer.upperPositionLimit[at]
        else:
            assert np.isinf(b.limits.lower).all()
            assert np.isinf(b.limits.upper).all()
        for ours, theirs in (
            (b.limits.velocity, peer.velocityLimit),
            (b.limits.effort, peer.upperEffortLimit),
        ):
            none = np.finfo(float).max
            assert np.array_equal(np.minimum(ours, none), np.minimum(theirs[speed], none))
        assert np.array_equal(b.damping, peer.damping[speed])
        assert np.array_equal(b.friction, peer.friction[speed])


def compare_motion(model, peer, rng):
    data = peer.createData()
    worst = 0.0
    neutral = peer_q(model, peer, model.neutral())
    assert np.array_equal(neutral, pin.neutral(peer))
    if model.mass > 0:
        com = robots.center_of_mass(model, model.neutral())
        worst = error(com, pin.centerOfMass(peer, data, neutral))
        assert model.mass == pytest.approx(data.mass[0], rel=TOLERANCE)
    q = model.random(rng)
    pin.framesForwardKinematics(peer, data, peer_q(model, peer, q))
    ours = all_poses(model, q)
    theirs = {
        f.name: data.oMf[i].homogeneous
        for i, f in enumerate(peer.frames)
        if f.type == pin.FrameType.BODY
    }
    assert ours.keys() == theirs.keys()
    return max([worst, *(error(ours[name], theirs[name]) for name in ours)])


@pytest.mark.spread(1)
@pytest.mark.parametrize("base", ["fixed", "free"])
def test_every_robot_is_read_as_pinocchio_reads_it(base):
    rng = np.random.default_rng(7)
    worst, names = 0.0, []
    for path in GOOD:
        try:
            model, peer = load_urdf(path, base=base, mimic="expand", snap=0), peer_of(path, base)
            found = [compare_structure(model, peer), compare_motion(model, peer, rng)]
            compare_limits(model, peer)
            assert max(found) < TOLERANCE
        except AssertionError as failure:
            raise AssertionError(f"{path.name}, base {base}: {failure}") from failure
        worst = max(worst, *found)
        names.append(path)
    assert len(names) == len(ROBOTS) - 1 >= 68
    print(f"compared {len(names)} robots, base {base}: largest relative error {worst:.1e}")


def test_what_pinocchio_refuses_is_refused():
    with pytest.raises(ValueError, match="valid URDF"):
        peer_of(robots.NAMELESS)
    with pytest.raises(ReadError, match="line 6, <robot>: needs name"):
        load_urdf(robots.NAMELESS)


@pytest.mark.spread(0)
def test_default_settings_read_every_robot():
    """Cleaned rotations move frames by less than the tolerance of cleaning allows."""
    rng = np.random.default_rng(3)
    count = 0
    for path in GOOD:
        if path == robots.DANGLING:
            with pytest.raises(ReadError, match="did you mean 'Left_index_q1'"):
                load_urdf(path)
            continue
        model, exact = load_urdf(path), load_urdf(path, snap=0)
        q = model.random(rng)
        a, b = all_poses(model, q), all_poses(exact, q)
        assert max(np.abs(a[k] - b[k]).max() for k in a) < 1e-9, path.name
        count += any("entries of rotation matrices" in n for n in model.notes)
        assert not any("entries of rotation matrices" in n for n in exact.notes)
    assert count > 30


@pytest.mark.parametrize("name", ["panda.urdf", "baxter.urdf", "pr2.urdf"])
def test_coupled_joints_move_as_in_pinocchio(name):
    model, peer = load_urdf(robots.robot(name), snap=0), peer_of(robots.robot(name), mimic=True)
    assert any(b.mimic for b in model.bodies)
    assert model.nv == peer.nv
    data, q = peer.createData(), model.random(5)
    pin.framesForwardKinematics(peer, data, peer_q(model, peer, q))
    for name, ours in all_poses(model, q).items():
        frame = peer.getFrameId(name, pin.FrameType.BODY)
        assert error(ours, data.oMf[frame].homogeneous) < TOLERANCE


def test_coupled_joints_move_as_their_file_says():
    """Also where Pinocchio cannot couple: its expanded model, followers set by hand."""
    count = 0
    for path in (p for p in GOOD if p != robots.DANGLING):
        model, peer = load_urdf(path, snap=0), peer_of(path)
        if not any(b.mimic for b in model.bodies):
            continue
        count += 1
        expanded, q = load_urdf(path, mimic="expand", snap=0), model.random(2)
        theirs = expanded.q(**{b.joint_name: model.local(i, q) for i, b in enumerate(model.bodies)})
        stated = {j.get("name"): j.find("mimic") for j in etree.parse(path).getroot().iter("joint")}
        for name in expanded.joint_names:
            if stated[name] is not None:
                m = stated[name].attrib
                source = theirs[expanded.q_index[expanded.joint_index(m["joint"])]]
                own = theirs[expanded.q_index[expanded.joint_index(name)]]
                follows = source * float(m.get("multiplier", 1)) + float(m.get("offset", 0))
                assert own == pytest.approx(follows, abs=1e-14)
        data = peer.createData()
        pin.framesForwardKinematics(peer, data, peer_q(expanded, peer, theirs))
        for name, ours in all_poses(model, q).items():
            frame = peer.getFrameId(name, pin.FrameType.BODY)
            assert error(ours, data.oMf[frame].homogeneous) < TOLERANCE, path.name
    assert count >= 8
    print(f"compared {count} robots with coupled joints")


@pytest.mark.spread(0)
@pytest.mark.parametrize(
    ("base", "paths"), [("fixed", GOOD[::2]), ("free", GOOD[1::2])], ids=["fixed", "free"]
)
def test_written_robots_keep_their_dynamics(base, paths):
    """Our reader and Pinocchio's find the same robot in what we write."""
    rng = np.random.default_rng(11)
    worst = 0.0
    for path in paths:
        first = load_urdf(path, base=base, mimic="expand", snap=0)
        text = to_urdf(first)
        second = loads_urdf(text, mimic="expand", snap=0)
        peer = pin.buildModelFromXML(text)
        worst = max(worst, compare_structure(second, peer), compare_motion(second, peer, rng))
        worst = max(worst, same_dynamics(first, second, rng))
        assert second.joint_names == first.joint_names, path.name
    assert worst < TOLERANCE
    print(f"wrote {len(paths)} robots, base {base}: largest relative error {worst:.1e}")


def test_written_couplings_are_kept():
    first = load_urdf(robots.robot("baxter.urdf"))
    second = loads_urdf(to_urdf(first))
    assert first.nq == second.nq < len(first.bodies)
    assert same_dynamics(first, second, np.random.default_rng(1)) < TOLERANCE


def same_dynamics(first, second, rng):
    """The largest difference of two models whose bodies may stand in another order."""
    q = first.random(rng)
    there = second.q(
        **{b.joint_name: q[part] for b, part in robots.own_parts(first, first.q_index)}
    )
    a, b = all_poses(first, q), all_poses(second, there)
    worst = max([error(a[name], b[name]) for name in a], default=0.0)
    for one in first.bodies:
        other = second.bodies[second.joint_index(one.joint_name)]
        scale = max(np.abs(one.inertia.spatial()).max(), 1e-300)
        change = np.abs(one.inertia.spatial() - other.inertia.spatial()).max()
        worst = max(worst, float(change / scale))
        for field in ("lower", "upper", "velocity", "effort"):
            assert np.array_equal(getattr(one.limits, field), getattr(other.limits, field))
        assert np.array_equal(one.damping, other.damping)
        assert np.array_equal(one.friction, other.friction)
        assert type(one.joint) is type(other.joint)
        assert len(one.visuals) == len(other.visuals)
    return worst


def test_planar_and_floating_joints():
    inertial = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    inertial = inertial.replace("izz", 'ixy="0" ixz="0" iyz="0" izz')
    text = f"""<robot name="r"><link name="a"/><link name="b">{inertial}</link>
      <link name="c">{inertial}</link>
      <joint name="j" type="planar"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
        <origin xyz="1 2 3" rpy="0.1 0.2 0.3"/></joint>
      <joint name="k" type="floating"><parent link="b"/><child link="c"/></joint></robot>"""
    model, peer = loads_urdf(text, snap=0), pin.buildModelFromXML(text)
    rng = np.random.default_rng(0)
    assert compare_structure(model, peer) < TOLERANCE
    assert compare_motion(model, peer, rng) < TOLERANCE
    assert same_dynamics(model, loads_urdf(to_urdf(model), snap=0), rng) < TOLERANCE
    step = rng.normal(size=model.nv)  # velocities correspond too
    ours = model.integrate(model.neutral(), step)
    theirs = pin.integrate(peer, pin.neutral(peer), peer_v(model, peer, step))
    assert np.abs(peer_q(model, peer, ours) - theirs).max() < TOLERANCE
