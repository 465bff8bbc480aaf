"""A new joint is a class: stated here, it is in all algorithms, closed forms and verdicts."""

import re
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
import pytest
import sympy

import visviva as vv
from tests.describe.joints import test_joints as questions
from visviva.algebra.arrays import Array, vector
from visviva.algebra.generic import asin, exp, maximum, minimum, power, sincos
from visviva.describe.joints.axis import Prismatic
from visviva.describe.joints.joint import ZERO, Joint, X, Y, Z, columns
from visviva.judge.roads.crosscheck import crosscheck

UP = np.array([0.0, 0.0, 1.0])
LENGTH, MASS, RADIUS, GRAVITY = 0.7, 1.3, 0.4, 9.81


@dataclass(frozen=True, eq=False)
class Yoke(Joint):
    """A Scotch yoke: a crank of this radius, turned by the coordinate, lifts the child."""

    radius: Any
    coordinates = velocities = ("",)
    angular = (True,)

    def transform(self, q: Any) -> vv.Pose:
        return vv.Pose.of(np.eye(3), UP * (self.radius * sincos(q[0])[0]))

    def subspace(self, q: Any) -> Array:
        return columns((ZERO, UP * (self.radius * sincos(q[0])[1])))

    def subspace_rate(self, q: Any, v: Any) -> Array:
        return columns((ZERO, UP * (self.radius * -sincos(q[0])[0] * v[0])))

    def complement(self, q: Any) -> Array:
        return columns((X, ZERO), (Y, ZERO), (Z, ZERO), (ZERO, X), (ZERO, Y))

    def located(self, X: vv.Pose) -> Array:
        return vector([asin(minimum(maximum(X.p[2] / self.radius, -1.0), 1.0))])

    @property
    def turns(self) -> bool:
        return False

    def slides(self, d: Any) -> Array:
        return vector(d)  # what only shifts does so wherever its origin is

    def unfelt(self, m: Any, h: Any, S: Any) -> tuple[Any, Any, Any]:
        return m * 0.0, vector(h) * 0.0, vector(S)  # second moments resist turning only


def machine(joint):
    """What is lifted carries a pendulum."""
    b = vv.Builder("yoke", gravity=[0.0, 0.0, -GRAVITY])
    b.body("slider", joint=joint, mass=2.0, joint_name="q1")
    b.body("bob", parent="slider", joint="revolute", axis="y", mass=MASS, com=[0.0, 0.0, -LENGTH])
    b.frame("tip", body="bob", at=[0.0, 0.0, -LENGTH])
    return b.build()


@pytest.fixture(scope="module")
def model():
    return machine(Yoke(RADIUS))


class BareYoke(Yoke):
    complement = Joint.complement


class Gear(Yoke):
    """Sines of half of the coordinate."""

    def transform(self, q: Any) -> vv.Pose:
        return super().transform([q[0] / 2])


class Cam(Yoke):
    """Lifts by a function of the coordinate that is no polynomial."""

    angular = (False,)

    def transform(self, q: Any) -> vv.Pose:
        return vv.Pose.of(np.eye(3), UP * (self.radius * exp(q[0])))

    def subspace(self, q: Any) -> Array:
        return columns((ZERO, UP * (self.radius * exp(q[0]))))

    def subspace_rate(self, q: Any, v: Any) -> Array:
        return columns((ZERO, UP * (self.radius * exp(q[0]) * v[0])))


class Wedge(Cam):
    """Lifts by a fraction."""

    def transform(self, q: Any) -> vv.Pose:
        return vv.Pose.of(np.eye(3), UP * (self.radius / (4.0 + q[0])))

    def subspace(self, q: Any) -> Array:
        return columns((ZERO, UP * (-self.radius / power(4.0 + q[0], 2.0))))

    def subspace_rate(self, q: Any, v: Any) -> Array:
        return columns((ZERO, UP * (2.0 * self.radius / power(4.0 + q[0], 3.0) * v[0])))


STATES = np.random.default_rng(5).uniform(-1.0, 1.0, (5, 3, 2))


ASKED = [
    test
    for title, test in vars(questions).items()
    if title.startswith("test_") and "name" in signature(test).parameters
]


@pytest.mark.parametrize("ask", ASKED)
def test_it_answers_every_question(ask, monkeypatch):
    joint = Yoke(RADIUS)
    for table in (questions.JOINTS, questions.MOVABLE):
        monkeypatch.setitem(table, "yoke", joint)
    for key, question in questions.asked("yoke", joint).items():
        monkeypatch.setitem(questions.QUESTIONS, key, question)
    ask("yoke")


def test_all_roads_to_its_equations_meet(model):
    assert model.crosscheck().proved


