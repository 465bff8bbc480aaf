"""Multipliers and projections of a system that is held, written out.

    M q̈ + h = τ + Aᵀ λ,    A q̇ + a₀ = 0

Both begin with the constraints and end with the accelerations; between, one solves for λ, the other
removes it.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
import sympy

from visviva.describe.energies.formulas import TIME
from visviva.describe.quantities import ENERGY_TERMS
from visviva.errors import ArgumentError
from visviva.judge.derive.lagrange import potential_sign
from visviva.judge.derive.page import Page, Quantity
from visviva.judge.exact.elements import elements
from visviva.judge.exact.forms import Forms
from visviva.judge.exact.held import HeldForms
from visviva.notation.names import velocity_name
from visviva.notation.tree_sympy import from_sympy
from visviva.notation.writing.arrange import Boxes
from visviva.notation.writing.page import Fence, Mark, Number, Power, Row, Sign, Sum
from visviva.notation.writing.width import PAGE, width
from visviva.progress import Progress

EQUAL = "both sides are those of M q̈ + h = τ + Aᵀ λ"
TALL = 3  # coordinates up to which M⁻¹ is written
REDUNDANT = (
    "Rows depend on each other: forces and accelerations do not change with it, and of all λ that "
    "make them these are the smallest."
)
METHODS_OF_ROWS = ("multipliers", "projection")
MINUS = Sum(((-1, Number("1")),), within=True)
ACROSS, INVERSE = Power(Sign("A"), Mark("T")), Power(Sign("M"), MINUS)
LAMBDA, BETA, TAU, DRIFT = Sign("λ"), Sign("β"), Sign("τ"), Sign("a", "0")
A, M, P, H = Sign("A"), Sign("M"), Sign("P"), Sign("h")
WORKING = Sign("P", "u")
RATE, SECOND = Sign("q", dots=1), Sign("q", dots=2)


class FieldScalars:
    """Elements of the field of a system that is held: what comes out the same is the same."""

    proves = True

    def __init__(self, held: HeldForms) -> None:
        self.held, self.field = held, held.field

    def of(self, x: Any) -> Any:
        """A number as an element."""
        return self.field.ring.number(x) if isinstance(x, (int, float)) else x

    def show(self, x: Any) -> Any:
        """In textbook form."""
        return self.held.written(self.of(x))

    def read(self, expr: Any) -> Any:
        """The element that an expression means."""
        return self.field.settled(self.field.read(from_sympy(expr)))

    def same(self, a: Any, b: Any) -> bool:
        """By normal forms."""
        return self.field.same(self.of(a), self.of(b))

    def d(self, x: Any, name: str) -> Any:
        """By SymPy, from what is written."""
        return self.read(self.show(x).diff(sympy.Symbol(name)))

    def rate(self, x: Any) -> Any:
        """dx/dt while velocities stay: Σ ∂x/∂q q̇ + ∂x/∂t."""
        names = self.held.forms.names
        pairs = [(q, self.field.ring[v]) for q, v in zip(names.q, names.v, strict=True)]
        shown = self.show(x)
        total = self.read(shown.diff(TIME)) if shown.has(TIME) else self.of(0)
        return sum((self.d(x, q) * v for q, v in pairs), total)


class Constrained:
    """The lines of both methods."""

    def __init__(self, forms: Forms, at: Progress) -> None:
        if not forms.held_by:
            raise ArgumentError(
                f"{forms.name!r} has no constraints: there are neither multipliers nor projections"
            )
        self.forms, self.held = forms, forms.held
        self.scalars = FieldScalars(self.held)
        boxes = Boxes(forms.names.rated, (*forms.parameter_names, *self.held.multiplier_names))
        self.page = Page(self.scalars, boxes, at)
        self.a, self.v = (self.held.symbols(x) for x in (forms.names.a, forms.names.v))
        self.lam = self.held.symbols(self.held.multiplier_names)
        self.is_plain = [*forms.names.v] == [velocity_name(q) for q in forms.names.q]

    def write(self, method: str) -> Page:
        """All of it."""
        self._constraints(self._energies("What is given"))
        self._with_multipliers(self._equations())
        if method == "multipliers":
            self._multipliers()
        else:
            self._projection()
        return self.page

    def complete(self) -> Page:
        """What constraints add to equations of motion that were derived without them."""
        self._constraints("Constraints")
        advice = f" derivation({METHODS_OF_ROWS[0]!r}) solves for λ."
        self._with_multipliers(self.held.M @ self.a + self.held.h, advice)
        return self.page

    # ---- what is given

    def _energies(self, chapter: str) -> str:
        """States them where they are what is stated; the chapter that is still to be begun."""
        if self.forms.has_words:
            return chapter
        self.page.step("Energies", "As they are stated.", chapter)
        letters = Sign("K"), potential_sign(self.forms.parameter_names)
        for letter, row in zip(letters, ENERGY_TERMS, strict=True):
            energy = self.forms.judged(self.forms.quantity(row.exact))
            self.page.state(letter, self.scalars.read(energy))
        return ""

    def _constraints(self, chapter: str) -> None:
        page, held, forms = self.page, self.held, self.forms
        if forms.has_words or forms.position_formulas:
            words = f": {'; '.join(forms.held_by)}" if forms.has_words else ""
            page.step("Constraints", f"What stays zero in every motion{words}.", chapter)
            chapter = ""
        for k, phi in forms.position_formulas.items():
            page.state(Sign("φ", str(k + 1)), self.scalars.read(phi), zero=True)
        motion = held.A @ self.v + held.a0
        rates = {k: self._rate(phi) for k, phi in forms.position_formulas.items()}
        others = [rates.get(k, x) for k, x in enumerate(motion)]
        check = "SymPy's derivative of each φ along the motion is its row" if rates else ""
        moving = any(x != 0 for x in held.a0)
        speed = Row((A, RATE))
        left = Sum(((1, speed), (1, DRIFT))) if moving else speed
        said = "A q̇ + a₀" if moving else "A q̇"
        page.step(
            "Velocities",
            f"What constraints say of velocities: {said} = 0, one row of A for each.",
            chapter,
        )
        page.state(left, motion, others, check, zero=True)
        page.state(A, held.A)
        if moving:
            page.state(DRIFT, held.a0)
        page.step(
            "Accelerations",
            "What stays zero has the rate zero: A q̈ + β = 0. What of the rate has no accelerations "
            f"in it is β = Ȧ q̇{' + ȧ₀' if moving else ''}.",
        )
        along = [self.scalars.rate(x) for x in motion] if self.is_plain else None
        check = f"SymPy's derivative of {said} along the motion is the same" if along else ""
        page.state(BETA, held.beta, along, check)
        self._differentiated()

    def _rate(self, phi: Any) -> Any:
        return self.scalars.rate(self.scalars.read(phi))

    def _differentiated(self) -> None:
        total = self.held.A @ self.a + self.held.beta
        self.page.state(Sum(((1, Row((A, SECOND))), (1, BETA))), total, zero=True)

    def _equations(self) -> Any:
        """M q̈ + h, as it is stated."""
        page, held = self.page, self.held
        page.step(
            "Without constraints",
            "What τ would be if nothing held it: M q̈ + h, h being what is there without "
            "accelerations.",
            "Equations of motion",
        )
        total = held.M @ self.a + held.h
        road, other = self.forms.other_road
        page.require(total, elements(self.forms.judged(other), held.field), road)
        page.state(M, held.M, held.M.T, f"M is symmetric; {road} is the same")
        page.state(H, held.h)
        return total

    def _with_multipliers(self, total: Any, advice: str = "") -> None:
        page, held = self.page, self.held
        page.step(
            "With multipliers",
            "Constraints do no work on motions that they admit: their forces are Aᵀ λ, with a "
            f"multiplier for each row. So M q̈ + h = τ + Aᵀ λ.{advice}",
        )
        pull = held.A.T @ self.lam
        page.require(held.equations, total - pull, "M q̈ + h − Aᵀ λ")
        short = all(width(page.leaf(None, x).box) < PAGE / 2 for x in total)
        for k, x in enumerate(held.equations):
            if short:
                page.balance(total[k], held.tau[k] + pull[k], EQUAL)
            else:
                page.state(Sign("τ", str(k + 1)), x, None, EQUAL)

    # ---- multipliers

    def _multipliers(self) -> None:
        page, held = self.page, self.held
        page.step(
            "Accelerations put in",
            "From the equations q̈ = M⁻¹ (τ + Aᵀ λ − h). Put into A q̈ + β = 0, this is G λ = r.",
            "Multipliers",
        )
        rows, W = self._leaf(A, "A"), self._inverse()
        across = page.leaf(ACROSS, held.A.T)
        G = page.line(Sign("G"), rows @ W @ across, plug=False)
        h, tau, beta = (
            self._leaf(H, "h"),
            page.leaf(TAU, held.tau),
            self._leaf(BETA, "beta"),
        )
        r = page.line(Sign("r"), rows @ W @ (h - tau) - beta, plug=False)
        few = self.independent
        more = "" if len(few) == len(self.lam) else " " + REDUNDANT
        page.step("Solved", f"The solution of G λ = r.{more}")
        page.require((G.value @ held.multipliers)[few], r.value[few], "G λ = r")
        for k, x in enumerate(held.multipliers):
            page.state(Sign("λ", str(k + 1)), x, None, "put into G λ = r, both sides are the same")
        pull = held.A.T @ held.multipliers
        page.step("Forces", "What the constraints do to the coordinates.")
        page.state(Row((ACROSS, LAMBDA)), pull, held.constraint_forces)
        self._accelerations()

    @property
    def independent(self) -> list[int]:
        """Rows that do not depend on those before them."""
        return self.held.held.independent

    def _leaf(self, box: Any, kind: str) -> Quantity:
        return self.page.leaf(box, getattr(self.held, kind))

    def _inverse(self) -> Quantity:
        """M⁻¹, written if it is small."""
        W = self.page.leaf(INVERSE, self.held.mass_inverse)
        one = np.eye(len(self.a), dtype=int)
        self.page.require(self.held.M @ self.held.mass_inverse, one, "M M⁻¹ = 1")
        return self.page.line(INVERSE, W) if len(self.a) <= TALL else W

    def _accelerations(self) -> None:
        page, held = self.page, self.held
        page.step(
            "The motion",
            "The accelerations under forces τ, without λ.",
            "Accelerations",
        )
        q = held.forward_dynamics
        pull = held.A.T @ held.multipliers
        page.require(held.M @ q + held.h, held.tau + pull, "M q̈ + h = τ + Aᵀ λ")
        rows = (held.A @ q + held.beta)[self.independent]
        page.require(rows, np.zeros(len(rows), dtype=int), "A q̈ + β = 0")
        for name, x in zip(self.forms.names.a, q, strict=True):
            left = page.boxes.box(sympy.Symbol(name))
            page.state(left, x, None, "M q̈ + h = τ + Aᵀ λ and A q̈ + β = 0 hold, term by term")

    # ---- projection

    def _admitted(self, shown: Any, count: int) -> list[Any]:
        """Rows that span those of P_u, without denominators and common factors."""
        chance = np.random.default_rng(0)
        at = {s: sympy.Rational(int(chance.integers(2, 99)), 37) for s in shown.free_symbols}
        rows, found = list[Any](), list[Any]()
        for k in range(shown.rows):
            entries = [sympy.fraction(sympy.together(x)) for x in shown[k, :]]
            bottom = reduce(sympy.lcm, (b for _, b in entries))
            whole = [sympy.cancel(a * bottom / b) for a, b in entries]
            common = reduce(sympy.gcd, whole)
            row = [sympy.cancel(x / common) for x in whole] if common != 0 else whole
            numbers = [[float(x.subs(at)) for x in r] for r in (*rows, row)]
            if np.linalg.matrix_rank(np.array(numbers)) == len(rows) + 1:
                rows.append(row)
                found.append(np.array([self.scalars.read(x) for x in row], dtype=object))
        return found if len(found) == count else []

    def _projection(self) -> None:
        page, held = self.page, self.held
        few = self.independent
        drop = "" if len(few) == len(self.lam) else " (rows that depend on others left away)"
        page.step(
            "The projection of forces",
            f"P_u = 1 − Aᵀ (A M⁻¹ Aᵀ)⁻¹ A M⁻¹{drop} takes from forces what constraints resist: "
            "P_u Aᵀ = 0, so that it removes λ.",
            "Projection",
        )
        B = held.A[few]
        rows, across, W = page.leaf(A, B), page.leaf(ACROSS, B.T), self._inverse()
        G = page.line(Sign("G"), rows @ W @ across, plug=False)
        back = page.leaf(Power(Sign("G"), MINUS), held.inverse_of(G.value))
        one = page.leaf(Number("1"), np.eye(len(self.a), dtype=int))
        Pu = page.line(
            WORKING, one - across @ back @ rows @ W, held.force_projection,
            "P_u Aᵀ = 0, P_u P_u = P_u, and the same by Cramer's rule", plug=False,
        )  # fmt: skip
        n, k = len(self.a), len(self.lam)
        page.require(Pu.value @ held.A.T, np.zeros((n, k), dtype=int), "P_u Aᵀ")
        page.require(Pu.value @ Pu.value, Pu.value, "P_u P_u")
        page.step(
            "The projection of motions",
            "P = M⁻¹ P_u M takes from motions what constraints forbid, and is P_uᵀ. Its trace is "
            "its rank: so many directions are left.",
        )
        mass = self._leaf(M, "M")
        motions = page.line(P, W @ Pu @ mass, held.projection, "equal to P_uᵀ; A P = 0", plug=False)
        page.require(held.A @ motions.value, np.zeros((k, n), dtype=int), "A P")
        rank = sum(motions.value.diagonal(), self.scalars.of(0))
        page.state(Row((Mark("tr"), P)), rank, n - len(few))
        page.step(
            "Projected equations",
            "P_u times M q̈ + h = τ + Aᵀ λ has no λ: both sides of P_u (M q̈ + h) = P_u τ.",
        )
        tau = page.leaf(TAU, held.tau)
        whole = held.M @ self.a + held.h
        needed = Quantity(whole, Sum(((1, Row((M, SECOND))), (1, H))), H)
        left = page.state(Row((WORKING, Fence(needed.box))), Pu.value @ whole)
        right = page.state(Row((WORKING, TAU)), (Pu @ tau).value)
        page.require(left.value - right.value, held.projected_equations, "P_u (M q̈ + h − τ)")
        some = self._admitted(page.value(Pu.value), n - len(few)) if n <= TALL else []
        if some:
            page.step(
                "Independent equations",
                f"The rank of P_u is {n - len(few)}, and so many of these equations are "
                "independent: its rows, without common factors, times M q̈ + h = τ.",
            )
        for row in some:
            page.require(row @ held.A.T, np.zeros(k, dtype=int), "a row of P_u times Aᵀ")
            page.balance(row @ whole, row @ held.tau, "these rows times Aᵀ are zero too")
        page.step(
            "Completed",
            "The constraints on accelerations, A q̈ + β = 0, complete them: "
            f"{n - len(few)} and {len(few)} equations for {n} accelerations.",
        )
        self._differentiated()
        self._accelerations()
