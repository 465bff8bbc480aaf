"""Object files into one image: bytes that run wherever they are copied.

LLVM writes ELF objects: sections, symbols, and relocations that say where one refers to another.
x86-64 code of the small model refers to everything by its distance, so once the sections have their
places in the image every reference is a number, and nothing is left to be done when it is loaded.

What does not fit this picture (another processor, a symbol that nobody defines, an absolute
address) is refused; LLVM's own loader then takes the objects instead.
"""

from __future__ import annotations

import struct
from collections import namedtuple
from collections.abc import Iterator, Sequence

import numpy as np

ELF = b"\x7fELF\x02\x01\x01"  # 64 bits, little endian
RELOCATABLE, X86_64 = 1, 62
HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
PROGBITS, SYMTAB, RELA, NOBITS = 1, 2, 4, 8  # kinds of sections
ALLOCATED = 0x2  # a flag of those that are in memory at run time
SPECIAL = 0xFF00  # indices of sections from here on have another meaning
PC32, PLT32 = 2, 4  # kinds of relocations: distances; calls within an image need no detour
LARGEST_IMAGE = 2**31 - 1  # bytes that a distance can span
LARGEST_ALIGNMENT = 4096  # the most that the place of an image has

SYMBOL = np.dtype("<u4, u1, u1, <u2, <u8, <u8")
SYMBOL.names = ("name", "info", "other", "section", "value", "size")
RELOCATION = np.dtype("<u8, <u4, <u4, <i8")
RELOCATION.names = ("offset", "kind", "symbol", "addend")


class Unlinkable(Exception):  # noqa: N818 (never seen outside: LLVM's loader takes over)
    """These objects are not of the kind that becomes one image."""


# a row of an object's table of sections
Section = namedtuple(
    "Section", "name kind flags address offset size link info alignment entry_size"
)


class Object:
    """One object file: where its sections are to stand, and where its symbols then are."""

    def __init__(self, content: bytes, end: int) -> None:
        self.content = content
        self.sections = list(_sections(content))
        self.places: dict[int, int] = {}
        for k, section in enumerate(self.sections):
            if section.kind in (PROGBITS, NOBITS) and section.flags & ALLOCATED:
                if section.alignment > LARGEST_ALIGNMENT:
                    raise Unlinkable(f"a section is aligned to {section.alignment} bytes")
                end = -(-end // max(section.alignment, 1)) * max(section.alignment, 1)
                self.places[k] = end
                end += section.size
        self.end = end
        (self.table,) = (x for x in self.sections if x.kind == SYMTAB)
        self.symbols = np.frombuffer(self.bytes(self.table), SYMBOL)
        self.addresses = self._addresses()

    def bytes(self, section: Section) -> bytes:
        """What a section holds, as it stands in the file."""
        return self.content[section.offset : section.offset + section.size]

    def _addresses(self) -> np.ndarray:
        """Of every symbol in the image; -1 for those of other objects."""
        places = np.full(len(self.sections), -1, dtype=np.int64)
        places[list(self.places)] = list(self.places.values())
        own = self.symbols["section"].astype(np.int64)
        start = np.where(own < SPECIAL, places[np.minimum(own, len(places) - 1)], -1)
        return np.where(start < 0, -1, start + self.symbols["value"].astype(np.int64))

    def named(self) -> Iterator[tuple[str, int]]:
        """Names and indices of the symbols that have a name."""
        names = self.bytes(self.sections[self.table.link])
        for k, start in enumerate(self.symbols["name"].tolist()):
            if start:
                yield names[start : names.index(b"\0", start)].decode(), k


def linked(objects: Sequence[bytes]) -> tuple[bytes, dict[str, int]]:
    """The image of some objects, and where the symbols stand that are named `vv.…`."""
    parts: list[Object] = []
    for content in objects:
        parts.append(Object(content, parts[-1].end if parts else 0))
    if not parts or parts[-1].end > LARGEST_IMAGE:
        raise Unlinkable("an image has between one byte and two gigabytes")
    known: dict[str, int] = {}
    for part in parts:
        for name, k in part.named():
            if name.startswith("vv.") and part.addresses[k] >= 0:
                known[name] = int(part.addresses[k])
    image = np.zeros(parts[-1].end, dtype=np.uint8)
    for part in parts:
        for name, k in part.named():
            if part.addresses[k] < 0 and name in known:
                part.addresses[k] = known[name]
        for k, place in part.places.items():
            if part.sections[k].kind == PROGBITS:
                held = np.frombuffer(part.bytes(part.sections[k]), np.uint8)
                image[place : place + len(held)] = held
        _relocate(image, part)
    return image.tobytes(), known


def _sections(content: bytes) -> Iterator[Section]:
    if content[: len(ELF)] != ELF or len(content) < HEADER.size:
        raise Unlinkable("not an ELF object of 64 bits")
    _, kind, machine, _, _, _, start, _, _, _, _, size, count, _ = HEADER.unpack_from(content)
    if (kind, machine) != (RELOCATABLE, X86_64):
        raise Unlinkable(f"an object of kind {kind} for machine {machine}")
    for k in range(count):
        yield Section(*struct.unpack_from("<IIQQQQIIQQ", content, start + k * size))


def _relocate(image: np.ndarray, part: Object) -> None:
    """Write every reference of an object: the distance from itself to what it refers to."""
    for section in part.sections:
        if section.kind != RELA or section.info not in part.places:
            continue  # none of ours, or of tables that only debuggers read
        rows = np.frombuffer(part.bytes(section), RELOCATION)
        if not np.isin(rows["kind"], (PC32, PLT32)).all():
            raise Unlinkable(f"relocations of the kinds {sorted({*rows['kind'].tolist()})}")
        targets = part.addresses[rows["symbol"]]
        if (targets < 0).any():
            missing = set(rows["symbol"][targets < 0].tolist())
            raise Unlinkable(f"undefined: {[name for name, k in part.named() if k in missing]}")
        from_here = part.places[section.info] + rows["offset"].astype(np.int64)
        distances = (targets + rows["addend"] - from_here).astype("<i4")
        where = from_here[:, None] + np.arange(4)
        image[where] = distances.view(np.uint8).reshape(-1, 4)
