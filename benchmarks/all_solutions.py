"""All solutions of polynomial systems: general 6R arms, Stewart platforms, parallel arms.

Times are those of one pose of a batch, on one thread, proofs of all roots included. The references
for 6R arms are the eigenvalue problem of Manocha and Canny alone, 24 × 24, by LAPACK through numpy,
which their method begins with; the ceiling that this part was held to; and ssik, on an arm that it
has built before (to prepare it for another takes minutes): the JACO 2, whose wrist is no sphere.
"""

import time
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.harness import Row, benchmark, best, faster, share
from benchmarks.peers import attempt, one_core
from visviva.equations.frames.chain import turns
from visviva.solve.elimination.parallel_arms import delta_angles, delta_tips
from visviva.solve.elimination.six_revolute import all_solutions
from visviva.solve.elimination.stewart import leg_lengths, platform_poses

MANY, FEW = 4096, 100  # poses: ours in one call, theirs one by one
CEILING = 100e-6  # seconds a pose


def arm(seed: int) -> Any:
    """Six axes in no special position."""
    rng = np.random.default_rng(seed)
    axes, points = rng.normal(size=(2, 6, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    home = SimpleNamespace(R=np.eye(3), p=rng.normal(size=3))
    return SimpleNamespace(kinds=("revolute",) * 6, axes=axes, points=points, home=home)


def reached(chain: Any, n: int) -> np.ndarray:
    """Poses of random positions."""
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (n, 6))
    X = np.tile(np.eye(4), (n, 1, 1))
    X[:, :3, :3], X[:, :3, 3] = chain.home.R, chain.home.p
    for h, o, angle in reversed([*zip(chain.axes, chain.points, q.T, strict=True)]):
        R = turns(h, angle)
        X[:, :3, :3] = R @ X[:, :3, :3]
        X[:, :3, 3] = o + ((X[:, :3, 3] - o)[:, None, :] @ R.transpose(0, 2, 1))[:, 0]
    return X


@benchmark
def all_solutions_of_general_arms() -> Iterator[Row]:
    """16 roots of each pose, with the proof that they are all."""
    arms = [arm(seed) for seed in range(4)]
    poses = [reached(chain, MANY) for chain in arms]
    with one_core():
        found = [all_solutions(chain, X) for chain, X in zip(arms, poses, strict=True)]
        pencils = np.random.default_rng(1).normal(size=(64, 24, 24))
        theirs, *ours = best(
            lambda: np.linalg.eigvals(pencils),
            *(partial(all_solutions, chain, X) for chain, X in zip(arms, poses, strict=True)),
            repeats=3,
            clock=time.process_time,
        )
    mean, theirs = float(np.mean(ours)) / MANY, theirs / len(pencils)
    complete = np.mean([s.is_complete.mean() for s in found])
    what = f"all solutions of general 6R arms, {complete:.1%} of poses proved complete"
    yield faster(what, mean, "eigenvalues 24 × 24, LAPACK", theirs)
    yield share(what, mean, "100 µs", CEILING, "<= 1")


def jaco(theirs: Any) -> Any:
    """The arm of ssik's own `Manipulator`, as axes where all angles are zero."""
    X, axes, points = np.eye(4), [], []
    for joint in theirs.kinbody.joints:
        X = X @ joint.T_left
        if joint.joint_type == "revolute":
            axes.append(X[:3, :3] @ joint.axis)
            points.append(X[:3, 3].copy())
        X = X @ joint.T_right
    home = SimpleNamespace(R=X[:3, :3], p=X[:3, 3])
    turning = ("revolute",) * len(axes)
    return SimpleNamespace(kinds=turning, axes=np.array(axes), points=np.array(points), home=home)


def ssik_arm() -> Any:
    """What ssik has ready for a JACO 2."""
    import ssik

    return ssik.Manipulator.from_prebuilt("jaco2_ik")


@benchmark
def all_solutions_beside_ssik() -> Iterator[Row]:
    """Every branch of a JACO 2, of which both find as many."""
    theirs = attempt("ssik", ssik_arm)
    if isinstance(theirs, str):
        yield Row("all solutions of a JACO 2", None, theirs, None, None, "")
        return
    chain = jaco(theirs)
    poses = reached(chain, MANY)
    few = [np.array(X) for X in poses[:FEW]]
    with one_core():
        found = all_solutions(chain, poses)
        others = [theirs.solve(X, respect_limits=False) for X in few]
        number = np.isfinite(found.q[..., 0]).sum(axis=1)
        same = np.mean([len(x) == n for x, n in zip(others, number, strict=False)])
        assert same >= 0.99, f"another number of solutions at {1 - same:.1%} of poses"
        mine, their = best(
            lambda: all_solutions(chain, poses),
            lambda: [theirs.solve(X, respect_limits=False) for X in few],
            repeats=3,
            clock=time.process_time,
        )
    what = f"all solutions of a JACO 2, {found.is_complete.mean():.1%} of poses proved complete"
    yield faster(what, mine / MANY, "ssik", their / FEW)


@benchmark
def all_poses_of_platforms() -> Iterator[Row]:
    """40 poses of a general Stewart platform; both of a Delta robot."""
    rng = np.random.default_rng(2)
    base, platform = rng.normal(size=(2, 6, 3))
    lengths = leg_lengths(base, platform, np.eye(4))
    sizes = {"rb": 0.2, "rp": 0.05, "arm": 0.3, "rod": 0.7}
    p = rng.uniform([-0.2, -0.2, -0.8], [0.2, 0.2, -0.5], (MANY, 3))
    angles = delta_angles(p, **sizes)[:, 0]
    with one_core():
        forty, back, forth = best(
            lambda: platform_poses(base, platform, lengths),
            lambda: delta_angles(p, **sizes),
            lambda: delta_tips(angles, **sizes),
            repeats=5,
            clock=time.process_time,
        )
    yield Row("40 poses of a Stewart platform, proved", forty, "", None, None, "")
    yield Row("eight branches of a Delta robot", back / MANY, "", None, None, "")
    yield Row("both tips of a Delta robot", forth / MANY, "", None, None, "")
