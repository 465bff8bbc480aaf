"""`Derivation`: steps with equations, each checked before it was written down."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import sympy

from visviva.errors import UnknownNameError, WriteError, path_of
from visviva.notation.writing.plain import text
from visviva.progress import progress

METHODS = {
    "lagrange": "The equations of Lagrange",
    "newton-euler": "The recursion of Newton and Euler",
    "d-alembert": "D'Alembert's principle",
    "virtual-work": "Virtual work",
    "jacobian": "Forward kinematics and Jacobian",
    "statics": "Statics",
    "multipliers": "Lagrange's multipliers",
    "projection": "Projected equations",
}


@dataclass(frozen=True)
class Equation:
    """left = members = …; `rhs` is the last member as SymPy has it.

    `check` says what was proved of this line before it was written.
    """

    left: Any
    members: tuple[Any, ...]
    rhs: Any
    check: str = ""

    @property
    def lhs(self) -> sympy.Symbol:
        """The left side as a symbol, named as it is written."""
        return sympy.Symbol(self.name)

    @property
    def name(self) -> str:
        """The left side as text."""
        return text(self.left)

    def __str__(self) -> str:
        return f"{self.name} = {' = '.join(text(m) for m in self.members)}"


@dataclass(frozen=True)
class Step:
    """What is done, in a sentence, and the equations that come of it."""

    title: str
    sentence: str
    equations: tuple[Equation, ...] = ()
    chapter: str = ""  # opens a chapter of this name

    @property
    def checks(self) -> tuple[str, ...]:
        """What was proved of its lines, each sentence once."""
        return tuple(dict.fromkeys(e.check for e in self.equations if e.check))

    def __str__(self) -> str:
        lines = [self.title, f"  {self.sentence}", *(f"    {e}" for e in self.equations)]
        return "\n".join([*lines, *(f"  [checked: {c}]" for c in self.checks)])


class Written:
    """What was written step by step, every line checked: its lines, and the documents of it."""

    name: str
    title: str
    steps: tuple[Step, ...]
    checks: int
    exact: bool

    @property
    def equations(self) -> tuple[Equation, ...]:
        """All of them."""
        return tuple(e for s in self.steps for e in s.equations)

    def __getitem__(self, name: str) -> Any:
        values = [e.rhs for e in self.equations if e.name == name]
        if not values:
            raise UnknownNameError("quantity", name, [e.name for e in self.equations])
        return self._value(values[-1])

    def _value(self, x: Any) -> Any:
        """As SymPy has it."""
        return x

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        lines = [self.title]
        for s in self.steps:
            lines += ([f"== {s.chapter} =="] if s.chapter else []) + [str(s)]
        return "\n\n".join([*lines, self.summary])

    @property
    def summary(self) -> str:
        """How much of it was checked."""
        lines = len(self.equations)
        how = "exact checks" if self.exact else "checks to 30 digits at random points"
        return f"{len(self.steps)} steps, {lines} lines, {self.checks} {how}, all passed."

    def markdown(self) -> str:
        """With formulas in LaTeX between dollar signs."""
        return str(self._written("markdown"))

    def latex(self, document: bool = True) -> str:
        """A document, or only what stands between its begin and its end."""
        return str(self._written("latex_document" if document else "latex_body"))

    def html(self) -> str:
        """A page of its own, with formulas in MathML; it loads nothing."""
        return str(self._written("html_page"))

    def notebook(self) -> dict[str, Any]:
        """A notebook of one cell for each step and one of code, as `json.dump` takes it."""
        return dict(self._written("notebook"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file: LaTeX, Markdown, a page or a notebook, as the suffix says."""
        file = path_of("save", path)
        ways = {".tex": self.latex, ".md": self.markdown, ".html": self.html, ".txt": self.__str__}
        ways[".ipynb"] = lambda: json.dumps(self.notebook())
        if file.suffix.lower() not in ways:
            way = f"; pdflatex makes it of {file.stem}.tex" if file.suffix.lower() == ".pdf" else ""
            raise WriteError(f"save: {file.name!r} ends in none of {', '.join(ways)}{way}")
        try:
            file.write_text(ways[file.suffix.lower()](), encoding="utf-8")
        except OSError as error:
            raise WriteError(f"{file}: cannot be written: {error.strerror or error}") from None

    def _repr_html_(self) -> str:
        return str(self._written("html_article"))

    def _repr_markdown_(self) -> str:
        return self.markdown()

    def _written(self, way: str) -> Any:
        """By a function of `documents`, which nobody needs who reads a derivation in Python."""
        from visviva.judge.derive import documents

        with progress(f"writing {self.title}"):
            return getattr(documents, way)(self)


_HARMLESS = re.compile(r"[\w\s*+/().,-]+", re.ASCII)  # names of a file become no code
_LONG = 2000  # characters of a line that is repeated as code


@dataclass(frozen=True, repr=False)
class Derivation(Written):
    """The way from a system to its equations of motion, line by line.

    Every line was compared with an independent computation while it was written, in exact
    arithmetic if `exact`; `checks` counts the comparisons. `derivation["τ₁"]` is the
    last value of what is written so.
    """

    name: str
    method: str
    steps: tuple[Step, ...]
    checks: int
    exact: bool = True  # whether all was in the class in which equality is decided
    system: Any = field(default=None, compare=False)  # of which it is

    @property
    def code(self) -> str:
        """Python lines that make the system and check the last line about a force.

        "" of a system that no text can state: functions of SymPy that formulas here have not.
        """
        from visviva.describe.load import python_text

        if self.system is None or not (made := python_text(self.system)):
            return ""
        lines = [made]
        forces = [e.name for e in self.equations if re.fullmatch("τ[₀-₉]+", e.name)]
        said = str(self[forces[-1]]) if forces and self.method == "lagrange" else ""
        if said and len(said) < _LONG and _HARMLESS.fullmatch(said):
            number = unicodedata.normalize("NFKC", forces[-1][1:])
            return "\n".join([*lines, f'model.check("tau{number} = {said}")'])
        return "\n".join([*lines, f"model.derivation({self.method!r})"])

    @property
    def title(self) -> str:  # type: ignore[override]  # read only, as fields that are frozen
        """A headline."""
        return f"{METHODS[self.method]} for {self.name}"

    def __repr__(self) -> str:
        return f"<Derivation of {self.name} by {self.method}: {self.summary}>"
