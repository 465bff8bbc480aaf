"""Boxes as plain text, θ̇₁ (L₁ + L₂ c₂), for a terminal and as names of quantities."""

from __future__ import annotations

import unicodedata
from typing import Any

from visviva.notation.names import GREEK, Names, Parts
from visviva.notation.tokens import is_name
from visviva.notation.writing import layout as lay
from visviva.notation.writing import write
from visviva.notation.writing.boxes import (
    Fence,
    Fraction,
    Grid,
    Leaf,
    Lines,
    Mark,
    Row,
    Sign,
    Square,
    Sum,
)

LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
HIGH = str.maketrans("0123456789-C", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᶜ")
DOTS = ("", "\u0307", "\u0308")


def text(box: Any) -> str:
    """A box in one line."""
    match box:
        case Sign():
            return _sign(box)
        case Leaf(layout):
            return _layout(layout)
        case Mark(mark):
            return mark
        case Row(parts):
            return "".join(
                text(p) if k == 0 or parts[k - 1] in (Mark("∂"), Mark("d")) else f" {text(p)}"
                for k, p in enumerate(parts)
            )
        case Sum(terms):
            return _sum([(sign < 0, text(term)) for sign, term in terms])
        case Fraction(over, under):
            return f"{text(over)}/{text(under)}"
        case Square(base):
            return f"{text(base)}²"
        case Fence(inner):
            return f"({text(inner)})"
        case Grid(rows):
            return _grid([[text(e) for e in line] for line in rows])
        case Lines(rows):
            return " ".join(text(line) for line in rows)
    raise TypeError(f"no box: {box!r}")


def plain_text(x: Any, names: Names) -> str:
    """A SymPy expression in one line, θ̇₁² sin(θ₂)."""
    return _layout(write.layout(x, names).of(x))


def _sign(s: Sign) -> str:
    made = s.letter + "\u0302" * s.hat + "\u20d7" * s.arrow + DOTS[s.dots] + _low(s.sub)
    return unicodedata.normalize("NFC", s.frame.translate(HIGH) + s.base.translate(LOW) + made)


def _low(subscript: str) -> str:
    if not subscript:
        return ""
    return (
        subscript.translate(LOW) if subscript.isdigit() else f"_{GREEK.get(subscript, subscript)}"
    )


def _name(p: Parts) -> str:
    letter = GREEK.get(p.letter, p.letter)
    if len(letter) > 1 and not is_name(letter) and letter[0] != "“":
        letter = f"“{letter}”"  # a name that is no word: p + r is a sum otherwise
    if "," in p.subscript:  # l_c,2 are two things
        return letter + p.subscript.replace(",", "_", 1) + "'" * p.dots
    if len(letter) > 1:  # a dot would stand on the last letter of the word
        return letter + _low(p.subscript) + "'" * p.dots
    return unicodedata.normalize("NFC", letter + DOTS[min(p.dots, 2)] + _low(p.subscript))


def _sum(terms: list[tuple[bool, str]]) -> str:
    made = ""
    for k, (minus, term) in enumerate(terms):
        made += ("-" if minus else "") if k == 0 else (" - " if minus else " + ")
        made += term
    return made


def _grid(rows: list[list[str]]) -> str:
    if all(len(line) == 1 for line in rows):
        return f"({', '.join(line[0] for line in rows)})"
    return f"[{'; '.join(', '.join(line) for line in rows)}]"


def _layout(x: Any) -> str:
    match x:
        case lay.Number(digits):
            return digits
        case lay.Scientific(digits, exponent):
            return f"{digits}e{exponent}"
        case lay.Name(parts):
            return _name(parts)
        case lay.Sum(terms):
            return _sum([(minus, _layout(t)) for minus, t in terms])
        case lay.Product(factors):
            return " ".join(_inside(f) for f in factors)
        case lay.Quotient(top, bottom):
            return f"{_inside(top)}/{_inside(bottom)}"
        case lay.Power(base, exponent):
            below = _inside(base)
            below = f"({below})" if below.endswith("'") else below
            return below + _raised(_layout(exponent))
        case lay.Root(inside):
            return f"√({_layout(inside)})"
        case lay.Call():
            return _call(x)
        case lay.Slope(name, by):
            top = f"∂{_count(sum(n for _, n in by))}{name}"
            return f"{top}/{''.join(f'∂{_layout(y)}{_count(n)}' for y, n in by)}"
        case lay.Relation(left, sign, right):
            return f"{_layout(left)} {sign} {_layout(right)}"
        case lay.Joined(word, parts):
            return f" {word} ".join(map(_inside, parts))
        case lay.Cases(cases):
            return f"{{{', '.join(_case(*pair) for pair in cases)}}}"
        case lay.Table(rows):
            return _grid([[_layout(e) for e in line] for line in rows])
        case lay.Foreign(expr):
            return str(expr)
    raise TypeError(f"no layout: {x!r}")


def _inside(x: Any) -> str:
    together = (lay.Sum, lay.Product, lay.Joined, lay.Slope)
    return f"({_layout(x)})" if isinstance(x, together) else _layout(x)


def _call(x: lay.Call) -> str:
    if x.short:
        return x.name[0] + _low(x.short)
    inside = ", ".join(map(_layout, x.arguments))
    if x.name == "Abs":
        return f"|{inside}|"
    if len(x.arguments) == 1:
        order = len(x.by)
        high = lay.PRIMES[order] if order <= 3 else f"⁽{_count(order)}⁾"
        return f"{x.name}{high}({inside})"
    return f"{''.join(f'∂{_low(str(k))}' for k in x.by)}{x.name}({inside})"


def _case(value: Any, condition: Any) -> str:
    return _layout(value) + (" otherwise" if condition is None else f" if {_layout(condition)}")


def _count(n: int) -> str:
    return str(n).translate(HIGH) if n > 1 else ""


def _raised(exponent: str) -> str:
    plain = exponent.lstrip("-").isdigit()
    return exponent.translate(HIGH) if plain else f"^({exponent})"
