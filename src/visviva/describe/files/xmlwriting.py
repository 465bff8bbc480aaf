"""What writers of XML share: remarks at the head of a file, and names that are free."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from lxml import etree


def remark(root: Any, what: str, sentences: Sequence[str]) -> None:
    """A comment at the head of a file that begins so, if there is something to say."""
    if sentences:
        root.append(etree.Comment(f" {what}: {'; '.join(sentences)} ".replace("--", "- -")))


def fresh(name: str, taken: Collection[str]) -> str:
    """The name, with underscores behind it until nothing else has it."""
    while name in taken:
        name += "_"
    return name
