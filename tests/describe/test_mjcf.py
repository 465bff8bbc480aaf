"""MJCF files give what MuJoCo itself makes of them; bad ones give errors that help."""

import os
import re
import sys
import zipfile
from collections import Counter
from functools import lru_cache
from pathlib import Path

import mujoco
import numpy as np
import pytest
from support import mujoco_models as peer
from support.counts import count, progress

from visviva.describe import mjcf_compile
from visviva.describe.builder import Builder
from visviva.describe.compare import differences
from visviva.describe.inertia import Inertia
from visviva.describe.joints import Helical
from visviva.describe.mjcf import Connect, JointCoupling, Weld, load_mjcf
from visviva.describe.mjcf_scan import scan
from visviva.describe.mjcf_write import to_mjcf
from visviva.describe.mjcf_write_joints import WriteError
from visviva.describe.parts import WORLD, Mimic
from visviva.describe.xmlfile import ReadError
from visviva.errors import ArgumentError, BackendError, UnknownNameError, VisvivaError
from visviva.space import rotations
from visviva.space.poses import Pose

FILES = peer.files()
NAMES = [f.name for f in FILES]
TOLERANCE = 1e-12  # both sides round a few dozen operations on numbers near one


@lru_cache
def ours(name, mimic="expand", snap=0.0):
    return load_mjcf(FILES[NAMES.index(name)], mimic=mimic, snap=snap)


def theirs(name):
    return peer.read(FILES[NAMES.index(name)])


def here(name):
    return peer.FOLDER / name


def off(a, b):
    """The largest difference, relative above one."""
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    return float((np.abs(a - b) / (1 + np.abs(b))).max()) if a.size else 0.0


def origin(model, name):
    """The frame of ours that is MuJoCo's body frame."""
    moved = f"{name}_origin"
    return moved if moved in model.frame_names else name


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


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
def test_poses_masses_and_inertias_are_mujocos(name, tally):
    compare(theirs(name), ours(name), tally)


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
    assert set(model.keyframes) == {"qpos0", *keys}
    for key, qpos in {**keys, "qpos0": m.qpos0}.items():
        d = peer.at(m, qpos)
        for i in range(1, m.nbody):
            X = model.frame_pose(origin(model, peer.body_name(m, i)), model.keyframes[key])
            assert off(X.p, d.xpos[i]) < TOLERANCE
            assert off(X.R, d.xmat[i].reshape(3, 3)) < TOLERANCE


@pytest.mark.parametrize("name", NAMES)
def test_round_trip(name, tmp_path):
    model = ours(name, "couple" if name == "mimic.xml" else "expand")
    again = tmp_path / "again.xml"
    again.write_text(to_mjcf(model), encoding="utf-8")
    back = load_mjcf(again, snap=0, mimic="couple" if name == "mimic.xml" else "expand")
    assert differences(model, back, tolerance=1e-13) == []
    assert back.loops == model.loops
    assert set(back.keyframes) == set(model.keyframes)
    for key, q in model.keyframes.items():
        assert off(model.difference(q, back.keyframes[key]), np.zeros(model.nv)) < 1e-14
    if name != "geoms.xml":  # whose inline mesh has no picture
        for a, b in zip(model.bodies, back.bodies, strict=True):
            drawn = [v.kind for v in a.visuals if v.kind != "mesh"]
            assert [v.kind for v in b.visuals] == drawn


