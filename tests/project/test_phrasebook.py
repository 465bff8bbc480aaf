"""Every row of the phrasebook is run: the other library's words and ours give the same numbers."""

import re
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "phrasebook.md"
BLOCK = re.compile(r"```python\n(.*?)```", re.S)
ROW = re.compile(r"^\| `(.+?)` \| `(.+?)` \|.*\|$", re.M)


def pieces(text):
    """Blocks of Python and rows of tables, in the order of the page."""
    found = [(m.start(), m.group(1), None) for m in BLOCK.finditer(text)]
    found += [(m.start(), m.group(1), m.group(2)) for m in ROW.finditer(text)]
    return [piece[1:] for piece in sorted(found)]


def same(theirs, ours):
    if isinstance(theirs, list) and isinstance(theirs[0], str):
        return theirs == ours
    theirs, ours = np.asarray(theirs, dtype=float), np.asarray(ours, dtype=float)
    # both are right to a few ulp of numbers of the size of ten
    return theirs.shape == ours.shape and np.abs(theirs - ours).max() < 1e-12


def test_every_row_says_the_same_in_both_languages(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, rows = {"__name__": "phrasebook"}, 0
    for theirs, ours in pieces(PAGE.read_text(encoding="utf-8")):
        if ours is None:
            exec(compile(theirs, str(PAGE), "exec"), names)
            continue
        said = eval(theirs, names), eval(ours, names)
        assert same(*said), f"{theirs} is {said[0]}, {ours} is {said[1]}"
        rows += 1
    tables = [x for x in PAGE.read_text(encoding="utf-8").splitlines() if x.startswith("| ")]
    headings = [x for x in tables if "visviva |" in x]
    assert rows == len(tables) - len(headings)  # no row was passed over
    assert rows > 60


def test_a_wrong_row_would_be_seen():
    assert same([1.0, 2.0], np.array([1.0, 2.0]))
    assert not same([1.0, 2.0], [2.0, 1.0])
    assert not same(np.eye(3), np.ones(3))
    assert not same(["a", "b"], ["b", "a"])
