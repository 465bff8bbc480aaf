"""What `simulate` refuses, and how it says where a motion cannot go on."""

import re

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, MotionError, ShapeError, UnknownNameError, VisvivaError

g = vv.generic
SWING = vv.Lagrangian("theta", "theta'^2/2", "-9.81*cos(theta)", name="swing")
LINKAGE = vv.catalog.four_bar()


def swing(**how):
    return SWING.simulate([1.0], [0.0], how.pop("t", 5.0), **how)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"dt": 0.0}, "dt is a number above zero, got 0.0"),
        ({"dt": -0.1}, "dt is a number above zero"),
        ({"dt": float("nan")}, "dt is a number above zero"),
        ({"dt": 0.3}, "no multiple of dt = 0.3 s; dt = 0.294117647"),
        ({"dt": 0.1, "save": 7}, "50 steps are no multiple of save = 7"),
        ({"dt": 0.1, "save": 0}, "save is a whole number"),
        ({"save": 2}, "give dt"),
        ({"rtol": 1e-15}, "at least 1e-14"),
        ({"rtol": -1.0}, "rtol is a number above zero"),
        ({"atol": 0.0}, "atol is a number above zero"),
        ({"t": [0.0, 1.0, 1.0]}, "times increase"),
        ({"t": -1.0}, "times increase"),
        ({"t": "long"}, "t is a duration"),
        ({"method": "rk4"}, "takes steps of given length: dt="),
        ({"method": "radau", "dt": 0.1}, "leave dt= out"),
        ({"tau": [np.nan]}, "tau is finite, got nan"),
        ({"tau": vv.Controller(lambda t, q, v: [0.0], period=0.25), "dt": 0.1}, "dt = 0.125 would"),
        ({"tau": vv.Controller(lambda t, q, v: [0.0], period=0.1), "method": "radau"}, "period"),
        ({"tau": lambda t, q, v: [float(q[0])], "dt": 0.1}, "vv.generic"),
        ({"parameters": {"m": 1.0}}, "parameter"),
    ],
)
def test_numbers_that_make_no_sense(how, said):
    with pytest.raises(VisvivaError) as refused:
        swing(**how)
    assert said in str(refused.value)


def test_an_unknown_method_lists_the_known():
    with pytest.raises(UnknownNameError, match="dop853"):
        swing(method="rk5")


@pytest.mark.parametrize("law", [lambda t, q, v: [0.0, 0.0], lambda t, q, v: 1.0])
def test_a_controller_returns_as_many_forces_as_there_are(law):
    with pytest.raises(ShapeError, match="returns 1 numbers"):
        swing(tau=law)
    with pytest.raises(ShapeError, match="1 numbers"):
        swing(tau=lambda t, q, v: np.array([float(x) for x in np.ravel(law(t, q, v))] * 2))


def test_forces_of_a_wrong_shape():
    with pytest.raises(ShapeError, match=r"\(steps, 1\)"):
        swing(tau=np.zeros(3))
    with pytest.raises(ShapeError, match="49 rows of forces for 50 steps"):
        swing(tau=np.zeros((49, 1)), dt=0.1)
    with pytest.raises(ShapeError, match="different lengths"):
        SWING.simulate([[1.0], [2.0]], [[0.0]] * 3, 1.0)


def test_a_start_that_is_no_number():
    with pytest.raises(ArgumentError, match="q0 is finite, got nan"):
        SWING.simulate([np.nan], [0.0], 1.0)
    with pytest.raises(ShapeError, match=r"q0 has shape \(1,\)"):
        SWING.simulate([0.0, 0.0], [0.0], 1.0)
    with pytest.raises(ArgumentError, match="length one"):
        vv.catalog.tumbling_body().simulate([0, 0, 0, 2.0], [0, 0, 1.0], 1.0)


def test_a_start_that_violates_the_constraints():
    q = LINKAGE.assembled()
    with pytest.raises(VisvivaError, match="assembled"):
        LINKAGE.simulate(q + 0.01, np.zeros(3), 1.0)
    with pytest.raises(VisvivaError, match="admitted_velocity"):
        LINKAGE.simulate(q, [1.0, 0.0, 0.0], 1.0)
    with pytest.raises(VisvivaError, match="assembled"):
        LINKAGE.simulate(q, np.zeros(3), 1.0, parameters={"l1": 0.45})


