"""Wrenches from torques, and stiffness: against closed forms and finite displacements."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import close, random_tree
from tests.support.oracles.laws import seeds
from visviva.describe.model.body import Spring
from visviva.equations.constraints.rows import constraint_error, constraint_matrix
from visviva.equations.statics import holding_forces
from visviva.errors import ArgumentError, ShapeError, SingularError, UnknownNameError
from visviva.space.rotations import log


def tip_jacobian(q, l1=1.0, l2=0.8):
    a, b = q[0], q[0] + q[1]
    s, c = np.sin, np.cos
    return np.array([[-l1 * s(a) - l2 * s(b), -l2 * s(b)], [l1 * c(a) + l2 * c(b), l2 * c(b)]])


def test_a_wrench_comes_back_from_its_torques():
    arm, q = vv.catalog.puma560(), np.linspace(-1, 1, 6)
    W = np.array([1.0, -2.0, 0.5, 10.0, 20.0, -5.0])
    tau = arm.statics(q, {"tool": W}).torques
    found = arm.statics(q).tip_wrench("tool", tau)
    close(found.wrench, W)
    assert found.unique
    assert found.balanced
    # beside another load, which stays
    other = {"dh3": [0, 0, 0, 5.0, 5.0, 5.0]}
    tau = arm.statics(q, {**other, "tool": W}).torques
    close(arm.statics(q, other).tip_wrench("tool", tau).wrench, W)


@examples(15, 300)
@given(seeds, st.integers(1, 6))
def test_the_wrench_at_a_loaded_frame_balances_the_torques(seed, size):
    """Jᵀ F + G + loads elsewhere = τ, whichever loads are stated at the frame itself."""
    rng = np.random.default_rng(seed)
    model = random_tree(rng, size)
    q, tau, frame = model.random(rng), rng.normal(size=model.nv), f"frame{size - 1}"
    here = [{"frame": frame, "force": rng.normal(size=3), "point": rng.normal(size=3)}]
    here += [{"frame": frame, "moment": rng.normal(size=3), "axes": "body"}]
    there = [{"frame": "frame0", "force": rng.normal(size=3)}] if size > 1 else []
    bare, loaded = model.statics(q, there), model.statics(q, here + there)
    found, J = loaded.tip_wrench(frame, tau), model.jacobian(frame)(q)
    scale = 1.0 + np.abs(found.wrench).max() + np.abs(bare.torques).max()
    close((J.T @ found.wrench + found.left) / scale, (tau - bare.torques) / scale)
    held = loaded.tip_wrench(frame, loaded.torques, "fx fy")
    scale = 1.0 + np.abs(held.wrench).max() + np.abs(bare.torques).max()
    close(J.T @ held.wrench / scale, (loaded.torques - bare.torques) / scale)


def test_the_wrench_that_holds_is_the_stated_load():
    arm, q = vv.catalog.two_link(), [0.3, 0.7]
    s = arm.statics(q, {"tool": [0, 0, 0, 2, -3, 0]})
    for asked in (s, arm.statics(q)):
        close(asked.tip_wrench("tool", s.torques, "fx fy").wrench, [0, 0, 0, 2, -3, 0])
    turned = arm.statics(q, {"tool": [0, 0, 4, 2, -3, 0]})
    close(turned.tip_wrench("tool", turned.torques, "fx fy").wrench, [0, 0, 4, 2, -3, 0])


def test_what_a_plane_arm_can_exert_and_what_it_resists():
    arm, q = vv.catalog.two_link(), np.array([0.3, 0.7])
    s = arm.statics(q, gravity=False)
    F = np.linalg.solve(tip_jacobian(q).T, [1.0, 2.0])
    found = s.tip_wrench("tool", [1.0, 2.0], "fx fy")
    close(found.wrench, [0, 0, 0, *F, 0])
    assert found.unique
    whole = s.tip_wrench("tool", [1.0, 2.0])
    assert not whole.unique
    assert whole.resisted.shape == (6, 4)
    J = arm.jacobian("tool")(q)
    close(J.T @ whole.resisted, np.zeros((2, 4)))
    close(J.T @ whole.wrench, [1.0, 2.0])
    assert "4 directions of wrenches are resisted without torque" in repr(whole)


def test_stretched_out_an_arm_resists_along_itself_and_some_torques_move_it():
    arm = vv.catalog.two_link()
    s = arm.statics([0.4, 0.0], gravity=False)
    found = s.tip_wrench("tool", [1.0, 1.0], "fx fy")
    assert not found.unique
    assert not found.balanced
    along = found.resisted[3:5, 0]
    close(np.abs(along), np.abs([np.cos(0.4), np.sin(0.4)]))
    torque = found.unbalanced[:, 0]  # no force at the tip takes it: J moves it nowhere
    close(tip_jacobian([0.4, 0.0]) @ torque, np.zeros(2))
    close(found.left, torque * (torque @ [1.0, 1.0]))
    assert "does not balance the torques" in repr(found)
    balanced = s.tip_wrench("tool", tip_jacobian([0.4, 0.0]).T @ [0.0, 3.0], "fx fy")
    assert balanced.balanced


def test_a_linkage_exerts_along_the_motion_it_has():
    m = vv.catalog.four_bar()
    q = m.tracked(m.assembled(), "theta1", [1.9])[0]
    W = {"rocker_end": {"force": [4.0, 0.0, 0.0]}}
    tau = m.statics(q, W).torques
    found = m.statics(q).tip_wrench("rocker_end", tau, "fx")
    close(found.wrench, [0, 0, 0, 4.0, 0, 0], 1e-11)


def test_stiffness_of_two_links_is_the_formula():
    """K = J⁻ᵀ (K_q - ∂(Jᵀ F)/∂q) J⁻¹, F on the robot; G(q) enters as well."""
    arm, q, k = vv.catalog.two_link(), np.array([0.3, 0.7]), np.array([100.0, 80.0])
    by_robot = np.array([20.0, -30.0])
    s = arm.statics(q, {"tool": {"force": [*by_robot, 0.0]}}, gravity=False)
    h = 1e-6
    slope = [
        (tip_jacobian(q + h * e).T - tip_jacobian(q - h * e).T) @ -by_robot / (2 * h)
        for e in np.eye(2)
    ]
    J = np.linalg.inv(tip_jacobian(q))
    found = s.stiffness("tool", k, "fx fy")
    close(found.stiffness, J.T @ (np.diag(k) - np.array(slope).T) @ J, 1e-9)
    close(found.compliance, np.linalg.inv(found.stiffness))
    assert found.stable
    unloaded = arm.statics(q, gravity=False).stiffness("tool", k, "fx fy")
    close(unloaded.stiffness, J.T @ np.diag(k) @ J)
    assert not unloaded.geometric.any()


class Servos:
    """Where they settle: τ₀ - K (q - start) holds the loads, by Newton's steps with one slope."""

    def __init__(self, model, start, tau0, K, loads, rows):
        self.model, self.start, self.tau0, self.K = model, np.array(start), tau0, K
        self.rows = rows
        h = 1e-5
        units = h * np.eye(model.nv + len(rows))
        self.slope = np.array([self.left(e, loads) - self.left(-e, loads) for e in units]).T / (
            2 * h
        )

    def left(self, x, loads):
        """Of changes of position and of multipliers."""
        m, step, lam = self.model, x[: self.model.nv], x[self.model.nv :]
        q = m.integrate(self.start, step)
        out = holding_forces(m, q, loads) - self.tau0 + self.K @ step
        if not len(lam):
            return out
        A = constraint_matrix(m, q)[self.rows]
        return np.concatenate([out - A.T @ lam, constraint_error(m, q)[self.rows]])

    def rest(self, loads):
        x = np.zeros(len(self.slope))
        for _ in range(60):
            step = np.linalg.solve(self.slope, -self.left(x, loads))
            x = x + step
            if np.abs(step[: self.model.nv]).max() < 1e-14:
                break
        return self.model.integrate(self.start, x[: self.model.nv])


