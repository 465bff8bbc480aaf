"""The motion that a study shows: in the picture all the time, and what its Python lines say."""

import numpy as np

import visviva as vv
from visviva.show.laboratory.start import slid_away
from visviva.show.scene.of import scene_of
from visviva.show.study.natural import natural, rate_units


def test_a_motor_holds_a_slide_that_would_fall_without_end():
    arm = vv.catalog.rp_arm()
    found = natural(arm, scene_of(arm))
    assert found.hold.words == "while a motor holds q2"
    assert np.abs(found.run["q2"] - found.q[1]).max() < 0.2
    assert np.ptp(found.run["q1"]) > 1.0
    names = {}
    exec("\n".join(found.hold.lines), names)
    again = arm.simulate(found.q, found.v, found.run.t, tau=names["hold"])
    np.testing.assert_allclose(again.q, found.run.q, atol=1e-9)
    assert found.run.account.closes


def test_a_top_starts_with_its_spin():
    top = vv.catalog.heavy_top()
    found = natural(top, scene_of(top))
    assert found.words == "let go with ψ̇ = 150 rad/s"
    np.testing.assert_allclose(found.v, [0, 0, 150])
    assert np.ptp(found.run["theta"]) < 0.3  # it does not fall
    blade = vv.catalog.knife_edge()
    scene = scene_of(blade)
    assert rate_units(scene) == ["m/s", "m/s", "rad/s"]
    assert natural(blade, scene).words.startswith("let go with q̇₁ = 0.385 m/s")


def test_slides_that_springs_carry_and_turns_are_left_alone():
    for system in (vv.catalog.two_link(), vv.catalog.rotor_on_springs()):
        found = natural(system, scene_of(system))
        assert found.hold.law is None
        assert found.hold.words == "without motors"
        assert found.hold.lines == ()


def test_slides_that_loops_lead_back_are_left_alone():
    crank = vv.catalog.slider_crank().with_passive([]).with_gravity([9.81, 0.0, 0.0])
    geared = crank.without_constraints().with_rack(crank.joint_names[2], crank.joint_names[0], 0.1)
    for system, lost in ((crank, ()), (geared, (2,))):
        q = system.assembled()
        found = slid_away(system, q, 1.0, lambda name, q, s=system: s.function(name)(q))
        assert found == lost
