"""Claims about the tip of an arm: where it is, how it moves, what holds it.

Names of the tip are none of the system's: x_e, φ_e, v_x, F_1. A statement that has them is found
by these names, and they are marked; what they are is put in once all others are read as names of
the system. A force F is exerted by the arm, on what it touches: τ = Jᵀ F + g holds it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

from visviva.describe.quantities import WEIGHT_TERM
from visviva.judge.check.said.arms import CENTRE, CENTRE_JACOBIAN, of_arm, of_damping
from visviva.judge.check.said.subjects import AXES, IDENTITY, Subject
from visviva.judge.check.said.vocabulary import ANGLES, COORDINATES, FORCE, split
from visviva.judge.exact.forms import Facts
from visviva.notation.shapes import shape_of
from visviva.notation.tree import (
    DETERMINANT,
    Call,
    Equation,
    Matrix,
    Name,
    Negative,
    Node,
    Number,
    Power,
    Sum,
    degree_in_rates,
    names,
    rewritten,
)

TIP = "tip "  # begins the names of what stands for the tip, until it is put in
ENDS = ("e", "E", "ee", "EE", "tip", "tool")  # indices by which books mean it
ANGLE = "phi"
SPEED = re.compile(rf"v({'|'.join(ENDS)})?([xyz])|v([xyz])({'|'.join(ENDS)})?")
OF_PLACE = re.compile(rf"p({'|'.join(ENDS)})?([xyz])|p([xyz])({'|'.join(ENDS)})?")
LOAD = re.compile(r"([Ff])([xyz123])|([MNn])([xyz])")
NUMBERS = {"1": "x", "2": "y", "3": "z"}
OF_JACOBIAN, LOADS, VELOCITY, WEIGHT = "J", "F", "v", "weight"
VECTORS = {"v": 0, "ve": 0, "p": 1, "pe": 1}  # velocities of the tip, and their dots
OF_CENTRE = "centre"
OF_WEIGHTS = ("g", "G")
OF_DET = "the determinant of the Jacobian of"
VECTOR = ("F1", "F2", "F3", "Mz")  # entries of F that stand for it: in space, or in a plane


@dataclass(frozen=True, eq=False)
class Tip:
    """The frame that is meant, and its names in a claim."""

    facts: Facts
    frame: str
    defined: frozenset[str] = frozenset()  # names that the claim gives itself

    def meaning(self, name: Name) -> str:
        """What a name says of the tip, "x", "dx", "phi", "Fx"; empty if nothing."""
        if not self.frame or name.key in self.taken:
            return ""
        place = _place(name.key) or self._of_vector(name.key)
        if place and name.dots <= (1 if place == ANGLE else 2):
            return "d" * name.dots + place
        if name.dots:
            return ""
        if match := SPEED.fullmatch(name.key):
            return f"d{match[2] or match[3]}"
        if match := LOAD.fullmatch(name.key):
            letter, axis = match[1] or match[3], match[2] or match[4]
            return f"{'F' if letter in 'Ff' else 'M'}{NUMBERS.get(axis, axis)}"
        return ""

    def _of_vector(self, key: str) -> str:
        """x of p_x, unless a coordinate is x: then p_x is its momentum."""
        match = OF_PLACE.fullmatch(key)
        axis = (match[2] or match[3]) if match else ""
        return "" if axis in self.taken else axis

    @cached_property
    def taken(self) -> frozenset[str]:
        """Names that the system or the claim has itself."""
        f = self.facts
        own = {*f.coordinates, *f.parameters, *(x for pair in f.rates for x in pair)}
        return frozenset(own | self.defined)

    def said(self, node: Node, kinds: str) -> list[Name]:
        """The names in a formula that speak of the tip: p(laces), v(elocities), F(orces)."""
        return [x for x in names(node) if (m := self.meaning(x)) and _kind(m) in kinds]

    # ---- what a statement is about

    def subject(self, node: Node) -> tuple[Subject, Node] | None:
        """What a statement says of the tip, and its value with names that are put in later."""
        if isinstance(node, Equation) and (arm := of_arm(node, self.facts, self.frame, self.taken)):
            return arm, node.right
        if not self.frame or not isinstance(node, Equation):
            return None
        left, right = node.left, node.right
        if left == Name("v") and self._is_bent(right):
            return None
        moving = any(x.dots for x in names(node))
        forced = any(x.key.startswith(FORCE) for x in names(node))
        vector = isinstance(left, Name) and left.key == "tau" and OF_JACOBIAN not in self.taken
        if (forced or vector) and not moving and self._is_loaded(right):
            return self._statics(left, right)
        accelerated = isinstance(left, Name) and left.dots == 2 and self.meaning(left)
        if forced or (any(x.dots > 1 for x in names(node)) and not accelerated):
            return None
        if isinstance(left, Name) and (m := self.meaning(left)):
            if m == "dx" and self._is_whole(right):  # x is the pose: x' = J q'
                left = Name(TIP + VELOCITY, column=left.column)
                about = f"how velocities of {self.frame} follow from those of joints"
                return Subject(IDENTITY, said=about), Equation(left, self.marked(right))
            return self._forward(m, left, right)
        if about := self._of_jacobian(left):
            return Subject(IDENTITY, said=about), self.marked(node)
        marked = self.marked(node)
        if marked == node or (isinstance(left, Name) and self._is_new(left)):
            return None
        about = f"what holds of {self.frame}"
        if isinstance(left, Name) and left.key not in VECTORS:
            what = ("", "the rate of ")[left.dots]
            about = f"{what}{left.key} for {('a pose', 'a velocity')[left.dots]} of {self.frame}"
        elif self._is_whole(node):
            about = f"how velocities of {self.frame} follow from those of joints"
        return Subject(IDENTITY, said=about), marked

    def _is_bent(self, right: Node) -> bool:
        """Whether a vector has squares of rates, as velocity terms have and no velocity."""
        rates = [v for v, _ in self.facts.rates]
        plain = shape_of(right) is None and OF_JACOBIAN not in {x.key for x in names(right)}
        return plain or degree_in_rates(right, rates) != 1

    def _is_whole(self, right: Node) -> bool:
        """Whether the Jacobian stands in a formula, and no entry of it."""
        return OF_JACOBIAN not in self.taken and Name(OF_JACOBIAN) in names(right)

    def without(self, key: str) -> Tip:
        """The tip with a name of the claim as what it would be alone."""
        return replace(self, defined=self.defined - {key})

    def place(self, node: Node) -> tuple[Subject, Node] | None:
        """What a statement x_e = … or φ_e = … says, where the claim uses that name too."""
        left = node.left if isinstance(node, Equation) else node
        right = node.right if isinstance(node, Equation) else node
        damping = of_damping(left, right, self.facts) if isinstance(left, Name) else None
        if damping is not None:  # C of M x'' + C x' + K x = 0
            return damping, right
        said = isinstance(left, Name) and left.key != ANGLE and _place(left.key)
        return self.subject(node) if said else None

    def _is_new(self, left: Name) -> bool:
        """Whether a name is defined by a statement, and no joint."""
        if left.key in self.facts.coordinates or (
            left.key in VECTORS and left.key not in self.taken
        ):
            return False
        stem, index = split(left.key)
        return left.key in self.taken or stem not in (*COORDINATES, *ANGLES) or not index

    def _forward(self, meaning: str, left: Name, right: Node) -> tuple[Subject, Node] | None:
        """x_e = …, φ_e = …, ẋ_e = …, ẋ_e = -y_e q̇₁ - … too."""
        rated = meaning.startswith("d") and any(x.dots == left.dots for x in names(right))
        if self.said(right, "v" if rated else "pv") or self.meaning(left)[0] in "FM":
            return None
        if OF_PLACE.fullmatch(left.key) and not left.dots and any(x.dots for x in names(right)):
            return None  # a momentum, rather
        if meaning in AXES:
            plain = left.key in AXES  # as every quantity of a frame
            return None if plain else (Subject("position", (AXES[meaning],), self.frame), right)
        what = {ANGLE: "the angle", f"d{ANGLE}": "the turning rate"}.get(meaning)
        rate = "acceleration" if meaning.startswith("dd") else "velocity"
        about = f"{what or f'the {rate} along {meaning[-1]}'} of {self.frame}"
        return Subject(IDENTITY, said=about), Equation(self.mark(left), self.marked(right))

    def _of_jacobian(self, left: Node) -> str:
        """J⁻¹ and det J."""
        own = Name(OF_JACOBIAN)
        if OF_JACOBIAN in self.taken:
            return ""
        if left == Power(own, Number(-1)):
            return f"the inverse Jacobian of {self.frame}"
        is_det = (
            isinstance(left, Call) and left.function == DETERMINANT and left.arguments == (own,)
        )
        if not is_det:
            return ""
        return self._of_twist if self.has_whole_twist else f"{OF_DET} {self.frame}"

    @property
    def _of_twist(self) -> str:
        return f"{OF_DET} {self.frame} (rows ω, v)"

    def is_of_twist(self, subject: Subject) -> bool:
        """Whether a claim is about det J of six joints, whose sign depends on the order of rows."""
        return subject.kind == IDENTITY and subject.said == self._of_twist

    @cached_property
    def has_whole_twist(self) -> bool:
        """Whether six joints in space move the frame: then det J is that of (ω, v)."""
        if not self.facts.frames:
            return False
        return bool(self.facts.forms.jacobian_from_the_middle(self.frame).shape == (6, 6))

    def _is_loaded(self, right: Node) -> bool:
        """Whether forces of the tip stand beside lengths or J: F₁ alone may be a name for τ₁."""
        used = {x.key for x in names(right)}
        vector = {LOADS, OF_JACOBIAN} <= used - self.taken
        loads = {x.key for x in self.said(right, "F")}
        return vector or bool(loads and used - loads)

    def _statics(self, left: Node, right: Node) -> tuple[Subject, Node] | None:
        """τ = Jᵀ F + g: what is left of the claim without Jᵀ F is compared with g."""
        loads = Name(f"{TIP}load")
        if isinstance(left, Name) and left.key.startswith(FORCE) and shape_of(right) is None:
            k = int(left.key.removeprefix(FORCE))
            about = f"torque {k} at rest under a force of {self.frame}"
            entry = Name(f"{TIP}load {k}")
            value = Sum((self.marked(right), Negative(entry)))
            return Subject(WEIGHT_TERM.exact, (k,), said=about), value
        if isinstance(left, Name) and left.key == "tau":
            about = f"the torques at rest under a force of {self.frame}"
            weights = {*OF_WEIGHTS} - self.taken

            def put(name: Name) -> Node | None:
                return Name(TIP + WEIGHT) if name.key in weights and not name.dots else None

            right = rewritten(self.marked(right), put)
            return Subject(WEIGHT_TERM.exact, said=about), Sum((right, Negative(loads)))
        return None

    def mark(self, name: Name) -> Node:
        """A name of the tip as one that stands for it; forces stay what they are."""
        meaning = self.meaning(name)
        if not meaning or meaning[0] in "FM":
            return name
        return Name(TIP + meaning, column=name.column, text=name.text)

    def marked(self, node: Node) -> Node:
        """A formula in which names of the tip are marked, J and F among them."""
        own = {OF_JACOBIAN, LOADS} - self.taken
        vectors = {k: dots for k, dots in VECTORS.items() if k not in self.taken}

        def put(name: Name) -> Node | None:
            if name.key in own and not name.dots:
                return Name(TIP + name.key, column=name.column)
            if vectors.get(name.key) == name.dots:
                return Name(TIP + VELOCITY, column=name.column)
            other = self.mark(name)
            return None if other is name else other

        return rewritten(node, put)

    def with_slopes(self, node: Node) -> Node:
        """A statement in which Jacobians of centres, J_vc1 of m1 J_vc1^T J_vc1, are matrices."""
        n = len(self.facts.rates)
        own = node.left if isinstance(node, Equation) else None

        def put(name: Name) -> Node | None:
            jacobian = CENTRE_JACOBIAN.fullmatch(name.key)
            if jacobian is None or name is own or name.dots or name.key in self.taken:
                return None
            keys = [[f"{TIP}{OF_CENTRE} {x} {jacobian[1]} {k}" for k in range(n)] for x in AXES]
            rows = (tuple(Name(key, text=name.text) for key in row) for row in keys)
            return Matrix(tuple(rows), column=name.column)

        return rewritten(node, put) if self.facts.frames else node

    def with_centres(self, node: Node) -> tuple[Node, tuple[str, ...]]:
        """A formula in which centres of mass, y_c2 and its rate, are marked; and a note of them."""
        there = [n for n in names(node) if n.key not in self.taken and CENTRE.fullmatch(n.key)]
        there = [n for n in there if n.dots < 2 and self.facts.frames]

        def put(name: Name) -> Node | None:
            if name not in there or name.key.startswith(TIP):
                return None
            axis, k, rate = name.key[0], name.key[-1], "d" * name.dots
            key = f"{TIP}{OF_CENTRE} {axis} {k} {rate}"
            return Name(key, column=name.column, text=name.text)

        slopes = [n for n in names(node) if n.key.startswith(f"{TIP}{OF_CENTRE}")]
        there += slopes
        said = ", ".join(dict.fromkeys(n.text or n.key for n in there))
        notes = (f"{said}: of centres of mass of the mechanism, as they are",) if there else ()
        return rewritten(node, put), notes

    def free(self, node: Node) -> set[str]:
        """Names that are no parameters: those that are put in later, and forces of the tip."""
        keys = {x.key for x in names(node) if x.key.startswith(TIP)}
        if f"{TIP}{LOADS}" in keys:
            keys |= {*VECTOR}
        return keys | {x.key for x in self.said(node, "F")}


def _place(key: str) -> str:
    """x, y, z or phi, with an index or without."""
    for letter in (*AXES, ANGLE):
        if key == letter or (key.startswith(letter) and key[len(letter) :] in ENDS):
            return letter
    return ""


def rate_of(key: str) -> str:
    """The mark of the rate of what a mark stands for."""
    meaning = key.removeprefix(TIP)
    return f"{key}d" if meaning.startswith(OF_CENTRE) else f"{TIP}d{meaning}"


def _kind(meaning: str) -> str:
    return "F" if meaning[0] in "FM" else "v" if meaning[0] == "d" else "p"


def tip_of(facts: Facts, frame: str, defined: Collection[str]) -> Tip:
    """The tip that claims speak of: of bodies, the frame that was asked for or the last."""
    return Tip(facts, (frame or facts.tip) if facts.frames else "", frozenset(defined))
