"""Mechanisms with loops, of random sizes, each at a position at which all of its loops hold.

Where a loop closes whatever the sizes are, its second frame is put where the first one is; those
of Bennett and Bricard, which close by their sizes alone, have the angles of the literature.
"""

from typing import NamedTuple

import numpy as np

import visviva as vv
from tests.support.generators.bodies import cloud_inertia, unit
from visviva.equations.constraints.rows import constraint_matrix
from visviva.space.poses import Pose
from visviva.space.rotations import quaternion_matrix

GRAVITY = [1.0, -9.0, 2.0]


class Closed(NamedTuple):
    """A mechanism, where its loops hold, and a velocity and forces to go with it."""

    model: vv.Model
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray


def closed(model, q, rng):
    """With a velocity that the rows admit, as their null space has it, and any forces."""
    q = np.asarray(q)
    kept = null_space(constraint_matrix(model, q))
    return Closed(
        model, q, kept @ kept.T @ rng.normal(size=model.nv), 3 * rng.normal(size=model.nv)
    )


def null_space(A):
    """Columns that A makes zero, orthonormal; of rows that depend on others too."""
    _, s, Vt = np.linalg.svd(A)
    return Vt[np.count_nonzero(s > 1e-9 * s.max(initial=0.0)) :].T


def body(rng):
    """Four points of mass, anywhere near."""
    cloud = [(rng.uniform(0.1, 1.0), rng.normal(size=3) * 0.3) for _ in range(4)]
    return vv.Inertia(*cloud_inertia(cloud))


def joined(model, q, frame, on, joint, name="", held=None, end="", **details):
    """With a loop that holds at q: a frame on the body `on` is put where `frame` is."""
    held = Pose.identity() if held is None else held
    there = model.frame_pose(on, q).inverse() @ model.frame_pose(frame, q) @ held
    end = end or f"{frame}_end"
    # composed poses lose digits of being rotations, and nothing here depends on that
    model = model.with_frame(end, Pose.of(there.R, there.p), on=on)
    return model.with_loop(frame, end, joint, name=name, **details)


def four_bar(rng, cut="hinge"):
    """In the plane z = 0; cut at the last hinge, as a hinge or a point, or inside the coupler."""
    b = vv.Builder("four-bar", gravity=GRAVITY)
    a, c, d = rng.uniform(0.5, 1.5, 3)
    b.body("crank", joint="revolute", inertia=body(rng))
    b.body("coupler", parent="crank", joint="revolute", at=[a, 0, 0], inertia=body(rng))
    b.body("rocker", joint="revolute", at=[d, 0.2, 0], inertia=body(rng))
    if cut == "coupler":
        b.body("half", parent="rocker", joint="revolute", at=[1, 0, 0], inertia=body(rng))
    model = b.frame("tip", body="coupler", at=[c, 0, 0]).build()
    q = model.random(rng)
    joint = {"hinge": "revolute", "point": "spherical", "coupler": "fixed"}[cut]
    on = "half" if cut == "coupler" else "rocker"
    held = Pose.rotation([0, 0, 1], rng.normal())
    return closed(
        joined(model, q, "tip", on, joint, held=None if cut == "coupler" else held), q, rng
    )


def slider_crank(rng):
    """In the plane z = 0; the rod is joined to the slider by a hinge."""
    b = vv.Builder("slider-crank", gravity=GRAVITY)
    b.body("crank", joint="revolute", inertia=body(rng))
    b.body(
        "rod", parent="crank", joint="revolute", at=[rng.uniform(0.5, 1), 0, 0], inertia=body(rng)
    )
    b.body("slider", joint="prismatic", axis="x", at=[0, 0.1, 0], inertia=body(rng))
    model = b.frame("pin", body="rod", at=[rng.uniform(1, 2), 0, 0]).build()
    q = model.random(rng)
    held = Pose.rotation([0, 0, 1], rng.normal())
    return closed(joined(model, q, "pin", "slider", "revolute", held=held), q, rng)


