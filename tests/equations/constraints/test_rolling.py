"""Rolling and couplings move as textbooks say: down slopes, around circles, through gears."""

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.bodies import close
from visviva.equations.constraints import rows

G, SLOPE = 9.81, 0.3
DOWN = [G * np.sin(SLOPE), 0.0, -G * np.cos(SLOPE)]  # the plane is level, gravity leans


def roller(inertia, closure, at, turn=None, **details):
    b = vv.Builder("roller", gravity=DOWN).body("body", joint="free", inertia=inertia, at=at)
    b.frame("hub", body="body", rotation=turn)
    return b.build().with_loop("world", "hub", closure, name="touch", **details)


def test_a_ball_rolls_down_a_slope():
    """5/7 g sin α, held by the weight's normal part and by a friction of 2/7 of it."""
    m, r = 1.3, 0.2
    ball = roller(vv.Inertia.solid("sphere", mass=m, radius=r), "rolling_ball", [0, 0, r], radius=r)
    zero = np.zeros(6)
    q = ball.neutral()
    close(rows.constraint_error(ball, q), [0.0], 1e-16)
    a = ball.forward_dynamics(q, zero, zero)
    pull = G * np.sin(SLOPE)
    close(a, [0, 5 / 7 * pull / r, 0, 5 / 7 * pull, 0, 0], 1e-12)
    force = ball.multipliers(q, zero, zero)
    close(force, m * np.array([G * np.cos(SLOPE), -2 / 7 * pull, 0.0]), 1e-12)
    spin = np.array([0.0, 0.0, 5.0, 0.0, 0.0, 0.0])
    close(ball.constraint_velocity(q, spin), np.zeros(3), 0)  # turning on the spot is free


def test_a_wheel_rolls_down_a_slope():
    """2/3 g sin α for a disc that stands upright with its axle level."""
    m, r = 2.0, 0.35
    upright = vv.Inertia.solid("cylinder", mass=m, radius=r, height=1e-9, axis="y")
    disc = roller(upright, "rolling_disc", [0, 0, r], axis="y", radius=r)
    zero, q = np.zeros(6), disc.neutral()
    a = disc.forward_dynamics(q, zero, zero)
    pull = G * np.sin(SLOPE)
    close(a[[1, 3]], [2 / 3 * pull / r, 2 / 3 * pull], 1e-12)
    close(disc.multipliers(q, zero, zero), m * np.array([G * np.cos(SLOPE), -pull / 3, 0]), 1e-12)


def test_a_leaning_disc_rolls_in_a_circle():
    """Steadily, at the angular velocity n about its axle that Euler's equations ask for.

    With the axle at θ from the vertical and turning about it at Ω: the angular momentum about the
    centre is I n a + J Ω (z - a cos θ), the centre moves with r n, and the force at the ground is
    m (g z + Ω z × v); so (I + m r²) n Ω sin θ = J Ω² sin θ cos θ - m g r cos θ.
    """
    m, r, g, lean = 1.0, 0.5, 9.81, 1.1  # between the axle and the vertical
    I, J = m * r**2 / 2, m * r**2 / 4  # noqa: E741
    b = vv.Builder("coin", gravity=[0, 0, -g])
    inertia = vv.Inertia(m, np.zeros(3), np.diag([J, I, J]))
    model = b.body("coin", joint="free", inertia=inertia).build()
    model = model.with_loop("world", "coin", "rolling_disc", axis="y", radius=r)
    rng = np.random.default_rng(0)
    for turning in rng.uniform(0.5, 3.0, 3):
        # the axle a = (0, sin θ, cos θ); ω = Ω z + n' a; n = ω · a
        c, s = np.cos(lean), np.sin(lean)
        R = vv.space.rotations.about_axis([1.0, 0.0, 0.0], np.pi / 2 - lean)
        axle = R @ [0.0, 1.0, 0.0]
        close(axle, [0.0, s, c], 1e-15)
        n = (J * turning**2 * s * c - m * g * r * c) / ((I + m * r**2) * turning * s)
        spin = n - turning * c
        w = np.array([0.0, 0.0, turning]) + spin * axle
        up = (np.array([0.0, 0.0, 1.0]) - axle * c) / s
        v = np.cross(w, up * r)
        q = np.concatenate([vv.space.rotations.quaternion(R), [0.0, 0.0, r * s]])
        u = np.concatenate([R.T @ w, R.T @ v])
        close(model.constraint_error(q), [0.0], 1e-15)
        close(model.constraint_velocity(q, u), np.zeros(3), 1e-14)
        a = model.forward_dynamics(q, u, np.zeros(6))
        # steady: in world axes ω̇ = Ω z × ω and the centre's acceleration is Ω z × v
        alpha = np.cross([0.0, 0.0, turning], w)
        close(R @ a[:3], alpha, 1e-11)
        linear = R @ (a[3:] + np.cross(u[:3], u[3:]))
        close(linear, np.cross([0.0, 0.0, turning], v), 1e-11)


