"""Public namespaces whose names are loaded on first use.

A door is a module with a table from names to where they are: `"module"` for a name that is called
the same there, `"module:other"` for another, `"module:"` for the module itself.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def door(
    title: str, addresses: Mapping[str, str], names: dict[str, Any], others: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a module, whose globals are `names`; errors have its title.

    `others`: the function, "module:name", that knows where else a name may be: in words, by a line.
    """

    def load(name: str) -> Any:
        if name not in addresses:
            from visviva.errors import MissingAttributeError

            hint, line = (
                _value_at(others)(name) if others and not name.startswith("_") else ("", "")
            )
            hint = hint if hint or line else _suggestion(name, addresses)
            raise MissingAttributeError(f"{title} has no {name!r}{hint}", cure=line)
        module, sign, attribute = addresses[name].partition(":")
        value = importlib.import_module(module)
        if attribute or not sign:
            value = getattr(value, attribute or name)
        names[name] = value
        return value

    def names_of_door() -> list[str]:
        return sorted({*addresses, *(name for name in names if name.startswith("__"))})

    return load, names_of_door


def _value_at(address: str) -> Any:
    module, _, name = address.partition(":")
    return getattr(importlib.import_module(module), name)


def _suggestion(name: str, addresses: Mapping[str, str]) -> str:
    """What may have been meant, and what there is."""
    from difflib import get_close_matches

    close = get_close_matches(name, addresses, n=1)
    hint = f"; did you mean {close[0]!r}?" if close and not name.startswith("_") else ""
    return f"{hint} (available: {', '.join(sorted(addresses))})"
