"""The recursion of Newton and Euler, written out: outward for motions, inward for forces.

The formulas are Craig's (6.45)–(6.53), in the frames that the model has; the recursion of
`equations.newton_euler`, which works on mass moments about the frames' origins, checks every line.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.describe.model.body import WORLD
from visviva.equations.bodies.links import Placed as Placed
from visviva.equations.bodies.newton_euler import Motion, forces, inward, joint_forces, outward
from visviva.judge.derive.bodies import (
    homogeneous,
    is_identity,
    lagrangian_forces,
    more_at_joints,
    own_motion,
    own_terms,
    standard_form,
    title_of,
)
from visviva.judge.derive.page import Page, Quantity
from visviva.judge.exact.model_forms import ModelForms
from visviva.notation.writing.page import TWO, Mark, Row, Sign
from visviva.space.rotations import cross

TIMES = Mark("×")
TOOL = -2  # the number of the frame at the end
_RECURSION = "equal to the recursion on exact polynomials"


class Recursion:
    """One pass over a model's links."""

    def __init__(self, page: Page, forms: ModelForms) -> None:
        self.page, self.forms = page, forms
        e = forms.exact
        self.model = e.model
        self.placed: list[Placed] = forms.steps
        self.motions: list[Motion] = outward(self.placed, e.gravity, e.q, e.v, e.a)
        self.needed = forces(self.placed, self.motions)
        self.passed = inward(self.placed, self.needed)
        self.known: dict[tuple[str, int], Quantity] = {}
        last = [
            f
            for f in self.model.frames
            if f.body == len(self.placed) - 1 and not is_identity(f.placement)
        ]
        self.tool = last[0] if len(last) == 1 else None

    # ---- signs

    def frame(self, i: int) -> str:
        """A frame's number; the tool comes after all links."""
        return str(len(self.placed) + 1) if i == TOOL else str(i + 1)

    def sign(self, letter: str, i: int, sub: str = "", dots: int = 0, hat: bool = False) -> Sign:
        """A vector of link i in its own axes."""
        return Sign(letter, sub or self.frame(i), dots, hat, self.frame(i))

    def axis(self, i: int, axis: Any) -> Sign:
        """The axis of joint i: Ẑ, if it is that of the frame; s where a gear ratio is in it."""
        if any(x not in (0, 1, -1) for x in axis):
            return self.sign("s", i)
        return self.sign("Z" if list(axis) == [0, 0, 1] else "e", i, hat=True)

    def turn(self, into: int, of: int) -> Sign:
        """The rotation from the axes of one link to those of another."""
        return Sign("R", frame=self.frame(into), base=self.frame(of))

    # ---- passes

    def write(self) -> None:
        """The whole derivation."""
        self.frames()
        self.given()
        for i in range(len(self.placed)):
            self.out(i)
        for i in range(len(self.placed)):
            self.inertial(i)
        for i in reversed(range(len(self.placed))):
            self.back(i)
        self.torques()
        standard_form(self.page, self.forms)

    def frames(self) -> None:
        """Transforms between neighbours."""
        self.page.step(
            "Transforms",
            "Each link has a frame; T takes coordinates from a link's frame to that of the link "
            "that carries it.",
            chapter="What is given",
        )
        for i, s in enumerate(self.placed):
            box = Sign("T", frame=self.frame(s.parent), base=self.frame(i))
            check = "rotations are orthogonal, exactly" if s.link.joint.has_rates else ""
            self.page.state(box, homogeneous(s.R, s.p), check=check)
            if s.link.joint.has_rates:  # that quaternions have length one is not known here
                self.page.require(s.R @ s.R.T, np.eye(3), "R Rᵀ of a transform")
            self.known["R", i] = self.page.leaf(self.turn(s.parent, i), s.R)
            self.known["RT", i] = self.page.leaf(self.turn(i, s.parent), s.R.T)
            p = Sign("P", self.frame(i), frame=self.frame(s.parent))
            self.known["p", i] = self.page.leaf(p, s.p)
        if self.tool is not None:
            X, frame = self.tool.placement, self.frame(self.tool.body)
            box = Sign("T", frame=frame, base=self.frame(TOOL))
            self.page.state(box, homogeneous(X.R, X.p))
            self.known["R", TOOL] = self.page.leaf(self.turn(self.tool.body, TOOL), X.R)
            self.known["p", TOOL] = self.page.leaf(Sign("P", self.frame(TOOL), frame=frame), X.p)

    def given(self) -> None:
        """Where the joints and the centres of mass are, inertia, gravity."""
        page = self.page
        page.step(
            "Joints and masses",
            "Where the origin of each link lies on the link that carries it, where its centre of "
            "mass lies, and its inertia about that centre, in its own axes.",
        )
        for i in range(len(self.placed)):
            page.line(self.known["p", i].box, self.known["p", i])
        if self.tool is not None:
            page.line(self.known["p", TOOL].box, self.known["p", TOOL])
        for i, b in enumerate(self.model.bodies):
            c = page.state(Sign("P", f"C{i + 1}", frame=self.frame(i)), b.inertia.com)
            self.known["c", i] = c
            tensor: Any = np.asarray(b.inertia.tensor, dtype=object)
            box = Sign("I", self.frame(i), frame=f"C{i + 1}")
            zero = all(x == 0 for x in tensor.ravel())
            self.known["I", i] = page.leaf(box, tensor)
            page.state(box, 0 if zero else tensor)
            self.known["m", i] = page.leaf(None, b.inertia.mass)
        page.step(
            "The ends of the chain",
            "The base rests. Gravity is put in as an acceleration of the base against it, so that "
            "no weight has to be added later."
            + ("" if self.tool is None else " Nothing acts on the tool."),
        )
        nought = np.zeros(3)
        self.known["w", WORLD] = page.state(Sign("ω", "0", frame="0"), nought)
        self.known["alpha", WORLD] = page.state(Sign("ω", "0", 1, frame="0"), nought)
        self.known["a", WORLD] = page.state(
            Sign("v", "0", 1, frame="0"), -np.asarray(self.forms.exact.gravity)
        )
        if self.tool is not None:
            for letter in ("f", "n"):
                force = self.known[letter, TOOL] = page.leaf(self.sign(letter, TOOL), nought)
                page.line(force.box, force)

    def out(self, i: int) -> None:
        """ω, ω̇, v̇ and v̇_C of a link."""
        page, known, s, p = self.page, self.known, self.placed[i], self.placed[i].parent
        page.step(
            title_of(self.model, i),
            own_motion(s),
            chapter="Outward: velocities and accelerations" if i == 0 else "",
        )
        turn, slide = self.own(i)
        R, m = known["RT", i], self.motions[i]
        w = R @ known["w", p]
        alpha = R @ known["alpha", p]
        if turn is not None:
            spin, change = turn
            alpha = alpha + (R @ known["w", p]).cross(spin) + change
            w = w + spin
        known["w", i] = page.line(self.sign("ω", i), w, m.w, _RECURSION)
        known["alpha", i] = page.line(self.sign("ω", i, dots=1), alpha, m.alpha, _RECURSION)
        P = known["p", i]
        a = known["alpha", p].cross(P) + known["w", p].cross(known["w", p].cross(P)) + known["a", p]
        a = R @ a
        if slide is not None:
            speed, change = slide
            two = Quantity(self.page.scalars.of(2), TWO, TWO)
            a = a + two * known["w", i].cross(speed) + change
            if turn is not None:  # ω already has the joint's own turn: 2 (ω - ω_J) + ω_J
                a = a - turn[0].cross(speed)
        known["a", i] = page.line(self.sign("v", i, dots=1), a, m.a, _RECURSION)
        W, A, c = known["w", i], known["alpha", i], known["c", i]
        ac = A.cross(c) + W.cross(W.cross(c)) + known["a", i]
        felt = m.a + m.spin @ np.asarray(self.model.bodies[i].inertia.com)
        name = self.sign("v", i, f"C{i + 1}", dots=1)
        known["ac", i] = page.line(name, ac, felt, _RECURSION)

    def own(self, i: int) -> tuple[Any, Any]:
        """The joint's own turning and sliding, each with its rate; None where it has none."""
        e, s = self.forms.exact, self.placed[i]
        twist, rate = s.twist(e.v), s.twist_rate(e.q, e.v, e.a)
        pairs: list[Any] = []
        single = s.S.shape[1] == 1 and not s.link.coupled
        for part, letter in ((slice(0, 3), "ω"), (slice(3, 6), "v")):
            axis = list(s.S[part, 0]) if single else []
            if all(x == 0 for x in (*twist[part], *rate[part])):
                pairs.append(None)
            elif single and all(x in (0, 1, -1) for x in axis):
                unit = self.page.leaf(self.axis(i, axis), axis)
                v, a = (self.page.leaf(None, x[s.v.start]) for x in (e.v, e.a))
                pairs.append((v * unit, a * unit))
            else:
                names = [self.sign(letter, i, f"J{i + 1}", d) for d in (0, 1)]
                values = (twist[part], rate[part])
                pairs.append(
                    tuple(self.page.state(n, x) for n, x in zip(names, values, strict=True))
                )
        return pairs[0], pairs[1]

    def inertial(self, i: int) -> None:
        """F and N."""
        page, known = self.page, self.known
        page.step(
            title_of(self.model, i),
            "Force and moment about the centre of mass that its motion takes: the laws of Newton "
            "and of Euler.",
            chapter="Forces and moments of inertia" if i == 0 else "",
        )
        F = known["m", i] * known["ac", i]
        W, I = known["w", i], known["I", i]  # noqa: E741
        N = I @ known["alpha", i] + W.cross(I @ W)
        known["F", i] = page.line(self.sign("F", i), F, self.needed[i][3:], _RECURSION, plug=False)
        about = self.needed[i][:3] - np.array(cross(known["c", i].value, known["F", i].value))
        known["N", i] = page.line(self.sign("N", i), N, about, _RECURSION)

    def back(self, i: int) -> None:
        """f and n at a link's joint."""
        page, known = self.page, self.known
        children = [k for k, s in enumerate(self.placed) if s.parent == i]
        carried = "Force and moment that the joint exerts on the link"
        carried += ": its own, and what it passes on." if children else "."
        last = i == len(self.placed) - 1
        page.step(
            title_of(self.model, i),
            carried,
            "Inward: forces and moments at the joints" if last else "",
        )
        f: Quantity | None = None
        n = known["N", i]
        lever = page.line(
            Row((known["c", i].box, TIMES, known["F", i].box)), known["c", i].cross(known["F", i])
        )
        arms: list[Quantity] = []
        if self.tool is not None and self.tool.body == i:
            R, P, rest = known["R", TOOL], known["p", TOOL], known["f", TOOL]
            f, n = R @ rest, n + R @ known["n", TOOL]
            arms.append(P.cross(R @ rest))
        for k in children:
            R = known["R", k]
            f_k = page.line(Row((R.box, known["f", k].box)), R @ known["f", k])
            n_k = page.line(Row((R.box, known["n", k].box)), R @ known["n", k])
            P = known["p", k]
            arms.append(page.line(Row((P.box, TIMES, *f_k.box.parts)), P.cross(f_k)))
            f = f_k if f is None else f + f_k
            n = n + n_k
        f = known["F", i] if f is None else f + known["F", i]
        n = n + lever
        for arm in arms:
            n = n + arm
        known["f", i] = page.line(self.sign("f", i), f, self.passed[i][3:], _RECURSION)
        known["n", i] = page.line(self.sign("n", i), n, self.passed[i][:3], _RECURSION)

    def torques(self) -> None:
        """τ: the part of each wrench along its joint, and all else at the joints."""
        page, e = self.page, self.forms.exact
        page.step(
            "At each joint",
            "The motor supplies the part of the joint's force or moment along its axis"
            + (
                "; friction, springs and rotors at the joint add to it."
                if more_at_joints(self.forms)
                else "."
            ),
            chapter="Joint forces",
        )
        bare = joint_forces(self.placed, self.passed, len(e.v))
        for k in range(len(e.v)):
            total: Quantity | None = None
            for i, s in enumerate(self.placed):
                if not s.v.start <= k < s.v.stop:
                    continue
                for part, letter in ((slice(0, 3), "n"), (slice(3, 6), "f")):
                    axis = s.S[part, k - s.v.start]
                    if all(x == 0 for x in axis):
                        continue
                    unit = page.leaf(self.axis(i, axis), axis)
                    term = self.known[letter, i].dot(unit)
                    total = term if total is None else total + term
            if total is None:
                total = page.leaf(None, 0)
            page.require(total.value, bare[k], "a joint force")
            for extra in own_terms(page, self.forms, k):
                total = total + extra
            page.line(
                Sign("τ", str(k + 1)),
                total,
                self.forms.open_equations[k],
                "equal to M a + C v + g + b of the closed form",
                plug=False,
            )
        page.require(lagrangian_forces(page, self.forms), self.forms.open_equations, "Lagrange's τ")
