"""Exponents of a claim: powers within bounds, and transposes."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from visviva.notation.reading.bounds import LARGEST_EXPONENT
from visviva.notation.tree import TRANSPOSE, Call, Negative, Node, Number, Power

if TYPE_CHECKING:
    from visviva.notation.reading.grammar import Grammar


def raised(g: Grammar, base: Node) -> Node:
    """The power or transpose of what was just read."""
    sign = g.next
    exponent = read_exponent(g)
    if exponent is None:  # [a, b] is a column with and without ^T
        return base if id(base) in g.lists else Call(TRANSPOSE, (base,), column=base.column)
    value = g.sizes.constant(exponent)
    if value is not None:
        many = value.denominator > LARGEST_EXPONENT and not g.vocabulary.formulas
        if abs(value) > LARGEST_EXPONENT or many:
            raise g.error(f"an exponent is at most {LARGEST_EXPONENT}", sign)
        if value < 0 and g.sizes.constant(base) == 0:
            raise g.error("expected a positive exponent of zero", sign)
        if not g.vocabulary.formulas:
            exponent = Number(value, column=exponent.column)
    elif g.sizes.has_powers(exponent) and not g.vocabulary.formulas:
        raise g.error("expected an exponent without powers of its own", sign)
    made = Power(base, exponent, column=base.column)
    if not g.vocabulary.formulas and not g.sizes.spend(made):
        raise g.error("this power is too large", sign)
    return made


def read_exponent(g: Grammar) -> Node | None:
    """What is raised; None for the T of a transpose."""
    word = g.take()
    if word.kind == "super":
        if word.text == "T":
            return None
        if not word.text.removeprefix("-").isdigit() or len(word.text) > 5:
            raise g.error(f"expected a whole number raised, got {word}", word)
        return Number(Fraction(int(word.text)), column=word.column)
    if g.next.kind == "transpose":
        g.take()
        return None
    if g.next.sign("{") and g.words[g.at + 1].kind == "transpose":
        g.at = g.next.partner + 1
        return None
    _refuse_unclear(g)
    if g.vocabulary.formulas:
        levels = 1 + g.next.sign("+", "-")
        g.levels += levels
        if g.levels > g.vocabulary.limits.deepest:
            raise g.error(f"a formula is nested at most {g.vocabulary.limits.deepest} deep", word)
        exponent = g.factor()
        g.levels -= levels
        return exponent
    start, minus = g.next, False
    while g.next.sign("+", "-"):
        minus ^= g.take().text == "-"
    made = g.atom()
    return Negative(made, column=start.column) if minus else made


def _refuse_unclear(g: Grammar) -> None:
    """x^12 in LaTeX, of which only the 1 is raised, and x^{(2)}, which may be a derivative."""
    word = g.next
    if word.kind == "number" and g.latex and len(word.text) > 1:
        raise g.error(f"^{word.text} is not clear in LaTeX: write ^{{{word.text}}}")
    inner = g.words[g.at + 1] if word.sign("{") else word
    if word.sign("{") and inner.sign("(") and inner.partner == word.partner - 1 == g.at + 3:
        said = g.words[g.at + 2].text
        raise g.error(f"^{{({said})}} is not clear: write ^{{{said}}} or dots")
