"""Layouts as presentation MathML, which browsers show by themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape, unescape
from typing import Any

from visviva.algebra.write_latex import RENAMED
from visviva.algebra.write_layout import (
    Call,
    Cases,
    Foreign,
    Name,
    Number,
    Power,
    Product,
    Quotient,
    Relation,
    Root,
    Scientific,
    Sum,
    Table,
)
from visviva.algebra.write_lines import broken
from visviva.algebra.write_names import GREEK, Parts

TIMES, APPLY = "<mo>&#x2062;</mo>", "<mo>&#x2061;</mo>"  # invisible: times, function of
DOTS = {1: "˙", 2: "¨", 3: "⃛"}


def ml(x: Any) -> str:
    """The MathML of a layout."""
    match x:
        case Number(text):
            return f"<mn>{escape(text)}</mn>"
        case Scientific(digits, exponent):
            power = exponent.replace("-", "−")
            tens = f"<msup><mn>10</mn><mn>{power}</mn></msup>"
            return row(f"<mn>{digits}</mn>", operator("⋅"), tens)
        case Name(parts):
            return symbol(parts)
        case Sum(terms):
            return row(*(signed(k, minus, term) for k, (minus, term) in enumerate(terms)))
        case Product(factors):
            return row(*_beside(factors))
        case Quotient(top, bottom):
            return f"<mfrac>{ml(top)}{ml(bottom)}</mfrac>"
        case Power(base, exponent):
            return _raised(base, ml(exponent))
        case Root(inside):
            return f"<msqrt>{ml(inside)}</msqrt>"
        case Call():
            return _call(x)
        case Relation(left, sign, right):
            return row(ml(left), operator(sign), ml(right))
        case Table(rows):
            body = "".join(
                f"<mtr>{''.join(f'<mtd>{ml(e)}</mtd>' for e in entries)}</mtr>" for entries in rows
            )
            return row(fence("["), f"<mtable>{body}</mtable>", fence("]"))
        case Cases(rows):
            return row(fence("{"), f"<mtable>{''.join(_case(v, c) for v, c in rows)}</mtable>")
        case Foreign(expr):
            return _by_sympy(expr)
    raise TypeError(f"no layout: {x!r}")


def row(*parts: str) -> str:
    """Side by side."""
    return f"<mrow>{''.join(parts)}</mrow>"


def operator(sign: str) -> str:
    """A sign between two things."""
    return f"<mo>{escape(sign)}</mo>"


def fence(sign: str) -> str:
    """A bracket that grows."""
    return f'<mo fence="true" stretchy="true">{escape(sign)}</mo>'


def bracketed(x: Any) -> str:
    """Between brackets."""
    return row(fence("("), ml(x), fence(")"))


def signed(place: int, minus: bool, term: Any) -> str:
    """A term of a sum with its sign."""
    sign = "" if place == 0 and not minus else operator("−" if minus else "+")
    return sign + (bracketed(term) if isinstance(term, Sum) else ml(term))


def symbol(p: Parts, power: str = "") -> str:
    """A name with dots, subscript and exponent."""
    made = f"<mi>{escape(GREEK.get(p.letter, p.letter))}</mi>"
    if p.dots:
        made = f'<mover accent="true">{made}<mo>{DOTS.get(p.dots, "˙" * p.dots)}</mo></mover>'
    below = _subscript(p.subscript) if p.subscript else ""
    if below and power:
        return f"<msubsup>{made}{below}{power}</msubsup>"
    if below:
        return f"<msub>{made}{below}</msub>"
    return f"<msup>{made}{power}</msup>" if power else made


def _subscript(text: str) -> str:
    if text.isdigit():
        return f"<mn>{text}</mn>"
    return f"<mi>{escape(GREEK.get(text, text))}</mi>"


def _case(value: Any, condition: Any) -> str:
    text = "<mtext>otherwise</mtext>"
    if condition is not None:
        text = row("<mtext>if&#xA0;</mtext>", ml(condition))
    return f"<mtr><mtd>{ml(value)}</mtd><mtd>{text}</mtd></mtr>"


def _by_sympy(expr: Any) -> str:
    """SymPy's own, with characters for the names of entities, which only HTML knows."""
    import sympy

    text = sympy.mathml(expr, printer="presentation")
    return re.sub(r"&(?!lt;|gt;|amp;|quot;)[A-Za-z]+;", lambda m: unescape(m[0]), text)


def _beside(factors: Sequence[Any]) -> list[str]:
    made: list[str] = []
    for k, f in enumerate(factors):
        first = f.base if isinstance(f, Power) else f
        if k:
            made.append(operator("⋅") if isinstance(first, (Number, Scientific)) else TIMES)
        made.append(bracketed(f) if isinstance(f, (Sum, Relation)) else ml(f))
    return made


def _raised(base: Any, exponent: str) -> str:
    if isinstance(base, Name):
        return symbol(base.parts, exponent)
    if isinstance(base, Call) and (base.short or base.name in ("sin", "cos", "tan", "Abs")):
        return _call(base, exponent)
    whole = isinstance(base, (Number, Foreign))
    return f"<msup>{ml(base) if whole else bracketed(base)}{exponent}</msup>"


def _call(x: Call, power: str = "") -> str:
    if x.short:
        return symbol(Parts(x.name[0], x.short), power)
    inside = "<mo>,</mo>".join(ml(a) for a in x.arguments)
    if x.name == "Abs":
        made = row(fence("|"), inside, fence("|"))
        return f"<msup>{made}{power}</msup>" if power else made
    head = f"<mi>{escape(RENAMED.get(x.name, x.name))}</mi>"
    head = f"<msup>{head}{power}</msup>" if power else head
    return row(head, APPLY, row(fence("("), inside, fence(")")))


def lines(relations: Sequence[Any], width: int) -> str:
    """Relations under each other; long sums go on in the next line."""
    rows = []
    for r in relations:
        related = isinstance(r, Relation)
        cells = (ml(r.left), operator(r.sign)) if related else ("", "")
        for terms in broken(r.right if related else r, width):
            whole = row(*(signed(k, minus, term) for k, minus, term in terms))
            pairs = zip(("right", "center", "left"), (*cells, whole), strict=True)
            body = "".join(f'<mtd style="text-align: {side}">{c}</mtd>' for side, c in pairs)
            rows.append(f"<mtr>{body}</mtr>")
            cells = ("", "")
    return f'<mtable columnalign="right center left">{"".join(rows)}</mtable>'
