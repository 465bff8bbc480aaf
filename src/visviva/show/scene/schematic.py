"""A picture of any energies: every coordinate a slider on a rail, or the hand of a dial."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.algebra.generic import sincos
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.show.scene.parts import ORIGIN
from visviva.show.scene.scene import Scene
from visviva.show.scene.shapes import (
    AROUND,
    HERE,
    Box,
    Label,
    Path,
    Segment,
    Shape,
    Sphere,
    as_point,
    as_pose,
)
from visviva.show.scene.start import coordinates_of, labelled, start_of_energies

ROW, COLUMN, ROWS = 0.5, 2.6, 6
DIAL, TRACK = 0.2, 1.0


def schematic(system: Lagrangian, why: str) -> Scene:
    """Rails and dials, in rows; a unit of a coordinate is a metre of its rail."""
    q, begins = start_of_energies(system, system.coordinate_units)
    turns = [unit == "rad" for unit in system.coordinate_units]
    centres = [(COLUMN * (k // ROWS), 0.0, -ROW * (k % ROWS)) for k in range(system.nq)]
    shapes: list[Shape] = []
    for k, label in enumerate(labelled(system)):
        name = system.coordinates[k]
        shapes += (_dial if turns[k] else _slider)(k + 1, name, np.array(centres[k]))
        where = as_point(np.array(centres[k]) - [TRACK * 1.2, 0.0, 0.0])
        shapes.append(Label("joint", name, 0, where, label))

    def place(s: Any, q: Any, t: Any) -> Array:
        rows = []
        for k, centre in enumerate(centres):
            A, p = np.eye(3), vector([centre[0] + q[k], *centre[1:]])
            if turns[k]:
                sin, cos = sincos(q[k])
                A, p = vector([[cos, 0.0, -sin], [0.0, 1.0, 0.0], [sin, 0.0, cos]]), vector(centre)
            rows.append(np.concatenate([A, p[:, None]], axis=1))
        return np.array(rows).reshape(-1, 3, 4)

    far = np.where(turns, np.pi, TRACK)
    return Scene(
        system.name,
        system,
        ("world", *_unlike_world(system.coordinates)),
        tuple(shapes),
        coordinates_of(system, q, np.minimum(-far, q), np.maximum(far, q)),
        1.0,
        (0, 2),
        place,
        notes=(why,),
        begins=begins,
    )


def _unlike_world(names: tuple[str, ...]) -> list[str]:
    return [x if x != "world" else "world'" for x in names]


def _dial(on: int, name: str, centre: Array) -> list[Shape]:
    rim = [centre + DIAL * np.array([np.cos(a), 0.0, np.sin(a)]) for a in AROUND]
    return [
        Path("joint", name, 0, tuple(map(as_point, rim)), True),
        Segment("link", name, (on, ORIGIN), (on, (DIAL, 0.0, 0.0)), 0.02),
        Sphere("joint", name, on, ORIGIN, 0.03),
    ]


def _slider(on: int, name: str, centre: Array) -> list[Shape]:
    pose = as_pose(np.eye(3), centre)
    return [
        Box("joint", name, 0, pose, (2 * TRACK, 0.02, 0.02)),
        Box("link", name, on, HERE, (0.16, 0.1, 0.1)),
    ]
