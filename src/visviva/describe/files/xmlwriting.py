"""What writers of XML share: remarks at the head of a file, names that are free, the order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from lxml import etree

from visviva.describe.model.body import WORLD


def remark(root: Any, what: str, sentences: Sequence[str]) -> None:
    """A comment at the head of a file that begins so, if there is something to say."""
    if sentences:
        root.append(etree.Comment(f" {what}: {'; '.join(sentences)} ".replace("--", "- -")))


def fresh(name: str, taken: Collection[str]) -> str:
    """The name, with underscores behind it until nothing else has it."""
    while name in taken:
        name += "_"
    return name


def depth_first(bodies: Sequence[Any]) -> list[int]:
    """Bodies in the order of elements within elements: each before what hangs on it."""
    below: dict[int, list[int]] = {}
    for i, b in enumerate(bodies):
        below.setdefault(b.parent, []).append(i)
    order: list[int] = []
    waiting = below.get(WORLD, [])[::-1]
    while waiting:
        order.append(waiting.pop())
        waiting += below.get(order[-1], [])[::-1]
    return order
