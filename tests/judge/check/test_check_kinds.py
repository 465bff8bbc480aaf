"""What wrong terms are called: what they are in the system, and only where there are forces."""

import visviva as vv

ARM = vv.catalog.two_link()


def kinds(verdict):
    assert verdict.status == "differs"
    return [t.kind for t in verdict.terms]


def test_a_magnetic_force_is_gyroscopic():
    particle = vv.catalog.charged_particle()
    verdict = particle.check("m x'' = e Ex - (e/c)(y' Bz - z' By)")
    assert kinds(verdict) == ["gyroscopic"] * 4
    (said,) = verdict.diagnosis
    assert said.sentence == "The gyroscopic terms in ẏ and ż have the wrong sign."
    assert kinds(particle.check("m x'' = e Ex + (e/c) y' Bz")) == ["gyroscopic"]


def test_forces_that_are_stated_are_gyroscopic_or_dissipative_by_what_they_do():
    system = vv.Lagrangian(
        "x y", "m*(x'^2+y'^2)/2", "0", forces=["-b*y' - c*x'", "b*x' - c*y'"], parameters="m b c"
    )
    found = {str(t.formula): t.kind for t in system.check("m x'' = 0").terms}
    assert found == {"b*yd": "gyroscopic", "c*xd": "dissipative"}


def test_friction_between_two_is_dissipative_and_what_nobody_has_is_not_called_anything():
    system = vv.Lagrangian(
        "x y", "m*(x'^2+y'^2)/2", "0", dissipation="c*(x'-y')^2/2", parameters="m c k"
    )
    assert kinds(system.check("m x'' + c x' = 0")) == ["dissipative"]
    assert kinds(system.check("m x'' + c (x' - y') + k y' = 0")) == [""]
    assert kinds(system.check("m x'' + c (x' - y') + k x' = 0")) == ["dissipative"]


def test_turning_axes_are_gyroscopic():
    turned = vv.Lagrangian("x y", "m*((x' - w*y)^2 + (y' + w*x)^2)/2", parameters="m w")
    assert kinds(turned.check("m x'' - m w^2 x = tau1")) == ["gyroscopic"]


def test_in_a_balance_of_powers_no_force_is_named():
    verdict = ARM.check("dT/dt = tau^T q'")
    assert kinds(verdict) == [""]
    assert "dissipative" not in str(verdict)


def test_velocities_have_no_forces():
    for claim in ("x_e' = -L1 sin(q1) q1'", "v_x = L2 sin(q1) q2'", "p1 = I1 q1'"):
        assert not any(kinds(ARM.check(claim)))


def test_terms_of_constraints_are_told_in_a_sentence():
    bob = vv.Lagrangian(
        "x y", "m*(x'^2+y'^2)/2", "m*g*y", parameters="m g l", constraints=["x^2+y^2-l^2"]
    )
    (said,) = bob.check("m x'' = lambda x").diagnosis
    assert said.sentence == "The term of a constraint has 1/2 times its true size."


def test_a_factor_that_is_missing_or_too_much_is_named():
    top = vv.catalog.heavy_top()
    for claim, said in (
        ("det M(q) = I1 I3 sin^2(theta)", "A factor I₁ is missing."),
        ("det M(q) = I1^3 I3 sin^2(theta)", "A factor I₁ is too much."),
        ("det M(q) = 3 I1^2 I3 sin^2(theta)", "All of it has 3 times its true size."),
        ("det M(q) = I1^2 I3 sin^2(theta)/2", "All of it has 1/2 times its true size."),
    ):
        assert [d.sentence for d in top.check(claim).diagnosis] == [said]
