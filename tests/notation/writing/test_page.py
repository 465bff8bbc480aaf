"""What stands on a page is one tree: every visitor knows every node, and refuses all else."""

import inspect
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import sympy

from visviva.notation.names import Names, Parts
from visviva.notation.writing import page
from visviva.notation.writing.arrange import Arranger, Boxes
from visviva.notation.writing.latex import tex
from visviva.notation.writing.mathml import ml, tall
from visviva.notation.writing.order import ByMotion, InBooks
from visviva.notation.writing.plain import text
from visviva.notation.writing.width import width

x, y, z, qd1, qdd1 = sympy.symbols("x y z qd1 qdd1")
NAME = page.Name(Parts("q", "1", 1))
SUM = page.Sum(((1, NAME), (-1, page.TWO)))
NODES = {
    page.Number: page.TWO,
    page.Scientific: page.Scientific("1.5", "-9"),
    page.Name: NAME,
    page.Sign: page.Sign("ω", "C1", 1, True, "2", "1", True),
    page.Mark: page.Mark("×"),
    page.Sum: SUM,
    page.Product: page.Product((page.TWO, SUM)),
    page.Row: page.Row((page.Sign("R"), page.Mark("×"), page.Fence(SUM))),
    page.Quotient: page.HALF,
    page.Power: page.Power(page.Sign("ω", "1"), page.TWO),
    page.Root: page.Root(SUM),
    page.Call: page.Call("f", (NAME,), by=(1, 1)),
    page.Slope: page.Slope("f", ((NAME, 2), (page.Name(Parts("x")), 1))),
    page.Relation: page.Relation(NAME, "≤", page.TWO),
    page.Joined: page.Joined("and", (page.Relation(NAME, "≤", page.TWO),) * 2),
    page.Cases: page.Cases(((NAME, page.Relation(NAME, "≤", page.TWO)), (SUM, None))),
    page.Fence: page.Fence(SUM),
    page.Grid: page.Grid(((NAME, SUM), (page.ZERO, page.HALF))),
    page.Lines: page.Lines((SUM, SUM)),
    page.Foreign: page.Foreign(sympy.Integral(x, x)),
}
VISITORS = (tex, ml, tall, text, width)


def test_there_is_a_sample_of_every_node():
    classes = inspect.getmembers(page, inspect.isclass)
    assert {k for _, k in classes if k.__module__ == page.__name__} == set(NODES)


@pytest.mark.parametrize("node", NODES.values(), ids=lambda n: type(n).__name__)
def test_every_visitor_knows_every_node(node):
    assert tex(node)
    assert text(node)
    assert width(node) > 0
    assert tall(node) in (True, False)
    ElementTree.fromstring(f"<math>{ml(node)}</math>")


@pytest.mark.parametrize("visitor", VISITORS)
def test_what_stands_on_no_page_is_an_error_and_never_printed(visitor):
    for stranger in (None, "x", sympy.Symbol("x"), object()):
        with pytest.raises(TypeError, match="not on a page: "):
            visitor(stranger)


def test_a_minus_before_a_sum_keeps_its_brackets():
    minus = sympy.Mul(-1, x + y, evaluate=False)
    assert text(Boxes(["x", "y"]).box(z - minus)) == "x + y + z"
    whole = sympy.Add(z, minus, evaluate=False)
    for arranged in (Boxes(["x", "y"]).box(whole), Arranger(InBooks(Names())).of(whole)):
        assert "-(x + y)" in text(arranged).replace("- (", "-(")
        assert r"\left(x + y\right)" in tex(arranged)


def test_the_order_of_terms_is_a_value():
    names, total = Names(["q1"]), x + qd1**2 - qdd1
    assert tex(Arranger(InBooks(names)).of(total)) == r"-\ddot{q}_{1} + \dot{q}_{1}^{2} + x"
    friction = qd1 * y + x + qd1**2
    assert text(Arranger(ByMotion(names)).of(friction)) == "q̇₁² + x + y q̇₁"
    assert text(Arranger(InBooks(names)).of(friction)) == "q̇₁² + y q̇₁ + x"


def test_a_derivation_loads_no_writer_of_pages():
    asked = """if True:
        import sys, visviva as vv
        str(vv.catalog.rp_arm().derivation())
        loaded = {"documents", "latex", "mathml", "webpage"} & {
            name.rpartition(".")[2] for name in sys.modules if name.startswith("visviva.")}
        print(sorted(loaded))
    """
    answer = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"
