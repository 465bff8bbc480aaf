"""Write docs/audit.md: every row of the audit, and the tests that show it.

A test shows a row if its name contains the row's number (`test_S17_round_tube`) and it asserts
something. One test runs over the data of docs/errata/ and shows every row that has a case there.
A row without such a test is open.

    python tools/audit_table.py            # rewrite the page
    python tools/audit_table.py --check    # fail if it is not up to date
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "audit.md"
HEADINGS = {"S": "Mechanisms", "C": "Abilities", "E": "Errors in print"}
ROW = re.compile(r"(?<=_)([SCE]\d+[a-z]?)(?=_|$)")
OVER_DATA = "test_errata.test_erratum"  # it runs over all rows of the data
HELPERS = {"close", "same_inertia", "same_pose", "over_all_scalars", "prove"}  # they assert

HEAD = """# The audit

Five documents on robot dynamics were read line by line: {S} mechanisms, {C} abilities a reader
would expect, {E} errors in print. This page is generated from the names of the tests: a row is
shown by the tests that bear its number, and open until there is one. Errors in print are [judged
one by one](equations-checked.md), general statements are [proved](proofs.md).

{shown} of {total} rows are shown, {open} are open.
"""


def rows() -> dict[str, dict[str, str]]:
    """Titles by number, by letter."""
    text = (ROOT / "tools" / "audit_rows.toml").read_text(encoding="utf-8")
    return {letter: group for letter, group in tomllib.loads(text).items() if letter in HEADINGS}


def asserts(function: ast.AST) -> bool:
    """Whether a test can fail: an assert, or a call of something that asserts."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called == "pytest.raises" or called.startswith("np.testing.") or called in HELPERS:
                return True
    return False


def skipped(function: ast.FunctionDef) -> bool:
    """Whether a mark says that it may not run or may fail."""
    marks = [ast.unparse(d) for d in function.decorator_list]
    return any(word in mark for mark in marks for word in ("skip", "xfail"))


@cache
def tests() -> dict[str, list[str]]:
    """Names of the tests that show each row."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not (isinstance(node, ast.FunctionDef) and node.name.startswith("test_")):
                continue
            name = f"{path.stem}.{node.name}"
            shown = [(row, f"`{name}`") for row in ROW.findall(node.name)]
            if name == OVER_DATA:
                shown += [(row, f"`{name}[{row}]`") for row in rows_of_data()]
            if shown and asserts(node) and not skipped(node):
                for row, test in shown:
                    found.setdefault(row, []).append(test)
    return found


def rows_of_data() -> list[str]:
    """The rows of docs/errata/ that have claims to be judged."""
    files = sorted((ROOT / "docs" / "errata").glob("[0-9]*.toml"))
    tables = [tomllib.loads(path.read_text(encoding="utf-8")) for path in files]
    return [e["row"] for table in tables for e in table["erratum"] if e.get("case")]


@cache
def page() -> str:
    """The whole page."""
    titles, shown_by = rows(), tests()
    known = {letter + number for letter, group in titles.items() for number in group}
    strangers = set(shown_by) - known
    if strangers:
        raise SystemExit(f"tests name rows that the audit does not have: {sorted(strangers)}")
    counts = {letter: len(group) for letter, group in titles.items()}
    shown = len(set(shown_by))
    parts = [HEAD.format(**counts, shown=shown, total=len(known), open=len(known) - shown)]
    for letter, heading in HEADINGS.items():
        lines = [f"## {heading}", "", "| row | what | shown by |", "|---|---|---|"]
        for number, title in titles[letter].items():
            row = letter + number
            lines.append(f"| {row} | {title} | {'<br>'.join(shown_by.get(row, ['open']))} |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    """Write the page, or say whether it is up to date."""
    text = page()
    if "--check" in arguments:
        current = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        if current != text:
            print("docs/audit.md is not up to date: run python tools/audit_table.py")
        return int(current != text)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
