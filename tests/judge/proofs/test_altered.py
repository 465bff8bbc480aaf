"""Whatever is altered on the page of a proof, the proof fails."""

from dataclasses import replace
from itertools import count

import numpy as np
import pytest

import visviva as vv
from visviva.errors import DerivationError
from visviva.judge.proofs.formula import Expression
from visviva.judge.proofs.paper import Paper
from visviva.judge.proofs.proof import THEOREMS
from visviva.notation.writing.page import (
    Call,
    Fence,
    Grid,
    Mark,
    Number,
    Power,
    Quotient,
    Row,
    Sum,
)
from visviva.notation.writing.plain import text

FEWER = {"coriolis-matrix": {"n": 2}}  # what is altered in two coordinates is in more of them
LEAST = 40  # alterations of each proof


def altered(box):
    """The same formula with a sign turned round or a number changed, one after the other."""
    match box:
        case Sum(terms):
            for k, (sign, term) in enumerate(terms):
                yield replace(box, terms=(*terms[:k], (-sign, term), *terms[k + 1 :]))
                for inner in altered(term):
                    yield replace(box, terms=(*terms[:k], (sign, inner), *terms[k + 1 :]))
        case Row(parts):
            for k, part in enumerate(parts):
                if part == Mark("×") and len(parts) == 3:
                    yield Row(parts[::-1])
                for inner in altered(part):
                    yield Row((*parts[:k], inner, *parts[k + 1 :]))
        case Fence(inner):
            yield from map(Fence, altered(inner))
        case Power(base, Number(n)):
            yield Power(base, Number(str(int(n) + 1)))
        case Power(base, exponent):
            yield from (Power(x, exponent) for x in altered(base))
        case Quotient(top, Number(n)):
            yield Quotient(top, Number(str(int(n) + 1)))
        case Number(n):
            yield Number(str(int(n) + 1))
        case Grid(rows):
            for i, line in enumerate(rows):
                for j, entry in enumerate(line):
                    for inner in altered(entry):
                        new = (*line[:j], inner, *line[j + 1 :])
                        yield replace(box, rows=(*rows[:i], new, *rows[i + 1 :]))
        case Call(_, (inner,)):
            yield from (replace(box, arguments=(x,)) for x in altered(inner))


def wholly_altered(paper, box, over):
    """The member twice, or with something of its kind added."""
    value = paper.meaning.over(over, box)
    if any(x != 0 for x in np.ravel(np.asarray(value, dtype=object))):
        yield Row((Number("2"), Fence(box)))
    elif np.ndim(value) == 0 or over:
        yield Number("1")
    else:
        same = (
            k
            for k, x in paper.meaning.signs.items()
            if np.shape(x) == np.shape(value) and any(e != 0 for e in np.ravel(x))
        )
        yield next(same)


def ways(paper, box, over):
    """All altered formulas."""
    return [*wholly_altered(paper, box, over), *altered(box)]


def fails(write, *line):
    try:
        write(*line)
    except DerivationError:
        return True
    return False


def rewritten(write, count, name, monkeypatch, line, box):
    """The proof with the definition in one line altered."""

    def changed(paper, left, members, kind, over="", check=""):
        if next(count) == line:
            members = [Expression(box), *members[1:]]
        write(paper, left, members, kind, over, check)

    with monkeypatch.context() as patch:
        patch.setattr(Paper, "_write", changed)
        THEOREMS[name].write(**FEWER.get(name, {}))


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", vv.proof.names())
def test_an_altered_line_fails(name, monkeypatch):
    """A line at once; a definition, or what is supposed, in some line that it is used in."""
    write, place, tried, kept, used = Paper._write, count(), [], [], []

    def altered_first(paper, left, members, kind, over="", check=""):
        line = next(place)
        write(paper, left, members, kind, over, check)
        for j, member in enumerate(members):
            for box in ways(paper, member.box, over):
                tried.append(box)
                if kind != "prove" and j == 0:
                    used.append((line, box))
                    continue
                other = [*members[:j], Expression(box), *members[j + 1 :]]
                if not fails(write, paper, left, other, "prove", over, check):
                    kept.append(text(box))

    with monkeypatch.context() as patch:
        patch.setattr(Paper, "_write", altered_first)
        THEOREMS[name].write(**FEWER.get(name, {}))
    for line, box in used:
        if not fails(rewritten, write, count(), name, monkeypatch, line, box):
            kept.append(f"line {line}: {text(box)}")
    assert kept == []
    assert len(tried) > LEAST
