"""Every joint type answers the same questions, and the answers belong together."""

import inspect
import pickle
from importlib import import_module
from pkgutil import iter_modules

import mpmath
import numpy as np
import pytest

from tests.support.counts import count
from tests.support.generators.bodies import JOINTS, close, mp, over_all_scalars, same_pose
from tests.support.oracles.oracle import mixed_slope
from visviva.describe import joints
from visviva.describe.joints.axis import Fixed, Prismatic, Revolute
from visviva.describe.joints.free import Free, Planar, Spherical
from visviva.describe.joints.joint import Joint
from visviva.describe.joints.named import JOINTS as NAMED
from visviva.equations.bodies.moments import Moments
from visviva.errors import ArgumentError
from visviva.space import poses
from visviva.space.poses import Pose
from visviva.space.rotations import quaternion_matrix

MOVABLE = {k: j for k, j in JOINTS.items() if not isinstance(j, Fixed)}
every_joint = pytest.mark.parametrize("name", MOVABLE)


def stated_classes():
    """Every joint class of the package."""
    files = [import_module(f"{joints.__name__}.{x.name}") for x in iter_modules(joints.__path__)]
    classes = (x for file in files for x in vars(file).values() if inspect.isclass(x))
    return {x for x in classes if issubclass(x, Joint) and not inspect.isabstract(x)}


def test_every_joint_class_is_asked():
    missing = {x.__name__ for x in stated_classes() - {type(x) for x in JOINTS.values()}}
    assert not missing, (
        f"{missing} of visviva.describe.joints: add one of each to JOINTS in "
        "tests/support/generators/bodies.py, which is what all tests of joints run over"
    )
    assert stated_classes() == set(NAMED.values()), (
        "Builder and mechanism files name the joints of describe/joints/axis.py and free.py: "
        "move the class there, or add its file to JOINTS in describe/joints/named.py"
    )


def samples(joint, seed=0, quick=5, full=500):
    """Positions without limits, velocities, and steps below a half turn."""
    rng = np.random.default_rng(seed)
    none = np.full(joint.nq, np.inf)
    for _ in range(count(quick, full)):
        yield (
            joint.random(rng, -none, none),
            rng.normal(size=joint.nv),
            rng.uniform(-1, 1, joint.nv),
        )


def twist_of(up, down, X, h):
    """The body twist of a moving pose from two neighbours, h before and after."""
    M = X.inverse().matrix() @ ((up.matrix() - down.matrix()) / (2 * h))
    return [M[2, 1], M[0, 2], M[1, 0], *M[:3, 3]]


@pytest.mark.soak
@every_joint
def test_the_subspace_is_the_derivative_of_the_transform(name):
    """Along q + q̇ t, by differences at 50 digits: the body twist is subspace(q) v."""
    joint = MOVABLE[name]
    for q, v, _ in samples(joint):
        rates = joint.rates(q, v)
        assert rates.shape == (joint.nq,)
        with mpmath.workdps(50):
            h = mpmath.mpf(10) ** -18
            up, down = (joint.transform(mp(q) + s * h * mp(rates)) for s in (1, -1))
            measured = twist_of(up, down, joint.transform(mp(q)), h)
        assert joint.subspace(q).shape == (6, joint.nv)
        close(measured, joint.subspace(q) @ v, 1e-14)


@pytest.mark.soak
@every_joint
def test_the_bias_is_the_rate_of_the_subspace(name):
    joint = MOVABLE[name]
    for q, v, _ in samples(joint):
        rates = joint.rates(q, v)
        with mpmath.workdps(50):
            h = mpmath.mpf(10) ** -18
            up, down = (joint.subspace(mp(q) + s * h * mp(rates)) for s in (1, -1))
            measured = (up - down) @ v / (2 * h)
        close(measured, joint.bias(q, v), 1e-14)


@pytest.mark.soak
@every_joint
def test_rates_and_velocity_are_inverse(name):
    joint = MOVABLE[name]
    for q, v, _ in samples(joint):
        close(joint.velocity(q, joint.rates(q, v)), v, 1e-14)