@pytest.mark.spread(1)
@pytest.mark.parametrize("case", ["sprung arm", "linkage"])
def test_compliance_is_what_finite_displacements_show(case):
    """Small forces at the tip, both ways; δx of Newton's method for the whole equilibrium."""
    rows: list[int] = []
    if case == "linkage":
        m = vv.catalog.four_bar().numeric
        q = m.tracked(m.assembled(), "theta1", [1.3])[0]
        K, frame = np.diag([50.0, 0.0, 0.0]), "coupler_end"
        rows = [k for k, a in enumerate(constraint_matrix(m, q)) if np.abs(a).max() > 1e-9]
        first = [{"frame": frame, "force": [3.0, -20.0, 0.0]}]
    else:
        m = vv.catalog.puma560().numeric
        ends = (np.zeros(3), np.array([0.5, 0.5, 1.0]))
        spring = Spring("s", 300.0, 0.2, frames=("tool", m.base_name), points=ends)
        m = replace(m, springs=(spring,))
        q, frame = np.linspace(-1, 1, 6), "tool"
        K = np.diag([900.0, 800, 700, 300, 200, 100])
        first = [{"frame": frame, "force": [30.0, -20, 50], "moment": [3, 2, 1.0]}]
    s = m.statics(q, first)
    loads = [(x.frame, x.point, x.wrench()) for x in s.loads]
    servos = Servos(m, q, s.torques, K, loads, rows)
    C = s.stiffness(frame, K).compliance
    X = m.frame_pose(frame, q)
    for k in (2, 3, 4) if case == "linkage" else (1, 4):
        away = []
        for h in (1e-3, -1e-3):
            more = (frame, None, -h * np.eye(6)[k])  # on the robot
            at = m.frame_pose(frame, servos.rest([*loads, more]))
            away.append(np.concatenate([log(at.R @ X.R.T), at.p - X.p]))
        # the second order is left out, the third is about 1e-10 of C here
        close((away[0] - away[1]) / 2e-3 / np.abs(C).max(), C[:, k] / np.abs(C).max(), 1e-7)


