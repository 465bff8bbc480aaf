"""The code generator's level changes how fast code is, and no bit of what it computes."""

import time

import numpy as np
import pytest

import visviva as vv
from tests.support.oracles.robots import FOLDER
from visviva.machine.code.cpu import host
from visviva.machine.run import jit, kernel

SYSTEMS = {
    "two_link": vv.catalog.two_link,
    "puma560": vv.catalog.puma560,
    "four_bar": vv.catalog.four_bar,
    "knife_edge": vv.catalog.knife_edge,
    "cart_pole": vv.catalog.cart_pole,
    "stewart": vv.catalog.stewart,
    "ur5": lambda: vv.load(FOLDER / "robots/ur_description/urdf/ur5_robot.urdf"),
}
FUNCTIONS = ("forward_dynamics", "inverse_dynamics", "mass_matrix", "kinetic_energy")
ROWS = 37  # whole tiles of any width, and a part of one


@pytest.fixture
def at_level(monkeypatch):
    """What a function gives at a level, with nothing left of another."""
    monkeypatch.setenv("VISVIVA_CACHE", "off")

    def made(level, f, *arguments):
        monkeypatch.setattr(jit, "LEVEL", level)
        kernel.function_object.cache_clear()
        return f(*arguments)

    yield made
    kernel.function_object.cache_clear()


def computed(program, rows):
    """The machine code, and all outputs, for rows that are the same each time."""
    rng = np.random.default_rng(7)
    inputs = [rng.normal(scale=0.7, size=(rows, port.size)) for port in program.inputs]
    outputs = [np.zeros((rows, port.size)) for port in program.outputs]
    description, code = kernel.compile_program(program, host())
    made = kernel.load_kernel(description, code, time.perf_counter(), from_cache=False)
    made.run([*inputs, *outputs], rows)
    return code, [x.tobytes() for x in outputs]


@pytest.mark.spread(6)
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_rows_have_the_same_bits(name, function, at_level):
    program = SYSTEMS[name]().function(function).program
    (code, ours), (other, quick) = (at_level(k, computed, program, ROWS) for k in (jit.LEVEL, 0))
    assert code != other
    assert ours == quick


@pytest.mark.parametrize("name", ["two_link", "puma560", "four_bar", "cart_pole"])
def test_single_calls_and_motions_have_the_same_bits(name, at_level):
    def moved():
        system = SYSTEMS[name]()
        q = system.neutral() + 0.1
        q = system.assembled(q) if system.loops else q
        run = system.simulate(q, np.zeros(system.nv), 0.2)
        return [x.tobytes() for x in (run.q, run.v, system.mass_matrix(q))]

    assert at_level(jit.LEVEL, moved) == at_level(0, moved)