def test_its_dynamics_are_those_of_a_slide_at_the_crank_s_height(model):
    """x = r sin q: every quantity by the chain rule from that of a prismatic joint."""
    slide = machine(Prismatic(UP))
    for q, v, a in STATES:
        s, c = np.sin(q[0]), np.cos(q[0])
        T = np.diag([RADIUS * c, 1.0])
        rate = np.array([-RADIUS * s * v[0] ** 2, 0.0])
        there = np.array([RADIUS * s, q[1]]), T @ v, T @ a + rate
        tau = T @ slide.inverse_dynamics(*there)
        assert np.allclose(model.inverse_dynamics(q, v, a), tau, rtol=0, atol=1e-12)
        assert np.allclose(model.forward_dynamics(q, v, tau), a, rtol=0, atol=1e-11)
        M = T @ slide.mass_matrix(there[0]) @ T
        assert np.allclose(model.mass_matrix(q), M, rtol=0, atol=1e-13)
        assert np.allclose(model.kinetic_energy(q, v), v @ M @ v / 2, rtol=0, atol=1e-13)
        J = slide.jacobian("tip")(there[0]) @ T
        assert np.allclose(model.jacobian("tip")(q), J, rtol=0, atol=1e-13)
        pose = slide.frame_pose("tip", there[0]).matrix()
        assert np.allclose(model.frame_pose("tip", q).matrix(), pose, rtol=0, atol=1e-15)


def test_its_derivatives_are_found_on_the_graph(model):
    q, v, a = STATES[0]
    D = model.inverse_dynamics.jacobian("q")(q, v, a)
    h = 1e-6
    for k, e in enumerate(np.eye(2)):
        up, down = (model.inverse_dynamics(q + s * h * e, v, a) for s in (1, -1))
        assert np.allclose(D[:, k], (up - down) / (2 * h), rtol=0, atol=1e-7)  # h² and 1e-16 / h


def test_the_wrenches_it_passes_on_do_no_work(model):
    joint = model.bodies[0].joint
    T = joint.complement([0.3])
    assert T.shape == (6, 5)
    assert np.allclose(joint.subspace([0.3]).T @ T, 0.0, rtol=0, atol=1e-15)
    joint = BareYoke(RADIUS)
    with pytest.raises(vv.errors.ArgumentError, match=r"Yoke .* define complement\(q\)"):
        joint.complement([sympy.Symbol("q")])


def test_its_closed_form_is_the_one_of_the_book(model):
    shown = sympy.Matrix(model.closed_form().mass_matrix)
    named = {x.name: x for x in shown.free_symbols}
    q1, q2, slider, bob, z = (named[k] for k in ("q1", "bob_joint", "m_slider", "m_bob", "cz_bob"))
    r = sympy.Rational(2, 5)
    whole = (slider + bob) * r**2 * sympy.cos(q1) ** 2
    both = -bob * r * z * sympy.sin(q2) * sympy.cos(q1)
    expected = sympy.Matrix([[whole, both], [both, bob * z**2]])
    assert sympy.expand(shown - expected) == sympy.zeros(2, 2)


def test_it_is_derived_and_checked():
    b = vv.Builder("yoke", gravity=[0.0, 0.0, -GRAVITY], parameters={"m": 2.0, "r": 0.4})
    m, r = b.parameters["m"], b.parameters["r"]
    b.body("slider", joint=Yoke(r), mass=m, joint_name="q1")
    yoke = b.build()
    for method in ("newton-euler", "lagrange"):
        assert "cos" in yoke.derivation(method).latex()
    true = "tau = m*r^2*cos(q1)^2*qdd1 - m*r^2*sin(q1)*cos(q1)*qd1^2 + 9.81*m*r*cos(q1)"
    assert yoke.check(true).status == "identical"
    assert yoke.check(true.replace("- m*r^2", "+ m*r^2")).status == "differs"


def test_sines_of_no_whole_multiple_of_its_coordinate_are_told():
    said = "the gear joint 'q1': 1/2 q1 is no whole multiple .* use the compiled functions"
    with pytest.raises(vv.errors.OutsideError, match=said):
        _ = machine(Gear(RADIUS)).closed_form().mass_matrix


@pytest.mark.spread(1)
@pytest.mark.parametrize(
    ("joint", "said"),
    [
        (Cam(RADIUS), r"the cam joint 'q1': exp\(q1\) is no polynomial"),
        (Wedge(RADIUS), "is a fraction, no polynomial in symbols, sines and cosines"),
    ],
    ids=["cam", "wedge"],
)
def test_the_roads_to_what_is_no_polynomial_are_compared_by_numbers(joint, said):
    model = machine(joint)
    table = model.crosscheck()
    assert table.agrees
    assert not table.proved
    assert re.search(f"by numbers, as .*{said}", str(table))
    assert re.search(f"By numbers, as .*{said}", table._repr_markdown_().replace("\\", ""))
    for ask in (
        lambda: model.closed_form().mass_matrix,
        lambda: model.check("T = 0"),
        lambda: crosscheck(model, exact=True),
    ):
        with pytest.raises(vv.errors.VisvivaError, match=said):
            ask()
