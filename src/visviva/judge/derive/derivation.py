"""`derivation(system, method)`: the way to the equations of motion, every line of it checked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy

from visviva.describe.quantities import BODIES, ENERGIES
from visviva.errors import ArgumentError, DerivationError, OutsideError, UnknownNameError
from visviva.judge.derive.chain import METHODS_OF_TIPS, refuse_closed, with_names
from visviva.judge.derive.constraints import METHODS_OF_ROWS, Constrained
from visviva.judge.derive.jacobian import SPEED_SYMBOLS, jacobian_written
from visviva.judge.derive.lagrange import of_lagrangian, of_model
from visviva.judge.derive.newton_euler import Recursion
from visviva.judge.derive.page import Page
from visviva.judge.derive.scalars import ExactScalars
from visviva.judge.derive.statics import LOAD_SYMBOLS, refuse_springs, statics_written
from visviva.judge.derive.steps import METHODS, Derivation, Equation, Step
from visviva.judge.derive.work import d_alembert, virtual_work
from visviva.judge.exact.model import not_polynomial
from visviva.judge.exact.model_forms import ModelForms
from visviva.judge.exact.systems import forms, stated
from visviva.notation.writing.arrange import Boxes
from visviva.notation.writing.page import Sign
from visviva.progress import Progress, progress

__all__ = ["Derivation", "DerivationError", "Equation", "Step", "derivation"]


def derivation(
    system: Any,
    method: str = "lagrange",
    symbols: Iterable[str] | None = None,
    frame: str = "",
) -> Derivation:
    """The steps from a system to its equations of motion.

    `method` is "lagrange", "newton-euler", "d-alembert" or "virtual-work"; a Lagrangian has the
    first only. Of a system with constraints it may be "multipliers" or "projection". Chains also
    have "jacobian" and "statics", which lead to J and to the torques under a load at the tip:
    that of `check`, or `frame`. `symbols` names the parameters of a model that stay symbols, all if
    it is None.

    Examples:
        >>> from visviva.describe import catalog
        >>> arm = derivation(catalog.craig_6_5(), "newton-euler")
        >>> arm["²ω₂"]
        Matrix([
        [thetad1*sin(theta2)],
        [thetad1*cos(theta2)],
        [            thetad2]])
    """
    if method not in METHODS:
        way = "H is system.closed_form().hamiltonian" if "hamilton" in str(method).lower() else None
        raise UnknownNameError("method", method, METHODS, way)
    if frame and method not in METHODS_OF_TIPS:
        raise ArgumentError(
            f"the method {method!r} has no frame, got frame={frame!r}: "
            f"{' and '.join(map(repr, METHODS_OF_TIPS))} are about one"
        )
    write = {BODIES: _of_model, ENERGIES: _of_lagrangian}[stated(system, "a derivation")]
    with progress(f"deriving {system.name} by {method}") as at:
        if method in METHODS_OF_ROWS:
            exact = forms(system, symbols)
            try:
                page = Constrained(exact, at).write(method)
            except OutsideError as error:
                if symbols is not None or not (known := getattr(system, "parameters", {})):
                    raise
                way = f"keep fewer parameters as symbols, symbols={[*known][-1:]}"
                raise OutsideError(f"{error}: {way}") from None
            if other := " and ".join(exact.left_out):
                page.step("Left out", f"The model also has {other}; τ here is without it.")
        else:
            page = write(system, method, symbols, at, frame)
        pages = [page]
        if (held := system.held_by) and method not in (*METHODS_OF_ROWS, *METHODS_OF_TIPS):
            try:
                pages.append(Constrained(forms(system, symbols), at).complete())
            except (ArgumentError, OutsideError) as error:
                said = f"Also held by {'; '.join(held)}: τ here is without the forces of that"
                page.step("Left out", f"{said} ({error}).")
    steps = (*abbreviations(*pages), *(step for page in pages for step in page.steps))
    checks = sum(page.checks for page in pages)
    proves = all(page.scalars.proves for page in pages)
    return Derivation(system.name, method, steps, checks, proves, system)


def _of_lagrangian(
    system: Any, method: str, symbols: Iterable[str] | None, at: Progress, frame: str
) -> Page:
    if method != "lagrange":
        raise ArgumentError(
            f"a Lagrangian has the method 'lagrange', got {method!r}: others need bodies, or "
            f"constraints ({', '.join(map(repr, METHODS_OF_ROWS))})"
        )
    return of_lagrangian(system, at)


def _of_model(
    model: Any, method: str, symbols: Iterable[str] | None, at: Progress, frame: str
) -> Page:
    if method in METHODS_OF_TIPS:
        return _of_tip(model, method, symbols, at, frame)
    forms = ModelForms(model, symbols)
    page = _page(forms, at)
    if method == "lagrange":
        of_model(page, forms)
    elif method == "newton-euler":
        Recursion(page, forms).write()
    else:
        (d_alembert if method == "d-alembert" else virtual_work)(page, forms)
    if other := " and ".join(not_polynomial(model)):
        page.step("Left out", f"The model also has {other}; τ here is without it.")
    return page


def _of_tip(
    model: Any, method: str, symbols: Iterable[str] | None, at: Progress, frame: str
) -> Page:
    """J, and torques at rest: the tip is told to move or to push by symbols of its own."""
    refuse_closed(model, method)
    model.frame(frame or "world")  # an unknown name is told before anything else
    if method == "statics":
        refuse_springs(model)
    write, names = {
        "jacobian": (jacobian_written, SPEED_SYMBOLS),
        "statics": (statics_written, LOAD_SYMBOLS),
    }[method]
    named, stay, more = with_names(model, symbols, names)
    forms = ModelForms(named, stay)
    page = _page(forms, at)
    write(page, forms, frame, more)
    if method == "statics" and (other := " and ".join(not_polynomial(model))):
        page.step("Left out", f"The model also has {other}; τ here is without it.")
    return page


def abbreviations(*pages: Page) -> list[Step]:
    """c₁₂ = cos(θ₁ + θ₂), those that occur."""
    equations = []
    angles = {index: (angle, p.boxes) for p in pages for index, angle in p.boxes.seen.items()}
    for index, (angle, boxes) in sorted(angles.items(), key=lambda x: (len(x[0]), x[0])):
        cosine = sympy.cos(angle)
        equations.append(Equation(Sign("c", index), (boxes.in_full(cosine),), cosine))
    sentence = "Cosines are written c, sines s, with the indices of the angles."
    return [Step("Abbreviations", sentence, tuple(equations))] if equations else []


def _page(forms: ModelForms, at: Progress) -> Page:
    e = forms.exact
    names = list(e.names.rated)
    rated = [*forms.coordinates] if len(names) == len(forms.coordinates) else []
    q = rated if rated == names else []
    v, a = list(e.names.v), list(e.names.a)
    scalars = ExactScalars(e.ring, q, v if q else [], a if q else [])
    return Page(scalars, Boxes(names, e.ring.symbols), at)
