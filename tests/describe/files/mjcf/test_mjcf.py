"""MJCF files give what MuJoCo itself makes of them."""

import zipfile
from pathlib import Path

import mujoco
import numpy as np
import pytest

from tests.support.counts import count
from tests.support.generators.mjcf_files import (
    NAMES,
    TOLERANCE,
    body,
    off,
    origin,
    ours,
    theirs,
    write,
)
from tests.support.oracles import mujoco_models as peer
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.constraints.loop import Loop
from visviva.describe.constraints.relation import Relation
from visviva.describe.files.mjcf.read import load_mjcf
from visviva.describe.joints.axis import Fixed
from visviva.describe.joints.free import Spherical
from visviva.describe.model.body import WORLD
from visviva.describe.model.compare import differences
from visviva.space import rotations
from visviva.space.poses import Pose


@pytest.fixture(scope="module")
def tally(request):
    """Prints, after all models, how much was compared."""
    seen = {"models": 0, "bodies": 0, "states": 0, "poses": 0, "largest": 0.0}
    yield seen
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print(
            f"\nMuJoCo: {seen['models']} models, {seen['bodies']} bodies, {seen['states']} states, "
            f"{seen['poses']} poses and inertias compared, largest difference {seen['largest']:.1e}"
        )


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", NAMES)
def test_poses_masses_and_inertias_are_mujocos(name, tally):
    compare(theirs(name), ours(name), tally)


@pytest.mark.soak
@pytest.mark.parametrize("archive", ["MJCF_NoRoot.zip", "MJCF_Root.zip"])
def test_models_zipped_in_mujoco(archive, tmp_path, tally):
    found = next(Path(mujoco.__file__).parent.rglob(archive), None)
    if found is None:
        pytest.skip(f"this version of MuJoCo has no {archive}")
    with zipfile.ZipFile(found) as packed:
        packed.extractall(tmp_path)
    (path,) = tmp_path.rglob("*.xml")
    compare(peer.read(path), load_mjcf(path, snap=0), tally)


def compare(m, model, tally):
    """Poses of all bodies and sites, all inertias and the mass matrix, at random positions."""
    rng = np.random.default_rng(7)
    states = count(5, 200)
    frames = {f.name for f in model.frames} | set(model.body_names)
    assert model.nq == m.nq
    assert model.nv == m.nv
    assert off(model.mass, m.body_mass[m.body_weldid > 0].sum()) < TOLERANCE
    worst = 0.0
    for _ in range(states):
        qpos = peer.random_qpos(m, rng)
        d, q = peer.at(m, qpos), peer.our_q(m, qpos)
        poses = model.body_poses(q)
        for i in range(1, m.nbody):
            frame = model.frame(origin(model, peer.body_name(m, i)))
            X = frame.placement if frame.body == WORLD else poses[frame.body] @ frame.placement
            worst = max(worst, off(X.p, d.xpos[i]), off(X.R, d.xmat[i].reshape(3, 3)))
            tally["poses"] += 1
            if m.body_jntnum[i]:
                members = np.flatnonzero(m.body_weldid == i)
                b = frame.body
                want = peer.in_frame(*peer.composite(m, d, members), poses[b].R, poses[b].p)
                got = model.bodies[b].inertia
                worst = max(worst, *map(off, (got.mass, got.com, got.tensor), want))
        for k in range(m.nsite):
            name_k = m.site(k).name or f"site_{k}"
            known = f"{name_k}_site" if f"{name_k}_site" in frames else name_k
            f = model.frame(known)
            X = f.placement if f.body == WORLD else poses[f.body] @ f.placement
            worst = max(worst, off(X.p, d.site_xpos[k]), off(X.R, d.site_xmat[k].reshape(3, 3)))
        worst = max(worst, off(peer.our_mass_matrix(model, q), peer.mass_matrix(m, d)))
    fixed = np.flatnonzero(m.body_weldid == 0)
    want = peer.in_frame(*peer.composite(m, d, fixed), np.eye(3), np.zeros(3))
    base = model.base_inertia or Inertia.point(0.0)
    worst = max(worst, *map(off, (base.mass, base.com, base.tensor), want))
    assert worst < TOLERANCE
    tally["models"] += 1
    tally["bodies"] += m.nbody - 1
    tally["states"] += states
    tally["largest"] = max(tally["largest"], worst)


