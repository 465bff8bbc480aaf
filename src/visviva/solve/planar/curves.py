"""`CouplerCurve`: the path of a point of a linkage while one of its joints is driven."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, frozen
from visviva.describe.model.model import Model
from visviva.drawing.canvas import Canvas
from visviva.drawing.look import INK, words
from visviva.equations.constraints.rows import constraint_matrix
from visviva.errors import ArgumentError, AssemblyError, check_known
from visviva.foreign import explained
from visviva.solve.assembly import VIOLATED, check_state
from visviva.solve.planar.drawing import laid_out, linkage_figure
from visviva.solve.planar.meeting import DrivenMotion, driven_motion, regular_start, told_of_changes
from visviva.solve.planar.plane import OUT_OF_PLANE, Plane, plane_needed, plane_of_motion
from visviva.solve.planar.saving import save_sweep
from visviva.solve.planar.unit import joint_called
from visviva.solve.rows import directions, finite
from visviva.solve.tracking import Beyond, along_input, beyond_limits, told_of_limits

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

UNLIMITED = (-np.inf, np.inf)
_TURN = 2 * np.pi
MOST_NAMED = 6  # coordinates in a note
MANY_TURNS = 10  # and more: rather degrees
WHOLE_DEGREES = 5.0


@explained
@dataclass(frozen=True, eq=False, repr=False)
class CouplerCurve:
    """Points (N, 3) of a frame in the world, at values (N,) of a joint, and positions q (N, nq).

    `velocity` and `acceleration` (N, 3) are those while the joint is driven at the constant
    `speed`; nan where the mechanism jams.
    """

    model: Model
    frame: str
    joint: str
    values: FloatArray
    q: FloatArray
    points: FloatArray
    velocity: FloatArray
    acceleration: FloatArray
    speed: float
    plane: Plane | None
    change_points: tuple[float, ...] = ()  # values at which branches meet
    limits: tuple[float, float] = UNLIMITED  # of the joint
    beyond: tuple[Beyond, ...] = ()  # joints that leave theirs
    notes: tuple[str, ...] = ()  # where it begins, if nobody stated that

    @property
    def flat(self) -> FloatArray:
        """The points (N, 2) in the plane of the mechanism: to the right and up."""
        if self.plane is None:
            raise ArgumentError(f"{self.model.name!r} moves in space: points has three coordinates")
        return self.plane.flat(self.points)

    @property
    def curvature(self) -> FloatArray:
        """1/m (N,): |v × a| / |v|³; nan where the point stands still."""
        v, a = self.velocity, self.acceleration
        size = np.linalg.norm(v, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.linalg.norm(np.cross(v, a), axis=1) / size**3
        return np.where(size > 1e-12 * np.nanmax(size, initial=0.0), found, np.nan)

    def plot(self) -> Figure:
        """The curve, with the linkage at the first of its positions. (plotly)"""
        title = f"{self.model.name}: path of {self.frame} along {self.joint}"
        if self.plane is None:
            canvas = Canvas(None, title)
            canvas.line(self.points, self.frame, INK, width=5)
            return canvas.done()
        body = self.model.frame(self.frame).body
        fig = linkage_figure(self.model, self.q[0], self.plane, title, {body: [self.points[0]]})
        line = {"color": INK, "width": 3, "simplify": False}
        said = [f"{words(self.joint)} = {x:.4g}" for x in self.values]
        x, y = self.flat.T
        fig.add_scatter(x=x, y=y, mode="lines", line=line, name="path", hovertext=said)
        return laid_out(fig, self.plane)

    def save(self, path: Any) -> None:
        """As `.csv` (joint, points, velocities, accelerations), `.dxf` (the path), `.svg`, `.html`.

        In metres and radians; of a plane mechanism the path is drawn in its plane.
        """
        head = [self.joint, *"xyz", "vx", "vy", "vz", "ax", "ay", "az"]
        table = [self.values, self.points, self.velocity, self.acceleration]
        save_sweep(self, path, head, table, self.points if self.plane is None else self.flat)

    def __repr__(self) -> str:
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        spans = ", ".join(
            f"{k} from {a:.4g} to {b:.4g}" for k, a, b in zip("xyz", low, high, strict=True)
        )
        ends = f"{self.values[0]:.4g} to {self.values[-1]:.4g}"
        return (
            f"path of {self.frame!r} of {self.model.name}: {len(self.values)} points, "
            f"{self.joint} {ends}; {spans} [m]{told_of_changes(self.joint, self.change_points)}"
            f"{told_of_limits(self.joint, self.beyond)}{notes_as_text(self.notes)}"
        )


def coupler_curve(
    model: Any,
    frame: str,
    joint: str,
    values: Any,
    *,
    q0: Any = None,
    point: Any = None,
    fixed: Mapping[str, float] | None = None,
    speed: float = 1.0,
) -> CouplerCurve:
    """Where a point of a frame goes; `Model.coupler_curve` says what may be asked."""
    model.frame(frame)
    joint = joint_called(model, "coupler_curve", joint)
    (rate,) = finite("coupler_curve: speed", [speed], 1)
    at = np.zeros(3) if point is None else _point(model.numeric, frame, point)
    held, values = with_fixed(model, joint, fixed), values_of(model, joint, values)
    m: Model = held.numeric
    q, way, bent, changes, notes = moving(held, joint, values, begun(model, joint, q0, fixed))
    v, a = rate * way, rate**2 * bent
    place = [m.frame_pose(frame, x).apply(at) for x in q]
    velocity = np.asarray(model.velocity(frame, point=at)(q, v))[:, 3:]
    acceleration = np.asarray(model.acceleration(frame, point=at)(q, v, a))[:, 3:]
    return CouplerCurve(
        model.numeric,
        frame,
        joint,
        frozen(np.array(values, dtype=float)),
        frozen(q),
        frozen(np.array(place)),
        frozen(velocity),
        frozen(acceleration),
        float(rate),
        plane_of_motion(m, q[0]),
        changes,
        limits_of(m, joint),
        beyond_limits(m, joint, np.array(values, dtype=float), q),
        notes,
    )


def _point(m: Model, frame: str, point: Any) -> Array:
    """In the frame's coordinates; two of them are those in the plane of the mechanism."""
    if isinstance(point, str):
        known = point in (*m.body_names, *(f.name for f in m.frames))
        way = f"the path of frame {point!r} is coupler_curve({point!r}, …)" if known else ""
        raise ArgumentError(
            f"coupler_curve: point is three numbers in coordinates of {frame!r}, got {point!r}"
            + (f"; {way}" if way else "")
        )
    if np.shape(point) == (2,):
        q = m.neutral()
        plane = plane_needed(m, q, "coupler_curve: a point with two coordinates")
        across = np.abs(m.frame_pose(frame, q).R.T @ plane.normal)
        if across.max() > 1.0 - OUT_OF_PLANE:
            point = np.insert(np.asarray(point, dtype=float), int(across.argmax()), 0.0)
    return finite("coupler_curve: point", point, 3)


