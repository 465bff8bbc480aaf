"""Reactions: every body obeys Newton and Euler, and joints feel the part along their motion.

Momenta come from poses and the joints' own twists, their rates from differences at 50 digits.
"""

import re
from dataclasses import replace

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import close, mp
from tests.support.oracles.oracle import floats, mechanism, precise, random_state, slope
from visviva.describe.model.body import WORLD
from visviva.equations.dynamics import inverse_dynamics
from visviva.equations.forces.reactions import (
    at_the_joints,
    newton_euler_formulas,
    newton_euler_table,
    reaction_wrenches,
)
from visviva.errors import ShapeError, UnknownNameError

seeds, sizes = st.integers(0, 2**32 - 1), st.integers(1, 6)
VECTORS = ("w", "alpha", "a", "a_c", "F", "N", "f", "n")


def some(seed, size, **options):
    """A random mechanism under load, and a state."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size, **options)
    names, axes = rng.choice(model.frame_names, 2), rng.choice(["body", "world"], 2)
    loads = [(str(n), str(x), rng.normal(size=6)) for n, x in zip(names, axes, strict=True)]
    return model, loads, random_state(rng, model)


def momenta(model, q, v):
    """Moment of momentum about the world's origin and momentum of every body, in world axes."""
    poses, made, twists = model.body_poses(q), [], []
    for i, (b, X) in enumerate(zip(model.bodies, poses, strict=True)):
        ratio = 1 if b.mimic is None else b.mimic.multiplier
        V = b.joint.subspace(model.local(i, q)) @ v[model.v_index[i]] * ratio
        if b.parent != WORLD:
            V = V + (X.inverse() @ poses[b.parent]).adjoint() @ twists[b.parent]
        twists.append(V)
        made.append(X.inverse().adjoint().T @ b.inertia.spatial() @ V)
    return np.array(made)


def at_origin(force, at, moment=0.0):
    return np.concatenate([moment + np.cross(at, force), force])


def loads_in_world(model, loads, q, v):
    """On every body, about the world's origin: gravity, wrenches, springs between frames."""
    poses = model.body_poses(q)
    total = np.zeros((len(model.bodies), 6))
    for i, (b, X) in enumerate(zip(model.bodies, poses, strict=True)):
        total[i] += at_origin(model.gravity * b.inertia.mass, X.apply(b.inertia.com))
    for name, axes, W in loads:
        X, body = model.frame_pose(name, q), model.frame(name).body
        R = X.R if axes == "body" else np.eye(3)
        if body != WORLD:
            total[body] += at_origin(R @ W[3:], X.p, R @ W[:3])
    for s in model.springs:
        if not s.frames:
            continue

        def ends(x, s=s):
            pairs = zip(s.frames, s.points, strict=True)
            return [model.frame_pose(f, x).apply(p) for f, p in pairs]

        p1, p2 = ends(q)
        with mpmath.workdps(50):
            rates = slope(lambda t: np.array(ends(model.integrate(precise(q), precise(v) * t))))
        d = p2 - p1
        u = d / np.linalg.norm(d)
        pull = s.stiffness * (np.linalg.norm(d) - s.rest) + s.damping * u @ (rates[1] - rates[0])
        for f, p, push in ((s.frames[0], p1, u * pull), (s.frames[1], p2, -u * pull)):
            if model.frame(f).body != WORLD:
                total[model.frame(f).body] += at_origin(push, p)
    return total


@examples(4, 1000)
@given(seeds, sizes)
def test_every_body_obeys_newton_and_euler(seed, size):
    """What its joint exerts, less what it passes on, with loads and gravity, is dH/dt."""
    model, loads, (q, v, a) = some(seed, size)
    F = reaction_wrenches(model, q, v, a, loads)
    assert F.shape == (size, 6)
    poses = model.body_poses(q)
    total = loads_in_world(model, loads, q, v)
    scale = 1 + np.abs(total).max()
    for i, b in enumerate(model.bodies):
        W = at_origin(poses[i].R @ F[i, 3:], poses[i].p, poses[i].R @ F[i, :3])
        scale = max(scale, np.abs(W).max())  # the largest that cancels
        total[i] += W
        if b.parent != WORLD:
            total[b.parent] -= W
    with mpmath.workdps(50):
        q, v, a = precise(q), precise(v), precise(a)
        rate = slope(lambda t: momenta(model, model.integrate(q, v * t), v + a * t))
    close(total / scale, rate / scale)


