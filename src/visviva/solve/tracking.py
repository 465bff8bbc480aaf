"""Along an input, without leaving the branch: a tangent ahead, Newton's steps back.

The next position is looked for where the tangent leads. It counts only if it is near there, if the
tangent goes on smoothly and if the rows change so little that they are singular nowhere between;
otherwise the step is halved. Rows that change more in a small step are singular in it: branches
meet. Where these have different directions, it is the direction of before that goes on; where they
touch, nothing of first or second order tells them apart, and that is refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, frozen
from visviva.errors import ArgumentError, AssemblyError, UnknownNameError, check_known
from visviva.machine.kinks import kinks
from visviva.progress import progress
from visviva.solve.assembly import check_state, closed, newton
from visviva.solve.following import along
from visviva.solve.rows import Rows

AHEAD = 0.1  # of a step, radians and metres
LEAST_AHEAD = 1e-10
WHOLE = 1.001  # of a step: what is left is taken at once
SAME_WAY = 0.9  # cosine between tangents that follow each other
NEAR_SINGULAR = 1e-5
_SHORT = 1e-3  # of the longest row: shorter ones are not made longer
CROSSED = 1e-4  # of a step, in which branches may cross: those that are nearer are not told apart
REGULAR = 0.5  # change of the factors of rows in a step, at most
NEAR_MEETING = 1e-2  # singular values of rows within such a step of where branches meet
NEAR_PARALLEL = 1e-2  # change of rows along the way
STEP_BEYOND = 0.005  # radians and metres of a step, to see how a motion goes on
CLEAR = 1e-9  # change of the input there


def check_input(kind: str, s: Any, joint: Any) -> None:
    """Refuse what is no joint; of a parameter, with the line that varies it."""
    if not isinstance(joint, str):
        raise ArgumentError(
            f"{kind}: its name is needed, one of {', '.join(map(repr, s.joint_names))}, before "
            f"any values; got {type(joint).__name__}"
        )
    if joint in s.parameter_names and joint not in s.joint_names:
        line = f"[model.with_parameters({joint}=x) for x in (1.0, 2.0)]"
        way = "it is a parameter, and each value makes a model"
        raise UnknownNameError(kind, joint, s.joint_names, way, cure=line)
    check_known(kind, joint, s.joint_names)


def tracked(s: Any, q0: Any, joint: str, values: Any, t: float = 0.0) -> Array:
    """Positions along an input; a warning says which joints leave their limits on the way."""
    q = along_input(s, q0, joint, values, t)
    beyond = beyond_limits(s, joint, np.asarray(values, dtype=float), q)
    if said := told_of_limits(joint, beyond):
        warnings.warn(f"tracked: {said[2:]}", UserWarning, stacklevel=3)  # whoever asks the model
    return q


def along_input(s: Any, q0: Any, joint: str, values: Any, t: float = 0.0) -> Array:
    """Positions (number of values, nq) with the input at the values, one after the other."""
    check_input("joint", s, joint)
    part, _ = s.joint_slices[joint]
    if part.stop - part.start != 1:
        raise ArgumentError(f"an input is a joint with one coordinate, {joint!r} has several")
    try:
        wanted = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        wanted = np.array(np.nan)
    if wanted.ndim != 1 or not np.isfinite(wanted).all():
        raise ArgumentError(f"values of {joint!r} are a list of finite numbers, got {values!r}")
    check_state(s, q0, None, t)
    track = Track(s, joint, t, np.array(q0, dtype=float))
    positions = np.empty((len(wanted), s.nq))
    with progress(f"tracking {s.name} along {joint}", len(wanted)) as at:
        for k, value in enumerate(wanted):
            at.step()
            positions[k] = track.to(float(value))
    return positions


class Beyond(NamedTuple):
    """A joint outside of its limits, low to high, and the values of the driven one where it is."""

    joint: str
    low: float
    high: float
    values: FloatArray


def beyond_limits(model: Any, joint: str, values: Array, q: Array) -> tuple[Beyond, ...]:
    """All joints that leave their limits on the way, the driven one first; q (N, nq)."""
    over = 1e-9 * (1.0 + np.nanmax(np.abs(q), axis=0, initial=0.0))
    outside = (q < model.lower - over) | (q > model.upper + over)
    names = sorted(model.joint_slices, key=lambda x: x != joint)
    found = []
    for name in names:
        part = model.joint_slices[name][0]
        for k in range(part.start, part.stop):
            if outside[:, k].any():
                own = name if part.stop - part.start == 1 else model.coordinate_names[k]
                ends = float(model.lower[k]), float(model.upper[k])
                found.append(Beyond(own, *ends, frozen(values[outside[:, k]])))
    return tuple(found)


def told_of_limits(joint: str, beyond: Sequence[Beyond]) -> str:
    """That joints leave their limits, and where; empty where none does."""
    said = ""
    for x in beyond:
        bounds = f"{x.low:.6g} to {x.high:.6g}"
        if x.joint == joint:
            said += f"; values leave the limits of {joint}, {bounds}"
            continue
        low, high = x.values.min(), x.values.max()
        where = f"{low:.6g}" if low == high else f"{low:.6g} to {high:.6g}"
        said += f"; {x.joint} leaves its limits, {bounds}, at {joint} = {where}"
        said += f" ({len(x.values)} values)" if len(x.values) > 1 else ""
    return said


class Track:
    """A position on the way, and the direction in which it was reached."""

    def __init__(self, s: Any, joint: str, t: float, q: Array) -> None:
        self.joint, self.q = joint, q
        self.rows = Rows(s, t, {joint: 0.0})
        part, motion = s.joint_slices[joint]
        self.at, self.v = part.start, motion.start
        self.whole = Rows(s, t)
        self.tangent: Array | None = None
        self.aim = self.value
        self.lengths = np.zeros(self.whole.count)  # the longest that rows have been
        self._slopes(q)
        self.usual = self._left(self._slopes(q)[0]).shape[1]

    @property
    def value(self) -> float:
        """Of the input."""
        return float(self.q[self.at])

    def to(self, value: float) -> Array:
        """The position with the input at a value, on the same branch."""
        self.aim, step = value, AHEAD
        while self.value != value:
            left = value - self.value
            # no crumbs: a last step as small as rounding errors could not be told from them
            ahead = left if abs(left) <= WHOLE * step else np.sign(left) * step
            if self._step(ahead, value if ahead == left else self.value + ahead):
                step = min(1.6 * step, AHEAD)
            elif step > LEAST_AHEAD:
                step = 0.5 * min(step, abs(ahead))
            else:
                self._refuse()
        return self.q

    def _step(self, ahead: float, value: float) -> bool:
        tangent = self._tangent(self.q, self.tangent)
        guess = self.whole.moved(self.q, tangent * ahead)
        guess[self.at] = value
        there = newton(self.rows, guess, steps=20)
        moved = np.linalg.norm(tangent * ahead)
        if moved > 3 * AHEAD or not closed(self.rows, there):
            return False
        if np.linalg.norm(self.whole.system.difference(guess, there)) > 0.2 * moved:
            return False
        if not self._is_regular(there):
            if abs(ahead) > CROSSED:
                return False
            if self._branches_touch(there):
                self._refuse(branches_touch=True)
        new = self._tangent(there, tangent)
        if tangent @ new < SAME_WAY * np.linalg.norm(tangent) * np.linalg.norm(new):
            return False
        self.q, self.tangent = there, new
        return True

    def _slopes(self, q: Array) -> tuple[Array, Array]:
        """Of the rows along the other joints and along the input, measured by their usual lengths.

        Rows that vanish where branches meet are then small, whatever rounding leaves of them.
        """
        A = self.whole.slope(q)
        self.lengths = np.maximum(self.lengths, np.linalg.norm(A, axis=1))
        scale = np.maximum(self.lengths, _SHORT * self.lengths.max(initial=1e-300))
        A = A / scale[:, None]
        return A[:, self.rows.free], A[:, self.v]

    @staticmethod
    def _left(own: Array) -> Array:
        """Motions (columns) of the other joints that rows leave free, or nearly."""
        if not own.size:
            return np.eye(own.shape[1])
        _, sizes, Vt = np.linalg.svd(own)
        rank = int((sizes > NEAR_SINGULAR * sizes.max(initial=1e-300)).sum())
        return np.asarray(Vt[rank:].T)

    def _is_regular(self, q_ahead: Array) -> bool:
        """Whether no matrix from the rows here to those there is singular; not asked if these are.

        (1 - s) J + s J' is singular where J⁻¹ J' has an eigenvalue that is not above zero.
        """
        (J_here, _), (other, _) = self._slopes(self.q), self._slopes(q_ahead)
        if self._dependent(self.q, NEAR_SINGULAR):
            return True
        if self._dependent(q_ahead, NEAR_SINGULAR):
            return False
        rows_here, ahead = (np.vstack([A, self._left(J_here).T]) for A in (J_here, other))
        factors = np.linalg.eigvals(np.linalg.pinv(rows_here) @ ahead)
        return bool((np.abs(factors - 1.0) < REGULAR).all())

    def _branches_touch(self, q_ahead: Array) -> bool:
        """Whether branches that meet between here and there have, nearly, one direction.

        W A N of the motions N that are free there and of the rows W that are dependent is zero
        where they meet, and changes along the way by its second derivative.
        """
        count = self._dependent(self.q, NEAR_MEETING)
        if not count:
            return False
        A_here, ahead = (np.column_stack(self._slopes(q)) for q in (self.q, q_ahead))
        U, _, Vt = np.linalg.svd(A_here)
        rank = A_here.shape[1] - self.usual - 1 - count
        step = np.linalg.norm(self.whole.system.difference(self.q, q_ahead))
        rates = np.linalg.svd(U[:, rank:].T @ (ahead - A_here) @ Vt[rank:].T / step)[1]
        return bool(rates[count - 1] < NEAR_PARALLEL)

    def _dependent(self, q: Array, small: float) -> int:
        """How many rows that are independent elsewhere depend on others at q, or nearly."""
        A = np.column_stack(self._slopes(q))
        sizes = np.linalg.svd(A, compute_uv=False)
        return int((sizes[: A.shape[1] - self.usual - 1] <= small).sum())

    def _tangent(self, q: Array, before: Array | None) -> Array:
        """dq/d(input): of least norm; where the rows leave more than usual, most as before."""
        own, by_input = self._slopes(q)
        N = self._left(own)
        x = -np.linalg.pinv(own, rcond=NEAR_SINGULAR) @ by_input
        if N.shape[1] > self.usual and before is not None:
            x = x - N @ (N.T @ x) + N @ (N.T @ before[self.rows.free])
        elif N.shape[1] == self.usual:
            x = -np.linalg.pinv(own, rcond=1e-12) @ by_input if not self.usual else x
        tangent = np.zeros(len(x) + 1)
        tangent[self.rows.free], tangent[self.v] = x, 1.0
        return tangent

    def _kink(self) -> str:
        """What constraints have hardly ahead, if it is a kink or a jump."""
        away = np.copysign(CROSSED, self.aim - self.value) * self._tangent(self.q, self.tangent)
        start, end = (
            {"q": self.whole.moved(self.q, x * away)[None], "t": np.array([self.whole.t])}
            for x in (-1.0, 1.0)
        )
        found = kinks(self.whole.system, start, end)
        return found[0].told if found else ""

    def _progress_beyond(self) -> float:
        """How far ahead the input is on the curve of positions beyond; 0 where it is undecided."""
        if self.usual or self._dependent(self.q, NEAR_SINGULAR):  # no curve, or several
            return 0.0
        A, sign_of_aim = np.column_stack(self._slopes(self.q)), np.sign(self.aim - self.value)
        motion = np.zeros(A.shape[1])
        motion[[*self.rows.free, self.v]] = np.linalg.svd(A)[2][-1]
        motion *= np.sign(sign_of_aim * motion[self.v])
        for place in islice(along(self.whole, self.q, motion, STEP_BEYOND), 4):
            progress_of_input = sign_of_aim * (place.q[self.at] - self.value)
            if abs(progress_of_input) > CLEAR:
                return float(progress_of_input)
        return 0.0

    def _refuse(self, branches_touch: bool = False) -> None:
        """What is known of the position beyond which it could not be followed."""
        s, at = self.whole.system, f"{self.joint} = {round(self.value, 9) + 0.0:.6g}"
        fast = "where the other joints would have to move infinitely fast"
        kink, progress_beyond = self._kink(), 0.0 if branches_touch else self._progress_beyond()
        if kink:
            said = (
                f"its constraints have {kink} at {at}, where the velocities of the others jump; "
                "give values of one side of it, with q0= there"
            )
        elif progress_beyond < 0.0:
            said = f"it turns back at {self.joint} = {self.value:.9g}, {fast}"
        elif progress_beyond > 0.0:
            said = f"it goes on beyond {at}, {fast}; track from a position there"
        elif branches_touch:
            said = (
                f"branches of its motion touch at {at}, or are too near to be told apart, and "
                "which of them goes on is undecided; track from a position beyond"
            )
        else:
            said = f"whether it goes on beyond {at} is undecided"
        raise AssemblyError(
            f"{s.name!r} cannot follow {self.joint!r} to {self.aim:.6g} on this branch: {said}; "
            "error.q has that position",
            self.q,
            float(np.abs(self.rows.error(self.q)).max(initial=0.0)),
            self.joint,
            turns_back=progress_beyond < 0.0 and not kink,
        )
