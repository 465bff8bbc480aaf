"""Where the linear system cannot tell: branches that meet, forces that jump or come later."""

from functools import cache

import numpy as np
import pytest

import visviva as vv
from visviva.describe.files.toml.read import loads_toml
from visviva.equations.forces.weights import weight_sizes
from visviva.equations.lagrange import passivity
from visviva.errors import EquilibriumError
from visviva.motion.stability.balance import Balance
from visviva.motion.stability.quadratic import EPS, Quadratic
from visviva.motion.stability.spectrum import Spectrum
from visviva.motion.stability.verdict import stability

EMPTY = (np.zeros((4, 0)), np.zeros((4, 0)))
TOGGLE = """
name = "toggle"
gravity = [0, -9.81, 0]
[parameters]
L = 0.2
m = 0.5
[[body]]
name = "link1"
joint = "revolute"
axis = "z"
inertia = { mass = "m", com = ["L/2", 0, 0], moments = [0, "m*L^2/12", "m*L^2/12"] }
[[body]]
name = "link2"
parent = "link1"
joint = "revolute"
axis = "z"
at = ["L", 0, 0]
inertia = { mass = "m", com = ["L/2", 0, 0], moments = [0, "m*L^2/12", "m*L^2/12"] }
[[body]]
name = "slider"
joint = "prismatic"
axis = "x"
inertia = { mass = 1.0 }
[[frame]]
name = "tip"
body = "link2"
at = ["L", 0, 0]
[[constraint]]
name = "pin"
frame1 = "tip"
frame2 = "slider"
joint = "revolute"
axis = "z"
[[spring]]
name = "back"
from = { frame = "world" }
to = { frame = "slider" }
stiffness = 800
rest = 0.1
"""
LID = """
name = "lid"
gravity = [0, -9.81, 0]
[parameters]
m = 8.0
r = 0.35
k = 400.0
h = 0.2
[[body]]
name = "lid"
joint = "revolute"
joint_name = "phi"
axis = "z"
limits = [0, 1.6]
inertia = { mass = "m", com = ["r", 0, 0], moments = [0.1, 0.2, 0.3] }
[[spring]]
name = "gas"
from = { frame = "world", at = [0, "h", 0] }
to = { frame = "lid", at = [0.3, 0, 0] }
stiffness = "k"
rest = 0.0
"""
BALANCED = 8.0 * 9.81 * 0.35 / (0.2 * 0.3)  # m g r / (h b)
FALSE = np.array([1.56853864, 3.14159297, 6.24950720e-08])  # the spring's ends 6e-8 m apart


@cache
def read(text):
    return loads_toml(text)


@cache
def equal_crank():
    return vv.catalog.slider_crank(l1=0.2, l2=0.2)


@pytest.mark.parametrize("theta", [-np.pi / 2, np.pi / 2])
def test_no_verdict_where_two_branches_meet(theta):
    """Folded links turn with the slider at rest, and open links push it: two motions, not one."""
    with pytest.raises(EquilibriumError, match=r"branches of motions meet.*undecided"):
        equal_crank().linearize([theta, -np.pi, 0.0])


def test_equilibria_say_where_branches_meet():
    said = str(equal_crank().equilibria(starts=20))
    assert "undecided: branches of motions meet here" in said
    assert "stable" not in said


def test_the_other_linkages_at_their_change_points():
    governor = vv.catalog.flyball_governor()
    with pytest.raises(EquilibriumError, match="branches of motions meet"):
        governor.linearize([0.0, 0.0, 0.0, -0.5, 0.0, 0.0])
    regular = vv.catalog.slider_crank()
    found = regular.equilibria(starts=20)
    assert {regular.linearize(q).stability.status for q in found} == {"stable", "unstable"}


def test_flat_linkages_do_not_rest_against_gravity():
    """At change points of parallel cranks the weight turns them, and rows are nearly dependent."""
    cranks = vv.catalog.parallel_cranks()
    found = cranks.equilibria(starts=40)
    assert np.allclose(np.abs(found.q[:, 0]), np.pi / 2, atol=1e-9)
    assert np.abs([cranks.constraint_error(q) for q in found]).max() < 1e-11


def test_no_rest_where_the_ends_of_a_spring_meet():
    toggle = read(TOGGLE)
    balance = Balance(toggle, np.zeros(3), np.zeros(3), 0.0)
    there = balance.settled(FALSE)
    assert there is None or np.abs(there - FALSE).max() > 1e-4 or not balance.balanced(there)
    assert not balance.balanced(FALSE)
    with pytest.raises(EquilibriumError, match="ends meet"):
        toggle.linearize(FALSE)


