"""Laws of friction: their curves, on joints of models, in files, and what cannot be one."""

import mpmath
import numpy as np
import pytest
import sympy

import visviva as vv
from tests.support.generators.bodies import close
from visviva.describe.files.toml.read import loads_toml, to_toml
from visviva.equations.forces import forces
from visviva.errors import ArgumentError

LAW = vv.Friction(1.0, stiction=1.5, viscous=0.4, stribeck=0.1)


def sled(law=LAW, **options):
    return vv.Builder("sled").body(
        "block", joint="prismatic", axis="x", joint_name="x", mass=2.0, friction=law, **options
    )


def test_the_curve_over_any_scalar():
    with mpmath.workdps(30):
        v = mpmath.mpf("-0.03")
        wanted = -(1 + mpmath.mpf("0.5") * mpmath.exp(-((v / mpmath.mpf(0.1)) ** 2)))
        close([LAW.force(-0.03)], [float(wanted + mpmath.mpf("0.4") * v)], 1e-15)
    x = sympy.Symbol("v", positive=True)
    assert LAW.force(x).diff(x).subs(x, 0.05) == pytest.approx(
        0.4 - 0.5 * 100 * 2 * 0.05 * np.exp(-0.25), abs=1e-12
    )
    assert LAW.force(np.array([0.0, 1.0])).tolist() == [0.0, 1.4]
    assert vv.Friction(2.0).force(-3.0) == -2.0
    assert vv.Friction(2.0, stiction=3.0).force(1e-9) == 2.0  # the rest acts at rest alone
    assert vv.Friction(2.0).static_limit == 2.0


def test_a_joint_has_the_force_of_its_law():
    model = sled().build()
    f = model.dissipation_forces
    for v in (-1.0, -0.05, 0.0, 1e-3, 0.05, 1.0):
        close(f([0.0], [v]), [LAW.force(v)], 1e-15)
    # derivatives see the falling part, forward and backward
    for name, sign in (("inverse_dynamics", 1.0), ("forward_dynamics", -0.5)):
        D = model.function(name).jacobian("v")([0.0], [0.05], [0.0])
        close(np.ravel(D), [sign * (0.4 - 0.5 * 100 * 2 * 0.05 * np.exp(-0.25))], 1e-12)
    assert model.bodies[0].stiction.tolist() == [1.5]
    assert "stiction: x 1.5" in repr(model)
    assert model.without_dissipation().dissipation_forces([0.0], [0.05]).tolist() == [0.0]
    assert vv.differences(model, sled(vv.Friction(1.0, viscous=0.4)).build())


def test_a_lagrangian_with_the_same_law_moves_alike():
    """Sliding to the side on which nothing sticks."""
    v = sympy.Symbol("xd", real=True)
    energies = vv.Lagrangian("x", v**2, 0, dissipation=[LAW.force(v)])
    model = sled().build().with_gravity([9.81, 0.0, 0.0])
    pushed = [
        model.simulate([0.0], [0.01], 1.0),
        energies.simulate([0.0], [0.01], 1.0, tau=[19.62]),
    ]
    close(pushed[0].q[-1], pushed[1].q[-1], 1e-8)
    assert pushed[0].account.closes


def test_coupled_joints_slide_at_their_own_speed():
    """r F(r v) is felt by the joint that is followed."""
    b = sled(vv.Friction(0.2))
    law = vv.Friction(0.3, stiction=0.9, viscous=0.1, stribeck=0.2)
    b.body("other", joint="prismatic", axis="y", mass=1.0, mimic=("x", -2.0), friction=law)
    model = b.build()
    for v in (-0.04, 0.3):
        wanted = 0.2 * np.sign(v) - 2.0 * law.force(-2.0 * v)
        close(model.dissipation_forces([0.0], [v]), [wanted], 1e-15)


def test_laws_given_to_a_model_and_by_parameters():
    b = vv.Builder("p", parameters={"Fs": 1.5})
    law = vv.Friction(1.0, stiction=b.parameters["Fs"], stribeck=0.1)
    b.body("block", joint="prismatic", axis="x", joint_name="x", mass=1.0, friction=law)
    model = b.build()
    close(model.dissipation_forces([0.0], [0.05]), [1 + 0.5 * np.exp(-0.25)], 1e-15)
    stiffer = model.with_parameters(Fs=2.0)
    close(stiffer.dissipation_forces([0.0], [0.05]), [1 + np.exp(-0.25)], 1e-15)
    with pytest.raises(ArgumentError, match="stiction F_s is at least"):
        model.with_parameters(Fs=0.5)
    plain = sled(0.0).build().with_friction(LAW)
    close(plain.dissipation_forces([0.0], [0.05]), [LAW.force(0.05)], 1e-15)
    named = sled(0.1).build().with_friction({"x": LAW}).with_parameters(stiction_x=2.0)
    assert named.bodies[0].stiction.tolist() == [2.0]
    with pytest.raises(ArgumentError, match="damping= is the viscous part of a law"):
        plain.with_friction(LAW, damping=1.0)
    with pytest.raises(ArgumentError, match="stiction F_s is at least"):
        plain.with_friction(1.7)


