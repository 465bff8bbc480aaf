"""When does a double pendulum flip? From its energy to a picture of a whole plane of pendulums.

Only the kinetic and the potential energy are written down. The Euler–Lagrange equations come from
derivatives of their difference, a Runge–Kutta step from calling them four times, and everything
is compiled into one function that moves all pendulums at once.

    python examples/04_flip_map.py --size 400 --seconds 20 --threads 2
"""

import argparse
import base64
import os
import struct
import time
import zlib
from pathlib import Path

import numpy as np

import visviva as vv

GRAVITY = 9.81
STEP = 0.01
STEPS = 4  # in one call: the trace unrolls them, and the state stays in registers in between
FRAME = STEP * STEPS


def kinetic(q, v):
    return v[0] ** 2 + v[1] ** 2 / 2 + v[0] * v[1] * vv.generic.cos(q[0] - q[1])


def potential(q):
    return -GRAVITY * (2 * vv.generic.cos(q[0]) + vv.generic.cos(q[1]))


def build():
    """Functions for the total energy and for one step of the motion."""
    shapes = {"q": 2, "v": 2}
    energy = vv.function(lambda q, v: kinetic(q, v) + potential(q), shapes, name="energy")
    lagrangian = vv.function(lambda q, v: kinetic(q, v) - potential(q), shapes)
    momentum = lagrangian.jacobian("v")
    slope, mass, rate = lagrangian.jacobian("q"), momentum.jacobian("v"), momentum.jacobian("q")

    def acceleration(q, v):  # d/dt ∂L/∂v = ∂L/∂q, solved for v'
        (a, b), (_, d) = mass(q, v)
        x, y = slope(q, v) - rate(q, v) @ v
        return np.array([d * x - b * y, a * y - b * x]) / (a * d - b * b)

    def step(q, v):  # classical Runge–Kutta
        v1, a1 = v, acceleration(q, v)
        v2, a2 = v + STEP / 2 * a1, acceleration(q + STEP / 2 * v1, v + STEP / 2 * a1)
        v3, a3 = v + STEP / 2 * a2, acceleration(q + STEP / 2 * v2, v + STEP / 2 * a2)
        v4, a4 = v + STEP * a3, acceleration(q + STEP * v3, v + STEP * a3)
        return (
            q + STEP / 6 * (v1 + 2 * v2 + 2 * v3 + v4),
            v + STEP / 6 * (a1 + 2 * a2 + 2 * a3 + a4),
        )

    def frame(q, v):
        farthest = 0.0  # either link was from hanging down
        for _ in range(STEPS):
            q, v = step(q, v)
            for angle in abs(q):
                farthest = vv.generic.maximum(farthest, angle)
        return {"q": q, "v": v, "farthest": farthest}

    return energy, vv.function(frame, shapes, name="frame")


