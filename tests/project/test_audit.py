"""The table of the audit is up to date, complete, and cannot be green by name alone."""

import ast
import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("audit_table", ROOT / "tools" / "audit_table.py")
audit = importlib.util.module_from_spec(spec)
spec.loader.exec_module(audit)


def test_the_page_is_up_to_date():
    assert audit.PAGE.read_text(encoding="utf-8") == audit.page(), "run tools/audit_table.py"
    assert audit.main(["--check"]) == 0


def test_every_row_is_there():
    rows = audit.rows()
    assert {letter: len(group) for letter, group in rows.items()} == {"S": 69, "C": 113, "E": 91}
    for letter, last in (("S", 69), ("C", 113), ("E", 81)):
        assert {str(k) for k in range(1, last + 1)} <= set(rows[letter])
    titles = [title for group in rows.values() for title in group.values()]
    assert all(titles)
    lines = [x for x in audit.page().splitlines() if x.startswith(("| S", "| C", "| E"))]
    assert len(lines) == 273
    for line in lines:
        assert line.split("|")[3].strip().startswith("`test_"), line  # none is open
    assert "273 of 273 rows are shown, 0 are open." in audit.page()


def test_a_row_without_a_test_would_be_open(monkeypatch):
    """The status is computed: with one test gone its row is open, and the page says so."""
    shown = {row: names for row, names in audit.tests().items() if row != "S20"}
    monkeypatch.setattr(audit, "tests", lambda: shown)
    page = audit.page.__wrapped__()
    assert "272 of 273 rows are shown, 1 are open." in page
    assert "| S20 | Parallel axes, proved with products of inertia | open |" in page


def test_a_name_alone_shows_nothing():
    def judged(text):
        return audit.asserts(ast.parse(text).body[0])

    assert not judged("def test_S1_x():\n    compute()")
    assert judged("def test_S1_x():\n    assert compute()")
    assert judged("def test_S1_x():\n    with pytest.raises(ValueError):\n        compute()")
    assert judged("def test_S1_x():\n    np.testing.assert_allclose(a, b)")
    assert judged("def test_S1_x():\n    close(compute(), 1.0)")
    assert not judged("def test_S1_x():\n    file.close()")
    marked = ast.parse("@pytest.mark.skip\ndef test_S1_x():\n    assert True").body[0]
    assert audit.skipped(marked)


def test_numbers_are_read_from_names():
    read = audit.ROW.findall
    assert read("test_S17_round_tube") == ["S17"]
    assert read("test_S1_and_S2") == ["S1", "S2"]
    assert read("test_E39b_point") == ["E39b"]
    assert read("test_all_solids_Sx") == []


def test_rows_of_bodies_are_shown():
    """What this part of the package promises."""
    promised = ["S10", "S12", "S13", *(f"S{k}" for k in (17, 18, 19, 20, 25, 26, 27, 28, 29, 31))]
    promised += ["C33", "C34", *(f"C{k}" for k in range(58, 75))]
    assert set(promised) <= set(audit.tests())


def test_every_convention_names_a_test_that_exists():
    page = (ROOT / "docs" / "conventions.md").read_text(encoding="utf-8")
    rows = [x for x in page.splitlines() if x.startswith("| ") and "shown by" not in x]
    assert len(rows) > 30
    there = {
        f"{path.stem}.{node.name}"
        for path in (ROOT / "tests").rglob("test_*.py")
        if f"`{path.stem}." in page
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }
    for row in rows:
        named = re.findall(r"`(test_\w+\.test_\w+)`", row)
        assert named, row
        assert set(named) <= there, set(named) - there


def test_the_sources_are_tested_as_their_reader_would():
    """By public names, in what they import and in what they ask of an object."""
    doors = {"visviva", *(f"visviva.{x}" for x in ("errors", "parallel", "pencil", "space"))}
    for path in (ROOT / "tests" / "sources").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                asked = {node.module}
            elif isinstance(node, ast.Import):
                asked = {alias.name for alias in node.names}
            elif isinstance(node, ast.Attribute):
                hidden = node.attr.startswith("_") and not node.attr.endswith("__")
                assert not hidden, f"{path.name}: {ast.unparse(node)}"
                continue
            else:
                continue
            ours = {x for x in asked if x.partition(".")[0] == "visviva"}
            assert ours <= doors, f"{path.name} imports {ours - doors}"
