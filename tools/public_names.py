"""Public names that stand neither on a page nor in a test, so that it can be decided what for.

python tools/public_names.py           # those that stand in neither
python tools/public_names.py --pages   # those that no page has
python tools/public_names.py --tests   # those that no test has

Public are the names of the doors (`vv`, `vv.space`, …), and of classes behind them and of what
their methods give all members without an underscore. A page has a name that stands there as code,
a test one that it asks for, by attribute, argument or text. A name that is a common word, too, may
be missed: what is listed is certain, what is not listed is not.
"""

import argparse
import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]  # a script has its own folder there, not these
import visviva as vv  # noqa: E402
from tools.house import house  # noqa: E402
from visviva.foreign import Elsewhere  # noqa: E402

DOORS = (vv, vv.space, vv.pencil, vv.parallel)
WRITTEN = {"architecture.md", "changes.md", "coverage.md"}  # of the source itself, or of its past
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)


@cache
def modules_of_classes() -> dict[str, str]:
    """By the name of a class, the module that defines it; names of two classes are left out."""
    names: dict[str, list[str]] = {}
    for module, source in house().sources.items():
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef):
                names.setdefault(node.name, []).append(module)
    return {name: where[0] for name, where in names.items() if len(where) == 1}


def members(cls: type) -> Iterator[tuple[str, str, Any]]:
    """Class and name of what our own classes give a class, and what it is."""
    for owner in cls.__mro__:
        if not owner.__module__.startswith("visviva"):
            continue
        own = {**dict.fromkeys(getattr(owner, "__annotations__", {})), **vars(owner)}
        for name, thing in own.items():
            if not name.startswith("_") and not isinstance(thing, Elsewhere):
                yield owner.__name__, name, thing


def result_classes(thing: Any) -> Iterator[type]:
    """Our classes that a function or property says it gives."""
    function = getattr(thing, "fget", None) or getattr(thing, "func", None) or thing
    function = getattr(function, "__func__", function)
    text = str(getattr(function, "__annotations__", {}).get("return", ""))
    for name in re.findall(r"\b[A-Z]\w+", text):
        if module := modules_of_classes().get(name):
            yield getattr(importlib.import_module(module), name)


def public_names() -> dict[str, str]:
    """All of them, `Model.mass` and `vv.load`, with the word that is looked for."""
    names: dict[str, str] = {}
    classes: list[type] = []
    for door in DOORS:
        shown = door.__name__.replace("visviva", "vv")
        for name in dir(door):
            thing = getattr(door, name)
            if name.startswith("_") or isinstance(thing, ModuleType):
                continue
            names[f"{shown}.{name}"] = name
            classes += [thing] if inspect.isclass(thing) else result_classes(thing)
    visited: set[type] = set()
    while classes:
        cls = classes.pop()
        if cls in visited or issubclass(cls, BaseException):
            continue
        visited.add(cls)
        for owner, name, thing in members(cls):
            names[f"{owner}.{name}"] = name
            classes += result_classes(thing)
    return names


def words_of_page(text: str) -> set[str]:
    """Words of what stands there as code."""
    return {word for code in CODE.findall(text) for word in re.findall(r"\w+", code)}


def words_of_test(text: str) -> set[str]:
    """Names that a test asks for: attributes, arguments, and texts that are one word."""
    words = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute):
            words.add(node.attr)
        elif isinstance(node, ast.keyword | ast.alias):
            words.add(str(getattr(node, "arg", "") or getattr(node, "name", "")))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words |= {*re.findall(r"\w+", node.value)}
    return words


def on_pages() -> set[str]:
    """Words of all pages."""
    paths = [x for x in (ROOT / "docs").rglob("*.md") if x.name not in WRITTEN]
    texts = (x.read_text(encoding="utf-8") for x in [*paths, ROOT / "README.md"])
    return set().union(*map(words_of_page, texts))


def in_tests() -> set[str]:
    """Words of all tests."""
    texts = (x.read_text(encoding="utf-8") for x in (ROOT / "tests").rglob("*.py"))
    return set().union(*map(words_of_test, texts))


def main() -> None:
    """Print them, and how many there are."""
    lines = (__doc__ or "").splitlines()
    parser = argparse.ArgumentParser(description=lines[0])
    parser.add_argument("--pages", action="store_true", help="those that no page has")
    parser.add_argument("--tests", action="store_true", help="those that no test has")
    options = parser.parse_args()
    names = public_names()
    both = not (options.pages or options.tests)
    words = on_pages() if options.pages or both else set()
    words |= in_tests() if options.tests or both else set()
    missing = sorted(name for name, word in names.items() if word not in words)
    print("\n".join([*missing, f"{len(missing)} of {len(names)} public names"]))


if __name__ == "__main__":
    main()