def test_files_state_stiction(tmp_path):
    model = sled().build()
    again = loads_toml(to_toml(model))
    assert vv.differences(model, again) == []
    assert again.bodies[0].stribeck.tolist() == [0.1]
    for name in ("x.urdf", "x.xml"):
        with pytest.raises(vv.errors.VisvivaError, match="stiction of"):
            vv.save(model, tmp_path / name)


def test_closed_forms_leave_it_out_and_verdicts_refuse():
    model = sled().build()
    assert model.closed_form().left_out == ("Coulomb friction", "Stribeck friction")
    with pytest.raises(ArgumentError, match="falls with the speed"):
        model.check("tau1 = 2 qdd1 + sign(qd1)")
    with pytest.raises(vv.errors.EquilibriumError, match="dry friction"):
        model.linearize([0.0])
    assert forces.has_dry_friction(model)


def test_regressors_have_the_linear_part():
    model = sled().build()
    q, v, a = [0.0], [0.05], [0.3]
    rest = model.inverse_dynamics(q, v, a) - model.regressor(q, v, a) @ model.regressor_parameters
    close(rest, [0.5 * np.exp(-0.25)], 1e-15)


def test_bristles_settle_on_the_curve():
    bristles = vv.LuGre(1.0, stiction=1.5, viscous=0.4, stribeck=0.1, stiffness=1e3, damping=30.0)
    for v in (-0.3, 0.02, 0.5):
        z = 0.0
        for _ in range(20000):  # Euler's steps, 0.1 ms
            z += 1e-4 * bristles.deflection_rate(z, v)
        close([z], [bristles.steady_deflection(v)], 1e-9)
        close([bristles.force(z, v)], [LAW.force(v)], 1e-6)
    assert bristles.steady.force(0.05) == LAW.force(0.05)
    with pytest.raises(ArgumentError, match=r"LuGre\(…\).steady is a Friction"):
        sled(bristles)


def test_the_curve_as_a_picture():
    figure = pytest.importorskip("plotly") and LAW.plot()
    over, under, rest = figure.data
    assert (max(over.x), max(rest.y)) == (1.0, 1.5)
    close(over.y, -np.asarray(under.y), 1e-15)
    assert over.y[0] == pytest.approx(1.5)
    with pytest.raises(ArgumentError, match="the largest speed is positive"):
        LAW.plot(-1.0)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"coulomb": -1.0}, "coulomb is finite and not negative, got -1"),
        ({"coulomb": 1.0, "viscous": -0.1}, "viscous is finite and not negative"),
        ({"coulomb": 1.0, "stiction": 0.5}, "stiction F_s is at least the Coulomb friction F_c"),
        ({"coulomb": 1.0, "stribeck": 0.1}, "does nothing without stiction"),
        ({"stiction": 1.0}, "needs a Stribeck speed"),
        ({"coulomb": np.inf}, "finite"),
        ({"coulomb": "mu*N"}, "depends on the load, μ N, is not modelled"),
        ({"coulomb": lambda N: 0.3 * N}, "no continuation or several"),
        ({"coulomb": [1.0, 2.0]}, "is one number"),
    ],
)
def test_laws_that_cannot_be(numbers, words):
    with pytest.raises(ArgumentError, match=words):
        vv.Friction(**numbers)


def test_joints_that_cannot_have_them():
    with pytest.raises(ArgumentError, match="damping= is part of the law"):
        sled(damping=0.1)
    with pytest.raises(ArgumentError, match="stiction F_s is at least"):
        sled(1.0, stiction=0.5).build()
    with pytest.raises(ArgumentError, match="not negative"):
        sled(1.0, stiction=-2.0)
    with pytest.raises(ArgumentError, match="positive"):
        vv.LuGre(1.0, stiffness=0.0)


def test_laws_in_a_list_are_those_of_the_joints_in_order():
    arm, law = vv.catalog.two_link(), vv.Friction(0.3, stiction=0.5, viscous=0.1, stribeck=0.2)
    listed, named = arm.with_friction([law, 0.2]), arm.with_friction({"q1": law, "q2": 0.2})
    for name in ("friction", "stiction", "stribeck", "damping"):
        one, other = ([getattr(b, name).tolist() for b in m.bodies] for m in (listed, named))
        assert one == other
    with pytest.raises(ArgumentError, match="one for each of the 2 joints, got 1"):
        arm.with_friction([law])