def flip_times(frame, size, seconds, threads):
    """Release size × size pendulums from rest; the time at which each first turns over, or inf."""
    angles = (np.arange(size) + 0.5) / size * 2 * np.pi - np.pi
    q = np.stack(np.meshgrid(angles, angles, indexing="xy"), axis=-1).reshape(-1, 2)
    v = np.zeros_like(q)
    alive, times = np.arange(len(q)), np.full(len(q), np.inf)
    frames, steps = round(seconds / FRAME), 0
    for k in range(1, frames + 1):
        q, v, farthest = frame(q, v, threads=threads)
        steps += STEPS * len(q)
        flipped = farthest > np.pi
        times[alive[flipped]] = k * FRAME
        alive, q, v = alive[~flipped], q[~flipped], v[~flipped]
        if k % max(1, frames // 10) == 0:
            print(f"  {k * FRAME:5.1f} s   {len(alive):7d} have not flipped yet", flush=True)
    return times.reshape(size, size), steps


def picture(times, seconds):
    """Early flips bright, late ones dark, none white."""
    finite = np.isfinite(times)
    late = np.log(np.where(finite, times, seconds) / 0.3) / np.log(seconds / 0.3)
    late = np.clip(late, 0, 1)[..., None]
    stops = np.array([[255, 214, 92], [240, 110, 62], [150, 38, 96], [28, 22, 72]], dtype=float)
    position = late[..., 0] * (len(stops) - 1)
    below = np.minimum(position.astype(int), len(stops) - 2)
    part = (position - below)[..., None]
    colours = stops[below] * (1 - part) + stops[below + 1] * part
    colours[~finite] = 250
    return colours.astype(np.uint8)[::-1]


def png(pixels):
    """A PNG file as bytes."""
    height, width, _ = pixels.shape
    lines = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    end = chunk(b"IEND", b"")
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + end
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, help="pendulums along each side, 400 if not given")
    parser.add_argument("--seconds", type=float, help="how long to watch them, 20 if not given")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--quick", action="store_true", help="a small picture")
    parser.add_argument("--out", type=Path, default=Path("study"), help="folder for the report")
    options = parser.parse_args()
    size = options.size or (48 if options.quick else 400)
    seconds = options.seconds or (4.0 if options.quick else 20.0)

    energy, frame = build()
    print(f"from energies to {STEPS} Runge–Kutta steps of a double pendulum: {frame.operations}")
    done = "loaded from the cache" if frame.kernel.from_cache else "compiled"
    print(f"{done} in {frame.compile_seconds:.2f} s; {size * size} pendulums, {seconds:g} s each:")
    start = time.perf_counter()
    times, steps = flip_times(frame, size, seconds, options.threads)
    elapsed = time.perf_counter() - start
    speed = f"{steps / elapsed / 1e6:.0f} million steps a second"
    print(f"{steps / 1e6:.0f} million steps in {elapsed:.1f} s: {speed}")

    # Two checks on the physics. Energy: kept by the exact motion, so nearly by the computed one.
    q, v = np.array([1.0, 0.6]), np.zeros(2)
    first = energy(q, v)
    for _ in range(round(10 / FRAME)):
        q, v, _ = frame(q, v)
    drift = abs(float(energy(q, v) - first))
    # And a barrier: below the energy of standing on end, 2 cos q1 + cos q2 > 1, none can flip.
    angles = (np.arange(size) + 0.5) / size * 2 * np.pi - np.pi
    barred = 2 * np.cos(angles)[None, :] + np.cos(angles)[:, None] > 1
    violations = int(np.isfinite(times[barred]).sum())
    print(f"energy drift over 10 s: {drift:.1e} J; flips against the energy barrier: {violations}")
    assert violations == 0
    assert drift < 1e-4

    options.out.mkdir(parents=True, exist_ok=True)
    data = base64.b64encode(png(picture(times, seconds))).decode()
    report = options.out / "flip_map.html"
    report.write_text(
        PAGE.format(
            data=data,
            seconds=f"{seconds:g}",
            share=f"{100 * np.isfinite(times).mean():.0f}",
            count=f"{size * size:,}".replace(",", " "),
            operations=frame.operations,
            speed=speed,
            drift=f"{drift:.1e}",
        ),
        encoding="utf-8",
    )
    print(f"look at {report}")


PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>When does a double pendulum flip?</title>
<meta name="viewport" content="width=device-width">
<style>
  body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto;
         padding: 0 1rem; color: #222; background: #fff }}
  img {{ width: 100%; image-rendering: pixelated; border: 1px solid #ccc }}
  .scale {{ height: .8rem; background: linear-gradient(90deg, #ffd65c, #f06e3e, #962660, #1c1648) }}
  .ends {{ display: flex; justify-content: space-between; font-size: .85rem; color: #555 }}
  code {{ background: #f3f3f3; padding: .1em .3em }}
</style>
<h1>When does a double pendulum flip?</h1>
<p>{count} pendulums of two equal links start at rest, the first link at the angle across, the
second at the angle up (−180° to 180°, hanging down in the middle). Colour is the time until either
link first turns over, {share} % within {seconds} s; the others are white. Inside the lens in the
middle, 2 cos θ₁ + cos θ₂ &gt; 1, the energy does not suffice, and indeed none of those flips.</p>
<img src="data:image/png;base64,{data}" alt="Map of flip times over the two starting angles">
<div class="scale"></div>
<div class="ends"><span>0.3 s</span><span>(logarithmic)</span><span>{seconds} s</span></div>
<p>Only the kinetic and potential energy were written down. The equations of motion are derivatives
of them; four Runge–Kutta steps take <code>{operations}</code>
and ran at {speed}. The energy of a calm pendulum drifts by {drift} J in 10 s.</p>
</html>
"""

if __name__ == "__main__":
    main()
