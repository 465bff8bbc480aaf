"""Springs of document 002 (71)–(80) on models, and the curve of friction of (91) and figure 17."""

import numpy as np

import visviva as vv
from tests.support.generators.bodies import close


def test_C37_springs_of_every_kind_on_bodies():
    """Linear, torsional, k(e) and K: P and the force that holds, by the document."""
    b = vv.Builder("body", gravity=[0.0, 0.0, 0.0])
    b.body("x", joint="prismatic", axis="x", joint_name="x")
    b.body("y", parent="x", joint="prismatic", axis="y", joint_name="y")
    b.body("turn", parent="y", joint="revolute", axis="z", joint_name="delta", mass=1.0)
    b.spring("linear", 3.0, 0.1, joint="x")
    b.spring("hard", "2 + 8*e^2", joint="y")
    b.spring("torsion", "5 + e^2", 0.2, joint="delta")
    K = np.array([[4.0, 1.0, 0.0], [1.0, 9.0, 0.0], [0.0, 0.0, 2.0]])
    b.spring("ball", K, between=("world", "turn"))
    b.spring("rope", 7.0, 0.4, between=("world", "turn"))
    model = b.build()
    x, y, delta = 0.3, 0.5, 0.7
    e, d = np.array([x, y]), np.hypot(x, y)
    P = 1.5 * (x - 0.1) ** 2 + (y**2 + 2 * y**4) + (2.5 * 0.5**2 + 0.25 * 0.5**4)
    P += e @ K[:2, :2] @ e / 2 + 3.5 * (d - 0.4) ** 2
    f = [3 * (x - 0.1), 2 * y + 8 * y**3, 5 * 0.5 + 0.5**3]
    f[:2] += K[:2, :2] @ e + 7 * (d - 0.4) * e / d
    close([model.potential_energy([x, y, delta])], [P], 1e-14)
    close(model.gravity_forces([x, y, delta]), f, 1e-14)
    law = vv.Stiffness("k1 + k3*e^2", {"k1": 2.0, "k3": 8.0})
    assert (law.force(0.5), law.energy(0.5), law.co_energy(0.5)) == (2.0, 0.375, 0.625)


def law():
    return vv.Friction(1.0, stiction=1.5, viscous=0.4, stribeck=0.1)


def test_S40_friction_with_stiction_coulomb_viscous_and_stribeck_parts():
    assert abs(law().force(0.05) - 1.409400392) < 5e-10
    assert law().force(1.0) == 1.4
    assert law().force(-0.05) == -law().force(0.05)
    assert law().static_limit == 1.5
    assert abs(law().force(1e-12) - law().static_limit) < 1e-11


def test_C40_friction_curve_of_a_joint():
    """The curve on a joint of a model, its parts, and its picture; at rest the force is open."""
    b = vv.Builder("sled").body("block", joint="prismatic", axis="x", mass=1.0, friction=law())
    model = b.build()
    v = np.array([-1.0, -0.05, -1e-3, 1e-3, 0.05, 1.0])
    wanted = np.sign(v) * (1 + 0.5 * np.exp(-((v / 0.1) ** 2))) + 0.4 * v
    close(model.dissipation_forces(np.zeros((6, 1)), v[:, None])[:, 0], wanted, 1e-15)
    assert (law().viscous, law().coulomb) == (0.4, 1.0)
    assert model.dissipation_forces([0.0], [0.0]).tolist() == [0.0]


def test_S40_C40_a_block_that_sticks():
    """At rest friction is what holds, up to F_s; beyond it the block slides, by the curve."""
    b = vv.Builder("sled").body("block", joint="prismatic", axis="x", mass=1.0, friction=law())
    model = b.build()
    for push in (-1.499, 0.7, 1.499):
        run = model.simulate([0.0], [0.0], 100.0, tau=[push])
        assert (run.v == 0.0).all()
        assert np.abs(run.friction - push).max() < 1e-12
    sliding = model.simulate([0.0], [0.0], 40.0, tau=[1.6])
    assert (sliding.v[1:, 0] > 0).all()
    steady = sliding.v[-1, 0]  # where the curve gives 1.6: 1 + 0.4 v = 1.6
    assert abs(law().force(steady) - 1.6) < 1e-6
