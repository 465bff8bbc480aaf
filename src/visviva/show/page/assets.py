"""Scripts and style of a page: files beside this one, and how the page names them."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path

from visviva.errors import UnknownNameError

_HERE = Path(__file__).parent
FIRST = ("theme.js",)  # in the head, so that no page is seen in the wrong colours
ALWAYS = ("page.js",)
BEFORE = {  # what a script builds on
    "solids.js": ("camera.js",),
    "viewer.js": ("solids.js", "controls.js"),
    "player.js": ("viewer.js",),
}


def script_names() -> tuple[str, ...]:
    """The scripts that there are, by name."""
    return tuple(sorted(path.name for path in (_HERE / "scripts").glob("*.js")))


@cache
def script_file(name: str) -> str:
    """The text of one of our scripts."""
    if name not in script_names():
        raise UnknownNameError("script", name, script_names())
    return (_HERE / "scripts" / name).read_text(encoding="utf-8")


@cache
def style_file(name: str = "style.css") -> str:
    """The style of every page, or one that some pages have besides."""
    known = tuple(sorted(path.name for path in _HERE.glob("*.css")))
    if name not in known:
        raise UnknownNameError("style", name, known)
    return (_HERE / name).read_text(encoding="utf-8")


def fingerprint(script: str) -> str:
    """How a policy names a script that may run: the digest of its very text.

    Examples:
        >>> fingerprint("")
        "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest())
    return f"'sha256-{digest.decode()}'"


def policy(scripts: list[str]) -> str:
    """What a page may do: run these scripts and what they unpack; load and send nothing."""
    allowed = " ".join(dict.fromkeys(map(fingerprint, scripts)))
    return (
        f"default-src 'none'; script-src {allowed} blob:; style-src 'unsafe-inline'; "
        "img-src data: blob:; connect-src 'none'; base-uri 'none'; form-action 'none'"
    )