LAWS = {
    "sqrt": lambda t, q, v: [g.sqrt(3.2 - t)],
    "where": lambda t, q, v: [g.where(g.less(t, 3.2), 1.0, float("nan"))],
    "python": lambda t, q, v: np.array([1.0 if float(t) < 3.2 else np.nan]),
    "sampled": vv.Controller(lambda t, q, v: [g.sqrt(3.15 - t)], period=0.2),
}


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", list(LAWS))
def test_a_force_that_becomes_nan_ends_the_motion_and_keeps_it(name):
    with pytest.raises(MotionError, match=r"t = 3\.(2|19999)") as ended:
        swing(tau=LAWS[name])
    said, run = str(ended.value), ended.value.trajectory
    assert "'swing'" in said
    assert "q = [" in said
    assert "error.trajectory" in said
    assert abs(run.t[-1] - 3.2) < 1e-6
    assert np.isfinite(run.q).all()
    assert np.isfinite(run.at(3.1)[0]).all()


def test_the_same_with_fixed_steps_and_in_a_batch():
    with pytest.raises(MotionError, match=r"not finite from t = 3\.2") as ended:
        swing(tau=LAWS["sqrt"], dt=0.01)
    assert abs(ended.value.trajectory.t[-1] - 3.2) < 0.02
    assert "shorter dt" in str(ended.value)
    for how in ({}, {"dt": 0.01}):
        with pytest.raises(MotionError, match=r"of trajectory \d") as ended:
            SWING.simulate([[1.0], [0.5]], [0.0], 5.0, tau=LAWS["sqrt"], **how)
        assert ended.value.trajectory.q.shape[0] == 2
        assert abs(ended.value.trajectory.t[-1] - 3.2) < 0.02


def test_a_motion_that_blows_up():
    """x'' = 6 x² from x = 1, x' = 2 is 1 / (1 - t)²: there is no motion beyond t = 1."""
    s = vv.Lagrangian("x", "x'^2/2", "-2*x^3", name="runaway")
    with pytest.raises(MotionError, match=r"ends at t = (1|0\.9999\d*) s of 2 s") as ended:
        s.simulate([1.0], [2.0], 2.0)
    run = ended.value.trajectory
    np.testing.assert_allclose(run.at(0.9)[0], [100.0], rtol=1e-6)
    with pytest.raises(MotionError, match="not finite from t = 1"):
        s.simulate([1.0], [2.0], 2.0, dt=0.001)
    with pytest.raises(MotionError, match="ends at t = "):
        s.simulate([1.0], [2.0], 2.0, method="radau", rtol=1e-3, atol=1e-3)


def test_dry_friction_that_sticks_is_told_where_it_is_not_honoured(tmp_path):
    b = vv.Builder("slider")
    ball = vv.Inertia.sphere(1.0, radius=0.1)
    b.body("block", joint="prismatic", axis="x", inertia=ball, friction=2.0)
    with pytest.raises(ArgumentError, match=r"friction of joints sticks, or stops .* run.save"):
        b.build().simulate([0.0], [1.0], 2.0, record=tmp_path / "slides")
    with pytest.raises(MotionError, match="stick with method='auto'"):
        b.build().simulate([0.0], [1.0], 2.0, method="radau")


def test_joints_beyond_their_limits_are_noted():
    b = vv.Builder("pendulum")
    rod = vv.Inertia.rod(1.0, length=1.0).moved(p=[0.5, 0, 0])
    b.body("rod", joint="revolute", axis="y", inertia=rod, limits=(-0.5, 0.5))
    run = b.build().simulate([0.0], [0.0], 1.0)
    assert any("beyond its limits" in note for note in run.notes)
    assert not b.build().simulate([0.0], [0.0], 0.1).notes
    slow = b.build().with_limits({"rod_joint": None}, velocity={"rod_joint": 1.0})
    weak = slow.with_limits(effort={"rod_joint": 0.5})
    assert not weak.simulate([0.0], [0.0], 0.02, tau=[0.5]).notes
    run = weak.simulate([0.0], [0.0], [0.0, 0.05, 0.1, 0.15], tau=[-0.6])
    assert [x.partition(", if")[0] for x in run.notes] == [
        "limits of velocity are exceeded from t = 0.1 s",
        "limits of effort are exceeded from t = 0 s",
    ]
    many = weak.simulate([[0.0], [0.0]], [[0.0], [-3.0]], 0.02)
    (line,) = re.findall(r": rod_joint\. .* (model\.feasibility.*) says", many.notes[0])
    assert [x.kind for x in eval(line, {"model": weak, "run": many}).violations] == ["velocity"]


