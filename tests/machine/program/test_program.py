"""Programs: order, blocks, counts, digest."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

import visviva as vv
from benchmarks.chains import shapes, torques
from visviva.algebra.expr import CONSTANT, Graph, reachable
from visviva.machine.program.blocks import LARGEST, split
from visviva.machine.program.interpret import interpret
from visviva.machine.program.program import Port, Program
from visviva.machine.program.schedule import pressure, schedule
from visviva.machine.run import kernel


@pytest.fixture(scope="module")
def program():
    return vv.function(torques(5), shapes(5)).jacobian("q").program


def test_arguments_come_before_results(program):
    for i, (op, *args) in enumerate(program.code):
        if op != CONSTANT:
            assert all(x < program.arguments + i for x in args)


def test_the_schedule_overflows_no_more_than_the_trace():
    graph = Graph()
    xs = [graph.input(f"x{i}") for i in range(60)]
    products = [x * x for x in xs]  # all alive at once as traced
    roots = [sum(products[1:], products[0])]
    assert pressure(schedule(roots)) == 0 < pressure(reachable(roots))


@pytest.mark.parametrize("largest", [7, 50, 333])
def test_blocks_cover_the_code_and_slots_never_clash(program, largest):
    layout = split(program, largest, largest // 5)
    assert [i for block in layout.blocks for i in block] == list(range(len(program.code)))
    assert max(map(len, layout.blocks)) <= largest
    first, holder = program.arguments, {}
    for block in layout.blocks:
        here = range(first + block.start, first + block.stop)
        for i in block:
            op, *args = program.code[i]
            for value in args if op != CONSTANT else ():
                is_constant = value >= first and program.code[value - first][0] == CONSTANT
                if value >= first and value not in here and not is_constant:
                    assert holder[layout.slots[value]] == value
            if first + i in layout.slots:
                assert 0 <= layout.slots[first + i] < layout.size
                holder[layout.slots[first + i]] = first + i


@pytest.mark.spread(0)
@pytest.mark.parametrize("largest", [7, 50, 333])
def test_programs_in_many_blocks_compute_the_same(program, largest, monkeypatch):
    """Through slots, tiles and the entry point."""
    monkeypatch.setenv("VISVIVA_CACHE", "off")
    monkeypatch.setattr(kernel, "split", lambda p: split(p, largest, largest // 5))
    assert split(program, largest).size > 5
    f = vv.Function("blocks", program.inputs, lambda: program)
    x = np.random.default_rng(0).normal(size=(3, 101, 5))
    batch = f(*x)
    for row in (0, 7, 8, 63, 100):
        wanted = np.array(f.interpret(*x[:, row]), dtype=float)
        scale = np.abs(wanted).max()
        np.testing.assert_allclose(batch[row], wanted, rtol=1e-12, atol=1e-12 * scale)
        np.testing.assert_array_equal(f(*x[:, row]), batch[row])


@pytest.mark.spread(0)
def test_a_large_program_is_split_and_right():
    f = vv.function(torques(8), shapes(8)).jacobian("q", "v")
    assert len(f.program.code) > 3 * LARGEST
    assert split(f.program).size > 100
    x = np.random.default_rng(1).normal(size=(3, 33, 8))
    for got, wanted in zip(f(*x), f.interpret(*x[:, 32]), strict=True):
        wanted = wanted.astype(float)
        scale = np.abs(wanted).max()
        np.testing.assert_allclose(got[32], wanted, rtol=1e-12, atol=1e-12 * scale)


def test_negated_differences_cost_nothing():
    f = vv.function(lambda x: -(x[0] - x[1]) * 1.0, {"x": 2})
    assert dict(f.operations) == {"sub": 1}
    assert f([1.0, 5.0]) == 4.0


def test_operations_are_counted():
    f = vv.function(lambda x: x[0] * x[1] + x[0] - 3 * x[1], {"x": 2})
    assert f.operations.multiplications == 2
    assert f.operations.additions == 2
    assert f.operations.total() == 4
    assert str(f.operations) == "2 mul, 2 add"


def test_the_digest_names_the_computation():
    def make(k, name="x"):
        return vv.function(lambda x: k * x[0] + x[1], {name: 2}).program

    assert make(2.0).digest == make(2.0).digest
    assert make(2.0).digest != make(2.0 + 2e-16 * 2).digest
    assert make(2.0).digest != make(2.0, "y").digest
    assert pickle.loads(pickle.dumps(make(2.0))) == make(2.0)


def test_interpretation_on_fractions_is_exact():
    f = vv.function(lambda x: (x[0] + 0.5) / (x[1] - 0.25), {"x": 2})
    assert f.interpret([Fraction(1, 3), Fraction(1, 7)])[()] == Fraction(5, 6) / Fraction(-3, 28)


def test_interpretation_takes_one_evaluation():
    f = vv.function(lambda x: x, {"x": 2})
    with pytest.raises(vv.errors.ShapeError, match="one evaluation at a time"):
        f.interpret(np.zeros((3, 2)))


def test_a_program_without_instructions():
    graph = Graph()
    x = graph.input("x")
    program = Program.of([Port("x", (1,))], [Port("y", (1,))], [x], [x])
    assert program.code == ()
    assert interpret(program, [3.0]) == [3.0]
