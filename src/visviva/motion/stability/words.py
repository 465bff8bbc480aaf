"""What is known of positions of rest, in words: the only place that has any."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.motion.stability.balance import Balance
from visviva.motion.stability.theorems import Status, Theorem, Verdict
from visviva.numerics.evidence import By, Enclosed, Proved, Reason, Undecided
from visviva.solve.following import STEP

PRINTED = 40  # rows
SHORT_INTERVAL = 1e-6  # an interval that is named by its middle
LEAST_WIDTH = 1e-9  # the least that is told of one
STEPS = f"by steps of {STEP} rad or m"
EVERYWHERE = "it {} everywhere that constraints let it be"
HOLDING = "those at which forces balance without {}, which hold it at others too"
OTHERS = {
    Reason.DRY_FRICTION: HOLDING,
    Reason.STOPS: HOLDING,
    Reason.DRIVEN: "those that constraints leave at rest, although they prescribe velocities: no "
    "steady motion with these is known, and v= states one",
}
REASONS = {
    Reason.DRY_FRICTION: "dry friction",
    Reason.STOPS: "stops",
    Reason.JUMP: "forces jump there",
    Reason.KINK: "slopes of forces jump there, as those of |q| at zero",
    Reason.SINGULAR: "coordinates are singular there: some motion has no inertia",
    Reason.STEEP: "slopes of forces have no bounds there",
    Reason.FLAT: "forces vanish to first order along {names}: those of higher order decide",
    Reason.CENTRE: "all eigenvalues are on the imaginary axis, to rounding, and no energy is least",
    Reason.GIVES_ENERGY: "{detail}",
    Reason.TIME: "its formulas depend on time",
    Reason.DRIVEN: "constraints prescribe velocities",
    Reason.BRANCHES: "branches of motions meet here",
    Reason.CARRIED_ON: "motions that do not decay may move what stays",
    Reason.OTHER: "{detail}",
}
THEOREMS = {
    Theorem.GROWS: "an eigenvalue is to the right of the imaginary axis (Lyapunov's first method)",
    Theorem.POWER: "it grows as a power of time",
    Theorem.ODD: "the stiffness pushes away in an odd number of directions (Kelvin)",
    Theorem.PUSHED: "the stiffness pushes away, and no gyroscopic force mends that (Kelvin, Tait)",
    Theorem.DECAYS: "all eigenvalues are to the left of the imaginary axis (Lyapunov)",
    Theorem.DAMPED: "stiffness and damping are positive (Kelvin, Tait, Chetaev)",
    Theorem.ENERGY: "its energy is least there, and never grows (Dirichlet)",
    Theorem.FREE: "{names} moves on at a constant rate: nothing depends on it",
    Theorem.MALKIN: "{names} stays where it is put, and all else decays",
}


def verdict(x: Verdict) -> str:
    """A status; if it is undecided with the reason."""
    if not isinstance(x.evidence, Undecided):
        return str(x.status)
    said = REASONS[x.evidence.reason].format(names=", ".join(x.names), detail=x.evidence.detail)
    own = f"{', '.join(x.names)}: " if x.is_part else ""
    return f"{Status.UNDECIDED}: {own}{said}"


def argument(x: Verdict) -> str:
    """Why, in a sentence."""
    return verdict(x) if x.theorem is None else THEOREMS[x.theorem].format(names=", ".join(x.names))


def completeness(found: Any) -> str:
    """Whether there are others, and how that is known."""
    said = _search(found)
    if isinstance(found.others, Undecided) and not found.is_everywhere:
        which = " ".join([REASONS[found.others.reason], found.others.detail]).strip()
        more = "" if isinstance(found.search, Proved) else f"; {said}"
        return f"{OTHERS[found.others.reason].format(which)}{more}."
    return f"{said}."


def _search(found: Any) -> str:
    known, some = found.search, bool(found.rests)
    if found.system.held_by:
        return _of_constrained(found)
    if not len(found.forces.unknown):
        how = "proved" if isinstance(known, Proved) else "to rounding"
        if some:
            return f"it rests everywhere, {how}: no force depends on the position"
        return f"there is none, {how}: forces are left over, and no position changes them"
    if isinstance(known, Proved) and known.by is By.THEOREM:
        return (
            "there is none, proved: a force is the same at all positions, as that of the weight "
            "along a direction of space in which nothing else acts (momentum)"
        )
    if isinstance(known, Proved):
        claim = "these are all, proved" if some else "there is none, proved"
        return f"searched everywhere{_within(found)}, by intervals: {claim}"
    if isinstance(known, Enclosed):
        claim = "there are no others" if some else "there is none"
        return f"searched everywhere{_within(found)}, by intervals: {claim}, proved, {_but(found)}"
    if found.forces.cancelled.any():
        return "all that was found, where forces cancel to rounding only: not proved"
    return f"those that {found.starts} random starts led to; there may be more"


def _of_constrained(found: Any) -> str:
    if found.is_everywhere and isinstance(found.search, Proved):
        return f"{EVERYWHERE.format('rests')}, proved: no force acts on it"
    if found.is_everywhere:
        return (
            f"{EVERYWHERE.format('seems to rest')}, not proved: no force acted along its motions "
            "wherever it was looked"
        )
    walked, count = "", 0 if found.curves is None else found.curves.curves
    if count:
        way = "round" if found.curves.are_cycles else "along"
        walked = f", or a walk {STEPS} {way} {count} curve{'s' * (count > 1)}"
    return f"those that {found.starts} random starts led to{walked}; there may be more"


def _but(found: Any) -> str:
    """Outside of which boxes."""
    boxes = found.search.boxes
    if not np.isfinite(boxes).all():
        away = np.maximum(np.maximum(boxes[:, 0], -boxes[:, 1]), 0.0).max(axis=1)
        far, boxes = away.min(), boxes[np.isfinite(boxes).all(axis=(1, 2))]
        if not len(boxes) and far > 0:
            return (
                f"but perhaps farther than {_rounded(far, ROUND_FLOOR)} from the neutral position"
            )
        boxes = found.search.boxes
    if len(boxes) > 3:
        return f"but perhaps in {len(boxes)} regions that are not decided (.search.boxes)"
    names = [found.system.motion_names[k] for k in found.forces.unknown]
    origin = found.forces.start[found.forces.unknown]
    places = [_box(names, box + origin) for box in boxes]
    return f"but perhaps where {' or where '.join(places)}"


def _box(names: list[str], box: Array, outer: bool = True) -> str:
    """Inequalities, rounded so that what they describe is no smaller than a box; or no larger."""
    round_low, round_high = (ROUND_FLOOR, ROUND_CEILING) if outer else (ROUND_CEILING, ROUND_FLOOR)
    parts = []
    for name, low, high in zip(names, *box, strict=True):
        if outer and high - low < SHORT_INTERVAL:
            parts.append(_point(name, low, high))
        elif np.isfinite([low, high]).any():
            left = f"{_rounded(low, round_low)} < " if np.isfinite(low) else ""
            right = f" < {_rounded(high, round_high)}" if np.isfinite(high) else ""
            parts.append(f"{left}{name}{right}" if right else f"{name} > {left[:-3]}")
    return " and ".join(parts) or f"{', '.join(names)} is anything"


def _point(name: str, low: float, high: float) -> str:
    """All of a short interval is within its width of its middle, which has as few decimals."""
    width, middle = max(high - low, LEAST_WIDTH), low / 2 + high / 2
    candidates = (round(middle, k) + 0.0 for k in range(20))
    centre = next((x for x in candidates if abs(x - middle) <= width / 2), middle)
    exact = str(float(centre)).removesuffix(".0")
    return f"{name} is within {_rounded(width, ROUND_CEILING)} of {exact}"


def _rounded(x: float, rounding: str) -> str:
    """A number with nine decimals, or ten digits, rounded down or up."""
    exact = Decimal(float(x))
    last = Decimal(1).scaleb(-min(9, 9 - exact.adjusted()))
    return f"{float(exact.quantize(last, rounding, Context(prec=400))) + 0.0:.15g}"


def _within(found: Any) -> str:
    s, free = found.system, found.forces.unknown
    names, bounded = (
        s.motion_names,
        np.isfinite(s.lower) | np.isfinite(s.upper) if not s.charts else [],
    )
    limited = any(bounded[k] and names[k] not in found.bounds for k in free)
    kinds = [*(["limits"] if limited else []), *(["the bounds given"] if found.bounds else [])]
    return f" within {' and '.join(kinds)}" if kinds else ""


def notes(found: Any) -> tuple[str, ...]:
    """Of coordinates that are free, and positions that are not told apart."""
    forces, made = found.forces, []
    will_do = ": any value will do" if found.rests else ""
    names = np.array(found.system.motion_names)
    if found.passing:
        made.append(f"forces balance for a moment only at {found.passing} more")
    if forces.idle.any():
        made.append(f"nothing depends on {', '.join(names[forces.idle])}{will_do}")
    if forces.cancelled.any():
        free = ", ".join(names[forces.cancelled])
        made.append(f"forces cancel, to rounding, whatever {free} is{will_do}")
    unknown = forces.unknown
    for q, stretch, free in () if found.curves is None else found.curves.rests:
        ends = (_numbers(x.q) for x in (stretch.places[0], stretch.places[-1]))
        where = "" if stretch.is_whole else f", from {' to '.join(ends)}"
        made.append(
            f"through {_numbers(q)} it moves{where}, and no force acts along that wherever it was "
            f"looked, {STEPS}: any value of {', '.join(free)} will do there"
        )
    if found.rests and isinstance(forces, Balance) and forces.has_too_few_rows:
        made.append("there are more unknowns than equations: beside each of these others are")
    for x in () if found.system.held_by else found.rests:
        if x.fills:
            region = _box(list(names[unknown]), x.around + forces.start[unknown], outer=False)
            made.append(f"it rests in all of a region, {region}, proved")
        elif len(unknown) and not x.radius:
            made.append("some are perhaps not isolated: forces vanish to first order along a way")
    return tuple(dict.fromkeys(made))


def _numbers(q: Array) -> str:
    return np.array2string(np.round(q, 6) + 0.0, precision=6, suppress_small=True)  # no -0


def listing(found: Any) -> str:
    """All of it, a line for each."""
    steady = bool(np.any(found.forces.v))
    kind, ends = ("steady motion", ("", "s")) if steady else ("equilibri", ("um", "a"))
    lines = [f"{found.system.name}: {len(found)} {kind}{ends[len(found) != 1]}. {found.why}"]
    for q, x in list(zip(found.q, found.verdicts, strict=True))[:PRINTED]:
        lines.append(f"  {_numbers(q)}  {verdict(x)}")
    more = [f"  … and {len(found) - PRINTED} more"] if len(found) > PRINTED else []
    return "\n".join([*lines, *more, *(f"  note: {x}" for x in found.notes)])
