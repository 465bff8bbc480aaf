"""Whether formulas for joints bring the tip to every target: claims of inverse kinematics.

There are several solutions, so nothing is compared with one truth: the formulas are put into the
forward kinematics, and what comes out has to be the target. Over fractions with roots that is
proved, for all targets at which the formulas have values; where it is not, it is tried at targets
that the arm reaches, from everywhere, by ball arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, ctx

from visviva.errors import ArgumentError, OutsideError
from visviva.judge.check.compare.balls import BITS, Balls, Witness, ball, value
from visviva.judge.check.compare.tip import Kinematics
from visviva.judge.check.mistakes.mistake import Diagnosis
from visviva.judge.check.reach.angles import Angles
from visviva.judge.check.reach.roots import Roots, UnknownSignError
from visviva.judge.check.said.statements import Statement, definitions, put_in
from visviva.judge.check.said.subjects import AXES
from visviva.judge.check.said.tip import ANGLE, TIP, Tip, tip_of
from visviva.judge.check.said.vocabulary import ANGLES, COORDINATES, FORCE, matches, split
from visviva.judge.check.verdict import AGREES, DIFFERS, IDENTICAL, Verdict
from visviva.judge.exact.forms import Facts
from visviva.notation.evaluate import evaluate
from visviva.notation.reading.vocabulary import Vocabulary
from visviva.notation.tree import (
    Call,
    Equation,
    Name,
    Node,
    Product,
    Quotient,
    names,
    rewritten,
    walk,
)

INVERSES = ("acos", "asin", "atan", "atan2", "sqrt")
QUADRANT = "quadrant"
TRIED = 240  # targets
HALF_ANGLE = "half of phi"  # its tangent: cosine and sine of φ are fractions of it


@dataclass(frozen=True, eq=False)
class Formulas:
    """Formulas for the joints of an arm, in the system's names; the tip's begin with `TIP`."""

    tip: Tip
    joints: Mapping[str, Node]  # by coordinate, in the order of the claim
    texts: Mapping[str, Node]  # names that the claim defines: what signs are told of
    symbols: Mapping[str, str]  # how names were read
    text: str

    @cached_property
    def targets(self) -> dict[str, Any]:
        """What is to be reached, x, y, z or φ, with what it is of q; φ as a cosine and a sine."""
        f, frame = self.tip.facts, self.tip.frame
        p, R = f.quantity("position", frame), f.quantity("rotation", frame)
        is_planar = Kinematics(self.tip).is_planar
        rows = {x: p[k - 1] for x, k in AXES.items() if not (is_planar and x == "z")}
        used = {x.key for node in self.joints.values() for x in names(node)}
        if is_planar and (len(f.rates) > 2 or TIP + ANGLE in used):
            rows |= {f"cos {ANGLE}": R[0, 0], f"sin {ANGLE}": R[1, 0]}
        return rows

    @property
    def subject(self) -> str:
        """What the claim is about."""
        said = [x for x in self.targets if x in AXES]
        said += [ANGLE] * (len(said) < len(self.targets))
        return f"the inverse kinematics of {self.tip.frame} for ({', '.join(said)})"

    # ---- proved

    @property
    def is_proved(self) -> bool:
        """Whether the tip is at the target by normal forms, wherever the formulas have values."""
        try:
            return self._reaches()
        except (UnknownSignError, ZeroDivisionError, OutsideError):
            return False

    def _reaches(self) -> bool:
        f = self.tip.facts
        lengths = [k for k, x in f.parameters.items() if x is None or x > 0]
        roots = Roots([*f.parameters, *AXES, HALF_ANGLE], lengths)
        t, one = roots.symbol(HALF_ANGLE), roots.number(1)
        phi = (one - t * t) / (one + t * t), (t + t) / (one + t * t)
        angles = Angles(roots, {TIP + ANGLE: phi})
        angles.values |= {k: roots.symbol(k) for k in f.parameters}
        angles.values |= {TIP + x: roots.symbol(x) for x in AXES}
        for q, node in self.joints.items():
            if self.turns(q):
                angles.pairs[q] = angles.pair(node)
            else:
                angles.values[q] = angles.value(node)
        goals = {x: roots.symbol(x) for x in AXES}
        goals |= {f"cos {ANGLE}": phi[0], f"sin {ANGLE}": phi[1]}
        return all((angles.of(p) - goals[x]).is_zero for x, p in self.targets.items())

    def turns(self, q: str) -> bool:
        """Whether a coordinate is an angle."""
        ring = self.tip.facts.ring
        return any(q in parts for parts in ring.sums.values())

    # ---- tried

    def at(self, point: Mapping[str, Any]) -> Tried:
        """From a position that reaches a target: where the formulas lead to."""
        goal = {x: value(p, point, None) for x, p in self.targets.items()}
        known = {**point, **{TIP + x: goal[x] for x in goal if x in AXES}}
        if f"cos {ANGLE}" in goal:
            known[TIP + ANGLE] = arb.atan2(goal[f"sin {ANGLE}"], goal[f"cos {ANGLE}"])
        for q in self.joints:
            known.pop(q)
        for q, node in self.joints.items():
            known[q] = _value(node, known)
        reached = {x: value(p, known, None) for x, p in self.targets.items()}
        return Tried(self, known, goal, reached)

    def tried(self) -> list[Tried]:
        """Targets on all sides of the arm, at precision enough to tell."""
        before, ctx.prec = ctx.prec, BITS
        try:
            return [self.at(p) for p in self._places()]
        finally:
            ctx.prec = before

    def _places(self) -> Iterator[dict[str, Fraction]]:
        """Positions all round, of arms of many proportions, the system's own among them."""
        f, chance = self.tip.facts, np.random.default_rng(0)
        for k in range(TRIED):
            own = k % 3 == 0
            point = {}
            for name, x in f.parameters.items():
                point[name] = Fraction(int(chance.integers(2, 30)), 10)
                if own and x is not None:
                    point[name] = Fraction(x).limit_denominator(10**6)
            for q in f.coordinates:
                most = 3141 if self.turns(q) else 2000
                point[q] = Fraction(int(chance.integers(-most, most)), 1000)
            yield point

    def verdict(self) -> Verdict:
        """Proved, told apart at a target, or neither."""
        shown = Verdict(
            IDENTICAL, self.text, self.subject, self.tip.facts.name, symbols=self.symbols
        )
        tried = self.tried()
        wrong = [x for x in tried if x.is_wrong]
        if wrong:
            where = _separated(self, tried)
            said = [f"it fails where {where}"] if where else []
            said.append(wrong[0].said)
            said.append(f"of {len(tried)} targets that are reached, it misses {len(wrong)}")
            mended = self._with_quadrants()
            known: tuple[Diagnosis, ...] = ()
            if mended is not self and not any(x.is_wrong for x in mended.tried()):
                sentence = "The arc tangent of a quotient loses the quadrant: atan2(y, x)."
                known = (Diagnosis(QUADRANT, sentence),)
            shown = replace(shown, status=DIFFERS, notes=tuple(said), diagnosis=known)
            return replace(shown, witness=wrong[0].witness)
        notes = tuple(_branch(self, tried))
        if self.is_proved:
            return replace(shown, notes=notes)
        digits = min(x.digits for x in tried)
        return replace(shown, status=AGREES, points=len(tried), digits=digits, notes=notes)

    def _with_quadrants(self) -> Formulas:
        """With atan2(y, x) for the arc tangent of every quotient."""
        mended = {q: _quadrants(node) for q, node in self.joints.items()}
        return self if mended == dict(self.joints) else replace(self, joints=mended)


