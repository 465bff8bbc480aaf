"""Forward kinematics of a chain and its Jacobian, column after column, written out.

In the order of Tang, *Kinematics, statics, and dynamics of robotic arm*: places, the chain rule,
columns, the determinant and where it is zero, the inverse and the rates of the joints that move the
tip as asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy

from visviva.algebra.exact.minors import determinant
from visviva.judge.derive.chain import END_SIGN, Chain
from visviva.judge.derive.page import Page, Quantity
from visviva.judge.exact.model_forms import ModelForms
from visviva.notation.textbook.writer import textbook
from visviva.notation.writing.page import (
    ONE,
    TWO,
    ZERO,
    Fence,
    Grid,
    Number,
    Power,
    Quotient,
    Relation,
    Row,
    Sign,
    Sum,
)
from visviva.space.rotations import cross

SPEED_SYMBOLS = ("v_x", "v_y", "v_z")  # of the tip, as they are asked for
_RECURSION = "equal to the Jacobian of the recursion, which forms no derivatives"
_DET = Row((Sign("det"), Sign("J")))


def jacobian_written(page: Page, forms: ModelForms, frame: str, speeds: tuple[str, ...]) -> None:
    """Places, chain rule, columns, the whole matrix, its determinant and its inverse."""
    chain = Chain(page, forms, "jacobian", frame)
    places = chain.write_places()
    _chain_rule(page, chain)
    columns = chain.write_columns(places)
    J = _whole(page, chain, columns)
    if J.shape[0] == J.shape[1]:
        det, adjugate = _determinant(page, chain, J)
        if det != 0:
            _singular(page, chain, J, det)
            if len(J) == 2:
                _inverse(page, chain, det, adjugate, speeds)


def _chain_rule(page: Page, chain: Chain) -> None:
    """x_e, y_e, φ_e or z_e, their slopes, and their rates by the chain rule."""
    said, found = "The place of the tip, component by component.", chain.angle()
    if found is not None:
        a, b = ("xyz"[k] for k in chain.cyclic)
        said += f" φ is its angle, from {a} to {b}."
    page.step("Where the tip is", said)
    named: list[tuple[Sign, Any, int]] = []
    place = chain.forms.position(chain.tip)
    for k in chain.shown:
        name = Sign("xyz"[k], END_SIGN)
        page.state(name, chain.end[k], place[k], "equal to the place in the closed form")
        named.append((name, chain.end[k], 3 + k))
    if found is not None and chain.normal is not None:
        total, start = found
        name = Sign("φ", END_SIGN)
        check = "its cosine and sine are entries of the tip's rotation"
        page.state(_turned_from(name, start), total, check=check)
        named.append((name, total, chain.normal))
    page.step(
        "How it changes",
        "Slopes by each coordinate; by the chain rule the rate of change is the sum of the slopes, "
        "each times the rate of its coordinate.",
        "The chain rule",
    )
    rates = chain.rates()
    for name, value, row in named:
        terms = []
        for i, rate in enumerate(rates):
            slope = chain.slope(name, value, i)
            if not slope.is_zero:
                page.line(slope.box, slope, chain.recursion[row, i], _RECURSION)
                terms.append(slope * rate)
        again = chain.recursion[row] @ chain.forms.exact.v
        dotted = Sign(name.letter, name.sub, dots=1)
        page.line(dotted, page.sum(terms), again, _RECURSION, plug=False)


def _turned_from(name: Sign, quarters: int) -> Any:
    """φ less the angle at which it begins."""
    if quarters == 0:
        return name
    pi = Sign("π")
    sign, turn = {1: (-1, Quotient(pi, TWO)), 2: (-1, pi), 3: (1, Quotient(pi, TWO))}[quarters]
    return Sum(((1, name), (sign, turn)))


def _whole(page: Page, chain: Chain, columns: list[Quantity]) -> Any:
    """J, J_ω where it is no part of J, and the velocity as a sum of columns."""
    J = np.stack([x.value for x in columns], axis=1)
    turning = chain.recursion[:3] if chain.normal is None else chain.recursion[[chain.normal]]
    said = f"The columns side by side: the velocity of {chain.tip!r} is J q̇, a sum of columns"
    if chain.has_angle and chain.normal is not None:
        said += f"; the last row is how fast it turns about {'xyz'[chain.normal]}."
    else:
        said += ". The second matrix, times q̇, is ω, how fast it turns."
    if len(J) != len(columns):
        said += " Where J, which is not square, loses rank, singularities(frame) finds."
    page.step("The whole matrix", said, "The Jacobian")
    box = Grid((tuple(x.box for x in columns),))
    side_by_side = Quantity(J, box, box)
    page.line(Sign("J"), side_by_side, chain.recursion[chain.rows], _RECURSION, plug=False)
    if not chain.has_angle:
        own = [chain.axis(i) if _spins(chain, i) else [0] * 3 for i in range(len(columns))]
        axes = chain.all(np.array(own, dtype=object).T)
        spun = axes if chain.normal is None else axes[[chain.normal]]
        page.state(Sign("J", "ω"), spun, turning, _RECURSION)
    moved = page.sum(x * rate for x, rate in zip(columns, chain.rates(), strict=True))
    speed = list(chain.seen(chain.rate(chain.end)))
    if chain.has_angle:
        speed += list(turning @ chain.forms.exact.v)
    product = Row((Sign("J"), Sign("q", dots=1)))
    both = Quantity(moved.value, product, moved.box)
    page.line(Sign("v", END_SIGN), both, chain.all(speed), "the rate of change of the place")
    return J


def _spins(chain: Chain, i: int) -> bool:
    return i <= chain.carrier and chain.turns(i)


def _determinant(page: Page, chain: Chain, J: Any) -> tuple[Any, Any]:
    """det J and adj J, proved by their product with J."""
    n = len(J)
    det = chain.s.of(determinant(J.tolist()))
    adjugate = chain.all(_adjugate(J))
    check = "J adj J = det J · 1, entry by entry"
    page.require(J @ adjugate, det * np.eye(n, dtype=int), check)
    page.step(
        "The determinant",
        "J has as many rows as columns."
        + ("" if det != 0 else " Its columns never reach all directions."),
    )
    page.state(_DET, det, check=check)
    return det, adjugate


def _adjugate(J: Any) -> Any:
    """Of two rows, or of three by their vector products: without determinants."""
    if len(J) == 2:
        (a, b), (c, d) = J
        return [[d, -b], [-c, a]]
    x, y, z = J
    return np.stack([np.array(cross(*pair)) for pair in ((y, z), (z, x), (x, y))], axis=1)


def _singular(page: Page, chain: Chain, J: Any, det: Any) -> None:
    """Where a factor of det J is zero; what is found is put into J again."""
    shown = page.value(det)
    found = list(_zeros(chain, shown))
    others = [f for f in _moving_factors(chain, shown) if not any(f == g for g, _, _ in found)]
    if not found and not others:
        page.step("Singular positions", "There are none: no factor of det J changes with q.")
        return
    page.step(
        "Singular positions",
        "det J is zero where one of its factors is; what has no coordinate in it, as a length, "
        "is taken as not zero. There the columns of J no longer reach all directions"
        + (": some velocities of the tip are impossible. Put into J:" if found else "."),
    )
    for _, condition, values in found:
        at = [[x.subs(values, simultaneous=True) for x in row] for row in page.value(J).tolist()]
        there = chain.all([[chain.s.read(x) for x in row] for row in at])
        beside = Fence(condition)
        page.state(Row((Sign("J"), beside)), there)
        gone, check = chain.s.of(determinant(there.tolist())), "J with the position put in"
        page.state(Row((*_DET.parts, beside)), gone, chain.s.of(0), check)
    if others:
        page.step("A condition", "Positions are singular too where a factor that is left is zero.")
        for f in others:
            page.given(page.boxes.box(f), (ZERO,), sympy.S.Zero)


def _moving_factors(chain: Chain, det: Any) -> list[Any]:
    """Factors that change with a coordinate, without their powers."""
    names = {sympy.Symbol(q) for q in chain.s.q}
    bases = (f.as_base_exp()[0] for f in sympy.Mul.make_args(det))
    return [f for f in bases if f.free_symbols & names]


def _zeros(chain: Chain, det: Any) -> Iterator[tuple[Any, Relation, dict[Any, Any]]]:
    """Factors sin, cos of a sum of coordinates, and slides: the condition, and a coordinate."""
    boxes, names = chain.page.boxes, {sympy.Symbol(q) for q in chain.s.q}
    for f in _moving_factors(chain, det):
        angle = f.args[0] if f.func in (sympy.sin, sympy.cos) else f
        q = next((x for x in sorted(names, key=str, reverse=True) if angle.has(x)), None)
        if q is None or angle.free_symbols - names or angle.coeff(q) not in (1, -1):
            continue
        half, quarter = Sign("π"), Quotient(Sign("π"), TWO)
        places: list[tuple[Any, Any]] = [(ZERO, sympy.S.Zero)]
        if f.func is sympy.sin:
            places.append((half, sympy.pi))
        elif f.func is sympy.cos:
            places = [(quarter, sympy.pi / 2), (Sum(((-1, quarter),)), -sympy.pi / 2)]
        elif not f.is_Symbol:
            continue
        for box, value in places:
            rest = angle - angle.coeff(q) * q
            solved = sympy.expand((value - rest) / angle.coeff(q))
            yield f, Relation(boxes.box(angle), "=", box), {q: solved}


def _over(bottom: Any, rest: Any) -> Any:
    """One over something, times the rest; a minus stands in front of all."""
    sign, bare = (
        bottom.terms[0] if isinstance(bottom, Sum) and len(bottom.terms) == 1 else (1, bottom)
    )
    product = rest if bare == ONE else Row((Quotient(ONE, bare), rest))
    return product if sign > 0 else Sum(((-1, product),))


def _inverse(page: Page, chain: Chain, det: Any, adjugate: Any, speeds: tuple[str, ...]) -> None:
    """J⁻¹ = adj J / det J and q̇ = J⁻¹ v, elsewhere."""
    page.step(
        "The inverse",
        "Where det J is not zero, a velocity of the tip belongs to one set of rates of the joints: "
        "q̇ = J⁻¹ v, with the adjugate.",
        "Rates for a velocity of the tip",
    )
    over, adj = page.leaf(_DET, det), page.leaf(None, adjugate)
    inverse = Power(Sign("J"), Number("-1"))
    first = Quotient(Row((Sign("adj"), Sign("J"))), over.box)
    second = _over(over.plugged, adj.box)
    check = "J adj J = det J · 1, entry by entry"
    page.given(inverse, (first, second), page.value(adjugate) / page.value(det), check)
    v = chain.all([chain.s.ring[speeds[k]] for k in chain.shown])
    asked = page.line(Sign("v"), page.leaf(None, v))
    page.step("Each joint", "The rows of J⁻¹ v, with factors that top and bottom share taken out.")
    tops = adjugate @ v
    again = np.stack([chain.seen(chain.d(chain.end, q)) for q in chain.s.q], axis=1) @ tops
    page.require(again, det * asked.value, "J q̇ det J = v det J")
    for top, rate in zip(tops, chain.rates(), strict=True):
        shown = textbook(top / det)
        over_, under = sympy.fraction(shown)
        # cross-multiplied: a fraction is the same where both products are
        left, right = chain.s.read(over_) * det, top * chain.s.read(under)
        page.require(left, right, "a fraction in lowest terms")
        box = page.boxes.box(shown)
        page.given(rate.box, (box,), shown, "put into J q̇ it gives v")
