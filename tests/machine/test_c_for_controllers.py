"""C in float or double: as near as its rounding allows, without a warning, built as users build."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import visviva as vv
from tests.support.tools import require
from visviva.algebra.expr import CONSTANT
from visviva.algebra.ops import OPS
from visviva.errors import ArgumentError, UnknownNameError, WriteError

STRICT = "-Wall -Wextra -Werror -pedantic -Wconversion -Wdouble-promotion".split()
g = vv.generic
ARM = vv.catalog.puma560()
ROUNDING = 2.0**-24  # of a float, relative
# what an operation may be off by, in roundings: 1 where the standard says so; functions of the C
# library are below 1 ulp, 2 roundings, but tanhf and some others, which glibc lists at 2
ROUNDINGS = 4.4
KINDS = {"float": np.float32, "double": np.float64}


def in_c(folder, f, scalar):
    """A function of arrays by the C compiler, which is told to warn of everything."""
    compiler = require("cc", "gcc")
    f.save_c(folder, "compiled", scalar=scalar)
    files = ["compiled.c", "-o", "compiled.so", "-lm"]
    command = [compiler, "-std=c99", *STRICT, "-O2", "-shared", "-fPIC", *files]
    subprocess.run(command, cwd=folder, check=True)
    call = ctypes.CDLL(str(folder / "compiled.so")).compiled

    def run(*arguments):
        arrays = [np.ascontiguousarray(x, KINDS[scalar]) for x in arguments]
        outs = [np.empty(shape, KINDS[scalar]) for shape in f.outputs.values()]
        call(*(ctypes.c_void_p(x.ctypes.data) for x in (*arrays, *outs)))
        return outs[0]

    return run


def bounds(f, *arguments):
    """How far floats may be from the truth: to first order, by the derivatives of operations.

    An operation hands on what its arguments are off by, and adds a rounding of its own.
    """
    values = [float(x) for array in arguments for x in np.ravel(array)]
    errors = [0.0] * len(values)
    for op, *args in f.program.code:
        row = OPS.get(op)
        if op == CONSTANT:
            y, error = args[0], ROUNDING * abs(args[0])
        else:
            xs = [values[k] for k in args]
            y = float(row.value(*xs))
            slopes = [(d, errors[k]) for d, k in zip(row.derivative, args, strict=True) if d]
            error = sum(abs(float(d(e, y, *xs))) for d, e in slopes)
            is_called = row.is_function or row.calls
            error += (ROUNDINGS if is_called else 1.0) * ROUNDING * abs(y)
        values.append(y)
        errors.append(error)
    return np.array([errors[k] for k in f.program.results])


ONCE = {"t": (), "u": (), "w": ()}
FORMULAS = vv.function(
    lambda t, u, w: [row.value(*(t, u, w)[: row.arity]) for row in OPS.values()], ONCE, name="each"
)
FUNCTIONS = {
    "every operation": FORMULAS,
    "torques": ARM.inverse_dynamics,
    "accelerations": ARM.forward_dynamics,
    "mass matrix": ARM.mass_matrix,
    "pose": ARM.pose(ARM.frame_names[-1]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_floats_are_as_near_as_their_rounding_allows(name, tmp_path):
    """In double the same text is as near as doubles are: nothing in it is of one kind only."""
    f, rng = FUNCTIONS[name], np.random.default_rng(3)
    single, double = (in_c(tmp_path / kind, f, kind) for kind in ("float", "double"))
    for _ in range(20):
        state = [np.float64(np.float32(rng.uniform(0.1, 0.9, s))) for s in f.inputs.values()]
        true, bound = np.ravel(f(*state)), bounds(f, *state)
        off = np.abs(np.ravel(single(*state)) - true)
        assert (off <= 1.01 * bound).all(), (name, off, bound)  # 1.01: to second order
        near = np.abs(np.ravel(double(*state)) - true)
        assert (near <= 4.0 * 2.0**-29 * bound).all(), (name, near, bound)
        assert bound.max() < 1e-3 * max(np.abs(true).max(), 1.0)  # it says something


def test_a_library_for_c_and_for_cpp(tmp_path):
    """By CMake where it is there; the header is included by both languages, before anything."""
    f = ARM.gravity_forces
    wanted = f(np.full(6, 0.5))
    for scalar in KINDS:
        folder = tmp_path / scalar
        f.save_c(folder / "gravity", "gravity", scalar=scalar)
        files = sorted(x.name for x in (folder / "gravity").iterdir())
        assert files == ["CMakeLists.txt", "gravity.c", "gravity.h"]
        (folder / "main.cpp").write_text(f"""#include "gravity.h"
#include <cstdio>

