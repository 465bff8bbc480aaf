"""A page as plain text, θ̇₁ (L₁ + L₂ c₂), for a terminal and as names of quantities."""

from __future__ import annotations

import unicodedata
from typing import Any

from visviva.notation.names import GREEK, Names, Parts, is_name
from visviva.notation.writing.arrange import arranger
from visviva.notation.writing.page import (
    PRIMES,
    Call,
    Cases,
    Fence,
    Foreign,
    Grid,
    Joined,
    Lines,
    Mark,
    Name,
    Number,
    Power,
    Product,
    Quotient,
    Relation,
    Root,
    Row,
    Scientific,
    Sign,
    Slope,
    Sum,
)

LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
HIGH = str.maketrans("0123456789-C", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᶜ")
DOTS = ("", "\u0307", "\u0308")


def text(x: Any) -> str:
    """What is on a page, in one line."""
    match x:
        case Number(digits):
            return digits
        case Scientific(digits, exponent):
            return f"{digits}e{exponent}"
        case Name(parts):
            return _name(parts)
        case Sign():
            return _sign(x)
        case Mark(mark):
            return mark
        case Sum(terms):
            return "".join(_signed(k, *term) for k, term in enumerate(terms))
        case Product(factors):
            return " ".join(_inside(f) for f in factors)
        case Row(parts):
            return "".join(
                text(p) if k == 0 or parts[k - 1] in (Mark("∂"), Mark("d")) else f" {text(p)}"
                for k, p in enumerate(parts)
            )
        case Quotient(top, bottom):
            return f"{_inside(top)}/{_inside(bottom)}"
        case Power(base, exponent):
            below = _inside(base)
            below = f"({below})" if below.endswith("'") else below
            return below + _raised(text(exponent))
        case Root(inside):
            return f"√({text(inside)})"
        case Call():
            return _call(x)
        case Slope(name, by):
            top = f"∂{_count(sum(n for _, n in by))}{name}"
            return f"{top}/{''.join(f'∂{text(y)}{_count(n)}' for y, n in by)}"
        case Relation(left, sign, right):
            return f"{text(left)} {sign} {text(right)}"
        case Joined(word, parts):
            return f" {word} ".join(map(_inside, parts))
        case Cases(rows):
            return f"{{{', '.join(_case(*pair) for pair in rows)}}}"
        case Fence(inner):
            return f"({text(inner)})"
        case Grid(rows):
            return _grid([[text(e) for e in line] for line in rows])
        case Lines(rows):
            return " ".join(text(line) for line in rows)
        case Foreign(expr):
            return str(expr)
    raise TypeError(f"not on a page: {x!r}")


def plain_text(x: Any, names: Names) -> str:
    """A SymPy expression in one line, θ̇₁² sin(θ₂)."""
    return text(arranger(x, names).of(x))


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


def _signed(place: int, sign: int, term: Any) -> str:
    before = ("-" if sign < 0 else "") if place == 0 else (" - " if sign < 0 else " + ")
    return before + (f"({text(term)})" if isinstance(term, Sum) else text(term))


def _grid(rows: list[list[str]]) -> str:
    if all(len(line) == 1 for line in rows):
        return f"({', '.join(line[0] for line in rows)})"
    return f"[{'; '.join(', '.join(line) for line in rows)}]"


def _inside(x: Any) -> str:
    together = (Sum, Product, Joined, Slope)
    return f"({text(x)})" if isinstance(x, together) else text(x)


def _call(x: Call) -> str:
    if x.short:
        return x.name[0] + _low(x.short)
    inside = ", ".join(map(text, x.arguments))
    if x.name == "Abs":
        return f"|{inside}|"
    if len(x.arguments) == 1:
        order = len(x.by)
        high = PRIMES[order] if order <= 3 else f"⁽{_count(order)}⁾"
        return f"{x.name}{high}({inside})"
    return f"{''.join(f'∂{_low(str(k))}' for k in x.by)}{x.name}({inside})"


def _case(value: Any, condition: Any) -> str:
    return text(value) + (" otherwise" if condition is None else f" if {text(condition)}")


def _count(n: int) -> str:
    return str(n).translate(HIGH) if n > 1 else ""


def _raised(exponent: str) -> str:
    plain = exponent.lstrip("-").isdigit()
    return exponent.translate(HIGH) if plain else f"^({exponent})"
