"""Whether a linear system is stable, and by which argument: its energy, or its eigenvalues."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from visviva.motion.stability.quadratic import Quadratic
from visviva.motion.stability.spectrum import Spectrum

UNSTABLE, STAYS, DECAYS, DRIFTS, UNDECIDED = (
    "unstable",
    "stable",
    "asymptotically stable",
    "drifts",
    "undecided",
)
CARRIED_ON = (
    "motions that do not decay may move what stays, of which the linear system does not tell"
)
DIRICHLET = "the mechanism itself is stable too, as its energy never grows (Dirichlet)"


@dataclass(frozen=True)
class Stability:
    """A verdict and its argument; `of_the_mechanism` if it holds beyond the linear system."""

    status: str
    argument: str
    of_the_mechanism: bool
    neutral: bool = False  # equilibria go on along coordinates that stay where they are put

    def __str__(self) -> str:
        return f"{self.status}: {self.argument}"

    @property
    def of_rest(self) -> str:
        """What it says of the equilibrium: a status, or "undecided: " and why."""
        if self.status != STAYS or self.of_the_mechanism:
            return self.status
        return f"{UNDECIDED}: {self.argument}"


def stability(
    found: Spectrum,
    second: Quadratic | None,
    still: str,
    drift: str,
    flat: bool = False,
    giving: Callable[[], str] | None = None,
    sped_up: Callable[[], str] | None = None,
) -> Stability:
    """`still` and `drift` name the coordinates that stay where they are put, or drift.

    `flat` if that is so to first order alone: forces that come later decide then. `giving`
    tells why energy may grow beyond first order, "" if it never does, `sped_up` the same
    of what drifts; None of matrices alone.
    """
    if found.growing.any():
        return Stability(UNSTABLE, _growth(found, second), True)
    if flat:
        pushed = _pushed_away(second)
        said = f"forces along {still} are zero to first order, and not beyond: those of higher "
        said += "order decide, of which the linear system does not tell"
        return Stability(UNSTABLE if pushed else UNDECIDED, pushed or said, bool(pushed))
    if found.power > 1:
        on = _plural(drift, "goes", "go")
        said = f"{drift} {on} on faster and faster, as t^{found.power}, once disturbed"
        return Stability(UNSTABLE, said, False)
    pushed = _pushed_away(second)
    if pushed:
        return Stability(UNSTABLE, pushed, True)
    rest = _rest(found, second, still, giving)
    if not drift or rest.status == UNDECIDED:
        return rest
    if sped_up is not None and (why := sped_up()):
        return Stability(UNDECIDED, f"{drift} drifts to first order, and {why}", False)
    on = _plural(drift, "goes", "go")
    said = f"{drift} {on} on at a constant rate once disturbed, nothing grows faster"
    more = "" if rest.argument == _stays(drift) else f"; {rest.argument}"
    return Stability(DRIFTS, said + more, False)


def named_motions(names: Sequence[str], rates: Sequence[str]) -> str:
    """Coordinates, and the velocities of others, as a sentence has them."""
    said = [", ".join(names)] if names else []
    if rates:
        what = "the velocities of" if len(rates) > 1 else "the velocity of"
        said.append(f"{what} {', '.join(rates)}")
    return " and ".join(said)


def _plural(said: str, one: str, several: str) -> str:
    is_one = ", " not in said and " and " not in said
    return one if is_one else several


def _stays(still: str) -> str:
    return f"{still} {_plural(still, 'stays where it is', 'stay where they are')} put"


def of_parts(verdicts: Sequence[tuple[Stability, Sequence[str]]]) -> Stability:
    """Of parts that move without each other: the worst, and the arguments of all, worst first."""
    order = (UNSTABLE, UNDECIDED, DRIFTS, STAYS, DECAYS)
    worst = min((v.status for v, _ in verdicts), key=order.index)
    first = sorted(verdicts, key=lambda pair: order.index(pair[0].status))
    stays = [v.neutral for v, _ in verdicts if v.status == STAYS]
    mixed = any(stays) and not all(stays)  # what goes on may move what stays, and for ever
    kept = worst in (STAYS, DECAYS) and not mixed
    said = [
        f"{', '.join(names)}: {v.argument if kept else v.argument.removesuffix(f'; {DIRICHLET}')}"
        for v, names in first
    ]
    if mixed and worst == STAYS:  # the reason first
        said.insert(0, CARRIED_ON)
    beyond = [v.of_the_mechanism for v, _ in verdicts if v.status == worst]
    whole = any(beyond) if worst == UNSTABLE else all(beyond) and not mixed
    return Stability(worst, "; ".join(said), whole, all(stays) and worst == STAYS)


def _rest(
    found: Spectrum, second: Quadratic | None, still: str, giving: Callable[[], str] | None
) -> Stability:
    """Of a system in which nothing grows for certain, all that does not drift."""
    moving, decaying = found.eigenvalues[: found.moving], found.decaying[: found.moving]
    looked = giving is not None  # whether forces stay zero along them, beyond first order
    if decaying.all():
        if not len(moving):
            return Stability(STAYS, _stays(still), looked, True)
        rate = float(-moving.real.max())
        if still:
            said = f"all else decays, by {rate:.6g}/s and faster; {_stays(still)}"
            return Stability(STAYS, said, looked, True)  # along equilibria that go on (Malkin)
        said = f"all eigenvalues are to the left of {-rate:.6g}/s (Lyapunov's first method)"
        return Stability(DECAYS, said, True)
    if second is not None and "H" not in second.parts:
        _, level, down = second.stiffness_signs
        if not level and not down and second.damping_signs[0] == len(second.A1):
            said = "K > 0 and D > 0, so that ½ q̇ᵀM q̇ + ½ qᵀK q is used up in every motion"
            return Stability(DECAYS, said, True)
        if level and not still:
            said = f"K leaves {level} direction{'s' if level > 1 else ''} alone as far as rounding "
            said += "tells, and eigenvalues do not tell what moves in them"
            return Stability(UNDECIDED, said, False)
        if not down and not second.damping_signs[2]:
            why = None if giving is None else giving()
            bounded = why == "" and not level  # what goes on may move what stays, and for ever
            return Stability(STAYS, _energy(second, still if level else "", why), bounded)
    # F is like -F then: by reversing time, or by squares of eigenvalues alone
    mirrored = second is not None and {*second.parts} - {"K"} in ({*()}, {"G"}, {"H"})
    if mirrored and (decaying | found.on_axis()[: found.moving]).all():
        return Stability(STAYS, _axis(found, second), False)
    nearest = float(np.abs(moving.real).min())
    bound = float(found.bounds[: found.moving].max())
    return Stability(
        UNDECIDED,
        f"an eigenvalue is {nearest:.3g}/s from the imaginary axis, where rounding moves it by "
        f"{bound:.1g}/s: the linear system does not tell",
        False,
    )


def _pushed_away(second: Quadratic | None) -> str:
    """Why it is unstable by the signs of K alone, which are known where its growth is not."""
    if second is None or "H" in second.parts:
        return ""
    down = second.stiffness_signs[2]
    said = _pushes_away(second)
    if _has_negative_determinant(second):
        return f"{said}, an odd number, which no gyroscopic force mends"
    if down and "G" not in second.parts:
        return f"{said}, and there is no gyroscopic force"
    if down and second.damping_signs[0] == len(second.A1):
        return f"{said}, which no gyroscopic force mends where all is damped (Kelvin, Tait)"
    return ""


def _pushes_away(second: Quadratic) -> str:
    down = second.stiffness_signs[2]
    return f"K pushes away in {down} direction{'s' if down > 1 else ''}"


def _has_negative_determinant(second: Quadratic) -> bool:
    """Whether det K < 0, so that one eigenvalue is real and grows, whatever G and D are."""
    _, level, down = second.stiffness_signs
    return "H" not in second.parts and not level and down % 2 == 1


def _energy(second: Quadratic, still: str, giving: str | None) -> str:
    held = "is kept" if "D" not in second.parts else "never grows"
    known = f"½ q̇ᵀM q̇ + ½ qᵀK q, which {held}, bounds"
    if giving:  # the reason first: that the linear system is stable decides nothing
        sign, which = ("≥", f"all motions but of {still}") if still else (">", "every motion")
        alone = "so that only the linear system is known to be stable"
        return f"{giving}, {alone}: K {sign} 0, and {known} {which}"
    if still:
        said = f"K ≥ 0, so that {known} all motions but of {still}"
        return said if giving is None else f"{CARRIED_ON}: {said}"
    if giving is None:
        beyond = "a mechanism is stable too where its forces have a potential (Dirichlet)"
    else:
        beyond = DIRICHLET
    return f"K > 0, so that {known} every motion; {beyond}"


def _growth(found: Spectrum, second: Quadratic | None) -> str:
    z = found.eigenvalues[int(np.argmax(found.eigenvalues.real))]
    how = "diverges" if abs(z.imag) < 1e-9 * abs(z) else "flutters"
    said = f"it {how}, as exp({z.real:.6g} t)"
    if how == "flutters":
        said += f" at {abs(z.imag):.6g} rad/s"
    if second is not None and _has_negative_determinant(second):
        said += f"; {_pushes_away(second)}, an odd number, which no gyroscopic force mends"
    return said


def _axis(spectrum: Spectrum, second: Quadratic | None) -> str:
    zeros, its = (" but 0", "their ") if spectrum.zeros else ("", "")
    said = f"all eigenvalues{zeros} are on the imaginary axis, none of them double: {its}motions "
    said += "neither grow nor decay in the linear system, which says nothing of the mechanism "
    said += "itself"
    if second is not None and "G" in second.parts and second.stiffness_signs[2]:
        said += (
            f". {_pushes_away(second)}: gyroscopic forces hold it, and damping of all coordinates, "
            "however weak, destroys that (Kelvin, Chetaev)"
        )
    return said
