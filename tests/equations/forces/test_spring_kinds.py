"""Springs of every kind: laws of the stretch, elements in space, on models and in energies."""

import pickle

import mpmath
import numpy as np
import pytest
import sympy

import visviva as vv
from tests.support.generators.bodies import close
from visviva.describe.files.toml.read import loads_toml, to_toml
from visviva.describe.model.body import Spring
from visviva.equations.forces import forces
from visviva.errors import ArgumentError, ShapeError

RNG = np.random.default_rng(11)


def positive(size=20.0):
    A = RNG.normal(size=(3, 3))
    return A @ A.T * size


def flying(**options):
    """A free body, a ball joint and a hinge; an element between two of them, one to ground."""
    b = vv.Builder("flying")
    inertia = vv.Inertia(1.5, [0.1, -0.05, 0.02], np.diag([0.3, 0.4, 0.5]))
    b.body("a", joint="free", inertia=inertia)
    b.body("c", parent="a", joint="spherical", at=[0.2, 0.1, 0.0], inertia=inertia)
    b.body("d", parent="c", joint="revolute", axis="x", at=[0.2, 0.1, 0.4], inertia=inertia)
    b.frame("fa", body="a", at=[0.1, 0.2, 0.3], rotation=vv.space.rotations.exp([0.2, 0.3, 0.5]))
    b.frame("fd", body="d", at=[0.1, -0.2, 0.3])
    b.spring("inner", positive(), [0.1, 0.2, 0.1], between=("fa", "fd"), **options)
    b.spring("ground", positive(), between=("d", "world"), points=([0, 0, 0.1], [0.3, 0.2, 0.5]))
    b.spring("rope", "5 + 2*cos(e)", 0.3, between=("world", "fd"))
    return b.build()


def slope(model, q, h=1e-3):
    """∂V/∂q by differences of order 4, along v."""

    def at(x):
        return float(forces.spring_energy(model, model.integrate(q, x)))

    return [
        (8 * (at(e * h) - at(-e * h)) - (at(2 * e * h) - at(-2 * e * h))) / (12 * h)
        for e in np.eye(model.nv)
    ]


def test_forces_are_the_slope_of_the_energy():
    """In the axes of a frame that turns; a force at each end alone would miss the couple."""
    model = flying(turning=positive(2.0))
    for seed in range(3):
        q = model.random(seed)
        close(forces.spring_forces(model, q), slope(model, q), 1e-8)  # of the differences


def test_power_of_springs_and_dampers():
    """V̇ = v · ∂V/∂q by a derivative along v, and what dampers take is never negative."""
    C, D = positive(3.0), positive(1.0)
    model = flying(damping=C, turning_damping=D, turning=np.eye(3))
    K, rest = model.springs[0].stiffness, model.springs[0].rest
    q, v = model.random(5), RNG.normal(size=model.nv)
    b = forces.dissipation_forces(model, q, v)

    def seen(x):  # the second point in the axes of the first frame
        A, B = (model.frame_pose(name, x) for name in ("fa", "fd"))
        return A.R.T @ (B.p - A.p), A.R.T @ B.R

    h = 1e-5
    (x1, R1), (x0, R0) = seen(model.integrate(q, h * v)), seen(model.integrate(q, -h * v))
    rate = (x1 - x0) / (2 * h)
    S = (R1 - R0) / (2 * h) @ seen(q)[1].T
    w = np.array([S[2, 1], S[0, 2], S[1, 0]])
    close([v @ b], [rate @ C @ rate + w @ D @ w], 1e-7)  # differences of order 2
    assert K.shape == (3, 3)
    assert rest.shape == (3,)


def test_an_element_within_a_body_that_flies_pushes_nothing_from_outside():
    """Momentum of a body and what hangs on it is untouched by what is between them."""
    model = flying(damping=positive(), turning=positive(), turning_damping=positive())
    inner = vv.Model("inner", model.bodies, model.frames, springs=model.springs[:1])
    q, v = model.random(1), RNG.normal(size=model.nv)
    felt = forces.spring_forces(inner, q) + forces.dissipation_forces(inner, q, v)
    assert felt[:6].tolist() == [0.0] * 6
    assert np.abs(felt[6:]).min() > 1e-3


