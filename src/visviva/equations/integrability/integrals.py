"""Functions that stay constant wherever rows hold: what they integrate to.

A form is integrated as it is if it is closed, or times an integrating factor: one over an entry,
one over x · ω where ω is homogeneous, or exp(-∫η) where dω = η ∧ ω and η is closed. Rows that
integrate together only are taken one after the other, each on the surfaces where the functions
found before are constant. Whatever is found is proved: its differential is a combination of rows.

Examples:
    >>> x, y = sympy.symbols("x y")
    >>> integral_of([y, -x], [x, y])
    x/y
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import sympy
from sympy.integrals.manualintegrate import manualintegrate

from visviva.equations.integrability.flag import echelon, flag
from visviva.equations.integrability.functions import Functions
from visviva.errors import OutsideError

TOO_LONG = 300  # operations of a formula beyond which it is not simplified
WAVES = (sympy.sin, sympy.cos, sympy.tan, sympy.exp, sympy.log)
Form = Sequence[Any]


def integral_of(form: Form, x: Sequence[Any]) -> Any | None:
    """A function whose differential is a multiple of one form, or None if none was found."""
    try:
        by = Functions(form, x)
        if not flag(by, [by.row(form)]).is_involutive:
            return None
    except OutsideError:
        return None
    for closed in _multiples(form, x):
        f = _integrated(closed, x)
        if f is None:
            continue
        for spelled in dict.fromkeys([_without_logarithms(f), f]):
            if are_integrals([spelled], [form], x):
                return spelled
    return None


def integrals(forms: Sequence[Form], x: Sequence[Any], known: Sequence[Any] = ()) -> list[Any]:
    """For each form a function that is constant where all of them hold, or None.

    `known` are functions that are constant already.
    """
    found: dict[int, Any] = {}
    constants: dict[Any, Any] = {}  # symbols for the values of functions, and these functions
    held: dict[Any, Any] = {}  # coordinates as the others and those constants make them
    for f in known:
        _hold(f, x, constants, held)
    for k, form in enumerate(forms):  # by itself, if it integrates by itself
        if (f := integral_of(form, x)) is not None:
            found[k] = f
            _hold(f, x, constants, held)
    waiting = [k for k in range(len(forms)) if k not in found]
    while waiting:
        for k in waiting:
            form = _on_surface(forms[k], x, held)
            if _is_zero(form, x):  # what it says follows from the others
                waiting.remove(k)
                break
            f = integral_of(form, x)
            if f is not None:
                found[k] = f.xreplace(constants)
                _hold(f, x, constants, held)
                waiting.remove(k)
                break
        else:
            break
    more = [[g.diff(y) for y in x] for g in known]
    proved = {k: f for k, f in found.items() if are_integrals([f], [*forms, *more], x)}
    return [proved.get(k) for k in range(len(forms))]


def independent(functions: Sequence[Any], x: Sequence[Any]) -> int:
    """How many functions there are that do not follow from others."""
    slopes = [[f.diff(y) for y in x] for f in functions]
    by = Functions([e for row in slopes for e in row], x)
    return len(echelon(by, [by.row(row) for row in slopes])[0])


def are_integrals(functions: Sequence[Any], forms: Sequence[Form], x: Sequence[Any]) -> bool:
    """Whether functions are independent and constant wherever the forms hold, proved."""
    slopes = [[f.diff(y) for y in x] for f in functions]
    try:
        by = Functions([e for row in (*slopes, *forms) for e in row], x)
        rows, own = [by.row(row) for row in forms], [by.row(row) for row in slopes]
        together = len(echelon(by, [*rows, *own])[0])
        return len(echelon(by, own)[0]) == len(own) and len(echelon(by, rows)[0]) == together
    except OutsideError:
        return False


def _multiples(form: Form, x: Sequence[Any]) -> Iterator[Form]:
    """Closed multiples of a form."""
    scale = _cancelled(sympy.Add(*(y * e for y, e in zip(x, form, strict=True))))
    below = [sympy.S.One, *(e for e in form if e != 0), scale]
    for e in dict.fromkeys(e for e in below if e != 0):
        multiple = [_cancelled(a / e) for a in form]
        if _is_closed(multiple, x):
            yield [neat(a) for a in multiple]
    for j, e in enumerate(form):
        if e == 0:
            continue
        eta = [(e.diff(y) - form[k].diff(x[j])) / e for k, y in enumerate(x)]
        if not _is_closed(eta, x):
            continue
        h = _integrated([neat(a) for a in eta], x)
        multiple = [] if h is None else [neat(sympy.exp(-h) * a) for a in form]
        if h is not None and _is_closed(multiple, x):
            yield multiple


def _is_closed(form: Form, x: Sequence[Any]) -> bool:
    try:
        by = Functions(form, x)
        return all(
            by.is_zero(form[k].diff(x[j]) - form[j].diff(x[k]))
            for j, k in combinations(range(len(x)), 2)
        )
    except OutsideError:
        return False


def _integrated(form: Form, x: Sequence[Any]) -> Any | None:
    """∫ of a closed form, one coordinate after the other; the shortest first.

    Parameters have no special values: a frequency is not zero.
    """
    still = {s for e in form for s in e.free_symbols} - {*x}
    general = {s: sympy.Dummy(s.name, real=True, nonzero=True) for s in still}
    total = sympy.S.Zero
    for j in sorted(range(len(x)), key=lambda j: sympy.count_ops(form[j])):
        rest = neat(form[j].xreplace(general) - total.diff(x[j]))
        if rest == 0:
            continue
        for spelled in (sympy.expand(rest), rest):
            step = manualintegrate(spelled, x[j])
            if not step.has(sympy.Integral, sympy.Piecewise):
                break
        else:
            return None
        total += step
    return neat(total.xreplace({dummy: s for s, dummy in general.items()}))


def _without_logarithms(f: Any) -> Any:
    """exp(f), which is constant where f is, if no logarithm is left in it."""
    if not f.has(sympy.log):
        return f
    f = sympy.expand(f)
    parts = [x.as_coeff_Mul() for x in sympy.Add.make_args(f) if x.has(sympy.log)]
    whole = sympy.ilcm(1, *(times.q for times, _ in parts))
    plain = sympy.powsimp(sympy.expand(sympy.exp(whole * f)))
    return f if plain.has(sympy.log) else plain


def _on_surface(form: Form, x: Sequence[Any], held: dict[Any, Any]) -> list[Any]:
    """A form with some coordinates expressed by the others."""
    on = [e.xreplace(held) for e in form]
    place = {y: k for k, y in enumerate(x)}
    total = [sympy.S.Zero if y in held else on[k] for k, y in enumerate(x)]
    for y, formula in held.items():
        for k, z in enumerate(x):
            total[k] += on[place[y]] * formula.diff(z)
    return [_cancelled(e) for e in total]


def _hold(f: Any, x: Sequence[Any], constants: dict[Any, Any], held: dict[Any, Any]) -> None:
    """Solve f = constant for a coordinate, if it stands in f in the first power."""
    f = f.xreplace(held)
    if _is_zero([f.diff(y) for y in x], x):
        return
    c = sympy.Dummy(f"c{len(constants)}")
    for y in sorted(x, key=lambda y: len(f.diff(y).free_symbols)):
        slope = f.diff(y)
        if y in held or neat(slope) == 0 or neat(slope.diff(y)) != 0:
            continue
        constants[c] = f.xreplace(constants)
        formula = neat((c - f.xreplace({y: sympy.S.Zero})) / slope)
        for z, old in held.items():
            held[z] = neat(old.xreplace({y: formula}))
        held[y] = formula
        return


def _is_zero(form: Form, x: Sequence[Any]) -> bool:
    try:
        by = Functions(form, x)
        return all(by.is_zero(e) for e in form)
    except OutsideError:
        return all(e == 0 for e in form)


def _cancelled(x: Any) -> Any:
    """In lowest terms, if that is quickly had."""
    return x if x.has(*WAVES) or sympy.count_ops(x) > TOO_LONG else sympy.cancel(x)


def neat(x: Any) -> Any:
    """Shorter, and zero where it is easily seen to be."""
    if x.is_Atom or sympy.count_ops(x) > TOO_LONG:
        return x
    if x.has(*WAVES):
        return sympy.simplify(x)
    return sympy.factor_terms(sympy.cancel(x))
