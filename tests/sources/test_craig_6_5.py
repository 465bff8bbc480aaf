"""Craig, exercise 6.5: every vector of the recursion of Newton and Euler in formulas."""

import numpy as np
import sympy

import visviva as vv
from tests.support.generators.bodies import close

NAMES = "L1 L2 M1 M2 V1 V2 g theta1 theta2 theta1' theta2' theta1'' theta2''".split()
SYMBOLS = {name: sympy.Symbol(name, real=True) for name in NAMES}
L1, L2, M1, M2, V1, V2, g, T1, T2, D1, D2, A1, A2 = SYMBOLS.values()
S2, C2 = sympy.sin(T2), sympy.cos(T2)
F2 = [
    -M2 * (L1 + L2 * C2) * C2 * D1**2 - M2 * L2 * D2**2 + M2 * S2 * g,
    M2 * (L1 + L2 * C2) * S2 * D1**2 + M2 * L2 * A2 + M2 * C2 * g,
    2 * M2 * L2 * S2 * D1 * D2 - M2 * L1 * A1 - M2 * L2 * C2 * A1,
]
CRAIG = {  # by body; None is not printed
    "w": [[0, 0, D1], [S2 * D1, C2 * D1, D2]],
    "alpha": [[0, 0, A1], [S2 * A1 + C2 * D1 * D2, C2 * A1 - S2 * D1 * D2, A2]],
    "a": [[0, 0, g], [-L1 * C2 * D1**2 + S2 * g, L1 * S2 * D1**2 + C2 * g, -L1 * A1]],
    "a_c": [[-L1 * D1**2, L1 * A1, g], [x / M2 for x in F2]],
    "F": [[-M1 * L1 * D1**2, M1 * L1 * A1, M1 * g], F2],
    "N": [[0, 0, 0], [0, 0, 0]],
    "f": [[None] * 3, F2],
    "n": [
        [
            None,
            None,
            (M1 * L1**2 + M2 * (L1 + L2 * C2) ** 2) * A1
            - 2 * (L1 + L2 * C2) * M2 * L2 * S2 * D1 * D2,
        ],
        [
            0,
            M2 * L1 * L2 * A1 - 2 * M2 * L2**2 * S2 * D1 * D2 + M2 * L2**2 * C2 * A1,
            M2 * L2 * (L1 + L2 * C2) * S2 * D1**2 + M2 * L2 * g * C2 + M2 * L2**2 * A2,
        ],
    ],
}
TAU = [CRAIG["n"][0][2] + V1 * D1, CRAIG["n"][1][2] + V2 * D2]


def formulas():
    return vv.catalog.craig_6_5().newton_euler_formulas()


def zero(x):
    return sympy.simplify(x) == 0


def test_S67_craig_6_5():
    """τ, M, V and G as printed at the end, and they are the model's numbers."""
    tau = formulas().tau
    assert all(zero(x - y) for x, y in zip(tau, TAU, strict=True))
    arm = vv.catalog.craig_6_5()
    rng = np.random.default_rng(0)
    states = rng.normal(size=(3, 20, 2))
    evaluate = sympy.lambdify(list(SYMBOLS.values()), TAU)
    values = [arm.parameters[k] for k in NAMES[:7]]
    wanted = np.array([evaluate(*values, *np.ravel(x)) for x in states.transpose(1, 0, 2)])
    close(arm.inverse_dynamics(*states), wanted)


def test_C102_every_vector_as_a_formula_and_as_numbers():
    """Outward and inward in Craig's frames: each entry of the table, for symbols and for floats."""
    table = formulas()
    rng = np.random.default_rng(1)
    arm = vv.catalog.craig_6_5()
    q, v, a = rng.normal(size=(3, 2))
    numbers = arm.newton_euler_table(q, v, a)
    values = dict(zip(SYMBOLS.values(), [*arm.parameters.values(), *q, *v, *a], strict=True))
    for name, rows in CRAIG.items():
        for i, row in enumerate(rows):
            for k, printed in enumerate(row):
                if printed is None:
                    continue
                assert zero(getattr(table, name)[i, k] - printed), (name, i, k)
                close([getattr(numbers, name)[i, k]], [sympy.sympify(printed).subs(values)])
    close(numbers.tau, arm.inverse_dynamics(q, v, a))
    close(np.hstack([numbers.n, numbers.f]), arm.reaction_wrenches(q, v, a))


def test_E53_the_inner_product_has_the_velocity():
    """W1 × (W1 × P), not W1 × (Ẇ1 × P)."""
    W, rise, P = sympy.Matrix([0, 0, D1]), sympy.Matrix([0, 0, A1]), sympy.Matrix([L1, 0, 0])
    rest = rise.cross(P) + sympy.Matrix([0, 0, g])
    ours = sympy.Matrix(formulas().a_c[0])
    assert (W.cross(W.cross(P)) + rest - ours).applyfunc(sympy.simplify).is_zero_matrix
    assert not (W.cross(rise.cross(P)) + rest - ours).applyfunc(sympy.simplify).is_zero_matrix


def test_E54_an_acceleration_lost_a_dot():
    found = formulas().alpha[1, 1]
    assert zero(found - (C2 * A1 - S2 * D1 * D2))
    assert not zero(found - (C2 * D1 - S2 * D1 * D2))


def test_E55_weight_in_the_moment_of_link_2():
    """+ M2 L2 g C2, not - M2 g C2."""
    weight = formulas().n[1, 2].expand().coeff(g)
    assert zero(weight - M2 * L2 * C2)
    assert not zero(weight + M2 * C2)


def test_E56_moment_of_the_first_force():
    table = formulas()
    P, F = sympy.Matrix([L1, 0, 0]), sympy.Matrix(table.F[0])
    right = sympy.Matrix([0, -M1 * g * L1, M1 * L1**2 * A1])
    printed = sympy.Matrix([0, -M1 * g * sympy.cos(T1), M1 * L1 * A1])
    assert (P.cross(F) - right).applyfunc(sympy.simplify).is_zero_matrix
    assert not (right - printed).is_zero_matrix


def test_E57_a_lost_term_is_harmless_for_the_first_torque():
    """M2 L2 θ̈2 in the second entry of ²F2 turns into the plane that τ1 does not feel."""
    table = formulas()
    assert table.F[1, 1].expand().coeff(A2) == M2 * L2
    assert table.n[0, 2].expand().coeff(A2) == 0
    assert table.n[0, 1].expand().coeff(A2) != 0


def test_E58_a_cosine_lost_its_square():
    inertia = formulas().n[0, 2].expand().coeff(A1)
    right = M1 * L1**2 + M2 * L1**2 + M2 * L2**2 * C2**2 + 2 * M2 * L1 * L2 * C2
    assert zero(inertia - right)
    assert not zero(inertia - right.subs(C2**2, C2))
