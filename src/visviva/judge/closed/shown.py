"""How closed forms are seen: in a terminal, in a notebook, in a paper, in a program."""

from __future__ import annotations

from collections.abc import Mapping

import sympy

from visviva.describe.quantities import APPLIED_TERM
from visviva.judge.closed.printed import (
    described,
    in_words,
    notebook_html,
    notebook_latex,
    printed,
)
from visviva.judge.exact.forms import Forms


class Shown:
    """How closed forms are seen: in a terminal, a notebook, a paper, a program.

    `what` is "standard" (M, C, g and b), "christoffel", "equations", "constraints" or a quantity;
    `convention` says whether constraints are "rows" or "columns" of A.
    """

    exact: Forms
    constraints_are = "rows"
    solves_multipliers = False  # whether λ is printed with the equations

    @property
    def parameters(self) -> Mapping[sympy.Symbol, float]:
        """Symbols that are parameters, with their values."""
        return {sympy.Symbol(name): value for name, value in self.exact.values.items()}

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The names of all parameters, with and without values."""
        return self.exact.parameter_names

    @property
    def forces(self) -> sympy.Matrix:
        """Q: what else acts on a system that is stated by energies, on the side of τ."""
        forces: sympy.Matrix = getattr(self, APPLIED_TERM.exact)
        return forces

    def latex(self, what: str = "standard", convention: str = "rows") -> str:
        """Displayed formulas."""
        return printed(self, what, "latex", convention)

    def markdown(self, what: str = "standard", convention: str = "rows") -> str:
        """With formulas in LaTeX between dollar signs."""
        return printed(self, what, "md", convention)

    def html(self, what: str = "standard", convention: str = "rows") -> str:
        """A page of its own, with formulas in MathML; it loads nothing."""
        return printed(self, what, "html", convention)

    def python_source(self, what: str = "standard", convention: str = "rows") -> str:
        """A function with numpy."""
        return printed(self, what, "python", convention)

    def c_source(self, what: str = "standard", convention: str = "rows") -> str:
        """A C99 function."""
        return printed(self, what, "c", convention)

    def __repr__(self) -> str:
        return described(self)

    def __str__(self) -> str:
        return in_words(self)

    def _repr_latex_(self) -> str | None:
        return notebook_latex(self)

    def _repr_html_(self) -> str:
        return notebook_html(self)
