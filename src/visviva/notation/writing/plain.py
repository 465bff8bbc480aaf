"""A page as plain text, θ̇₁ (L₁ + L₂ c₂), for a terminal and as names of quantities."""

from __future__ import annotations

import unicodedata
from typing import Any

from visviva.notation.names import GREEK, LOW_DIGITS, Names, Parts, is_name
from visviva.notation.writing import page
from visviva.notation.writing.arrange import arranger

_LOW = str.maketrans("0123456789", LOW_DIGITS)
_HIGH = str.maketrans("0123456789-ACT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᴬᶜᵀ")
_DOTS = ("", "\u0307", "\u0308")


def text(x: Any) -> str:
    """What is on a page, in one line."""
    match x:
        case page.Number(digits):
            return digits
        case page.Scientific(digits, exponent):
            return f"{digits}e{exponent}"
        case page.Name(parts):
            return _name(parts)
        case page.Sign():
            return _sign(x)
        case page.Mark(mark):
            return mark
        case page.Sum(terms):
            return "".join(_signed(k, *term) for k, term in enumerate(terms))
        case page.Product(factors):
            return " ".join(_inside(f) for f in factors)
        case page.Row(parts):
            return "".join(map(_beside, (page.Mark("d"), *parts), parts))
        case page.Quotient(top, bottom):
            return f"{_inside(top)}/{_inside(bottom)}"
        case page.Power(base, exponent):
            below = _inside(base)
            below = f"({below})" if below.endswith("'") else below
            return below + _raised(text(exponent))
        case page.Root(inside):
            return f"√({text(inside)})"
        case page.Call():
            return _call(x)
        case page.Slope(name, by):
            top = f"∂{_count(sum(n for _, n in by))}{name}"
            return f"{top}/{''.join(f'∂{text(y)}{_count(n)}' for y, n in by)}"
        case page.Relation(left, sign, right):
            return f"{text(left)} {sign} {text(right)}"
        case page.Joined(word, parts):
            return f" {word} ".join(map(_inside, parts))
        case page.Cases(rows):
            return f"{{{', '.join(_case(*pair) for pair in rows)}}}"
        case page.Fence(inner):
            return f"({text(inner)})"
        case page.Grid(rows):
            return _grid([[text(e) for e in line] for line in rows])
        case page.Lines(rows):
            return " ".join(text(line) for line in rows)
        case page.Foreign(expr):
            return str(expr)
    raise TypeError(f"not on a page: {x!r}")


def plain_text(x: Any, names: Names) -> str:
    """A SymPy expression in one line, θ̇₁² sin(θ₂)."""
    return text(arranger(x, names).of(x))


def _sign(s: page.Sign) -> str:
    letter = s.letter + "\u0302" * s.hat + "\u20d7" * s.arrow + _DOTS[s.dots]
    before = s.frame.translate(_HIGH) + s.base.translate(_LOW)
    return unicodedata.normalize("NFC", before + letter + _low(s.sub))


def _beside(before: Any, x: Any) -> str:
    """What stands in a row: nothing is between it and the d of a derivative."""
    return text(x) if before in (page.Mark("∂"), page.Mark("d")) else f" {text(x)}"


def _low(subscript: str) -> str:
    if not subscript or subscript.isdigit():
        return subscript.translate(_LOW)
    return f"_{GREEK.get(subscript, subscript)}"


def _name(p: Parts) -> str:
    letter = GREEK.get(p.letter, p.letter)
    if len(letter) > 1 and not is_name(letter) and letter[0] != "“":
        letter = f"“{letter}”"  # a name that is no word: p + r is a sum otherwise
    if "," in p.subscript:  # l_c,2 are two things
        return letter + p.subscript.replace(",", "_", 1) + "'" * p.dots
    if len(letter) > 1:  # a dot would stand on the last letter of the word
        return letter + _low(p.subscript) + "'" * p.dots
    return unicodedata.normalize("NFC", letter + _DOTS[min(p.dots, 2)] + _low(p.subscript))


def _signed(place: int, sign: int, term: Any) -> str:
    before = ("-" if sign < 0 else "") if place == 0 else (" - " if sign < 0 else " + ")
    return before + (f"({text(term)})" if isinstance(term, page.Sum) else text(term))


def _grid(rows: list[list[str]]) -> str:
    if all(len(line) == 1 for line in rows):
        return f"({', '.join(line[0] for line in rows)})"
    return f"[{'; '.join(', '.join(line) for line in rows)}]"


def _inside(x: Any) -> str:
    together = (page.Sum, page.Product, page.Joined, page.Slope)
    return f"({text(x)})" if isinstance(x, together) else text(x)


def _call(x: page.Call) -> str:
    if x.short:
        return x.name[0] + _low(x.short)
    inside = ", ".join(map(text, x.arguments))
    if x.name == "Abs":
        return f"|{inside}|"
    if len(x.arguments) == 1:
        order = len(x.by)
        high = page.ORDERS[order] if order <= 3 else f"⁽{_count(order)}⁾"
        return f"{x.name}{high}({inside})"
    return f"{''.join(f'∂{_low(str(k))}' for k in x.by)}{x.name}({inside})"


def _case(value: Any, condition: Any) -> str:
    return text(value) + (" otherwise" if condition is None else f" if {text(condition)}")


def _count(n: int) -> str:
    return str(n).translate(_HIGH) if n > 1 else ""


def _raised(exponent: str) -> str:
    plain = exponent.lstrip("-").isdigit() or exponent == "T"  # transposed
    return exponent.translate(_HIGH) if plain else f"^({exponent})"
