"""`visviva derive`: equations of motion, and the way to them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from visviva.cli.common import Base, Mechanism, check_output, system_of, written
from visviva.cli.output import say
from visviva.errors import ArgumentError, UnknownNameError
from visviva.progress import progress

FORMS = ("standard", "christoffel", "equations", "steps")
STEPS_TO = ("md", "latex", "html", "ipynb")
_SUFFIXES = {
    ".md": "md",
    ".tex": "latex",
    ".html": "html",
    ".py": "python",
    ".c": "c",
    ".ipynb": "ipynb",
}
# what else languages are called
_CALLED = {"notebook": "ipynb", "tex": "latex", "markdown": "md", "py": "python"}


def derive(
    mechanism: Mechanism = "",
    method: Annotated[
        str,
        typer.Option(
            help="Of steps: lagrange, newton-euler, d-alembert, virtual-work, jacobian, statics, …"
        ),
    ] = "",
    form: Annotated[
        str, typer.Option(help="standard (M, C, g, b), christoffel, equations or steps.")
    ] = "standard",
    to: Annotated[
        str,
        typer.Option(
            help="md, latex, html, python, c; ipynb for steps. Else by the file's suffix, or md."
        ),
    ] = "",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A file to write instead: .md, .tex, .html, …"),
    ] = None,
    proof: Annotated[
        str, typer.Option(help="Instead of a mechanism: koenig, parallel-axes, …")
    ] = "",
    base: Base = "fixed",
) -> None:
    """The equations of motion in textbook form, or the way to them step by step.

    With --proof, a general statement of mechanics and its proof instead.

    \b
    Examples:
      visviva derive two_link
      visviva derive rp_arm --to latex
      visviva derive two_link --form steps --method newton-euler -o arm.html
      visviva derive --proof parallel-axes
    """
    to = _language(to, output)
    if proof:
        if base != "fixed":
            raise ArgumentError(f"--base {base} is for URDF files, not for --proof")
        text = _proof(proof, mechanism, method, to, output)
    elif mechanism:
        _refuse_early(form, method, to, output)
        text = _of_mechanism(system_of(mechanism, base), form, method, to)
    else:
        raise ArgumentError("derive asks for a mechanism, or for --proof and a name; got neither")
    if output is None:
        say(text)
    else:
        output.write_text(text, encoding="utf-8")
        written(output)


def _language(to: str, output: Path | None) -> str:
    """What was asked for, else what the suffix of the file means; both have to agree."""
    to = _CALLED.get(to.lower(), to)
    suffix = "" if output is None else output.suffix.lower()
    if not suffix:
        return to or "md"
    listed = ", ".join(f"{x} ({language})" for x, language in _SUFFIXES.items())
    if suffix not in _SUFFIXES:
        way = f"; pdflatex makes it of {output.stem}.tex" if output and suffix == ".pdf" else ""
        raise ArgumentError(f"the suffix of {output} is none of {listed}{way}")
    meant = _SUFFIXES[suffix]
    if to in _SUFFIXES.values() and to != meant:
        raise ArgumentError(f"--to {to} is not what {output} says: suffixes are {listed}")
    return to or meant


def _of_mechanism(system: Any, form: str, method: str, to: str) -> str:
    with progress(f"deriving {system.name}"):
        if form == "steps":
            return _steps(system, method or "lagrange", to)
        return _closed(system, form, to)


def _proof(name: str, mechanism: str, method: str, to: str, output: Path | None) -> str:
    from visviva.judge.proofs.proof import proof

    if mechanism or method:
        raise ArgumentError(f"a proof is of no mechanism, got {mechanism or method!r} beside it")
    if to not in STEPS_TO:
        raise UnknownNameError("language of a proof", to, STEPS_TO)
    check_output(output)
    return _documents(proof(name), to)


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
        way = "notebooks are of steps, add --form steps --to ipynb" if to == "ipynb" else None
        raise UnknownNameError("language", to, LANGUAGES, way)
    check_output(output)


def _closed(system: Any, form: str, to: str) -> str:
    from visviva.judge.closed.printed import printed

    return printed(system.closed_form(), form, to)


def _steps(system: Any, method: str, to: str) -> str:
    return _documents(system.derivation(method), to)


def _documents(written: Any, to: str) -> str:
    ways: dict[str, Callable[[], str]] = {
        "md": written.markdown,
        "latex": written.latex,
        "html": written.html,
        "ipynb": lambda: json.dumps(written.notebook(), indent=1),
    }
    return ways[to]()
