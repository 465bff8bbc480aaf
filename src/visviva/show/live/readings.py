"""What is written beside a mechanism in a live view: energies, M(q), equations, forces inside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.drawing.digits import DUST, number
from visviva.equations.constraints.reactions import reaction_names
from visviva.errors import VisvivaError
from visviva.show.live.session import Session
from visviva.show.page.escaping import escaped

MOST_ROWS = 8  # of a matrix that is written out
MOST_EXACT, _LONGEST = 3, 600  # velocities of a system whose formulas are shown; characters of them
QUIET = 1e-9  # of the largest: forces that are not drawn

CELL = "padding:1px 6px;text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap"
_HEAD = "padding:1px 6px;text-align:left;opacity:0.75;font-weight:normal"
BOX = "overflow-x:auto;font-size:0.82em;padding:2px 10px 8px"
TITLE = "opacity:0.75;margin:6px 0 2px"


def energies_html(s: Session) -> str:
    """Energies now, and the account since it was put there."""
    now, account = s.energies, s.account
    rows = [
        ("kinetic energy T", now["kinetic"]),
        ("potential energy V", now["potential"]),
        ("energy" if s.stepping.functions.is_natural else "v·∂L/∂v − L", now["energy"]),
        ("work of the hand", account["hand"]),
        ("work of motors and added friction", account["motors"]),
        ("lost to what else acts", account["lost"]),
    ]
    body = "".join(_row(escaped(name), [f"{_short(x)} J"]) for name, x in rows)
    return f'<div style="{BOX}"><table>{body}</table></div>'


def matrices_html(s: Session) -> str:
    """M(q), and the equation of motion with the numbers of this moment."""
    names = [str(x) for x in s.system.velocity_names]
    n = len(names)
    if n > MOST_ROWS:
        M = s.reading("mass_matrix")
        sizes = np.linalg.eigvalsh((M + M.T) / 2)
        return (
            f'<div style="{BOX}"><div style="{TITLE}">M(q) is {n} × {n}; its eigenvalues go from '
            f"{_short(sizes[0])} to {_short(sizes[-1])}</div></div>"
        )
    M, c, a = (s.reading(k) for k in ("mass_matrix", "bias_forces", "forward_dynamics"))
    heads = "".join(f'<th style="{_HEAD}">{escaped(x)}</th>' for x in ("", *names))
    rows = "".join(_row(escaped(x), map(_short, M[k])) for k, x in enumerate(names))
    state = "".join(
        _row(escaped(x), [_short(s.v[k]), _short(a[k]), _short(c[k])]) for k, x in enumerate(names)
    )
    titles = "".join(f'<th style="{_HEAD}">{x}</th>' for x in ("", "v", "v̇", "c(q, v)"))
    return (
        f'<div style="{BOX}"><div style="{TITLE}">M(q)</div><table><tr>{heads}</tr>{rows}</table>'
        f'<div style="{TITLE}">M v̇ + c = {"Aᵀλ" if s.system.held_by else "0"}, with no motor and '
        f"no hand</div><table><tr>{titles}</tr>{state}</table></div>"
    )


def forces_html(s: Session, pushes: Sequence[Push]) -> str:
    """What constraints and joints exert now."""
    if pushes:
        rows = "".join(_row(escaped(p.name), [f"{_short(p.size)} N"]) for p in pushes)
        return f'<div style="{BOX}"><table>{rows}</table></div>'
    if not s.system.held_by:
        return f'<div style="{BOX}">no constraint holds it</div>'
    rows = "".join(
        _row(f"λ<sub>{k + 1}</sub>", [_short(x)]) for k, x in enumerate(s.reading("multipliers"))
    )
    return f'<div style="{BOX}"><table>{rows}</table></div>'


def equations_html(system: Any) -> str:
    """The equations of motion in closed form where they can be read; else why they are not there.

    It may take seconds: it is asked for once, and not while anything moves.
    """
    if system.nv > MOST_EXACT:
        return f'<div style="{BOX}">With {system.nv} velocities the formulas fill pages.</div>'
    from visviva.judge.closed.printed import html_blocks
    from visviva.notation.writing.write import width_of

    try:
        form = system.closed_form()
        if sum(width_of(x, system.coordinate_names) for x in form.equations) > _LONGEST:
            return f'<div style="{BOX}">The formulas fill pages: visviva derive writes them.</div>'
        _, formulas, without = html_blocks(form, "equations")
    except VisvivaError as error:
        return f'<div style="{BOX}">{escaped(error)}</div>'
    lines = "".join(f'<div style="padding:4px 0;overflow-x:auto">{x}</div>' for x in formulas)
    return f'<div style="{BOX}">{lines}{escaped(without)}</div>'


class Push:
    """A force (3,) at a point (3,) of the world, and who exerts it."""

    def __init__(self, name: str, at: Array, force: Array) -> None:
        self.name, self.at, self.force = name, at, force

    @property
    def size(self) -> float:
        """In newtons."""
        return float(np.linalg.norm(self.force))


def pushes_of(s: Session) -> list[Push]:
    """What joints exert on their bodies, and loops on their second frames; nothing of energies."""
    m = s.system
    if not getattr(m, "bodies", ()):
        return []
    model = s.stepping.system
    W, poses = s.reading("reactions"), m.body_poses(s.q)
    places = list(poses)
    places += [m.frame_pose(x.frames[1], s.q) for x in model.constraints.active if x.frames]
    found = []
    for name, w, X in zip(reaction_names(model), W, places, strict=True):
        R, p = np.asarray(X.R, dtype=float), np.asarray(X.p, dtype=float)
        found.append(Push(name, p, R @ w[3:]))
    largest = max((x.size for x in found), default=0.0)
    return [x for x in found if x.size > QUIET * largest]


def _row(name: str, values: Iterable[str]) -> str:
    cells = "".join(f'<td style="{CELL}">{x}</td>' for x in values)
    return f'<tr><th style="{_HEAD}">{name}</th>{cells}</tr>'


def _short(x: Any) -> str:
    return number(x, digits=4, least=DUST)
