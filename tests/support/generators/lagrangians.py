"""Lagrangians of arms with their symbols, and what it takes to compare formulas.

`same` decides equality of polynomials in symbols, sines and cosines in the exact ring; SymPy is
asked only where roots or unknown functions leave it.
"""

import numpy as np
import sympy
from sympy import Matrix, cos, sin, symbols

import visviva as vv
from tests.support.generators.bodies import close
from visviva.describe.energies.formulas import Names
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.energies.normal_form import Reader
from visviva.equations.lagrange.terms import sympy_terms
from visviva.equations.pencil.virtual_work import Particle, Turning, kinetic_energy
from visviva.errors import OutsideError

q1, q2, q3, v1, v2, v3, a1, a2, a3 = symbols("q1 q2 q3 qd1 qd2 qd3 qdd1 qdd2 qdd3")
m, m1, m2, I1, I2, r1, r2, L1, L2, a_g, g = symbols("m m1 m2 I1 I2 r1 r2 L1 L2 a_g g")
c1, s1, c2, s2, c12, s12 = cos(q1), sin(q1), cos(q2), sin(q2), cos(q1 + q2), sin(q1 + q2)


def same(x, y):
    """Whether two formulas, or two arrays of them, are equal: decided, not guessed."""
    pairs = zip(_entries(x), _entries(y), strict=True)
    return all(_vanishes(sympy.sympify(a - b)) for a, b in pairs)


def same_fractions(x, y):
    """The same of quotients: whether the numerators of the differences vanish."""
    pairs = zip(_entries(x), _entries(y), strict=True)
    tops = [sympy.fraction(sympy.together(sympy.sympify(a - b)))[0] for a, b in pairs]
    return same(tops, [0] * len(tops))


def _entries(x):
    return np.array(x.tolist() if hasattr(x, "tolist") else list(x), dtype=object).ravel().tolist()


def _vanishes(x):
    try:
        return Reader([x], list(x.free_symbols)).poly(x).is_zero
    except OutsideError:
        return sympy.simplify(x) == 0


def gammas(s):
    """Christoffel symbols that are not zero, counted from 1."""
    gamma = sympy_terms(s).christoffel
    n = range(s.nq)
    every = {(i + 1, j + 1, k + 1): gamma[i][j][k] for i in n for j in n for k in n}
    return {key: x for key, x in every.items() if not same([x], [0])}


def two_link():
    """The vertical 2R arm with general centres of mass."""
    p1 = Matrix([r1 * c1, r1 * s1])
    p2 = Matrix([L1 * c1 + r2 * c12, L1 * s1 + r2 * s12])
    names = Names(["q1", "q2"], [])
    bodies = [Particle(m1, p1), Particle(m2, p2)]
    turning = [Turning(I1, q1), Turning(I2, q1 + q2)]
    K = kinetic_energy(names, bodies, turning)
    return Lagrangian("q1 q2", K, a_g * (m1 * p1[1] + m2 * p2[1]), name="two_link")


def agrees_with_the_model(s, model, order=None):
    """The Lagrangian against the catalog's bodies: every number of the standard form."""
    s = s.with_parameters(**{k: x for k, x in model.parameters.items() if k in s.parameter_names})
    order = order or list(range(s.nq))
    rng = np.random.default_rng(0)
    q, v, a = rng.uniform(-1, 1, (3, 20, s.nq))
    x = [y[:, order] for y in (q, v, a)]
    back = np.argsort(order)
    close(s.inverse_dynamics(q, v, a), model.inverse_dynamics(*x)[:, back], 1e-13)
    close(s.mass_matrix(q), model.mass_matrix(x[0])[:, back][:, :, back], 1e-13)
    close(s.gravity_forces(q), model.gravity_forces(x[0])[:, back], 1e-13)


def is_zero(x):
    """Whether SymPy makes nothing of it."""
    return sympy.simplify(sympy.expand(x)) == 0


def rp_arm():
    """The vertical RP arm with the catalog's numbers."""
    K = "(I1 + I2 + m1*r1^2 + m2*q2^2)*q1'^2/2 + m2*q2'^2/2"
    values = dict(vv.catalog.rp_arm().parameters)
    return Lagrangian("q1 q2", K, "a_g*(m1*r1 + m2*q2)*sin(q1)", parameters=values)


def steps(f, state, duration, n):
    """Runge and Kutta's fourth-order rule."""
    h = duration / n
    for _ in range(n):
        a = f(state)
        b = f(state + h / 2 * a)
        c = f(state + h / 2 * b)
        d = f(state + h * c)
        state = state + h / 6 * (a + 2 * b + 2 * c + d)
    return state
