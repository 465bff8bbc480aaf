"""Readings of closed forms: kinds of terms, symmetries."""

import pytest
import sympy

import visviva as vv


def test_C9_C113_terms_are_labelled_and_read():
    form = vv.catalog.two_link().closed_form()
    terms = form.terms(0)
    assert [(t.kind, str(t.factor)) for t in terms] == [
        ("inertial", "qdd1"),
        ("inertial", "qdd2"),
        ("centrifugal", "qd2**2"),
        ("Coriolis", "qd1*qd2"),
        ("gravitational", "1"),
    ]
    assert sympy.simplify(sum(t.formula for t in terms) - form.equations[0]) == 0
    centrifugal = form.terms(1)[2]
    assert "even at constant speed" in centrifugal.sentence
    assert centrifugal.sentence in str(centrifugal)
    own, other = (t.sentence for t in terms[:2])
    assert own.startswith("The moment of inertia of link1 and link2 about the axis of q₁")
    assert "Accelerating q₂ takes link2 along, and q₁ feels it" in other
    assert "supplies the torque" in terms[3].sentence
    assert terms[4].sentence == "The weight of link1 and link2 on its lever about the axis of q₁"


@pytest.mark.parametrize("name", ["cart_pole", "rp_arm", "bead_on_rotating_wire", "heavy_top"])
def test_C9_C113_every_term_of_models_and_of_energies_has_a_sentence(name):
    """Bodies are stated by joints; the same system stated by its energies is read as well."""
    system = vv.catalog.build(name)
    form = system.closed_form()
    speeds = set(form.velocities)
    for row in range(system.nv):
        terms = form.terms(row)
        assert sympy.simplify(sum(t.formula for t in terms) - form.equations[row]) == 0
        for t in terms:
            moving = t.factor.free_symbols & speeds
            if t.kind == "centrifugal":
                assert len(moving) == 1
            if t.kind == "Coriolis":
                assert len(moving) == 2
            assert len(t.sentence.split()) > 3


def test_C113_why_a_torque_is_needed_at_constant_velocity():
    """Of a system stated by energies: all accelerations zero, and a torque is needed still."""
    spinning = vv.Lagrangian(
        "theta r", "m (r'^2 + r^2 theta'^2)/2", parameters={"m": 2.0}, name="bead on a spoke"
    )
    form = spinning.closed_form()
    at_speed = [t for t in form.terms(0) if not t.factor.free_symbols & {*form.accelerations}]
    (coriolis,) = at_speed
    assert coriolis.kind == "Coriolis"
    assert coriolis.sentence == "Moving r changes the inertia of θ while it moves, and its momentum"
    pulled = next(t for t in form.terms(1) if t.kind == "centrifugal")
    assert "leads the mass round a bend even at constant speed" in pulled.sentence
    assert pulled.sentence.endswith("r has to pull it inward")


def test_C4_C13_symmetries_are_found():
    table = vv.catalog.cartesian().closed_form()
    assert not table.nonzero_christoffel
    assert list(table.cyclic_coordinates) == ["x", "y"]
    arm = vv.catalog.two_link().closed_form()
    assert arm.nonzero_christoffel
    assert list(arm.invariant_coordinates) == ["q1"]
