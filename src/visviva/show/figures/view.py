"""`View`: a page with a mechanism that moves, for notebooks and for a browser."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError, path_of
from visviva.show.figures.mechanism import position_of
from visviva.show.laboratory.closing import assembling
from visviva.show.page.page import Page
from visviva.show.page.picture import Motion, picture
from visviva.show.scene.of import scene_of
from visviva.show.scene.scene import Scene

STAGE, HEAD, PLAYER, SLIDER, MOST_SLIDERS = 432, 96, 52, 34, 8  # pixels; sliders that are unfolded


@dataclass(frozen=True, repr=False)
class View:
    """A page of one picture: `html` is all of it, and needs no network.

    Notebooks show it in place. `save(path)` writes it, `open()` shows it in a browser.
    """

    title: str
    html: str
    height: int  # pixels that it wants in a notebook

    def save(self, path: Any) -> Path:
        """Write the page to a file that ends with .html."""
        where = path_of("a view", path)
        if where.suffix.lower() not in (".html", ".htm"):
            raise ArgumentError(f"a view is written as .html, got {str(path)!r}")
        where.write_text(self.html, encoding="utf-8")
        return where

    def open(self) -> Path:
        """Write the page to a temporary file, tell its path, and show it if there is a browser."""
        number, name = tempfile.mkstemp(prefix="visviva-", suffix=".html")
        os.close(number)
        path = self.save(name)
        print(f"{self.title}: {path}")
        if _has_browser():
            webbrowser.open(path.as_uri())
        return path

    def shown(self, path: Any = None) -> View:
        """Written to a path; or, where nobody else shows it, in a browser."""
        if path is not None:
            self.save(path)
        elif not _in_notebook():
            self.open()
        return self

    def _repr_html_(self) -> str:
        # in any encoding of the page around it: the scripts run by digests of their text
        inside = escape(self.html).encode("ascii", "xmlcharrefreplace").decode()
        return (
            f'<iframe srcdoc="{inside}" title="{escape(self.title)}" '
            f'style="width: 100%; height: {self.height}px; border: 0" loading="lazy"></iframe>'
        )

    def __repr__(self) -> str:
        return f"view of {self.title!r}: .save(path), .open()"


def mechanism_view(system: Any, q: Any = None) -> View:
    """A system at q, or where its picture begins, with a slider for every coordinate."""
    scene = scene_of(system)
    return scene_view(starting_at(scene, position_of(system, scene, q, "show")))


def starting_at(scene: Scene, q: Array) -> Scene:
    """The same scene, which begins at q; sliders go at least that far."""
    coordinates = tuple(
        replace(c, start=x, lower=min(c.lower, x), upper=max(c.upper, x))
        for c, x in ((c, float(q[c.index])) for c in scene.coordinates)
    )
    moved = replace(scene, coordinates=coordinates)
    moved.__dict__["_places"] = scene.__dict__.setdefault("_places", {})  # compiled once for both
    return moved


def scene_view(scene: Scene, motions: Sequence[Motion] = (), title: str = "") -> View:
    """A page of one picture, with what plays along motions if there are any."""
    said = title or scene.name
    page = Page(said, "; ".join(scene.notes))
    page.style("view.css")
    page.hero = picture(
        page,
        scene,
        "mechanism",
        motions=motions,
        sliders=not motions,
        alt=said,
        functions=assembling(page, scene),
    )
    below = PLAYER if motions else SLIDER * min(len(scene.coordinates), MOST_SLIDERS)
    return View(said, page.html(), HEAD + STAGE + below)


def _in_notebook() -> bool:
    """Whether a kernel runs this, whose front end shows what a cell returns."""
    known = sys.modules.get("IPython")
    shell = known.get_ipython() if known is not None else None
    return shell is not None and type(shell).__name__ != "TerminalInteractiveShell"


def _has_browser() -> bool:
    """Whether there is a window to open one in; those of a terminal would take it over."""
    if sys.platform.startswith(("win", "darwin", "cygwin")) or os.environ.get("BROWSER"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
