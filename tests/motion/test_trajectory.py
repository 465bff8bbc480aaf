"""A trajectory: names, units, states between samples, quantities along it, refusals."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.oracles.oracle import mechanism
from tests.support.oracles.solved import batch, solved
from visviva.errors import ArgumentError, DtypeError, ShapeError, UnknownNameError

T = np.linspace(0.0, 2.0, 41)
SWING = solved(vv.catalog.cart_pole(), [0.0, 1.0], [0.2, 0.0], T)
TUMBLE = solved(vv.catalog.tumbling_body(), [0, 0, 0, 1.0], [0.1, 2.0, 0.1], T)


def test_states_are_asked_for_by_name():
    assert np.array_equal(SWING["x"], SWING.q[:, 0])
    assert np.array_equal(SWING["theta'"], SWING.v[:, 1])
    assert np.array_equal(SWING["theta′"], SWING["thetad"])
    assert np.array_equal(TUMBLE["attitude"], TUMBLE.q)
    assert np.array_equal(TUMBLE["attitude'"], TUMBLE.v)
    assert np.array_equal(TUMBLE["attitude_wy'"], TUMBLE.v[:, 1])
    assert "theta" in SWING
    assert "alpha" not in SWING


def test_names_and_units():
    assert SWING.names == ("x", "theta", "xd", "thetad")
    assert SWING.units == {"x": "m", "theta": "rad", "xd": "m/s", "thetad": "rad/s"}
    assert TUMBLE.units["attitude_x"] == "1"
    assert TUMBLE.units["attitude_wxd"] == "rad/s"
    pushed = solved(vv.catalog.cart_pole(), [0.0, 0.0], [0, 0], T, lambda t, q, v: [1.0, 0.0])
    assert pushed.units["tau_x"] == "N"
    assert pushed.units["tau_theta"] == "N m"
    assert np.array_equal(pushed["tau_x"], np.ones(41))
    top = vv.catalog.heavy_top()
    still = vv.Trajectory(top, [0.0], np.ones((1, 3)), np.zeros((1, 3)))
    assert set(still.units.values()) <= {"", "rad", "rad/s"}, "energies state no units of lengths"


def test_units_of_joints_with_several_coordinates():
    b = vv.Builder("disc")
    b.body("puck", joint="planar", axis="z", inertia=vv.Inertia.box(1.0, x=1, y=1, z=1))
    b.body("ship", joint="free", inertia=vv.Inertia.box(1.0, x=1, y=1, z=1))
    model = b.build()
    assert model.coordinate_units == ("rad", "m", "m", *"1111", "m", "m", "m")
    assert model.velocity_units == ("rad/s", "m/s", "m/s", *["rad/s"] * 3, *["m/s"] * 3)
    assert len(model.coordinate_names) == model.nq
    assert len(model.velocity_names) == model.nv


def test_unknown_names_list_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"'thata'; did you mean 'theta'\? .*\"theta'\""):
        SWING["thata"]
    with pytest.raises(ArgumentError, match="no forces act along this motion"):
        SWING["tau_x"]
    with pytest.raises(ArgumentError, match="asked by name"):
        SWING[1.5]
    with pytest.raises(UnknownNameError, match="unknown quantity 'mass_matirx'; did you mean"):
        SWING.quantity("mass_matirx")


def test_between_samples_the_dense_output_is_asked():
    run = solved(vv.catalog.cart_pole(), [0.0, 1.0], [0.2, 0.0], [0.0, 1.0, 2.0], is_dense=True)
    fine = solved(vv.catalog.cart_pole(), [0.0, 1.0], [0.2, 0.0], T)
    q, v = run.at(T)
    np.testing.assert_allclose(q, fine.q, atol=1e-8)
    np.testing.assert_allclose(v, fine.v, atol=1e-8)
    q, v = run.at(0.35)
    assert q.shape == v.shape == (2,)


STARTS = {
    "cart_pole": ([0.0, 1.0], [0.3, 2.0]),
    "tumbling_body": ([0.0, 0.0, 0.0, 1.0], [0.1, 2.0, 0.1]),
    "bead_on_rotating_wire": ([0.3], [1.0]),
}


@pytest.mark.parametrize("name", STARTS)
def test_interpolation_is_of_fourth_order_in_q_and_third_in_v(name):
    system, (q0, v0) = getattr(vv.catalog, name)(), STARTS[name]
    errors = []
    for steps in (20, 40, 80):
        run = solved(system, q0, v0, np.linspace(0, 2, steps + 1), is_dense=True, rtol=1e-12)
        bare = vv.Trajectory(system, run.t, run.q, run.v)
        t = np.linspace(0.01, 1.99, 331)
        (q, v), (q1, v1) = run.at(t), bare.at(t)
        errors.append((np.abs(q - q1).max(), np.abs(v - v1).max()))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    # near a limit: steps are not small against the motion
    np.testing.assert_allclose(orders.mean(axis=0), [4, 3], atol=0.25)


def test_interpolated_positions_stay_on_the_manifold_and_hit_the_samples():
    q, v = TUMBLE.at(np.linspace(0, 2, 333))
    np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, atol=1e-14)
    q, v = TUMBLE.at(T)
    assert np.array_equal(q, TUMBLE.q)
    assert np.array_equal(v, TUMBLE.v)


@examples(4, 300)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_velocities_between_samples_are_those_of_the_positions(seed, size):
    """q(t + δ) = integrate(q(t), δ v(t)) to second order, on any mechanism."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size)
    if not model.nv:
        return
    q0, v0, v1 = model.random(rng), *rng.uniform(-1, 1, (2, model.nv))
    h = 0.5
    q1 = model.integrate(q0, h * (v0 + v1) / 2)
    run = vv.Trajectory(model, [0.0, h], np.stack([q0, q1]), np.stack([v0, v1]))
    d = 1e-5
    for t in (0.1, 0.3):
        (before, at, after), (_, v, _) = run.at([t - d, t, t + d])
        seen = (model.difference(at, after) - model.difference(at, before)) / (2 * d)
        np.testing.assert_allclose(seen, v, atol=1e-8 * (1 + np.abs(v).max()))