@examples(4, 1000)
@given(seeds, sizes)
def test_joints_feel_the_part_along_their_motion(seed, size):
    """Sᵀ F, coupled joints on the one they follow, and what sits at the joints: τ."""
    model, loads, (q, v, a) = some(seed, size)
    F = reaction_wrenches(model, q, v, a, loads)
    tau = at_the_joints(model, q, v, a)
    for i, b in enumerate(model.bodies):
        ratio = 1 if b.mimic is None else b.mimic.multiplier
        tau[model.v_index[i]] += ratio * b.joint.subspace(model.local(i, q)).T @ F[i]
    wanted = inverse_dynamics(model, q, v, a, loads)
    scale = 1 + np.abs(F).max()
    close(tau / scale, wanted / scale)


@examples(4, 1000)
@given(seeds, sizes)
def test_the_table_is_the_recursion(seed, size):
    """Its last columns are the reactions, and each row is Newton's and Euler's equation."""
    model, loads, (q, v, a) = some(seed, size)
    table = newton_euler_table(model, q, v, a, loads)
    F = reaction_wrenches(model, q, v, a, loads)
    scale = 1 + np.abs(F).max()
    close(np.hstack([table.n, table.f]) / scale, F / scale)
    close(table.tau / scale, inverse_dynamics(model, q, v, a, loads) / scale)
    for i, b in enumerate(model.bodies):
        c, tensor = b.inertia.com, b.inertia.tensor
        w, alpha = table.w[i], table.alpha[i]
        a_c = table.a[i] + np.cross(alpha, c) + np.cross(w, np.cross(w, c))
        close(table.a_c[i], a_c)
        close(table.F[i], b.inertia.mass * a_c)
        close(table.N[i], tensor @ alpha + np.cross(w, tensor @ w))


@examples(3, 200)
@given(seeds, sizes)
def test_all_scalars_agree(seed, size):
    model, loads, (q, v, a) = some(seed, size)
    wanted = reaction_wrenches(model, q, v, a, loads)
    scale = 1 + np.abs(wanted).max()
    found = floats(reaction_wrenches(model, mp(q), mp(v), mp(a), loads))
    close(found / scale, wanted / scale)
    close(model.reaction_wrenches(q, v, a) / scale, reaction_wrenches(model, q, v, a) / scale)


def test_compiled_in_a_batch_with_wrenches():
    model, loads, _ = some(7, 4)
    rng = np.random.default_rng(2)
    states = [np.array(x) for x in zip(*(random_state(rng, model) for _ in range(9)), strict=True)]
    where = {name: axes for name, axes, _ in loads}
    W = np.array([w for _, _, w in loads])
    f = model.function("reaction_wrenches", wrenches=where)
    found = f(*states, W)
    assert found.shape == (9, 4, 6)
    for k, x in enumerate(zip(*states, strict=True)):
        close(found[k], reaction_wrenches(model, *x, loads))


def test_a_free_body_needs_no_joint():
    """Falling freely, nothing is exerted on it."""
    b = vv.Builder("stone").body("stone", joint="free", inertia=vv.Inertia.box(2.0, x=1, y=2, z=3))
    m = b.build()
    rng = np.random.default_rng(0)
    q, v, _ = random_state(rng, m)
    a = m.forward_dynamics(q, v, np.zeros(6))
    close(m.reaction_wrenches(q, v, a), np.zeros((1, 6)), 1e-13)


def test_nothing_that_moves():
    m = vv.Builder("rock").build()
    assert reaction_wrenches(m, [], [], []).shape == (0, 6)
    table = newton_euler_table(m, [], [], [])
    assert table.w.shape == (0, 3)
    assert table.tau.shape == (0,)


# ---- formulas