def test_equalities_are_mujocos_residuals():
    m, model = theirs("equality.xml"), ours("equality.xml")
    kinds = [type(x) for x in model.loops]
    assert kinds == [Connect, Connect, Connect, Weld, Weld, Weld, JointCoupling, JointCoupling]
    assert [x.active for x in model.loops] == [True] * 4 + [False] + [True] * 3
    assert model.loops[2] == Connect("touch", "end", "ground")
    m.eq_active0[:] = 1
    rng = np.random.default_rng(3)
    for _ in range(5):
        qpos = peer.random_qpos(m, rng)
        d, q = peer.at(m, qpos), peer.our_q(m, qpos)
        equal = d.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
        for k, loop in enumerate(model.loops):
            want = d.efc_pos[equal & (d.efc_id == k)]
            if isinstance(loop, JointCoupling):
                value = {
                    b.joint_name: q[s] for b, s in zip(model.bodies, model.q_index, strict=True)
                }
                x = value[loop.source][0] if loop.source else 0.0
                got = value[loop.joint] - np.polynomial.polynomial.polyval(x, loop.coefficients)
                assert off(got, want) < TOLERANCE
                continue
            X1, X2 = model.frame_pose(loop.frame1, q), model.frame_pose(loop.frame2, q)
            assert off(X1.p - X2.p, want[:3]) < TOLERANCE
            if isinstance(loop, Weld):
                half = np.linalg.norm(rotations.log(X1.R.T @ X2.R)) / 2
                turn = loop.torquescale * np.sin(half)
                assert off(turn, np.linalg.norm(want[3:])) < TOLERANCE


def test_linear_couplings_become_mimic_joints():
    m, model = theirs("mimic.xml"), ours("mimic.xml", "couple")
    assert model.joint_names == ("wrist", "drive")
    assert [x.name for x in model.loops] == ["circle", "twice"]
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
    assert len(ours("mimic.xml").loops) == 4


def test_snapping_moves_nothing_and_is_noted():
    exact, clean = ours("fixed.xml"), ours("fixed.xml", snap=1e-10)
    assert differences(exact, clean, tolerance=1e-13) == []
    assert any("made exact" in note for note in clean.notes)
    assert not any("made exact" in note for note in exact.notes)


def test_notes_say_what_was_left_out():
    notes = "\n".join(ours("losses.xml").notes)
    for text in (
        "2 actuators ignored",
        "1 tendon ignored",
        "1 sensor ignored",
        "1 contact exclusion ignored",
        "1 camera ignored",
        "body 'a': gravcomp 1 ignored",
        "joint 'h': spring of stiffness 4 about 0.523599 ignored",
        "joint 'h': damping beyond the linear term ignored",
        "joint 's': the one-sided force range (-5, 7) is ignored",
        "density and viscosity of the medium ignored",
        "the file disables 'gravity': gravity is zero",
        "site 'a' is the frame 'a_site'",
    ):
        assert text in notes
    assert ours("losses.xml").effort_limits.tolist() == [12, np.inf]
    assert "joint 'shoulder': the limit 1.0472 of its turn is ignored" in ours("ball.xml").notes
    merged = [n for n in ours("fixed.xml").notes if "merged into its parent" in n]
    assert len(merged) == 5


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


# ---- writing