def test_reactions_carry_elements():
    model = flying(damping=positive(), turning=positive(), turning_damping=positive())
    q, v, a = model.random(2), *RNG.normal(size=(2, model.nv))
    W = model.reaction_wrenches(q, v, a)
    tau = model.inverse_dynamics(q, v, a)
    close(W[0], tau[:6], 1e-11)  # the free joint passes all of its six forces on
    close(W[2][0], tau[-1], 1e-11)


def test_an_element_conserves_energy_to_the_order_of_the_steps():
    """K turns with the body, so that what pulls it turns it as well."""
    b = vv.Builder("bushing")
    inertia = vv.Inertia(1.0, [0, 0, 0], np.diag([0.2, 0.3, 0.4]))
    b.body("a", joint="free", inertia=inertia)
    b.spring("ball", np.diag([40.0, 25.0, 10.0]), [0.2, 0.1, 0], between=("a", "world"))
    model = b.build()
    q, v = model.integrate(model.neutral(), RNG.normal(size=6) / 4), RNG.normal(size=6)
    errors = []
    for dt in (0.02, 0.01):
        run = model.simulate(q, v, 1.0, dt=dt, method="rk4")
        errors.append(np.abs(run.energy - run.energy[0]).max())
    assert 12 < errors[0] / errors[1] < 45  # order 4, of an energy 4 or 5
    fine = model.simulate(q, v, 1.0, rtol=1e-12, atol=1e-12)
    assert np.abs(fine.energy - fine.energy[0]).max() < 1e-9


@pytest.mark.spread(3)
@pytest.mark.parametrize("law", ["2 + 8*e^2", "3*exp(-e)", "1/(1 + 30*e^2)", "tanh(40*e)/5", "2"])
def test_energy_is_the_integral_of_the_force(law):
    """In closed form or by quadrature, against 30 digits."""
    k = vv.Stiffness(law)
    for e in (-0.7, 0.02, 1.3):
        with mpmath.workdps(30):
            places = sorted({0, e / 100, e / 10, e / 3, e}, reverse=e < 0)
            wanted = mpmath.quad(lambda x: k.force(x), places)
        close([k.energy(e)], [float(wanted)], 1e-12)
        close([k.co_energy(e)], [e * k.force(e) - float(wanted)], 1e-12)


def test_a_law_by_its_energy_or_as_a_function():
    stated = vv.Stiffness("k*e^4/4", {"k": 8.0}, of="energy")
    assert stated.force(0.5) == 1.0
    soft = vv.Stiffness("where(less(e, 0.1), 0, 50*(e - 0.1)^2)", of="energy")  # a gap of 0.1
    assert [soft.force(x) for x in (0.05, 0.2)] == [0.0, pytest.approx(10.0, abs=1e-12)]
    drawn = vv.Stiffness(lambda e: 2.0 + 8.0 * e * e)
    assert (drawn.force(0.5), drawn.energy(0.5), drawn.is_integrated) == (2.0, 0.375, True)
    x = sympy.Symbol("x", real=True)
    assert sympy.expand(drawn.energy(x) - x**2 - 2 * x**4) == 0