def test_loads_in_body_axes_turn_with_the_body():
    arm, q = vv.catalog.two_link(), np.array([0.3, 0.7])
    dead = arm.statics(q, {"tool": {"force": [5.0, 1.0, 0.0]}}, gravity=False)
    W = dead.load("tool", axes="body")
    follower = arm.statics(q, {"tool": W}, axes="body", gravity=False)
    close(dead.torques, follower.torques)
    one, other = (s.stiffness("tool", [100.0, 80.0]).geometric for s in (dead, follower))
    close(one, one.T)
    assert np.abs(one - other).max() > 0.1
    # Jᵀ F of a force that is fixed to the tip depends on q2 alone
    close(other[:, 0], np.zeros(2))


def test_refusals():
    arm = vv.catalog.two_link()
    s = arm.statics([0.3, 0.7])
    with pytest.raises(UnknownNameError, match=r"component of a wrench 'fw'.*'mx', 'my'"):
        s.tip_wrench("tool", [1, 2], "fw")
    with pytest.raises(ArgumentError, match="twice in fx fx"):
        s.tip_wrench("tool", [1, 2], "fx fx")
    with pytest.raises(ShapeError, match="torques of 'two_link' has 2 entries"):
        s.tip_wrench("tool", [1, 2, 3])
    with pytest.raises(UnknownNameError, match="unknown frame 'tip'"):
        s.tip_wrench("tip", [1, 2])
    with pytest.raises(ArgumentError, match="stiffnesses of 'two_link' are 2 finite numbers"):
        s.stiffness("tool", [1, 2, 3])
    with pytest.raises(ArgumentError, match="not negative"):
        s.stiffness("tool", [1, -2])
    with pytest.raises(UnknownNameError, match=r"joint of 'two_link' 'q3'"):
        s.stiffness("tool", {"q3": 1.0})
    with pytest.raises(SingularError, match=r"rank 2 of 6.*Name fewer components"):
        _ = s.stiffness("tool", [1e3, 1e3]).stiffness
    with pytest.raises(SingularError, match="nothing holds 'q2'"):
        arm.statics([0.3, 0.7], gravity=False).stiffness("tool", [1e3, 0.0])
    upright = arm.statics([np.pi / 2, 0.0])
    assert not upright.stiffness("tool", 1.0).stable
    assert "unstable" in repr(upright.stiffness("tool", 1.0))
