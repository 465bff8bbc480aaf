"""`Part`: one section of a study, what it says, and the Python lines that say it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from visviva.errors import VisvivaError
from visviva.notation.names import Names
from visviva.notation.writing import page as written
from visviva.notation.writing.plain import text
from visviva.show.page.escaping import escaped
from visviva.show.page.page import Section
from visviva.show.page.parts import code


class NotHereError(VisvivaError):
    """A section that has nothing to say of a system; the message says why, in a sentence."""


@dataclass(frozen=True)
class Part:
    """A section: a heading, a sentence that says what is seen, HTML, and how to get the same.

    `missing` is why there is nothing to see; `data` are its numbers, for programs.
    """

    lead: str = ""
    html: str = ""
    lines: tuple[str, ...] = ()  # of Python; `system` and `vv` are there
    folded: bool = False
    data: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)  # for the top of the page
    id: str = ""
    heading: str = ""
    missing: str = ""
    seconds: float = 0.0  # that it took
    is_broken: bool = False  # by an error that nobody foresaw

    @property
    def section(self) -> Section:
        """As it stands in a page."""
        again = ""
        if self.lines:
            again = (
                '<details class="again"><summary>The same in Python</summary>'
                f"{code(chr(10).join(self.lines))}</details>"
            )
        return Section(self.id, self.heading, self.html + again, self.folded, self.lead)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "id": self.id,
            "heading": self.heading,
            "lead": self.lead,
            "python": list(self.lines),
            "missing": self.missing,
            "seconds": self.seconds,
            **self.data,
        }


def few(names: Any, most: int = 6) -> str:
    """Some names, and how many more there are."""
    every = list(map(str, names))
    more = len(every) - most
    return ", ".join(every[:most]) + (f" and {more} more" if more > 0 else "")


def sign(name: str, names: Names | None = None) -> str:
    """A name as it is printed: θ₁ of theta1."""
    return text(written.Name((names or Names(())).parts(name)))


def said(text_: object) -> str:
    """What a program prints, as it is."""
    return f'<pre class="said" tabindex="0">{escaped(text_)}</pre>'


def paragraph(sentence: str) -> str:
    """A paragraph of anybody's text."""
    return f"<p>{escaped(sentence)}</p>"


def small(sentence: str) -> str:
    """A paragraph of less weight."""
    return f'<p class="small">{escaped(sentence)}</p>'
