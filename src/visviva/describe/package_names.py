"""What readers look for in the package itself, or in `vv.pencil`: the line that does the same."""

from __future__ import annotations

from visviva import space
from visviva.algebra import generic
from visviva.describe import catalog
from visviva.describe.model.model import Model
from visviva.foreign import line_for, lines_of_class, snake_case, table, without_prefix
from visviva.hints import names_left_open


def in_package(name: str) -> str:
    """The line for a name that was looked for in `visviva` itself, "" if there is none."""
    if line := line_for(name, table()["package"]):
        return line
    if entry := {name, snake_case(name)} & {*catalog.names()}:
        return f"vv.catalog.{entry.pop()}()"
    if line := line_for(name, lines_of_class("attributes", Model)):
        return names_left_open(line)
    if name in dir(space):
        return f"vv.space.{name}"
    if getattr(vars(generic).get(name), "__module__", "") == generic.__name__:
        return f"vv.generic.{name}"
    attributes = {*dir(Model)}
    spellings = (name, snake_case(name), without_prefix(name))
    attribute = next((x for x in spellings if x in attributes), "")
    return attribute and f"model.{attribute} of model = vv.load(path)"


def in_pencil(name: str) -> str:
    """The same for `visviva.pencil`."""
    return line_for(name, table()["pencil"])
