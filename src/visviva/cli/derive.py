"""`visviva derive`: equations of motion, and the way to them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from visviva.cli.common import Mechanism, check_output, system_of, written
from visviva.cli.output import say
from visviva.errors import ArgumentError, UnknownNameError
from visviva.progress import progress

FORMS = ("standard", "christoffel", "equations", "steps")
STEPS_TO = ("md", "latex", "html", "ipynb")


def derive(
    mechanism: Mechanism,
    method: Annotated[
        str,
        typer.Option(
            help="Of steps: lagrange, newton-euler, d-alembert, virtual-work, jacobian, statics, …"
        ),
    ] = "",
    form: Annotated[
        str, typer.Option(help="standard (M, C, g, b), christoffel, equations or steps.")
    ] = "standard",
    to: Annotated[str, typer.Option(help="md, latex, html, python, c; ipynb for steps.")] = "md",
    output: Annotated[Path | None, typer.Option(help="A file to write instead.")] = None,
) -> None:
    """The equations of motion in textbook form, or the way to them step by step.

    \b
    Examples:
      visviva derive two_link
      visviva derive rp_arm --to latex
      visviva derive two_link --form steps --method newton-euler --to html --output arm.html
    """
    _refuse_early(form, method, to, output)
    system = system_of(mechanism)
    with progress(f"deriving {mechanism}"):
        text = (
            _steps(system, method or "lagrange", to)
            if form == "steps"
            else _closed(system, form, to)
        )
    if output is None:
        say(text)
    else:
        output.write_text(text, encoding="utf-8")
        written(output)


def _refuse_early(form: str, method: str, to: str, output: Path | None) -> None:
    """What cannot be written in the end is refused before it is derived."""
    from visviva.judge.closed.printed import LANGUAGES
    from visviva.judge.derive.steps import METHODS

    if form not in FORMS:
        raise UnknownNameError("form", form, FORMS)
    if form == "steps" and to not in STEPS_TO:
        raise UnknownNameError("language of a derivation", to, STEPS_TO)
    if method and method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    if method and form != "steps":
        raise ArgumentError(f"--method {method} is for steps: add --form steps")
    if form != "steps" and to not in LANGUAGES:
        raise UnknownNameError("language", to, LANGUAGES)
    check_output(output)


def _closed(system: Any, form: str, to: str) -> str:
    from visviva.judge.closed.printed import printed

    return printed(system.closed_form(), form, to)


def _steps(system: Any, method: str, to: str) -> str:
    derivation = system.derivation(method)
    ways: dict[str, Callable[[], str]] = {
        "md": derivation.markdown,
        "latex": derivation.latex,
        "html": derivation.html,
        "ipynb": lambda: json.dumps(derivation.notebook(), indent=1),
    }
    return ways[to]()
