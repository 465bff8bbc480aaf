"""Weigh a robot by moving it: the base parameters of a UR5 from noisy torques.

Of the 78 numbers that state the masses, rotors and friction of the arm, joint torques show 52
combinations, τ = Y(q, v, a) β. The arm follows a periodic motion chosen to excite them, torques
are measured with noise, and weighted least squares gives β with standard errors.

    python examples/08_identify_base_parameters.py         # a UR5, if example-robot-data is there

Without that package (`pip install example-robot-data`), it is the Puma 560 of the catalog.
"""

import argparse
from dataclasses import replace
from importlib import metadata

import numpy as np

import visviva as vv

PERIOD, HARMONICS = 10.0, 5
NOISE = np.array([3.0, 3.0, 2.0, 0.5, 0.5, 0.5])  # N m: standard deviations, joint by joint
DRIVES = {"armature": 0.2, "damping": 3.0, "friction": 2.0}  # of the first three joints


def ur5():
    """A UR5 from the package example-robot-data, or else a Puma 560, with rotors and friction."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        files = []
    found = [file for file in files if file.name == "ur5_robot.urdf"]
    if not found:
        print("pip install example-robot-data for a UR5; meanwhile:")
    arm = vv.load(found[0].locate()) if found else vv.catalog.puma560().numeric
    driven = []
    for i, b in enumerate(arm.bodies):
        size = 1.0 if i < 3 else 0.2
        driven.append(replace(b, **{k: np.array([x * size]) for k, x in DRIVES.items()}))
    return replace(arm, bodies=tuple(driven))


def motion(coefficients, t):
    """q, v, a of a Fourier series; it is periodic and known exactly, so nothing is differenced."""
    k = 2 * np.pi / PERIOD * np.arange(1, HARMONICS + 1)
    s, c = np.sin(np.outer(t, k)), np.cos(np.outer(t, k))
    A, B, offset = coefficients
    q = s @ (A / k[:, None]) - c @ (B / k[:, None]) + offset
    return q, c @ A + s @ B, (c * k) @ B - (s * k) @ A


def exciting(Y, rng, joints, tries):
    """Of random motions the one that shows β best: the smallest condition number."""
    t = np.linspace(0.0, PERIOD, 100, endpoint=False)

    def drawn():
        A, B = rng.normal(size=(2, HARMONICS, joints)) * 0.7  # rad/s
        return A, B, rng.uniform(-1.0, 1.0, joints)

    def condition(coefficients):
        return np.linalg.cond(Y(*motion(coefficients, t)).reshape(100 * joints, -1))

    best, path = np.inf, drawn()
    for k in range(tries):
        found = drawn() if k else path
        size = condition(found)
        best, path = (size, found) if size < best else (best, path)
        if tries > 1 and (k + 1) % max(1, tries // 10) == 0:
            say(f"  {k + 1:4d} motions, best condition number {best:.0f}")
    return path


def least_squares(Y, tau):
    """β and its covariance, from Y β = τ with each row divided by its noise."""
    W = (Y / NOISE[:, None]).reshape(-1, Y.shape[-1])
    Q, R = np.linalg.qr(W)
    inverse = np.linalg.inv(R)
    return inverse @ (Q.T @ (tau / NOISE).ravel()), inverse @ inverse.T


def say(what):
    """At once, also into a file: some steps take seconds."""
    print(what, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer samples")
    quick = parser.parse_args().quick
    rng = np.random.default_rng(4)

    arm = ur5()
    say(f"finding the combinations of {arm.name}'s parameters that torques show")
    base = arm.base_parameters()
    Y, true = base.regressor, base.values
    print(f"{arm.name}: {len(base)} combinations of {len(base.parameter_names)} parameters count")
    print(f"Y has {Y.operations}\n")

    tries = 20 if quick else 200
    say(f"compiling Y, then choosing the best of {tries} motions")
    path = exciting(Y, rng, arm.nv, tries)

    def measured(count):
        """Samples over whole periods, with noise on the torques."""
        q, v, a = motion(path, np.arange(count) * PERIOD / count)
        tau = arm.inverse_dynamics(q, v, a)
        return Y(q, v, a), tau + NOISE * rng.normal(size=tau.shape)

    # True values and estimates. An error should be about as large as its standard error says.
    count = 2_000 if quick else 20_000
    say(f"weighing the arm by {count} samples\n")
    beta, covariance = least_squares(*measured(count))
    deviation = np.sqrt(np.diag(covariance))
    score = (beta - true) / deviation
    print(f"{count} samples:\n       true   estimate      ±      off by")
    for x, y, s, z, name in zip(true, beta, deviation, score, base.names, strict=True):
        short = name if len(name) < 50 else name[:48] + " …"
        print(f"  {x:z9.4f}  {y:z9.4f}  {s:7.4f}  {z:+5.1f} ±   {short}")
    rms = np.sqrt(np.mean(score**2))
    print(f"errors are {rms:.2f} standard errors (root mean square); 1 is expected\n")
    assert 0.6 < rms < 1.4

    # Four times the samples halve the errors.
    print("samples   root mean square of the errors, each relative to its size at 1 sample")
    unit = deviation * np.sqrt(count)
    for n in (500, 2_000, 8_000) if quick else (500, 2_000, 8_000, 32_000):
        print(f"{n:7d}   ", end="", flush=True)
        runs = [(least_squares(*measured(n))[0] - true) / unit for _ in range(5)]
        error = np.sqrt(np.mean(np.square(runs)))
        say(f"{error:.5f}, times √samples: {error * np.sqrt(n):.2f}")
        assert 0.75 < error * np.sqrt(n) < 1.25

    # What it is for: torques of a motion that was not measured.
    other = exciting(Y, rng, arm.nv, 1)
    q, v, a = motion(other, np.linspace(0.0, PERIOD, 1000))
    tau = arm.inverse_dynamics(q, v, a)
    off = np.sqrt(np.mean((Y(q, v, a) @ beta - tau) ** 2, axis=0))
    size = np.sqrt(np.mean(tau**2, axis=0))
    print("\na new motion, root mean squares in N m, joint by joint")
    for what, row in (("torque", size), ("noise", NOISE), ("predicted, off by", off)):
        print(f"  {what:18}" + "".join(f"{x:9.3f}" for x in row))
    assert (off < 0.3 * NOISE).all()


if __name__ == "__main__":
    main()
