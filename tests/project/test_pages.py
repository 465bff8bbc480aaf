"""Examples run, the README and the pages tell the truth, the site builds without warnings."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import visviva as vv

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples_run(path, tmp_path):
    quick = ["--quick"] if '"--quick"' in path.read_text(encoding="utf-8") else []
    run = subprocess.run(
        [sys.executable, str(path), *quick], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_python_on_pages_runs(page, tmp_path, monkeypatch):
    """All blocks of a page, one after the other, in one namespace."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    namespace = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, str(page), "exec"), namespace)


def test_the_first_screen_of_the_readme():
    """Two commands and an example of about ten lines."""
    head = (ROOT / "README.md").read_text(encoding="utf-8").split("```")[:5]
    assert "make study" in head[1]
    assert "make test" in head[1]
    assert len([line for line in head[3].splitlines()[1:] if line.strip()]) <= 12


def test_the_site_builds_strictly(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(tmp_path / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )
    assert run.returncode == 0, run.stderr
    assert "WARNING" not in run.stderr, run.stderr
    assert (tmp_path / "site" / "index.html").exists()


DOORS = {m.__name__: dir(m) for m in (vv, vv.space, vv.pencil, vv.parallel, vv.errors)}


def strange(code):
    """Imports of a text that go past the public doors."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names = [a.name for a in node.names if a.name.split(".")[0] == "visviva"]
            yield from (n for n in names if n not in DOORS)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "visviva":
            known = DOORS.get(node.module, ())
            yield from (f"{node.module}.{a.name}" for a in node.names if a.name not in known)


@pytest.mark.parametrize("page", [*PAGES, *EXAMPLES], ids=lambda p: p.name)
def test_pages_and_examples_use_public_doors_only(page):
    text = page.read_text(encoding="utf-8")
    blocks = (
        [text] if page.suffix == ".py" else re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    )
    assert not {name for block in blocks for name in strange(block)}
    inside = "algebra|notation|describe|equations|machine|judge|space|progress"
    shown = "\n".join(x for x in text.splitlines() if not x.startswith("::: "))
    assert not re.findall(rf"\bvisviva\.(?:{inside})\.[\w.]+", shown)


def test_what_is_a_public_door():
    assert list(strange("import visviva as vv\nfrom visviva import load, space, errors")) == []
    assert list(strange("from visviva.space import rotations, skew")) == []
    assert list(strange("from visviva.pencil import legendre\nimport visviva.pencil")) == []
    assert list(strange("from visviva.judge.closed.printed import printed")) != []
    assert list(strange("from visviva.space.euler import euler_angles")) != []
    assert list(strange("import visviva.describe.model.model")) != []
    assert list(strange("from visviva import describe")) != []
