"""The account of a motion: where its energy went, what it should conserve, whether that closes.

Energy comes from the system's energies at the samples, work from the powers of the forces between
them (`samples/work`): E(t) - E(0) - W(t) is the error of the motion, and of the two roads. Where a
system is stated by energies that are not natural (a bead on a turning wire), v · ∂L/∂v - L takes
the place of T + V: forces change that one.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from visviva.algebra.arrays import frozen
from visviva.errors import AccountWarning
from visviva.machine.run.call import Array
from visviva.motion.samples.along import has
from visviva.motion.samples.conserved import conserved, conserved_at, jacobi_of_motion
from visviva.motion.samples.impacts import impacts, states_of_jumps
from visviva.motion.samples.work import IMPACTS, MOVING, POTENTIAL, work

PER_STEP = 10.0  # errors of energy per error of the state that a step may make
COARSE = 0.01  # of the energy that moves: what is lost beyond it is never in order
ROUNDING = 1e-12  # of the largest energies
SINGULAR = 1e-8  # half of all digits
NATURAL = 1e-9  # how far v · ∂L/∂v - L may be from T + V in a natural system


@dataclass(frozen=True, eq=False, repr=False)
class Account:
    """Energies (..., steps) in joules, the work of each kind of force, and what they leave open.

    `work` maps kinds of force to the work they have done until each sample; that of gravity and
    springs is part of the energy already. `balance_error` is E(t) - E(0) - W(t), or with `jacobi`
    in place of E where L is not natural; `jacobi_name` says what that is. `bound` is what the
    requested tolerance admits, `work_error` how well W is known;
    both (...,). `momenta` are those that the equations conserve, with their values along the run.
    `constraint_error` and `constraint_velocity` are the largest violations. `conditioning` is how
    near M came to being singular: the least of its eigenvalues over the largest, in units in which
    the largest entries of its diagonal along the run are one; 1 where constraints hold a system.
    """

    name: str
    t: Array
    kinetic: Array
    potential: Array
    energy: Array
    jacobi: Array | None  # v · ∂L/∂v - L where it is not the energy, E - c · p under moving rows
    work: Mapping[str, Array]
    balance_error: Array
    bound: Array
    work_error: Array
    momenta: Mapping[str, Array]
    constraint_error: Array
    constraint_velocity: Array
    conditioning: Array
    statistics: Mapping[str, Any]
    jacobi_name: str = "v·∂L/∂v - L"

    @property
    def total_work(self) -> Array:
        """(..., steps), of all forces that change the energy."""
        return np.asarray(sum(x for kind, x in self.work.items() if kind != POTENTIAL))

    @property
    def momentum_drift(self) -> Mapping[str, Array]:
        """How far each conserved momentum goes from where it began, at most: (...,)."""
        drift = {k: np.abs(x - x[..., :1]).max(axis=-1) for k, x in self.momenta.items()}
        return MappingProxyType(drift)

    @property
    def is_known(self) -> bool:
        """Whether samples are near enough to each other for the work to be known."""
        return bool((self.work_error <= np.maximum(self.bound, self._coarse)).all())

    @property
    def closes(self) -> bool:
        """Whether all energy is accounted for, as well as the tolerance and the samples allow."""
        largest = np.abs(self.balance_error).max(axis=-1)
        return self.is_known and bool((largest <= self.bound + self.work_error).all())

    @property
    def _coarse(self) -> Array:
        return COARSE * _scale(self.kinetic, self.potential, self.work)

    def __getitem__(self, k: int) -> Account:
        """The account of one trajectory of a batch."""
        if self.energy.ndim == 1:
            raise IndexError("this is the account of one trajectory, not of a batch")
        one = ("kinetic potential energy balance_error bound work_error constraint_error "
               "constraint_velocity conditioning").split()  # fmt: skip
        changes: dict[str, Any] = {name: getattr(self, name)[k] for name in one}
        changes["jacobi"] = None if self.jacobi is None else self.jacobi[k]
        for name in ("work", "momenta"):
            changes[name] = {x: y[k] for x, y in getattr(self, name).items()}
        return replace(self, **changes)

    def __str__(self) -> str:
        if self.energy.ndim > 1:
            excess = np.abs(self.balance_error).max(axis=-1) / np.maximum(self.bound, 1e-300)
            worst = int(np.argmax(excess))
            return f"worst of {len(self.energy)} trajectories, number {worst}:\n{self[worst]}"
        return "\n".join(self._lines())

    __repr__ = __str__

    def _lines(self) -> list[str]:
        def row(what: str, *numbers: float) -> str:
            return f"  {what:<28}" + "".join(f"{x:>14.6g}" for x in numbers)

        head = f"account of {self.name!r}, {self.t[0]:g} s to {self.t[-1]:g} s, in joules"
        lines = [head, f"  {'':<28}{'at first':>14}{'at last':>14}{'change':>14}"]
        energies = {"kinetic energy": self.kinetic, "potential energy": self.potential}
        energies |= {"energy": self.energy}
        if self.jacobi is not None:
            energies[f"Jacobi integral {self.jacobi_name}"] = self.jacobi
        lines += [row(k, x[0], x[-1], x[-1] - x[0]) for k, x in energies.items()]
        done = {k: x for k, x in self.work.items() if np.any(x)}
        lines += [f"  {f'work of {k}':<56}{x[-1]:>14.6g}" for k, x in done.items()]
        largest = np.abs(self.balance_error).max()
        verdict = "closes" if self.closes else "does not close"
        lines.append(
            f"  balance error {largest:.2g} at most, {verdict}: admitted are {self.bound:.2g}, "
            f"work is known to {self.work_error:.1g}"
        )
        for name, drift in self.momentum_drift.items():
            lines.append(f"  momentum {name} = {self.momenta[name][0]:.6g}, drift {drift:.2g}")
        if self.constraint_error or self.constraint_velocity:
            lines.append(
                f"  constraints violated by {self.constraint_error:.2g} at most, "
                f"their rates by {self.constraint_velocity:.2g}"
            )
        said = {k: x for k, x in self.statistics.items() if np.ndim(x) == 0}
        return lines + (["  " + ", ".join(f"{k} {x}" for k, x in said.items())] if said else [])


def account(run: Any) -> Account:
    """That of a trajectory; warns where it does not close."""
    if run.is_batch and run.events.has_breaks:  # each row jumps and ends at times of its own
        made = _together(run.t, [_made(run[i])[0] for i in range(len(run.q))])
        return _complained(made, float(run.t[0]))
    return _complained(*_made(run))


def _made(run: Any) -> tuple[Account, float]:
    """The account, and when M was most nearly singular."""
    kinetic, potential, energy = run.kinetic_energy, run.potential_energy, run.energy
    jacobi = run.quantity("jacobi_integral") if has(run.system, "jacobi_integral") else energy
    sizes = np.abs(kinetic).max(axis=-1) + np.abs(potential).max(axis=-1)
    natural = bool((np.abs(jacobi - energy).max(axis=-1) <= NATURAL * sizes).all())
    enough = _tolerance(run) * _scale(kinetic, potential, {}) + ROUNDING * sizes
    done = work(run, np.asarray(enough / 10))
    lost = impacts(run, "jacobi_integral" if not natural else "")
    works = {**done.of, IMPACTS: lost}
    scale = _scale(kinetic, potential, works)
    balanced = energy if natural else jacobi
    total = sum(x for kind, x in works.items() if kind != POTENTIAL)
    conditioning, at = _conditioning(run)
    kept, name = (None if natural else jacobi), Account.jacobi_name
    if natural and np.any(done.of[MOVING]):
        kept, name = jacobi_of_motion(run.system, run._state, run.parameters, energy) or (
            None,
            name,
        )
    made = Account(
        name=run.system.name,
        t=run.t,
        kinetic=frozen(kinetic),
        potential=frozen(potential),
        energy=frozen(energy),
        jacobi=None if kept is None else frozen(kept),
        work=MappingProxyType({k: frozen(x) for k, x in works.items()}),
        balance_error=frozen(balanced - balanced[..., :1] - total),
        bound=np.asarray(_tolerance(run) * scale + ROUNDING * (sizes + scale)),
        work_error=done.error,
        momenta=MappingProxyType(_momenta(run)),
        constraint_error=_violation(run, "constraint_error"),
        constraint_velocity=_violation(run, "constraint_velocity"),
        conditioning=conditioning,
        statistics=run.statistics,
        jacobi_name=name,
    )
    return made, at


def _complained(made: Account, at: float) -> Account:
    """The same, with a warning where it does not close, or M was nearly singular."""
    if not made.closes:
        warnings.warn(_complaint(made), AccountWarning, stacklevel=4)
    if (least := float(np.min(made.conditioning, initial=1.0))) < SINGULAR:
        warnings.warn(
            f"near t = {at:.6g} s the coordinates of {made.name!r} are nearly singular: the "
            f"eigenvalues of M are {least:.1g} apart, and accelerations lose as many digits there; "
            "other coordinates (a spherical joint has quaternions) have no such place",
            AccountWarning,
            stacklevel=4,
        )
    return made


def _momenta(run: Any) -> dict[str, Array]:
    """Those that the equations conserve, and jumps too."""
    found = conserved(run.system, run._state, run.parameters)
    if not found or not run.events.breaks():
        return found
    before, after = (
        conserved_at(run.system, states, run.parameters) for states in states_of_jumps(run)
    )
    sizes = {k: np.abs(x).max(initial=0.0) for k, x in found.items()}
    return {
        k: x for k, x in found.items() if (np.abs(after[k] - before[k]) <= 1e-9 * sizes[k]).all()
    }


def _conditioning(run: Any) -> tuple[Array, float]:
    """The least and the largest eigenvalue of M, as a ratio (...,), and when it is least."""
    lanes = run.q.shape[:-2]
    if run.system.held_by:
        return np.ones(lanes), float(run.t[0])
    M = run.quantity("mass_matrix")
    sizes = np.sqrt(np.abs(np.einsum("...ii->...i", M)).max(axis=-2, keepdims=True))
    sizes = np.where(sizes > 0, sizes, 1.0)
    values = np.linalg.eigvalsh(M / (sizes[..., :, None] * sizes[..., None, :]))
    ratio = np.abs(values[..., 0]) / np.abs(values[..., -1])
    when = np.unravel_index(int(np.argmin(ratio)), ratio.shape)[-1]
    return np.asarray(ratio.min(axis=-1)), float(run.t[when])


def _tolerance(run: Any) -> float:
    """The share of the energy that may be lost: what was asked for, times the number of steps."""
    asked = [float(run.statistics[k]) for k in ("rtol", "atol") if k in run.statistics]
    if not asked:
        return COARSE
    steps = float(np.max(run.statistics.get("steps", len(run.t))))
    return min(COARSE, PER_STEP * max(asked) * max(steps, 1.0))


def _together(t: Array, rows: list[Account]) -> Account:
    """The accounts of trajectories that end at times of their own, as one; after its end the
    account of each stays as it is."""

    def column(x: Array, own: Account) -> Array:
        return x[np.minimum(np.searchsorted(own.t, t), len(own.t) - 1)]

    one, many = rows[0], ("kinetic", "potential", "energy", "balance_error")
    whole: dict[str, Any] = {k: np.stack([column(getattr(r, k), r) for r in rows]) for k in many}
    for k in ("bound", "work_error", "constraint_error", "constraint_velocity", "conditioning"):
        whole[k] = np.array([float(getattr(r, k)) for r in rows])
    by = [r.energy if r.jacobi is None else r.jacobi for r in rows]
    names = {r.jacobi_name for r in rows}
    unnatural = any(r.jacobi is not None for r in rows)
    if names != {Account.jacobi_name}:  # E - c · p, which is one for all or none
        unnatural = all(r.jacobi is not None for r in rows)
    jacobi = np.stack([column(x, r) for x, r in zip(by, rows, strict=True)]) if unnatural else None
    work = {k: np.stack([column(r.work[k], r) for r in rows]) for k in one.work}
    kept = [k for k in one.momenta if all(k in r.momenta for r in rows)]
    momenta = {k: np.stack([column(r.momenta[k], r) for r in rows]) for k in kept}
    more: dict[str, Any] = {"t": t, "jacobi": jacobi, "work": MappingProxyType(work)}
    more["jacobi_name"] = names.pop() if len(names) == 1 else "E - c·p"
    return replace(one, **whole, **more, momenta=MappingProxyType(momenta))


def _scale(kinetic: Array, potential: Array, done: Mapping[str, Array]) -> Array:
    """The energy that moves (...,): kinetic, exchanged with the potential, done by forces."""
    moved = np.abs(kinetic).max(axis=-1) + np.ptp(potential, axis=-1)
    return np.asarray(moved + sum(np.abs(x).max(axis=-1) for x in done.values()))


def _violation(run: Any, quantity: str) -> Array:
    """The largest entry along the run (...,)."""
    lanes = run.q.shape[:-2]
    if not run.system.held_by:
        return np.zeros(lanes)
    rows = np.abs(run.quantity(quantity)).reshape(*lanes, -1)
    return np.asarray(rows.max(axis=-1, initial=0.0))


def _complaint(made: Account) -> str:
    worst = made
    if made.energy.ndim > 1:
        excess = np.abs(made.balance_error).max(axis=-1) - made.bound - made.work_error
        worst = made[int(np.argmax(excess))]
    largest = int(np.argmax(np.abs(worst.balance_error)))
    lost = ~np.isfinite(made.energy)
    if lost.any():
        first = made.t[np.argmax(lost.any(axis=tuple(range(lost.ndim - 1))))]
        return (
            f"the energy account of {made.name!r} does not close: its energy is not finite from "
            f"t = {first:g} s on; ask for a smaller tolerance or step, or for another method"
        )
    if not made.is_known:
        return (
            f"the energy account of {made.name!r} is not known: samples are too far apart for the "
            f"work of its forces, which is known to {float(worst.work_error):.2g} J only; ask for "
            "more samples"
        )
    return (
        f"the energy account of {made.name!r} does not close: "
        f"{worst.balance_error[largest]:.3g} J are unaccounted for at t = {worst.t[largest]:g} s, "
        f"where {float(worst.bound):.3g} J are admitted; ask for a smaller tolerance or step, or "
        "for another method"
    )
