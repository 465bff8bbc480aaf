"""`Page` and `Section`: one file that a browser opens anywhere, without a network."""

from __future__ import annotations

import re
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from visviva.drawing.look import template
from visviva.errors import ArgumentError, path_of
from visviva.motion.saving import put
from visviva.notation.writing.webpage import FORMULAS, prose
from visviva.show.page.assets import ALWAYS, BEFORE, FIRST, policy, script_file, style_file
from visviva.show.page.escaping import escaped, json_text, script_text
from visviva.show.page.plots import figure_data, packed_plotly, still_image

_ID = re.compile(r"[a-z][a-z0-9_-]{0,63}")


@dataclass(frozen=True)
class Section:
    """A part of a page, with a line in its table of contents.

    `heading` is text, `lead` a sentence whose symbols are set as formulas are, `html` is put in
    as it is. A folded one is opened by a click, by a link to it, and in print.
    """

    id: str
    heading: str
    html: str
    folded: bool = False
    lead: str = ""

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise ArgumentError(
                f"the id of a section is a word of small letters, digits, - and _, got {self.id!r}"
            )


class Page:
    """A page that is put together section by section; `html()` and `save` make it one file.

    Examples:
        >>> page = Page("A pendulum", "one coordinate")
        >>> page.add(Section("motion", "Motion", "<p>It swings.</p>"))
        >>> "connect-src 'none'" in page.html()
        True
    """

    def __init__(self, title: str, subtitle: str = "") -> None:
        self.title, self.subtitle = title, subtitle
        self.sections: list[Section] = []
        self.hero = ""  # what stands above the sections, as HTML
        self.footer = ""  # the last line, as HTML
        self._data: dict[str, str] = {}
        self._scripts: dict[str, str] = {name: script_file(name) for name in ALWAYS}
        self._styles: dict[str, str] = {}
        self._plots = 0

    def add(self, section: Section) -> None:
        """One more section, at the end."""
        if section.id in {other.id for other in self.sections}:
            raise ArgumentError(f"the page has a section {section.id!r} already")
        self.sections.append(section)

    def script(self, source: str) -> None:
        """One of our scripts by its name, "viewer.js", or a program; each runs once, in order."""
        name = source.strip()
        if re.fullmatch(r"[\w-]+\.js", name):
            for other in BEFORE.get(name, ()):
                self.script(other)
            self._scripts.setdefault(name, script_file(name))
        else:
            self._scripts.setdefault(source, source)

    def style(self, name: str) -> None:
        """One of our styles by its name, for what only some pages have."""
        self._styles.setdefault(name, style_file(name))

    def data(self, id: str, x: Any) -> None:
        """Data that scripts find by the id: `VV.data(id)`."""
        self._store(id, json_text(x))

    def plot(self, figure: Any, alt: str, caption: str = "") -> str:
        """The place of a plotly figure; `alt` says what is to be seen, for who cannot see it."""
        if not alt.strip():
            raise ArgumentError("a plot needs words for who cannot see it: alt is empty")
        self._plots += 1
        name = f"plot-{self._plots}"
        data, height = figure_data(figure)
        self._store(name, data)
        if self._plots == 1:
            self.data("plot-template", template())
        self.script("plots.js")
        below = f"<figcaption>{escaped(caption)}</figcaption>" if caption else ""
        return (
            f'<figure class="plot" data-plot="{name}"><div class="drawn" role="img" '
            f'aria-label="{escaped(alt)}" style="height: {height}px">'
            f'<p class="instead">{escaped(alt)}</p>{still_image(figure)}</div>{below}</figure>'
        )

    def html(self) -> str:
        """The page as text."""
        first = [script_text(script_file(name)) for name in FIRST]
        scripts = [script_text(source) for source in self._scripts.values()]
        head = [
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy([*first, *scripts])}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<meta name="generator" content="visviva">',
            f"<title>{escaped(self.title)}</title>",
            f"<style>{''.join([FORMULAS, style_file(), *self._styles.values()])}</style>",
            *(f"<script>{x}</script>" for x in first),
        ]
        stored = [
            f'<script type="application/json" id="{name}">{text}</script>'
            for name, text in self._data.items()
        ]
        if self._plots:
            packed = packed_plotly()
            stored.append(f'<script type="text/plain" id="packed-plotly">{packed}</script>')
        return "\n".join(
            [
                '<!DOCTYPE html>\n<html lang="en">\n<head>',
                *head,
                "</head>\n<body>",
                *self._body(),
                *stored,
                *(f"<script>{x}</script>" for x in scripts),
                "</body>\n</html>\n",
            ]
        )

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page; whoever opens the file meanwhile sees all of the old one or of this."""
        content = self.html().encode()
        file = path_of("a page", path)
        put(file, lambda new: _write(new, content))
        return file

    def _store(self, name: str, text: str) -> None:
        if not _ID.fullmatch(name):
            raise ArgumentError(f"data need an id of small letters, digits, - and _, got {name!r}")
        if name in self._data or name in {section.id for section in self.sections}:
            raise ArgumentError(f"the page has {name!r} already")
        self._data[name] = text

    def _body(self) -> list[str]:
        links = "".join(
            f'<li><a href="#{section.id}">{escaped(section.heading)}</a></li>'
            for section in self.sections
        )
        subtitle = f'<p class="subtitle">{prose(self.subtitle)}</p>' if self.subtitle else ""
        contents = (
            '<nav class="contents" aria-label="Contents"><details open><summary>Contents</summary>'
            f"<ol>{links}</ol></details></nav>"
        )
        foot = self.footer or "Made with visviva; this file needs no network."
        return [
            '<a class="skip" href="#main">Skip to the text</a>',
            f'<div class="sheet">{contents}',
            f'<main id="main" class="formulas"><header class="top"><h1>{escaped(self.title)}</h1>'
            f"{subtitle}</header>",
            *([self.hero] if self.hero else []),
            *map(_section, self.sections),
            f"<footer>{foot}</footer></main></div>",
            '<div id="said" role="status" aria-live="polite"></div>',
        ]


def _section(section: Section) -> str:
    lead = f'<p class="lead">{prose(section.lead)}</p>' if section.lead else ""
    anchor = f'<a class="anchor" href="#{section.id}" aria-label="Link to this section">#</a>'
    title = f'<h2 id="{section.id}-title">{escaped(section.heading)}{anchor}</h2>'
    inside = f"{title}{lead}{section.html}"
    if section.folded:
        title = title.replace(anchor, "")  # a link in what opens would be two things in one
        inside = (
            f'<details class="chapter"><summary>{title}{lead}</summary>'
            f'<div class="folded">{section.html}</div></details>'
        )
    return f'<section id="{section.id}" aria-labelledby="{section.id}-title">{inside}</section>'


def _write(file: Path, content: bytes) -> None:
    file.write_bytes(content)