@pytest.mark.parametrize("at", [0.0, 1e-8])
def test_a_spring_that_pushes_away_from_its_other_end_has_no_linear_form(at):
    """V = ½ k (|x| - rest)² has a crest at zero; a slope k > 0 on either side of it."""
    b = vv.Builder("cart", gravity=(0.0, 0.0, 0.0))
    b.body("cart", joint="prismatic", axis="x", mass=1.0)
    b.spring("push", 100.0, rest=0.5, between=("world", "cart"))
    with pytest.raises(EquilibriumError):
        b.build().linearize([at])


def test_a_balanced_lid_rests_everywhere():
    lid = read(LID).with_parameters(k=BALANCED)
    found = lid.equilibria()
    assert len(found) == 1
    assert found.anywhere == ("phi",)
    assert "rests everywhere" in found.why
    assert not found.proved  # to rounding
    assert lid.linearize([0.7]).stability.status == "drifts"
    other = read(LID).with_parameters(k=1.001 * BALANCED).equilibria()
    assert other.anywhere == ()
    assert "rests everywhere" not in other.why


def test_the_limit_of_a_lid_is_where_its_stiffness_is_none():
    limit = read(LID).stability_limit("k", between=(100.0, 1000.0), q=[np.pi / 2])
    assert limit == pytest.approx(BALANCED, rel=1e-9)


def test_forces_that_come_later_leave_it_undecided():
    """Held level, both slopes of the weight are zero; from (0.05, 0) it has fallen after 4 s."""
    arm = vv.catalog.two_link()
    level = arm.linearize([0.0, 0.0], tau="hold")
    assert level.flat == ("q1", "q2")
    assert level.stability.status == "undecided"
    assert "to first order" in level.stability.argument
    weightless = arm.with_gravity([0.0, 0.0, 0.0])
    assert weightless.linearize([0.0, 0.0]).stability.status == "drifts"
    assert "rests everywhere" in weightless.equilibria().why


def test_potentials_of_fourth_order_are_undecided_and_valleys_drift():
    for V in ("x^4", "-x^4", "x^4 + y^2/2 - y^2/2"):
        names = "x y" if "y" in V else "x"
        T = " + ".join(f"{z}'^2/2" for z in names.split())
        s = vv.Lagrangian(names, T, V)
        assert s.linearize(np.zeros(s.nq)).stability.status == "undecided", V
    valley = vv.Lagrangian("x y", "x'^2/2 + y'^2/2", "(x^2 + y^2 - 1)^2")  # rests on a circle
    assert valley.linearize([1.0, 0.0]).stability.status == "drifts"


def test_wheels_at_rest_do_not_diverge_by_rounding():
    drive = vv.catalog.differential_drive().linearize()
    assert drive.stability.status == "drifts"
    assert not np.any(drive.eigenvalues)


def test_a_beam_balanced_to_rounding_rests_everywhere():
    """1 · 0.3 - 1.5 · 0.2 is -6e-17 in doubles: no weight on either side."""
    beam = vv.Inertia.point(1.0, [0.3, 0, 0]) + vv.Inertia.point(1.5, [-0.2, 0, 0])
    b = vv.Builder("beam", gravity=(0.0, -9.81, 0.0))
    model = b.body("beam", joint="revolute", axis="z", inertia=beam).build()
    found = model.equilibria()
    assert not found.proved
    assert "rests everywhere, to rounding" in found.why
    for q in (0.3, np.pi / 2):
        assert model.linearize([q]).stability.status == "drifts"
    with pytest.raises(EquilibriumError, match="no equilibrium"):
        model.linearize([0.3], tau=[1e-6])
    rounded = vv.Inertia.point(2.0, [2.5, 0, 0]) + vv.Inertia.point(0.2, [-25.0, 0, 0])
    assert rounded.com[0] == 0  # of doubles that differ by 3e-16
    b = vv.Builder("beam", gravity=(0.0, -9.81, 0.0))
    balanced = b.body("beam", joint="revolute", axis="z", inertia=rounded).build()
    assert balanced.equilibria().notes == ("nothing depends on beam_joint: any value will do",)
    level = balanced.with_gravity([0, 0, -9.81]).equilibria()
    assert level.notes == ("nothing depends on beam_joint: any value will do",)
    hanging = vv.Inertia.point(1.0, [0.3, 0, 0]) + vv.Inertia.point(1.5, [-0.2 + 1e-12, 0, 0])
    _, slopes = weight_sizes(model, [0.3])
    assert 1e-15 < 8 * EPS * slopes[0, 0] < 9.81 * hanging.mass * hanging.com[0]  # that is one