@pytest.mark.soak
@every_joint
def test_integrate_and_difference_are_inverse(name):
    joint = MOVABLE[name]
    for q, v, step in samples(joint):
        there = joint.integrate(q, step)
        close(joint.difference(q, there), step, 1e-13)
        target = joint.integrate(there, v)
        same_pose(
            joint.transform(joint.integrate(q, joint.difference(q, target))),
            joint.transform(target),
            1e-13,
        )
        close(joint.integrate(q, 0 * step), q, 1e-15)
        close(joint.difference(q, q), np.zeros(joint.nv), 1e-15)


@pytest.mark.soak
@every_joint
def test_integrating_is_moving_with_a_constant_velocity(name):
    """Half of it twice is the whole, and where the subspace is constant it is the exponential."""
    joint = MOVABLE[name]
    for q, v, step in samples(joint):
        half = joint.integrate(joint.integrate(q, step / 2), step / 2)
        close(half, joint.integrate(q, step), 1e-14)
        if joint.constant_subspace:
            moved = joint.transform(q) @ poses.exp(joint.subspace(q) @ step)
            same_pose(joint.transform(joint.integrate(q, step)), moved, 1e-14)
        with mpmath.workdps(50):  # its beginning is q̇
            h = mpmath.mpf(10) ** -18
            slope = (joint.integrate(mp(q), h * mp(v)) - joint.integrate(mp(q), -h * mp(v))) / (
                2 * h
            )
        close(slope, joint.rates(q, v), 1e-14)


@pytest.mark.soak
@every_joint
def test_the_bracket_is_what_exchanged_steps_leave(name):
    """Along v, w, -v, -w: by differences at 50 digits; zero where velocities are rates."""
    joint = MOVABLE[name]
    for q, v, w in samples(joint, quick=2, full=100):

        def round_trip(s, t, q=q, v=v, w=w):
            there = mp(q)
            for step in (mp(v) * s, mp(w) * t, mp(v) * -s, mp(w) * -t):
                there = joint.integrate(there, step)
            return joint.difference(mp(q), there)

        close(mixed_slope(round_trip), joint.bracket(v, w), 1e-13)
        assert joint.bracket(v, w).any() != joint.has_rates, (
            "bracket is zero where coordinates and velocities have the same names, and only there"
        )


def test_a_joint_of_ones_own_states_its_bracket():
    class Sliding(Planar):
        bracket = Joint.bracket

    with pytest.raises(ArgumentError, match=r"Sliding, whose velocities .* define bracket\(v, w\)"):
        Sliding([0.0, 0.0, 1.0]).bracket(np.zeros(3), np.zeros(3))


@pytest.mark.soak
@pytest.mark.parametrize("name", JOINTS)
def test_origins_that_slide_change_no_motion(name):
    """Shifting before the joint or behind it is the same; nothing else that is shifted is."""
    joint = JOINTS[name]
    for d in np.random.default_rng(3).normal(size=(3, 3)):
        along = joint.slides(d)
        close(joint.slides(along), along, 1e-15)
        close(joint.slides(d - along), np.zeros(3), 1e-15)
        for q, _, _ in samples(joint, quick=2, full=50):
            X = joint.transform(q)
            same_pose(X @ Pose.translation(along), Pose.translation(along) @ X, 1e-14)
            if np.linalg.norm(d - along) > 1e-9:
                moved = (X.R - np.eye(3)) @ (d - along)
                assert np.linalg.norm(moved) > 1e-9, "slides(d) leaves out what might slide too"


@pytest.mark.soak
@pytest.mark.parametrize("name", JOINTS)
def test_what_a_joint_does_not_feel_may_belong_to_the_parent(name):
    """It has the same kinetic energy and first moment there, however both bodies move."""
    energy, place = gaps_of_unfelt(JOINTS[name])
    assert energy < 1e-13, f"unfelt of {name}, moved to the parent, changes T by {energy}"
    assert place < 1e-13, f"unfelt of {name}, moved to the parent, changes V by {place} times g"


