"""Joint positions by Newton's method, thousands of poses at a time, against compiled `ik_LM`."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.harness import Row, benchmark, best, faster
from benchmarks.robots import PANDA, UR5, Robot
from visviva.equations.frames.chain import SerialChain
from visviva.solve.numeric.newton import solve_many
from visviva.space.poses import Pose

MANY, FEW = 8192, 200  # targets: ours in one call, theirs one by one
CLOSE = 1e-9  # radians and metres, for both
# the damping that serves each arm best, of those that the toolbox recommends (chan; wampler and
# sugihara fail more often and take longer); ½|e|² ≤ tol is a pose error below CLOSE
THEIRS = {"UR5": {"method": "chan", "k": 0.1}, "Panda": {"method": "chan", "k": 1.0}}
TOLERANCE = CLOSE**2 / 2


def elementary(robot: Robot) -> Any:
    """The same arm as a sequence of elementary transforms, with its limits."""
    from roboticstoolbox import ET, ETS

    chain = SerialChain.of(robot.model, robot.tip)
    parts, last = [], Pose.identity()
    for axis, point in zip(chain.axes, chain.points, strict=True):
        here = Pose(_with_z(axis), point)
        parts += [ET.SE3((last.inverse() @ here).matrix()), ET.Rz()]
        last = here
    sequence = ETS([*parts, ET.SE3((last.inverse() @ chain.home).matrix())])
    sequence.qlim = np.array([chain.lower, chain.upper])
    return sequence


def _with_z(axis: np.ndarray) -> np.ndarray:
    """A rotation whose third column is an axis."""
    x = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


@benchmark
def numeric_inverse_kinematics() -> Iterator[Row]:
    """One position within limits for random reachable poses, pose error at most 1e-9."""
    for robot in (UR5, PANDA):
        model, rng = robot.model, np.random.default_rng(1)
        q = np.array([model.random(rng) for _ in range(MANY)])
        poses = model.pose(robot.tip)(q)
        theirs = elementary(robot)
        few = [np.array(X) for X in poses[:FEW]]
        how = {"tol": TOLERANCE, "ilimit": 30, "slimit": 100, **THEIRS[robot.name]}

        def ours(model: Any = model, robot: Robot = robot, poses: Any = poses) -> Any:
            return solve_many(model, robot.tip, poses)

        def peer(theirs: Any = theirs, few: Any = few, how: Any = how) -> Any:
            return [theirs.ik_LM(X, **how) for X in few]

        found, others = ours(), peer()
        worst = max(
            np.abs(theirs.eval(x.q) - X).max()
            for x, X in zip(others, few, strict=True)
            if x.success
        )
        assert worst <= CLOSE
        assert (found.residual[found.converged] <= CLOSE).all()
        share, rate = float(np.mean([x.success for x in others])), float(found.converged.mean())
        assert rate >= share or rate >= 0.9999, (rate, share)
        # by the processor's time: neither has threads of its own, and others may run beside
        mine, their = best(ours, peer, repeats=5, clock=time.process_time)
        name = (
            f"numerical IK of a {robot.name}, 1e-9, per pose ({rate:.2%} found, peer {share:.2%})"
        )
        yield faster(name, mine / MANY, "ik_LM", their / FEW, ">= 25")
