"""Where an arm reaches: a report as text, as data and as a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError, VisvivaError, check_known, path_of
from visviva.progress import progress
from visviva.solve.singular.chosen import chosen
from visviva.space.euler import euler_matrix

BENT = 0.5  # rad or m
PLANES = ("x y phi", "planar")
POSES = ("pose", *PLANES)  # tasks that fix all of a pose
DRAWN = ("Inverse kinematics", "Jacobian", "Singular positions", "At this position", "Workspace")
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; }}
pre {{ background: #f4f5f7; padding: .8rem 1rem; font-size: .85rem; white-space: pre-wrap;
  overflow-wrap: anywhere; }}
h2 {{ margin-top: 2.5rem; }}
.plotly-graph-div {{ max-width: 100%; }}
</style></head><body>
<h1>{title}</h1>
{sections}
</body></html>
"""


@dataclass(frozen=True, eq=False, repr=False)
class KinematicsReport:
    """What is known of a frame of a model at a position, each part computed when it is asked for.

    A part that a model has not, as a closed loop has no determinant of its Jacobian, is the
    sentence that says why.
    """

    model: Model
    frame: str
    q: Array
    target: Any  # a pose (4, 4), or numbers of a position
    is_asked: bool = False  # the target, by somebody

    @cached_property
    def pose(self) -> Array:
        """X(q) of the frame."""
        return np.asarray(self.model.pose(self.frame)(self.q))

    @cached_property
    def parts(self) -> dict[str, Any]:
        """By their headings: objects that can be printed."""
        m, frame, q = self.model, self.frame, self.q
        ways: dict[str, Callable[[], Any]] = {
            "Freedoms": m.mobility,
            "Jacobian": lambda: m.jacobian_columns(frame, q),
            "Inverse kinematics": self._solutions,
            "Singular positions": lambda: m.singularities(frame),
            "At this position": lambda: m.singularity(frame, q),
            "Workspace": lambda: m.workspace(frame),
        }
        found: dict[str, Any] = {}
        with progress(f"kinematics of {m.name}", len(ways)) as at:
            for heading, way in ways.items():
                at.step(heading.lower())
                try:
                    found[heading] = way()
                except VisvivaError as error:
                    found[heading] = f"not here: {error}"
        return found

    @property
    def is_solved(self) -> bool:
        """Whether inverse kinematics has an answer for the target, be it that there is none."""
        return not isinstance(self.parts["Inverse kinematics"], str)

    def _solutions(self) -> Any:
        """For the whole pose where the joints drive it, else for the position."""
        target = np.asarray(self.target, dtype=float)
        text = chosen(self.model.numeric, self.frame, None, "kinematics").task.text
        if target.ndim == 2 and text not in POSES and not self.is_asked:
            target = target[:3, 3]
        in_plane = target.size == 3 and text in PLANES  # x, y, φ
        task = "pose" if target.ndim == 2 or in_plane else "position"
        return self.model.inverse_kinematics(self.frame, target, all=True, task=task, seed=self.q)

    @property
    def _head(self) -> str:
        listed = ", ".join(
            f"{k} = {x:.6g}" for k, x in zip(self.model.coordinate_names, self.q, strict=True)
        )
        rows = np.array2string(self.pose, precision=6, suppress_small=True)
        return f"{self.frame!r} of {self.model.name!r} at {listed}\n{rows}"

    def __str__(self) -> str:
        said = [self._head]
        said += [f"{heading}\n{'-' * len(heading)}\n{x}" for heading, x in self.parts.items()]
        return "\n\n".join(said)

    __repr__ = __str__

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        found = self.parts["Inverse kinematics"]
        solved = self.is_solved
        return {
            "model": self.model.name,
            "frame": self.frame,
            "q": dict(zip(self.model.coordinate_names, map(float, self.q), strict=True)),
            "pose": self.pose.tolist(),
            "solutions": np.asarray(found.q).tolist() if solved else [],
            "complete": bool(found.complete) if solved else False,
            "texts": {heading: str(x) for heading, x in self.parts.items()},
        }

    @property
    def figures(self) -> dict[str, Any]:
        """By the headings that they belong to: plotly figures."""
        made = {}
        for heading in DRAWN:
            part = self.parts[heading]
            if isinstance(part, str):
                continue
            try:
                made[heading] = part.plot()
            except ArgumentError:  # no solution, or nothing singular: there is nothing to draw
                continue
        return made

    def save(self, path: Any) -> None:
        """One page that needs no network."""
        figures, sections, script = self.figures, [f"<pre>{escape(self._head)}</pre>"], True
        for heading, part in self.parts.items():
            sections.append(f"<h2>{escape(heading)}</h2>\n<pre>{escape(str(part))}</pre>")
            if heading in figures:
                sections.append(figures[heading].to_html(full_html=False, include_plotlyjs=script))
                script = False
        title = escape(f"{self.model.name}: where {self.frame} reaches")
        page = PAGE.format(title=title, sections="\n".join(sections))
        path_of("save", path).write_text(page, encoding="utf-8")


def kinematics_report(
    system: Any, frame: str = "", at: dict[str, float] | None = None, pose: Any = None
) -> KinematicsReport:
    """What is known of a frame, the last if none is named, at a position by names of joints.

    Without a position all joints are bent a little, so that nothing is singular by accident.

    `pose`: the target of inverse kinematics; the frame's own at that position if none is given.
    """
    if not getattr(system, "frame_names", ()):
        raise ArgumentError(
            f"{system.name!r} is stated by its energies: kinematics needs bodies and frames"
        )
    model = system.numeric
    check_known(f"frame of {system.name!r}", frame or model.frame_names[-1], model.frame_names)
    frame = frame or model.frame_names[-1]
    q = np.asarray(model.q(at), dtype=float) if at else _bent(model)
    if model.held_by:
        q = np.asarray(model.assembled(q, fixed=at) if at else model.assembled(q))
    target = np.asarray(model.pose(frame)(q)) if pose is None else pose
    return KinematicsReport(system, frame, q, target, pose is not None)


def _bent(model: Model) -> Array:
    """Every coordinate a little away from zero, where arms are stretched or wrists in line."""
    q = np.asarray(model.neutral(), dtype=float)
    if model.quaternions:
        return q
    inside = 0.1 * np.where(np.isfinite(model.upper - model.lower), model.upper - model.lower, 0.0)
    return np.clip(q + BENT, model.lower + inside, model.upper - inside)


def typed_target(text: str) -> Any:
    """x,y, x,y,z or x,y,z,roll,pitch,yaw: numbers of a position, or a pose."""
    try:
        numbers = [float(x) for x in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 3, 6):
        raise ArgumentError(f"a target is x,y or x,y,z or x,y,z,roll,pitch,yaw; got {text!r:.60}")
    if len(numbers) < 6:
        return tuple(numbers)
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = euler_matrix(numbers[3:], "xyz"), numbers[:3]
    return X
