"""What eliminations are made of: pairs, tangents, roots on circles, balls around roots."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.counts import examples
from visviva.equations.frames.chain import turns
from visviva.solve.elimination.circle_roots import circle_roots
from visviva.solve.elimination.eliminant import Elimination, PreparedTurns, SixTurns
from visviva.solve.elimination.loop_closure import certified, polished
from visviva.solve.elimination.pairs import Pair, back_substituted, reflected
from visviva.solve.elimination.tangents import motion, tangent, turning

seeds = st.integers(0, 10**9)


def as_complex(x):
    return complex(x.re, x.im) if isinstance(x, Pair) else complex(x)


@examples(8, 2000)
@given(seeds)
def test_pairs_are_complex_numbers(seed):
    a, b = np.random.default_rng(seed).normal(size=(2, 2)) @ [1, 1j]
    x, y = Pair(a.real, a.imag), Pair(b.real, b.imag)
    for ours, theirs in (
        (x + y, a + b),
        (x - y, a - b),
        (x * y, a * b),
        (x / y, a / b),
        (2.0 / y, 2.0 / b),
        (1.0 - y, 1.0 - b),
        (x.turned(), 1j * a),
        (-x, -a),
    ):
        assert abs(as_complex(ours) - theirs) < 1e-14 * (1 + abs(theirs))


@examples(4, 500)
@given(seeds)
def test_reflections_give_determinants_and_solutions(seed):
    """Real and complex: det A, and A⁻¹ b from the triangle of [A b]."""
    rng = np.random.default_rng(seed)
    for kind in (float, complex):
        A, b = rng.normal(size=(6, 6)), rng.normal(size=6)
        rows = [[*map(float, A[i]), float(b[i])] for i in range(6)]
        if kind is complex:
            A = A + 1j * rng.normal(size=(6, 6))
            rows = [[*(Pair(x.real, x.imag) for x in A[i]), Pair(float(b[i]))] for i in range(6)]
        triangle, det = reflected(rows, 6)
        size = np.linalg.cond(A)
        assert abs(as_complex(det) - np.linalg.det(A)) < 1e-13 * size * (1 + abs(np.linalg.det(A)))
        x = back_substituted([row[:6] for row in triangle], [row[6] for row in triangle])
        assert np.abs(A @ [as_complex(v) for v in x] - b).max() < 1e-12 * size


@examples(4, 500)
@given(seeds)
def test_motions_act_linearly_on_tangents(seed):
    """And a turn about any axis is of degree one in cosine and sine."""
    rng = np.random.default_rng(seed)
    axis, point, P, L = rng.normal(size=(4, 3))
    axis /= np.linalg.norm(axis)
    angle, offset = rng.uniform(-3, 3, 2)
    R = turns(axis, angle + offset)
    t = point - R @ point
    wanted = tangent(R @ P + t, R @ L)
    scale = 1e-13 * (1 + np.abs(wanted).max()) * 30
    assert np.abs(motion(R, t) @ tangent(P, L) - wanted).max() < scale
    one, c, s = turning(axis, point, offset)
    whole = one + np.cos(angle) * c + np.sin(angle) * s
    assert np.abs(whole @ tangent(P, L) - wanted).max() < scale


def test_roots_on_and_off_the_circle():
    """Against the roots that the polynomials were made of."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        on = np.exp(1j * np.sort(rng.uniform(-np.pi, np.pi, 6)))
        inside = 0.8 * np.sqrt(rng.uniform(0.05, 1, 5)) * np.exp(2j * np.pi * rng.random(5))
        roots = np.concatenate([on, inside, 1 / np.conj(inside)])
        c = np.poly(roots)[::-1]
        c = c * np.exp(-0.5j * (np.angle(c[0]) + np.angle(c[-1])))  # real on the circle
        found, _ = circle_roots((c / np.abs(c).max())[None])
        gap = np.abs(found[0][:, None] - roots) / np.abs(roots)
        assert gap.min(axis=0).max() < 1e-6  # roots that nearly coincide are known so well
        assert (np.bincount(gap.argmin(axis=1), minlength=16) == 1).all()


def some_turns(seed):
    rng = np.random.default_rng(seed)
    axes, points = rng.normal(size=(2, 6, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    q = rng.uniform(-np.pi, np.pi, 6)
    R, p = np.eye(3), np.zeros(3)
    for h, o, t in zip(axes, points, q, strict=True):
        turn = turns(h, t)
        R, p = R @ turn, R @ (o - turn @ o) + p
    return SixTurns(axes, points), q, R[None], p[None]


@pytest.mark.parametrize("seed", range(5))
def test_the_eliminant_is_of_degree_sixteen_and_zero_at_solutions(seed):
    arm, q, R, p = some_turns(seed)
    ways = {
        "as it is": (arm, R, p, q[2]),
        "backwards": (
            arm.backwards(),
            R.transpose(0, 2, 1),
            -(R.transpose(0, 2, 1) @ p[..., None])[..., 0],
            q[3],
        ),
        "begun later": (arm.begun_later(2, R, p), R, p, q[4]),
    }
    for turns_of, Rg, pg, angle in ways.values():
        seen, Rg, pg = turns_of.seen_from_second(Rg, pg)
        polynomial, beyond = Elimination(PreparedTurns(seen, 0.3), Rg, pg).polynomial()
        assert beyond[0] < 1e-12  # degrees 9 to 12 are the factor that is none in exp(iθ)
        value = polynomial[0] @ np.exp(1j * np.arange(-8, 9) * angle)
        assert abs(value) < 1e-10
        assert np.abs(polynomial[0] - np.conj(polynomial[0][::-1])).max() < 1e-13


def test_a_ball_is_where_the_root_is():
    """Certified radii hold the distance to the root, and no ball is around what is none."""
    arm, q, R, p = some_turns(3)
    arm, R, p = arm.seen_from_second(R, p)
    w = np.exp(1j * q)[None]
    one = np.ones(1)
    exact, settled = polished(arm, R, p, w * np.exp(1e-3j * np.arange(6)), one)
    assert settled[0]
    assert np.abs(exact - w).max() < 1e-12
    for off in (1e-13, 1e-11, 1e-9, 1e-7, 1e-5):
        beside = exact * np.exp(1j * off * np.array([1, -1, 0.5, 0, 1, -0.3]))
        radius, residual = certified(arm, R, p, beside / np.abs(beside), one)
        assert residual[0] < 20 * off + 1e-14
        assert not radius[0] < off  # never smaller than the true distance
        complex_radius, _ = certified(arm, R, p, beside, 0 * one)
        assert not complex_radius[0] < off
    radius, _ = certified(arm, R, p, np.exp(1j * (q + 0.4))[None], one)
    assert radius[0] == np.inf
