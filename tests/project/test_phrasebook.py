"""Every row of the phrasebooks is run: the other library's words and ours give the same numbers."""

import re
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted((DOCS / "coming-from").glob("*.md"))
BLOCK = re.compile(r"```python\n(.*?)```", re.S)
ROW = re.compile(r"^\| `(.+?)` \| `(.+?)` \|.*\|$", re.M)


def pieces(text):
    """Blocks of Python and rows of tables, in the order of the page."""
    found = [(m.start(), m.group(1), None) for m in BLOCK.finditer(text)]
    found += [(m.start(), m.group(1), m.group(2)) for m in ROW.finditer(text)]
    return [piece[1:] for piece in sorted(found)]


def table_rows(text):
    """Lines of tables that are neither headings nor the rules below them."""
    lines = BLOCK.sub("", text).splitlines()
    return [x for x in lines if x.startswith("|") and "| visviva |" not in x and "|---|" not in x]


def same(theirs, ours):
    if isinstance(theirs, list) and isinstance(theirs[0], str):
        return theirs == ours
    theirs, ours = np.asarray(theirs, dtype=float), np.asarray(ours, dtype=float)
    # both are right to a few ulp of numbers of the size of ten
    return theirs.shape == ours.shape and np.abs(theirs - ours).max() < 1e-12


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_every_row_says_the_same_in_both_languages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    names, rows = {"__name__": "phrasebook"}, 0
    for theirs, ours in pieces(text):
        if ours is None:
            exec(compile(theirs, str(page), "exec"), names)
            continue
        said = eval(theirs, names), eval(ours, names)
        assert same(*said), f"{theirs} is {said[0]}, {ours} is {said[1]}"
        rows += 1
    assert rows == len(table_rows(text))  # no row was passed over
    assert rows >= 25


def test_the_index_leads_to_all_of_them():
    text = (DOCS / "phrasebook.md").read_text(encoding="utf-8")
    assert {f"coming-from/{page.name}" for page in PAGES} == set(
        re.findall(r"\((coming-from/.+?)\)", text)
    )


def test_a_wrong_row_would_be_seen():
    assert same([1.0, 2.0], np.array([1.0, 2.0]))
    assert not same([1.0, 2.0], [2.0, 1.0])
    assert not same(np.eye(3), np.ones(3))
    assert not same(["a", "b"], ["b", "a"])
    assert not same([1.0, float("nan")], [1.0, float("nan")])


def test_a_row_without_code_would_be_seen():
    text = "| Peer | visviva | |\n|---|---|---|\n| `1` | `1` | |\n| one | `1` | |\n"
    assert len(pieces(text)) == 1
    assert len(table_rows(text)) == 2
