"""The reference page has everything that a user may import, by the door it is imported through."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import visviva as vv

PAGE = (Path(__file__).parents[2] / "docs" / "reference.md").read_text(encoding="utf-8")
DOORS = (vv, vv.space, vv.pencil, vv.parallel)
ENTRY = re.compile(r"^::: (\S+)$((?:\n(?:    .*)?$)*)", re.M)
MEMBERS = re.compile(r"members: \[(.*?)\]", re.S)


def documented(page):
    """Full names that the page documents; of a module without a list of members, `module.*`."""
    for entry, options in ENTRY.findall(page):
        listed = MEMBERS.search(options)
        yield from (
            (f"{entry}.{name.strip()}" for name in listed[1].split(","))
            if listed
            else (
                entry,
                f"{entry}.*",
            )
        )


def is_documented(thing, names):
    """Whether a thing stands on the page itself, or in a module that is shown whole."""
    if inspect.ismodule(thing):
        return any(name.startswith(f"{thing.__name__}.") for name in names)
    if not hasattr(thing, "__qualname__"):
        thing = type(thing)
    return {f"{thing.__module__}.{thing.__qualname__}", f"{thing.__module__}.*"} & names


def public(door):
    return [name for name in dir(door) if not name.startswith("__")]


@pytest.mark.parametrize(
    ("door", "name"),
    [(door, name) for door in DOORS for name in public(door)],
    ids=lambda x: x if isinstance(x, str) else x.__name__,
)
def test_every_public_name_is_in_the_reference(door, name):
    thing = getattr(door, name)
    shown = f"{door.__name__.replace('visviva', 'vv')}.{name}"
    assert is_documented(thing, set(documented(PAGE))) or shown in PAGE, shown
    if door is vv:
        assert f"vv.{name}" in PAGE, f"no sentence of the reference says vv.{name}"


def returned():
    """Names of our own classes that public methods say they give."""
    said = []
    for owner in (vv.Model, vv.Lagrangian, vv.Trajectory, vv.Function, vv.Linearization):
        for name in public(owner):
            member = inspect.getattr_static(owner, name)
            member = getattr(member, "fget", getattr(member, "__func__", member))
            said.append(str(getattr(member, "__annotations__", {}).get("return", "")))
    return set(re.findall(r"\b[A-Z]\w+", " ".join(said)))


def test_what_methods_give_is_in_the_reference():
    root, shown = Path(vv.__file__).parent, {name.split(".")[-1] for name in documented(PAGE)}
    ours = {
        node.name
        for path in root.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    }
    # machine code itself; the live view has a page of its own
    inside = {"Code", "Kernel", "LiveView"}
    assert returned() & ours - shown - inside == set()


def test_what_is_not_there_would_be_seen():
    page = "::: a.b\n    options:\n      members: [c, d]\n\n::: e.f\n"
    assert set(documented(page)) == {"a.b.c", "a.b.d", "e.f", "e.f.*"}
    assert not is_documented(vv.load, set(documented(page)))
