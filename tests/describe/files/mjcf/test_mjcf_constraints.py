"""Constraints in MJCF: what MuJoCo holds is what we hold, and the rest is refused by name."""

import mujoco
import numpy as np
import pytest

import visviva as vv
from tests.support.generators.bodies import close, random_tree
from tests.support.oracles import mujoco_models as peer
from visviva.describe.files.mjcf.read import load_mjcf
from visviva.describe.files.mjcf.write import to_mjcf
from visviva.equations.constraints import rows
from visviva.errors import WriteError
from visviva.space import rotations

KINDS = ("revolute", "prismatic")
FIRST, SECOND = "body0_joint", "body3_joint"


def held(rng):
    """A tree of hinges and slides with both loops that MJCF has, closed at a position."""
    model = random_tree(rng, 5, KINDS)
    q = model.random(rng)
    for k, joint in enumerate(("spherical", "fixed")):
        a, b = (f"frame{i}" for i in rng.choice(5, 2, replace=False))
        there = model.frame_pose(b, q).inverse() @ model.frame_pose(a, q)
        if joint == "spherical":
            there = vv.Pose(rotations.exp(rng.normal(size=3)), there.p)
        model = model.with_frame(f"end{k}", there, on=b).with_loop(a, f"end{k}", joint, name=joint)
    model = model.with_gear(FIRST, "body1_joint", 2.0, offset=0.3)
    model = model.with_constraint(f"2*{SECOND} = 0.4 - 3*body2_joint^3 + body2_joint/7")
    return model.with_constraint("body4_joint = 0.25", "held"), q


def test_rows_are_mujocos(tmp_path):
    """Its Jacobian of the equalities, at a position where all loops are closed."""
    path = tmp_path / "held.xml"
    for seed in range(4):
        model, q = held(np.random.default_rng(seed))
        path.write_text(to_mjcf(model), encoding="utf-8")
        m = peer.read(path)
        m.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        order = [model.joint_names.index(peer.joint_name(m, j)) for j in range(5)]
        d = peer.at(m, q[order])  # theirs is depth first
        J = d.efc_J.reshape(-1, m.nv)[d.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)]
        A = rows.constraint_matrix(model, q)[:, order]
        assert J.shape == A.shape == (12, 5)
        R = [model.frame_pose(x.frame2, q).R for x in model.loops]
        close(R[0] @ A[:3], -J[:3], 1e-12)  # theirs is where frame 1 is, from frame 2
        close(R[1] @ A[6:9], -J[3:6], 1e-12)
        # turning: MuJoCo has halves of it in axes of its own, so the same space
        both = np.concatenate([A[3:6], J[6:9]])
        assert np.linalg.matrix_rank(both, 1e-9) == np.linalg.matrix_rank(A[3:6], 1e-9)
        scale = np.array([[1.0], [2.0], [1.0]])  # theirs are joint = Σ
        close(A[9:], J[9:] * scale, 1e-12)


def test_constraints_come_back(tmp_path):
    path = tmp_path / "held.xml"
    model, q = held(np.random.default_rng(0))
    path.write_text(to_mjcf(model), encoding="utf-8")
    back = load_mjcf(path, mimic="expand")
    assert back.constraints.names == model.constraints.names
    assert back.loops == model.loops
    order = [model.joint_names.index(name) for name in back.joint_names]
    A = rows.constraint_matrix(model, q)[:, order]
    B = rows.constraint_matrix(back, q[order])
    close(B[:9], A[:9], 1e-13)
    close(B[9:] * [[1.0], [2.0], [1.0]], A[9:], 1e-14)
    path.write_text(to_mjcf(back), encoding="utf-8")
    assert load_mjcf(path, mimic="expand").constraints == back.constraints
    coupled = load_mjcf(path)
    assert coupled.bodies[coupled.joint_index(FIRST)].mimic.multiplier == 2.0
    assert len(coupled.constraints) == 4


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.with_loop("frame0", "frame1", "revolute", name="odd"),
        lambda m: m.with_loop("frame0", "frame1", "distance", length=1.0, name="odd"),
        lambda m: m.with_constraint(f"{FIRST} = sin(t)", "odd"),
        lambda m: m.with_constraint(f"{FIRST} = sin({SECOND})", "odd"),
        lambda m: m.with_constraint(f"{FIRST}' = 2*{SECOND}'", "odd"),
        lambda m: m.with_constraint(f"{FIRST} = {SECOND} + body1_joint", "odd"),
        lambda m: m.with_constraint(f"{FIRST} = {SECOND}^5", "odd"),
        lambda m: m.with_constraint(f"{FIRST}*{SECOND} = 1", "odd"),
    ],
)
def test_what_mjcf_cannot_say_is_refused_or_left_out(change, tmp_path):
    model = change(random_tree(np.random.default_rng(0), 5, KINDS))
    with pytest.raises(WriteError, match="MJCF cannot state constraints: 'odd'"):
        to_mjcf(model)
    text = to_mjcf(model, lossy=True)
    assert "left out: constraints: 'odd'" in text
    assert "<equality" not in text


def test_a_loop_at_a_body_needs_a_frame():
    model = random_tree(np.random.default_rng(0), 5, KINDS)
    with pytest.raises(WriteError, match="'body0', which is no frame but a body: add a frame"):
        to_mjcf(model.with_loop("body0", "frame1", "spherical"))


def test_a_plane_loop_that_is_lost_names_the_closure_that_is_written():
    four_bar = vv.catalog.four_bar()
    with pytest.raises(WriteError, match=r"joint='spherical' is written, as connect"):
        to_mjcf(four_bar)
