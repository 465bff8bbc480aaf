"""Style, types, and the promises of the repository's files."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.project.test_line import MODULES, nodes
from tools.coverage_page import page
from visviva.extras import EXTRAS

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


@pytest.mark.parametrize("name", ["constraints.txt", "constraints-oldest.txt"])
def test_the_constraints_pin_versions_and_name_no_registry(name):
    for line in (ROOT / name).read_text().splitlines():
        assert re.fullmatch(r"#.*|[A-Za-z0-9_.-]+==[A-Za-z0-9_.+!-]+", line), line


# else as the distribution is called
IMPORTED_AS = {"pycollada": "collada", "python-flint": "flint", "pyyaml": "yaml"}


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DEVELOPERS = {"docs", "peers", "test", "tools"}  # extras of who works on visviva


def packages(requirements):
    """What is imported of these distributions; an extra of ours is what it brings."""
    found = set()
    for text in requirements:
        name, extras = re.match(r"([\w-]+)(?:\[(.*)\])?", text).groups()
        if name == "visviva":
            found |= {y for x in extras.split(",") for y in packages(extra(x))}
        else:
            found.add(IMPORTED_AS.get(name, name))
    return found


def extra(name):
    return PROJECT["optional-dependencies"][name]


def imported():
    """The packages that the source imports, its own and Python's apart."""
    names = set()
    for module in MODULES:
        for node in nodes(module):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(node.module.partition(".")[0])
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "require":
                what = [x.value for x in node.args[1:] if isinstance(x, ast.Constant)]
                names |= {x.partition(".")[0] for x in what}
    of_type_checkers = {"typing_extensions"}  # they bring it along, and nothing imports it else
    return names - sys.stdlib_module_names - of_type_checkers - {"visviva"}


COME_ALONG = {"websockets"}  # with viser
OF_USERS = {"casadi"}  # who hands functions over to them has them
BESIDE = {"distributed"}  # to which functions travel: nothing here imports it


def test_declared_dependencies_are_the_imported_ones():
    """What is needed for some work only is an extra."""
    needed = packages(PROJECT["dependencies"])
    optional = {
        y for x in {*PROJECT["optional-dependencies"]} - DEVELOPERS for y in packages(extra(x))
    }
    optional -= BESIDE
    assert not needed & optional
    assert imported() - COME_ALONG - OF_USERS == needed | optional


def test_extras_are_named_where_a_package_is_missing():
    """By the extra that brings it; `all` brings all."""
    brought = {y: x for y, x in EXTRAS.items() if y not in COME_ALONG}
    for package, name in brought.items():
        assert package in packages(extra(name)), (package, name)
    of_users = {*PROJECT["optional-dependencies"]} - DEVELOPERS
    assert {*brought} | BESIDE == {y for x in of_users for y in packages(extra(x))}
    assert packages(extra("all")) == {*brought} - {"torch"} | BESIDE


def test_the_page_of_the_coverage():
    def said(statements, covered):
        return {"summary": {"num_statements": statements, "covered_lines": covered}}

    files = {"src/visviva/space/poses.py": said(30, 27), "src/visviva/cli.py": said(10, 5)}
    text = page({"files": files}, "2026-01-31")
    assert "**80.0%** of the statements on 2026-01-31" in text
    assert "| space | 30 | 90.0% |\n| doors | 10 | 50.0% |" in text
    text = page({"files": files | {"src/visviva/garden/tree.py": said(4, 4)}}, "2026-01-31")
    assert "| space | 30 | 90.0% |\n| garden | 4 | 100.0% |\n| doors | 10 | 50.0% |" in text
    assert "| `cli.py` | 50% |\n| `space/poses.py` | 90% |" in text


TARGETS = {
    "study": "-m visviva study rp_arm",
    "test": "-m pytest -q -n 3",
    "oldest": "VISVIVA_WITHOUT_PEERS=1",
    "neighbours": "-m pytest -q tests/neighbours",
    "soak": "-m soak",
    "coverage": "--cov=visviva",
    "bench": "-m benchmarks",
    "docs": "-m mkdocs build --strict",
}


@pytest.mark.parametrize("target", TARGETS)
def test_make_has_the_targets(target):
    done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert TARGETS[target] in done.stdout


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