def test_times_outside_are_refused_with_both_numbers():
    with pytest.raises(ArgumentError, match=r"from t = 0 s to 2 s, got t = 2\.5 s"):
        SWING.at(2.5)
    with pytest.raises(ArgumentError, match="got t = nan s"):
        SWING.at([0.0, np.nan])
    with pytest.raises(ShapeError, match=r"times \(k,\)"):
        SWING.at(np.zeros((2, 2)))


def test_quantities_are_those_of_the_system_at_every_sample():
    model = vv.catalog.cart_pole()
    states = zip(SWING.q, SWING.v, strict=True)
    energy = [model.kinetic_energy(q, v) + model.potential_energy(q) for q, v in states]
    np.testing.assert_allclose(SWING.energy, energy, rtol=1e-15)
    np.testing.assert_allclose(SWING.energy, SWING.energy[0], atol=1e-9)
    assert SWING.quantity("mass_matrix").shape == (41, 2, 2)
    assert SWING.reactions.shape == (41, 2, 6)
    assert SWING.constraint_error.shape == (41, 0)
    np.testing.assert_allclose(
        SWING.quantity("inverse_dynamics"), 0, atol=1e-12, err_msg="of the accelerations that act"
    )


def test_systems_that_have_the_time_in_them():
    driven = vv.Lagrangian(
        "x", "m*x'^2/2", "k*(x - sin(t))^2/2", parameters={"m": 1.0, "k": 4.0}, name="driven"
    )
    run = solved(driven, [0.1], [0.0], T)
    expected = run.v[:, 0] ** 2 / 2 + 2 * (run.q[:, 0] - np.sin(T)) ** 2
    np.testing.assert_allclose(run.energy, expected, rtol=1e-13)


