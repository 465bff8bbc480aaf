"""Style, types, the wheel, and the promises of the repository's files."""

import ast
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command):
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_lint():
    run("ruff", "check", ".")


def test_format():
    run("ruff", "format", "--check", ".")


def test_types():
    run("mypy")


def test_the_wheel_is_pure_python(tmp_path):
    pip = ["pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    run(*pip, "--no-build-isolation", "-w", str(tmp_path), ".")
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "visviva/__init__.py" in names
    assert "visviva/py.typed" in names
    assert all(n.startswith("visviva") for n in names)


def test_the_constraints_pin_versions_and_name_no_registry():
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert re.fullmatch(r"#.*|[A-Za-z0-9_.-]+==[A-Za-z0-9_.+!-]+", line), line


@pytest.mark.parametrize("target", ["study", "test", "soak", "bench", "docs"])
def test_make_has_the_targets(target):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M)


CLOCKS = {"perf_counter", "monotonic", "process_time", "perf_counter_ns", "thread_time"}
WAITS = {"join", "wait", "communicate", "run", "get", "result", "acquire"}
PATIENCE = 600  # seconds; what takes longer than that never ends


def timed(tree):
    """Lines that depend on speed: asserts that read a clock, alarms, short waits for an answer."""
    return sorted(node.lineno for node in ast.walk(tree) if _is_timed(node))


def _is_timed(node):
    if isinstance(node, ast.Assert):
        return bool({n.attr for n in ast.walk(node.test) if isinstance(n, ast.Attribute)} & CLOCKS)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "alarm":
        return True
    limits = (
        [k.value for k in node.keywords if k.arg == "timeout"] if node.func.attr in WAITS else []
    )
    return any(isinstance(x, ast.Constant) and x.value < PATIENCE for x in limits)


def test_no_test_depends_on_the_speed_of_the_machine():
    """Seconds are measured by `tests.support.counts.within`, which does it in the soak alone."""
    for line in (
        "assert time.perf_counter() - start < 1",
        "signal.alarm(5)",
        "thread.join(timeout=60)",
        "subprocess.run(command, timeout=30)",
    ):
        assert timed(ast.parse(line)) == [1], line
    waits = {"browser.py", "test_rendered.py"}  # for a browser, ten minutes
    for path in (ROOT / "tests").rglob("*.py"):
        if path.name not in waits:
            assert not timed(ast.parse(path.read_text(encoding="utf-8"))), path
