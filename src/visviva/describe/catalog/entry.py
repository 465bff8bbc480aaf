"""How a mechanism enters the catalogue: a recipe over named parameters, source and defaults."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, cast

from visviva.algebra.expr import Expr
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError, check_known

CHOSET = "Choset et al., Principles of Robot Motion, chapter 10"


class Sheet:
    """What a recipe works with: `s.builder`, and the parameters as expressions, `s.m1`."""

    def __init__(self, name: str, values: Mapping[str, float]) -> None:
        self.name = name
        self.values = values
        self.builder = Builder(name, parameters=values)

    def under(self, *gravity: Any) -> Builder:
        """The builder, for a mechanism under this gravity (x, y, z) in m/s²."""
        self.builder.gravity = gravity
        return self.builder

    def __getattr__(self, name: str) -> Expr:
        values = self.__dict__.get("values", {})
        if name not in values:
            raise AttributeError(f"no parameter {name!r} (available: {', '.join(values)})")
        return self.builder.parameters[name]


@dataclass(frozen=True)
class Entry:
    """A line of the catalogue: what a mechanism is, where it is from, and what makes it."""

    name: str
    line: str
    source: str
    parameters: Mapping[str, float]
    make: Callable[..., Any]
    options: Mapping[str, Any]

    def __str__(self) -> str:
        values = ", ".join(f"{k} = {v:g}" for k, v in self.parameters.items())
        chosen = ", ".join(f"{k} = {v!r}" for k, v in self.options.items())
        options = f"\noptions: {chosen}" if chosen else ""
        return f"{self.name}: {self.line}\nparameters: {values}{options}\nsource: {self.source}"


ENTRIES: dict[str, Entry] = {}


def mechanism(
    source: str, more: Callable[..., Mapping[str, float]] = lambda **_: {}, /, **defaults: float
) -> Callable[[Callable[..., Model]], Callable[..., Model]]:
    """Enter a recipe under its own name; what comes out takes the parameters by keyword.

    What the recipe itself takes by keyword are options, which choose between mechanisms; `more`
    says of options which further parameters there are with them.
    """

    def enter(recipe: Callable[..., Model]) -> Callable[..., Model]:
        name, options = recipe.__name__, options_of(recipe)

        def make(**values: Any) -> Model:
            chosen = taken(name, options, values)
            known = {**defaults, **more(**chosen)}
            return built(name, known, values, lambda s: recipe(s, **chosen))

        cast(Any, make).__signature__ = inspect.Signature(
            keywords(defaults, recipe), return_annotation="Model"
        )
        text = recipe.__doc__ or ""
        return entered(name, text, source, defaults, make, recipe.__module__, options)

    return enter


def keywords(
    defaults: Mapping[str, float], recipe: Callable[..., Any] | None = None
) -> list[inspect.Parameter]:
    """The options and the parameters of a mechanism, as those of its function."""
    kind = inspect.Parameter.KEYWORD_ONLY
    options = [] if recipe is None else _options(recipe)
    numbers = [
        inspect.Parameter(k, kind, default=v, annotation="float") for k, v in defaults.items()
    ]
    return [*options, *numbers]


def options_of(recipe: Callable[..., Any]) -> dict[str, Any]:
    """What a recipe takes by keyword, with the values that stand where none is given."""
    return {x.name: x.default for x in _options(recipe)}


def _options(recipe: Callable[..., Any]) -> list[inspect.Parameter]:
    taken = inspect.signature(recipe).parameters.values()
    return [x for x in taken if x.kind is inspect.Parameter.KEYWORD_ONLY]


def taken(name: str, options: Mapping[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """The options among these values, taken out of them; each is of the kind of its default."""
    chosen = {k: values.pop(k, x) for k, x in options.items()}
    for key, x in chosen.items():
        kind = type(options[key])
        if kind is float and not isinstance(x, bool):
            with suppress(TypeError, ValueError):
                x = chosen[key] = float(x)
        if type(x) is not kind or not isfinite(x if kind is float else 0.0):
            raise ArgumentError(f"{key} of {name} is {_KINDS[kind]}, got {x!r}")
    return chosen


_KINDS: dict[type, str] = {
    bool: "True or False",
    float: "a finite number",
    int: "a whole number",
    str: "a word",
}


def entered(
    name: str,
    text: str,
    source: str,
    defaults: Mapping[str, float],
    make: Callable[..., Any],
    module: str,
    options: Mapping[str, Any] | None = None,
) -> Callable[..., Any]:
    """Put a function into the catalogue."""
    make.__name__ = make.__qualname__ = name
    make.__module__ = module
    make.__doc__ = f"{inspect.cleandoc(text)}\n\nSource: {source}."
    line = inspect.cleandoc(text).split("\n\n")[0].replace("\n", " ")
    ENTRIES[name] = Entry(name, line, source, dict(defaults), make, dict(options or {}))
    return make


def built(
    name: str,
    defaults: Mapping[str, float],
    given: Mapping[str, float],
    recipe: Callable[[Sheet], Model],
) -> Model:
    """The model of a recipe with some parameters changed."""
    numbers, texts = split(given)
    model = recipe(Sheet(name, checked(name, defaults, numbers)))
    if texts:
        return model.with_parameters(texts)
    _ = model.numeric  # impossible masses are refused here, not later
    return model


def split(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Numbers and, in place of parameters, formulas: `r1="L1/2"`, `I1="0"`."""
    texts = {k: x for k, x in given.items() if isinstance(x, str)}
    return {k: x for k, x in given.items() if k not in texts}, texts


def checked(
    name: str, defaults: Mapping[str, float], given: Mapping[str, float]
) -> dict[str, float]:
    """The values of all parameters; unknown names and what is no number are refused."""
    for key, value in given.items():
        check_known(f"parameter of {name}", key, defaults)
        try:
            float(value)
        except (TypeError, ValueError):
            raise ArgumentError(f"{key} of {name} is a number, got {value!r}") from None
    return {**defaults, **{k: float(v) for k, v in given.items()}}


def assembled(model: Model, q: Any) -> Model:
    """With a position in which it is closed, for the values that it was made with."""
    return replace(model, keyframes={**model.keyframes, "assembled": q})


# ---- masses that many recipes use


def rod(m: Any, r: Any, inertia: Any) -> Inertia:
    """A thin link along x: its centre at r, its moment about y and z."""
    return Inertia(m, [r, 0.0, 0.0], diagonal(0.0, inertia, inertia))


def lump(m: Any, inertia: Any, at: Any = (0.0, 0.0, 0.0)) -> Inertia:
    """A compact body with the same moment about every axis."""
    return Inertia(m, at, diagonal(inertia, inertia, inertia))


def diagonal(x: Any, y: Any, z: Any) -> list[list[Any]]:
    """A tensor with these principal moments, in kg m²."""
    return [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]
