"""What several methods share: bodies in the world, forces at the joints, the standard form."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import each
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import Placed, velocities
from visviva.equations.forces import forces
from visviva.equations.forces.rotors import rotor_forces
from visviva.errors import ArgumentError
from visviva.judge.derive.page import Page, Quantity
from visviva.judge.exact.model_forms import ModelForms
from visviva.notation.writing.page import Mark, Quotient, Row, Sign
from visviva.space.rotations import cross


def title_of(model: Model, i: int) -> str:
    """Link 2, with its name if that says more."""
    name = model.bodies[i].name
    plain = name.replace("_", "").replace(" ", "").lower() in (f"link{i + 1}", f"body{i + 1}")
    return f"Link {i + 1}" if plain else f"Link {i + 1}, {name.replace('_', ' ')}"


def tensor_of(i: int) -> Sign:
    """The inertia of a link about its centre of mass, in its own axes; I₂ may be a number."""
    return Sign("I", str(i + 1), frame=f"C{i + 1}")


def partial(top: Any, bottom: Any) -> Quotient:
    """∂top/∂bottom, as it stands in a line."""
    return Quotient(Row((Mark("∂"), top)), Row((Mark("∂"), bottom)))


def over_time(box: Any) -> Row:
    """d/dt of it."""
    return Row((Quotient(Mark("d"), Row((Mark("d"), Sign("t")))), box))


def own_terms(page: Page, forms: ModelForms, k: int) -> list[Quantity]:
    """What a joint itself needs: rotor, springs, viscous friction."""
    e = forms.exact
    pairs: list[tuple[Any, Any]] = [
        (forms.rotor_inertia[k], e.a[k]),
        (forces.viscosity(e.model)[k], e.v[k]),
    ]
    terms = [page.leaf(None, c) * page.leaf(None, x) for c, x in pairs if c != 0]
    terms.append(page.leaf(None, rotor_forces(e.model, e.v, np.zeros(len(e.v)))[k]))
    if e.model.springs:
        terms.append(page.leaf(None, forces.spring_forces(e.model, e.q)[k]))
    return [x for x in terms if not x.is_zero]


def more_at_joints(forms: ModelForms) -> bool:
    """Whether joints have friction, springs or rotors."""
    some = [*forms.dissipation, *np.ravel(forms.rotor_inertia)]
    return bool(forms.exact.model.springs) or any(x != 0 for x in some)


def homogeneous(R: Any, p: Any) -> Any:
    """The 4 × 4 matrix of a pose."""
    T = np.eye(4, dtype=object)
    T[:3, :3], T[:3, 3] = R, p
    return T


def is_identity(X: Any) -> bool:
    """Whether a pose moves nothing."""
    return all(x == 0 for x in (*np.ravel(X.R - np.eye(3)), *X.p))


def own_motion(s: Placed) -> str:
    """What a joint does, and what is written of its link."""
    turns = any(x != 0 for x in s.S[:3].ravel())
    slides = any(x != 0 for x in s.S[3:].ravel())
    does = " and ".join(w for w, yes in (("turns", turns), ("slides", slides)) if yes)
    return (
        f"Its joint {does or 'is rigid'}. Angular velocity and acceleration, acceleration of its "
        "origin and of its centre of mass, in its own axes."
    )


class InWorld:
    """Places, velocities and their derivatives, in the world's axes, by differentiation alone.

    Motions in a coordinate plane are written with two components, and turning as one number.
    """

    def __init__(self, page: Page, forms: ModelForms, method: str) -> None:
        self.page, self.forms, self.model = page, forms, forms.exact.model
        odd = [b.joint_name for b in self.model.bodies if not b.joint.has_rates]
        if odd:
            raise ArgumentError(
                f"the derivation by {method} needs coordinates whose rates are the velocities, got "
                f"joint {odd[0]!r}; for this model there is method 'newton-euler'"
            )
        self.s: Any = page.scalars

    @cached_property
    def poses(self) -> list[tuple[Any, Any]]:
        """(R, p) of each link."""
        poses: list[tuple[Any, Any]] = []
        for s in self.forms.steps:
            if s.parent == WORLD:
                poses.append((s.R, s.p))
            else:
                R, p = poses[s.parent]
                poses.append((R @ s.R, p + R @ s.p))
        return poses

    @cached_property
    def centres(self) -> list[Any]:
        """The centres of mass."""
        bodies = self.model.bodies
        return [
            self.all(p + R @ b.inertia.com) for (R, p), b in zip(self.poses, bodies, strict=True)
        ]

    @cached_property
    def turning(self) -> list[Any]:
        """ω of each link in its own axes, read from Rᵀ Ṙ and compared with the recursion."""
        rates = []
        twists = velocities(self.forms.steps, self.forms.exact.v)
        for (R, _), V in zip(self.poses, twists, strict=True):
            rate = self.mapped(self.s.rate, self.all(R))
            W = self.all(R).T @ rate
            w = self.all([W[2, 1], W[0, 2], W[1, 0]])
            self.page.require(w, V[:3], "ω from Rᵀ Ṙ and from the recursion")
            rates.append(w)
        return rates

    @cached_property
    def normal(self) -> int | None:
        """The axis that no motion leaves: everything happens in the plane across it."""
        for k in (2, 1, 0):
            level = all(r[k] == 0 for r in self.centres)
            axes = [self.all(R).T[:, k] for R, _ in self.poses]
            fixed = all(x in (0, 1, -1) for e in axes for x in e)
            along = zip(axes, self.turning, strict=True)
            if level and fixed and all(x == 0 for e, w in along for x in cross(e, w)):
                return k
        return None

    @property
    def shown(self) -> list[int]:
        """The world's axes that are written."""
        return [k for k in range(3) if k != self.normal]

    def normals(self, i: int) -> Any:
        """The plane's normal in the axes of link i."""
        return self.all(self.poses[i][0]).T[:, self.normal]

    def place(self, i: int) -> Any:
        """The centre of mass, in the components that are written."""
        return self.centres[i][self.shown]

    def omega(self, i: int) -> Any:
        """ω, a number in the plane."""
        w = self.turning[i]
        return w if self.normal is None else self.s.of(w @ self.normals(i))

    def inertia(self, i: int) -> Any:
        """About the centre of mass, a number in the plane."""
        tensor = self.all(self.model.bodies[i].inertia.tensor)
        if self.normal is None:
            return tensor
        return self.s.of(self.normals(i) @ tensor @ self.normals(i))

    def weight(self) -> Any:
        """The acceleration of gravity, in the components that are written."""
        return self.all(self.forms.exact.gravity)[self.shown]

    def rate(self, x: Any) -> Any:
        """d/dt, entry by entry."""
        return self.mapped(self.s.rate, x)

    def d(self, x: Any, name: str) -> Any:
        """∂/∂name, entry by entry."""
        return self.mapped(lambda e: self.s.d(e, name), x)

    def all(self, x: Any) -> Any:
        """Every entry as a scalar."""
        return self.mapped(self.s.of, x)

    def mapped(self, f: Any, x: Any) -> Any:
        """f of every entry."""
        return each(f, x)[()]

    # ---- lines that several methods write

    def places(self, chapter: str) -> list[Quantity]:
        """r of every link with mass."""
        self.page.step("Centres of mass", self._where(), chapter)
        return [
            self.page.state(Sign("p", f"C{i + 1}"), self.place(i))
            for i in range(len(self.model.bodies))
        ]

    def _where(self) -> str:
        axes = "xyz"
        if self.normal is None:
            return "Where the centres of mass are, in the axes of the world."
        two = " and ".join(axes[k] for k in self.shown)
        return f"All moves in a plane: where the centres of mass are, along {two} of the world."

    def speeds(self) -> tuple[list[Quantity], list[Quantity]]:
        """v and ω of every link."""
        self.page.step("Velocities", "The rates of change of the positions.")
        twists = velocities(self.forms.steps, self.forms.exact.v)
        centres, turns = [], []
        for i, b in enumerate(self.model.bodies):
            V = twists[i]
            seen = self.poses[i][0] @ (V[3:] + np.array(cross(V[:3], b.inertia.com)))
            centres.append(
                self.page.state(
                    Sign("v", f"C{i + 1}"),
                    self.rate(self.place(i)),
                    self.all(seen)[self.shown],
                    "the derivatives of the positions are the velocities of the recursion",
                )
            )
        axes = ", in its own axes" if self.normal is None else ""
        self.page.step("Angular velocities", f"How each link turns{axes}.")
        for i in range(len(self.model.bodies)):
            check = "read from Rᵀ Ṙ, equal to the sum of the joints' own turns"
            turns.append(self.page.state(Sign("ω", str(i + 1)), self.omega(i), check=check))
        return centres, turns


