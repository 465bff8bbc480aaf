"""Whether a position of rest is stable: theorems of mechanics, tried one after the other.

Mass, damping and stiffness are enclosed on a box in which the position of rest is; signs of these
matrices, and eigenvalues with bounds, are the premises. The first theorem that applies decides; if
none does, that is the verdict, with the reason. Coordinates that move without the others are
judged by themselves, and the worst of them counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, auto
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import vector
from visviva.machine.function import Function, function
from visviva.machine.kinks import is_dry
from visviva.motion.stability.balance import Balance
from visviva.motion.stability.flat import giving
from visviva.motion.stability.place import Place, weighed
from visviva.motion.stability.quadratic import Quadratic
from visviva.motion.stability.rest import FUZZY, Forces, Rest
from visviva.motion.stability.spectrum import Spectrum, spectrum
from visviva.motion.stability.verdict import Stability
from visviva.numerics.evidence import By, Evidence, Proved, Reason, Sampled, Undecided
from visviva.numerics.intervals import CONTINUOUS, DEFINED, EPS, Enclosure, enclose
from visviva.numerics.rank import signs

WIDER_BOX = 1e4  # times the box: slopes of smooth forces differ by as much more
SMOOTH_CHANGE = 0.01  # of that: less is a slope that is continuous, as of v |v|


class Status(StrEnum):
    """What small disturbances do, the worst first."""

    UNSTABLE = "unstable"
    UNDECIDED = "undecided"
    DRIFTS = "drifts"
    STABLE = "stable"
    DECAYS = "asymptotically stable"


class Theorem(Enum):
    """What a verdict rests on."""

    GROWS = auto()  # an eigenvalue to the right (Lyapunov's first method)
    POWER = auto()  # a chain of zero eigenvalues: as a power of time
    ODD = auto()  # K pushes away in an odd number of directions (Kelvin)
    PUSHED = auto()  # K pushes away, and nothing gyroscopic holds, or all is damped
    DECAYS = auto()  # all eigenvalues to the left (Lyapunov's first method)
    DAMPED = auto()  # K > 0 and D > 0 (Kelvin, Tait, Chetaev)
    ENERGY = auto()  # energy is least, and never grows (Lagrange, Dirichlet)
    FREE = auto()  # nothing depends on what moves on
    MALKIN = auto()  # positions of rest go on, and all else decays


@dataclass(frozen=True)
class Verdict:
    """A status, by which theorem, and how well its premises are known."""

    status: Status
    theorem: Theorem | None
    evidence: Evidence
    names: tuple[str, ...] = ()
    is_part: bool = False  # whether others move without these


@dataclass(frozen=True, eq=False)
class Motions:
    """Coordinates that move without the others, to first order."""

    matrices: Quadratic
    free: int  # how many of them nothing depends on
    names: tuple[str, ...]
    gives_energy: Callable[[], str]

    @cached_property
    def spectrum(self) -> Spectrum:
        """Of the state matrix, with bounds of errors."""
        m = self.matrices
        return spectrum(m.state_matrix, m.level, m.state_noise)

    @property
    def has(self) -> str:
        """Which of D, G, K, H there are."""
        return self.matrices.parts

    @property
    def is_flat(self) -> bool:
        """Whether forces vanish to first order along more directions than are free."""
        return self.matrices.stiffness_signs[1] > self.free


def judge_rest(forces: Forces, rest: Rest) -> Verdict:
    """The verdict on one position of rest."""
    s = forces.system
    if any("t" in s.function(x).inputs for x in ("bias_forces", "mass_matrix")):
        return undecided(Reason.TIME)
    why = jump_of(forces, rest)
    if why is not None:
        return undecided(why)
    M, _, slopes = _enclosed(forces, rest, 1.0)
    n = s.nv
    if signs(M.middle[0], M.radius[0])[0] < n:
        return undecided(Reason.SINGULAR)
    off = slopes.radius[0] + np.hstack([weighed(s, rest.q, {})[1], np.zeros((n, n))])
    K, D = slopes.middle[0][:, :n], slopes.middle[0][:, n:]
    whole = Quadratic(M.middle[0], D, K, (off[:, n:], off[:, :n]), is_exact=False)
    place = Place(s, rest.q, forces.v, forces.tau, forces.t, {})
    free = forces.idle | forces.cancelled
    if rest.fills:  # forces are zero all around it
        free = free | np.isin(np.arange(n), forces.unknown)
    names = np.array(s.motion_names)
    parts = [
        Motions(whole.block(some), int(free[some].sum()), tuple(names[some]), lambda: giving(place))
        for some in whole.blocks
    ]
    known: Evidence = Sampled(1) if forces.cancelled.any() else Proved(By.THEOREM)
    return _worst([_judge(part) for part in parts], known)


def jump_of(forces: Forces | Balance, rest: Rest) -> Reason | None:
    """Why forces have no linear part at a position: a jump of them or of their slopes."""
    M, f, slopes = _enclosed(forces, rest, 1.0)
    if not (f.deco >= CONTINUOUS).all():
        is_rough = is_dry(forces.system.function("bias_forces"))
        return Reason.DRY_FRICTION if is_rough else Reason.JUMP
    if not (slopes.is_finite.all() and M.is_finite.all()) or (slopes.deco < DEFINED).any():
        return Reason.STEEP
    if (slopes.deco < CONTINUOUS).any():
        near, far = slopes.radius, _enclosed(forces, rest, WIDER_BOX)[2].radius
        if (near > SMOOTH_CHANGE * far + 64 * EPS * float(np.abs(slopes.middle).max())).any():
            return Reason.KINK
    return None


def _enclosed(
    forces: Forces | Balance, rest: Rest, times: float
) -> tuple[Enclosure, Enclosure, Enclosure]:
    """M, f and ∂f/∂(q, v) on a box in which the position is, or one that is so much wider."""
    s = forces.system
    known = max(rest.radius, 8 * EPS * (1.0 + float(np.abs(rest.q).max(initial=0.0))))
    low, high = np.full((2, 1, 2 * s.nv), known)
    if (
        isinstance(forces, Forces)
        and rest.around is not None
        and not rest.fills | bool(rest.radius)
    ):
        step = forces.step_to(rest.q)
        low[0, forces.unknown] = np.minimum(step - rest.around[0], FUZZY) + known
        high[0, forces.unknown] = np.minimum(rest.around[1] - step, FUZZY) + known
    made = [enclose(x, rest.q, -times * low, times * high) for x in _functions(forces)]
    return made[0], made[1], made[2]


def _functions(forces: Forces | Balance) -> tuple[Function, Function, Function]:
    kept: dict[str, tuple[Function, Function, Function]]
    kept = forces.__dict__.setdefault("_about", {})
    if not kept:
        s, n = forces.system, forces.system.nv
        bias, M = s.function("bias_forces", wrenches=forces.loads.frames), s.function("mass_matrix")

        def force(q: Any, z: Any) -> Any:
            known = {"q": s.integrate(q, z[:n]), "v": z[n:] + forces.v, "t": forces.t}
            known["wrenches"] = forces.loads.wrenches
            return vector(bias._evaluated([known[k] for k in bias.inputs], "a rest")) - forces.tau

        def mass(q: Any, z: Any) -> Any:
            known = {"q": s.integrate(q, z[:n]), "v": z[n:] + forces.v, "t": forces.t}
            return M._evaluated([known[k] for k in M.inputs], "a rest")

        sizes = {"q": s.nq, "z": 2 * n}
        f = function(force, sizes, name="force")
        kept["all"] = function(mass, sizes, name="mass"), f, f.jacobian("z")
    return kept["all"]


# --- theorems, in the order in which they are tried ----------------------------------------------


def _grows(p: Motions) -> Verdict | None:
    return _proved(Status.UNSTABLE, Theorem.GROWS) if p.spectrum.growing.any() else None


def _pushed(p: Motions) -> Verdict | None:
    _, level, away = p.matrices.stiffness_signs
    if "H" in p.has or not away:
        return None
    if away % 2 and not level:
        return _proved(Status.UNSTABLE, Theorem.ODD)
    if "G" not in p.has or p.matrices.damping_signs[0] == len(p.names):
        return _proved(Status.UNSTABLE, Theorem.PUSHED)
    return None


def _flat(p: Motions) -> Verdict | None:
    return undecided(Reason.FLAT, p.names) if p.is_flat else None


def _power(p: Motions) -> Verdict | None:
    return _proved(Status.UNSTABLE, Theorem.POWER) if p.spectrum.power > 1 else None


def _decays(p: Motions) -> Verdict | None:
    found = p.spectrum
    if found.zeros or not found.decaying[: found.moving].all():
        return None
    return _proved(Status.DECAYS, Theorem.DECAYS)


def _damped(p: Motions) -> Verdict | None:
    _, level, away = p.matrices.stiffness_signs
    if "H" in p.has or level or away or p.matrices.damping_signs[0] < len(p.names):
        return None
    return _proved(Status.DECAYS, Theorem.DAMPED)


def _free(p: Motions) -> Verdict | None:
    """Of parts with free coordinates, whether they go on or stay where they are put."""
    found = p.spectrum
    if not p.free:
        return None
    decays = bool(found.decaying[: found.moving].all())
    if found.power:
        if why := p.gives_energy():
            return undecided(Reason.GIVES_ENERGY, p.names, why)
        return _proved(Status.DRIFTS, Theorem.FREE)
    return (
        _proved(Status.STABLE, Theorem.MALKIN) if decays else undecided(Reason.CARRIED_ON, p.names)
    )


def _energy(p: Motions) -> Verdict | None:
    _, level, away = p.matrices.stiffness_signs
    if "H" in p.has or level or away or p.matrices.damping_signs[2]:
        return None
    if why := p.gives_energy():
        return undecided(Reason.GIVES_ENERGY, p.names, why)
    return _proved(Status.STABLE, Theorem.ENERGY)


IN_ORDER = (_grows, _pushed, _flat, _power, _decays, _damped, _free, _energy)


def _judge(p: Motions) -> Verdict:
    made = next((x for x in (theorem(p) for theorem in IN_ORDER) if x is not None), None)
    return replace(made or undecided(Reason.CENTRE), names=p.names)


def _worst(verdicts: list[Verdict], known: Evidence) -> Verdict:
    """Of parts: the worst; what goes on for ever may move what stays."""
    order = list(Status)
    worst = min(verdicts, key=lambda x: order.index(x.status))
    stays = [x.theorem is Theorem.MALKIN for x in verdicts if x.status is Status.STABLE]
    if worst.status is Status.STABLE and any(stays) and not all(stays):
        return undecided(Reason.CARRIED_ON, worst.names)
    worst = replace(worst, is_part=len(verdicts) > 1)
    is_proved = isinstance(worst.evidence, Proved)
    return replace(worst, evidence=known) if is_proved else worst


def _proved(status: Status, theorem: Theorem) -> Verdict:
    return Verdict(status, theorem, Proved(By.THEOREM))


def undecided(reason: Reason, names: tuple[str, ...] = (), detail: str = "") -> Verdict:
    """The verdict where no theorem applies."""
    return Verdict(Status.UNDECIDED, None, Undecided(reason, detail), names)


def verdict_of(linear: Stability) -> Verdict:
    """That of a linear system, about the mechanism itself."""
    status = Status(linear.of_rest.partition(":")[0])
    if status is Status.UNDECIDED:
        return undecided(Reason.OTHER, detail=linear.argument)
    return Verdict(status, None, Proved(By.THEOREM))
