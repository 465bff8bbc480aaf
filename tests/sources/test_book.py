"""The book, executed: what its data say is so, and the pages are what is computed today."""

import re

import numpy as np
import pytest

from tests.support.readers.book import book, pages

ENTRIES = book.entries()
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
ROWS = {f"S{k}" for k in range(1, 70)}


def same_picture(found, kept):
    """But for a tenth of a pixel, which another processor may round otherwise."""
    assert NUMBER.sub("", found) == NUMBER.sub("", kept)
    a, b = (np.array(NUMBER.findall(x), dtype=float) for x in (found, kept))
    assert np.abs(a - b).max() < 0.11


@pytest.mark.parametrize("row", ENTRIES)
def test_a_system(row):
    """Verdicts and numbers are as stated; page and figure are what would be written now."""
    done = book.executed(ENTRIES[row])
    assert not done.wrong
    path = pages.BOOK / f"{pages.stem(row)}.md"
    assert path.read_text(encoding="utf-8") == pages.page(row), f"run tools/book_pages.py {row}"
    if done.svg:
        kept = (pages.BOOK / "figures" / f"{pages.stem(row)}.svg").read_text(encoding="utf-8")
        same_picture(done.svg, kept)
        assert len(kept) < 32_000


@pytest.mark.parametrize("document", [d for d in book.DOCUMENTS if book.exercises(d)])
def test_exercises_of_a_document(document):
    for entry in book.exercises(document):
        assert not book.executed(entry).wrong
        assert entry.rows or entry.number or entry.claim or entry.show, entry.item
        assert set(entry.rows) <= ROWS
    path = pages.BOOK / f"{document}.md"
    assert path.read_text(encoding="utf-8") == pages.exercises(document)


def test_the_index_and_nothing_else():
    """Every row that is written has a page, and every page a row."""
    assert (pages.BOOK / "index.md").read_text(encoding="utf-8") == pages.index()
    assert set(ENTRIES) == ROWS
    wanted = {pages.stem(row) for row in ENTRIES} | {"index"}
    wanted |= {d for d in book.DOCUMENTS if book.exercises(d)}
    assert {p.stem for p in pages.BOOK.glob("*.md")} == wanted
    assert all(e.kind in book.KINDS for e in ENTRIES.values())
    assert {p.stem for p in (pages.BOOK / "figures").glob("*.svg")} <= wanted


def test_every_entry_says_something_that_could_be_wrong():
    for row, e in ENTRIES.items():
        assert e.claim or e.number, row
        assert 80 < len(e.statement) < 1500, row


def test_what_differs_from_the_data_is_seen():
    """A wrong status and a wrong number do not pass."""
    claim = book.Claim(text="u2 = m q2''", status="identical")
    known = book.Number(value="1 + 1", expected=3.0)
    code = "import visviva as vv\n\nsystem = vv.catalog.planar_body()"
    entry = book.Entry("S1", "", "", code=code, claim=(claim,), number=(known,))
    done = book.executed(entry)
    assert len(done.wrong) == 2
    assert "2 results not as expected" in pages.counted(done)
