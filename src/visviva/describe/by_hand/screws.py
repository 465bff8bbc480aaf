"""Serial arms by screws: T(q) = exp(S₁ q₁) … exp(Sₙ qₙ) M, the product of exponentials.

A screw S = (ω, v) is a twist in the space frame while the arm is at home (q = 0): |ω| = 1 for a
turn about a line through r, v = -ω × r + h ω with the pitch h; ω = 0 and |v| = 1 for a shift. M is
the pose of the tool at home. Notation as in Lynch and Park, *Modern Robotics*, section 4.1.

The frame of every link coincides with the space frame at home, unless `link_homes` says where it
is; inertias are given in it, and the model calls it "screw1" … "screwn". (The body frame, which has
to lie on the joint's axis, is parallel to the space frame at home.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.algebra.expr import Expr, names_in
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.by_hand.stated import list_of, parameter_values, read_row
from visviva.describe.joints.axis import Helical, Prismatic, Revolute
from visviva.describe.joints.joint import Joint
from visviva.describe.model.model import GRAVITY, Model
from visviva.describe.values import at_values, leaves, mapped
from visviva.errors import ArgumentError, ShapeError, check_known
from visviva.foreign import explained
from visviva.space.poses import Pose, as_pose
from visviva.space.rotations import cross

UNIT_SCREW = 1e-9  # how far from one the length of a screw may be
PITCH = 1e-12  # what is taken for a turn: rounding of v = -ω × r


@dataclass(frozen=True, eq=False)
class Screws:
    """An arm as screws: what `from_screws` takes and `to_screws` gives."""

    home: Pose
    screws: Array  # n × 6
    inertias: tuple[Inertia, ...]  # in the space frame, at home
    details: tuple[Mapping[str, Any], ...] = ()
    name: str = "arm"
    gravity: Array = field(default_factory=lambda: np.array(GRAVITY))
    parameters: Mapping[str, float] = field(default_factory=dict)

    def model(self) -> Model:
        """The arm as a model, with the frame "tool" at its end."""
        return from_screws(
            self.home,
            self.screws,
            inertias=self.inertias,
            name=self.name,
            gravity=self.gravity,
            parameters=self.parameters,
            details=self.details,
        )


@explained
def from_screws(
    home: Any,
    screws: Any,
    *,
    inertias: Sequence[Inertia | None] | None = None,
    link_homes: Sequence[Any] | None = None,
    name: str = "arm",
    gravity: Any = GRAVITY,
    limits: Sequence[Any] | None = None,
    parameters: Mapping[str, float] | None = None,
    details: Sequence[Mapping[str, Any]] | None = None,
) -> Model:
    """A serial arm from the home pose of its tool and its n space screws (ω, v).

    Numbers, or expressions over `parameters`, also as texts ("-L"). `inertias` are in the link
    frames: the space frame at home, or `link_homes`. `details` holds what else `Builder.body`
    takes, one mapping per joint: names, damping, friction, armature. The tool is the frame "tool".

    Examples:
        >>> arm = from_screws(np.eye(4), [[0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0]])
        >>> [type(b.joint).__name__ for b in arm.bodies]
        ['Revolute', 'Prismatic']
    """
    form = "are n rows (ω, v) of 6 numbers"
    rows, values = list_of("screws", form, screws), parameter_values(parameters)
    if not rows:
        raise ShapeError(f"screws {form}, got none")
    b = Builder(name, gravity=gravity, parameters=values)
    row = "is a row (ω, v) of 6 numbers"
    S = [read_row(b.formula, f"screw {i + 1}", row, x, 6) for i, x in enumerate(rows)]
    n = len(S)
    masses = link_inertias(b, inertias, n)
    homes = per_joint("link_homes", link_homes, n, np.eye(4))
    frames = [mapped(b.number, as_pose(X)) for X in homes]
    previous, before = "", np.zeros(3)
    for i, options in enumerate(joint_details(details, limits, n)):
        joint, r = _joint(b, i, [b.number(x) for x in S[i]], values)
        link = Pose(frames[i].R, frames[i].p - r)
        inertia = masses[i].moved(link.R, link.p)
        b.body(**options, parent=previous, joint=joint, at=r - before, inertia=inertia)
        b.frame(f"screw{i + 1}", body=options["name"], at=link.p, rotation=link.R)
        previous, before = options["name"], r
    tool = mapped(b.number, as_pose(home))
    b.frame("tool", body=previous, at=tool.p - before, rotation=tool.R)
    return checked_parameters(b.build())


def to_screws(model: Model, frame: str | None = None) -> Screws:
    """The screws of a serial arm of revolute, prismatic and helical joints, symbols included.

    `frame` is the tool, on the last body; by default the frame "tool", or the last body.
    """
    chain = "a product of exponentials"
    require_chain(model, chain, "revolute, prismatic, helical", is_screw)
    zero = np.zeros(model.nq)
    tool = tip_frame(model, frame, chain)
    screws, inertias = [], []
    for body, X in zip(model.bodies, model.symbolic.body_poses(zero), strict=True):
        screws.append(X.adjoint() @ body.joint.subspace(zero[:1])[:, 0])
        inertias.append(body.inertia.moved(X.R, X.p))
    return Screws(
        model.symbolic.frame_pose(tool, zero),
        np.stack(screws),
        tuple(inertias),
        tuple(body_details(model)),
        model.name,
        model.gravity,
        model.parameters,
    )


def _joint(b: Builder, i: int, S: Any, values: Mapping[str, float]) -> tuple[Joint, Array]:
    """The joint of a screw and a point on its axis."""
    w, v = vector(S[:3]), vector(S[3:])
    number = [float(at_values(x, values)) for x in S]
    if not np.isfinite(number).all():
        raise ArgumentError(f"screw {i + 1} must be finite, got {number}")
    turn, shift = float(np.linalg.norm(number[:3])), float(np.linalg.norm(number[3:]))
    if turn <= PITCH:
        if abs(shift - 1.0) > UNIT_SCREW:
            raise ArgumentError(
                f"screw {i + 1} has ω = 0, so v is the direction of a shift and needs length 1, "
                f"got {shift:g} from {number}"
            )
        return Prismatic(v), np.zeros(3)
    if abs(turn - 1.0) > UNIT_SCREW:
        raise ArgumentError(
            f"screw {i + 1} has |ω| = {turn:.9g}, got {number}: a turn needs |ω| = 1 "
            "(divide ω and v by it), a shift ω = 0"
        )
    pitch, r = w @ v, cross(w, v)
    if all(abs(h) <= PITCH * (1.0 + shift) for h in _at_two_values(pitch, values)):
        return Revolute(w), r
    h = float(at_values(pitch, values))
    if abs(h) < 1e-3 * shift:
        b.note(f"screw {i + 1} has the small pitch {h:.3g} m/rad: is v = -ω × r rounded?")
    return Helical(w, pitch), r


def _at_two_values(x: Any, values: Mapping[str, float]) -> list[float]:
    """An expression at the parameters' values and at others, so that zero is not an accident."""
    rng = np.random.default_rng(0)
    others = {k: value * rng.uniform(1.1, 1.9) + 0.1 for k, value in values.items()}
    return [float(at_values(x, point)) for point in (values, others)]


