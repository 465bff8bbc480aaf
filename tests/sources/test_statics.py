"""Statics as document 003 has it: balance of links, virtual work, τ = Jᵀ F, reduced systems."""

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import close

seeds = st.integers(0, 2**32 - 1)


def balanced_by_hand(joints, centres, masses, g, F, N, end):
    """003 lines 297–332, from the tip to the base: f and N of every joint, all in world axes."""
    f, n, p = np.array(F), np.array(N), np.array(end)
    found = []
    for r, c, m in reversed(list(zip(joints, centres, masses, strict=True))):
        before = f - m * g  # f_{i-1,i} - f_{i,i+1} + m_i g = 0
        # N_{i-1,i} - N_{i,i+1} + r_{Ci,i-1} × f_{i-1,i} - r_{Ci,i} × f_{i,i+1} = 0, r from C
        n = n - np.cross(r - c, before) + np.cross(p - c, f)
        f, p = before, r
        found.append((f, n))
    return found[::-1]


@examples(4, 500)
@given(seeds)
def test_S52_C95_links_in_balance_give_the_torques_of_virtual_work(seed):
    """The recursion of 003 written out beside ours; τ = Jᵀ F + G, G = -Σ m J_cᵀ g."""
    rng = np.random.default_rng(seed)
    arm, q = vv.catalog.puma560(), rng.uniform(-3, 3, 6)
    W = rng.normal(size=6) * [1, 1, 1, 9, 9, 9]
    s = arm.statics(q, {"tool": W})
    poses = arm.body_poses(q)
    m = arm.numeric
    by_hand = balanced_by_hand(
        [X.p for X in poses],
        [X.apply(b.inertia.com) for b, X in zip(m.bodies, poses, strict=True)],
        [b.inertia.mass for b in m.bodies],
        np.asarray(m.gravity),
        W[3:],
        W[:3],
        arm.frame_pose("tool", q).p,
    )
    size = np.abs([x for pair in by_hand for x in pair]).max()
    for (f, n), b, X in zip(by_hand, m.bodies, poses, strict=True):
        close(s.force(b.joint_name) / size, f / size)
        close(s.moment(b.joint_name) / size, n / size)
        axis = X.R @ b.joint.axis
        close(s.torques[m.joint_names.index(b.joint_name)] / size, axis @ n / size)

    def J_centre(b):
        return arm.with_frame("centre", b.inertia.com, on=b.name).jacobian("centre")(q)

    G = sum(-b.inertia.mass * J_centre(b)[3:].T @ m.gravity for b in m.bodies)
    close(s.torques / size, (arm.jacobian("tool")(q).T @ W + G) / size)
    assert s.disagreement < 1e-12


def test_S53_C97_statics_of_the_2R_arm():
    """The audit's numbers, and both ways: torques of a force, the force of torques."""
    arm = vv.catalog.two_link(L1=1.0, L2=0.8)
    q, F = [0.3, 0.7], [2.0, -3.0]
    s = arm.statics(q, {"tool": {"force": [*F, 0.0]}}, gravity=False)
    np.testing.assert_allclose(s.torques, [-6.10012899, -2.64307911], atol=5e-9)
    close(s.balance, s.torques)
    back = arm.statics(q, gravity=False).tip_wrench("tool", s.torques, "fx fy")
    close(back.wrench[3:5], F)
    assert back.unique
    # with gravity G(q) is added, and the force comes back all the same
    heavy = arm.statics(q, {"tool": {"force": [*F, 0.0]}})
    close(heavy.torques, s.torques + arm.gravity_forces(q))
    close(arm.statics(q).tip_wrench("tool", heavy.torques, "fx fy").wrench[3:5], F)
    # F acts on the environment, F_ext = -F on the robot
    on = arm.statics(q, {"tool": {"force": [-2.0, 3.0, 0.0]}}, gravity=False, acting="on robot")
    close(on.torques, s.torques)


def test_S53_in_symbols():
    """τ1 = -(l1 s1 + l2 s12) F1 + (l1 c1 + l2 c12) F2, τ2 = l2 (c12 F2 - s12 F1), by both roads."""
    q1, q2, F1, F2 = sympy.symbols("q1 q2 F1 F2", real=True)
    l1, l2 = sympy.symbols("L1 L2", positive=True)
    arm = vv.catalog.two_link()
    s, c = sympy.sin, sympy.cos
    expected = [
        -(l1 * s(q1) + l2 * s(q1 + q2)) * F1 + (l1 * c(q1) + l2 * c(q1 + q2)) * F2,
        -l2 * s(q1 + q2) * F1 + l2 * c(q1 + q2) * F2,
    ]
    state = [q1, q2], [0, 0], [0, 0], [[0, 0, 0, -F1, -F2, 0]], [l1, l2, 0]
    options = {"wrenches": {"tool": "world"}, "parameters": ["L1", "L2", "a_g"]}
    work = arm.function("inverse_dynamics", **options).interpret(*state)
    passed = arm.function("reaction_wrenches", **options).interpret(*state)
    for one, other, formula in zip(work, passed[:, 2], expected, strict=True):
        for x in (one, other):
            difference = sympy.nsimplify(sympy.expand_trig(sympy.expand(x - formula)))
            assert sympy.simplify(difference) == 0


