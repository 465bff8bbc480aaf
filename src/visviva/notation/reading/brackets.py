r"""Brackets of a claim: groups, vectors [a, b], matrices [[a, b], [c, d]] and \begin{bmatrix}.

Those of functions of time, r(t), r^2(t), say nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from visviva.notation.reading.marks import Mark
from visviva.notation.tree import Matrix, Name, Node, Number

if TYPE_CHECKING:
    from visviva.notation.reading.grammar import Grammar

MOST_ROWS = 64
_Row = tuple[Node, ...]


def bracket(g: Grammar) -> Node:
    """What stands between brackets of any kind; commas and ; are for square ones."""
    opening = g.take()
    if g.at == opening.partner:
        raise g.error(f"expected something between the brackets, got {g.next}")
    rows: list[list[tuple[Node, bool]]] = [[]]
    with g.within(bars=0, gaps=0):
        while True:
            first = g.next
            entry = g.sum()
            rows[-1].append((entry, first.sign("[") and first.partner == g.at - 1))
            if g.at == opening.partner:
                break
            if not (g.next.sign(",", ";") and opening.text == "["):
                wanted = g.words[opening.partner]
                hint = _hint(g) if g.next.sign(",") else ""
                raise g.error(f"expected {wanted} or an operator, got {g.next}{hint}")
            if g.take().text == ";":
                rows.append([])
        blanks = g.gaps
    g.take()
    if opening.text != "[" or (len(rows) == 1 and len(rows[0]) == 1 and not rows[0][0][1]):
        return rows[0][0][0]
    if blanks and len(rows) > 1 and all(len(row) == 1 for row in rows):
        raise g.error("entries in a row need commas, products *: blanks are not clear", opening)
    return _assembled(g, opening, rows)


def _hint(g: Grammar) -> str:
    """What a comma in round brackets may be meant for."""
    before, after = g.words[g.at - 1], g.words[g.at + 1]
    if before.kind == after.kind == "number":
        return f": a decimal number has a point, write {before.text}.{after.text}"
    return ": a vector is written [a, b]"


def _assembled(g: Grammar, opening: Mark, rows: list[list[tuple[Node, bool]]]) -> Node:
    """A matrix of rows in brackets, of rows between ;, or a vector."""
    entries = [entry for row in rows for entry in row]
    if len(rows) == 1 and all(whole for _, whole in entries):
        if len(entries) == 1 and _is_table(g, entries[0][0]):
            return entries[0][0]
        return table(g, opening, [_row(g, entry) for entry, _ in entries])
    if any(whole for _, whole in entries):
        raise g.error("expected either rows in brackets or entries, got both", opening)
    if len(rows) > 1:
        return table(g, opening, [tuple(entry for entry, _ in row) for row in rows])
    vector = table(g, opening, [(entry,) for entry, _ in entries])
    g.lists[id(vector)] = vector
    return vector


def _is_table(g: Grammar, node: Node) -> bool:
    return isinstance(node, Matrix) and id(node) not in g.lists


def _row(g: Grammar, node: Node) -> _Row:
    if _is_table(g, node):
        raise g.error("expected a row of a matrix, got a matrix", node)
    return tuple(row[0] for row in node.rows) if isinstance(node, Matrix) else (node,)


def environment(g: Grammar) -> Node:
    """A LaTeX matrix: & between entries, a double backslash between rows."""
    opening = g.take()
    rows: list[list[Node]] = [[]]
    with g.within(bars=0, gaps=0):
        while True:
            rows[-1].append(g.sum())
            if g.next.sign("&"):
                g.take()
                continue
            if g.next.sign("\\\\"):
                g.take()
                rows.append([])
            elif g.at != opening.partner:
                raise g.error(f"expected '&', '\\\\' or an operator, got {g.next}")
            if g.at == opening.partner:
                break
    g.take()
    return table(g, opening, [tuple(row) for row in rows if row])


def table(g: Grammar, opening: Mark, rows: Sequence[_Row]) -> Matrix:
    """A matrix whose rows are of one length."""
    for row in rows:
        if len(row) != len(rows[0]):
            problem = f"expected rows of {len(rows[0])} entries, got one of {len(row)}"
            raise g.error(problem, row[0])
    if max(len(rows), len(rows[0])) > MOST_ROWS:
        raise g.error(f"a matrix has at most {MOST_ROWS} rows and columns", opening)
    return Matrix(tuple(rows), column=opening.column)


def refuse_other_times(g: Grammar, word: Mark) -> None:
    """An error for x(t + 1) and x^2(t + 1), which are x at another time or products."""
    opening = g.next
    beside = g.text[g.words[g.at - 1].stop : opening.column] in ("", "\\left")
    if not beside or not opening.sign("(", "["):
        return
    inside = g.words[g.at + 1 : opening.partner]
    if any(w.kind == "name" and w.value.key == "t" for w in inside):
        said = g.text[word.column : g.words[opening.partner].stop]
        name = g.text[word.column : g.words[g.at - 1].stop]
        raise g.error(
            f"{said:.40} is not clear: {word.text} at another time cannot be judged; for a product "
            f"write a * after {name:.40}"
        )


def power_in_time(g: Grammar, word: Mark, base: Node) -> None:
    """Drops the (t) of r^2(t), which is r(t)^2; what else stands before it is not clear."""
    arguments, end = g.listed(g.at)
    if [a.key for a in arguments] != ["t"] or arguments[0].dots:
        if isinstance(base, Name) and base.key in g.vocabulary.coordinates:
            refuse_other_times(g, word)
        return
    if word.kind == "name" and isinstance(base, Name) and not g.is_own(word):
        g.at = end
    elif not isinstance(base, Number):
        said, power = (g.text[word.column : g.words[k - 1].stop] for k in (end, g.at))
        raise g.error(
            f"{said:.40} is not clear: at the time t write {power:.40}, for a product {power:.40}*t"
        )
