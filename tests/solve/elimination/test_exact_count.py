"""As many solutions as the exact eliminant has roots: an independent count over the rationals.

Exact rational numbers, another elimination of θ₁ and θ₂ (a null space of all 14 equations), the
polynomial itself and its roots, isolated by FLINT.
"""

from types import SimpleNamespace

import flint
import numpy as np
import pytest

from tests.support.counts import count
from visviva.solve.elimination.six_revolute import all_solutions


def chain(axes, points):
    home = SimpleNamespace(R=np.eye(3), p=np.zeros(3))
    return SimpleNamespace(axes=np.array(axes), points=np.array(points), home=home)


def rational_turn(rng):
    """A rotation with rational entries."""
    w, x, y, z = (flint.fmpq(int(v), 7) for v in rng.integers(1, 20, 4))
    n = w * w + x * x + y * y + z * z
    rows = [
        [n - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), n - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), n - 2 * (x * x + y * y)],
    ]
    return flint.fmpq_mat([[v / n for v in row] for row in rows])


def exact_turn(h, o, c, s):
    """R and t of a turn about an axis, of rational cosine and sine."""
    x, y, z = (h[i, 0] for i in range(3))
    K = flint.fmpq_mat([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    one = flint.fmpq_mat(3, 3, [1, 0, 0, 0, 1, 0, 0, 0, 1])
    R = one + K * s + K * K * (1 - c)
    return R, o - R * o


def features(P, L):
    """Raghavan and Roth's 14 functions of a point and a direction."""
    p, v = ([m[i, 0] for i in range(3)] for m in (P, L))
    square, along = (sum(a * b for a, b in zip(p, other, strict=True)) for other in (p, v))
    cross = [p[1] * v[2] - p[2] * v[1], p[2] * v[0] - p[0] * v[2], p[0] * v[1] - p[1] * v[0]]
    return [
        *p,
        *v,
        square,
        along,
        *cross,
        *(square * b - 2 * along * a for a, b in zip(p, v, strict=True)),
    ]


def trilinear(f, k):
    """Coefficients in products of (1, c, s) of k angles, from values where c and s are 0 and ±1."""
    if k == 0:
        return [f()]
    at = [trilinear(lambda *rest, x=x: f(x, *rest), k - 1) for x in ((1, 0), (-1, 0), (0, 1))]
    rows = []
    for plus, minus, up in zip(*at, strict=True):
        mean = [(a + b) / 2 for a, b in zip(plus, minus, strict=True)]
        rows.append(
            (
                mean,
                [a - m for a, m in zip(plus, mean, strict=True)],
                [a - m for a, m in zip(up, mean, strict=True)],
            )
        )
    return [row[i] for i in range(3) for row in rows]


def exact_real_count(axes, points, R, t):
    """How many real solutions there are, and of how many: by roots of the exact eliminant."""
    end, tip = axes[5], points[5]

    def moved(joints, P, L, backwards=False):
        for (h, o), (c, s) in joints:
            turn, shift = exact_turn(h, o, c, -s if backwards else s)
            P, L = turn * P + shift, turn * L
        return P, L

    def left(*angles):
        joints = [*zip(zip(axes[2:5], points[2:5], strict=True), angles, strict=True)]
        return features(*moved(joints[::-1], tip, end))

    def right(*angles):
        joints = [*zip(zip(axes[:2], points[:2], strict=True), angles, strict=True)]
        return features(*moved(joints, R * tip + t, R * end, backwards=True))

    lhs, rhs = trilinear(left, 3), trilinear(right, 2)
    # the first angle of each call varies slowest: columns (θ₃, θ₄, θ₅) and (θ₁, θ₂)
    Q = flint.fmpq_mat([[column[i] for column in rhs[1:]] for i in range(14)])
    null = left_null_space(Q)
    P = flint.fmpq_mat(
        [
            [column[i] - (rhs[0][i] if k == 0 else 0) for k, column in enumerate(lhs)]
            for i in range(14)
        ]
    )
    rows = null * P  # 6 × 27
    n = rows.nrows()
    assert n == 6
    values = []
    places = range(-12, 13)
    for x in places:
        # times 1 + x²: (1, c₃, s₃) = (1 + x², 1 - x², 2x)
        v = (1 + x * x, 1 - x * x, 2 * x)
        S = [[sum(v[a] * rows[i, 9 * a + k] for a in range(3)) for k in range(9)] for i in range(6)]
        A2 = [[r[c] - r[3 + c] for c in range(3)] for r in S]
        A1 = [[2 * r[6 + c] for c in range(3)] for r in S]
        A0 = [[r[c] + r[3 + c] for c in range(3)] for r in S]
        zero = [0] * 3
        whole = [[*A2[i], *A1[i], *A0[i], *zero] for i in range(6)]
        whole += [[*zero, *A2[i], *A1[i], *A0[i]] for i in range(6)]
        values.append(flint.fmpq_mat(whole).det())
    poly = interpolated([flint.fmpq(x) for x in places], values)
    factor = flint.fmpq_poly([1, 0, 1]) ** 4
    quotient, rest = divmod(poly, factor)
    assert rest == 0, "the factor (1 + x²)⁴"
    roots = flint.fmpz_poly(quotient.numer()).complex_roots()
    real = sum(k for root, k in roots if root.imag == 0)
    return real, quotient.degree()


def left_null_space(Q):
    n, m = Q.nrows(), Q.ncols()
    whole = flint.fmpq_mat(
        [
            [Q[i, j] for j in range(m)] + [flint.fmpq(int(i == j)) for j in range(n)]
            for i in range(n)
        ]
    )
    reduced, _ = whole.rref()
    empty = [i for i in range(n) if all(reduced[i, j] == 0 for j in range(m))]
    return flint.fmpq_mat([[reduced[i, m + j] for j in range(n)] for i in empty])


def interpolated(x, y):
    """Newton's divided differences, exactly."""
    c = list(y)
    for k in range(1, len(x)):
        for i in range(len(x) - 1, k - 1, -1):
            c[i] = (c[i] - c[i - 1]) / (x[i] - x[i - k])
    result = flint.fmpq_poly([c[-1]])
    for k in range(len(x) - 2, -1, -1):
        result = result * flint.fmpq_poly([-x[k], 1]) + flint.fmpq_poly([c[k]])
    return result


def as_floats(M):
    return np.array(
        [[float(flint.arb(M[i, j])) for j in range(M.ncols())] for i in range(M.nrows())]
    )


@pytest.mark.spread(4)
@pytest.mark.soak
@pytest.mark.parametrize("seed", [142, *range(count(9, 1000))])  # 142 has a far root
def test_the_count_is_that_of_the_exact_eliminant(seed):
    """Rational arms and poses: as many real solutions as the polynomial over ℚ has real roots."""
    rng = np.random.default_rng(seed)
    e3 = flint.fmpq_mat(3, 1, [0, 0, 1])
    axes = [rational_turn(rng) * e3 for _ in range(6)]
    points = [
        flint.fmpq_mat(3, 1, [flint.fmpq(int(v), 8) for v in rng.integers(-9, 10, 3)])
        for _ in range(6)
    ]
    R = flint.fmpq_mat(3, 3, [1, 0, 0, 0, 1, 0, 0, 0, 1])
    t = flint.fmpq_mat(3, 1, [0, 0, 0])
    for h, o in zip(reversed(axes), reversed(points), strict=True):
        half = flint.fmpq(int(rng.integers(-20, 21)), 11)
        c, s = (1 - half * half) / (1 + half * half), 2 * half / (1 + half * half)
        turn, shift = exact_turn(h, o, c, s)
        R, t = turn * R, turn * t + shift
    real, degree = exact_real_count(axes, points, R, t)
    arm = chain([as_floats(h)[:, 0] for h in axes], [as_floats(o)[:, 0] for o in points])
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = as_floats(R), as_floats(t)[:, 0]
    s = all_solutions(arm, X)
    if degree < 0:  # one arm of a thousand: its eliminant vanishes in this order of joints
        assert seed == 802
        return
    assert degree == 16
    assert s.count[0] == real
    if not s.is_complete[0]:  # a root far from real numbers: seven of a thousand
        s = all_solutions(arm, X, thorough=True)
        assert s.count[0] == real
    assert s.is_complete[0]
