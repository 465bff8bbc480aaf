"""`Still`, a vector picture, and letters of SVG: numbers, lines and words, and what is around."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from visviva.drawing.look import FONT, INK
from visviva.errors import ArgumentError, path_of
from visviva.foreign import explained

# a page has one set of styles: those of a picture that stands in it are for pictures of ours alone
KIND = "vv-svg"
STYLE = (
    f".{KIND} text{{font:12px {FONT};fill:{INK}}}.{KIND} .t{{font-size:11px}}"
    f".{KIND} .n{{fill:none}}"
    f".{KIND} path,.{KIND} circle,.{KIND} line{{stroke-linejoin:round;stroke-linecap:round}}"
    f".{KIND} .m{{fill:none;stroke:{INK};stroke-width:1}}@media(prefers-color-scheme:dark)"
    f"{{.{KIND} text{{fill:#aab4c0}}.{KIND} .m{{stroke:#aab4c0}}}}"
)
# what XML has no place for, and what turns text around
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
LONGEST = 90  # letters of a word or a title


@explained
@dataclass(frozen=True)
class Still:
    """A vector picture: `svg` is its text, notebooks show it."""

    name: str
    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Any) -> None:
        """Write the picture to a file that ends with .svg."""
        file = path_of("save", path)
        if file.suffix.lower() != ".svg":
            raise ArgumentError(f"a vector picture is written as .svg, got {str(path)!r}")
        file.write_text(self.svg, encoding="utf-8")

    def __repr__(self) -> str:
        return f"picture of {self.name!r}, {len(self.svg)} letters of SVG; .svg, .save(path)"


def _plain(words: str) -> str:
    """A text that can be shown: no control characters, not endless."""
    seen = _UNSEEN.sub("\ufffd", words)
    return seen if len(seen) <= LONGEST else seen[: LONGEST - 1] + "…"


def svg(title: str, width: float, height: float, body: Iterable[str]) -> str:
    """A picture with a title, which is read aloud."""
    said, size = escape(_plain(title), {'"': "&quot;"}), (round(width), round(height))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" '
        f'width="{size[0]}" height="{size[1]}" class="{KIND}" role="img" aria-label="{said}">'
        f"<title>{said}</title><style>{STYLE}</style>\n" + "\n".join(body) + "\n</svg>\n"
    )


def line(points: Iterable[Any]) -> str:
    """What stands in d="…"."""
    return "M" + "L".join(f"{pixels(x)} {pixels(y)}" for x, y in points)


def text(x: float, y: float, words: str, anchor: str = "start", kind: str = "") -> str:
    """Words at a point of their line, which is at their start, middle or end."""
    look = f' class="{kind}"' if kind else ""
    look += f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{pixels(x)}" y="{pixels(y)}"{look}>{escape(_plain(words))}</text>'


def pixels(x: float) -> str:
    """A number with a tenth of a pixel."""
    said = f"{float(x):.1f}".removesuffix(".0")
    return "0" if said == "-0" else said
