"""Every real robot, against Pinocchio: all dynamics, kinematics and derivatives.

`make test` runs the algorithms themselves on floats for every second robot, half of them on a free
base, and the machine code of four; `make soak` runs both of all on both bases, at more states,
and looks at all frames. How the numbers correspond is said in `tests.support.oracles.robots`.
"""

from functools import partial

import numpy as np
import pinocchio as pin
import pytest

from tests.support.counts import SOAK, count
from tests.support.oracles import robots
from tests.support.oracles.oracle import (
    Compiled,
    Interpreted,
    Tally,
    algorithm,
    along,
    exactly,
    expanded,
    expanded_q,
    random_state,
)
from tests.support.oracles.robots import ROBOTS, ROWS, order, peer_q, peer_v, robot, whole
from visviva.describe.files.urdf.read import load_urdf

TOLERANCE = 1e-11  # relative to the largest entry: sums over up to a hundred bodies, both rounded
DERIVATIVES = 1e-9  # longer sums, with larger terms that cancel
GOOD = [p for p in ROBOTS if p != robots.NAMELESS]  # that one is refused by both
MASSLESS = "fingers without mass: M is singular, and Pinocchio's accelerations are nan"
SINGULAR = {"romeo/romeo": MASSLESS, "romeo/romeo_laas_small": MASSLESS}
CHOSEN = [
    ("robots/finger_edu.urdf", "fixed"),
    ("urdf/ur5_robot.urdf", "fixed"),
    ("robots/finger_edu.urdf", "free"),
]
ALL = [(path, base) for path in GOOD for base in ("fixed", "free")]
ON_FLOATS = ALL if SOAK else [ALL[2 * k + k // 5 % 2] for k in range(0, len(GOOD), 5)]
COMPILED = ALL if SOAK else [(robot(name), base) for name, base in CHOSEN]


def named(pairs):
    return [pytest.param(path, b, id=f"{robots.label(path)}-{b}") for path, b in pairs]


@pytest.mark.spread(3)
@pytest.mark.parametrize(("path", "base"), named(ON_FLOATS))
def test_algorithms_on_floats(path, base, record_property):
    compare_robot(Interpreted, path, base, record_property, count(1, 10), count(3, None))


@pytest.mark.spread(1)
@pytest.mark.soak
@pytest.mark.parametrize(("path", "base"), named(COMPILED))
def test_machine_code(path, base, record_property):
    compare_robot(Compiled, path, base, record_property, count(2, 20), count(2, 6))


def compare_robot(kind, path, base, record_property, states, frames):
    """All functions at random states; `frames` of the robot's frames, or all of them."""
    model, peer = robots.load(path, base), robots.load_peer(path, base)
    rng = np.random.default_rng(5)
    road, tally = kind(model), Tally()
    tally.stiff = 0
    names = list(model.frame_names)
    if frames is not None and len(names) > frames:
        names = sorted(rng.choice(names, frames, replace=False).tolist())
    singular = robots.label(path) in SINGULAR
    if model.nv > 20 and not SOAK:
        states = 1
    for _ in range(states):
        state = (model.random(rng), *rng.normal(size=(3, model.nv)))
        compare_motion(road, model, peer, state, names, tally)
        if model.nv:
            compare_dynamics(road, model, peer, state, tally)
            compare_derivatives(road, model, peer, state, tally)
            compare_forward(road, model, peer, state, tally, singular)
        tally.states += 1
    group = f"{kind.__name__.lower()}, base {base}"
    left = {"without forward dynamics": int(singular), "states with condition > 1e5": tally.stiff}
    left["decided by 50 digits"] = tally.decided
    tally.note(record_property, f"Pinocchio, {group}", robots=1, **left)
    assert not tally.failures, "\n".join(tally.failures)
    assert tally.functions


def compare_dynamics(road, model, peer, state, tally):
    q, v, a, _ = state
    o, data = order(model, peer), peer.createData()
    Q, V, A = peer_q(model, peer, q), peer_v(model, peer, v), peer_v(model, peer, a)

    def check(name, ours, theirs, floor=1e-6):
        tally.compare(name, ours, theirs, TOLERANCE, floor)

    check("inverse_dynamics", road("inverse_dynamics", q, v, a)[o], pin.rnea(peer, data, Q, V, A))
    bias = pin.nonLinearEffects(peer, data, Q, V).copy()
    check("bias_forces", road("bias_forces", q, v)[o], bias)
    gravity = road("gravity_forces", q)
    check("gravity_forces", gravity[o], pin.computeGeneralizedGravity(peer, data, Q))
    M = road("mass_matrix", q)
    check("mass_matrix", M[np.ix_(o, o)], whole(pin.crba(peer, data, Q)))
    C = road("coriolis_matrix", q, v)
    check("coriolis_matrix", (C @ v + gravity)[o], bias)
    theirs = pin.computeCoriolisMatrix(peer, data, Q, V)
    size = np.abs(M).max() * np.abs(v).max()  # of C, if nothing cancels
    check("coriolis_matrix", (C + C.T)[np.ix_(o, o)], theirs + theirs.T, size)
    rate = along(model, lambda x: algorithm(model, "mass_matrix")(model, x), q, v)
    check("coriolis_matrix", C + C.T, rate, size)
    check(
        "kinetic_energy", road("kinetic_energy", q, v), pin.computeKineticEnergy(peer, data, Q, V)
    )
    potential = pin.computePotentialEnergy(peer, data, Q)
    check("potential_energy", road("potential_energy", q), potential)
    Y = road("regressor", q, v, a)[:, robots.regressor_columns(model)]
    check("regressor", Y[o], pin.computeJointTorqueRegressor(peer, data, Q, V, A))


def compare_motion(road, model, peer, state, names, tally):
    """Lengths and angular velocities are of size one: what vanishes is relative to that."""
    q, v, _, _ = state
    o, data = order(model, peer), peer.createData()
    Q, V = peer_q(model, peer, q), peer_v(model, peer, v)

    def check(name, ours, theirs, floor=1.0):
        tally.compare(name, ours, theirs, TOLERANCE, floor)

    if model.mass > 0:
        check("center_of_mass", road("center_of_mass", q), pin.centerOfMass(peer, data, Q))
        J = pin.jacobianCenterOfMass(peer, data, Q)
        check("center_of_mass_jacobian", road("center_of_mass_jacobian", q)[:, o], J)
        h = pin.computeCentroidalMomentum(peer, data, Q, V).vector
        check("centroidal_momentum", road("centroidal_momentum", q, v)[ROWS], h, model.mass)
        pin.computeCentroidalMap(peer, data, Q)
        check("centroidal_matrix", road("centroidal_matrix", q)[ROWS][:, o], data.Ag, model.mass)
    if model.nv:  # Pinocchio crashes without joints
        pin.computeJointJacobiansTimeVariation(peer, data, Q, V)
    pin.framesForwardKinematics(peer, data, Q)
    number = {name: peer.getFrameId(name, pin.FrameType.BODY) for name in model.frame_names}
    theirs = [data.oMf[number[name]].homogeneous for name in model.frame_names]
    check("poses", road("poses", q), np.reshape(theirs, (-1, 4, 4)))
    for name in names:
        at = number[name]
        check("pose", road.about("pose", name, q), data.oMf[at].homogeneous)
        for reference, theirs in robots.REFERENCES.items() if model.nv else ():
            J = pin.getFrameJacobian(peer, data, at, theirs)
            ours = road.about("jacobian", name, q, reference=reference)
            check("jacobian", ours[ROWS][:, o], J)
            dJ = pin.getFrameJacobianTimeVariation(peer, data, at, theirs)
            ours = road.about("jacobian_rate", name, q, v, reference=reference)
            check("jacobian_rate", ours[ROWS][:, o], dJ)


def compare_derivatives(road, model, peer, state, tally):
    q, v, a, _ = state
    o, data = order(model, peer), peer.createData()
    Q, V, A = peer_q(model, peer, q), peer_v(model, peer, v), peer_v(model, peer, a)
    theirs = [x.copy() for x in pin.computeRNEADerivatives(peer, data, Q, V, A)]
    theirs[2] = whole(theirs[2])
    size = np.abs(theirs[2]).max()
    ours = road.derivatives("inverse_dynamics", ("q", "v", "a"), q, v, a)
    for name, x, y in zip("qva", ours, theirs, strict=True):
        tally.compare(f"∂ inverse_dynamics / ∂{name}", x[np.ix_(o, o)], y, DERIVATIVES, size)


def compare_forward(road, model, peer, state, tally, singular):
    """Solving multiplies the rounding of M, half an ulp, by the condition of M.

    That is above 1e5 for some robots, and up to 1e11 for icub, whose head is a point on three axes:
    there neither library has eleven digits to compare. Pinocchio loses more for free bases that
    are light, so that 50 digits decide where the two differ.
    """
    q, v, _, tau = state
    o, data = order(model, peer), peer.createData()
    Q, V, T = peer_q(model, peer, q), peer_v(model, peer, v), peer_v(model, peer, tau)
    eigenvalues = np.linalg.eigvalsh(whole(pin.crba(peer, data, Q)))
    theirs = pin.aba(peer, data, Q, V, T)
    assert (eigenvalues[0] <= 1e-14 * eigenvalues[-1]) == singular
    assert np.isnan(theirs).any() == singular
    if singular:
        return
    loose = max(1.0, eigenvalues[-1] / eigenvalues[0] / 1e5)
    tally.stiff += int(loose > 1.0)

    def check(name, ours, theirs, tolerance=TOLERANCE, **more):
        tally.compare(name, ours, theirs, tolerance * loose, **more)

    both, args = np.ix_(o, o), (q, v, tau)
    ours = road("forward_dynamics", *args)[o]
    truth = partial(exactly, model, "forward_dynamics", *args)
    check("forward_dynamics", ours, theirs, truth=lambda: truth()[o])
    ours, theirs = road("mass_matrix_inverse", q)[both], pin.computeMinverse(peer, data, Q)
    inverse = partial(exactly, model, "mass_matrix_inverse", q)
    check("mass_matrix_inverse", ours, whole(theirs), truth=lambda: inverse()[both])
    theirs = [x.copy() for x in pin.computeABADerivatives(peer, data, Q, V, T)]
    theirs[2] = whole(theirs[2])
    ours = road.derivatives("forward_dynamics", ("q", "v", "tau"), q, v, tau)
    for name, x, y in zip(("q", "v", "tau"), ours, theirs, strict=True):
        check(f"∂ forward_dynamics / ∂{name}", x[both], y, DERIVATIVES, floor=1.0)


def with_couplings(path):
    """A robot with its mimic joints coupled, or None if it has none."""
    model = load_urdf(path, snap=0).without_dissipation()
    return model if any(b.mimic for b in model.bodies) else None


@pytest.mark.spread(0)
@pytest.mark.soak
def test_coupled_joints(record_property):
    """A coupled robot is the expanded one with velocities G v; its forces are Gᵀ times theirs."""
    tally, rng = Tally(), np.random.default_rng(6)
    stated = [p for p in GOOD if p != robots.DANGLING and b"<mimic" in p.read_bytes()]
    found = [(p, with_couplings(p)) for p in stated]
    coupled = [(p, model) for p, model in found if model is not None]
    for path, model in coupled:
        peer, (free, G) = robots.load_peer(path), expanded(model)
        q, v, a = random_state(rng, model)
        whole_q = expanded_q(model, free, q)
        Q = peer_q(free, peer, whole_q)
        V, A = peer_v(free, peer, G @ v), peer_v(free, peer, G @ a)
        o, data, run = order(free, peer), peer.createData(), Interpreted(model)
        G = G[o]  # with rows in Pinocchio's order
        check = partial(tally.compare, tolerance=TOLERANCE)
        check(
            "inverse_dynamics",
            run("inverse_dynamics", q, v, a),
            G.T @ pin.rnea(peer, data, Q, V, A),
        )
        check("bias_forces", run("bias_forces", q, v), G.T @ pin.nonLinearEffects(peer, data, Q, V))
        M = G.T @ whole(pin.crba(peer, data, Q)) @ G
        check("mass_matrix", run("mass_matrix", q), M)
        check("kinetic_energy", run("kinetic_energy", q, v), v @ M @ v / 2)
        C = pin.computeCoriolisMatrix(peer, data, Q, V)
        ours = run("coriolis_matrix", q, v)
        check("coriolis_matrix", ours + ours.T, G.T @ (C + C.T) @ G)
        Y = run("regressor", q, v, a)[:, robots.regressor_columns(model)]
        check("regressor", Y, G.T @ pin.computeJointTorqueRegressor(peer, data, Q, V, A))
        theirs = pin.computeRNEADerivatives(peer, data, Q, V, A)
        ours = run.derivatives("inverse_dynamics", ("q", "v"), q, v, a)
        for name, x, y in zip("qv", ours, theirs, strict=False):
            tally.compare(f"∂ inverse_dynamics / ∂{name}", x, G.T @ y @ G, DERIVATIVES)
        pin.computeJointJacobians(peer, data, Q)
        pin.framesForwardKinematics(peer, data, Q)
        for name in model.frame_names:
            at = peer.getFrameId(name, pin.FrameType.BODY)
            J = pin.getFrameJacobian(peer, data, at, pin.LOCAL_WORLD_ALIGNED)
            check("jacobian", run.about("jacobian", name, q)[ROWS], J @ G, floor=1.0)
        tally.states += 1
    tally.note(record_property, "Pinocchio, coupled joints", robots=len(coupled))
    assert not tally.failures, "\n".join(tally.failures)
    assert len(coupled) >= 8


def test_what_was_left_out():
    """Every file is compared, or named here with the reason."""
    assert len(ROBOTS) == len(GOOD) + 1 >= 69
    labels = [robots.label(p) for p in GOOD]
    assert len(set(labels)) == len(labels)
    assert set(SINGULAR) <= set(labels)
    print(f"{len(GOOD)} robots; without forward dynamics: {SINGULAR}; refused: {robots.NAMELESS}")
