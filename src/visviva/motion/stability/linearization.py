"""`Linearization`: a mechanism near an equilibrium or a steady motion, as a linear system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, ComplexArray, FloatArray
from visviva.drawing.digits import DUSTY, plain_complex, plain_number
from visviva.drawing.displayed import Displayed
from visviva.errors import ArgumentError, ShapeError
from visviva.foreign import explained
from visviva.motion.stability.quadratic import Quadratic
from visviva.motion.stability.spectrum import Spectrum, spectrum
from visviva.motion.stability.verdict import Stability, named_motions, of_parts, stability


@dataclass(frozen=True)
class Mode:
    """A motion of its own: exp(λ t) times a shape (nv,), complex, whose largest entry is 1."""

    eigenvalue: complex
    shape: ComplexArray

    @property
    def frequency(self) -> float:
        """In Hz."""
        return float(abs(self.eigenvalue.imag) / (2 * np.pi))

    @property
    def damping_ratio(self) -> float:
        """-Re λ / |λ|: 0 undamped, 1 without oscillation, negative if it grows."""
        size = abs(self.eigenvalue)
        return float(-self.eigenvalue.real / size) if size else 0.0

    def __repr__(self) -> str:
        z, shape = self.eigenvalue, self.shape
        shown = np.array2string(np.real_if_close(shape, DUSTY), precision=4, suppress_small=True)
        if not z.imag:
            return f"λ = {plain_complex(z)}/s, shape {shown}"
        return f"λ = {plain_complex(z)}/s, {plain_number(self.frequency)} Hz, shape {shown}"


@dataclass(frozen=True, eq=False)
class Part:
    """Coordinates that move without the others; which entries of x they and their rates are."""

    names: tuple[str, ...]
    rates: tuple[str, ...]
    states: Array
    second: Quadratic | None
    spectrum: Spectrum


@explained
@dataclass(frozen=True, eq=False, repr=False)
class Linearization(Displayed):
    """ẋ = F x + B u near a state (q, v): x are small changes of coordinates, then of velocities.

    `names` of coordinates are independent ones where constraints hold the mechanism: (δq, δv) =
    `basis` x. `A1`, `A2`, `A3` with A₁ z̈ + A₂ ż + A₃ z = forces, their parts M, D, G, K, H, the
    `kind`, `eigenvalues`, `modes` and `stability`, a verdict with its argument.

    Examples:
        >>> import numpy as np
        >>> import visviva as vv
        >>> upright = vv.catalog.cart_pole().linearize([0.0, np.pi])
        >>> upright.kind, upright.stability.status
        ('conservative', 'unstable')
    """

    name: str
    names: tuple[str, ...]
    rates: tuple[str, ...]
    state_matrix: FloatArray
    second: Quadratic | None = None
    why_not: str = ""  # there are no matrices of second order
    q: FloatArray = field(default_factory=lambda: np.zeros(0))
    v: FloatArray = field(default_factory=lambda: np.zeros(0))
    tau: FloatArray = field(default_factory=lambda: np.zeros(0))
    basis: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    inputs: tuple[str, ...] = ()
    input_matrix: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    notes: tuple[str, ...] = ()
    flat: tuple[str, ...] = ()  # coordinates whose forces are zero to first order, and not beyond
    giving: Callable[[], str] | None = None  # why energy may grow beyond first order; "" if never
    sped_up: Callable[[], str] | None = None  # why what drifts may go faster; "" if it never can

    def __post_init__(self) -> None:
        for part in ("state_matrix", "q", "v", "tau", "basis", "input_matrix"):
            object.__setattr__(self, part, _still(getattr(self, part)))

    @classmethod
    def of(cls, A1: Any, A2: Any, A3: Any, names: Any = None) -> Linearization:
        """Of matrices (n, n) that are known: A₁ z̈ + A₂ ż + A₃ z = u."""
        try:
            one, two, three = (np.array(x, dtype=float) for x in (A1, A2, A3))
            second = Quadratic(one, two, three)
        except (TypeError, ValueError) as error:
            if isinstance(error, (ArgumentError, ShapeError)):
                raise
            raise ArgumentError(f"A1, A2 and A3 are matrices of numbers: {error}") from None
        n = len(second.A1)
        own = tuple(f"z{k + 1}" for k in range(n)) if names is None else tuple(names)
        if len({*own}) != n or len(own) != n:
            raise ShapeError(f"{n} coordinates have {n} different names, got {own}")
        B = np.vstack([np.zeros((n, n)), np.linalg.inv(second.A1)])
        return cls(
            "linear system", own, tuple(f"{x}d" for x in own), second.state_matrix, second,
            basis=np.eye(2 * n), inputs=tuple(f"u_{x}" for x in own), input_matrix=B,
        )  # fmt: skip

    @property
    def A(self) -> FloatArray:
        """F of ẋ = F x + B u, the `state_matrix`, by the letter of control engineers."""
        return self.state_matrix

    @property
    def B(self) -> FloatArray:
        """What multiplies u: the `input_matrix`."""
        return self.input_matrix

    def _second(self) -> Quadratic:
        if self.second is None:
            raise ArgumentError(f"{self.name!r} has no A1, A2, A3: {self.why_not}")
        return self.second

    @property
    def A1(self) -> FloatArray:
        """What multiplies z̈: M."""
        return self._second().A1

    @property
    def A2(self) -> FloatArray:
        """What multiplies ż: D + G."""
        return self._second().A2

    @property
    def A3(self) -> FloatArray:
        """What multiplies z: K + H."""
        return self._second().A3

    @property
    def M(self) -> FloatArray:
        """Inertia, symmetric."""
        return self._second().M

    @property
    def D(self) -> FloatArray:
        """Damping, the symmetric part of A2."""
        return self._second().D

    @property
    def G(self) -> FloatArray:
        """Gyroscopic, the skew part of A2."""
        return self._second().G

    @property
    def K(self) -> FloatArray:
        """Stiffness, the symmetric part of A3."""
        return self._second().K

    @property
    def H(self) -> FloatArray:
        """Circulatory, the skew part of A3."""
        return self._second().H

    @property
    def kind(self) -> str:
        """conservative, gyroscopic conservative, damped (gyroscopic), circulatory, or general."""
        return self._second().kind

    @property
    def is_passive(self) -> bool:
        """Whether it can give off no more energy than it was given: H = 0, D ≥ 0, K ≥ 0."""
        return self._second().is_passive

    @cached_property
    def _spectrum(self) -> Spectrum:
        second, F = self.second, np.asarray(self.state_matrix)
        if second is None:
            return spectrum(F)
        own = second.block(np.arange(len(second.A1))).state_matrix  # with zeros for what is none
        same = np.abs(F - second.state_matrix).max() <= 1e-9 * np.abs(F).max()
        return spectrum(own if same else F, second.level, second.state_noise)

    @property
    def eigenvalues(self) -> ComplexArray:
        """Of F, those that grow fastest first; what stays or drifts has zeros, last."""
        return _still(self._spectrum.eigenvalues)

    @property
    def eigenvalue_bounds(self) -> FloatArray:
        """How far rounding may have moved each of them."""
        return _still(self._spectrum.bounds)

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """Motions of their own, conjugate ones once; shapes are changes of all coordinates."""
        found, nv = self._spectrum, len(self.basis) // 2
        modes = []
        count = found.moving + found.staying.shape[1]
        for z, x in zip(found.eigenvalues[:count], found.vectors.T[:count], strict=True):
            if z.imag < 0:
                continue
            shape = (self.basis @ x)[:nv]
            largest = shape[int(np.argmax(np.abs(shape)))] or 1.0
            modes.append(Mode(complex(z), _still(shape / largest)))
        return tuple(modes)

    @cached_property
    def stability(self) -> Stability:
        """Whether small motions stay small, and why; of coordinates that are alone, each by itself.

        Statuses are "asymptotically stable", "stable", "drifts", "undecided" and "unstable".
        """
        verdicts = [(self._judged(part), part.names) for part in self.parts]
        return of_parts(verdicts) if len(verdicts) > 1 else verdicts[0][0]

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Coordinates that move without the others, each part by itself."""
        second = self.second
        if second is None:
            every = np.arange(len(self.state_matrix))
            return (Part(self.names, self.rates, every, None, self._spectrum),)
        parts = []
        for some in second.blocks:
            own = second.block(some)
            names, rates = (tuple(x[k] for k in some) for x in (self.names, self.rates))
            states = np.concatenate([some, some + len(self.names)])
            found = spectrum(own.state_matrix, own.level, own.state_noise)
            parts.append(Part(names, rates, states, own, found))
        return tuple(parts)

    def _judged(self, part: Part) -> Stability:
        names, rates = part.names, part.rates  # what directions of x are made of
        of = names if len(names) == len(rates) else rates  # a rate's own name is for programs

        def made_of(directions: Array) -> str:
            size = np.abs(directions).max(axis=1, initial=0.0)
            found = size > 1e-6 * max(float(size.max()), 1e-300)
            own, moving = found[: len(names)], found[len(names) :]
            return named_motions([*compress(names, own)], [*compress(of, moving)])

        found = part.spectrum
        still, drift = made_of(found.staying), made_of(found.drifting)
        flat = bool({*names} & {*self.flat})
        return stability(found, part.second, still, drift, flat, self.giving, self.sped_up)

    def state_space(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """A, B, C, D with ẋ = A x + B u, y = x, as python-control's `ss` takes them."""
        m, k = self.input_matrix.shape
        A, B = np.array(self.state_matrix), np.array(self.input_matrix)
        return A, B, np.eye(m), np.zeros((m, k))

    def __repr__(self) -> str:
        about = "about a steady motion" if np.any(self.v) else "about an equilibrium"
        lines = [f"{self.name}, linear {about}: {', '.join(self.names)}"]
        if self.second is not None:
            passive = "passive" if self.second.is_passive else "not passive"
            lines.append(f"  {self.second.kind}, {passive}")
        lines.append(f"  {self.stability}")
        lines += [f"  {mode}" for mode in self.modes]
        return "\n".join([*lines, *(f"  note: {x}" for x in self.notes)])


def _still(x: Array) -> Array:
    """A copy that nobody writes to."""
    own = np.array(x)
    own.setflags(write=False)
    return own