def test_a_skate_on_a_slope_goes_back_and_forth():
    """ẍ = (g sin α cos φ) along the blade while it turns at a constant rate: knife edge, 10.3."""
    b = vv.Builder("skate", gravity=DOWN)
    flat = vv.Inertia.solid("box", mass=1.0, x=0.3, y=0.01, z=0.05)
    model = b.body("blade", joint="planar", inertia=flat).build()
    model = model.with_loop("world", "blade", "knife_edge", axis="y")
    for angle, turning, ahead in np.random.default_rng(1).normal(size=(4, 3)):
        v = np.array([turning, ahead, 0.0])
        a = model.forward_dynamics([angle, 0.0, 0.0], v, np.zeros(3))
        close(a, [0.0, G * np.sin(SLOPE) * np.cos(angle), 0.0], 1e-12)
        side = model.multipliers([angle, 0.0, 0.0], v, np.zeros(3))
        close(side, [turning * ahead + G * np.sin(SLOPE) * np.sin(angle)], 1e-12)


def wheels(*inertias):
    b = vv.Builder("wheels", gravity=[0, 0, 0])
    for k, J in enumerate(inertias, 1):
        tensor = np.eye(3) * J
        b.body(
            f"w{k}", joint="revolute", joint_name=f"q{k}", inertia=vv.Inertia(1, [0] * 3, tensor)
        )
    b.body("rack", joint="prismatic", axis="x", joint_name="x", mass=2.0)
    return b.build()


def test_gears_belts_and_racks_reflect_inertia():
    model = wheels(0.3, 0.5)
    geared = model.with_gear("q1", "q2", -3.0)
    a = geared.forward_dynamics(np.zeros(3), np.zeros(3), [0.0, 1.0, 0.0])
    close(a, [-3 / (0.5 + 9 * 0.3), 1 / (0.5 + 9 * 0.3), 0.0], 1e-13)
    belted = model.with_belt("q1", "q2", 0.1, 0.2)
    close(
        belted.forward_dynamics(np.zeros(3), np.zeros(3), [0.0, 1.0, 0.0])[1], 1 / (0.5 + 4 * 0.3)
    )
    racked = model.with_rack("x", "q1", 0.1)
    a = racked.forward_dynamics(np.zeros(3), np.zeros(3), [1.0, 0.0, 0.0])
    close(a, [1 / (0.3 + 2 * 0.01), 0.0, 0.1 / (0.3 + 2 * 0.01)], 1e-13)
    pull = racked.multipliers(np.zeros(3), np.zeros(3), [1.0, 0.0, 0.0])
    close(pull, [2.0 * a[2]], 1e-13)  # the force on the rack


def test_a_differential_shares_torque():
    model = wheels(0.3, 0.3, 0.5).with_differential("q3", "q1", "q2")
    zero = np.zeros(4)
    a = model.forward_dynamics(zero, zero, [0.0, 0.0, 1.0, 0.0])
    close(a[0], a[1])
    close(a[2], (a[0] + a[1]) / 2, 1e-14)
    turning = [1.0, -1.0, 0.0, 0.0]
    close(model.constraint_velocity(zero, turning), [0.0], 0)


def test_a_prescribed_motion_takes_the_torque_that_it_needs():
    """The multiplier is what inverse dynamics asks of the joint."""
    model = vv.catalog.two_link()
    first = model.joint_names[0]
    driven = model.with_constraint(f"{first} = 0.3*sin(2*t)")
    t = 0.4
    q = np.array([0.3 * np.sin(2 * t), -0.7])
    v = np.array([0.6 * np.cos(2 * t), 0.5])
    tau = np.array([0.0, 0.2])
    close(driven.constraint_error(q, t), [0.0], 1e-16)
    close(driven.constraint_velocity(q, v, t), [0.0], 1e-16)
    a = driven.forward_dynamics(q, v, tau, t)
    close(a[0], -1.2 * np.sin(2 * t), 1e-13)
    needed = model.inverse_dynamics(q, v, a)
    (force,) = driven.multipliers(q, v, tau, t)
    close(needed, [tau[0] + force, tau[1]], 1e-12)


def test_time_is_an_input_only_where_it_stands():
    model = vv.catalog.two_link().with_constraint("q1 = q2")
    assert "t" not in model.constraint_bias.inputs
    with pytest.raises(TypeError):
        model.constraint_error(np.zeros(2), 0.0)
