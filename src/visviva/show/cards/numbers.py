"""Poses, inertias, linearizations."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.describe.bodies.inertia import Inertia
from visviva.drawing.digits import DUST, DUSTY, complex_number, number
from visviva.motion.stability.linearization import Linearization
from visviva.show.cards.parts import boxed, grid, line, listed, matrix, short
from visviva.space.euler import euler_angles
from visviva.space.poses import Pose
from visviva.space.rotations import log

_MOST_MODES = 12


def pose_card(X: Pose) -> str:
    """R and p; of numbers the turn as well, by its axis and as angles about z, y, x."""
    more = ""
    if X.R.dtype != object and np.isfinite(X.R).all():
        turn = log(X.R)
        angle = float(np.linalg.norm(turn))
        axis = turn / angle if angle > 1e-12 else np.array([0.0, 0.0, 1.0])
        about = f"{np.degrees(angle):.5g}° about ({', '.join(f'{x:.4g}' for x in axis)})"
        angles = np.degrees(np.asarray(euler_angles(X.R, "ZYX"), dtype=float))
        more = listed(
            {
                "turn": about if angle > 1e-12 else "none",
                "angles ZYX": ", ".join(f"{x:.5g}°" for x in angles),
            }
        )
    return boxed("Pose", matrix("R", X.R), matrix("p", np.asarray(X.p)[:, None]), more)


def inertia_card(body: Inertia) -> str:
    """Mass, centre of mass, tensor about it; of numbers the principal moments as well."""
    facts = {"mass": body.mass, **({"frame": body.frame} if body.frame else {})}
    more = ""
    if body.tensor.dtype != object:
        found = body.principal()
        facts["principal moments"] = ", ".join(f"{x:.5g}" for x in found.moments)
        more = line(found.notice) if found.notice else ""
    com = matrix("c", np.asarray(body.com)[:, None])
    return boxed("Inertia", listed(facts) + more, com, matrix("I", body.tensor))


def linearization_card(about: Linearization) -> str:
    """The verdict and its argument, modes in a table, and the matrices."""
    head, *said = str(about).splitlines()
    said = [x.strip() for x in said if not x.strip().startswith("λ =")]
    rows = [_mode(k, mode) for k, mode in enumerate(about.modes[:_MOST_MODES], 1)]
    modes = grid(("mode", "λ [1/s]", "frequency [Hz]", "damping ratio", "shape"), rows)
    if about.second is None:
        matrices = matrix("F", about.state_matrix)
    else:
        some = (("M", about.M), ("D", about.D), ("G", about.G), ("K", about.K), ("H", about.H))
        matrices = "".join(matrix(k, A) for k, A in some if np.any(A))
    return boxed(head, "".join(map(line, said)) + modes, matrices)


def _mode(k: int, mode: Any) -> tuple[str, ...]:
    z = mode.eigenvalue
    said = np.real_if_close(mode.shape, DUSTY)
    return (
        str(k),
        complex_number(z, 5, sign="±"),
        short(mode.frequency) if z.imag else "",
        number(mode.damping_ratio, digits=5, least=DUST) if z.imag else "",
        np.array2string(said, precision=3, suppress_small=True, threshold=8),
    )