@dataclass(frozen=True, eq=False)
class Tried:
    """A target, the joints that formulas give for it, and what they reach."""

    formulas: Formulas
    known: Mapping[str, Any]
    goal: Mapping[str, Any]
    reached: Mapping[str, Any]

    @property
    def is_wrong(self) -> bool:
        """Whether the tip is surely elsewhere, or the formulas have no value at all."""
        return bool(self.missed)

    @cached_property
    def missed(self) -> list[str]:
        """The numbers of the target that are surely not reached."""
        gaps = {x: a - self.goal[x] for x, a in self.reached.items()}
        return [x for x, gap in gaps.items() if not (gap.is_finite() and gap.contains(0))]

    @property
    def digits(self) -> int:
        """To how many digits the target is reached."""
        gaps = [float(abs(a - self.goal[x]).upper()) for x, a in self.reached.items()]
        return min(len(f"{1 / g:.0f}") - 1 if g else 1000 for g in gaps)

    @property
    def said(self) -> str:
        """Where the formulas lead to, and where they should."""
        x = self.missed[0]
        a, b = (float(y[x].mid()) for y in (self.reached, self.goal))
        return f"there they lead to {x} = {a:.6g}, asked for was {b:.6g}"

    @property
    def witness(self) -> Witness:
        """The first number of the target that is missed."""
        missed = self.missed[0]
        f = self.formulas.tip.facts
        point = {k: _fraction(self.known[k]) for k in f.parameters if k in _used(self.formulas)}
        point |= {x.removeprefix(TIP): _fraction(a) for x, a in self.known.items() if TIP in x}
        a, b = self.reached[missed], self.goal[missed]
        return Witness(point, float(a.mid()), float(b.mid()), (a - b).mid().str(3, radius=False))


