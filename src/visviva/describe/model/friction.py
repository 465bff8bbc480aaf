"""Laws of friction: stiction, Coulomb, Stribeck and viscous friction, and LuGre's bristles.

F = sgn(v) (F_c + (F_s - F_c) exp(-(v/v_s)²)) + β v: Bona, *Rigid Body Dynamics*, (90), (91) and
figure 17.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import is_numeric
from visviva.algebra.generic import absolute, exp, sign
from visviva.describe.values import Value
from visviva.drawing.curves import curve_chart
from visviva.drawing.look import COLOURS
from visviva.errors import ArgumentError
from visviva.hints import as_typed

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure


@dataclass(frozen=True, eq=False)
class Friction(Value):
    """Friction of a joint: `coulomb` F_c, `stiction` F_s, `viscous` β, `stribeck` the speed v_s.

    Forces in N or N m, speeds in m/s or rad/s. Without `stiction`, F_s is F_c. Without `stribeck`,
    what stiction has more acts at rest alone. At v = 0 the force is whatever holds the joint, of
    at most F_s; `force` is 0 there.

    Examples:
        >>> law = Friction(1.0, stiction=1.5, viscous=0.4, stribeck=0.1)
        >>> round(law.force(0.05), 9), law.force(1.0), law.static_limit
        (1.409400392, 1.4, 1.5)
    """

    coulomb: Any = 0.0
    stiction: Any = field(default=0.0, kw_only=True)
    viscous: Any = field(default=0.0, kw_only=True)
    stribeck: Any = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        check_numbers(self, "a law of friction")
        check_stiction("a law of friction", self.coulomb, self.stiction, self.stribeck)

    @property
    def static_limit(self) -> Any:
        """The largest force at rest: F_s, or F_c where none is stated."""
        return self.coulomb if _is_none(self.stiction) else self.stiction

    def force(self, v: Any) -> Any:
        """F(v), against the motion; over any scalar and over arrays, 0 at rest."""
        return dry_force(self.coulomb, self.stiction, self.stribeck, v) + self.viscous * v

    def plot(self, speed: float | None = None) -> Figure:
        """The curve of figure 17 (a plotly figure), from -speed to speed."""
        return curve_figure(self, speed)


@dataclass(frozen=True, eq=False)
class LuGre(Value):
    """Friction of bristles (Canudas de Wit, Olsson, Åström, Lischinsky 1995), with a state z.

    ż = v - σ0 |v| z / g(v), F = σ0 z + σ1 ż + σ2 v, g = F_c + (F_s - F_c) exp(-(v/v_s)²). A joint
    of a model has no such state: `with_bristles` of a model carries it along a motion, and `steady`
    is the law that is left when v stays.

    Examples:
        >>> bristles = LuGre(1.0, stiction=1.5, stribeck=0.1, stiffness=1e5, damping=300.0)
        >>> z = bristles.steady_deflection(0.05)
        >>> bristles.deflection_rate(z, 0.05), round(bristles.force(z, 0.05), 9)
        (0.0, 1.389400392)
    """

    coulomb: Any
    stiction: Any = field(default=0.0, kw_only=True)
    viscous: Any = field(default=0.0, kw_only=True)  # σ2
    stribeck: Any = field(default=0.0, kw_only=True)
    stiffness: Any = field(kw_only=True)  # σ0
    damping: Any = field(default=0.0, kw_only=True)  # σ1

    def __post_init__(self) -> None:
        what = "LuGre's friction"
        check_numbers(self, what)
        check_stiction(what, self.coulomb, self.stiction, self.stribeck)
        for name in ("coulomb", "stiffness"):
            x = getattr(self, name)
            if is_numeric([x]) and not x > 0:
                raise ArgumentError(f"{what}: {name} is positive, got {x}")

    @property
    def steady(self) -> Friction:
        """What is left at a constant speed."""
        return Friction(
            self.coulomb, stiction=self.stiction, viscous=self.viscous, stribeck=self.stribeck
        )

    def steady_deflection(self, v: Any) -> Any:
        """z at which ż = 0."""
        return dry_force(self.coulomb, self.stiction, self.stribeck, v) / self.stiffness

    def deflection_rate(self, z: Any, v: Any) -> Any:
        """ż = v - σ0 |v| z / g(v)."""
        bounded = dry_size(self.coulomb, self.stiction, self.stribeck, v)
        return v - absolute(v) * (self.stiffness * z / bounded)

    def force(self, z: Any, v: Any) -> Any:
        """F = σ0 z + σ1 ż + σ2 v, against the motion."""
        return self.stiffness * z + self.damping * self.deflection_rate(z, v) + self.viscous * v

    def plot(self, speed: float | None = None) -> Figure:
        """The curve of the steady law (a plotly figure), from -speed to speed."""
        return curve_figure(self.steady, speed)


def check_laws(friction: Any, joints: Mapping[str, Any]) -> None:
    """Refuse words of a law of friction among joints, with the line that has the law."""
    of_law = {k: x for k, x in joints.items() if k in ("stiction", "stribeck")}
    if of_law:
        more = "".join(f", {k}={as_typed(x)}" for k, x in of_law.items())
        named = [k for k in joints if k not in of_law]
        each = ", ".join(f"{k}=vv.Friction({as_typed(joints[k])}{more})" for k in named)
        law = f"vv.Friction({as_typed(1.0 if friction is None else friction)}{more})"
        line = f"model.with_friction({each or law})"
        raise ArgumentError(f"{next(iter(of_law))}= is part of a law", cure=line)


def joint_numbers(law: Friction) -> dict[str, Any]:
    """A law by the words that bodies have for it."""
    return {
        "damping": law.viscous,
        "friction": law.coulomb,
        "stiction": law.stiction,
        "stribeck": law.stribeck,
    }


def dry_size(coulomb: Any, stiction: Any, stribeck: Any, v: Any) -> Any:
    """g(v) = F_c + (F_s - F_c) exp(-(v/v_s)²); without F_s or v_s it is F_c."""
    if _is_none(stiction) or _is_none(stribeck):
        return coulomb
    slow = v / stribeck
    return coulomb + (stiction - coulomb) * exp(-(slow * slow))


def dry_force(coulomb: Any, stiction: Any, stribeck: Any, v: Any) -> Any:
    """sgn(v) g(v), 0 at rest."""
    return sign(v) * dry_size(coulomb, stiction, stribeck, v)


def check_numbers(law: Any, what: str) -> None:
    """Refuse numbers that are not finite, or negative; parameters have no values yet."""
    for item in fields(law):
        x = getattr(law, item.name)
        check_unloaded(f"{what}: {item.name} is one number", x)
        if np.ndim(x):
            raise ArgumentError(f"{what}: {item.name} is one number, got {x!r}")
        if is_numeric([x]) and not (np.isfinite(float(x)) and x >= 0):
            raise ArgumentError(f"{what}: {item.name} is finite and not negative, got {x}")


UNLOADED = (
    "Friction that depends on the load, μ N, is not modelled: with it motions can have no "
    "continuation or several (Painlevé). Give the force of friction at the load that you expect"
)


def check_unloaded(what: str, x: Any) -> None:
    """Refuse texts, tables and functions: what depends on the load is not modelled."""
    if isinstance(x, (str, Mapping)) or callable(x):
        raise ArgumentError(f"{what}, got {x!r:.60}. {UNLOADED}")


def check_stiction(what: str, coulomb: Any, stiction: Any, stribeck: Any) -> None:
    """F_s is not below F_c, and acts on something."""
    if not is_numeric([coulomb, stiction, stribeck]):
        return
    for name, x in (("stiction", stiction), ("stribeck", stribeck)):
        if not (np.isfinite(float(x)) and x >= 0):
            raise ArgumentError(f"{what}: {name} is finite and not negative, got {x}")
    if 0 < stiction < coulomb:
        raise ArgumentError(
            f"{what}: stiction F_s is at least the Coulomb friction F_c, got {stiction} and "
            f"{coulomb}"
        )
    if stribeck > 0 and not stiction > 0:
        raise ArgumentError(f"{what}: the Stribeck speed {stribeck} does nothing without stiction")
    if stiction > 0 and not (coulomb > 0 or stribeck > 0):
        raise ArgumentError(
            f"{what}: stiction {stiction} without Coulomb friction needs a Stribeck speed, within "
            "which it fades"
        )


def _is_none(x: Any) -> bool:
    return is_numeric([x]) and bool(x == 0)


def curve_figure(law: Friction, speed: float | None = None) -> Figure:
    """The force over the velocity, and what stiction holds at rest: Bona, figure 17."""
    if not is_numeric([law.coulomb, law.stiction, law.viscous, law.stribeck]):
        raise ArgumentError("plot: a curve of friction needs numbers, and the law has parameters")
    end = float((10 * law.stribeck or 1.0) if speed is None else speed)
    if not (np.isfinite(end) and end > 0):
        raise ArgumentError(f"plot: the largest speed is positive, got {speed}")
    v = end * np.concatenate([[1e-9], np.linspace(0, 1, 401)[1:] ** 2])  # finer where it is slow
    F, most = np.asarray(law.force(v), dtype=float), float(law.static_limit)
    lines = [(way * v, way * F, f"v {'<>'[way > 0]} 0") for way in (1.0, -1.0)]
    fig = curve_chart(repr(law), lines, "v [m/s or rad/s]", "F [N or N m]")
    dashed = {"color": COLOURS[0], "dash": "dash"}
    fig.update_traces(line_color=COLOURS[0])
    held = {"x": [0, 0], "y": [-most, most], "name": "at rest: up to F_s"}
    fig.add_scatter(**held, mode="lines", line=dashed)
    return fig