def test_constraints_along_a_motion():
    model = vv.catalog.four_bar()
    q0 = model.assembled(fixed={"theta1": 0.4})
    v0 = model.admitted_velocity(q0, [3.0, 0.0, 0.0])
    run = solved(model, q0, v0, T)
    assert np.abs(run.constraint_error).max() < 1e-7, "nothing projects: it drifts"
    assert run.multipliers.shape == (41, model.multipliers(q0, v0, np.zeros(3)).shape[0])
    assert len(run.reactions[0]) == 4


def test_batches():
    other = solved(vv.catalog.cart_pole(), [0.5, -1.0], [0.0, 0.3], T)
    both = batch(SWING, other)
    assert both.is_batch
    assert both["x"].shape == (2, 41)
    for k, one in enumerate((SWING, other)):
        assert np.array_equal(both[k].q, one.q)
        assert np.array_equal(both.energy[k], one.energy)
        assert np.array_equal(both.at(T[3] + 0.01)[0][k], one.at(T[3] + 0.01)[0])
    assert [run.q[0, 0] for run in both] == [0.0, 0.5]
    assert both[:1].q.shape == (1, 41, 2)
    told = replace(both, statistics={"steps": np.array([7, 9]), "rtol": 1e-9})
    assert dict(told[1].statistics) == {"steps": 9, "rtol": 1e-9}
    with pytest.raises(IndexError, match="there are 2 trajectories, got the number 2"):
        both[2]
    with pytest.raises(ArgumentError, match="one trajectory, not a batch"):
        SWING[0]


def test_parameters_that_differ_among_trajectories():
    model = vv.catalog.cart_pole()
    runs = [solved(model.with_parameters(m=m), [0.0, 1.0], [0.0, 0.0], T) for m in (0.1, 0.7)]
    q, v = (np.stack([getattr(run, k) for run in runs]) for k in "qv")
    both = vv.Trajectory(model, T, q, v, parameters={"m": [0.1, 0.7]})
    for k, run in enumerate(runs):
        np.testing.assert_allclose(both.energy[k], run.energy, rtol=1e-14)
        np.testing.assert_allclose(both[k].energy, run.energy, rtol=1e-14)
    with pytest.raises(ShapeError, match=r"the parameter 'm' is a number or has shape \(2,\)"):
        vv.Trajectory(model, T, q, v, parameters={"m": [0.1, 0.7, 0.2]})


def test_nothing_in_it_can_be_changed():
    t, q, v = T.copy(), SWING.q.copy(), SWING.v.copy()
    run = vv.Trajectory(SWING.system, t, q, v, tau=[1.0, 0.0])
    t[0], q[0] = 7.0, 7.0
    assert run.t[0] == 0.0
    assert run.q[0, 0] == 0.0
    for x in (run.t, run.q, run.v, run.tau):
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 1.0
    with pytest.raises(FrozenInstanceError):
        run.q = q


def test_forces_between_samples():
    t, flat = [0.0, 1.0, 2.0], np.zeros((3, 2))
    tau = [[0.0, 0], [1.0, 0], [3.0, 0]]
    held = vv.Trajectory(SWING.system, t, flat, flat, tau=tau)
    assert held.forces_at([0.0, 0.9, 1.0, 1.9, 2.0])[:, 0].tolist() == [0, 0, 1, 1, 3]
    linear = vv.Trajectory(SWING.system, t, flat, flat, tau=tau, between="linear")
    assert linear.forces_at(1.5).tolist() == [2.0, 0.0]
    of_state = vv.Trajectory(SWING.system, t, flat, flat, between=lambda t, q, v: [t, q[0]])
    assert of_state.forces_at(1.5).tolist() == [1.5, 0.0]
    assert of_state.tau[:, 0].tolist() == t
    compiled = vv.function(lambda q, v: -2.0 * q - v, {"q": 2, "v": 2})
    assert (
        vv.Trajectory(SWING.system, t, flat + 1, flat, between=compiled).tau.tolist()
        == [[-2, -2]] * 3
    )


