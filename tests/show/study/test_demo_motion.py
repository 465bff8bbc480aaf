"""The motion that a study shows: in the picture all the time, and what its Python lines say."""

import numpy as np

import visviva as vv
from visviva.show.laboratory.start import slid_away
from visviva.show.scene.of import scene_of
from visviva.show.study.demo_motion import demo_motion, velocity_units


def test_a_motor_holds_a_slide_that_would_fall_without_end():
    arm = vv.catalog.rp_arm()
    found = demo_motion(arm, scene_of(arm))
    assert found.motors.description == "while a motor holds q2"
    assert np.abs(found.run["q2"] - found.start.q[1]).max() < 0.2
    assert np.ptp(found.run["q1"]) > 1.0
    names = {}
    exec("\n".join(found.motors.python_lines), names)
    again = arm.simulate(found.start.q, found.start.v, found.run.t, tau=names["hold"])
    np.testing.assert_allclose(again.q, found.run.q, atol=1e-9)
    assert found.run.account.closes


def test_a_driven_coordinate_is_driven_from_the_start():
    wire = vv.catalog.bead_on_rotating_wire(constrained=True, m=2.0, k=0.5, Omega=3.0, g=9.81)
    found = demo_motion(wire, scene_of(wire))
    np.testing.assert_allclose(found.start.v, [0, 0, 3], atol=1e-12)
    np.testing.assert_allclose(found.run["theta"], 3 * found.run.t, atol=1e-9)


def test_a_top_starts_with_its_spin():
    top = vv.catalog.heavy_top()
    found = demo_motion(top, scene_of(top))
    assert found.start.description == "let go with ψ̇ = 150 rad/s"
    np.testing.assert_allclose(found.start.v, [0, 0, 150])
    assert np.ptp(found.run["theta"]) < 0.3  # it does not fall
    blade = vv.catalog.knife_edge()
    scene = scene_of(blade)
    assert velocity_units(scene) == ["m/s", "m/s", "rad/s"]
    assert demo_motion(blade, scene).start.description.startswith("let go with q̇₁ = 0.385 m/s")


def test_slides_that_springs_carry_and_turns_are_left_alone():
    for system in (vv.catalog.two_link(), vv.catalog.rotor_on_springs()):
        found = demo_motion(system, scene_of(system))
        assert found.motors.controller is None
        assert found.motors.description == "without motors"
        assert found.motors.python_lines == ()


def test_slides_that_loops_lead_back_are_left_alone():
    crank = vv.catalog.slider_crank().with_passive([]).with_gravity([9.81, 0.0, 0.0])
    geared = crank.without_constraints().with_rack(crank.joint_names[2], crank.joint_names[0], 0.1)
    for system, lost in ((crank, ()), (geared, (2,))):
        q = system.assembled()
        found = slid_away(system, q, 1.0, lambda name, q, s=system: s.function(name)(q))
        assert found == lost
