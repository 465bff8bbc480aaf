"""Environments of Gymnasium, Python around included: its own, and MuJoCo's, against `vv.gym`.

Both take the same actions, and begin anew when a game is over, as a random policy makes it be soon.
"""

from collections.abc import Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import visviva as vv
from benchmarks.harness import Row, benchmark, best, faster

COUNTS = {1: ">= 2", 64: ">= 2", 4096: ">= 1.5"}
less, absolute = vv.generic.less, vv.generic.absolute


def play(env: Any, actions: Iterator[np.ndarray]) -> None:
    env.step(next(actions))


def times(ours: Any, theirs: Any) -> list[float]:
    """Of a step of all rows."""
    calls = []
    for env in (ours, theirs):
        env.reset(seed=0)
        env.action_space.seed(0)
        actions = cycle([env.action_space.sample() for _ in range(100)])
        calls.append(partial(play, env, actions))
    return best(*calls)


@benchmark
def environments_cart_pole() -> Iterator[Row]:
    """A cart-pole with two actions, many at once, against the vector environment of Gymnasium."""
    cart = vv.catalog.cart_pole()
    for count, floor in COUNTS.items():
        ours = vv.gym.VectorEnv(
            cart,
            count,
            dt=0.02,
            reward=lambda: 1.0,
            termination=lambda q: less(2.4, absolute(q[0])) + less(0.21, absolute(q[1] - np.pi)),
            action_space=gymnasium.spaces.Discrete(2),
            forces=lambda action: [20 * action - 10],
            start={"q": ([-0.05, np.pi - 0.05], [0.05, np.pi + 0.05]), "v": (-0.05, 0.05)},
            max_episode_steps=500,
            dtype=np.float32,
        )
        theirs = gymnasium.make_vec("CartPole-v1", count, vectorization_mode="vector_entry_point")
        what = f"a step of {count} cart-poles"
        yield faster(what, *_between(times(ours, theirs), "CartPole-v1, vectorised"), floor)


@benchmark
def environments_pendulum() -> Iterator[Row]:
    """64 inverted pendulums of one file, by Runge and Kutta, against those of MuJoCo in a row."""
    assets = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
    model = vv.load(assets / "inverted_pendulum.xml")
    ours = vv.gym.VectorEnv(
        model,
        64,
        dt=0.04,
        substeps=2,
        method="rk4",
        reward=lambda: 1.0,
        termination=lambda q: less(0.2, absolute(q[1])),
        start={"q": (-0.01, 0.01), "v": (-0.01, 0.01)},
        max_episode_steps=1000,
    )
    theirs = gymnasium.make_vec("InvertedPendulum-v5", 64, vectorization_mode="sync")
    what = "a step of 64 inverted pendulums"
    yield faster(what, *_between(times(ours, theirs), "InvertedPendulum-v5, sync"), ">= 50")


def _between(pair: list[float], peer: str) -> tuple[float, str, float]:
    ours, theirs = pair
    return ours, peer, theirs