def test_it_says_what_it_is_in_two_lines():
    assert repr(SWING).splitlines()[0] == (
        "trajectory of 'cart_pole': 41 samples from 0 s to 2 s, q = (x, theta)"
    )
    assert repr(SWING).splitlines()[1].startswith("  method scipy-dop853, rtol 1e-10, evaluations")
    assert repr(batch(SWING, SWING)).startswith("2 trajectories of 'cart_pole'")
    assert len(repr(TUMBLE).splitlines()) == 2


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"t": [0.0, 1.0, 1.0]}, ArgumentError, "times increase, got 1 s after 1 s"),
        ({"t": [0.0, np.inf, 1.0]}, ArgumentError, "times are finite, got inf"),
        ({"t": []}, ShapeError, r"t has shape \(steps,\)"),
        ({"t": ["a", "b", "c"]}, DtypeError, "t of a trajectory is an array of numbers"),
        ({"q": np.zeros((3, 5))}, ShapeError, r"\(3, 2\) or \(N, 3, 2\), got \(3, 5\)"),
        ({"q": np.zeros((4, 2))}, ShapeError, r"along 3 times has shape \(3, 2\)"),
        ({"v": np.zeros((3, 1))}, ShapeError, r"v of 'cart_pole' has shape \(3, 2\), got \(3, 1\)"),
        ({"tau": np.zeros((2, 2))}, ShapeError, r"tau has the shape of v, \(3, 2\)"),
        ({"between": "cubic"}, ArgumentError, "between= is 'held'"),
        ({"between": lambda t, q, v: [1.0]}, ShapeError, r"tau have shape \(2,\), a function gave"),
    ],
)
def test_what_is_no_trajectory_is_refused(change, error, message):
    given = {"t": [0.0, 1.0, 2.0], "q": np.zeros((3, 2)), "v": np.zeros((3, 2)), **change}
    with pytest.raises(error, match=message):
        vv.Trajectory(vv.catalog.cart_pole(), **given)


def test_one_sample_is_a_trajectory_too():
    run = vv.Trajectory(SWING.system, [1.0], [[0.0, 0.5]], [[0.0, 0.0]])
    assert run.at(1.0)[0].tolist() == [0.0, 0.5]
    assert run.energy.shape == (1,)


@pytest.mark.parametrize(
    "how",
    [{"parameters": 5}, {"statistics": 5}, {"dense": 5}, {"dense": lambda t: (t, t)}],
)
def test_what_a_trajectory_cannot_be_told_is_refused_in_words(how):
    t = np.linspace(0.0, 1.0, 5)
    with pytest.raises(vv.errors.VisvivaError, match="got"):
        vv.Trajectory(vv.catalog.two_link(), t, np.zeros((5, 2)), np.zeros((5, 2)), **how).at(0.3)


def test_one_note_is_one_note():
    t, q = np.linspace(0.0, 1.0, 5), np.zeros((5, 2))
    assert vv.Trajectory(vv.catalog.two_link(), t, q, q, notes="by hand").notes == ("by hand",)


def test_between_samples_a_quaternion_has_no_sign():
    """q and -q are the same turn: logs change the sign as they like, and velocities were of -q."""
    inertia = vv.Inertia.box(3.0, x=0.3, y=0.2, z=0.1)
    model = vv.Builder("hull").body("hull", joint="free", inertia=inertia).build()
    run = model.simulate(model.random(0), np.linspace(-1.0, 1.0, 6), np.linspace(0.0, 1.0, 51))
    signs = np.where(np.random.default_rng(0).integers(0, 2, 51), 1.0, -1.0)
    q = run.q.copy()
    q[:, :4] *= signs[:, None]
    same, flipped = (vv.Trajectory(model, run.t, x, run.v) for x in (run.q, q))
    at = np.linspace(0.0, 1.0, 337)
    pose = model.pose("hull")
    assert np.allclose(pose(same.at(at)[0]), pose(flipped.at(at)[0]), rtol=0, atol=1e-12)
    assert np.allclose(same.at(at)[1], flipped.at(at)[1], rtol=0, atol=1e-11)
