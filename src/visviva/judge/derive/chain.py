"""A chain of hinges and slides with the frame at its tip: where it is, and how each joint moves it.

A column of J is the velocity of the tip while only that joint moves: across the way from a hinge to
the tip, along a slide. Derivatives of the tip's position check every one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.equations.parameters.parameters import parameter_names, parameter_values
from visviva.errors import ArgumentError, ConstrainedError, check_known
from visviva.judge.derive.bodies import InWorld, homogeneous, is_identity, partial, title_of
from visviva.judge.derive.page import Page, Quantity
from visviva.judge.exact.model import frame_of_tip
from visviva.judge.exact.model_forms import ModelForms
from visviva.notation.writing.page import ONE, ZERO, Grid, Mark, Row, Sign, fenced
from visviva.space.rotations import cross

END_SIGN = "e"  # the sign of the tip
METHODS_OF_TIPS = ("jacobian", "statics")
_SAME_DERIVATIVES = "equal to the derivatives of the tip's place by the coordinate"


def refuse_closed(model: Model, method: str) -> None:
    """A chain that is held moves by fewer joints than it has."""
    if held := model.held_by:
        raise ConstrainedError(
            f"derivation({method!r}): {model.name!r} is held by {held[0]}, and a Jacobian of free "
            "joints does not know it; without_constraints() gives the open arm, and statics(q) "
            "finds torques and forces of the closed one at a position"
        )


def with_names(
    model: Model, symbols: Iterable[str] | None, names: Sequence[str]
) -> tuple[Model, tuple[str, ...], tuple[str, ...]]:
    """With more names, of loads or velocities; which symbols stay such; and what they are called.

    Numbers of a model without parameters are called as its bodies are; zeros of them stay zero.
    """
    known = parameter_names(model)
    symbols = None if symbols is None else tuple(symbols)
    for name in symbols or ():  # asked for by the model's own names
        check_known("parameter", name, known)
    values = parameter_values(model, known)
    kept = [k for k, x in zip(known, values, strict=True) if model.parameters or x != 0]
    taken = {*model.parameters, *known, *model.coordinate_names}
    tail = ""
    while any(name + tail in taken for name in names):
        tail += "e"
    more = tuple(name + tail for name in names)
    parameters = {**model.parameters, **dict.fromkeys(more, 1.0)}
    stay = (*(kept if symbols is None else symbols), *more)
    return replace(model, parameters=parameters), stay, more


class Chain(InWorld):
    """A chain of hinges and slides in the world's axes; the tip is that of `check`, or `frame`."""

    def __init__(self, page: Page, forms: ModelForms, method: str, frame: str = "") -> None:
        super().__init__(page, forms, method)
        for i, b in enumerate(self.model.bodies):
            if b.parent != i - 1 or b.mimic is not None or b.joint.nv != 1:
                raise ArgumentError(
                    f"the derivation of {method!r} is written for chains of joints with one "
                    f"coordinate each; {b.joint_name!r} of {self.model.name!r} is "
                    + (f"a {b.joint.kind} joint" if b.parent == i - 1 else "a branch")
                    + (" that follows another" if b.mimic is not None else "")
                )
        if not self.model.bodies:
            raise ArgumentError(f"{self.model.name!r} has no joints")
        self.method, self.tip = method, frame or frame_of_tip(self.model)
        self.carrier = self.model.frame(self.tip).body
        if self.carrier == WORLD:
            raise ArgumentError(
                f"derivation({method!r}): no joint of {self.model.name!r} moves {self.tip!r}"
            )
        self._refuse_rounded()

    def _refuse_rounded(self) -> None:
        """Lines are exact: so must rotations be that the model is built of."""
        tip = self.model.frame(self.tip).placement.R
        parts = [(f"joint {b.joint_name!r}", s.R) for b, s in zip(
            self.model.bodies, self.forms.steps, strict=True)]  # fmt: skip
        for name, R in (*parts, (f"frame {self.tip!r}", tip)):
            if any(self.s.of(x) != 0 for x in np.ravel(R @ R.T - np.eye(3))):
                raise ArgumentError(
                    f"{name} of {self.model.name!r} is placed by a rotation in rounded decimals, "
                    "and lines of a derivation are exact: quarter turns, cosines and sines that "
                    "are fractions, and angles of DH rows are; at a position there are "
                    "jacobian(frame, q) and statics(q)"
                )

    @cached_property
    def origins(self) -> list[Any]:
        """Where the joints are."""
        return [self.all(p) for _, p in self.poses]

    @cached_property
    def attitude(self) -> Any:
        """The rotation of the tip."""
        return self.all(self.poses[self.carrier][0] @ self.model.frame(self.tip).placement.R)

    @cached_property
    def end(self) -> Any:
        """Where the tip is."""
        R, p = self.poses[self.carrier]
        return self.all(p + R @ self.model.frame(self.tip).placement.p)

    @cached_property
    def recursion(self) -> Any:
        """The 6 × n Jacobian that forms no derivatives."""
        return self.forms.jacobian(self.tip)

    @cached_property
    def normal(self) -> int | None:
        """The axis of the plane in which the tip moves; of statics, in which everything is."""
        if self.method == "jacobian":
            return next(filter(self._is_level, (2, 1, 0)), None)
        k = super().normal
        level = k is not None and all(x[k] == 0 for x in (*self.origins, self.end))
        return k if level else None

    def _is_level(self, k: int) -> bool:
        """Whether no joint moves the tip along an axis, or turns it about another."""
        rows = [i for i in range(3) if i != k] + [3 + k]
        return all(x == 0 for x in self.recursion[rows].ravel())

    @property
    def has_angle(self) -> bool:
        """Whether J has a row of φ, as `check` has it: three joints in a plane."""
        return self.normal is not None and len(self.model.bodies) == 3

    @property
    def rows(self) -> list[int]:
        """Of the recursion's Jacobian, those of J."""
        turning = [] if self.normal is None or not self.has_angle else [self.normal]
        return [*(3 + k for k in self.shown), *turning]

    @property
    def cyclic(self) -> tuple[int, int]:
        """The axes of the plane, in the order in which φ turns one to the other."""
        k = self.normal or 0
        return (k + 1) % 3, (k + 2) % 3

    def turns(self, i: int) -> bool:
        """Whether a joint turns; otherwise it slides."""
        return any(x != 0 for x in self.forms.steps[i].S[:3, 0])

    def axis(self, i: int) -> Any:
        """The axis of a joint, or the direction of its slide, in the world."""
        S = self.forms.steps[i].S[:, 0]
        if self.turns(i) and any(x != 0 for x in S[3:]):
            raise ArgumentError(
                f"joint {self.model.bodies[i].joint_name!r} turns and slides at once: the "
                "derivation is written for hinges and slides"
            )
        return self.all(self.poses[i][0] @ (S[:3] if self.turns(i) else S[3:]))

    def axis_shown(self, i: int) -> Any:
        """The axis of a hinge; in the plane 1 or -1."""
        return self.about(self.axis(i))

    def seen(self, x: Any) -> Any:
        """The components of a vector that are written."""
        return self.all(x)[self.shown]

    def about(self, x: Any) -> Any:
        """A vector along the normal as a number; in space as it is."""
        return self.all(x) if self.normal is None else self.s.of(self.all(x)[self.normal])

    def moment(self, r: Quantity, f: Quantity) -> Quantity:
        """r × f, a number in the plane."""
        if self.normal is None:
            return r.cross(f)
        (a, b), (x, y) = r.value, f.value
        value = self.s.of(a * y - b * x)
        value = -value if self.normal == 1 else value  # x and z are written: y points away
        pairs = ((r.box, f.box), (r.plugged, f.plugged))
        boxes = [Row((fenced(p), Mark("×"), fenced(q))) for p, q in pairs]
        return Quantity(value, boxes[0], boxes[1], loose=True)

    def coordinate(self, i: int) -> Any:
        """The box of a coordinate."""
        return self.page.boxes.box(self.s.show(self.forms.exact.q[i]))

    def rates(self) -> list[Quantity]:
        """q̇, one by one."""
        return [self.page.leaf(None, v) for v in self.forms.exact.v]

    # ---- lines

    def write_places(self) -> list[Quantity]:
        """Transforms, and where joints and tip are."""
        page = self.page
        page.step(
            "Transforms",
            "T takes coordinates from a link's frame to that of the link that carries it.",
            "Forward kinematics",
        )
        whole: Any = np.eye(4, dtype=object)
        products = []
        for i, s in enumerate(self.forms.steps):
            page.state(Sign("T", frame=str(i), base=str(i + 1)), homogeneous(s.R, s.p))
            page.require(s.R @ s.R.T, np.eye(3), "R Rᵀ of a transform")
            whole = whole @ homogeneous(s.R, s.p)
            products.append(whole)
        X = self.model.frame(self.tip).placement
        if not is_identity(X):
            box = Sign("T", frame=str(self.carrier + 1), base=END_SIGN)
            page.state(box, homogeneous(X.R, X.p))
        products.append(products[self.carrier] @ homogeneous(X.R, X.p))
        plane = (
            "" if self.normal is None else ", along " + " and ".join("xyz"[k] for k in self.shown)
        )
        page.step(
            "Joints and tip",
            f"Where they are in the world{plane}: products of transforms. e is {self.tip!r}.",
        )
        places = []
        for k, (p, T) in enumerate(zip((*self.origins, self.end), products, strict=True)):
            name = END_SIGN if k == len(self.origins) else str(k + 1)
            same, check = self.seen(T[:3, 3]), "the last column of the product of the transforms"
            places.append(page.state(Sign("p", name), self.seen(p), same, check))
        return places

    def write_columns(self, places: list[Quantity]) -> list[Quantity]:
        """The columns of J: velocities of the tip, and in the plane how it turns."""
        page, columns = self.page, []
        for i in range(len(self.model.bodies)):
            said = f"The velocity of the tip when only joint {i + 1} moves, at the rate 1: "
            if i > self.carrier:
                said += "none, the joint comes after the tip."
            elif self.turns(i):
                said += "across the way from the joint to the tip, as fast as that is long."
            else:
                said += "along the slide."
            page.step(title_of(self.model, i), said, "The Jacobian, column after column" * (i == 0))
            column = self._column(places, i)
            slope = [*self.seen(self.d(self.end, self.s.q[i])), *self._turned(i)]
            same = self.all(slope)
            columns.append(
                page.line(Sign("J", str(i + 1)), column, same, _SAME_DERIVATIVES, plug=False)
            )
        return columns

    def _turned(self, i: int) -> list[Any]:
        """∂φ/∂q read from Rᵀ ∂R/∂q, where J has a row of φ."""
        if not self.has_angle:
            return []
        a, b = self.cyclic
        R = self.attitude
        W = self.d(R, self.s.q[i]) @ R.T
        return [self.s.of(W[b, a])]

    def _column(self, places: list[Quantity], i: int) -> Quantity:
        page, n = self.page, str(i + 1)
        turn = self.s.of(0)
        if i > self.carrier:
            moved = page.leaf(None, self.all([0] * len(self.shown)))
        elif self.turns(i):
            z = page.leaf(Sign("z", n, hat=True), self.axis_shown(i))
            if self.normal is None:
                page.line(z.box, z)
            else:
                turn = z.value
            r = page.line(Sign("r", f"{n},{END_SIGN}"), places[-1] - places[i])
            moved = self._across(z, r, i)
        else:
            moved = page.leaf(Sign("z", n, hat=True), self.seen(self.axis(i)))
        if not self.has_angle:
            return moved
        value = self.all([*moved.value, turn])
        below = ONE if turn == 1 else ZERO if turn == 0 else page.leaf(None, turn).box
        box = Grid(((moved.box,), (below,)))
        return Quantity(value, box, box)

    def _across(self, axis: Quantity, r: Quantity, i: int) -> Quantity:
        """z × r in the components that are written."""
        if self.normal is None:
            return axis.cross(r)
        whole = self.all([self.s.of(0)] * 3)
        whole[self.shown] = r.value
        value = self.seen(np.array(cross(self.axis(i), whole)))
        return Quantity(value, Row((axis.box, Mark("×"), fenced(r.box))), r.plugged)

    def angle(self) -> tuple[Any, int] | None:
        """φ of the tip and where it begins, in quarter turns; None if it is no sum of angles."""
        if self.normal is None:
            return None
        a, b = self.cyclic
        total = self.s.of(0)
        for q, k in zip(self.forms.exact.q, self.recursion[self.normal], strict=True):
            total = total + self.s.of(q) * self.s.of(k)
        c, s = total.cos(), total.sin()
        for start in range(4):
            if self.attitude[a, a] == c and self.attitude[b, a] == s:
                return total, start
            c, s = -s, c
        return None

    def slope(self, top: Sign, value: Any, i: int) -> Quantity:
        """∂top/∂qᵢ, as it stands in a line."""
        box = partial(top, self.coordinate(i))
        return self.page.leaf(box, self.d(value, self.s.q[i]))
