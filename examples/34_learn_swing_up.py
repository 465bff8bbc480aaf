"""Learn: a cart swings its pole up, by an evolution strategy; episodes run in machine code.

The policy is a net of tanh units. `vv.Loop` runs the episodes of all its mutations at once: policy,
physics and reward are one function. What was learned is then run in an environment of Gymnasium.

    python examples/34_learn_swing_up.py [--quick]
"""

import sys
import time
from pathlib import Path

import numpy as np

import visviva as vv

GENERATIONS = 3 if "--quick" in sys.argv else 300
PAIRS, EPISODES, STEPS, DT, FORCE = 128, 4, 300, 0.02, 15.0
UNITS, SEEN = 10, 5  # of the net, and numbers that it sees
SIZE = UNITS * (SEEN + 2)
cart = vv.catalog.cart_pole()
step = cart.function("step", controls=True, substeps=2)


def policy(q, v, weights):
    s, c = vv.generic.sincos(q[1])
    seen = np.array([q[0], s, c, v[0] / 2, v[1] / 5])
    w = weights.reshape(UNITS, SEEN + 2)
    units = [vv.generic.tanh(row[:SEEN] @ seen + row[SEEN]) for row in w]
    return FORCE * vv.generic.tanh(w[:, -1] @ np.array(units))


def reward(q, v):
    return -vv.generic.cos(q[1]) - 0.1 * q[0] ** 2 - 0.002 * v[1] ** 2


def advance(q, v, total, weights):
    q, v = step(q, v, [policy(q, v, weights)], DT)
    return {"q": q, "v": v, "total": total + reward(q, v)}


episodes = vv.Loop(vv.function(advance, {"q": 2, "v": 2, "total": (), "weights": SIZE}))


def mean_reward(weights, starts):
    """Of nets (n, SIZE), each in episodes from all starts (EPISODES, 2)."""
    q = np.broadcast_to(starts, (len(weights), EPISODES, 2))
    state = {"q": q, "v": 0.0 * q, "total": 0.0 * q[..., 0], "weights": weights[:, None]}
    return episodes(state, times=STEPS, threads=2).state["total"].mean(axis=1) / STEPS


rng, begin = np.random.default_rng(0), time.perf_counter()
net, slope, square, spread, curve = rng.normal(size=SIZE) / 2, 0.0, 0.0, 0.1, []
for _ in range(GENERATIONS):
    starts = rng.uniform([-0.1, -0.2], [0.1, 0.2], (EPISODES, 2))
    noise = rng.normal(size=(PAIRS, SIZE))
    rewards = mean_reward(net + spread * np.concatenate([noise, -noise, 0 * noise[:1]]), starts)
    curve.append(rewards[-1])
    ranks = rewards[:-1].argsort().argsort() / (2 * PAIRS)
    climb = (ranks[:PAIRS] - ranks[PAIRS:]) @ noise / (PAIRS * spread)
    slope, square = 0.9 * slope + 0.1 * climb, 0.99 * square + 0.01 * climb**2
    net = net + 0.05 * slope / np.sqrt(square)
steps, seconds = GENERATIONS * (2 * PAIRS + 1) * EPISODES * STEPS, time.perf_counter() - begin
print(f"{steps / 1e6:.1f} million steps, {seconds:.1f} s, reward of a step {curve[-1]:.2f}")

act = vv.function(policy, {"q": 2, "v": 2, "weights": SIZE})
start = {"q": ([-0.1, -0.2], [0.1, 0.2])}
env = vv.gym.VectorEnv(cart, 100, dt=DT, substeps=2, reward=reward, start=start)
env.reset(seed=1)
for _ in range(STEPS):
    env.step(act(env.q, env.v, net)[:, None])
print(f"{(np.cos(env.q[:, 1]) < -0.9).sum()} of 100 poles stand after {STEPS * DT:g} s")

xy = np.transpose([np.linspace(40, 440, len(curve)), 100 - 80 * np.maximum(curve, -1)])
points = " ".join(f"{x:.1f},{y:.1f}" for x, y in xy)
words = f'<text x="40" y="196">{GENERATIONS} generations: mean reward of a step, −1 to 1</text>'
line = '<path d="M40 20v160M40 100h400" stroke="#999"/>'
line += f'<polyline points="{points}" fill="none" stroke="#3b7dd8" stroke-width="2"/>'
head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 460 205" font-family="sans-serif">'
Path("learning_curve.svg").write_text(f"{head}{line}{words}</svg>\n", encoding="utf-8")