def inverse_formulas(
    stated: list[Statement], facts: Facts, words: Vocabulary, frame: str
) -> Formulas | None:
    """The formulas for joints that a claim states, if it does."""
    if not facts.frames or facts.forms.held_by or len(facts.moving) != len(facts.rates):
        return None
    nodes = [x.node for x in stated]
    if any(n.dots or n.key.startswith(FORCE) for x in nodes for n in names(x)):
        return None
    equations = [x for x in nodes if isinstance(x, Equation)]
    pairs = [(_joint(x.left, facts), x.right) for x in equations]
    joints = {key: right for key, right in pairs if key}
    defined = {k: x for k, x in definitions(stated, words).items() if k not in joints}
    tip = tip_of(facts, frame, {*defined, *joints})
    whole = {q: put_in(x, defined) for q, x in joints.items()}
    about = [q for q, x in whole.items() if tip.said(x, "p") or _is_inverse(x)]
    if not about or not any(tip.said(x, "p") for x in whole.values()):
        return None
    known = [x for x in nodes if isinstance(x, Equation) and _names(x.left) & {*joints, *defined}]
    if len(known) < len(nodes):
        other = next(x.text for x in stated if not any(x.node is y for y in known))
        raise ArgumentError(
            f"formulas of inverse kinematics are judged alone: state {other:.60} in another claim"
        )
    if len(joints) < sum(bool(key) for key, _ in pairs):
        raise ArgumentError("there are two formulas for one joint: ± is two claims, + and -")
    return _in_own_names("; ".join(x.text for x in stated), whole, defined, tip)


def _in_own_names(
    text: str, whole: Mapping[str, Node], defined: Mapping[str, Node], tip: Tip
) -> Formulas | None:
    """In the system's names, every joint after those that its formula needs."""
    facts = tip.facts
    marked = {q: tip.marked(x) for q, x in whole.items()}
    own = {*facts.coordinates, *facts.parameters, "pi"}
    strange = {n.key: n for x in (*marked.values(), *map(Name, marked)) for n in names(x)}
    unknown = [n for k, n in strange.items() if k not in own and not k.startswith(TIP)]
    way = matches(unknown, facts, [k for k in strange if k in own]) if unknown else {}

    def named(node: Node) -> Node:
        return rewritten(node, lambda n: replace(n, key=way[n.key]) if n.key in way else None)

    formulas = {way.get(q, q): named(x) for q, x in marked.items()}
    if all(len(names(x)) and not _is_inverse(x) for x in formulas.values()):
        return None  # an identity of angles: φ = θ₁ + θ₂ + θ₃ the other way round
    missing = [q for q in facts.coordinates if q not in formulas]
    if missing:
        raise ArgumentError(
            f"formulas of inverse kinematics are judged together: there is none for "
            f"{', '.join(missing)}, got {', '.join(formulas)}; of one alone state what holds, "
            f"cos({next(iter(formulas))}) = ..."
        )
    texts = {k: named(tip.marked(put_in(x, defined))) for k, x in defined.items()}
    return Formulas(tip, dict(_in_order(formulas)), texts, way, text)


