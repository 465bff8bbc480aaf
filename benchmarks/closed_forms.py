"""Closed forms: how long they take from model to SymPy objects, against SymPy's own Lagrange."""

import time
from collections.abc import Callable, Iterator

import sympy
from sympy.core.cache import clear_cache
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

import visviva as vv
from benchmarks.harness import Row, benchmark, faster

LARGEST = 10  # links of the pendulum


def seconds(f: Callable[[], object]) -> float:
    """One run, from an empty cache: a second one would find SymPy's work done."""
    clear_cache()
    start = time.perf_counter()
    f()
    return time.perf_counter() - start


def planar_energies(n: int) -> tuple[sympy.Expr, list[sympy.Expr]]:
    """L of n links in a vertical plane, relative angles."""
    q = dynamicsymbols(f"q1:{n + 1}")
    m, length, r, inertia = (sympy.symbols(f"{k}1:{n + 1}") for k in "mLrI")
    g, t = sympy.Symbol("g"), dynamicsymbols._t
    x = y = angle = L = sympy.S.Zero
    for i in range(n):
        angle = angle + q[i]
        cx, cy = x + r[i] * sympy.cos(angle), y + r[i] * sympy.sin(angle)
        L += m[i] * (cx.diff(t) ** 2 + cy.diff(t) ** 2) / 2 + inertia[i] * angle.diff(t) ** 2 / 2
        L -= m[i] * g * cy
        x, y = x + length[i] * sympy.cos(angle), y + length[i] * sympy.sin(angle)
    return L, q


def by_sympy(n: int) -> None:
    """M and the forces as SymPy makes them, simplified so that they can be read."""
    L, q = planar_energies(n)
    method = LagrangesMethod(L, q)
    method.form_lagranges_equations()
    sympy.simplify(method.mass_matrix)
    sympy.simplify(method.forcing)


def in_textbook_form(model: vv.Model, *parts: str) -> float:
    """From the model to printed SymPy objects."""

    def make() -> None:
        form = model.closed_form()
        for part in parts:
            getattr(form, part)

    return min(seconds(make) for _ in range(3 if model.nv < 4 else 1))


@benchmark
def closed_forms_sympy() -> Iterator[Row]:
    """M, C and g of planar arms, against SymPy's LagrangesMethod and simplify."""
    in_textbook_form(vv.catalog.two_link(), "mass_matrix")  # imports are nobody's time
    for n, model in ((2, vv.catalog.two_link()), (3, vv.catalog.planar_3r())):
        ours = in_textbook_form(model, "mass_matrix", "coriolis_matrix", "gravity")
        what = f"M, C and g of a planar {n}R"
        yield faster(
            what, ours, "LagrangesMethod, simplify", seconds(lambda k=n: by_sympy(k)), ">= 100"
        )


@benchmark
def closed_forms_arms() -> Iterator[Row]:
    """Spatial arms with all inertias symbolic: exact polynomials, and textbook form."""
    for name, limit in (("puma560", 2.0), ("stanford", 10.0), ("human_arm", 10.0)):
        model = vv.catalog.build(name)
        exact = seconds(lambda m=model: m.closed_form().exact.mass_matrix)
        yield Row(f"M of {name}, normal form", exact, "", None, exact, "seconds", f"<= {limit}")
        printed = in_textbook_form(model, "mass_matrix")
        yield Row(
            f"M of {name}, textbook form", printed, "", None, printed, "seconds", f"<= {2 * limit}"
        )
    puma = vv.catalog.puma560()
    parts = ("mass_matrix", "coriolis_matrix", "christoffel", "gravity")
    for what, names in (("M, C, Γ, g", parts), ("τ by Newton and Euler", ("equations",))):
        took = seconds(lambda p=names: [getattr(puma.closed_form().exact, x) for x in p])
        yield Row(f"{what} of puma560, normal form", took, "", None, took, "seconds", "<= 20")
        took = in_textbook_form(puma, *names)
        yield Row(f"{what} of puma560, textbook form", took, "", None, took, "seconds", "<= 40")


@benchmark
def closed_forms_growth() -> Iterator[Row]:
    """Pendulums of 2 to 10 links: time and terms."""
    for n in range(2, LARGEST + 1):
        model = vv.catalog.pendulum(n=n)
        took = seconds(lambda m=model: m.closed_form().exact.equations)
        terms = sum(x.size for x in model.closed_form().exact.equations)
        yield Row(f"equations of a pendulum of {n} links", took, "", None, float(terms), "terms")
