"""Actuators: motors at joints, thrusters and couples anywhere. Each pushes with one number f.

Together they make the generalized forces u = T(q) f (Choset et al., *Principles of Robot Motion*,
10.11); `visviva.equations.forces.actuators` has T.

Examples:
    >>> jet = Actuator.thruster("jet", "tool", [0.0, 0.0, 2.0], limits=(0.0, 30.0))
    >>> jet.direction, jet.axes
    (array([0., 0., 1.]), 'body')
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import Array, Scalars, frozen
from visviva.algebra.expr import Expr
from visviva.describe.constraints.held import check_ratio, stated_number
from visviva.describe.joints.joint import unit
from visviva.describe.model.body import Named
from visviva.describe.values import PLAIN, Value, at_values
from visviva.errors import ArgumentError, ShapeError, check_known

if TYPE_CHECKING:
    from visviva.describe.model.model import Model

ACTUATORS = ("motor", "thruster", "couple")
AXES = ("body", "world")
NO_LIMITS = (-np.inf, np.inf)


@dataclass(frozen=True, eq=False)
class Actuator(Value):
    """One actuator; `motor`, `thruster` and `couple` make them.

    A motor exerts gear · f on a joint, at the one of its velocities that `velocity` names. A
    thruster exerts the force f · direction at a point of a frame, a couple the torque
    f · direction; the direction is in the axes of the frame ("body") or of the world, the point in
    those of the frame. f lies between `lower` and `upper`.
    """

    name: str
    kind: str
    joint: str = ""
    velocity: str = ""
    gear: Any = 1.0
    frame: str = ""
    point: Array = field(default_factory=lambda: np.zeros(3))
    direction: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    axes: str = "body"
    lower: float = field(default=-np.inf, metadata=PLAIN)
    upper: float = field(default=np.inf, metadata=PLAIN)

    if TYPE_CHECKING:

        def __init__(
            self,
            name: str,
            kind: str,
            joint: str = "",
            velocity: str = "",
            gear: Any = 1.0,
            frame: str = "",
            point: Scalars = ...,
            direction: Scalars = ...,
            axes: str = "body",
            lower: float = ...,
            upper: float = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        for what, name, known in (("kind", self.kind, ACTUATORS), ("axes", self.axes, AXES)):
            check_known(f"{what} of actuator {self.name!r}", name, known)
        object.__setattr__(self, "direction", unit(self.direction))
        object.__setattr__(self, "point", frozen(self.point))
        if self.point.shape != (3,):
            raise ShapeError(
                f"actuator {self.name!r}: a point has 3 coordinates, got shape {self.point.shape}"
            )
        check_ratio(f"actuator {self.name!r}: the gear ratio", self.gear)
        if not self.lower <= self.upper:
            raise ArgumentError(
                f"actuator {self.name!r}: limits are a pair lower ≤ upper, "
                f"got ({self.lower}, {self.upper})"
            )

    @classmethod
    def motor(
        cls, name: str, joint: str, gear: Any = 1.0, limits: Any = NO_LIMITS, velocity: str = ""
    ) -> Actuator:
        """A torque (a force, where the joint slides) on a joint: gear · f.

        `gear` is the ratio of the motor's speed to the joint's, a number or a formula of the
        model's parameters, "n1*n2". `velocity` is needed where a joint has several, as "wx" of a
        ball.
        """
        lower, upper = _pair(name, limits)
        return cls(name, "motor", joint, velocity, gear, lower=lower, upper=upper)

    @classmethod
    def thruster(
        cls,
        name: str,
        frame: str,
        direction: Any,
        point: Any = (0.0, 0.0, 0.0),
        axes: str = "body",
        limits: Any = NO_LIMITS,
    ) -> Actuator:
        """A force along a direction, at a point of a frame."""
        return cls._on_frame("thruster", name, frame, direction, point, axes, limits)

    @classmethod
    def couple(
        cls, name: str, frame: str, direction: Any, axes: str = "body", limits: Any = NO_LIMITS
    ) -> Actuator:
        """A torque about a direction, on the body of a frame."""
        return cls._on_frame("couple", name, frame, direction, np.zeros(3), axes, limits)

    @classmethod
    def _on_frame(
        cls, kind: str, name: str, frame: str, direction: Any, point: Any, axes: str, limits: Any
    ) -> Actuator:
        at: dict[str, Any] = {"frame": frame, "point": point, "direction": direction, "axes": axes}
        lower, upper = _pair(name, limits)
        return cls(name, kind, **at, lower=lower, upper=upper)


class Actuators(Named[Actuator]):
    """The actuators of a model."""

    kind = "actuator"


def geared(model: Model, a: Any) -> Any:
    """An actuator whose gear is read as a formula of the model's parameters, where it is one."""
    if not isinstance(a, Actuator):
        return a
    gear = stated_number(model, f"gear of actuator {a.name!r}", a.gear)
    if isinstance(gear, Expr):
        check_ratio(f"actuator {a.name!r}: the gear ratio", at_values(gear, model.parameters))
    return a if gear is a.gear else replace(a, gear=gear)


def check_actuators(model: Model) -> None:
    """Names are unique, and what actuators act on is there."""
    seen: set[str] = set()
    for a in model.actuators:
        if not isinstance(a, Actuator):
            joint = [*model.joint_names, "joint"][0]
            line = f"model.with_actuators([vv.Actuator.motor('motor', {joint!r})])"
            raise ArgumentError(f"actuators are made first, got {a!r:.60}", cure=line)
        if a.name in seen:
            raise ArgumentError(f"model {model.name!r}: two actuators are called {a.name!r}")
        seen.add(a.name)
        if isinstance(a.gear, str):
            raise ArgumentError(
                f"the gear of actuator {a.name!r} is {a.gear!r}, which model.with_actuators reads "
                "as a formula"
            )
        if a.kind == "motor":
            motor_velocity(model, a)
        else:
            model.frame(a.frame)


def motor_velocity(model: Model, a: Actuator) -> int:
    """Which of its joint's velocities a motor drives."""
    known = model.bodies[model.joint_index(a.joint)].joint.velocities
    if not a.velocity and "" not in known:
        raise ArgumentError(
            f"motor {a.name!r}: joint {a.joint!r} has {len(known)} velocities, "
            f"say which one: velocity= one of {', '.join(known)}"
        )
    check_known(f"velocity of joint {a.joint!r}", a.velocity, known)
    return known.index(a.velocity)


def _pair(name: str, limits: Any) -> tuple[float, float]:
    try:
        lower, upper = map(float, limits)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"actuator {name!r}: limits are a pair (lower, upper), got {limits!r}"
        ) from None
    return lower, upper
