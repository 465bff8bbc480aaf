"""Anybody's text in a page, in HTML and in scripts, where it stays text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

from visviva.errors import ArgumentError
from visviva.notation.names import printable

# characters that end a script, begin a comment of HTML or end a line of JavaScript
_UNSAFE = re.compile("[<>&\u2028\u2029]")
# what HTML has no place for: controls but tab and line ends, lone halves of characters
_NOWHERE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def escaped(text: object) -> str:
    """Text for HTML, between elements or in an attribute with quotes.

    Examples:
        >>> escaped('<img onerror="x">')
        '&lt;img onerror=&quot;x&quot;&gt;'
    """
    return escape(re.sub(r"[^\t\n]+", lambda match: printable(match[0]), str(text)))


def json_text(x: Any) -> str:
    """JSON that may stand in a script element; numbers that are not finite are null.

    Arrays of numpy are lists. Anything that JSON has no word for is refused.

    Examples:
        >>> json_text({"name": "</script>", "q": (0.5, float("nan"))})
        '{"name":"\\\\u003c/script\\\\u003e","q":[0.5,null]}'
    """
    return in_script(json.dumps(_plain(x), ensure_ascii=False, separators=(",", ":")))


def in_script(text: str) -> str:
    """JSON, written by somebody else, so that no character of it can end a script element."""
    safe = _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return _NOWHERE.sub(lambda match: f"\\u{ord(match[0]):04x}", safe)


def script_text(source: str) -> str:
    """A program for a script element, which none of its strings and comments can end.

    Examples:
        >>> script_text('s = "</script>"')
        's = "<\\\\/script>"'
    """
    lines = source.replace("\r\n", "\n").replace("\r", "\n")
    lines = _NOWHERE.sub("�", lines)
    lines = re.sub(r"<(?=/script)", r"<\\", lines, flags=re.IGNORECASE).replace("<!--", r"<\!--")
    return re.sub(r"<(?=script)", r"\\x3c", lines, flags=re.IGNORECASE)


def _plain(x: Any) -> Any:
    if isinstance(x, (np.ndarray, np.generic)):
        x = x.tolist()
    if isinstance(x, Mapping):
        for key in x:
            if not isinstance(key, str):
                raise ArgumentError(f"keys of data are texts, got {key!r}")
        return {key: _plain(y) for key, y in x.items()}
    if isinstance(x, (list, tuple)):
        return [_plain(y) for y in x]
    if isinstance(x, float):
        return x if math.isfinite(x) else None
    if x is None or isinstance(x, (bool, int, str)):
        return x
    raise ArgumentError(
        f"data of a page are texts, numbers, arrays, lists and mappings, got {type(x).__name__}"
    )