def hinged_ring(name, rows, angles, rng):
    """Hinges about z in a ring, with lengths and twists (a, α) from each to the next."""
    b = vv.Builder(name, gravity=GRAVITY)
    steps = [Pose.translation([a, 0, 0]) @ Pose.rotation([1, 0, 0], alpha) for a, alpha in rows]
    place = Pose.identity()
    for i, step in enumerate(steps[:-1]):
        where = {"parent": f"link{i - 1}"} if i else {}
        b.body(
            f"link{i}", joint="revolute", at=place.p, rotation=place.R, inertia=body(rng), **where
        )
        place = step
    b.frame("last", body=f"link{len(rows) - 2}", at=place.p, rotation=place.R)
    foot = steps[-1].inverse()
    b.frame("foot", at=foot.p, rotation=foot.R)
    return closed(b.build().with_loop("foot", "last"), angles[:-1], rng)


def bennett(rng):
    """Four hinges in space that should not move, by Grübler, and do."""
    alpha, beta = 0.9, 0.5
    a = 1.0
    b = a * np.sin(beta) / np.sin(alpha)
    one = rng.uniform(0.4, 2.5)
    ratio = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)
    two = 2 * np.arctan(ratio / np.tan(one / 2))
    rows = [(a, alpha), (b, beta)] * 2
    return hinged_ring("Bennett", rows, np.array([one, two, -one, -two]), rng)


def bricard(rng):
    """Six hinges, threefold symmetric: (1 + cos θ)(1 + cos φ) = 1 of neighbours."""
    one = rng.uniform(-1.9, 1.9)
    two = np.arccos(1 / (1 + np.cos(one)) - 1)
    rows = [(1.0, np.pi / 2), (1.0, -np.pi / 2)] * 3
    return hinged_ring("Bricard", rows, np.array([one, two] * 3), rng)


def stewart(rng):
    """Six legs of a universal and a sliding joint under a platform, held at points."""
    b = vv.Builder("Stewart", gravity=GRAVITY)
    b.body("platform", joint="free", at=[0, 0, 1], inertia=body(rng))
    for i in range(6):
        angle = np.pi * (i // 2) / 1.5 + 0.4 * (i % 2)
        foot = [np.cos(angle), np.sin(angle), 0]
        axes = {"joint": "universal", "axis": "x", "second": "y"}
        b.body(f"lower{i}", at=foot, inertia=body(rng), **axes)
        b.body(f"upper{i}", parent=f"lower{i}", joint="prismatic", at=[0, 0, 1], inertia=body(rng))
    model = b.build()
    q = model.random(rng)
    q[7:] *= 0.3
    for i in range(6):
        model = joined(model, q, f"upper{i}", "platform", "spherical", name=f"ball{i}")
    return closed(model, q, rng)


def delta(rng):
    """Three cranks, each with two rods to the platform."""
    b = vv.Builder("Delta", gravity=GRAVITY)
    b.body("platform", joint="free", at=[0, 0, -1], inertia=body(rng))
    for i in range(3):
        turn = quaternion_matrix(unit([0, 0, np.sin(np.pi * i / 3), np.cos(np.pi * i / 3)]))
        at = turn @ [0.4, 0, 0]
        b.body(f"arm{i}", joint="revolute", axis="y", at=at, rotation=turn, inertia=body(rng))
        for side in (-1, 1):
            rod = {"joint": "universal", "axis": "y", "second": "x"}
            name = f"rod{i}{'lr'[side > 0]}"
            b.body(name, parent=f"arm{i}", at=[0.5, 0.1 * side, 0], inertia=body(rng), **rod)
            b.frame(f"{name}_tip", body=name, at=[0, 0, -1])
    model = b.build()
    q = model.random(rng)
    q[7:] *= 0.3
    for name in [f.name for f in model.frames if f.name.endswith("_tip")]:
        model = joined(model, q, name, "platform", "spherical", name=name[:-4])
    return closed(model, q, rng)


MECHANISMS = {
    "four-bar, hinge": four_bar,
    "four-bar, point": lambda rng: four_bar(rng, "point"),
    "four-bar, cut inside the coupler": lambda rng: four_bar(rng, "coupler"),
    "slider-crank": slider_crank,
    "Bennett": bennett,
    "Bricard": bricard,
    "Stewart": stewart,
    "Delta": delta,
}
