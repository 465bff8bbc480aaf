"""What a redesign lost: tests, assertions and statements of two versions, side by side.

    python tools/compare_versions.py v1 [v2] [--collect]

Versions are anything that git knows; without the second it is the working tree. Every test function
and every assertion (`assert`, `raises`, `warns`, `assert_allclose` …) of the first must be in the
second, wherever it stands there; assertions are compared as syntax trees. With `--collect` pytest
counts the cases too. Statements of `src/` are counted on the syntax tree, docstrings apart. The
exit code is 1 if a test or an assertion disappeared.
"""

import argparse
import ast
import io
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECKS = ("raises", "warns", "fail")


def git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout


def files(version: str | None, folder: str) -> Iterator[tuple[str, str]]:
    """Paths and texts of the Python files under a folder."""
    if version is None:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
        return
    packed = subprocess.run(
        ["git", "archive", version, folder], cwd=ROOT, check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            if member.name.endswith(".py") and (text := archive.extractfile(member)):
                yield member.name, text.read().decode("utf-8")


def is_check(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        return True
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in CHECKS or name.startswith("assert_")


def tests_and_checks(version: str | None) -> tuple[Counter[str], Counter[str]]:
    tests: Counter[str] = Counter()
    checks: Counter[str] = Counter()
    for _, text in files(version, "tests"):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                tests[node.name] += 1
            elif is_check(node):
                checks[ast.unparse(node)] += 1
    return tests, checks


def statements(version: str | None) -> tuple[int, int]:
    """Statements of the source, docstrings apart, and its files."""
    count = number = 0
    for _, text in files(version, "src"):
        number += 1
        for node in ast.walk(ast.parse(text)):
            docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            count += isinstance(node, ast.stmt) and not docstring
    return count, number


def collected(version: str | None) -> int:
    """How many cases pytest finds."""
    with tempfile.TemporaryDirectory() as folder:
        place = ROOT
        if version is not None:
            place = Path(folder) / "version"
            git("worktree", "add", "--detach", "--quiet", str(place), version)
        try:
            found = subprocess.run(
                [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"],
                cwd=place,
                capture_output=True,
                text=True,
                env={"PYTHONPATH": str(place / "src"), "PATH": "/usr/bin:/bin"},
                check=True,
            ).stdout
        finally:
            if version is not None:
                git("worktree", "remove", "--force", str(place))
    return sum("::" in line for line in found.splitlines())


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after", nargs="?")
    parser.add_argument("--collect", action="store_true", help="let pytest count the cases, too")
    asked = parser.parse_args()
    old_tests, old_checks = tests_and_checks(asked.before)
    new_tests, new_checks = tests_and_checks(asked.after)
    lost_tests, lost_checks = old_tests - new_tests, old_checks - new_checks
    for name, lost in (("test", lost_tests), ("assertion", lost_checks)):
        for text, count in sorted(lost.items()):
            print(f"{name} gone{f' ({count} times)' if count > 1 else ''}: {text}")
    print(f"tests: {old_tests.total()} before, {new_tests.total()} after")
    print(f"assertions: {old_checks.total()} before, {new_checks.total()} after")
    if asked.collect:
        print(f"cases: {collected(asked.before)} before, {collected(asked.after)} after")
    (old, old_files), (new, new_files) = statements(asked.before), statements(asked.after)
    print(f"statements of the source: {old} before, {new} after ({100 * (new / old - 1):+.1f} %)")
    print(f"files of the source: {old_files} before, {new_files} after")
    return 1 if lost_tests or lost_checks else 0


if __name__ == "__main__":
    sys.exit(main())