@pytest.mark.spread(6)
@pytest.mark.parametrize("name", NAMES)
def test_joint_data_are_mujocos(name):
    m, model = theirs(name), ours(name)
    off_gravity = m.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    assert model.gravity.tolist() == ([0, 0, 0] if off_gravity else m.opt.gravity.tolist())
    assert model.joint_names == tuple(peer.joint_name(m, j) for j in range(m.njnt))
    for j, b in enumerate(b for b in model.bodies):
        dofs = slice(m.jnt_dofadr[j], m.jnt_dofadr[j] + b.joint.nv)
        for got, want in (
            (b.damping, m.dof_damping),
            (b.friction, m.dof_frictionloss),
            (b.armature, m.dof_armature),
        ):
            assert got.tolist() == want[dofs].tolist()
        if b.joint.nq == 1:
            limits = m.jnt_range[j].tolist() if m.jnt_limited[j] else [-np.inf, np.inf]
            assert [b.limits.lower[0], b.limits.upper[0]] == limits
    keys = {m.key(k).name or f"key_{k}": m.key_qpos[k] for k in range(m.nkey)}
    drawn = {} if np.array_equal(peer.our_q(m, m.qpos0), model.neutral()) else {"qpos0": m.qpos0}
    assert set(model.keyframes) == {*drawn, *keys}
    for key, qpos in {**keys, **drawn}.items():
        d = peer.at(m, qpos)
        for i in range(1, m.nbody):
            X = model.frame_pose(origin(model, peer.body_name(m, i)), model.keyframes[key])
            assert off(X.p, d.xpos[i]) < TOLERANCE
            assert off(X.R, d.xmat[i].reshape(3, 3)) < TOLERANCE


def test_equalities_are_mujocos_residuals():
    m, model = theirs("equality.xml"), ours("equality.xml")
    kinds = [type(x) for x in model.constraints]
    assert kinds == [Loop] * 6 + [Relation] * 2
    assert [type(x.joint) for x in model.loops] == [Spherical] * 3 + [Fixed] * 3
    assert [x.active for x in model.constraints] == [True] * 4 + [False] + [True] * 3
    assert model.loops[2] == Loop("touch", "end", "ground", Spherical())
    m.eq_active0[:] = 1
    rng = np.random.default_rng(3)
    for _ in range(5):
        qpos = peer.random_qpos(m, rng)
        d, q = peer.at(m, qpos), peer.our_q(m, qpos)
        equal = d.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
        for k, loop in enumerate(model.constraints):
            want = d.efc_pos[equal & (d.efc_id == k)]
            if isinstance(loop, Relation):
                pairs = zip(model.bodies, model.q_index, strict=True)
                values = {b.joint_name: q[s][0] for b, s in pairs}
                assert off([loop.value(values)], want) < TOLERANCE
                continue
            X1, X2 = model.frame_pose(loop.frame1, q), model.frame_pose(loop.frame2, q)
            assert off(X1.p - X2.p, want[:3]) < TOLERANCE
            if isinstance(loop.joint, Fixed):
                half = np.linalg.norm(rotations.log(X1.R.T @ X2.R)) / 2
                turn = loop.torquescale * np.sin(half)
                assert off(turn, np.linalg.norm(want[3:])) < TOLERANCE


def test_linear_couplings_become_mimic_joints():
    m, model = theirs("mimic.xml"), ours("mimic.xml", "couple")
    assert model.joint_names == ("wrist", "drive")
    assert model.constraints.names == ("circle", "twice")
    rules = {b.joint_name: b.mimic for b in model.bodies if b.mimic is not None}
    assert {k: x.joint for k, x in rules.items()} == {"follow": "drive", "second": "drive"}
    rng = np.random.default_rng(1)
    for _ in range(5):
        wrist, drive = rng.uniform(-1, 1, 2)
        # MuJoCo's rule is about the reference positions 15°, -5° and 0
        follow = np.radians(-5) + 0.1 + 1.5 * (drive - np.radians(15))
        second = 0.01 - 0.02 * (follow - np.radians(-5))
        d = peer.at(m, [wrist, drive, follow, second])
        q = peer.our_q(m, d.qpos, set(rules))
        for i in range(1, m.nbody):
            X = model.frame_pose(origin(model, m.body(i).name), q)
            assert off(X.p, d.xpos[i]) < TOLERANCE
            assert off(X.R, d.xmat[i].reshape(3, 3)) < TOLERANCE
        G = np.array([[1, 0], [0, 1], [0, 1.5], [0, -0.03]])
        want = G.T @ peer.mass_matrix(m, d) @ G
        assert off(peer.our_mass_matrix(model, q), want) < TOLERANCE
    assert len(ours("mimic.xml").constraints) == 4