def test_every_joint_type_is_written_as_mujoco_moves_it(tmp_path):
    solid = Inertia.box(2.0, x=0.3, y=0.2, z=0.4).moved(None, [0.1, 0.0, 0.2])
    b = Builder("all", gravity=[0, 0.5, -9])
    details = {"inertia": solid, "at": [0.1, 0.2, 0.3], "rotation": rotations.exp([0.3, -0.5, 0.7])}
    b.body(
        "cyl", joint="cylindrical", axis=[0.6, 0, 0.8], limits=(-1, 1), damping=[1, 2], **details
    )
    b.body("uni", parent="cyl", joint="universal", axis="x", second=[0, 0.6, 0.8], **details)
    b.body("pla", parent="uni", joint="planar", axis=[0.6, 0.8, 0], damping=0.3, **details)
    b.body("sph", parent="pla", joint="spherical", armature=0.1, **details)
    b.body(
        "rev", parent="sph", joint="revolute", axis="y", limits=(-np.inf, 2), effort=7, **details
    )
    b.body("fol", parent="rev", joint="prismatic", mimic=Mimic("rev_joint", 0.5, 0.1), **details)
    b.body("flo", joint="free", **details)
    b.frame("tip", body="fol", at=[0, 0, 1]).frame("floor", at=[1, 1, 0])
    model = b.base_inertia(Inertia.sphere(3.0, radius=0.1)).build()
    path = tmp_path / "all.xml"
    path.write_text(to_mjcf(model), encoding="utf-8")
    m, read = peer.read(path), load_mjcf(path)
    assert read.base_inertia.mass == 3.0
    assert read.bodies[read.joint_index("rev_joint")].limits.upper == [2]
    assert read.bodies[read.joint_index("rev_joint")].limits.lower == [-np.inf]
    assert read.effort_limits[read.v_index[read.joint_index("rev_joint")]] == [7]
    rng = np.random.default_rng(0)
    for _ in range(5):
        q = model.random(rng)
        parts = {b.joint_name: model.local(i, q) for i, b in enumerate(model.bodies)}
        flo = model.bodies[-1].placement @ model.bodies[-1].joint.transform(parts["flo_joint"])
        x, y, z, w = rotations.quaternion(flo.R)
        sx, sy, sz, sw = parts["sph_joint"]
        angle, px, py = parts["pla_joint"]
        rev = parts["rev_joint"][0]
        qpos = [*parts["cyl_joint"], *parts["uni_joint"], px, py, angle, sw, sx, sy, sz]
        qpos += [rev, *parts["fol_joint"], *flo.p, w, x, y, z]
        d = peer.at(m, qpos)
        for name, X in zip(model.body_names, model.body_poses(q), strict=True):
            assert off(X.p, d.body(name).xpos) < TOLERANCE
            assert off(X.R, d.body(name).xmat.reshape(3, 3)) < TOLERANCE
        assert off(model.frame_pose("tip", q).p, d.site("tip").xpos) < TOLERANCE


def chain(joint, **details):
    b = Builder("short")
    b.body("one", joint=joint, inertia=Inertia.box(1.0, x=1, y=1, z=1), **details)
    return b


@pytest.mark.parametrize(
    ("builder", "message"),
    [
        (chain(Helical([0, 0, 1], 0.1), joint_name="screw"), "'screw' is helical.*available: rev"),
        (chain("spherical", damping=[1, 2, 3]), "damping of a spherical joint is one number"),
        (chain("planar", friction=1.0), "friction of a planar joint"),
        (chain("revolute").body("end", parent="one", joint="revolute"), "'end' moves and has mass"),
        (
            chain("revolute").body("rod", joint="revolute", inertia=Inertia.rod(1.0, length=1)),
            "'rod' moves and has mass 1.0 and principal moments",
        ),
        (
            chain("revolute").body(
                "up", parent="one", joint="free", inertia=Inertia.sphere(1.0, radius=1)
            ),
            "free joints only between the world and a body",
        ),
    ],
)
def test_what_mjcf_cannot_say_is_refused(builder, message):
    with pytest.raises(WriteError, match=message):
        to_mjcf(builder.build())


def test_parameters_are_written_as_values(tmp_path):
    b = Builder("symbolic", parameters={"m": 2.5})
    b.body("a", joint="revolute", inertia=Inertia.box(b.parameters["m"], x=1, y=1, z=1))
    path = tmp_path / "symbolic.xml"
    path.write_text(to_mjcf(b.build()), encoding="utf-8")
    assert load_mjcf(path).mass == 2.5


# ---- what strangers send


