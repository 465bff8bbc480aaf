"""Why one may believe it: independent roads to the same equations, and laws that must hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.drawing.digits import number
from visviva.errors import VisvivaError
from visviva.judge.roads.crosscheck import STATES
from visviva.show.page.escaping import escaped
from visviva.show.page.parts import mark, table
from visviva.show.study.part import Part, paragraph
from visviva.show.study.studied import Studied

_POINTS = 25  # random states
_CLOSE = 1e-9  # relative, of laws that are looked at by numbers
_MOST_SKEW = 8  # velocities of a model whose Ṁ is computed
_WORDS = {
    "Newton–Euler": "Newton and Euler: force and moment balances, body by body",
    "Lagrange": "Lagrange: derivatives of kinetic and potential energy",
    "d'Alembert": "d'Alembert: virtual work of all forces of inertia",
    "M a + C v + g + b": "Matrices: M from composite bodies, C from its derivatives, g from weight",
    "Lagrange, by SymPy": "Lagrange once more, by another algebra system",
    "power of Lagrange's forces": "The power of all forces, by Lagrange's equations",
    "rate of v · ∂L/∂v − L": "The rate at which the energy changes, which must be that power",
}


@dataclass(frozen=True)
class _Law:
    """What must hold, how it was looked at, by how much it does not, and whether that is little."""

    what: str
    how: str
    error: float
    holds: bool


def proof(s: Studied) -> Part:
    """The table of crosschecks, and the laws of mechanics at random states and along the motion."""
    found = s.system.crosscheck()
    roads = list(dict.fromkeys(x for r in found.rows for x in (r.first, r.second)))
    laws = list(_laws(s))
    agreed = found.agrees and all(x.holds for x in laws)
    derived = [x for x in roads if not x.startswith(("power", "rate"))]
    html = paragraph(_met(found, len(derived))) + _listed(found, roads)
    rows = [
        [
            escaped(x.what),
            mark("holds" if x.holds else "does not hold", "good" if x.holds else "bad"),
            escaped(f"{x.how}; largest difference {number(x.error, digits=2)}"),
        ]
        for x in laws
    ]
    if rows:
        html += "<h3>Laws that must hold</h3>"
        html += table(["Law", "Result", "How it was looked at"], rows, html=True)
    lead = "The same equations, derived anew by methods that share nothing but the mechanism."
    if not agreed:
        lead += " Not everything agrees: see what is marked red."
    laws_data = {x.what: x.error for x in laws}
    data = {"agrees": agreed, "proved": found.proved, "laws": laws_data}
    facts = {"independent derivations agree": str(len(derived))} if found.agrees else {}
    return Part(lead, html, ("print(system.crosscheck())",), data=data, facts=facts)


def _met(found: Any, count: int) -> str:
    """What the comparison came to, in a sentence."""
    if not found.agrees:
        return "They do not all agree."
    if found.proved:
        return (
            f"{count} derivations, compared term by term in exact arithmetic: identical. That is a "
            "proof, for all positions, speeds and parameters."
        )
    worst = max(r.difference for r in found.rows)
    why = f" No proof is possible here, as {found.why}." if found.why else ""
    return (
        f"{count} derivations, compared at {STATES} random states: the same, to "
        f"{number(worst, digits=1)} of the largest force.{why}"
    )


def _listed(found: Any, roads: list[str]) -> str:
    """The roads, each with whether it meets all others."""
    made = ""
    for road in roads:
        good = all(r.agrees for r in found.rows if road in (r.first, r.second))
        kind = "" if good else ' class="bad"'
        made += f"<li{kind}><span>{escaped(_WORDS.get(road, road))}</span></li>"
    return f'<ul class="roads">{made}</ul>'


def _laws(s: Studied) -> Iterator[_Law]:
    """Laws by numbers; what a system has not is left out."""
    for law in (_written, _turned, _inverse, _kept):
        try:
            found = law(s)
        except (VisvivaError, AttributeError):
            continue
        if found is not None:
            yield found


def _states(s: Studied) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(11)
    spread = 0.3 * rng.standard_normal((3, _POINTS, s.system.nv))
    q = np.array([s.system.integrate(s.start, x) for x in spread[0]], dtype=float)
    return q, 3 * spread[1], 3 * spread[2]


def _written(s: Studied) -> _Law | None:
    """The formulas of this page, with numbers put in, and the machine code."""
    if not s.is_small or s.is_held or "closed" not in vars(s):
        return None
    import sympy

    form = s.closed
    if form.left_out:
        return None
    q, v, a = _states(s)
    symbols = [*form.coordinates, *form.velocities, *form.accelerations]
    known = {**form.parameters, sympy.Symbol("t"): 0.0}
    rows = [sympy.lambdify(symbols, x.xreplace(known), "numpy") for x in form.equations]
    columns = [*q.T, *v.T, *a.T]
    with np.errstate(all="ignore"):
        formulas = np.stack([np.broadcast_to(f(*columns), len(q)) for f in rows], axis=1)
    f = s.system.inverse_dynamics
    given = {"q": q, "v": v, "a": a, "t": np.zeros(len(q))}
    compiled = np.asarray(f(*(given[x] for x in f.inputs)))
    return _law("The formulas of this page = the machine code", formulas, compiled)


def _law(what: str, first: Any, second: Any, scale: float = 0.0) -> _Law | None:
    """How far two results are apart, at the states at which there are any."""
    whole = np.isfinite(first) & np.isfinite(second)
    if not whole.any():
        return None
    a, b = np.where(whole, first, 0.0), np.where(whole, second, 0.0)
    scale = scale or float(np.abs(b).max()) or 1.0
    error = float(np.abs(a - b).max()) / scale
    return _Law(what, f"{_POINTS} random states", error, error < _CLOSE)


def _turned(s: Studied) -> _Law | None:
    """Ṁ - 2C is skew: the forces of velocity do no work."""
    system = s.system
    if system.nv > _MOST_SKEW or not s.has_bodies:
        return None
    if not all(b.joint.has_rates for b in system.bodies):
        return None
    q, v, _ = _states(s)
    n = system.nv
    M, C = system.mass_matrix, np.asarray(system.coriolis_matrix(q, v))
    slopes = np.reshape(M.jacobian("q")(q), (-1, n, n, n))
    N = np.einsum("pijk,pk->pij", slopes, v) - 2 * C
    turned = -np.swapaxes(N, 1, 2)
    scale = float(max(np.abs(C).max(), np.abs(slopes).max(), 1e-300))
    return _law("Ṁ − 2 C is skew: the forces of speeds do no work", N, turned, scale)


def _inverse(s: Studied) -> _Law | None:
    """Forces computed from accelerations give these back."""
    system = s.system
    if s.is_held:
        return None
    q, v, a = _states(s)
    known = {"q": q, "v": v, "a": a, "t": np.zeros(len(q))}
    inverse, forward = system.inverse_dynamics, system.forward_dynamics
    known["tau"] = np.asarray(inverse(*(known[x] for x in inverse.inputs)))
    again = np.asarray(forward(*(known[x] for x in forward.inputs)))
    return _law("Accelerations → forces → the same accelerations", again, a)


def _kept(s: Studied) -> _Law | None:
    """Energy along the motion."""
    run = s.demo_motion.run
    account = run.account
    scale = float(np.ptp(account.kinetic) + np.ptp(account.potential))
    scale = max(scale, float(np.abs(account.kinetic).max()), 1e-300)
    error = float(np.abs(account.balance_error).max()) / scale
    how = f"{len(run.t)} samples of {number(run.t[-1], 's', 3)}"
    return _Law("Energy of the motion below = work done on it", how, error, bool(account.closes))
