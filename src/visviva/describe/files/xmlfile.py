"""XML from strangers: read with a size limit, no DTD, no entities, no network.

`Document` holds the root element; its methods take attributes apart and make errors that say where
in the file something is wrong and what would be accepted.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from dataclasses import dataclass
from typing import Any

from lxml import etree

from visviva.errors import ReadError

MAX_BYTES = 50_000_000
MAX_ELEMENTS = 250_000  # the largest robots have some thousand
MAX_ATTRIBUTES = 1_000_000
LARGEST = 1e30  # of a number; products of a few of them are still finite
BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
ENCODINGS = {"utf-8": "utf-8", "us-ascii": "utf-8", "ascii": "utf-8", "iso-8859-1": "latin-1"}
DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([^"']{1,40})["']""")
VERSION = re.compile(r"""<\?xml\s+version\s*=\s*(["'])([^"'<>]{0,40})\1""")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
START = 1_000_000  # in which a root element is looked for
ROOT = re.compile(r"\s*+(?:(?><\?.*?\?>|<!--.*?-->)\s*+)*+<([A-Za-z_][\w.-]*)", re.DOTALL)
INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


@dataclass(frozen=True)
class Document:
    """The root element, and what to call the file in messages."""

    root: Any
    source: str
    notes: tuple[str, ...] = ()

    def error(self, element: Any, problem: str, accepted: str = "") -> ReadError:
        """An error at an element: the file, the line, the problem and what is accepted."""
        tail = f"; accepted: {accepted}" if accepted else ""
        place = f"{self.source}, line {element.sourceline}, {label(element)}"
        return ReadError(f"{place}: {problem}{tail}")

    def required(self, element: Any, attribute: str) -> str:
        """The text of an attribute that must be there."""
        text: str | None = element.get(attribute)
        if not text:
            given = ", ".join(element.attrib) or "none"
            accepted = f'{attribute}="..."'
            raise self.error(element, f"needs {attribute}, has attributes: {given}", accepted)
        if "${" in text or "$(" in text:
            accepted = f"plain text; run xacro first: {xacro_command(self.source)}"
            raise self.error(element, f"{attribute} is {_short(text)!r}", accepted)
        return text

    def number(
        self, element: Any, attribute: str, default: float | None = None, infinite: bool = False
    ) -> float:
        """One number; where `infinite` is allowed, those too large for physics count as such."""
        text = element.get(attribute)
        if text is None and default is not None:
            return default
        return self._number(element, attribute, self.required(element, attribute).strip(), infinite)

    def numbers(
        self, element: Any, attribute: str, count: int, default: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        """Several numbers, separated by spaces."""
        if default is not None and element.get(attribute) is None:
            return default
        words = self.required(element, attribute).split()
        if len(words) != count:
            got = f"{attribute} has {len(words)} words: {_short(' '.join(words))!r}"
            raise self.error(element, got, f"{count} numbers with spaces between them")
        return tuple(self._number(element, attribute, word, False) for word in words)

    def _number(self, element: Any, attribute: str, word: str, infinite: bool) -> float:
        if infinite and INFINITE.fullmatch(word):
            return float(word)
        accepted = "a finite number like 0.5 or -1e-3"
        if not NUMBER.fullmatch(word):
            if "${" in word or "$(" in word:
                accepted = f"a plain number; run xacro first: {xacro_command(self.source)}"
            raise self.error(element, f"{attribute} is {_short(word)!r}", accepted)
        value = float(word)
        if abs(value) <= LARGEST:
            return value
        if infinite:
            return float("inf") if value > 0 else float("-inf")
        raise self.error(element, f"{attribute} is {word}", f"numbers up to {LARGEST:g}")


def label(element: Any) -> str:
    """An element in a message: its tag and name."""
    tag = etree.QName(element).localname
    name = element.get("name")
    return f"<{tag}>" if name is None else f'<{tag} name="{_short(name)}">'


def xacro_command(source: str) -> str:
    """What a user types to get plain XML."""
    return f"xacro {source} > robot.urdf"


def read_xml(
    path: str | os.PathLike[str], limit: int = MAX_BYTES, elements: int = MAX_ELEMENTS
) -> Document:
    """The root element of a file of at most `limit` bytes and so many elements."""
    return parse_xml(_bytes(path, limit), os.fspath(path), limit, elements)


def root_tag(path: str | os.PathLike[str], limit: int = MAX_BYTES) -> str:
    """The name of the root element, from the beginning of the file; empty if it is not there."""
    start = _decoded(_bytes(path, limit, START), os.fspath(path), strict=False)
    tag = ROOT.match(start)
    return tag[1] if tag else ""


def _bytes(path: str | os.PathLike[str], limit: int, most: int | None = None) -> bytes:
    """What a regular file of at most `limit` bytes has, or the first `most` of it."""
    name = os.fspath(path)
    try:
        info = os.stat(name)
        if stat.S_ISDIR(info.st_mode):
            raise ReadError(f"{name}: is a directory; accepted: a file")
        if not stat.S_ISREG(info.st_mode):
            raise ReadError(f"{name}: is a pipe or a device; accepted: a regular file")
        if info.st_size > limit:
            raise _too_large(name, f"{info.st_size} bytes", limit)
        with open(name, "rb") as file:
            return file.read(limit + 1 if most is None else most)  # it may have grown
    except OSError as error:
        raise ReadError(f"{name}: cannot be read: {error.strerror}; accepted: a file") from None
    except ValueError as error:
        if isinstance(error, ReadError):
            raise
        raise ReadError(f"{name!r}: is no path: {error}; accepted: a file") from None


def parse_xml(
    data: str | bytes, source: str, limit: int = MAX_BYTES, elements: int = MAX_ELEMENTS
) -> Document:
    """The root element of a text; `source` is its name in messages."""
    if len(data) > limit:
        raise _too_large(source, f"more than {limit} bytes", limit)
    text = data if isinstance(data, str) else _decoded(data, source)
    if "<!DOCTYPE" in text:  # also inside comments: simple, and nothing slips through
        line = text[: text.index("<!DOCTYPE")].count("\n") + 1
        raise ReadError(
            f"{source}, line {line}, <!DOCTYPE: document types and entities are refused; "
            "accepted: plain XML without them"
        )
    _bound(text, source, elements)
    text, notes = _of_version_one(text)
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "surrogatepass"), parser)
    except etree.XMLSyntaxError as error:
        message = error.msg or "no XML"
        accepted = "well-formed XML"
        if "prefix xacro" in message:
            accepted = f"plain XML; run xacro first: {xacro_command(source)}"
        raise ReadError(
            f"{source}, line {error.lineno}: malformed XML: {message}; accepted: {accepted}"
        ) from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise ReadError(f"{source}: document types are refused; accepted: plain XML")
    return Document(root, source, notes)