def write(folder, text, name="bad.xml"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def body(inside, extra=""):
    return f"<mujoco>{extra}<worldbody>\n<body name='a'>\n{inside}\n</body></worldbody></mujoco>"


BOMB = "<!DOCTYPE m [<!ENTITY a 'x'>" + "".join(
    f"<!ENTITY a{i} '{('&a' + str(i - 1 if i else '') + ';') * 10}'>" for i in range(9)
)
BAD = {
    "malformed": ("<mujoco><worldbody></mujoco>", r"bad.xml, line 1: malformed XML"),
    "empty": ("", "accepted: an XML file"),
    "bomb": (BOMB + "]><mujoco model='&a8;'/>", "document types and entities are refused"),
    "external": (
        "<!DOCTYPE m [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><mujoco model='&x;'/>",
        "document types and entities are refused",
    ),
    "remote": ("<!DOCTYPE m SYSTEM 'http://127.0.0.1:9/x.dtd'><mujoco/>", "document types"),
    "urdf": ("<robot name='r'/>", "begins with <mujoco>, got <robot>; that is a URDF"),
    "garbage": (bytes(range(256)) * 40, "accepted: an XML file"),
    "deep": (
        "<mujoco><worldbody>" + "<body>" * 100_000 + "</body>" * 100_000 + "</worldbody></mujoco>",
        "malformed XML: Excessive depth",
    ),
    "self": ("<mujoco>\n<include file='bad.xml'/></mujoco>", "line 2, <include>.*a second time"),
    "cycle": ("<mujoco><include file='other.xml'/></mujoco>", "other.xml, line 1.*a second time"),
    "include": ("<mujoco><include file='../secret.xml'/></mujoco>", "outside of .*give roots="),
    "include_option": ("<mujoco><include file='x.xml' as='y'/></mujoco>", "file= only"),
    "link": ("<mujoco><include file='link.xml'/></mujoco>", "secret.xml, outside of"),
    "no_include": ("<mujoco><include file='none.xml'/></mujoco>", "there is no file .*none.xml"),
    "absolute": (
        "<mujoco><asset>\n<mesh file='/etc/passwd.obj'/></asset></mujoco>",
        r"bad.xml, line 2, <mesh>: '/etc/passwd.obj' is an absolute path; paths are relative to",
    ),
    "drive": ("<mujoco><asset><mesh file='C:\\x.obj'/></asset></mujoco>", "absolute path"),
    "meshdir": (
        "<mujoco><compiler meshdir='/etc'/><asset><mesh file='x.obj'/></asset></mujoco>",
        "'/etc' is an absolute path",
    ),
    "up": (
        "<mujoco><compiler meshdir='..'/><asset><mesh file='secret.obj'/></asset></mujoco>",
        "outside of",
    ),
    "texture": (
        "<mujoco><asset><texture type='cube' fileup='../../x.png'/></asset></mujoco>",
        "<texture>.*outside of",
    ),
    "submodel": ("<mujoco><asset><model file='../secret.xml'/></asset></mujoco>", "outside of"),
    "within": ("<mujoco><asset><model file='bad.xml'/></asset></mujoco>", "contains itself"),
    "missing_mesh": ("<mujoco><asset><mesh file='x.stl'/></asset></mujoco>", "there is no file"),
    "usd": ("<mujoco><asset><mesh file='scene.usda'/></asset></mujoco>", "files are .*'.obj'"),
    "content": (
        "<mujoco><asset><mesh file='x.obj' content_type='model/usd'/></asset></mujoco>",
        "content_type 'model/usd' is not read",
    ),
    "elsewhere": ("<mujoco><option file='x'/></mujoco>", "<option>: file= is not known here"),
    "broken_mesh": (
        body(
            "<joint/><geom type='mesh' mesh='m'/>", "<asset><mesh name='m' file='m.stl'/></asset>"
        ),
        "m.stl",
    ),
    "plugin": ("<mujoco><extension><plugin plugin='p'/></extension></mujoco>", "plugins run code"),
    "namespace": ("<mujoco xmlns='urn:x'/>", "begins with <mujoco>"),
    "prefix": ("<mujoco><a:b xmlns:a='urn:x'/></mujoco>", "no namespaces"),
    "nan": (
        body("<inertial pos='0 0 0' mass='nan' diaginertia='1 1 1'/>"),
        r"line 3, <inertial>: mass='nan' must be finite",
    ),
    "infinite": (body("<joint/><geom size='.1' pos='0 inf 0'/>"), "must be finite"),
    "overflow": (body("<joint/><geom size='.1' pos='0 1e999 0'/>"), "must be finite"),
    "negative": (
        body("<inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/>"),
        r"line 3, <inertial>: mass is -1; it cannot be negative",
    ),
    "negative_geom": (body("<joint/><geom size='.1' density='-5'/>"), "density is -5"),
    "massless": (body("<joint/>"), "bad.xml, line 2: .*mass and inertia of moving bodies"),
    "impossible": (
        body("<joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/>"),
        r"bad.xml, line 2: .*A \+ B >= C",
    ),
    "joint_type": (body("<joint type='screw'/>"), "bad.xml, line 3: .*invalid keyword: 'screw'"),
    "element": ("<mujoco>\n\n<wheels/></mujoco>", "bad.xml, line 3: .*unrecognized element"),
    "twice": (body("<body name='a'/>"), "repeated name 'a' in body"),
    "reference": (body("<geom type='mesh' mesh='none'/>"), "mesh 'none' not found"),
    "no_number": (body("<joint axis='1 0 x'/>"), "bad.xml, line 3"),
    "swamped": (
        "<mujoco><worldbody><replicate count='2000000000'><body><freejoint/><geom size='1'/></body>"
        "</replicate></worldbody></mujoco>",
        "MuJoCo",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_files_give_errors_that_help(kind, tmp_path):
    text, message = BAD[kind]
    folder = tmp_path / "inside"
    folder.mkdir()
    write(tmp_path, "<mujoco model='secret'/>", "secret.xml")
    write(tmp_path, "v 0 0 0\n", "secret.obj")
    write(folder, "<mujoco><include file='bad.xml'/></mujoco>", "other.xml")
    write(folder, b"not a mesh at all", "m.stl")
    write(folder, "v 0 0 0\n", "x.obj")
    write(folder, "#usda 1.0\n", "scene.usda")
    os.symlink(tmp_path / "secret.xml", folder / "link.xml")
    path = write(folder, text)
    with pytest.raises(ReadError, match=f"(?s){message}") as caught:
        load_mjcf(path, timeout=1.5 if kind == "swamped" else 10)
    assert "bad.xml" in str(caught.value) or "other.xml" in str(caught.value)
    assert "file_" not in str(caught.value)


def test_bad_paths(tmp_path):
    with pytest.raises(ReadError, match="is a directory"):
        load_mjcf(tmp_path)
    with pytest.raises(ReadError, match="cannot be read: No such file"):
        load_mjcf(tmp_path / "none.xml")
    big = tmp_path / "big.xml"
    with big.open("wb") as file:
        file.truncate(200_000_000)
    with pytest.raises(ReadError, match="has 200000000 bytes"):
        load_mjcf(big)


def test_a_keyframe_without_a_quaternion_is_not_turned(tmp_path):
    key = "<keyframe><key name='k' qpos='0 0 0 0'/></keyframe>"
    text = body("<joint type='ball'/><geom size='.1'/>", key)
    assert load_mjcf(write(tmp_path, text)).keyframes["k"].tolist() == [0, 0, 0, 1]


def test_bad_options():
    with pytest.raises(UnknownNameError, match="'couple', 'expand'"):
        load_mjcf(here("ball.xml"), mimic="drop")
    with pytest.raises(ArgumentError, match="snap is between"):
        load_mjcf(here("ball.xml"), snap=-1)
    with pytest.raises(ArgumentError, match="timeout is a number of seconds"):
        load_mjcf(here("ball.xml"), timeout=0)


def test_roots_open_further_folders(tmp_path):
    folder = tmp_path / "inside"
    folder.mkdir()
    write(tmp_path, "<mujoco>" + body("<joint/><geom size='.1'/>")[8:], "shared.xml")
    path = write(folder, "<mujoco><include file='../shared.xml'/></mujoco>")
    with pytest.raises(ReadError, match="outside of"):
        load_mjcf(path)
    assert load_mjcf(path, roots=[tmp_path]).nv == 1


def test_mujoco_sees_only_made_up_names():
    for name in ("includes.xml", "attach.xml"):
        seen = scan(here(name))
        texts = [seen.text, *(t.decode() for k, t in seen.assets.items() if k.endswith(".xml"))]
        for text in texts:
            assert "include" not in text
            assert "dir=" not in text
            for file in re.findall(r'file\w*="([^"]*)"', text):
                assert file in seen.assets
        assert set(seen.files) == set(seen.assets)


def worker(tmp_path, monkeypatch, code):
    (tmp_path / "stand_in_worker.py").write_text(code)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(mjcf_compile, "WORKER", "stand_in_worker")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import time; time.sleep(60)", r"was not done within 0\.5 s; give timeout="),
        ("import os; os.abort()", "stopped with exit code -6"),
        ("raise SystemExit('lost')", "stopped with exit code 1: lost"),
        ("", "stopped with exit code 0"),
    ],
)
def test_a_worker_that_hangs_or_crashes_is_an_error(code, message, tmp_path, monkeypatch):
    worker(tmp_path, monkeypatch, code)
    with pytest.raises(ReadError, match=message):
        load_mjcf(here("ball.xml"), timeout=0.5 if "sleep" in code else 20)


def test_without_mujoco_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(BackendError, match=r"pip install visviva\[mjcf\]"):
        load_mjcf(here("ball.xml"))


def test_a_relative_path_and_a_bytes_name_in_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(peer.FOLDER)
    assert load_mjcf("includes.xml").name == "put together"
    path = write(tmp_path, body("<joint name='q&amp;&quot;&lt;ä'/><geom size='.1'/>"), "x.xml")
    assert load_mjcf(path).joint_names == ('q&"<ä',)
    assert load_mjcf(path).name == "x"
    assert list(tmp_path.iterdir()) == [path]  # MuJoCo's log goes elsewhere


@pytest.mark.soak
def test_mutated_files_load_or_are_refused(tmp_path):
    rng = np.random.default_rng(11)
    sources = [f for f in FILES if f.parent == peer.FOLDER and "file=" not in f.read_text()]
    rounds = count(8, 500)
    outcome = Counter()
    for k in range(rounds):
        data = bytearray(sources[k % len(sources)].read_bytes())
        for _ in range(rng.integers(1, 4)):
            i, j = sorted(rng.integers(0, len(data), 2))
            change = rng.integers(4)
            if change == 0:
                data[i] = rng.integers(256)
            elif change == 1:
                del data[i : i + int(rng.integers(1, 30))]
            elif change == 2:
                data[i:i] = data[i : min(j, i + 200)]
            else:
                digits = [p for p, c in enumerate(data) if chr(c).isdigit()]
                if digits:
                    data[int(rng.choice(digits))] = ord(rng.choice(list("0123456789-.e")))
        path = write(tmp_path, bytes(data))
        try:
            model = load_mjcf(path, timeout=10)
            assert np.isfinite(model.mass)
            outcome["loaded"] += 1
        except VisvivaError as error:
            outcome["refused" if "bad.xml" in str(error) else "refused without the file"] += 1
        if k % 100 == 99:
            progress(f"mutated MJCF: {k + 1} of {rounds}: {outcome}")
    assert outcome["loaded"] + outcome["refused"] == rounds


def test_the_frame_of_mujocos_body_is_kept():
    model = ours("several.xml")
    frame = model.frame("hip_origin")
    assert isinstance(frame.placement, Pose)
    assert frame.placement.p.tolist() == [0.0, -0.2, 0.1]
    assert model.body_names[:3] == ("hip_yaw", "hip_lift", "hip")