def test_actuators_beyond_their_limits_are_noted():
    """By a number, by rows, by a sampled controller; not where they are just kept."""
    b = vv.Builder("pendulum")
    rod = vv.Inertia.rod(1.0, length=1.0).moved(p=[0.5, 0, 0])
    b.body("rod", joint="revolute", axis="y", inertia=rod)
    motor = vv.Actuator.motor("drive", "rod_joint", gear=3.0, limits=(-1.0, 2.0))
    arm = b.build().with_actuators([motor])

    def said(u, t=0.2):
        return [x.partition(", if")[0] for x in arm.simulate([0.0], [0.0], t, u=u).notes]

    start = "actuators are driven beyond their limits from t = "
    assert said([5.0]) == said([-1.5]) == [f"{start}0 s"]
    assert said([2.0]) == said([-1.0]) == []
    assert said([[0.5], [-2.0]], [0.0, 0.1, 0.2]) == [f"{start}0.1 s"]
    assert said(vv.Controller(lambda t, q, v: [20.0 * t], period=0.05)) == [f"{start}0.15 s"]
    run = arm.simulate([0.0], [0.0], 0.2, u=[5.0])
    assert [x.name for x in arm.feasibility(run).violations] == ["drive"]


@pytest.mark.parametrize("dt", [None, 0.01])
@pytest.mark.parametrize("name", ["u", "tau"])
def test_every_law_beyond_limits_of_actuators_is_noted(name, dt):
    """Numbers, laws in machine code and from Python, asked always or at times."""
    arm = vv.catalog.two_link()
    motors = [vv.Actuator.motor(n, n, gear=10.0, limits=(-0.5, 0.3)) for n in arm.joint_names]
    arm, unit = arm.with_actuators(motors), 1.0 if name == "u" else 10.0

    def noted(f):
        start, still = [0.1, 0.2], [0.0, 0.0]
        run = arm.simulate(start, still, 0.1, **{name: f}, dt=dt)
        return [x for x in run.notes if "actuators are driven" in x]

    def laws(x, y):
        u = [unit * x, unit * y]
        yield from (u, [u] * 10, lambda t, q, v: [u[0], u[1] + 0.0 * t])
        yield vv.Controller(lambda t, q, v: u, period=0.05)
        yield vv.Controller(lambda t, q, v, x: u + 0.0 * x, start=[1.0], rate=lambda t, q, v, x: -x)
        yield from [lambda t, q, v: np.array([a + 0.0 * float(t) for a in u])] if dt is None else []

    for law in laws(0.1, 1.0):
        (said,) = noted(law)
        assert said.startswith("actuators are driven beyond their limits from t = 0 s, if not")
        assert f": {arm.joint_names[1]}. " in said
    assert not any(noted(law) for law in laws(-0.5, 0.3))


@pytest.mark.parametrize("dt", [None, 0.05])
def test_actuators_that_turn_with_the_position_have_limits_too(dt):
    """The force on the coordinate is far below the limit: the arm of the jet is short."""
    b = vv.Builder("pendulum")
    rod = vv.Inertia.rod(1.0, length=1.0).moved(p=[0.5, 0, 0])
    b.body("rod", joint="revolute", axis="y", inertia=rod)
    b.frame("nozzle", "rod")
    jet = vv.Actuator.thruster("jet", "nozzle", [0, 0, 1], point=[0.1, 0, 0], limits=(-2.0, 2.0))
    arm = b.build().with_actuators([jet])
    for tau, count in ((0.3, 1), (0.1, 0)):
        run = arm.simulate([[0.0], [0.1]], t=0.1, tau=lambda t, q, v, tau=tau: [tau], dt=dt)
        assert sum("actuators are driven" in x for x in run.notes) == count
    twice = arm.with_actuators([jet, vv.Actuator.motor("drive", "rod_joint", limits=(-0.5, 0.5))])
    run = twice.simulate([0.0], t=0.1, u=lambda t, q, v: [3.0, 0.3], dt=dt)  # which cancel in τ
    assert sum("actuators are driven" in x for x in run.notes) == 1


