"""The errata of docs/errata/: as found they differ by the terms named; corrected they hold."""

import importlib.util
import sys
from dataclasses import replace

import pytest
import sympy
from support.errata import ROOT, errata, of_row

from visviva.algebra.claims import read
from visviva.algebra.naming import acceleration_name, velocity_name
from visviva.algebra.syntax import Equation, rewritten
from visviva.algebra.syntax_sympy import to_sympy
from visviva.judge.derivation import derivation
from visviva.judge.facts import facts
from visviva.judge.vocabulary import vocabulary

ASKED = """E1 E2 E3 E4 E6 E7 E10 E11 E14 E15 E18 E20 E22 E27 E29 E30 E32 E36 E37 E38 E39b E39c E39d
E39e E40 E41 E44 E45 E46 E47 E48 E51 E52 E53 E54 E55 E56 E57 E58 E60 E61 E62 E63 E64""".split()
ROWS = [e.row for e in errata.errata()]
CASES = [(e.row, c) for e in errata.errata() for c in e.cases]


def zero(x):
    return sympy.simplify(sympy.Matrix([x])).is_zero_matrix


def formula(node, names):
    """A tree as SymPy; names of the system become those of the claim, dots become letters."""
    rates = (lambda x: x, velocity_name, acceleration_name)

    def put(name):
        key = rates[name.dots](names.get(name.key, name.key))
        return replace(name, key=key, dots=0)

    return to_sympy(rewritten(node, put))


def expected(text, case, verdict):
    """What the data say is missing or extra."""
    words = vocabulary(facts(case.model), case.shorthand)
    (node,) = read(text, words)
    return formula(node, {official: own for own, official in verdict.symbols.items()})


@pytest.mark.parametrize("row", ROWS)
def test_erratum(row):
    """As found: differs, and missing and extra are those of the data. Corrected: proved."""
    for case in of_row(row).cases:
        assert case.verdict_corrected().status == "identical"
        if case.refused:
            assert case.refusal() == case.refused
            continue
        verdict = case.verdict()
        assert verdict.status == "differs"
        assert verdict.witness is not None
        assert zero(verdict.missing - expected(case.missing, case, verdict)), verdict.missing
        assert zero(verdict.extra - expected(case.extra, case, verdict)), verdict.extra
        if case.diagnosis:
            assert verdict.diagnosis[0].kind == case.diagnosis


@pytest.mark.parametrize(("row", "case"), [(r, c) for r, c in CASES if c.line])
def test_left_sides_are_lines_of_a_derivation(row, case):
    """What an identity is compared with is no hand-made truth."""
    method, name, *entry = case.line
    line = derivation(case.model, method)[name]
    words = vocabulary(facts(case.model), case.shorthand)
    last = read(case.claim.strip(), words)[-1]
    assert isinstance(last, Equation)
    wanted = line[entry[0] - 1] if entry else line
    assert zero(formula(last.left, {}) - wanted)


def test_all_rows_that_are_equations_are_there():
    assert sorted(ROWS) == sorted(ASKED)
    assert not set(ROWS) & set(errata.not_judged())
    rows = {f"E{number}" for number in audit().rows()["E"]}
    assert set(ROWS) | set(errata.not_judged()) == rows
    for e in errata.errata():
        assert e.fault in errata.FAULTS
        assert e.severity in {"A", "B", "C"}
        assert all(isinstance(line, int) for line in e.lines)
        assert e.note.endswith(".")
        assert e.cases


def test_the_page_is_up_to_date():
    page = tool("errata_page")
    assert page.PAGE.read_text(encoding="utf-8") == page.page(), "run tools/errata_page.py"
    assert page.main(["--check"]) == 0


def test_the_audit_shows_these_rows_by_this_test():
    shown = audit().tests()
    for row in ROWS:
        assert f"`test_errata.test_erratum[{row}]`" in shown[row]


def tool(name):
    """A module of tools/."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


def audit():
    return tool("audit_table")
