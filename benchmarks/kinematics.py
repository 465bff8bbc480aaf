"""Closed-form inverse kinematics, all branches and the nearest, against EAIK and ik-geo."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import visviva as vv
from benchmarks.harness import Row, benchmark, best, faster, share
from benchmarks.peers import attempt
from benchmarks.robots import UR5
from visviva.equations.frames.chain import SerialChain
from visviva.solve.inverse.closed.recognition import recognised

MANY = 8192
HOME = np.array([0.3, -0.7, 0.4, 0.5, 0.6, 0.7])  # a pose with all eight branches
GOAL, ONE_CALL, DERIVED = 0.5e-6, 1.5e-6, 1.0  # seconds: per pose, per call, once
NEAREST, NEAREST_CALL = 1e-6, 30e-6  # through `inverse_kinematics`, with all that it says
ARMS: list[tuple[str, Callable[[], tuple[Any, str]], str]] = [
    ("UR5", lambda: (UR5.model, UR5.tip), "three_parallel_two_intersecting"),
    ("Puma 560", lambda: (vv.catalog.puma560(), "tool"), "spherical_two_parallel"),
]


def _geometry(chain: SerialChain) -> tuple[Any, Any]:
    """Axes (6, 3), and the way from the origin over the axes to the frame (7, 3)."""
    at = np.vstack([np.zeros(3), chain.points, chain.home.p])
    return np.ascontiguousarray(chain.axes, dtype=float), np.diff(at, axis=0)


def eaik(chain: SerialChain, poses: Any) -> Callable[[], Any]:
    """All poses in one call of EAIK."""
    from eaik.IK_HP import HPRobot

    robot = HPRobot(*_geometry(chain))
    goals = poses.copy()
    goals[:, :3, :3] = poses[:, :3, :3] @ chain.home.R.T
    return lambda: [x.Q for x in robot.IK_batched(goals)]


def ik_geo(chain: SerialChain, poses: Any, family: str) -> Callable[[], Any]:
    """Pose by pose, as its Python interface has it."""
    import ik_geo

    robot = getattr(ik_geo.Robot, family)(*(x.tolist() for x in _geometry(chain)))
    turns = (poses[:, :3, :3] @ chain.home.R.T).transpose(0, 2, 1).tolist()  # by columns
    pairs = list(zip(turns, poses[:, :3, 3].tolist(), strict=True))
    return lambda: [[q for q, _ in robot.get_ik(R, p)] for R, p in pairs]


def _agree(what: str, ours: Any, theirs: Any) -> None:
    """Nothing wrong is timed: every solution of ours is among theirs."""
    for mine, other in zip(ours, theirs, strict=True):
        other = np.asarray(other, dtype=float).reshape(-1, 6)
        for q in mine[np.isfinite(mine).all(axis=1)]:
            off = np.abs(np.angle(np.exp(1j * (other - q)))).max(axis=1)
            assert off.min() < 1e-6, f"{what} differs"


@benchmark
def closed_form_inverse_kinematics() -> Iterator[Row]:
    """All branches of random poses, per pose on one core; and one call from Python."""
    for name, make, family in ARMS:
        model, frame = make()
        chain = SerialChain.of(model.numeric, frame)
        start = time.process_time()
        recognised(chain, "pose")
        f = model.inverse_kinematics_function(frame)
        _ = f.program
        derived = time.process_time() - start
        rng = np.random.default_rng(0)
        poses = np.asarray(model.pose(frame)(rng.uniform(-np.pi, np.pi, (MANY, 6))))
        out, one = f(poses), np.ascontiguousarray(np.asarray(model.pose(frame)(HOME)))
        calls: list[Callable[[], Any]] = [lambda f=f, X=poses, out=out: f(X, out=out)]
        calls.append(lambda f=f, one=one: f(one))
        peers = {
            "EAIK": attempt("EAIK", lambda c=chain, X=poses: eaik(c, X)),
            "ik-geo": attempt("ik-geo", lambda c=chain, X=poses, k=family: ik_geo(c, X, k)),
        }
        there = {k: call for k, call in peers.items() if callable(call)}
        for k, call in there.items():
            _agree(f"{name} by {k}", out[:50], call()[:50])
        batch, single, *others = best(*calls, *there.values(), repeats=9, clock=time.process_time)
        times = dict(zip(there, others, strict=True))
        for k, call in peers.items():
            if k in times:
                yield faster(f"{name}, all branches", batch / MANY, k, times[k] / MANY, ">= 8")
            else:
                yield Row(f"{name}, all branches", batch / MANY, call, None, None, "")
        yield share(f"{name}, all branches", batch / MANY, "goal", GOAL, "<= 1")
        yield share(f"{name}, one call", single, "goal", ONE_CALL, "<= 1")
        yield share(f"{name}, recognised and derived", derived, "goal", DERIVED, "<= 1")


@benchmark
def nearest_solutions() -> Iterator[Row]:
    """`inverse_kinematics` from Python, the nearest within limits, against all branches by EAIK."""
    for name, make, _ in ARMS:
        model, frame = make()
        chain = SerialChain.of(model.numeric, frame)
        rng = np.random.default_rng(0)
        q = np.array([model.random(rng) for _ in range(MANY)])
        poses = np.asarray(model.pose(frame)(q))
        one, pose, solve = (
            np.array(poses[0]),
            model.frame_pose(frame, q[0]),
            model.inverse_kinematics,
        )
        assert solve(frame, poses).residuals.max() < 1e-9
        calls: list[Callable[[], Any]] = [
            partial(solve, frame, poses),
            partial(solve, frame, one),
            partial(solve, frame, pose, seed=q[1]),
        ]
        peers = [
            attempt("EAIK", partial(eaik, chain, poses)),
            attempt("EAIK", partial(eaik, chain, one[None])),
        ]
        there = [call for call in peers if callable(call)]
        batch, single, seeded, *others = best(*calls, *there, repeats=9, clock=time.process_time)
        if there:
            yield faster(
                f"{name}, the nearest, a pose of {MANY}", batch / MANY, "EAIK", others[0] / MANY
            )
            yield faster(f"{name}, the nearest of one pose", single, "EAIK", others[1])
        else:
            yield Row(f"{name}, the nearest", single, peers[0], None, None, "")
        yield share(f"{name}, the nearest, a pose of {MANY}", batch / MANY, "goal", NEAREST, "<= 1")
        yield share(f"{name}, the nearest of one matrix", single, "goal", NEAREST_CALL, "<= 1")
        yield share(f"{name}, of one `Pose`, to a seed", seeded, "goal", NEAREST_CALL, "<= 1")
