"""A mechanism that moves in a page: by sliders, along recorded motions, in its modes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError, VisvivaError
from visviva.show.page.escaping import escaped

if TYPE_CHECKING:
    from visviva.show.page.page import Page
    from visviva.show.scene.scene import Scene

MOST = 600  # samples of a motion: ten seconds at sixty in a second
DIGITS = 7


@dataclass(frozen=True, eq=False)
class Motion:
    """Positions q (n, nq) at times t (n,), seconds; one that `repeats` ends where it begins."""

    name: str
    t: Array
    q: Array
    repeats: bool = False

    def __post_init__(self) -> None:
        t, q = np.asarray(self.t, dtype=float), np.asarray(self.q, dtype=float)
        if t.ndim != 1 or q.ndim != 2 or len(t) != len(q) or len(t) < 2:
            raise ArgumentError(
                f"motion {self.name!r}: t (n,) and q (n, nq) with n > 1, got {t.shape}, {q.shape}"
            )
        if not (np.diff(t) > 0).all() or not np.isfinite(q).all():
            raise ArgumentError(f"motion {self.name!r}: times must grow and positions be finite")

    def as_dict(self) -> dict[str, Any]:
        """Plain data, thinned to what an eye can see."""
        t, q = np.asarray(self.t, dtype=float), np.asarray(self.q, dtype=float)
        if len(t) > MOST:
            chosen = np.unique(
                np.searchsorted(t, np.linspace(t[0], t[-1], MOST)).clip(0, len(t) - 1)
            )
            t, q = t[chosen], q[chosen]
        return {"name": self.name, "t": _short(t), "q": _short(q), "repeats": self.repeats}


def mode_motion(
    system: Any, name: str, q: Any, shape: Any, amplitude: float = 0.3, period: float = 2.0
) -> Motion:
    """A small motion: the position moves from q along `shape` (nv,), to and fro.

    The largest entry of the shape becomes `amplitude`, rad or m; a complex one, whose parts move
    at different times, is shown as it is. Loops are closed again at every position.
    """
    form = np.asarray(shape)
    most = np.abs(form).max(initial=0.0)
    if not most > 0:
        raise ArgumentError(f"mode {name!r}: the shape is zero")
    angles = np.linspace(0.0, 2 * np.pi, 49)
    steps = np.imag(np.exp(1j * angles)[:, None] * (form * (amplitude / most)))
    start = np.asarray(q, dtype=float)
    positions = np.array([_closed(system, system.integrate(start, x)) for x in steps], dtype=float)
    return Motion(name, period * angles / (2 * np.pi), positions, repeats=True)


def _closed(system: Any, q: Any) -> Any:
    """The position that constraints allow next to q; q itself where none is found."""
    try:
        return system.assembled(q) if system.held_by else q
    except VisvivaError:
        return q


def picture(
    page: Page,
    scene: Scene,
    name: str,
    *,
    motions: Sequence[Motion] = (),
    sliders: bool = True,
    autoplay: bool = False,
    alt: str = "",
    functions: Mapping[str, str] | None = None,
) -> str:
    """The place of a picture that moves, whose data and scripts go into the page.

    Sliders for every coordinate move it by the mechanism's own forward kinematics; motions are
    played. `functions` are more programs, each the text of one function: `assemble(q, k)` brings
    the other coordinates along where coordinate k of a closed loop is moved, and answers null
    where the loop does not close. `VV.pictures[name]` is the picture, its `viewer` what draws it.
    """
    for motion in motions:
        if np.shape(motion.q)[1] != len(scene.coordinates):
            raise ArgumentError(
                f"motion {motion.name!r} has {np.shape(motion.q)[1]} coordinates, {scene.name!r} "
                f"has {len(scene.coordinates)}"
            )
    words = alt or f"{scene.name}: a picture that moves"
    turned = "Drag to move it" if scene.plane else "Drag to turn it"
    keys = ". Space plays and pauses, R begins again" if motions else ""
    page.data(
        name,
        {
            "scene": scene.as_dict() | {"timed": scene.is_timed},
            "motions": [motion.as_dict() for motion in motions],
            "sliders": sliders,
            "autoplay": autoplay,
            "alt": f"{words}. {turned}, or use the arrow keys; + and - zoom{keys}.",
        },
    )
    texts = {"places": scene.places().js_source("places"), **(functions or {})}
    listed = ", ".join(texts)
    for script in ("player.js", _named(name, texts, listed)):
        page.script(script)
    return (
        f'<div class="picture" data-picture="{escaped(name)}"><div class="stage">'
        f'<p class="instead">{escaped(words)}</p></div></div>'
    )


def _named(name: str, texts: Mapping[str, str], listed: str) -> str:
    """Functions that the page finds under the name of a picture."""
    body = "\n".join(texts.values())
    return (
        f'"use strict";\nVV.functions = VV.functions || {{}};\n'
        f'VV.functions["{name}"] = (() => {{\n{body}\nreturn {{ {listed} }};\n}})();\n'
    )


def _short(x: Array) -> list[Any]:
    """Numbers with so many digits as can be seen."""
    scale = 10.0 ** (DIGITS - 1 - np.floor(np.log10(max(float(np.abs(x).max(initial=1.0)), 1e-9))))
    rounded: list[Any] = (np.round(x * scale) / scale).tolist()
    return rounded