def test_snapping_moves_nothing_and_is_noted():
    exact, clean = ours("fixed.xml"), ours("fixed.xml", snap=1e-10)
    assert differences(exact, clean, tolerance=1e-13) == []
    assert any("made exact" in note for note in clean.notes)
    assert not any("made exact" in note for note in exact.notes)


def test_notes_say_what_was_left_out():
    notes = "\n".join(ours("losses.xml").notes)
    for text in (
        "as their transmission has no form here: 'actuator_1' (tendon 't')",
        "1 sensor ignored",
        "1 camera ignored",
        "gravity is not compensated (gravcomp): bodies 'a'",
        "damping beyond the linear term is missing: joints 'h'",
        "forces are not held within actuatorfrcrange; symmetric ones are in effort_limits: joints",
        "the medium is not part of the model: density and viscosity resist nothing",
        "the file disables gravity: it is zero",
        "site 'a' is the frame 'a_site'",
    ):
        assert text in notes
    assert ours("losses.xml").effort_limits.tolist() == [12, np.inf]
    assert "joint 'shoulder': the limit 1.0472 of its turn is ignored" in ours("ball.xml").notes
    merged = [n for n in ours("fixed.xml").notes if "merged into its parent" in n]
    assert len(merged) == 5
    assert "1 mocap body held where the file puts it" in ours("fixed.xml").notes


def test_visuals_stand_where_mujoco_has_the_vertices():
    m, model = theirs("includes.xml"), ours("includes.xml")
    tip = model.bodies[model.body_index("tip")]
    assert [Path(v.path).name for v in tip.visuals] == ["block.stl", "wedge.obj"]
    wedge = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3.0]])
    seen = model.bodies[model.body_index("link")].visuals[0]
    drawn = [seen.placement.apply(v * seen.size) for v in wedge]
    (g,) = np.flatnonzero(m.geom_bodyid == m.body("link").id)
    k = m.geom_dataid[g]
    vertices = m.mesh_vert[m.mesh_vertadr[k] : m.mesh_vertadr[k] + m.mesh_vertnum[k]]
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, m.geom_quat[g])
    kept = vertices @ R.reshape(3, 3).T + m.geom_pos[g]
    for point in drawn:
        assert np.abs(kept - point).max(axis=1).min() < 1e-6  # vertices are single precision
    plain = {v.kind: v.size for v in ours("geoms.xml").bodies[0].visuals}
    assert plain["box"] == pytest.approx((0.2, 0.1, 0.06))
    assert plain["cylinder"] == pytest.approx((0.07, 0.2))


def test_a_keyframe_without_a_quaternion_is_not_turned(tmp_path):
    key = "<keyframe><key name='k' qpos='0 0 0 0'/></keyframe>"
    text = body("<joint type='ball'/><geom size='.1'/>", key)
    assert load_mjcf(write(tmp_path, text)).keyframes["k"].tolist() == [0, 0, 0, 1]


def test_a_relative_path_and_a_bytes_name_in_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(peer.FOLDER)
    assert load_mjcf("includes.xml").name == "put together"
    path = write(tmp_path, body("<joint name='q&amp;&quot;&lt;ä'/><geom size='.1'/>"), "x.xml")
    assert load_mjcf(path).joint_names == ('q&"<ä',)
    assert load_mjcf(path).name == "x"
    assert list(tmp_path.iterdir()) == [path]  # MuJoCo's log goes elsewhere


def test_the_frame_of_mujocos_body_is_kept():
    model = ours("several.xml")
    frame = model.frame("hip_origin")
    assert isinstance(frame.placement, Pose)
    assert frame.placement.p.tolist() == [0.0, -0.2, 0.1]
    assert model.body_names[:3] == ("hip_yaw", "hip_lift", "hip")