def three_statements():
    """A pendulum with a hardening torsion spring, a rope to a hook and an element on its bob."""
    values = {"k1": 2.0, "k3": 8.0, "c": 15.0}
    K = np.array([[30.0, 4.0], [4.0, 12.0]])
    full = np.zeros((3, 3))
    full[np.ix_([0, 2], [0, 2])] = K
    b = vv.Builder("pendulum", parameters=values)
    b.body("arm", joint="revolute", axis="y", joint_name="theta", mass=1.2, com=[0.0, 0.0, -0.5])
    b.frame("bob", body="arm", at=[0, 0, -0.5]).frame("hook", at=[0.6, 0.0, 0.2])
    b.spring("coil", "k1 + k3*e^2", 0.3, joint="theta", damping=0.1)
    b.spring("rope", "c*(1 + e)", 0.4, between=("hook", "bob"))
    b.spring("ball", full, [0.1, 0.0, 0.2], between=("world", "bob"))
    built = b.build()
    rope = vv.Stiffness("c*(1 + e)", {"c": 15.0})
    coil = vv.Stiffness("k1 + k3*e^2", {"k1": 2.0, "k3": 8.0})
    points = (np.zeros(3), np.zeros(3))
    springs = (
        Spring("coil", coil, 0.3, 0.1, joint="theta"),
        Spring("rope", rope, 0.4, frames=("hook", "bob"), points=points),
        Spring("ball", full, np.array([0.1, 0, 0.2]), frames=("world", "bob"), points=points),
    )
    stated = vv.Model("stated", built.bodies, built.frames, springs=springs)
    theta, rate = sympy.symbols("theta thetad")
    x, z = -sympy.sin(theta) / 2, -sympy.cos(theta) / 2
    e = sympy.Matrix([x - sympy.Rational(1, 10), z - sympy.Rational(1, 5)])
    length = sympy.sqrt((x - 0.6) ** 2 + (z - 0.2) ** 2)
    V = 1.2 * 9.81 * z + coil.energy(theta - 0.3) + rope.energy(length - 0.4)
    V += (e.T * sympy.Matrix(K) * e)[0] / 2
    energies = vv.Lagrangian("theta", 1.2 * rate**2 / 8, V, dissipation=rate**2 / 20)
    return built, stated, energies


def test_model_builder_and_lagrangian_move_alike():
    """The same springs, stated three times: forces, energies, motion and account."""
    systems = three_statements()
    for q, v in (([0.4], [1.0]), ([-2.0], [0.3])):
        tau = [float(s.inverse_dynamics(q, v, [0.2])[0]) for s in systems]
        close(tau, [tau[0]] * 3, 1e-12)
        V = [float(s.potential_energy(q)) for s in systems]
        close(V, [V[0]] * 3, 1e-12)
    runs = [s.simulate([0.5], [0.0], 3.0, rtol=1e-11, atol=1e-12) for s in systems]
    for run in runs[1:]:
        close(run.q[-1], runs[0].q[-1], 1e-8)
        close([run.energy[-1] - run.energy[0]], [runs[0].energy[-1] - runs[0].energy[0]], 1e-8)


def test_springs_in_files(tmp_path):
    built, *_ = three_statements()
    for model in (built, flying(turning=positive(), damping=3.0, turning_damping=positive())):
        again = loads_toml(to_toml(model))
        assert to_toml(again) == to_toml(model)
        q, v = model.random(3), RNG.normal(size=model.nv)
        for other in (again, pickle.loads(pickle.dumps(model))):
            same = other.inverse_dynamics(q, v, v) == model.inverse_dynamics(q, v, v)
            assert same.all()
    assert loads_toml(to_toml(built)).with_parameters(k3=0.0).gravity_forces([0.5]) != (
        built.gravity_forces([0.5])
    )
    with pytest.raises(vv.errors.WriteError, match="springs with a law of their stretch: coil"):
        vv.save(built, tmp_path / "x.xml")
    with pytest.raises(vv.errors.VisvivaError, match="3 springs"):
        vv.save(built, tmp_path / "x.urdf")