def test_counterweights_of_a_four_bar_leave_rest_to_rounding():
    """Half of the coupler hangs at either end; what accelerates is small beside these weights."""
    rod = {x: vv.Inertia.point(1.0, [x / 2, 0, 0]) for x in (0.1, 0.35, 0.25)}
    weight = {x: vv.Inertia.point(x / 0.08, [-0.08, 0, 0]) for x in (0.1, 0.25)}
    b = vv.Builder("balanced", gravity=(0.0, -9.81, 0.0))
    turning = {"joint": "revolute", "axis": "z"}
    b.body("crank", **turning, inertia=rod[0.1] + weight[0.1])
    b.body("coupler", **turning, parent="crank", at=[0.1, 0, 0], inertia=rod[0.35])
    b.body("rocker", **turning, at=[0.4, 0, 0], inertia=rod[0.25] + weight[0.25])
    b.frame("end", body="coupler", at=[0.35, 0, 0]).frame("pin", body="rocker", at=[0.25, 0, 0])
    model = b.build().with_loop("end", "pin", joint="revolute", axis="z", name="B")
    q = model.assembled([0.8, -0.3, 1.8])
    assert model.linearize(q).stability.status == "drifts"
    with pytest.raises(EquilibriumError, match="no equilibrium"):
        model.linearize(q, tau=[1e-6, 0.0, 0.0])


def test_a_ring_on_which_forces_push_across_only_has_one_position_for_all():
    """A force of 1000 N across the ring leaves a stiffness along it that is rounding alone."""
    rings = "(x^2 + y^2 - 0.04)*((x - 2)^2 + y^2 - 0.04) = 0"
    kinetic = "0.001*x'^2/2 + y'^2/2"
    bead = vv.Lagrangian("x y", kinetic, "2500*(x^2 + y^2)", constraints=[rings])
    on = bead.assembled([0.2 * np.cos(1.6), 0.2 * np.sin(1.6)])
    assert bead.linearize(on).stability.status == "drifts"
    found = bead.equilibria(starts=2)
    assert sorted(found.stability) == ["drifts", "stable", "unstable"]
    assert "any value of x, y will do there" in found.notes[0]


def test_a_rest_beside_a_curve_of_rest_is_none_of_it():
    """Along the inner ring no force acts; the outer one, 0.02 away, has two positions of rest."""
    rings = "(x^2 + y^2 - 0.04)*(x^2 + y^2 - 0.0484) = 0"
    across = "2500*(x^2 + y^2) + 100*(x^2 + y^2 - 0.04)*x"
    bead = vv.Lagrangian("x y", "(x'^2 + y'^2)/2", across, constraints=[rings])
    found = bead.equilibria(starts=1)
    assert "round 2 curves" in found.why
    assert "any value of x, y will do there" in found.notes[0]
    np.testing.assert_allclose(found.q[[0, 2]], [[-0.22, 0.0], [0.22, 0.0]], atol=1e-9)


def balanced_arm(stiffness, *, hangs=False, parameters=None):
    """An arm whose weight a spring of no length at rest carries at every angle: k h r = m g l."""
    b = vv.Builder("balanced", gravity=[0, -9.81, 0], parameters=parameters)
    b.body("arm", joint="revolute", axis="z", joint_name="phi", mass=2.0, com=[0.5, 0, 0])
    if hangs:
        here = {"parent": "arm", "joint": "revolute", "axis": "z", "joint_name": "psi"}
        b.body("pendulum", **here, mass=0.3, com=[0.2, 0, 0])
    b.frame("post", "world", at=[0, 0.4, 0]).frame("hook", "arm", at=[0.3, 0, 0])
    return b.spring("spring", stiffness, between=("post", "hook")).build()


def test_what_a_pendulum_carries_that_hangs_at_a_balanced_arm_drifts():
    """K is singular, and rounding in M⁻¹K hides it: no energy bounds the motion along φ = -ψ."""
    arm = balanced_arm(81.75, hangs=True)
    for angle in (0.0, 0.1, 0.7, 2.0, -1.2):
        said = arm.linearize([angle, -np.pi / 2 - angle]).stability
        assert said.status == "drifts", said
    run = arm.simulate([0.7, -np.pi / 2 - 0.7], [0.01, -0.01], 50.0)
    assert run.q[-1] - run.q[0] == pytest.approx([0.5, -0.5], rel=1e-6)


def test_a_stiffness_in_words_is_the_same_stiffness():
    stated = [(81.75, None), ("81.75", None), ("k", {"k": 81.75})]
    for arm in (balanced_arm(k, parameters=values) for k, values in stated):
        assert "rests everywhere" in arm.equilibria().why
        assert arm.linearize([0.3]).stability.status == "drifts"


def test_where_k_leaves_a_direction_alone_no_energy_bounds_what_eigenvalues_do_not_tell():
    own = Quadratic(np.eye(2), np.zeros((2, 2)), np.ones((2, 2)))
    moving = Spectrum(np.array([1j, -1j, 1e-8j, -1e-8j]), np.eye(4), np.full(4, 1e-7), *EMPTY)
    assert stability(moving, own, "", "").status == "undecided"