@pytest.mark.parametrize(
    "how",
    [
        {"parameters": {"m2": "heavy"}}, {"parameters": {"m2": np.ones((2, 2))}},
        {"parameters": {"m2": np.ones(0)}}, {"parameters": ["m2"]}, {"parameters": {"m2": 1j}},
        {"q0": np.zeros((0, 2))}, {"q0": np.zeros(2) + 1j}, {"q0": ["0", "1"]}, {"t": True},
        {"t": "5"}, {"dt": 1e-300}, {"tau": lambda t, q, v: ["a", "b"]},
    ],
)  # fmt: skip
def test_what_is_no_number_is_refused_in_words(how):
    how = {"q0": np.zeros(2), "v0": np.zeros(2), "t": 0.1, **how}
    with pytest.raises(vv.errors.VisvivaError, match=r"got|steps of dt"):
        vv.catalog.two_link().simulate(**how)


@pytest.mark.parametrize("how", [{"start": "a"}, {"start": [np.nan]}, {"period": True}])
def test_a_controller_is_made_of_numbers(how):
    with pytest.raises(vv.errors.ArgumentError, match="of a controller is"):
        vv.Controller(lambda t, q, v, x: q, **{"rate": lambda t, q, v, x: x, "start": [0.0], **how})


@pytest.mark.parametrize("how", [{}, {"dt": 0.1}, {"method": "radau"}])
def test_a_system_without_coordinates_does_not_move(how):
    block = vv.Builder("block").body("a", joint="fixed", inertia=vv.Inertia.point(1.0)).build()
    with pytest.raises(ArgumentError, match="'block' has no coordinates"):
        block.simulate([], [], 1.0, **how)


def test_a_motion_from_rest_takes_a_time():
    arm = vv.catalog.two_link()
    run = arm.simulate([0.1, 0.2], t=0.5)
    assert np.array_equal(run.q, arm.simulate([0.1, 0.2], [0.0, 0.0], 0.5).q)
    with pytest.raises(ArgumentError, match=r"takes a time: simulate\(q0, v0, 5\.0\)"):
        arm.simulate([0.1, 0.2])
    with pytest.raises(ArgumentError, match=r"here it is model\.simulate\(\[0\.1, 0\.2\], t=3\)"):
        arm.simulate([0.1, 0.2], duration=3)


def cart(**more):
    T = "(M + m)*x'^2/2 + m*l*x'*theta'*cos(theta) + m*l^2*theta'^2/2"
    values = {"M": 1.0, "m": 0.2, "l": 0.5, "g": 9.81}
    return vv.Lagrangian("x theta", T, "-m*g*l*cos(theta)", parameters=values, **more)


@pytest.mark.parametrize(
    "tau",
    [
        [0.0, 5.0],
        np.tile([0.0, 1.0], (3, 1)),
        lambda t, q, v: [0.0, q[1]],
        vv.Controller(lambda t, q, v: [q[1], q[0]], period=0.01),
        vv.Controller(lambda t, q, v, x: [0.0, x[0]], start=(1.0,), rate=lambda t, q, v, x: [v[0]]),
    ],
)
def test_nothing_drives_what_is_passive(tau):
    with pytest.raises(vv.VisvivaError, match=r"acts on theta, which is passive.*with_passive"):
        cart(passive="theta").simulate([0, 0.1], [0, 0], 0.1, tau=tau)
    assert (
        cart(passive="theta").with_passive([]).simulate([0, 0.1], [0, 0], 0.1, tau=tau).notes == ()
    )


def test_forces_on_what_is_driven_and_laws_that_are_called():
    s = cart(passive="theta")
    for tau in ([1.0, 0.0], lambda t, q, v: [q[1], 0.0 * q[0]]):
        assert s.simulate([0, 0.1], [0, 0], 0.1, tau=tau).notes == ()
    run = s.simulate([0, 0.1], [0, 0], 0.1, tau=lambda t, q, v: np.array([0.0, float(q[1])]))
    assert run.notes == ("tau acts on theta, which is passive: nothing drives it",)

    def later(t, q, v):
        return [0.0, vv.generic.where(vv.generic.less(5.0, t), 1.0, 0.0)]

    assert s.simulate([0, 0.1], [0, 0], 4.0, tau=later).notes == ()
    assert s.simulate([0, 0.1], [0, 0], 6.0, tau=later).notes == run.notes