int main()
{{
    const {scalar} q[6] = {{0.5, 0.5, 0.5, 0.5, 0.5, 0.5}};
    {scalar} g[6];
    gravity(q, g);
    for (const {scalar} x : g) std::printf("%.17g\\n", static_cast<double>(x));
}}
""")
        program = built(folder)
        run = subprocess.run([str(program)], capture_output=True, text=True, check=True)
        got = np.array(run.stdout.split(), dtype=float)
        scale = {"float": 1e-5, "double": 1e-14}[scalar]  # some hundred roundings
        np.testing.assert_allclose(got, wanted, atol=scale * np.abs(wanted).max())


def built(folder):
    """A program of main.cpp and the library in gravity/, as users build it."""
    compilers = require("cc", "gcc"), require("c++", "g++")
    flags = " ".join(STRICT)
    if cmake := shutil.which("cmake"):
        (folder / "CMakeLists.txt").write_text("""cmake_minimum_required(VERSION 3.10)
project(controller CXX)
set(CMAKE_CXX_STANDARD 17)
add_subdirectory(gravity)
add_executable(controller main.cpp)
target_link_libraries(controller gravity)
""")
        options = [f"-DCMAKE_C_FLAGS={flags}", f"-DCMAKE_CXX_FLAGS={flags}"]
        run = {"cwd": folder, "check": True, "stdout": subprocess.PIPE}
        subprocess.run([cmake, "-S", ".", "-B", "build", *options], **run)
        subprocess.run([cmake, "--build", "build"], **run)
        return folder / "build" / "controller"
    cc, cpp = compilers
    c, both = [cc, "-std=c99", *STRICT, "-c", "gravity/gravity.c"], ["main.cpp", "gravity.o"]
    command = [cpp, "-std=c++17", *STRICT, "-Igravity", *both, "-o", "controller", "-lm"]
    for line in (c, command):
        subprocess.run(line, cwd=folder, check=True)
    return folder / "controller"


def test_a_folder_belongs_to_one_function(tmp_path):
    ARM.gravity_forces.save_c(tmp_path, scalar="double")
    ARM.gravity_forces.save_c(str(tmp_path), scalar="float")  # the same one: written anew
    assert "const float *q" in (tmp_path / "gravity_forces.h").read_text()
    with pytest.raises(WriteError, match=r"CMakeLists\.txt is there already, .* a folder of its"):
        ARM.mass_matrix.save_c(tmp_path)
    assert not (tmp_path / "mass_matrix.c").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteError, match="cannot be written"):
        ARM.mass_matrix.save_c(tmp_path / "file")


@pytest.mark.parametrize("file", ["mine.c", "mine.h", "CMakeLists.txt"])
def test_a_file_of_somebody_else_stays(file, tmp_path):
    (tmp_path / file).write_text("precious")
    with pytest.raises(WriteError, match=rf"{file} is there already"):
        ARM.gravity_forces.save_c(tmp_path, "mine")
    assert {x.name: x.read_text() for x in tmp_path.iterdir()} == {file: "precious"}


def test_names_that_c_cpp_or_cmake_have_taken(tmp_path):
    f = vv.function(lambda new, sinf: new * sinf, {"new": 1, "sinf": 1}, name="f")
    assert "void f(const double *new_, const double *sinf_, double *out);" in f.c_header()
    for name in ("class", "sinf", "powl", "co_yield"):
        with pytest.raises(ArgumentError, match="cannot name a C function"):
            f.c_source(name)
    assert "void test(" in f.c_source("test")
    with pytest.raises(ArgumentError, match="'test' cannot name a CMake library"):
        f.save_c(tmp_path / "new", "test")
    assert not (tmp_path / "new").exists()


def test_a_number_that_float_has_not():
    for number in (1e300, -1e-60):
        f = vv.function(lambda x, number=number: number * x, {"x": 1}, name="f")
        with pytest.raises(ArgumentError, match="which float has not"):
            f.c_source(scalar="float")
        assert "const double" in f.c_source()
    f = vv.function(lambda x: [np.inf * x[0], x[0] + 9.81, x[0] - np.nan], {"x": 1}, name="f")
    text = f.c_source(scalar="float")
    assert "9.81f" in text
    assert "(float)INFINITY" in text


def test_what_is_decided_by_digits_that_float_has_not():
    """In floats the plane arm was at no target: each is farther off than 1e-9, by rounding."""
    arm, linkage = vv.catalog.planar_3r(), vv.catalog.four_bar()
    f = vv.function(lambda x: g.where(g.less(x, 0.5 * 2.0**-24), x, 1.0), {"x": ()}, name="f")
    for refused in (arm.inverse_kinematics_function("tool"), linkage.forward_dynamics, f):
        with pytest.raises(ArgumentError, match="finer than the rounding of float"):
            refused.c_source("f", scalar="float")
        assert refused.c_source("f")
    sign = vv.function(lambda x: g.where(g.less(x, 0.0), x, 1e-9), {"x": ()}, name="f")
    assert "1e-09f" in sign.c_source(scalar="float")


def test_another_scalar_is_refused():
    for scalar in ("half", np.float32):
        with pytest.raises(UnknownNameError, match="available: 'double', 'float'"):
            ARM.gravity_forces.c_header(scalar=scalar)