def _of_version_one(text: str) -> tuple[str, tuple[str, ...]]:
    """The text, headed as XML 1.0 where its version is none that there is, and a note on that."""
    header = VERSION.match(text)
    if header is None or header[2].startswith("1."):
        return text, ()
    note = f"the file is headed as XML of version {header[2]!r}, and read as 1.0"
    return f"{text[: header.start(2)]}1.0{text[header.end(2) :]}", (note,)


def _bound(text: str, source: str, elements: int) -> None:
    """Refuse what takes minutes and gigabytes to parse, before parsing."""
    opened = text.count("<") - text.count("</")
    if opened > elements:
        raise ReadError(
            f"{source}: has {opened} elements; accepted: at most {elements} (max_elements=)"
        )
    attributes, most = text.count('="') + text.count("='"), max(MAX_ATTRIBUTES, 4 * elements)
    if attributes > most:
        raise ReadError(
            f"{source}: has {attributes} attributes; accepted: at most {most}, or four for each of "
            "max_elements="
        )


def _decoded(data: bytes, source: str, strict: bool = True) -> str:
    codec = next((name for mark, name in BOMS.items() if data.startswith(mark)), "")
    if not codec:
        declared = DECLARED.match(data)
        name = declared[1].decode("ascii", "replace").lower() if declared else "utf-8"
        if name not in ENCODINGS:
            accepted = ", ".join(ENCODINGS)
            raise ReadError(f"{source}, line 1: encoding is {name!r}; accepted: {accepted}, UTF-16")
        codec = ENCODINGS[name]
    try:
        text = data.decode(codec, "strict" if strict else "ignore")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ReadError(
            f"{source}, line {line}: byte {error.start} is no {codec} text; accepted: an XML file"
        ) from None
    if not text.lstrip().startswith("<"):
        start = _short(text.lstrip())
        raise ReadError(f"{source}, line 1: starts with {start!r}; accepted: an XML file")
    return text


def _too_large(source: str, size: str, limit: int) -> ReadError:
    return ReadError(f"{source}: has {size}; accepted: at most {limit} (max_bytes=)")


def _short(text: str, most: int = 40) -> str:
    return text if len(text) <= most else text[:most] + "…"
