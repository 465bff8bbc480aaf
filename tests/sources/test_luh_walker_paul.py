"""The recursion of Luh, Walker and Paul in classic DH frames, its counts and its errata."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import close
from tests.support.oracles.oracle import precise
from tests.support.oracles.recursion import Link as Printed
from tests.support.oracles.recursion import Tally, counted, luh_walker_paul
from visviva.errors import ArgumentError

seeds = st.integers(0, 2**32 - 1)
s, c = np.sin, np.cos


def dh_arm(rng, kinds):
    """A random arm: its table, the same as links of the recursion, and as a model."""
    rows = [(*rng.normal(size=4), kind) for kind in kinds]
    masses = rng.uniform(0.5, 3.0, len(kinds))
    clouds = [rng.normal(size=(4, 3)) for _ in kinds]
    inertias = [
        vv.Inertia.point_masses([m / 4] * 4, x) for m, x in zip(masses, clouds, strict=True)
    ]
    gravity = rng.normal(size=3) * 5
    model = vv.from_dh(rows, convention="standard", inertias=inertias, gravity=gravity)

    def links(q):
        made = []
        for (a, alpha, d, theta, kind), inertia, x in zip(rows, inertias, q, strict=True):
            t, d = (theta + x, d) if kind == "R" else (theta, d + x)
            R = np.array(
                [
                    [c(t), -s(t) * c(alpha), s(t) * s(alpha)],
                    [s(t), c(t) * c(alpha), -c(t) * s(alpha)],
                    [0, s(alpha), c(alpha)],
                ]
            )
            shift = np.array([a, d * s(alpha), d * c(alpha)])  # in frame k
            parts = R, shift, inertia.com, inertia.mass, inertia.tensor
            made.append(Printed(*parts, slides=kind == "P"))
        return made

    return model, links, gravity


@examples(3, 1000)
@given(seeds, st.text("RP", min_size=1, max_size=7))
def test_C103_luh_walker_paul_with_load_and_sliding_joints(seed, kinds):
    """Classic DH, a0 = -g, a load at the end effector, prismatic joints too."""
    rng = np.random.default_rng(seed)
    arm, links, gravity = dh_arm(rng, kinds)
    q, v, a = rng.normal(size=(3, len(kinds)))
    force, torque = rng.normal(size=(2, 3))
    wanted = luh_walker_paul(links(q), gravity, v, a, (force, torque))
    loaded = arm.function("inverse_dynamics", wrenches=[f"dh{len(kinds)}"])
    close(loaded(q, v, a, [[*-torque, *-force]]), wanted)
    close(arm.inverse_dynamics(q, v, a), luh_walker_paul(links(q), gravity, v, a))


def test_C104_inverse_dynamics_of_a_trajectory():
    """One call for all instants; the work done is the energy gained."""
    arm, links, gravity = dh_arm(np.random.default_rng(2), "RPRRPR")
    t = np.linspace(0.0, 1.0, 401)[:, None]
    k = np.arange(1, 7)
    q, v, a = s(k * t), k * c(k * t), -(k**2) * s(k * t)
    tau = arm.inverse_dynamics(q, v, a)
    assert tau.shape == (401, 6)
    for i in range(0, 401, 50):
        close(tau[i], luh_walker_paul(links(q[i]), gravity, v[i], a[i]))
    power = (tau * v).sum(axis=1)
    weights = np.ones(401)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    work = weights @ power / 1200  # Simpson's rule

    def energy(q, v):
        heights = [
            X.apply(b.inertia.com) for b, X in zip(arm.bodies, arm.body_poses(q), strict=True)
        ]
        fall = sum(
            b.inertia.mass * arm.gravity @ r for b, r in zip(arm.bodies, heights, strict=True)
        )
        return v @ arm.mass_matrix(q) @ v / 2 - fall

    gained = energy(q[-1], v[-1]) - energy(q[0], v[0])
    assert abs(work - gained) < 1e-7 * np.abs(power).max()  # the error of the quadrature


def lagrange(links_of, gravity, q, v, a):
    """M from the Jacobians of the centres, Christoffel by differences at 50 digits, ∂V/∂q."""

    def frames(q):
        R, p, made = precise(np.eye(3)), precise(np.zeros(3)), []
        for link in links_of(q):
            z, o = R[:, 2], p
            R = R @ link.R
            p = p + R @ link.d
            made.append((z, o, R, p + R @ link.d_c, link))
        return made

    def cross(x, y):
        return np.array(
            [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
        )

    def mass(q):
        made, n = frames(q), len(q)
        total = precise(np.zeros((n, n)))
        for i, (_, _, R, center, link) in enumerate(made):
            JL, JA = precise(np.zeros((3, n))), precise(np.zeros((3, n)))
            for k in range(i + 1):
                z, o = made[k][:2]
                JL[:, k], JA[:, k] = cross(z, center - o), z
            total = total + JL.T @ JL * link.m + JA.T @ (R @ link.gamma @ R.T) @ JA
        return total

    def potential(q):
        return -sum(link.m * (gravity @ center) for _, _, _, center, link in frames(q))

    h = mpmath.mpf("1e-16")
    n, units = len(q), precise(np.eye(len(q)))
    dM = np.array([(mass(q + e * h) - mass(q - e * h)) / (2 * h) for e in units])  # [k, i, j]
    dV = np.array([(potential(q + e * h) - potential(q - e * h)) / (2 * h) for e in units])
    M, tau = mass(q), list(dV)
    for i in range(n):
        for j in range(n):
            tau[i] += M[i, j] * a[j]
            for k in range(n):
                tau[i] += (dM[k, i, j] + dM[j, i, k] - dM[i, j, k]) / 2 * v[j] * v[k]
    return M, tau


def test_S43_six_revolute_joints():
    """The corrected recursion is Lagrange's equation, and gives M by columns."""
    rng = np.random.default_rng(5)
    with mpmath.workdps(50):
        for _ in range(2):
            arm, links, gravity = dh_arm(rng, "RRRRRR")
            q, v, a = rng.normal(size=(3, 6))

            def exact(q, links=links):
                made = links(np.zeros(6))
                for link, x in zip(made, q, strict=True):  # turned by q, without rounding
                    C, S = mpmath.cos(x), mpmath.sin(x)
                    turn = np.array([[C, -S, 0], [S, C, 0], [0, 0, 1]])
                    link.R = turn @ precise(link.R)
                return made

            M, wanted = lagrange(exact, precise(gravity), precise(q), v, a)
            close(luh_walker_paul(links(q), gravity, v, a), wanted)
            close(arm.inverse_dynamics(q, v, a), wanted)
            columns = [
                np.array(luh_walker_paul(links(q), 0 * gravity, 0 * v, e)) for e in np.eye(6)
            ]
            close(np.array(columns).T, M)
            close(arm.mass_matrix(q), M)
    assert M.shape == (6, 6)