@pytest.mark.soak
def test_a_wrong_unfelt_is_seen():
    class Heavy(Prismatic):
        def unfelt(self, m, h, S):
            return m * 0.5, 0.0 * h, S

    class Lame(Revolute):
        def unfelt(self, m, h, S):
            return m, h, 0.0 * S

    assert min(gaps_of_unfelt(Heavy([0.0, 0.6, 0.8]))) > 0.1
    assert min(gaps_of_unfelt(Lame([0.0, 0.6, 0.8]))) > 0.1


def gaps_of_unfelt(joint):
    """By how much T and the first moment change if what is unfelt is the parent's."""
    rng = np.random.default_rng(4)
    gaps = []
    for q, v, _ in samples(joint):
        points, masses = rng.normal(size=(4, 3)), rng.uniform(0.1, 2.0, 4)
        S = np.einsum("p,pi,pj->ij", masses, points, points)
        own = Moments(*joint.unfelt(masses.sum(), masses @ points, S))
        X, start = joint.transform(q), joint.transform(joint.neutral())
        there = own.moved(start.R, start.p)
        parent = rng.normal(size=6)
        child = X.inverse().adjoint() @ parent + joint.subspace(q) @ v
        T = [
            np.concatenate(body.momentum(twist[:3], twist[3:])) @ twist / 2
            for body, twist in ((own, child), (there, parent))
        ]
        gaps.append((abs(T[0] - T[1]), np.abs(own.moved(X.R, X.p).h - there.h).max()))
    return np.max(gaps, axis=0)


@pytest.mark.parametrize("name", JOINTS)
def test_neutral_is_the_identity(name):
    joint = JOINTS[name]
    assert joint.neutral().shape == (joint.nq,)
    same_pose(joint.transform(joint.neutral()), poses.Pose.identity(), 0)


@every_joint
def test_random_positions(name):
    """Within the limits, whichever of them are given; quaternions have length one."""
    joint = MOVABLE[name]
    rng = np.random.default_rng(1)
    inf = np.full(joint.nq, np.inf)
    seen = np.array([joint.random(rng, -inf, inf) for _ in range(20)])
    assert seen.shape == (20, joint.nq)
    assert np.ptp(seen, axis=0).min() > 0.1
    if isinstance(joint, (Spherical, Free)):
        close(np.linalg.norm(seen[:, :4], axis=1), np.ones(20), 1e-15)
        return
    low, high = np.full(joint.nq, 5.0), np.full(joint.nq, 6.0)
    for lower, upper in [(low, high), (low, inf), (-inf, -low), (-low, low), (low, low)]:
        for _ in range(20):
            q = joint.random(rng, lower, upper)
            assert (q >= lower).all()
            assert (q <= upper).all()


@pytest.mark.spread(6)
@pytest.mark.soak
@every_joint
def test_over_all_scalars(name):
    """Floats, mpmath and machine code agree on every answer."""
    joint = MOVABLE[name]
    for q, v, step in samples(joint, quick=2, full=50):
        over_all_scalars(QUESTIONS["transform", name], q, tolerance=1e-14)
        over_all_scalars(QUESTIONS["subspace", name], q, tolerance=1e-14)
        for ask in ("bias", "rates"):
            over_all_scalars(QUESTIONS[ask, name], q, v, tolerance=1e-14)
        rates = joint.rates(q, v)
        over_all_scalars(QUESTIONS["velocity", name], q, rates, tolerance=1e-14)
        there = over_all_scalars(QUESTIONS["integrate", name], q, step, tolerance=1e-14)
        over_all_scalars(QUESTIONS["difference", name], q, there, tolerance=1e-13)


def _two(joint, ask):
    return lambda a, b: getattr(joint, ask)(a, b)


def asked(name, joint):
    """Its questions as functions, each of them one object: machine code is kept by it."""
    one = {
        ("transform", name): lambda q: joint.transform(q).matrix(),
        ("subspace", name): lambda q: joint.subspace(q),
    }
    two = ("bias", "rates", "velocity", "integrate", "difference")
    return one | {(ask, name): _two(joint, ask) for ask in two}


