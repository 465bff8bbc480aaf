"""Examples run, the README and the pages tell the truth, the site builds without warnings."""

import ast
import contextlib
import io
import os
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import visviva as vv
from tests.support.browser import Browser, needs_browser
from tests.support.environments import environment

SOAK = bool(os.environ.get("VISVIVA_SOAK"))
ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
OWN = {"coming-from"}  # run by test_phrasebook.py
ELSEWHERE = [p for p in PAGES if p.parent.name not in OWN]
# a block of Python, and the text right below it if there is one
PYTHON = re.compile(r"^```python\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.M | re.S)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples_run(path, tmp_path, monkeypatch, capsys):
    """As `python examples/….py` does, but for a process of its own."""
    quick = ["--quick"] if '"--quick"' in path.read_text(encoding="utf-8") else []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(path), *quick])
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


def test_an_example_runs_in_a_process_of_its_own(tmp_path):
    run = subprocess.run(
        [sys.executable, str(EXAMPLES[0])], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout


def prints_last(block):
    """Whether the last statement of a block is a print, or a loop that ends in one."""
    last = ast.parse(block).body[-1]
    while isinstance(last, ast.For):
        last = last.body[-1]
    call = last.value if isinstance(last, ast.Expr) else None
    return (
        isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print"
    )


ROUNDING = re.compile(r"\d(\.\d+)?e-(1[2-9]|[2-9]\d)|0\.0e\+00")


def matches(shown, printed):
    """Whether a page shows what was printed, as words: … is anything, rounding is not compared."""
    shown, printed = (ROUNDING.sub("~", " ".join(text.split())) for text in (shown, printed))
    return re.fullmatch(".*?".join(map(re.escape, shown.split("…"))), printed, re.S) is not None


@pytest.mark.parametrize("page", ELSEWHERE, ids=lambda p: str(p.relative_to(ROOT).with_suffix("")))
def test_python_on_pages_runs(page, tmp_path, monkeypatch):
    """All blocks of a page, in one namespace; a text below a print is what it prints."""
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "page"}
    for block, shown in PYTHON.findall(page.read_text(encoding="utf-8")):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(block, str(page), "exec"), namespace)
        if shown and prints_last(block):
            assert matches(shown, printed.getvalue()), (
                f"shown:\n{shown}\nprinted:\n{printed.getvalue()}"
            )


def test_what_is_shown_is_compared():
    assert matches("a = 1\n", "a = 1  \n\n")
    assert matches("a = …\nb", "a = 1\nfoo b")
    assert matches("off by 4.1e-17", "off by 6.2e-17")
    assert not matches("a = 2\n", "a = 1\n")
    assert not matches("off by 4.1e-7", "off by 6.2e-7")
    assert prints_last("x = 1\nprint(x)")
    assert prints_last("for x in [1, 2]:\n    print(x)")
    assert not prints_last("print(1)\nx = 1")
    ((_, shown),) = PYTHON.findall("```python\nprint(1)\n```\n\n```text\n1\n```\n")
    assert shown == "1\n"


def test_the_first_screen_of_the_readme():
    """Two commands and an example of about ten lines."""
    head = (ROOT / "README.md").read_text(encoding="utf-8").split("```")[:5]
    assert "make study" in head[1]
    assert "make test" in head[1]
    assert len([line for line in head[3].splitlines()[1:] if line.strip()]) <= 12


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built strictly where nothing is installed but the extra docs."""
    home = tmp_path_factory.mktemp("site")
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    python, _ = environment(home / "env", [*extras["docs"], "mkdocstrings-python"])
    clean = {k: x for k, x in os.environ.items() if k != "PYTHONPATH"}
    run = subprocess.run(
        [str(python), "-m", "mkdocs", "build", "--strict", "-d", str(home / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=clean | {"NO_MKDOCS_2_WARNING": "1"},
    )
    assert run.returncode == 0, run.stderr
    assert "WARNING" not in run.stderr, run.stderr
    return home / "site"


@pytest.mark.early
@pytest.mark.soak
@needs_browser
def test_no_page_of_the_site_is_wider_than_the_window(site, tmp_path):
    """On a screen and on a phone; in `make test` those that the navigation has first."""
    first = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("  - Reference:")[0]
    names = re.findall(r"^      - .*: ([\w/-]+)\.md$", first, re.M)
    assert 15 < len(names) < 25
    pages = [site / "index.html", *(site / x / "index.html" for x in [*names, "proofs"])]
    browser = Browser(tmp_path)
    try:
        for page in sorted(site.rglob("*.html")) if SOAK else pages:
            browser.open(page, width=1280)
            for width in (1280, 400):
                browser.resize(width)
                assert browser.run("document.documentElement.scrollWidth") <= width, page
    finally:
        browser.close()


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


@pytest.mark.parametrize("page", [*PAGES, *EXAMPLES], ids=lambda p: str(p.relative_to(ROOT)))
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