@pytest.mark.parametrize(
    ("said", "options", "words"),
    [
        (np.diag([1.0, 1.0, -1.0]), {}, "no negative eigenvalue, got -1"),
        (np.array([[1.0, 1, 0], [0, 1, 0], [0, 0, 1]]), {}, "is symmetric"),
        (np.eye(3), {"rest": 0.2}, "rest is a vector in the axes of the first frame"),
        (np.eye(3), {"damping": -np.eye(3)}, "damping has no negative eigenvalue"),
        (np.eye(2), {}, "is a number or 3 × 3"),
        (1.0, {"damping": np.eye(3)}, "are numbers where the stiffness is one"),
        (-1.0, {}, "not negative"),
        (1.0, {"damping": -2.0}, "not negative"),
        (np.eye(3), {"turning": -1.0}, "not negative"),
        ("1 + e", {"turning": 2.0}, "a law of the distance has no turning"),
        (1.0, {"points": ([0, 0], [0, 0])}, "points are a pair, one \\[x, y, z\\] on each frame"),
        (1.0, {"points": ([np.nan, 0, 0], [0, 0, 0])}, "points are three finite numbers"),
        ("k + e", {}, "unknown name 'k'"),
        ("abs(e - 0.1)", {}, "with kinks"),
        ("1/e", {}, "finite at e = 0"),
    ],
)
def test_springs_that_cannot_be(said, options, words):
    b = vv.Builder("bad").body("a", joint="prismatic", axis="x", mass=1.0)
    with pytest.raises((ArgumentError, ShapeError), match=words):
        b.spring("s", said, between=("world", "a"), **options)


def test_one_number_for_turning_is_that_of_all_axes():
    """Beside a matrix, and beside one number for all directions."""
    for K in (2.0, np.diag([2.0, 3.0, 4.0])):
        for options in ({"turning": 5.0}, {"turning_damping": 5.0}):
            full = {k: x * np.eye(3) for k, x in options.items()}
            one, other = (turned(K, **x) for x in (options, full))
            q, v = one.random(1), RNG.normal(size=3)
            tau, same, bare = (
                s.inverse_dynamics.interpret(q, v, v) for s in (one, other, turned(K))
            )
            close(tau, same, 1e-14)
            assert np.abs(np.subtract(tau, bare)).max() > 1e-2


def turned(K, **options):
    b = vv.Builder("turned").body("a", joint="spherical", mass=2.0, com=[0.3, 0.1, 0.2])
    return b.spring("s", K, between=("world", "a"), **options).build()


def test_springs_of_models_are_looked_at_too():
    with pytest.raises(ArgumentError, match="stiffness is finite and not negative, got -1"):
        Spring("s", -1.0, 0.0, joint="x")
    with pytest.raises(ArgumentError, match="damping is finite and not negative, got nan"):
        Spring("s", 1.0, 0.0, np.nan, joint="x")
    with pytest.raises(ArgumentError, match="between two frames"):
        Spring("s", 1.0, 0.0, joint="x", turning_damping=np.eye(3))
    b = vv.Builder("bad").body("a", joint="prismatic", axis="x", joint_name="x", mass=1.0)
    with pytest.raises(ArgumentError, match="points are those of two frames"):
        b.spring("s", 1.0, joint="x", points=([0, 0, 0], [1, 0, 0]))


def test_quadrature_of_a_law_that_goes_up_and_down():
    """1 / (2 + cos e) has no integral in closed form that holds beyond half a turn."""
    k = vv.Stiffness("1/(2 + cos(e))", of="force")
    assert not k.is_integrated
    for e in (-5.0, 4.0, 8.0):
        with mpmath.workdps(30):
            wanted = mpmath.quad(lambda x: 1 / (2 + mpmath.cos(x)), mpmath.linspace(0, e, 9))
        close([k.energy(e)], [float(wanted)], 1e-12)


def test_laws_that_cannot_be():
    with pytest.raises(ArgumentError, match="it has no k in it"):
        vv.Stiffness("1 + e", {"k": 1.0})
    with pytest.raises(ArgumentError, match="e is the stretch"):
        vv.Stiffness("1 + e", {"e": 1.0})
    with pytest.raises(ArgumentError, match="a formula or a function of e, got float"):
        vv.Stiffness(3.0)
    with pytest.raises(vv.errors.UnknownNameError, match="kind of law"):
        vv.Stiffness("e", of="co-energy")
    b = vv.Builder("bad").body("a", joint="prismatic", axis="x", joint_name="x", mass=1.0)
    with pytest.raises(ArgumentError, match="between two frames"):
        b.spring("s", np.eye(3), joint="x")