QUESTIONS = {key: f for name, joint in MOVABLE.items() for key, f in asked(name, joint).items()}


@pytest.mark.parametrize("name", JOINTS)
def test_names_fit_the_sizes(name):
    joint = JOINTS[name]
    assert joint.nq == len(joint.coordinates) == len(joint.angular)
    assert joint.nv == len(joint.velocities)
    again = pickle.loads(pickle.dumps(joint))
    assert type(again) is type(joint)
    q = joint.neutral()
    close(again.subspace(q), joint.subspace(q), 0)


def test_sizes():
    sizes = {k: (j.nq, j.nv) for k, j in JOINTS.items()}
    assert sizes["fixed"] == (0, 0)
    assert sizes["revolute"] == sizes["prismatic"] == sizes["helical"] == (1, 1)
    assert sizes["cylindrical"] == sizes["universal"] == (2, 2)
    assert sizes["planar"] == (3, 3)
    assert (sizes["spherical"], sizes["free"]) == ((4, 3), (7, 6))


@pytest.mark.spread(5)
@pytest.mark.soak
@pytest.mark.parametrize("name", JOINTS)
def test_the_wrenches_a_joint_passes_on_do_no_work(name):
    """Sᵀ T = 0, and S and T together have six independent columns."""
    joint = JOINTS[name]
    for q, _, _ in samples(joint):
        S, T = joint.subspace(q), joint.complement(q)
        assert T.shape == (6, 6 - joint.nv)
        close(S.T @ T, np.zeros((joint.nv, 6 - joint.nv)), 1e-15)
        assert np.linalg.matrix_rank(np.concatenate([S, T], axis=1)) == 6, (
            "subspace and complement have six independent columns"
        )
        # by numbers alone, the same space
        both = np.concatenate([T, Joint.complement(joint, q)], axis=1)
        assert (np.linalg.matrix_rank(both) if both.size else 0) == 6 - joint.nv
    if name in MOVABLE:
        over_all_scalars(joint.complement, next(samples(joint))[0])


@pytest.mark.soak
@pytest.mark.parametrize("name", JOINTS)
def test_a_constant_subspace_is_the_same_everywhere(name):
    joint = JOINTS[name]
    gaps = [
        np.abs(joint.subspace(q) - joint.subspace(joint.neutral())) for q, _, _ in samples(joint)
    ]
    assert joint.constant_subspace == all(gap.max(initial=0.0) < 1e-15 for gap in gaps), (
        "subspace_rate is defined if, and only if, subspace changes with q"
    )
    turned = [np.abs(joint.transform(q).R - np.eye(3)).max() for q, _, _ in samples(joint)]
    assert joint.turns == (max(turned) > 1e-12), (
        "turns says whether transform turns: define it where the subspace is not constant"
    )


@pytest.mark.soak
@pytest.mark.parametrize("name", JOINTS)
def test_quaternions_stand_where_the_joint_says(name):
    joint = JOINTS[name]
    for q, _, _ in samples(joint):
        if joint.quaternion is not None:
            close(np.linalg.norm(q[joint.quaternion]), 1.0, 1e-15)
            close(joint.transform(q).R, quaternion_matrix(q[joint.quaternion]), 1e-15)
    assert (joint.quaternion is None) == (joint.nq == joint.nv), (
        "quaternion says where in q one stands, if there are more coordinates than velocities"
    )


@pytest.mark.parametrize("name", JOINTS)
def test_a_joint_is_made_of_its_axis_and_its_details(name):
    joint = JOINTS[name]
    given = {k: getattr(joint, k) for k in (*joint.axis_names[:1], *joint.details())}
    again = type(joint)(**given)
    q = np.full(joint.nq, 0.5)
    same_pose(again.transform(q), joint.transform(q), 0)
    assert all(np.shape(getattr(joint, k)) == (3,) for k in joint.axis_names)
    assert joint.kind == type(joint).__name__.lower()
