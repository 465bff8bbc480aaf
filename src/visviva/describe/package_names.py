"""What readers look for in the package itself, or in `vv.pencil`: the line that does the same."""

from __future__ import annotations

import re

from visviva import space
from visviva.algebra import generic
from visviva.describe import catalog
from visviva.describe.model.model import Model
from visviva.foreign import WHOLE, line_for, snake_case, table, without_prefix


def in_package(name: str) -> str:
    """The line for a name that was looked for in `visviva` itself, "" if there is none."""
    if line := line_for(name, table()["package"]):
        return line
    if entry := {name, snake_case(name)} & {*catalog.names()}:
        return f"vv.catalog.{entry.pop()}()"
    if line := line_for(name, table()["attributes"]["System"]):
        bare = re.sub(r"\{(\w+)(?:!r)?\}", r"\1", line).replace("{{", "{").replace("}}", "}")
        return bare if line.startswith(WHOLE) else f"model.{bare}"
    if name in dir(space):
        return f"vv.space.{name}"
    if getattr(vars(generic).get(name), "__module__", "") == generic.__name__:
        return f"vv.generic.{name}"
    names = {*dir(Model)}
    verb = next((x for x in (name, snake_case(name), without_prefix(name)) if x in names), "")
    return verb and f"model.{verb} of model = vv.load(path)"


def in_pencil(name: str) -> str:
    """The same for `visviva.pencil`."""
    line = line_for(name, table()["attributes"]["System"])
    of_system = f"system.{line}" if line.startswith("closed_form") else ""
    return line_for(name, table()["pencil"]) or of_system
