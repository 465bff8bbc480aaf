"""The errata of docs/errata/: as found they differ by the terms named; corrected they hold."""

import importlib.util
import sys

import pytest
import sympy

from tests.support.readers.errata import ROOT, errata, of_row

CHECKED = """
E1 E2 E3 E4 E6 E7 E8 E9d E10 E11 E14 E15 E18 E20 E22 E23 E24 E27 E28 E29 E30 E31 E32 E33 E35 E36 E37
E38 E39b E39c E39d E39e E40 E41 E42 E43 E44 E45 E46 E47 E48 E51 E52 E53 E54 E55 E56 E57 E58 E59 E60
E61 E62 E63 E64 E65 E66 E71 E76 E77""".split()
POWERS = {"E27"}  # an equation times a rate: that equation where the rate is not zero
ROWS = [e.row for e in errata.errata() if e.cases]
CASES = [(e.row, c) for e in errata.errata() for c in e.cases]


def zero(x):
    return sympy.simplify(sympy.Matrix([x])).is_zero_matrix


def expected_verdict(case):
    """What the data say is missing and extra, as `check` reads both."""
    claim = f"{case.missing} = {case.extra}"
    return case.model.check(claim, of="identity", shorthand=case.shorthand)


@pytest.mark.parametrize("row", ROWS)
def test_erratum(row):
    """As found: differs, and missing and extra are those of the data. Corrected: proved."""
    for case in of_row(row).cases:
        corrected = case.verdict_corrected()
        assert corrected.status == ("identical if" if row in POWERS else "identical")
        assert all(c.func is sympy.Ne for c in corrected.conditions)
        if case.refused:
            assert case.refusal() == case.refused
            continue
        verdict = case.verdict()
        assert verdict.status == "differs"
        assert verdict.witness is not None
        wanted = expected_verdict(case)
        assert zero(verdict.missing - wanted.missing), verdict.missing
        assert zero(verdict.extra - wanted.extra), verdict.extra
        if case.diagnosis:
            assert verdict.diagnosis[0].kind == case.diagnosis


@pytest.mark.parametrize(("row", "case"), [(r, c) for r, c in CASES if c.line])
def test_left_sides_are_lines_of_a_derivation(row, case):
    """What an identity is compared with is no hand-made truth."""
    method, name, *entry = case.line
    line = case.model.derivation(method)[name]
    wanted = line[entry[0] - 1] if entry else line
    left = case.claim.strip().rpartition("=")[0]
    right = f"[{', '.join(map(str, wanted))}]" if hasattr(wanted, "shape") else str(wanted)
    verdict = case.model.check(f"{left} = {right}", of="identity", shorthand=case.shorthand)
    assert verdict.is_identical, verdict


def test_every_row_is_judged_by_check_or_by_computing():
    found = errata.errata()
    assert {e.row for e in found} == {f"E{number}" for number in audit().rows()["E"]}
    assert len({e.row for e in found}) == len(found)
    assert sorted(ROWS) == sorted(CHECKED)
    for e in found:
        assert e.fault in errata.FAULTS
        assert e.severity in {"A", "B", "C"}
        assert all(isinstance(line, int) for line in e.lines)
        assert [bool(e.cases), bool(e.computed)].count(True) == 1
        assert e.found or e.note
        for text in filter(None, (e.note, e.computed)):
            assert text.endswith(".")


def test_what_is_called_computed_is_computed_by_a_test():
    shown = audit().tests()
    for e in errata.errata():
        assert not e.computed or shown[e.row], e.row


def test_entries_that_were_rated_wrongly_say_what_is_right():
    rated = {e.row: e for e in errata.errata()}
    assert "Only the form with fixed times" in rated["E14"].note
    assert "Maupertuis" in rated["E14"].note
    assert rated["E37"].fault == "unknown"
    assert rated["E39b"].severity == "C"


def test_the_page_is_up_to_date():
    assert tool("errata_page").main(["--check"]) == 0, "run tools/errata_page.py"


def test_the_audit_shows_these_rows_by_this_test():
    shown = audit().tests()
    for row in ROWS:
        assert f"`test_errata.test_erratum[{row}]`" in shown[row]


def tool(name):
    """A module of tools/."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


def audit():
    return tool("audit_table")
