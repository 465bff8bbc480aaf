"""What readers look for in the package itself, or in `vv.pencil`: the line that does the same."""

from __future__ import annotations

from visviva import space
from visviva.algebra import generic
from visviva.describe import catalog
from visviva.describe.model.model import Model
from visviva.foreign import line_for, lines_of_class, snake_case, table, without_prefix
from visviva.hints import Advice, names_left_open


def in_package(name: str) -> Advice:
    """Where a name is that was looked for in `visviva` itself: in words, and by a line."""
    if line := line_for(name, table()["package"]):
        return "", line
    if entry := {name, snake_case(name)} & {*catalog.names()}:
        return "", f"vv.catalog.{entry.pop()}()"
    if name in dir(space):
        return "", f"vv.space.{name}"
    if getattr(vars(generic).get(name), "__module__", "") == generic.__name__:
        return "", f"vv.generic.{name}"
    if line := line_for(name, lines_of_class("attributes", Model)):
        return f"; a model has it: {names_left_open(line)}", ""
    attributes = {*dir(Model)}
    spellings = (name, snake_case(name), without_prefix(name))
    attribute = next((x for x in spellings if x in attributes), "")
    return attribute and f"; a model has it: model.{attribute}", ""


def in_pencil(name: str) -> Advice:
    """The same for `visviva.pencil`."""
    return "", line_for(name, table()["pencil"])
