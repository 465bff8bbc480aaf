"""A ros2_control-style controller in C++ around a law that visviva wrote in C, double or float.

The law, computed torque for a Puma 560, is saved as a C library of its own, and so is the robot
that it moves. `ros2_controller/computed_torque_controller.hpp` is the controller: a class with
update(time, period), as ros2_control has it. ROS is not needed here: a stand-in has the few names
of it that the class uses. All is built with warnings as errors, by CMake or else by the compilers
alone, and runs beside the same loop in Python.
"""

import argparse
import shutil
import subprocess
from pathlib import Path

import numpy as np

import visviva as vv

SOURCES = Path(__file__).resolve().parent / "ros2_controller"
WARNINGS = "-Wall -Wextra -Werror -pedantic -Wconversion -Wdouble-promotion".split()
STEP, STEPS = 1e-3, 1000
ROUNDINGS = {"double": 2.0**-53, "float": 2.0**-24}  # relative


def law(arm):
    """τ that makes the error obey ë + 20 ė + 100 e = 0, if the model is right."""

    def computed_torque(q, v, q_wanted, v_wanted, a_wanted):
        a = a_wanted + 20.0 * (v_wanted - v) + 100.0 * (q_wanted - q)
        return {"tau": arm.inverse_dynamics(q, v, a)}

    names = ("q", "v", "q_wanted", "v_wanted", "a_wanted")
    return vv.function(computed_torque, dict.fromkeys(names, arm.nv))


def built(folder, scalar):
    """The program, by CMake if it is there; None without a compiler of C++."""
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        return None
    if cmake := shutil.which("cmake"):
        options = [f"-DGENERATED={folder.resolve()}", f"-DSCALAR={scalar}"]
        options.append("-DCMAKE_BUILD_TYPE=Release")
        run([cmake, "-S", SOURCES, "-B", folder / "build", *options])
        run([cmake, "--build", folder / "build"])
        return folder / "build" / "controller"
    names = ["computed_torque", "arm_step"]
    for name in names:
        source, made = folder / name / f"{name}.c", folder / f"{name}.o"
        run([shutil.which("cc") or "gcc", "-std=c99", "-O2", *WARNINGS, "-c", source, "-o", made])
    parts = [f"-I{folder / name}" for name in names] + [folder / f"{name}.o" for name in names]
    given = [f"-DSCALAR={scalar}", SOURCES / "main.cpp", *parts, "-o", folder / "controller", "-lm"]
    run([compiler, "-std=c++17", "-O2", *WARNINGS, *given])
    return folder / "controller"


def run(command):
    """A command, or its complaint."""
    done = subprocess.run([str(x) for x in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return done.stdout


def in_python(arm, control):
    """The same loop: the states at the end."""
    q, v = np.full(arm.nv, 0.2), np.zeros(arm.nv)
    for k in range(STEPS):
        angle = 2.0 * (k * STEP)
        wave = 0.5 * np.sin(angle), np.cos(angle), -2.0 * np.sin(angle)
        tau = control(q, v, *(np.full(arm.nv, x) for x in wave))
        q, v = arm.step(q, v, tau, STEP)
    return np.array([q, v])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("ros2_controller"), help="folder")
    options = parser.parse_args()

    arm = vv.catalog.puma560()
    control = law(arm)
    wanted = in_python(arm, control)
    off = np.abs(wanted[0] - 0.5 * np.sin(2.0 * STEPS * STEP)).max()
    print(f"in Python, after {STEPS} periods: {off:.1e} rad off the wave")
    for scalar, rounding in ROUNDINGS.items():
        folder = options.out / scalar
        control.save_c(folder / "computed_torque", "computed_torque", scalar=scalar)
        arm.step.save_c(folder / "arm_step", "arm_step")
        print(f"two libraries of C in {folder}")
        program = built(folder, scalar)
        if program is None:
            print("no compiler of C++ was found (looked for c++, g++): the sources are all")
            continue
        ends = np.array([line.split() for line in run([program]).splitlines()], dtype=float)
        differ = np.abs(ends - wanted).max() / np.abs(wanted).max()
        print(f"the controller in C++, in {scalar}: {differ:.1e} from Python, relative")
        assert differ < 100 * rounding  # the loop pulls back what roundings move


if __name__ == "__main__":
    main()