# ---- what every serial description shares


def per_joint(
    keyword: str, entries: Sequence[Any] | None, n: int, default: Any = None
) -> list[Any]:
    """One entry per joint, the default where there is none."""
    if entries is None:
        return [default] * n
    needs = f"needs one entry for each of the {n} joints"
    cells = list_of(keyword, needs, entries)
    if len(cells) != n:
        raise ShapeError(f"{keyword} {needs}, got {len(cells)}")
    return [default if x is None else x for x in cells]


def link_inertias(b: Builder, inertias: Sequence[Inertia | None] | None, n: int) -> list[Inertia]:
    """One inertia per link; a link without one is massless, and the model's notes say so."""
    entries = per_joint("inertias", inertias, n)
    for i, x in enumerate(entries):
        if x is not None and not isinstance(x, Inertia):
            raise ArgumentError(f"inertias of link {i + 1}: an Inertia or None, got {x!r:.80}")
    if massless := [i + 1 for i, x in enumerate(entries) if x is None]:
        links = "every link" if len(massless) == n else f"link {', '.join(map(str, massless))}"
        b.note(f"no inertia was given for {links}: massless")
    return [Inertia.point(0.0) if x is None else x.mapped(b.number) for x in entries]


def joint_details(
    details: Sequence[Mapping[str, Any]] | None, limits: Sequence[Any] | None, n: int
) -> list[dict[str, Any]]:
    """What `Builder.body` takes besides the joint and its place."""
    bounds = [{} if x is None else {"limits": x} for x in per_joint("limits", limits, n)]
    options = per_joint("details", details or None, n, {})
    for i, x in enumerate(options):
        if not isinstance(x, Mapping):
            raise ArgumentError(
                f"details of joint {i + 1}: a mapping, {{'damping': 0.1}}, got {x!r:.80}"
            )
    return [
        {"name": f"link{i + 1}", "joint_name": f"joint{i + 1}", **options[i], **bounds[i]}
        for i in range(n)
    ]


def body_details(model: Model) -> list[dict[str, Any]]:
    """The same, read off a model."""
    return [
        {
            "name": b.name,
            "joint_name": b.joint_name,
            "limits": (b.limits.lower, b.limits.upper),
            "velocity": b.limits.velocity,
            "effort": b.limits.effort,
            "damping": b.damping,
            "friction": b.friction,
            "armature": b.armature,
            "stiction": b.stiction,
            "stribeck": b.stribeck,
            "passive": b.joint_name in model.passive,
            **({"restitution": b.limits.restitution} if b.limits.are_stops else {}),
        }
        for b in model.bodies
    ]


def is_screw(joint: Joint) -> bool:
    """Whether a joint moves along one screw that its body keeps."""
    return joint.nv == 1 and joint.has_rates and joint.constant_subspace


def require_chain(model: Model, form: str, kinds: str, fits: Callable[[Joint], bool]) -> None:
    """Refuse what is no serial chain of joints that fit."""
    if not model.bodies:
        raise ArgumentError(f"{form} needs a joint, model {model.name!r} has none")
    for i, b in enumerate(model.bodies):
        if b.parent != i - 1:
            raise ArgumentError(
                f"{form} describes one serial chain, but body {b.name!r} of {model.name!r} does "
                "not hang on the body before it: take a part of the model first"
            )
        if b.mimic is not None or not fits(b.joint):
            kind = "coupled" if b.mimic is not None else b.joint.kind
            raise ArgumentError(
                f"{form} cannot state joint {b.joint_name!r}, which is {kind} (available: {kinds})"
            )


def tip_frame(model: Model, frame: str | None, form: str) -> str:
    """The name of the tool's frame, on the last body."""
    last = len(model.bodies) - 1
    if frame is None:
        tools = [f.name for f in model.frames if f.name == "tool" and f.body == last]
        return tools[0] if tools else model.bodies[last].name
    if model.frame(frame).body != last:
        raise ArgumentError(
            f"{form} ends at the last body, {model.bodies[last].name!r}; "
            f"frame {frame!r} is not on it"
        )
    return frame


def checked_parameters(model: Model) -> Model:
    """Refuse expressions over names that have no value."""
    for name in names_in(x for x in leaves(model) if isinstance(x, Expr)):
        check_known("parameter", name, model.parameters)
    return model
