"""How many products and sums the equations of an arm take, counted while they are computed.

Three roads to the torques of an arm with n turning joints, all with general lengths, angles and
inertias:

    lagrange      sums of traces of 4 × 4 matrices (Uicker): Σ tr(U_jk J_j U_jiᵀ) q̈_k and so on
    newton-euler  the recursion of Luh, Walker and Paul in frames after Denavit and Hartenberg
    visviva       the program that is compiled: the recursion, traced, with nothing done twice

The first two run on numbers that count, dense, as their formulas are written; sines, cosines and
the matrices of the joints are given. A difference is a sum, and a change of sign is free.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from visviva.algebra.exact.rationals import matrix
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.dh import from_dh
from visviva.describe.model.model import Model
from visviva.describe.system import System
from visviva.errors import ArgumentError
from visviva.judge.roads.counted import Tally, counted, dot, product_of_all, vector_product

MOST_COUNTED = 10  # joints up to which sums of traces are run; beyond, their polynomial is taken
FITTED = 6  # runs that a polynomial is taken from, one more than its degree needs
METHODS_COUNTED = ("lagrange", "newton-euler", "visviva")
PRINTED = (117, -24), (103, -21)  # products and sums of the recursion, as the sources print them
PRINTED_LAGRANGE = 66_271  # products, for six joints


@dataclass(frozen=True)
class OperationCounts:
    """Products and sums of each road, for an arm with n joints."""

    n: int
    products: dict[str, int]
    sums: dict[str, int]

    def growth(self, method: str) -> list[Fraction]:
        """The coefficients of the polynomial in n that products are, constant first.

        It is taken from runs with few joints and has to hold for one more.
        """
        if method not in METHODS_COUNTED[:2]:
            raise ArgumentError(
                f"the roads that grow by a law are 'lagrange' and 'newton-euler', got {method!r}"
            )
        return polynomial_in_n(tuple(_run(method, k)[0] for k in range(1, FITTED + 1)))

    def __str__(self) -> str:
        rows = [(k, f"{self.products[k]:,}", f"{self.sums[k]:,}") for k in METHODS_COUNTED]
        products, sums = (f"{slope * self.n + rest:,}" for slope, rest in PRINTED)
        rows.append(("newton-euler, in print", products, sums))
        if self.n == 6:
            rows.append(("lagrange, in print", f"{PRINTED_LAGRANGE:,}", ""))
        joints = f"{self.n} turning joint{'s' if self.n > 1 else ''}"
        rows.insert(0, (joints, "products", "sums"))
        return "\n".join(f"{a:<24}{b:>14}{c:>14}".rstrip() for a, b, c in rows)


def operation_counts(n: int) -> OperationCounts:
    """What the torques of a general arm with n turning joints cost, by three roads.

    Examples:
        >>> counts = operation_counts(6)
        >>> counts.products["newton-euler"]
        726
        >>> counts.products["lagrange"] > 90 * counts.products["visviva"]
        True
    """
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        if isinstance(n, System):
            raise ArgumentError(
                "operation_counts takes a number of joints; of a model its torques have them",
                cure="model.inverse_dynamics.operations",
            )
        raise ArgumentError(f"an arm has a whole number of joints, at least one, got {n!r}")
    found = {method: _count(method, n) for method in METHODS_COUNTED[:2]}
    traced = general_arm(n).model.inverse_dynamics.program.operations
    found["visviva"] = traced.multiplications, traced.additions
    return OperationCounts(
        n, {k: x for k, (x, _) in found.items()}, {k: x for k, (_, x) in found.items()}
    )


def _count(method: str, n: int) -> tuple[int, int]:
    """By a run, or by the polynomial that runs with fewer joints obey."""
    if n <= MOST_COUNTED:
        return _run(method, n)
    runs = [_run(method, k) for k in range(1, FITTED + 1)]
    laws = [polynomial_in_n(tuple(x)) for x in zip(*runs, strict=True)]
    products, sums = (int(sum(c * n**k for k, c in enumerate(law))) for law in laws)
    return products, sums


def polynomial_in_n(values: tuple[int, ...]) -> list[Fraction]:
    """Through values at 1, 2, …; the last of them has to be met by the others."""
    size = len(values) - 1
    rows = matrix([[k**power for power in range(size)] for k in range(1, size + 1)])
    solution = rows.solve(matrix([[x] for x in values[:-1]]))
    found = [Fraction(int(x.p), int(x.q)) for x in solution.entries()]
    met = sum(c * (size + 1) ** k for k, c in enumerate(found))
    if met != values[-1]:
        raise ArgumentError(f"the counts {values} are no polynomial of degree {size - 1}")
    while len(found) > 1 and found[-1] == 0:
        found.pop()
    return found


@cache
def _run(method: str, n: int) -> tuple[int, int]:
    tally = Tally()
    arm, rng = general_arm(n), np.random.default_rng(n + 1)
    q, v, a = rng.normal(size=(3, n))
    road = sums_of_traces if method == "lagrange" else luh_walker_paul
    road(arm.links(q, tally), counted(arm.gravity, tally), *(counted(x, tally) for x in (v, a)))
    return tally.products, tally.sums


# ---- the arm


@dataclass(frozen=True)
class Joined:
    """Link k as formulas have it: all that does not change with velocities, given."""

    A: Any  # 4 × 4, frame k in frame k - 1
    d: Any  # from origin k - 1 to origin k, in frame k
    com: Any  # in frame k
    lever: Any  # d + com
    mass: Any
    tensor: Any  # about the centre of mass
    J: Any  # 4 × 4: second moments, first moments, mass


@dataclass(frozen=True, eq=False)
class GeneralArm:
    """An arm whose lengths, angles and inertias are like any others."""

    rows: Any
    inertias: tuple[Inertia, ...]
    gravity: Any

    @property
    def model(self) -> Model:
        """As the package has it."""
        rows = [(*row, "R") for row in self.rows]
        return from_dh(
            rows, convention="standard", inertias=list(self.inertias), gravity=self.gravity
        )

    def links(self, q: Any, tally: Tally | None = None) -> list[Joined]:
        """At a position, of numbers that count if there is a tally."""
        made = []
        for (a, alpha, d, theta), inertia, x in zip(self.rows, self.inertias, q, strict=True):
            t, s, c = theta + x, np.sin, np.cos
            A = np.array(
                [
                    [c(t), -s(t) * c(alpha), s(t) * s(alpha), a * c(t)],
                    [s(t), c(t) * c(alpha), -c(t) * s(alpha), a * s(t)],
                    [0, s(alpha), c(alpha), d],
                    [0, 0, 0, 1],
                ]
            )
            shift = np.array([a, d * s(alpha), d * c(alpha)])
            about = np.asarray(inertia.about(np.zeros(3)), dtype=float)
            J = np.zeros((4, 4))
            J[:3, :3] = np.trace(about) / 2 * np.eye(3) - about
            J[:3, 3] = J[3, :3] = inertia.mass * inertia.com
            J[3, 3] = inertia.mass
            parts = (A, shift, inertia.com, shift + inertia.com, inertia.mass, inertia.tensor, J)
            made.append(Joined(*(counted(x, tally) for x in parts)))
        return made


@cache
def general_arm(n: int) -> GeneralArm:
    """The same for the same n."""
    rng = np.random.default_rng(n)
    clouds = rng.normal(size=(n, 4, 3))
    masses = rng.uniform(0.5, 3.0, n)
    inertias = (Inertia.point_masses([m / 4] * 4, x) for m, x in zip(masses, clouds, strict=True))
    return GeneralArm(rng.normal(size=(n, 4)), tuple(inertias), rng.normal(size=3) * 5)


# ---- the roads


def sums_of_traces(links: list[Joined], gravity: Any, v: Any, a: Any) -> list[Any]:
    """τ_i = Σ tr(U_jk J_j U_jiᵀ) q̈_k + Σ tr(U_jkl J_j U_jiᵀ) q̇_k q̇_l − Σ m_j gᵀ U_ji r_j.

    U_jk is the derivative of frame j by q_k, U_jkl that by q_k and q_l; every coefficient is made
    for every i, k and l, as the formula says.
    """
    n = len(links)
    to: dict[tuple[int, int], Any] = {}  # to[k, j]: frame j in frame k
    for j in range(1, n + 1):
        to[j - 1, j] = links[j - 1].A
        for k in range(j - 2, -1, -1):
            to[k, j] = product_of_all(links[k].A, to[k + 1, j])
    tau: list[Any] = [None] * n
    for j in range(1, n + 1):
        turned = {k: _turned(to[k - 1, j]) for k in range(1, j + 1)}
        U = {k: _moved(to, k, turned[k]) for k in turned}
        second = {
            (k, m): _moved(to, k, _turned(_between(to, k, m, turned[m])))
            for k in turned
            for m in turned
            if k <= m
        }
        pull = counted_gravity(links[j - 1], gravity)
        for i in turned:
            for k in turned:
                _add(tau, i, _trace(U[k], links[j - 1].J, U[i]) * a[k - 1])
                for m in turned:
                    part = _trace(second[min(k, m), max(k, m)], links[j - 1].J, U[i])
                    _add(tau, i, part * v[k - 1] * v[m - 1])
            _add(tau, i, -sum_of_products(U[i], pull))
    return tau


def _between(to: dict[tuple[int, int], Any], k: int, m: int, X: Any) -> Any:
    """X in frame m - 1, seen from frame k - 1."""
    return X if k == m else product_of_all(to[k - 1, m - 1], X)


def _moved(to: dict[tuple[int, int], Any], k: int, X: Any) -> Any:
    """X in frame k - 1, seen from the room."""
    return X if k == 1 else product_of_all(to[0, k - 1], X)


def _turned(X: Any) -> Any:
    """Q X, the derivative of a turn about z: rows exchanged, which costs nothing."""
    made = np.full((4, 4), X[3, 0], dtype=object)  # which is zero in all of these
    made[0], made[1] = [-x for x in X[1]], X[0]
    return made


def _trace(X: Any, J: Any, Y: Any) -> Any:
    """tr(X J Yᵀ)."""
    return sum_of_products(product_of_all(X, J), Y)


def sum_of_products(X: Any, Y: Any) -> Any:
    """Σ X_ab Y_ab."""
    return dot(X.ravel(), Y.ravel())


def counted_gravity(link: Joined, gravity: Any) -> Any:
    """g (m r)ᵀ, 4 × 4: its product with U is the pull of gravity along it."""
    zero = link.A[3, 0]
    full = [*gravity, zero]
    return np.array([[g * x for x in link.J[3]] for g in full], dtype=object)


def _add(tau: list[Any], i: int, x: Any) -> None:
    tau[i - 1] = x if tau[i - 1] is None else tau[i - 1] + x


def luh_walker_paul(links: list[Joined], gravity: Any, v: Any, a: Any) -> list[Any]:
    """Velocities and accelerations outward, forces and moments inward; vectors in frame k."""
    zero = links[0].A[3, 0]
    w = alpha = np.array([zero] * 3, dtype=object)
    acceleration = np.array([-g for g in gravity], dtype=object)
    motions = []
    for link, rate, rise in zip(links, v, a, strict=True):
        back = link.A[:3, :3].T
        alpha = product_of_all(
            back, np.array([alpha[0] + w[1] * rate, alpha[1] - w[0] * rate, alpha[2] + rise])
        )
        w = product_of_all(back, np.array([w[0], w[1], w[2] + rate]))
        acceleration = product_of_all(back, acceleration) + _carried(alpha, w, link.d)
        motions.append((w, alpha, acceleration))
    tau: list[Any] = []
    f = moment = None
    for k in reversed(range(len(links))):
        link, (w, alpha, acceleration) = links[k], motions[k]
        F = np.array([x * link.mass[()] for x in acceleration + _carried(alpha, w, link.com)])
        N = product_of_all(link.tensor, alpha)
        N = N + vector_product(w, product_of_all(link.tensor, w))
        here = vector_product(link.lever, F) + N
        if f is not None:
            R = links[k + 1].A[:3, :3]
            f = product_of_all(R, f)
            here = here + product_of_all(R, moment) + vector_product(link.d, f)
            F = F + f
        f, moment = F, here
        tau.append(dot(link.A[2, :3], moment))
    return tau[::-1]


def _carried(alpha: Any, w: Any, r: Any) -> Any:
    """α × r + ω × (ω × r)."""
    return vector_product(alpha, r) + vector_product(w, vector_product(w, r))