def values_of(model: Any, joint: str, values: Any) -> Any:
    """Those of the driven joint; if none are given, a full turn in steps of three degrees.

    Limits that leave less, and those of a slide, are the ends.
    """
    turns = model.coordinate_units[model.joint_slices[joint][0].start] == "rad"
    if values is not None:
        if turns:
            _doubt_degrees(joint, values)
        return values
    low, high = limits_of(model.numeric, joint)
    if np.isfinite(high - low) and not (turns and high - low >= _TURN):
        return np.linspace(low, high, 121)
    if not turns:
        raise ArgumentError(
            f"{joint!r} does not turn: values of it are a list, np.linspace(low, high, 101), or "
            "limits on both sides"
        )
    start = max(low, min(0.0, high - _TURN))
    return np.linspace(start, start + _TURN, 121)


def _doubt_degrees(joint: str, values: Any) -> None:
    """Warn of whole numbers over many turns: angles are in radians."""
    x = np.asarray(values)
    if x.ndim != 1 or x.dtype.kind not in "iuf" or len(x) < 2:
        return
    ends = np.array([x.min(), x.max()], dtype=float)
    if np.ptp(ends) > MANY_TURNS * _TURN and not (ends % WHOLE_DEGREES).any():
        warnings.warn(
            f"values of {joint!r} are in radians: from {ends[0]:g} to {ends[1]:g} are "
            f"{np.ptp(ends) / _TURN:.3g} turns; degrees are np.radians(values)",
            UserWarning,
            stacklevel=6,  # whoever asks the model
        )


def limits_of(model: Model, joint: str) -> tuple[float, float]:
    """Of a joint with one coordinate."""
    part = model.joint_slices[joint][0]
    if part.stop - part.start != 1:
        return UNLIMITED
    return float(model.lower[part.start]), float(model.upper[part.start])


def with_fixed(model: Any, joint: str, fixed: Mapping[str, float] | None) -> Any:
    """With joints held at values, as constraints: positions keep their entries."""
    for name, value in (fixed or {}).items():
        check_known(f"joint of {model.name!r}", name, model.joint_names)
        part = model.joint_slices[name][0]
        if name == joint or part.stop - part.start != 1:
            raise ArgumentError(
                f"fixed holds joints with one coordinate, other than the driven {joint!r}; "
                f"got {name!r}"
            )
        (x,) = finite(f"fixed: {name}", [value], 1)
        model = model.with_constraint(_held_at(part.start, float(x)), f"fixed_{name}")
    return model