def _in_order(formulas: Mapping[str, Node]) -> Iterator[tuple[str, Node]]:
    """Joints after those that their formulas need."""
    left = dict(formulas)
    while left:
        ready = [q for q, x in left.items() if not any(n.key in left for n in names(x))]
        if not ready:
            raise ArgumentError(f"the formulas for {', '.join(left)} go in a circle")
        for q in ready:
            yield q, left.pop(q)


def _joint(left: Node, facts: Facts) -> str:
    """The name of a coordinate that stands alone on a side, or of one like it by its index."""
    if not isinstance(left, Name) or left.dots:
        return ""
    stem, index = split(left.key)
    by_index = index.isdigit() and 1 <= int(index) <= len(facts.coordinates)
    alike = left.key not in facts.parameters and stem in (*COORDINATES, *ANGLES) and by_index
    return left.key if left.key in facts.coordinates or alike else ""


def _names(left: Node) -> set[str]:
    return {left.key} if isinstance(left, Name) and not left.dots else set()


def _is_inverse(node: Node) -> bool:
    return any(isinstance(x, Call) and x.function in INVERSES for x in walk(node))


def _quadrants(node: Node) -> Node:
    """A formula with atan(y/x) written as atan2(y, x)."""
    if isinstance(node, Call) and node.function == "atan":
        (inside,) = node.arguments
        top, bottom = _fraction_of(inside)
        if bottom is not None:
            return Call("atan2", (top, bottom), column=node.column)
    return _mapped(node)


def _fraction_of(node: Node) -> tuple[Node, Node | None]:
    """y and x of y/x, and of a y/x."""
    if isinstance(node, Quotient):
        return node.top, node.bottom
    if isinstance(node, Product) and isinstance(last := node.factors[-1], Quotient):
        return Product((*node.factors[:-1], last.top)), last.bottom
    return node, None


def _mapped(node: Node) -> Node:
    changed: dict[str, Any] = {}
    for f in fields(node):
        x = getattr(node, f.name)
        if isinstance(x, Node):
            changed[f.name] = _quadrants(x)
        elif isinstance(x, tuple) and x and all(isinstance(y, Node) for y in x):
            changed[f.name] = tuple(map(_quadrants, x))
    return replace(node, **changed) if changed else node


def _value(node: Node, known: Mapping[str, Any]) -> Any:
    """A formula at a point, as a ball; one that is not a number where it has no value."""
    try:
        return evaluate(node, _AtTarget(known))
    except ZeroDivisionError:
        return arb("nan")


class _AtTarget(Balls):
    """Balls, by names that need no symbols of a field."""

    def name(self, name: Name) -> Any:
        """Its value at the point."""
        return super().name(name) if name.key == "pi" else ball(self.point[name.key])


def _separated(formulas: Formulas, tried: list[Tried]) -> str:
    """The sign that all targets have which are missed, and no other: x_w < 0."""
    shown: dict[str, list[Any]] = {}
    if all(x.is_wrong for x in tried):
        return ""
    for name, node in formulas.texts.items():
        shown[name] = [_value(node, x.known) for x in tried]
    for x in formulas.targets:
        shown.setdefault(x, [y.goal[x] for y in tried])
    for name, values in shown.items():
        for sign, word in ((-1, "<"), (1, ">")):
            if all((v * sign > 0) == x.is_wrong for v, x in zip(values, tried, strict=True)):
                return f"{name} {word} 0"
    return ""


def _branch(formulas: Formulas, tried: list[Tried]) -> Iterator[str]:
    """Which of several solutions it is: what has one sign at all targets."""
    for q in formulas.joints:
        values = [x.known[q] for x in tried]
        seen = [v.sin() for v in values] if formulas.turns(q) else values
        for sign, word in ((1, "not negative"), (-1, "not positive")):
            if all(v * sign > 0 for v in seen):
                what = f"sin({q})" if formulas.turns(q) else q
                yield f"of several solutions it is one whose {what} is {word}"


def _used(formulas: Formulas) -> set[str]:
    return {n.key for x in formulas.joints.values() for n in names(x)}


def _fraction(x: Any) -> Fraction:
    return x if isinstance(x, Fraction) else Fraction(float(x.mid()))
