"""Imports go one way along the line, and never in a circle."""

import ast
from pathlib import Path

import pytest

import visviva

ROOT = Path(visviva.__file__).parent
LINE = [
    "doors",
    "errors",
    "progress",
    "algebra",
    "notation",
    "space",
    "describe",
    "equations",
    "machine",
    "judge",
]
LINE += ["solve", "motion", "many", "show", "cli", "__main__"]
DOORWAYS = {
    "visviva",
    "visviva.pencil",
    "visviva.describe.system",
}  # may name what lies downstream, lazily


def modules():
    for path in sorted(ROOT.rglob("*.py")):
        parts = ["visviva", *path.relative_to(ROOT).with_suffix("").parts]
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imported(path):
    """Modules of ours that a file imports at run time."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    names = {name for name, _ in modules()}
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("visviva"):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in names else node.module


def room(module):
    return module.split(".")[1] if "." in module else None


@pytest.mark.parametrize(
    ("module", "path"), list(modules()), ids=lambda x: x if isinstance(x, str) else ""
)
def test_imports_go_one_way(module, path):
    if module in DOORWAYS:
        return
    assert room(module) in LINE, f"{module} is in no room of the line {LINE}"
    for other in imported(path):
        if room(other) is not None:
            ahead = LINE.index(room(other)) > LINE.index(room(module))
            assert not ahead, f"{module} imports {other}, which lies downstream"


def test_no_circles():
    graph = {
        module: set() if module in DOORWAYS else set(imported(path)) - {module, "visviva"}
        for module, path in modules()
    }
    done, path = set(), []

    def visit(module):
        if module in done:
            return
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        path.append(module)
        for other in graph.get(module, ()):
            visit(other)
        path.pop()
        done.add(module)

    for module in graph:
        visit(module)


def test_files_stay_readable():
    for _, path in modules():
        lines = path.read_text(encoding="utf-8").count("\n")
        assert lines <= 400, f"{path.name} has {lines} lines"