def lagrangian_forces(page: Page, forms: ModelForms) -> Any:
    """d/dt ∂L/∂v - ∂L/∂q + b, from the energies of the closed form."""
    if not all(b.joint.has_rates for b in forms.exact.model.bodies):
        return forms.open_equations
    s: Any = page.scalars
    L = forms.kinetic_energy - forms.potential_energy
    pairs = zip(s.q, s.v, forms.dissipation, strict=True)
    return [s.rate(s.d(L, v)) - s.d(L, q) + b for q, v, b in pairs]


def standard_form(page: Page, forms: ModelForms) -> None:
    """M, C, g, b."""
    e = forms.exact
    total = (
        forms.mass_matrix @ e.a + forms.coriolis_matrix @ e.v + forms.gravity + forms.dissipation
    )
    page.require(total, forms.open_equations, "M a + C v + g + b")
    gravity = "G" if "g" in forms.ring.symbols else "g"
    page.step(
        "Matrices",
        f"The same equations, sorted: τ = M q̈ + C q̇ + {gravity}"
        + (" + b." if any(x != 0 for x in forms.dissipation) else "."),
        chapter="Standard form",
    )
    check = f"M q̈ + C q̇ + {gravity} + b equals τ, term by term; Ṁ − 2C is skew"
    page.state(Sign("M"), forms.mass_matrix, check=check)
    page.state(Sign("C"), forms.coriolis_matrix)
    s: Any = page.scalars
    if all(b.joint.has_rates for b in e.model.bodies):
        n = len(e.v)
        rates = np.array([[s.rate(x) for x in line] for line in forms.mass_matrix], dtype=object)
        skew = rates - forms.coriolis_matrix - forms.coriolis_matrix
        page.require(skew + skew.T, np.zeros((n, n)), "Ṁ - 2C plus its transpose")
    page.state(Sign(gravity), forms.gravity)
    if any(x != 0 for x in forms.dissipation):
        page.state(Sign("b"), forms.dissipation)