GIVES = [
    {"forces": {"x": "x'^3"}},
    {"dissipation": ["-x'^3"]},
    {"dissipation": "-x'^4"},
    {"forces": {"x": "-x^3*x'"}},
    {"forces": {"x": "x'^3 - x"}},
    {"forces": {"x": "x'*tanh(x')^2"}},
]
WHY_UNDECIDED = ("undecided: it is not shown that", "undecided: forces have no potential")
TAKES = [
    {},
    {"forces": {"x": "-x'^3"}},
    {"dissipation": "x'^4"},
    {"forces": {"x": "-tanh(x')^3 - x"}},
    {"forces": {"x": "-x'^2*x'*abs(x') - x^2*x'"}},
]


@pytest.mark.parametrize("acting", GIVES)
def test_energy_that_forces_may_give_decides_beyond_first_order(acting):
    """K > 0, and D = 0: x'^3 drives it away all the same, dE/dt = x'^4."""
    s = vv.Lagrangian("x", "x'^2/2", "x^2/2", **acting)
    assert s.equilibria(within={"x": (-0.4, 0.4)}).stability[0].startswith(WHY_UNDECIDED)
    linear = s.linearize([0.0]).stability
    assert linear.status == "stable"
    assert not linear.of_the_mechanism
    assert "so that only the linear system is known to be stable: K > 0" in linear.argument


def test_of_matrices_alone_nothing_is_said_beyond_first_order():
    """x'' + x' = x^3 is unstable, and has these matrices."""
    for damping, said in (1.0, "stable"), (0.0, "drifts"):
        found = vv.Linearization.of([[1.0]], [[damping]], [[0.0]]).stability
        assert found.status == said
        assert not found.of_the_mechanism
    along = vv.Lagrangian("x", "x'^2/2", "0", forces={"x": "-x'"}).linearize([0.0]).stability
    assert along.status == "stable"
    assert along.of_the_mechanism


def test_what_forces_may_give_is_worked_out_once_and_only_where_it_is_asked(monkeypatch):
    asked = []
    monkeypatch.setattr(passivity, "_why", lambda *_: asked.append(1) or "why not")
    s = vv.Lagrangian("x", "x'^2/2", "x^2/2", forces={"x": "x'^3"})
    linear = s.linearize([0.0])
    assert not asked
    assert linear.stability.of_rest.startswith("undecided: why not")
    assert s.linearize([0.0]).stability.of_rest == linear.stability.of_rest
    assert len(asked) == 1


@pytest.mark.parametrize("acting", TAKES)
def test_forces_that_only_take_energy_leave_the_least_energy_stable(acting):
    s = vv.Lagrangian("x", "x'^2/2", "x^2/2", **acting)
    assert s.equilibria(within={"x": (-0.4, 0.4)}).stability == ("stable",)
    linear = s.linearize([0.0]).stability
    assert linear.of_the_mechanism
    assert "(Dirichlet)" in linear.argument


PAIR = ("x y", "(x'^2 + y'^2)/2", "(x^2 + y^2)/2")


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"forces": ["3*y'", "-3*x'"]}, "stable"),
        ({"dissipation": "c*(x' - y')^2/2"}, "stable"),
        ({"dissipation": "c*(x' - y')^2*(1 + cos(x)^2) + c*(x' - y')^2*y^2"}, "stable"),
        ({"dissipation": ["c*x' - c*y'", "c*y' - c*x'"]}, "stable"),
        ({"forces": ["-y^3", "-3*x*y^2"]}, "stable"),
        ({"forces": ["-y^3", "3*x*y^2"]}, "undecided: x: forces have no potential"),
        ({"potential": "(x^2 + y^2)/2 + x^3*sin(t)"}, "undecided: its formulas depend on time"),
        ({"potential": "-(x^2 + 2*y^2)/2", "forces": ["9*y'", "-9*x'"]}, "undecided: all eigen"),
    ],
)  # fmt: skip
def test_stable_is_the_mechanism_itself(more, status):
    stated = {"potential": PAIR[2], **more}
    s = vv.Lagrangian(*PAIR[:2], parameters={"c": 0.3}, **stated)
    bounds = {"x": (-0.2, 0.2), "y": (-0.2, 0.2)}
    (said,) = s.equilibria(within=bounds).stability
    assert said.startswith(status)


def test_bodies_give_no_energy():
    b = vv.Builder("top", gravity=(0, 0, 0))
    b.body("a", joint="revolute", axis="z", inertia=vv.Inertia.box(1.0, x=1.0, y=1.0, z=1.0))
    b.spring("coil", stiffness=2.0, joint="a_joint")
    assert b.build().equilibria().stability == ("stable",)