def test_formulas_are_the_numbers():
    """Symbols by name: parameters, joints, primes for their rates."""
    model = vv.catalog.rpr_arm()
    formulas = newton_euler_formulas(model)
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 3))
    values = {sympy.Symbol(k, real=True): x for k, x in model.parameters.items()}
    for name, x, y, z in zip(model.joint_names, q, v, a, strict=True):
        pairs = ((name, x), (f"{name}'", y), (f"{name}''", z))
        values |= {sympy.Symbol(k, real=True): value for k, value in pairs}
    table = newton_euler_table(model, q, v, a)
    for name in (*VECTORS, "tau"):
        found = getattr(formulas, name)
        close([sympy.sympify(x).subs(values) for x in found.flat], getattr(table, name).ravel())
        again = getattr(formulas.expanded(), name)
        assert all(sympy.simplify(x - y) == 0 for x, y in zip(found.flat, again.flat, strict=True))


def test_velocities_that_are_no_rates_have_names_of_their_own():
    table = newton_euler_formulas(vv.catalog.tumbling_body())
    assert [str(x) for x in table.w[0]] == ["attitude_wx", "attitude_wy", "attitude_wz"]
    assert [str(x) for x in table.alpha[0]] == [f"attitude_w{k}'" for k in "xyz"]


def test_the_table_as_text():
    b = vv.Builder("bob").body(
        "bob", joint="revolute", axis="y", inertia=vv.Inertia.point(2.0, [0, 0, -0.5])
    )
    text = repr(newton_euler_table(b.build(), [0.0], [2.0], [0.0]))
    assert text.splitlines() == [
        "bob",
        "  w     = (0, 2, 0)",
        "  alpha = (0, 0, 0)",
        "  a     = (0, 0, 9.81)",
        "  a_c   = (0, 0, 11.81)",
        "  F     = (0, 0, 23.62)",
        "  N     = (0, 0, 0)",
        "  f     = (0, 0, 23.62)",
        "  n     = (0, 0, 0)",
        "joints",
        "  tau1  = 0",
    ]
    formulas = repr(newton_euler_formulas(vv.catalog.pendulum(1)))
    assert "w     = (0, 0, theta1')" in formulas
    assert "1.0" not in formulas
    traced = vv.catalog.pendulum(1).symbolic
    x = traced.bodies[0].inertia.mass.graph.input("x")
    assert "a     = (" in repr(newton_euler_table(traced, [x], [x], [x]))


# ---- what is refused


def test_bad_input():
    model, _, (q, v, a) = some(3, 3)
    with pytest.raises(UnknownNameError, match="unknown frame 'tol'"):
        reaction_wrenches(model, q, v, a, [("tol", "body", np.zeros(6))])
    with pytest.raises(ShapeError, match=r"6 numbers; got shape \(2,\)"):
        newton_euler_table(model, q, v, a, [("body0", "body", np.zeros(2))])
    with pytest.raises(ShapeError):
        model.reaction_wrenches(q, v, a[:-1])
    with pytest.raises(ShapeError, match="a of 'mechanism' has"):
        reaction_wrenches(model, q, v, a[:-1])


def test_lean_links_would_not_do():
    """What joint forces do not show, reactions do: the weight on a vertical hinge."""
    b = vv.Builder("mast").body(
        "mast", joint="revolute", axis="z", inertia=vv.Inertia.point(2.0, [0, 0, 1.0])
    )
    m = b.build()
    close(m.reaction_wrenches([0.3], [0.0], [0.0]), [[0, 0, 0, 0, 0, 2 * 9.81]])
    assert replace(m, gravity=np.zeros(3)).reaction_wrenches([0.3], [0], [0]).tolist() == [
        [0.0] * 6
    ]


@pytest.mark.spread(0)
def test_long_formulas_are_not_printed_as_a_whole():
    """Six joints have millions of characters; what is short stays whole."""
    table = newton_euler_formulas(vv.catalog.stanford())
    text = repr(table)
    assert len(text) < 100_000
    assert re.search(r"tau1  = .{200} … \(\d{4,} numbers and symbols\)\n", text)
    w = str(table.w[2][0])
    assert w in text
    assert "…" not in repr(newton_euler_formulas(vv.catalog.craig_6_5()))
