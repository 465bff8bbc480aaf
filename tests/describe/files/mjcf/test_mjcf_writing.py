"""MJCF that is written is what MuJoCo moves, and what cannot be said is refused."""

import numpy as np
import pytest

from tests.support.generators.mjcf_files import NAMES, TOLERANCE, off, ours
from tests.support.oracles import mujoco_models as peer
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.files.mjcf.read import load_mjcf
from visviva.describe.files.mjcf.write import to_mjcf
from visviva.describe.joints.axis import Helical, Revolute
from visviva.describe.model.body import Mimic
from visviva.describe.model.compare import differences
from visviva.errors import WriteError
from visviva.space import rotations


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", NAMES)
def test_round_trip(name, tmp_path):
    model = ours(name, "couple" if name == "mimic.xml" else "expand")
    again = tmp_path / "again.xml"
    again.write_text(to_mjcf(model, lossy=True), encoding="utf-8")  # without pictures
    back = load_mjcf(again, snap=0, mimic="couple" if name == "mimic.xml" else "expand")
    assert differences(model, back, tolerance=1e-13) == []
    assert back.constraints == model.constraints
    assert set(back.keyframes) == set(model.keyframes)
    for key, q in model.keyframes.items():
        assert off(model.difference(q, back.keyframes[key]), np.zeros(model.nv)) < 1e-14
    if name != "geoms.xml":  # whose inline mesh has no picture
        for a, b in zip(model.bodies, back.bodies, strict=True):
            drawn = [v.kind for v in a.visuals if v.kind != "mesh"]
            assert [v.kind for v in b.visuals] == drawn


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


class Geared(Revolute):
    """A joint of one's own."""


def chain(joint, **details):
    b = Builder("short")
    b.body("one", joint=joint, inertia=Inertia.box(1.0, x=1, y=1, z=1), **details)
    return b


@pytest.mark.parametrize(
    ("builder", "message"),
    [
        (chain(Helical([0, 0, 1], 0.1), joint_name="screw"), "'screw' is helical.*available: rev"),
        (chain(Geared([0, 0, 1])), "'one_joint' is geared, for which MJCF has no form"),
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