def operations(n):
    """Products and sums of the recursion as it is written, every vector dense."""
    rng = np.random.default_rng(n)
    _, links, gravity = dh_arm(rng, "R" * n)
    plain = links(rng.normal(size=n))
    levers = [link.lever for link in plain]
    tally = Tally()

    class Given(Printed):
        lever = None  # d + d_c is constant: given, not computed

    made = []
    for link, lever in zip(plain, levers, strict=True):
        parts = [counted(x, tally) for x in (link.R, link.d, link.d_c, link.m, link.gamma)]
        one = Given(*parts[:3], parts[3][()], parts[4])
        one.lever = counted(lever, tally)
        made.append(one)
    v, a = (counted(rng.normal(size=n), tally) for _ in range(2))
    luh_walker_paul(made, counted(gravity, tally), v, a)
    return tally.products, tally.sums


def test_C106_operation_counts_of_the_recursion():
    """Instrumented: 125 n - 24 products, 102 n - 24 sums; in print: 117 n - 24 and 103 n - 21.

    The recursion here and that of the package were written apart from each other.
    """
    for n in range(1, 6):
        assert operations(n) == (125 * n - 24, 102 * n - 24)
        counts = vv.operation_counts(n)
        assert (counts.products["newton-euler"], counts.sums["newton-euler"]) == operations(n)
    assert (117 * 6 - 24, 103 * 6 - 21) == (678, 597)
    assert vv.operation_counts(6).growth("newton-euler") == [-24, 125]
    six = vv.catalog.puma560().inverse_dynamics.operations
    assert six.multiplications < 678 / 3
    assert six.additions < 597 / 3


