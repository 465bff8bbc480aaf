"""A page as presentation MathML, which browsers show by themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape, unescape
from typing import Any

import sympy

from visviva.notation.names import GREEK, Parts
from visviva.notation.writing import page
from visviva.notation.writing.latex import RENAMED
from visviva.notation.writing.width import broken

TIMES, APPLY = "<mo>&#x2062;</mo>", "<mo>&#x2061;</mo>"  # invisible: times, function of
SPACED = '<mo rspace="0.167em">&#x2062;</mo>'
CAPITALS = "ΓΔΘΛΞΠΣΦΨΩ"  # upright, as books have them
EMPTY = "<mrow></mrow>"
TALL = (page.Quotient, page.Grid, page.Cases, page.Foreign, page.Slope, page.Lines)
_SCRIPTED = {  # with a subscript, with an exponent
    (False, False): "",
    (False, True): "msup",
    (True, False): "msub",
    (True, True): "msubsup",
}
_ACCENTS = {1: "˙", 2: "¨", 3: "⃛"}


def ml(x: Any) -> str:
    """One element, to stand inside <math>."""
    match x:
        case page.Number(text):
            return f"<mn>{escape(text)}</mn>"
        case page.Scientific(digits, exponent):
            power = exponent.replace("-", "−")
            tens = f"<msup><mn>10</mn><mn>{power}</mn></msup>"
            return row(f"<mn>{digits}</mn>", operator("⋅"), tens)
        case page.Name(parts):
            return _symbol(parts)
        case page.Sign():
            return _sign(x)
        case page.Mark(text):
            tight = ' form="prefix" lspace="0" rspace="0"' if text in "∂d" else ""
            return f"<mo{tight}>{escape(text)}</mo>"
        case page.Sum(terms, within):
            return row(*(_signed(k, *term, within) for k, term in enumerate(terms)))
        case page.Product(factors):
            return row(*_beside(factors))
        case page.Row(parts):
            return row(*_spaced(parts))
        case page.Quotient(top, bottom, small):
            fraction = f"<mfrac>{ml(top)}{ml(bottom)}</mfrac>"
            return f'<mstyle displaystyle="false">{fraction}</mstyle>' if small else fraction
        case page.Power(base, exponent):
            return _raised(base, ml(exponent))
        case page.Root(inside):
            return f"<msqrt>{ml(inside)}</msqrt>"
        case page.Call():
            return _call(x)
        case page.Slope(name, by):
            top = row(_partial(sum(n for _, n in by)), f"<mi>{escape(name)}</mi>")
            bottom = row(*(_partial() + _counted(ml(y), n) for y, n in by))
            return f"<mfrac>{top}{bottom}</mfrac>"
        case page.Joined(word, parts):
            between = f"<mtext>&#xA0;{word}&#xA0;</mtext>"
            return row(
                between.join(_bracketed(p) if isinstance(p, page.Joined) else ml(p) for p in parts)
            )
        case page.Relation(left, sign, right):
            return row(ml(left), operator(sign), ml(right))
        case page.Fence(inner):
            return row(ml(inner).join(fence(side) for side in "()"))
        case page.Grid(rows, within):
            body = "".join(
                f"<mtr>{''.join(f'<mtd>{ml(e)}</mtd>' for e in entries)}</mtr>" for entries in rows
            )
            left, right = (fence(side, "bracket", within) for side in "[]")
            return row(left, f'<mtable class="matrix">{body}</mtable>', right)
        case page.Lines(rows):
            cell = '<mtr><mtd style="text-align: left">{}</mtd></mtr>'
            body = "".join(cell.format(ml(line)) for line in rows)
            return f'<mtable displaystyle="true">{body}</mtable>'
        case page.Cases(rows):
            return row(fence("{"), f"<mtable>{''.join(_case(v, c) for v, c in rows)}</mtable>")
        case page.Foreign(expr):
            return _by_sympy(expr)
    raise TypeError(f"not on a page: {x!r}")


def row(*parts: str) -> str:
    """Side by side."""
    return f"<mrow>{''.join(parts)}</mrow>"


def operator(sign: str) -> str:
    """A sign between two things."""
    return f"<mo>{escape(sign)}</mo>"


def fence(sign: str, kind: str = "", grows: bool = True) -> str:
    """A bracket; a style may name its kind."""
    named = f'class="{kind}" ' if kind else ""
    grown = ' stretchy="true"' if grows else ""
    return f'<mo {named}fence="true"{grown}>{escape(sign)}</mo>'


def _bracketed(*inside: Any) -> str:
    """Between brackets, commas between several; only what is tall makes them grow."""
    sides = [fence(x) if any(map(tall, inside)) else _plain(x) for x in "()"]
    return row("<mo>,</mo>".join(map(ml, inside)).join(sides))


def _plain(sign: str) -> str:
    return f'<mo fence="true" stretchy="false">{escape(sign)}</mo>'


def tall(x: Any) -> bool:
    """Whether something in it is higher than a line."""
    match x:
        case _ if isinstance(x, TALL):
            return True
        case page.Sum(terms):
            return any(tall(term) for _, term in terms)
        case page.Product(parts) | page.Row(parts) | page.Call(_, parts) | page.Joined(_, parts):
            return any(map(tall, parts))
        case page.Power(base, exponent):
            return tall(base) or tall(exponent)
        case page.Root(inside) | page.Fence(inside):
            return tall(inside)
        case page.Relation(left, _, right):
            return tall(left) or tall(right)
        case page.Number() | page.Scientific() | page.Name() | page.Sign() | page.Mark():
            return False
    raise TypeError(f"not on a page: {x!r}")


def _signed(place: int, sign: int, term: Any, within: bool = True) -> str:
    """A term of a sum with its sign; the first one of a line says that it stands before."""
    body = _bracketed(term) if isinstance(term, page.Sum) else ml(term)
    if place == 0 and sign > 0:
        return body
    form = ' form="infix"' if place else "" if within else ' form="prefix"'
    return f"<mo{form}>{'−' if sign < 0 else '+'}</mo>{body}"


def _symbol(p: Parts, power: str = "") -> str:
    """A name with dots, subscript and exponent."""
    letter = GREEK.get(p.letter, p.letter)
    upright = ' mathvariant="normal"' if letter in CAPITALS else ""
    written = f"<mi{upright}>{escape(letter)}</mi>"
    if p.dots:
        accent = _ACCENTS.get(p.dots, "˙" * p.dots)
        written = f'<mover accent="true">{written}<mo>{accent}</mo></mover>'
    below = _subscript(p.subscript) if p.subscript else ""
    element = _SCRIPTED[bool(below), bool(power)]
    return f"<{element}>{written}{below}{power}</{element}>" if element else written


def _sign(s: page.Sign, power: str = "") -> str:
    written = f"<mi>{escape(s.letter)}</mi>"
    for mark in ("ˆ" * s.hat, "→" * s.arrow, ("", "˙", "¨")[s.dots]):
        if mark:
            written = f'<mover accent="true">{written}<mo stretchy="false">{mark}</mo></mover>'
    sub, base, frame = (_script(x) for x in (s.sub, s.base, s.frame))
    if power:
        written = f"<msubsup>{written}{sub}{power}</msubsup>"
    elif s.sub:
        written = f"<msub>{written}{sub}</msub>"
    if s.frame or s.base:  # browsers leave a gap in mmultiscripts whose scripts have scripts
        return row(f"<msubsup>{EMPTY}{base}{frame}</msubsup>", written)
    return written


def _script(text: str) -> str:
    if not text:
        return EMPTY
    if match := re.fullmatch(r"([A-Z])(\d+)", text):
        return f"<msub><mi>{match[1]}</mi><mn>{match[2]}</mn></msub>"
    return f"<mn>{text}</mn>" if text.isdigit() else f"<mi>{escape(text)}</mi>"


def _spaced(parts: Sequence[Any]) -> list[str]:
    """Side by side, with a space where no mark stands between."""
    written = []
    for k, p in enumerate(parts):
        if k and not isinstance(p, page.Mark) and not isinstance(parts[k - 1], page.Mark):
            written.append('<mspace width="0.2em"></mspace>')
        written.append(ml(p))
    return written


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
    text = sympy.mathml(expr, printer="presentation")
    return re.sub(r"&(?!lt;|gt;|amp;|quot;)[A-Za-z]+;", lambda m: unescape(m[0]), text)


def _beside(factors: Sequence[Any]) -> list[str]:
    """The factors of a product with what stands between them, which is rarely seen."""
    written: list[str] = []
    for f in factors:
        first = f.base if isinstance(f, page.Power) else f
        spaced = isinstance(first, page.Call) and not first.short  # before sin and cos
        times = SPACED if spaced else TIMES
        dot = isinstance(first, (page.Number, page.Scientific))
        brackets = isinstance(f, (page.Sum, page.Relation))
        written += [operator("⋅") if dot else times, _bracketed(f) if brackets else ml(f)]
    return written[1:]


def _raised(base: Any, exponent: str) -> str:
    if isinstance(base, page.Name):
        return _symbol(base.parts, exponent)
    if isinstance(base, page.Sign):
        return _sign(base, exponent)
    if isinstance(base, page.Call) and (base.short or base.name in ("sin", "cos", "tan", "Abs")):
        return _call(base, exponent)
    whole = isinstance(base, (page.Number, page.Foreign))
    return f"<msup>{ml(base) if whole else _bracketed(base)}{exponent}</msup>"


def _call(x: page.Call, power: str = "") -> str:
    if x.short:
        return _symbol(Parts(x.name[0], x.short), power)
    if x.name == "Abs":
        bars = row(ml(x.arguments[0]).join([fence("|")] * 2))
        return f"<msup>{bars}{power}</msup>" if power else bars
    head = f"<mi>{escape(RENAMED.get(x.name, x.name))}</mi>"
    if len(x.arguments) == 1 and x.by:
        order = len(x.by)
        head = f"<msup>{head}<mo>{page.ORDERS[order] if order <= 3 else f'({order})'}</mo></msup>"
    elif x.by:
        head = row(*(f"<msub><mo>∂</mo><mn>{k}</mn></msub>" for k in x.by), head)
    head = f"<msup>{head}{power}</msup>" if power else head
    return row(head, APPLY, _bracketed(*x.arguments))


def _partial(order: int = 1) -> str:
    return _counted('<mo form="prefix" lspace="0" rspace="0">∂</mo>', order)


def _counted(element: str, n: int) -> str:
    return f"<msup>{element}<mn>{n}</mn></msup>" if n > 1 else element


def aligned(relations: Sequence[Any], width: int) -> str:
    """Relations under each other; long sums go on in the next line."""
    rows = []
    for r in relations:
        related = isinstance(r, page.Relation)
        cells = (ml(r.left), operator(r.sign)) if related else ("", "")
        for terms in broken(r.right if related else r, width):
            whole = row(*(_signed(*term) for term in terms))
            pairs = zip(("right", "center", "left"), (*cells, whole), strict=True)
            body = "".join(f'<mtd style="text-align: {side}">{c}</mtd>' for side, c in pairs)
            rows.append(f"<mtr>{body}</mtr>")
            cells = ("", "")
    return f'<mtable class="rows" displaystyle="true">{"".join(rows)}</mtable>'
