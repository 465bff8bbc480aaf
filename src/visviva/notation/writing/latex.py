"""A page as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import sympy

from visviva.notation.names import GREEK, LETTERS, Names, Parts, printable
from visviva.notation.writing import page
from visviva.notation.writing.width import broken

KNOWN = "sin cos tan sinh cosh tanh exp log min max arg".split()
RENAMED = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
RELATIONS = {"=": "=", "≠": r"\ne", "≤": r"\le", "≥": r"\ge", "<": "<", ">": ">"}
MARKS = {"×": r"\times", "·": r"\cdot", "∂": r"\partial", "∑": r"\sum", "∫": r"\int", "−": "-"}
MARKS |= {"d": r"\mathrm{d}"}
SPECIAL = {c: "\\" + c for c in "%$#&_{}"} | {"\\": r"\backslash ", "~": r"\sim ", "^": r"\wedge "}
# <b> and [b](c) are more than letters where the LaTeX stands in Markdown
SPECIAL |= {c: f"{{{c}}}" for c in "<>'[]`*"} | {" ": r"\ "}


def tex(x: Any) -> str:
    """For mathematics mode."""
    match x:
        case page.Number(text):
            return text
        case page.Scientific(digits, exponent):
            return rf"{digits} \cdot 10^{{{exponent}}}"
        case page.Name(parts):
            return _symbol(parts)
        case page.Sign():
            return _sign(x)
        case page.Mark(text):
            return MARKS.get(text, text)
        case page.Sum(terms):
            return "".join(_signed(k, sign, term) for k, (sign, term) in enumerate(terms))
        case page.Product(factors):
            return " ".join(_beside(f, k) for k, f in enumerate(factors))
        case page.Row(parts):
            return "".join(_part(parts, k) for k in range(len(parts)))
        case page.Quotient(top, bottom, small):
            return rf"\{'tfrac' if small else 'frac'}{{{tex(top)}}}{{{tex(bottom)}}}"
        case page.Power(base, exponent):
            return _raised(base, tex(exponent))
        case page.Root(inside):
            return rf"\sqrt{{{tex(inside)}}}"
        case page.Call():
            return _call(x)
        case page.Slope(name, by):
            top = rf"\partial{_count(sum(n for _, n in by))} {_function(name)}"
            bottom = " ".join(rf"\partial {tex(y)}{_count(n)}" for y, n in by)
            return rf"\frac{{{top}}}{{{bottom}}}"
        case page.Joined(word, parts):
            return rf" \text{{ {word} }} ".join(map(_condition, parts))
        case page.Relation(left, sign, right):
            return f"{tex(left)} {RELATIONS[sign]} {tex(right)}"
        case page.Fence(inner):
            return _bracketed(inner)
        case page.Grid(rows):
            body = r" \\ ".join(" & ".join(tex(e) for e in row) for row in rows)
            return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"
        case page.Lines(rows):
            body = r" \\ ".join(f"& {tex(line)}" for line in rows)
            return rf"\begin{{aligned}} {body} \end{{aligned}}"
        case page.Cases(rows):
            body = r" \\ ".join(_case(*pair) for pair in rows)
            return rf"\begin{{cases}} {body} \end{{cases}}"
        case page.Foreign(expr):
            names = {s: _symbol(Names().parts(s.name)) for s in expr.free_symbols}
            return str(sympy.latex(expr, symbol_names=names))
    raise TypeError(f"not on a page: {x!r}")


def _signed(place: int, sign: int, term: Any) -> str:
    """A term of a sum with its sign."""
    body = _bracketed(term) if isinstance(term, page.Sum) else tex(term)
    return ((" - " if place else "-") if sign < 0 else " + " if place else "") + body


def _bracketed(x: Any) -> str:
    """Between brackets that grow."""
    return rf"\left({tex(x)}\right)"


def _symbol(p: Parts) -> str:
    """A name: \\dot{\\theta}_{1}."""
    letter = LETTERS.get(p.letter, p.letter)
    if letter in GREEK:
        written = rf"\{letter}"
    else:
        written = rf"\mathrm{{{escaped(letter)}}}" if len(letter) > 1 else escaped(letter)
    if p.dots:
        accent = {1: "dot", 2: "ddot", 3: "dddot"}.get(p.dots)
        written = rf"\{accent}{{{written}}}" if accent else rf"{{{written}}}^{{({p.dots})}}"
    return f"{written}_{{{subscript(p.subscript)}}}" if p.subscript else written


def _sign(s: page.Sign) -> str:
    written = _symbol(Parts(s.letter))
    for accent in ("hat" * s.hat, "vec" * s.arrow, ("", "dot", "ddot")[s.dots]):
        written = rf"\{accent}{{{written}}}" if accent else written
    written += f"_{{{_indexed(s.sub)}}}" if s.sub else ""
    if s.frame or s.base:
        low = f"_{{{s.base}}}" if s.base else ""
        written = f"{{}}^{{{_indexed(s.frame)}}}{low}{written}"
    return written


def _indexed(text: str) -> str:
    """C1 is C with subscript 1."""
    match = re.fullmatch(r"([A-Z])(\d+)", text)
    return f"{match[1]}_{{{match[2]}}}" if match else subscript(text)


def _part(parts: tuple[Any, ...], k: int) -> str:
    """With the space before it; there is none after d, and a thin one before d m.

    A raised frame is kept apart from what stands before it, whose exponent it is not.
    """
    written = tex(parts[k])
    if not k or parts[k - 1] == page.Mark("d"):
        return written
    if isinstance(parts[k], page.Row) and parts[k].parts[0] == page.Mark("d"):
        return rf"\,{written}"
    apart = written.startswith("{}^") and not isinstance(parts[k - 1], page.Mark)
    return rf" \, {written}" if apart else f" {written}"


def subscript(text: str) -> str:
    """Digits, single letters and rows of indices as they are, words upright."""
    if text in GREEK:
        return rf"\{text}"
    short = re.fullmatch(r"[A-Za-z]{0,2}[\d,]*|[ijkl]{3,4}", text)
    return text if short else rf"\mathrm{{{escaped(text)}}}"


def escaped(text: str) -> str:
    """Without characters that LaTeX would read as commands; for mathematics mode.

    Greek letters are there, all others that are not ASCII are letters of text: é, 关.
    """
    letters = (SPECIAL.get(c) or _GREEK.get(c, c) for c in printable(text))
    return _STRANGE.sub(r"\\text{\g<0>}", "".join(letters))


_GREEK = {letter: rf"\{name} " for letter, name in LETTERS.items()}
_STRANGE = re.compile(
    r"(?:[A-Za-z](?=[\u0300-\u036f]))?[^\x00-\x7f]+"
)  # an accent takes its letter


def _beside(x: Any, place: int) -> str:
    """A factor of a product; a number that does not come first is marked off by a dot."""
    if isinstance(x, (page.Sum, page.Relation)):
        return _bracketed(x)
    first = x.base if isinstance(x, page.Power) else x
    dot = place and isinstance(first, (page.Number, page.Scientific))
    return rf"\cdot {tex(x)}" if dot else tex(x)


def _raised(base: Any, exponent: str) -> str:
    if isinstance(base, page.Call) and (base.short or base.name in (*KNOWN, "Abs")):
        return _call(base, f"^{{{exponent}}}")
    if isinstance(base, page.Sign) or (isinstance(base, page.Name) and base.parts.dots <= 3):
        return f"{tex(base)}^{{{exponent}}}"
    whole = isinstance(base, (page.Number, page.Foreign)) and not str(tex(base)).startswith("-")
    return f"{tex(base) if whole else _bracketed(base)}^{{{exponent}}}"


def _call(x: page.Call, power: str = "") -> str:
    if x.short:
        return f"{x.name[0]}_{{{subscript(x.short)}}}{power}"
    inside = ", ".join(tex(a) for a in x.arguments)
    if x.name == "Abs":
        return rf"\left|{inside}\right|{power}"
    head = _function(x.name)
    if len(x.arguments) == 1 and x.by:
        order = len(x.by)
        head += "'" * order if order <= 3 else f"^{{({order})}}"
    elif x.by:
        head = "".join(rf"\partial_{{{k}}} " for k in x.by) + head
    small = all(isinstance(a, (page.Name, page.Number)) for a in x.arguments) or (
        len(inside) < 60 and "\\frac" not in inside and "\\left" not in inside
    )
    return f"{head}{power}({inside})" if small else rf"{head}{power}\left({inside}\right)"


def _function(name: str) -> str:
    """What a function is called."""
    own = RENAMED.get(name, name)
    if len(own) == 1:
        return escaped(own)
    known = own in KNOWN or name in RENAMED
    return rf"\{own}" if known else rf"\operatorname{{{escaped(own)}}}"


def _case(value: Any, condition: Any) -> str:
    said = r"\text{otherwise}" if condition is None else rf"\text{{if }} {tex(condition)}"
    return f"{tex(value)} & {said}"


def _count(n: int) -> str:
    return f"^{{{n}}}" if n > 1 else ""


def _condition(x: Any) -> str:
    return _bracketed(x) if isinstance(x, page.Joined) else tex(x)


def aligned(relations: Sequence[Any], width: int) -> str:
    """Relations under each other; sums longer than `width` characters go on in the next line."""
    rows = []
    for r in relations:
        related = isinstance(r, page.Relation)
        head = f"{tex(r.left)} &{RELATIONS[r.sign]} " if related else "& "
        for terms in broken(r.right if related else r, width):
            rows.append(head + "".join(_signed(k, sign, term) for k, sign, term in terms))
            head = r"&\quad {}"  # an empty group makes the sign one between two terms
    body = " \\\\\n".join(rows)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"