def test_C106_operations_of_lagrange_are_counted_and_grow_with_the_fourth_power():
    """Sums of traces, run on numbers that count; 66 271 in print, for another way to sum."""
    counts = vv.operation_counts(6)
    assert counts.products["lagrange"] == 50_365
    assert counts.sums["lagrange"] == 39_178
    assert 0.7 < counts.products["lagrange"] / 66_271 < 1.3
    law = counts.growth("lagrange")
    assert len(law) == 5  # the fourth power
    assert law == [0, Fraction(-287, 6), 133, Fraction(268, 3), Fraction(41, 2)]
    assert counts.products["lagrange"] > 60 * counts.products["newton-euler"]
    assert counts.products["visviva"] < counts.products["newton-euler"]
    large = vv.operation_counts(12)
    assert large.products["lagrange"] == sum(c * 12**k for k, c in enumerate(law))
    law.clear()  # it is the reader's own
    assert len(counts.growth("lagrange")) == 5
    assert "678" in str(counts)
    assert "66,271" in str(counts)


@pytest.mark.parametrize("n", [0, -1, 2.0, True, "6"])
def test_C106_numbers_of_joints_that_are_none(n):
    with pytest.raises(ArgumentError, match="a whole number of joints, at least one, got"):
        vv.operation_counts(n)


def test_C106_counts_that_obey_no_law_are_refused():
    with pytest.raises(ArgumentError, match="'lagrange' and 'newton-euler', got 'visviva'"):
        vv.operation_counts(1).growth("visviva")


def test_S43_E39f_counts_are_another_convention():
    """What is printed is not the count of what is printed: eight products per link are missing."""
    gaps = {operations(n)[0] - (117 * n - 24) - 8 * n for n in range(1, 6)}
    assert gaps == {0}
    assert operations(6)[1] != 103 * 6 - 21


def wrong(change, seed=3):
    """How far a changed recursion is from the right one, on a random 6R, relative to it."""
    rng = np.random.default_rng(seed)
    arm, links, gravity = dh_arm(rng, "RRRRRR")
    q, v, a = rng.normal(size=(3, 6))
    found, right = change(links(q), gravity, v, a), arm.inverse_dynamics(q, v, a)
    return np.abs(np.array(found) - right).max() / np.abs(right).max()


def printed_recursion(links, gravity, v, a, a_of_center=False, lost_plus=False, turned=False):
    """(114)–(121) in numpy, with the faults of the print by choice."""
    w, alpha, acc, made = np.zeros(3), np.zeros(3), -gravity, []
    k = np.array([0.0, 0.0, 1.0])
    for link, rate, rise in zip(links, v, a, strict=True):
        alpha = link.R.T @ (alpha + np.cross(w, k * rate) + k * rise)
        w = link.R.T @ (w + k * rate)
        to = link.d + link.d_c if a_of_center else link.d
        acc = link.R.T @ acc + np.cross(alpha, to) + np.cross(w, np.cross(w, to))
        swing, pull = np.cross(alpha, link.d_c), np.cross(w, np.cross(w, link.d_c))
        a_c = acc if a_of_center else acc + (swing if lost_plus else swing + pull)
        N = link.gamma @ alpha + np.cross(w, link.gamma @ w)
        made.append((link, link.m * a_c, N))
    f, n, tau = np.zeros(3), np.zeros(3), []
    R = np.eye(3)
    for link, F, N in reversed(made):
        f, n = (R.T @ f, R.T @ n) if turned else (R @ f, R @ n)
        n = n + np.cross(link.d, f) + np.cross(link.d + link.d_c, F) + N
        f = f + F
        tau.insert(0, (link.R @ n)[2])
        R = link.R
    return tau


def test_E39b_the_acceleration_is_that_of_the_origin():
    """Called that of the centre of mass, it would be passed on from there."""
    assert wrong(printed_recursion) < 1e-12
    assert wrong(lambda *x: printed_recursion(*x, a_of_center=True)) > 0.01


def test_E39c_a_plus_is_lost():
    assert wrong(lambda *x: printed_recursion(*x, lost_plus=True)) > 0.01


def test_E39d_forces_turn_back():
    """R from k + 1 to k, not the other way."""
    assert wrong(lambda *x: printed_recursion(*x, turned=True)) > 0.01


def test_E39e_backwards_from_n_to_1_with_a_load_to_start_from():
    """k = n … 1; the start (f, τ) at n + 1 is the load, and it reaches every joint."""
    rng = np.random.default_rng(4)
    _, links, gravity = dh_arm(rng, "RRRRRR")
    q, v, a = rng.normal(size=(3, 6))
    load = tuple(rng.normal(size=(2, 3)))
    free, loaded = (luh_walker_paul(links(q), gravity, v, a, x) for x in (None, load))
    assert len(free) == 6
    assert np.all(np.array(loaded) != np.array(free))