def begun(model: Any, joint: str, q0: Any, fixed: Mapping[str, float] | None) -> Array | None:
    """q0, moved on its branch to where joints are held at values; None as it is."""
    if q0 is None:
        return None
    q = finite(f"q0 of {model.name!r}", q0, model.nq)
    if fixed:
        check_state(model, q)
    for name, value in (fixed or {}).items():
        held = with_fixed(model, joint, {name: value})
        if abs(q[model.joint_slices[name][0].start] - value) > VIOLATED:
            q = along_input(model, q, name, [value])[0]
        model = held
    return q


def notes_on_beginning(model: Any, q0: Any, first: Array) -> tuple[str, ...]:
    """Of a sweep without q0: which of the ways to assemble the linkage it is about."""
    if q0 is not None or not model.held_by:
        return ()
    pairs = list(zip(model.coordinate_names, first, strict=True))
    place = ", ".join(f"{name} = {x:.6g}" for name, x in pairs[:MOST_NAMED])
    rest = ", …" if len(pairs) > MOST_NAMED else ""
    return (f"from {place}{rest}, on the branch of assembled(); q0= chooses another",)


def notes_as_text(notes: Sequence[str]) -> str:
    """Notes after a result."""
    return "".join(f"; {x}" for x in notes)


def _held_at(k: int, value: float) -> Callable[[Any], Any]:
    def off(q: Any) -> Any:
        return q[k] - value

    return off


def moving(model: Any, joint: str, values: Any, q0: Any) -> DrivenMotion:
    """Positions along the values, and the motion there; other freedoms that are left are refused.

    The branch is that of q0, through positions at which others meet it.
    """
    try:
        wanted = np.array(values, dtype=float)
    except (TypeError, ValueError):
        wanted = np.array(np.nan)
    if wanted.ndim != 1 or not wanted.size or not np.isfinite(wanted).all():
        raise ArgumentError(f"values of {joint!r} are a list of finite numbers, got {values!r:.80}")
    start = model.assembled() if q0 is None else q0
    m: Model = model.numeric
    start = regular_start(model, joint, start)
    _refuse_freedom(m, joint, start)
    try:
        q = np.asarray(along_input(model, start, joint, wanted))
    except AssemblyError as error:
        raise _with_range(error, model, joint, start) from None
    motion = driven_motion(model, joint, start, q)
    return motion._replace(notes=notes_on_beginning(model, q0, motion.q[0]))


def _with_range(error: AssemblyError, model: Any, joint: str, start: Array) -> AssemblyError:
    """The same, with both ends of what the joint can do from where it begins."""
    at = model.joint_slices[joint][0].start
    here, end = float(start[at]), float(error.q[at])
    if end == here or not error.turns_back:  # it did not begin to move, or nothing is known beyond
        return error
    try:
        along_input(model, start, joint, [here + np.copysign(_TURN, here - end)])
    except AssemblyError as other:
        if not other.turns_back:
            return error
        low, high = sorted((end, float(other.q[at])))
        inner = np.ceil(low * 1e4) / 1e4, np.floor(high * 1e4) / 1e4
        said = f"{joint!r} goes from {low:.6g} to {high:.6g}"
        if inner[0] < inner[1]:
            said += f", values=np.linspace({inner[0]:.9g}, {inner[1]:.9g}, 101)"
    else:
        said = f"{joint!r} goes {'up' if end > here else 'down'} to {end:.6g}"
    said += f"; dead_points({joint!r}) lists such ends, with q0= and fixed= if they are given here"
    return AssemblyError(f"{error}. {said}", error.q, error.residual, error.row, turns_back=True)


def _refuse_freedom(m: Model, joint: str, start: Array) -> None:
    """Refuse what still moves while a joint is held."""
    A = np.asarray(constraint_matrix(m, start), dtype=float)
    own = m.joint_slices[joint][1]
    N, _ = directions(np.delete(A, range(m.nv)[own], axis=1))
    every, _ = directions(A)
    count = N.shape[1]
    if count == every.shape[1] == 1:  # its only motion, in which the joint stands still
        rates = {x: np.abs(every[part]).max() for x, (_, part) in m.joint_slices.items()}
        fast = max(rates, key=lambda x: float(rates[x]))
        raise ArgumentError(
            f"q0 of {m.name!r} is a dead point of {joint!r}: it stands still there while {fast!r} "
            f"moves, and no torque on it holds or drives the linkage; {fast!r} can drive it there, "
            f"and dead_points({joint!r}) lists the others"
        )
    if count:
        names = [x for x in m.joint_names if x != joint]
        raise ArgumentError(
            f"{m.name!r} can still move in {count} way{'s' if count > 1 else ''} while {joint!r} "
            f"is held: fixed={{joint: value}} holds more of {', '.join(names)}, or "
            "with_constraint(…) couples them; where another assembly has another mobility(), q0= "
            "begins there"
        )
