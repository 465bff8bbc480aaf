"""The equations of Lagrange, written out: energies, partial derivatives, equations."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from visviva.algebra.exact.slopes import slope
from visviva.describe.energies.formulas import TIME
from visviva.describe.energies.normal_form import Reader
from visviva.equations.bodies.links import velocities
from visviva.equations.energy import _kinetic
from visviva.equations.forces import forces
from visviva.equations.lagrange.terms import dissipation, exact_terms, is_short, sympy_terms
from visviva.errors import OutsideError
from visviva.judge.derive.bodies import (
    InWorld,
    over_time,
    partial,
    standard_form,
    tensor_of,
    title_of,
)
from visviva.judge.derive.page import Page, Quantity
from visviva.judge.derive.scalars import ExactScalars, SympyScalars
from visviva.judge.exact.model_forms import ModelForms
from visviva.notation.writing.arrange import Boxes
from visviva.notation.writing.page import HALF, TWO, Power, Sign
from visviva.progress import Progress

L, K = Sign("L"), Sign("K")
GRAVITY_ARROW = Sign("g", arrow=True)


def of_model(page: Page, forms: ModelForms) -> None:
    """From bodies."""
    world = InWorld(page, forms, "lagrange")
    world.places("Positions and velocities")
    speeds, turns = world.speeds()
    k, v = energies(page, world, speeds, turns)
    lagrangian = _difference(page, k, v, forms.kinetic_energy - forms.potential_energy, BOTH)
    e = forms.exact
    names = list(zip(map(str, e.q), map(str, e.v), strict=True))
    slopes = derivatives(page, lagrangian, names)
    extras = [_friction(page, forms, i) for i in range(len(names))]
    sentence = "The equation of Lagrange for each coordinate"
    sentence += ", with friction at the joints." if any(extras) else "."
    check = "equal to the recursion of Newton and Euler, run on exact polynomials"
    equations(page, slopes, extras, forms.open_equations, sentence, check)
    standard_form(page, forms)
    christoffel(page, forms)


def _difference(
    page: Page, k: Quantity, v: Quantity, same_as: Any = None, check: str = ""
) -> Quantity:
    """L = K - V, written as the difference of what was written."""
    shown = page.value(k.value) - page.value(v.value)
    return page.line(L, k - v, same_as, check, plug=False, shown=shown)


BOTH = "½ q̇ᵀ M q̇ − V with M from composite bodies gives the same L"


def energies(
    page: Page, world: InWorld, speeds: list[Quantity], turns: list[Quantity], heavy: bool = True
) -> tuple[Quantity, Quantity]:
    """K and V, link by link and together; V only if `heavy`."""
    forms = world.forms
    e = forms.exact
    half = Quantity(page.scalars.of(page.scalars.read(sympy.Rational(1, 2))), HALF, HALF)
    twists = velocities(forms.steps, e.v)
    gravity = page.leaf(GRAVITY_ARROW, world.weight())
    V = potential_sign(forms.ring.symbols)
    kinetic: list[Quantity] = []
    potential: list[Quantity] = []
    wanted, heavy = heavy, heavy and not gravity.is_zero
    for i, b in enumerate(world.model.bodies):
        n = str(i + 1)
        m, tensor = page.leaf(None, b.inertia.mass), page.leaf(tensor_of(i), world.inertia(i))
        sentence = "Its kinetic energy" + (
            " and its potential in the field of gravity." if heavy else "."
        )
        page.step(title_of(world.model, i), sentence, "Energies" if i == 0 else "")
        if i == 0 and heavy:
            page.line(gravity.box, gravity)
        turning = _turning(half, tensor, turns[i], world.normal is None)
        if world.normal is None and not tensor.is_zero:
            page.line(tensor.box, tensor)
        total = half * m * speeds[i].dot(speeds[i])
        total = turning if m.is_zero else total if turning.is_zero else total + turning
        if not m.is_zero or not turning.is_zero:
            seen = _kinetic(forms.steps[i].link.body, twists[i])
            check = "equal to the energy of the link's twist"
            kinetic.append(page.line(Sign("K", n), total, seen, check, plug=False))
        if heavy and not m.is_zero:
            fall = -(m * gravity.dot(page.leaf(Sign("p", f"C{n}"), world.place(i))))
            potential.append(page.line(Sign(V.letter, n), fall, plug=False))
    both = "The energies of all links, and their difference."
    page.step("Together", both if wanted else "The energies of all links.")
    rotors = [page.leaf(None, x) for x in forms.rotor_inertia]
    for r, v in zip(rotors, e.v, strict=True):
        if not r.is_zero:
            kinetic.append(half * r * page.leaf(None, v * v))
    if e.model.springs:
        potential.append(page.leaf(None, forces.spring_energy(e.model, e.q)))
    k = page.line(K, page.sum(kinetic), forms.kinetic_energy, "equal to ½ q̇ᵀ M q̇", plug=False)
    if not wanted:
        return k, k
    return k, page.line(V, page.sum(potential), forms.potential_energy, "", plug=False)


def potential_sign(symbols: Any) -> Sign:
    """V, or U where V is taken."""
    return Sign("U" if any(name.startswith("V") for name in symbols) else "V")


def _turning(half: Quantity, tensor: Quantity, w: Quantity, spatial: bool) -> Quantity:
    if spatial:
        return half * w.dot(tensor @ w)
    own = Quantity(tensor.value, tensor.plugged, tensor.plugged)
    square = Quantity(w.value * w.value, Power(w.box, TWO), w.plugged)
    return half * own * square


def derivatives(
    page: Page, lagrangian: Quantity, names: list[tuple[str, str]]
) -> list[tuple[Quantity, Quantity]]:
    """∂L/∂q̇, its rate, and ∂L/∂q, for each coordinate."""
    s: Any = page.scalars
    shown = page.value(lagrangian.value)
    slopes = []
    how = "SymPy's derivative of the line above is the same, read back exactly"
    if not s.proves:
        how = "numerical derivatives of the line above agree, to 15 digits at three points"
    for k, (q, v) in enumerate(names):
        box, rate = page.boxes.box(sympy.Symbol(q)), page.boxes.box(sympy.Symbol(v))
        page.step(
            f"Coordinate {k + 1}",
            "The momentum, its rate of change, and the derivative by the coordinate.",
            "Partial derivatives of L" if k == 0 else "",
        )
        p = page.state(
            partial(L, rate), s.d(lagrangian.value, v), s.read(slope(shown, sympy.Symbol(v))), how
        )
        written = page.value(p.value)
        chain = sum(
            (
                slope(written, sympy.Symbol(x)) * sympy.Symbol(y)
                for x, y in (*zip(s.q, s.v, strict=True), *zip(s.v, s.a, strict=True))
            ),
            slope(written, sympy.Symbol(s.time)) if s.time else sympy.S.Zero,
        )
        change = page.state(over_time(p.box), s.rate(p.value), s.read(chain), how)
        by_q = page.state(
            partial(L, box), s.d(lagrangian.value, q), s.read(slope(shown, sympy.Symbol(q))), how
        )
        if not s.proves:  # there SymPy has made both: a third opinion
            page.confirm(s.differs(shown, v, written), partial(L, rate))
            page.confirm(s.differs(shown, q, page.value(by_q.value)), partial(L, box))
        slopes.append((change, by_q))
    return slopes


def _friction(page: Page, forms: ModelForms, k: int) -> list[Quantity]:
    """What L does not contain: viscous friction only."""
    c = forces.viscosity(forms.exact.model)[k]
    return [] if c == 0 else [page.leaf(None, c) * page.leaf(None, forms.exact.v[k])]


def equations(
    page: Page,
    slopes: list[tuple[Quantity, Quantity]],
    extras: list[list[Quantity]],
    same_as: Any,
    sentence: str,
    check: str,
) -> None:
    """d/dt ∂L/∂q̇ - ∂L/∂q + … = τ."""
    page.step("One for each coordinate", sentence, "Equations of motion")
    for k, (change, by_q) in enumerate(slopes):
        total = page.sum([change - by_q, *extras[k]])
        page.line(Sign("τ", str(k + 1)), total, same_as[k], check, plug=False)


# ---- a system that is stated by its energies


def of_lagrangian(system: Any, at: Progress) -> Page:
    """From energies: exactly where they are polynomials in sines and cosines."""
    n = system.names
    names = [[x.name for x in group] for group in (n.q, n.v, n.a)]
    rows = dissipation(system)
    formulas = [*rows, *system.forces, system.kinetic, system.potential]
    time = TIME.name if any(x.has(TIME) for x in formulas) else ""
    scalars: Any = SympyScalars(names[0], names[1], names[2], time)
    exact = exact_terms(system)
    if exact is not None and not time:
        scalars = _exactly(system, names) or scalars
    boxes = Boxes(system.coordinates, system.parameter_names)
    page = Page(scalars, boxes, at)
    page.step("Energies", "As they are stated, and their difference.", "What is given")
    k = page.state(K, scalars.read(system.kinetic))
    v = page.state(potential_sign(system.parameter_names), scalars.read(system.potential))
    lagrangian = _difference(page, k, v)
    slopes = derivatives(page, lagrangian, list(zip(names[0], names[1], strict=True)))
    extras, stated = [], system.forces or [0] * len(rows)
    for b, Q in zip(rows, stated, strict=True):
        own = [page.leaf(None, scalars.read(sympy.sympify(x))) for x in (b, -sympy.sympify(Q))]
        extras.append([x for x in own if not x.is_zero])
    terms = sympy_terms(system)
    drift = [d + b - Q for d, b, Q in zip(terms.drift, rows, stated, strict=True)]
    M = sympy.Matrix(terms.mass_matrix)
    total = M * sympy.Matrix(n.a) + sympy.Matrix(drift)
    same = [scalars.read(x) for x in total]
    check = "equal to M q̈ + C q̇ + g, derived from L by SymPy"
    more = ", with friction and given forces." if any(extras) else "."
    equations(
        page, slopes, extras, same, f"The equation of Lagrange for each coordinate{more}", check
    )
    _sorted(page, [line.rhs for line in page.steps[-1].equations], system)
    return page


def _exactly(system: Any, names: list[list[str]]) -> ExactScalars | None:
    """One ring for all formulas of the system, accelerations included; None if there is none."""
    rows = dissipation(system)
    formulas = [system.kinetic, system.potential, *rows, *system.forces]
    n = system.names
    try:
        reader = Reader(formulas, [*n.q, *n.v, *n.a])
        for x in formulas:
            reader.poly(sympy.sympify(x))
    except OutsideError:
        return None
    if reader.constants or not is_short(reader.poly(system.lagrangian), system):
        return None
    return ExactScalars(reader.ring, names[0], names[1], names[2])


def _sorted(page: Page, tau: list[Any], system: Any) -> None:
    """M and the rest."""
    s: Any = page.scalars
    n = len(tau)
    values = [s.read(x) for x in tau]
    M = np.array([[s.d(x, a) for a in s.a] for x in values], dtype=object)
    moving = [s.read(sympy.Symbol(a)) for a in s.a]
    rest = [values[i] - sum((M[i, j] * moving[j] for j in range(n)), s.of(0)) for i in range(n)]
    page.step("Matrix and bias", "The same equations, sorted: τ = M q̈ + h.", "Standard form")
    page.state(Sign("M"), M, M.T, "M is symmetric")
    page.state(Sign("h"), np.array(rest, dtype=object))


def christoffel(page: Page, forms: ModelForms) -> None:
    """Γ of M, where there are few."""
    s: Any = page.scalars
    M, n = forms.mass_matrix, range(len(forms.exact.v))
    if len(n) > 3:
        return
    D = [[[s.d(M[i, j], q) for q in s.q] for j in n] for i in n]
    v = forms.exact.v
    page.step(
        "Christoffel symbols",
        "C is made of them: half of ∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i. Those that are not zero, "
        "one of each pair that only differs in the order of j and k:",
    )
    check = "symmetric in j and k, and the same forces as ∂M_ij/∂q_k − ½ ∂M_jk/∂q_i"
    for i in n:
        pairs = [(j, k) for j in n for k in n]
        gamma = {(j, k): (D[i][j][k] + D[i][k][j] - D[j][k][i]) / 2 for j, k in pairs}
        plain = sum(
            (D[i][j][k] * v[j] * v[k] - D[j][k][i] * v[j] * v[k] / 2 for j, k in pairs), s.of(0)
        )
        page.require(sum((g * v[j] * v[k] for (j, k), g in gamma.items()), s.of(0)), plain, check)
        for (j, k), g in gamma.items():
            page.require(g, gamma[k, j], check)
            if j <= k and g != 0:
                page.state(
                    Sign("Γ", f"{i + 1},{j + 1}{k + 1}"), g, forms.christoffel[i, j, k], check
                )