def test_S54_a_body_under_three_forces_and_moments():
    """Σ F · δx + Σ M · δθ = 0 for all displacements exactly where forces and moments balance."""
    rng = np.random.default_rng(5)
    b = vv.Builder("body", gravity=[0, 0, 0])
    b.body("body", joint="free", joint_name="free", mass=1)
    for k in range(3):
        b.frame(f"P{k}", body="body", at=rng.normal(size=3))
    m = b.build()
    q = m.random(rng)
    forces, moments = rng.normal(size=(2, 3, 3))
    points = [m.frame_pose(f"P{k}", q).p for k in range(3)]
    forces[2] = -forces[0] - forces[1]
    turning = sum(np.cross(p, f) for p, f in zip(points, forces, strict=True))
    moments[2] = -moments[0] - moments[1] - turning
    loads = {f"P{k}": {"force": forces[k], "moment": moments[k]} for k in range(3)}
    s = m.statics(q, loads, acting="on robot", actuated=[])  # nothing holds it, nothing has to
    close(s.resultant(rng.normal(size=3)).wrench(), np.zeros(6))
    for _ in range(3):  # the work of any displacement
        step = rng.normal(size=6)
        twists = [m.jacobian(f"P{k}")(q) @ step for k in range(3)]
        work = sum(moments[k] @ V[:3] + forces[k] @ V[3:] for k, V in enumerate(twists))
        assert abs(work) < 1e-12
    loads["P1"] = {"force": forces[1] + [0.1, 0, 0], "moment": moments[1]}
    with pytest.raises(vv.errors.EquilibriumError, match=r"does not stay at rest.*\(nothing\)"):
        m.statics(q, loads, acting="on robot", actuated=[])


@examples(4, 300)
@given(seeds)
def test_C78_C98_a_force_system_at_a_point_and_its_central_axis(seed):
    """Loads of an arm: the same about every point, and along the axis moment and force agree."""
    rng = np.random.default_rng(seed)
    arm, q = vv.catalog.puma560(), rng.uniform(-3, 3, 6)
    loads = [
        {"frame": x, "force": rng.normal(size=3), "moment": rng.normal(size=3)}
        for x in ("tool", "dh2", "dh4")
    ]
    s = arm.statics(q, loads, acting="on robot")
    P = rng.normal(size=3)
    here, there = s.resultant(), s.resultant(P)
    close(there.moment, here.moment - np.cross(P, here.force))  # M_A = (r - r_A) × f
    close(here.about(P).moment, there.moment)
    forces = [x["force"] for x in loads]
    points = [arm.frame_pose(x["frame"], q).p for x in loads]
    whole = vv.pencil.resultant(P, forces, points, [x["moment"] for x in loads])
    close(there.wrench(), whole)
    close(there.wrench("force first"), np.roll(whole, 3))
    on_axis = here.about(here.axis_point)
    close(np.cross(on_axis.moment, on_axis.force), np.zeros(3))
    close(on_axis.moment, on_axis.pitch * on_axis.force)
    beside = here.about(here.axis_point + rng.normal(size=3)).moment
    assert np.linalg.norm(beside) >= np.linalg.norm(on_axis.moment) * (1 - 1e-12)
    assert "central axis through" in repr(here)


def test_C78_a_couple_has_no_axis():
    arm = vv.catalog.two_link()
    twist = {"tool": {"moment": [0, 0, 5.0]}}
    at_rest = arm.statics([0.3, 0.7], twist, gravity=False, acting="on robot")
    couple = at_rest.resultant([1, 2, 3])
    close(couple.about([7, 8, 9]).moment, [0, 0, 5.0])
    assert not couple.direction.any()
    assert "central axis" not in repr(couple)


def test_C96_a_linkage_in_equilibrium_without_reactions():
    """Virtual work of a slider-crank: τ δθ = F δx, dx/dθ from its geometry."""
    m = vv.catalog.slider_crank()
    p, theta, F = m.parameters, 0.9, 120.0
    q = m.tracked(m.assembled(), "theta1", [theta])[0]
    l1, l2 = p["l1"], p["l2"]
    s, c = np.sin(theta), np.cos(theta)
    rate = -l1 * s - l1**2 * s * c / np.sqrt(l2**2 - (l1 * s) ** 2)
    found = m.statics(q, {"piston": {"force": [F, 0.0, 0.0]}}, gravity=False, actuated="theta1")
    close(found.torques, [F * rate, 0.0, 0.0])
    close(found.balance, found.torques)


@pytest.mark.parametrize("name", ["four_bar", "puma560"])
def test_C99_energy_against_balance(name):
    """∂V/∂q along what can move is what the balance of every link says."""
    m = vv.catalog.build(name)
    q = m.assembled() if m.held_by else np.linspace(-1, 1, m.nq)
    s = m.statics(q)
    N = m.displacements(q) if m.held_by else np.eye(m.nv)
    slope = m.function("potential_energy").jacobian("q")(q) @ N
    size = max(b.size for b in s.bodies)
    close(N.T @ s.balance / size, slope / size)
    assert s.disagreement < 1e-12
