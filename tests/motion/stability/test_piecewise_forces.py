"""Where systems with piecewise and flat forces rest: no claim is false by their own forces.

What is claimed of random ones is compared with accelerations on a grid that has round numbers, and
far away; in one coordinate also with where forces change sign between two points of it.
"""

import warnings
from collections import Counter

import numpy as np
import pytest

import visviva as vv
from tests.support.counts import count
from tests.support.generators.piecewise import NUMBERS, piecewise
from visviva.motion.stability import words
from visviva.motion.stability.theorems import Status
from visviva.numerics.evidence import By, Enclosed, Proved, Reason, Undecided
from visviva.numerics.newton import NewtonOptions, newton

POINTS = {1: 6001, 2: 301, 3: 49}  # of an axis of the grid
NEAR, SLACK = 2e-6, 1e-8  # how far off a position that is listed, and a box, may be
FAR = np.array([-1e8, -1e4, -30.0, 30.0, 1e4, 1e8])


def accelerations(system, q):
    return np.asarray(system.forward_dynamics(q, 0 * q, 0 * q)).reshape(q.shape)


def grid(case):
    axis = np.concatenate([np.linspace(-3, 3, POINTS[len(case.coordinates)]), NUMBERS])
    axis = axis if case.within else np.concatenate([axis, FAR])
    axis = np.unique(axis)
    n = len(case.coordinates)
    return np.stack(np.meshgrid(*[axis] * n, indexing="ij"), axis=-1).reshape(-1, n)


def changes_of_sign(system, q, a):
    """Where forces change sign between neighbours: by halving, both ends (k, 2)."""
    k = np.flatnonzero(a[:-1] * a[1:] < 0)
    low, high = q[k], q[k + 1]
    side = np.sign(a[k])
    for _ in range(80):
        middle = low / 2 + high / 2
        left = np.sign(accelerations(system, middle[:, None])[:, 0]) == side
        low, high = np.where(left, middle, low), np.where(left, high, middle)
    return np.stack([low, high], axis=1)


class Claims:
    """What `equilibria` says of a system, and which of it is false."""

    def __init__(self, case):
        self.case, self.system = case, case.system
        self.found = self.system.equilibria(within=case.within)
        self.n = len(case.coordinates)
        self.free = np.isin(case.coordinates, self.found.anywhere)
        self.unknown = self.found.forces.unknown
        known = self.found.complete
        self.boxes = known.boxes if isinstance(known, Enclosed) else np.zeros((0, 2, 0))
        self.is_certain = isinstance(known, (Proved, Enclosed))

    def covers(self, places):
        """Which places are listed, or within what is stated."""
        covered = np.zeros(len(places), dtype=bool)
        for q in self.found.q:
            covered |= (np.abs(places - q)[:, ~self.free] <= NEAR).all(axis=1)
        for low, high in self.boxes:
            part = places[:, self.unknown]
            covered |= ((part >= low - SLACK) & (part <= high + SLACK)).all(axis=1)
        return covered

    def false(self):
        """Claims that are false, in words."""
        places = grid(self.case)
        a = accelerations(self.system, places)
        rests = (a == 0).all(axis=1)
        yield from self.rests_left_out(places, a, rests)
        yield from self.moving_anywhere()
        for rest, verdict in zip(self.found.rests, self.found.verdicts, strict=True):
            yield from self.moving(rest)
            yield from self.false_verdict(rest, verdict)

    def rests_left_out(self, places, a, rests):
        if not self.is_certain:
            return
        covered = self.covers(places[rests])
        yield from (f"rests at {q}" for q in places[rests][~covered][:1])
        if self.n == 1:
            ends = changes_of_sign(self.system, places[:, 0], a[:, 0])
            force = np.abs([accelerations(self.system, x[:, None])[:, 0] for x in ends.T]).min(
                axis=0
            )
            zero = ends[force < 1e-9 * (1 + np.abs(ends).max(axis=1))].mean(axis=1)
            yield from (f"rests at {q}" for q in zero[~self.covers(zero[:, None])][:1])

    def moving_anywhere(self):
        """Of coordinates of which any value will do."""
        rng = np.random.default_rng(0)
        for q in self.found.q if self.free.any() else ():
            places = np.tile(q, (1000, 1))
            places[:, self.free] = rng.choice([*NUMBERS, *rng.uniform(-9, 9, 99), *FAR], (1000, 1))
            if np.abs(accelerations(self.system, places)).max() > 1e-9:
                yield f"any value will do, and it moves near {q}"

    def moving(self, rest):
        if not isinstance(rest.exists, Proved):
            return
        a = np.abs(accelerations(self.system, rest.q[None])).max()
        if not a < 1e-7:
            yield f"rests at {rest.q}, proved, and accelerates by {a}"
        if rest.fills:
            low, high = rest.around
            low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 1e3, -1e3))
            high = np.where(np.isfinite(high), high, low + 2e3)
            places = np.tile(rest.q, (2000, 1))
            share = np.random.default_rng(0).uniform(size=(2000, len(low)))
            places[:, self.unknown] = low + share.round(3) * (high - low)
            if (accelerations(self.system, places) != 0).any():
                yield f"rests in all of {rest.around.tolist()}"

    def false_verdict(self, rest, verdict):
        """In one coordinate: forces that push back on both sides hold it, else it is unstable."""
        status = verdict.status
        if status is Status.DECAYS:
            yield "motions decay without damping"
        if self.n > 1 or rest.fills or self.free.any() or status is Status.UNDECIDED:
            return
        near = np.array([1e-5, 1e-4, 1e-3])
        right, left = (accelerations(self.system, rest.q + s * near[:, None]) for s in (1, -1))
        is_held = (right < 0).all() and (left > 0).all()
        if is_held != (status is Status.STABLE):
            yield f"{rest.q} is {status}"


def look(seed, k, size=None):
    """The evidence of a case; none of its claims is false."""
    case = piecewise(seed, k, size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        claims = Claims(case)
        false = [*claims.false()]
    assert not false, (false, case, claims.found.why)
    return type(claims.found.complete)


@pytest.mark.spread(45)
@pytest.mark.parametrize("k", range(200, 1700))
def test_no_claim_is_false_in_one_coordinate_or_two(k):
    look(21, k)


@pytest.mark.spread(15)
@pytest.mark.parametrize("k", range(300))
def test_no_claim_is_false_in_three_coordinates(k):
    look(33, k, 3)


@pytest.mark.soak
def test_all_are_decided_but_for_boxes_that_are_stated():
    kinds = Counter(look(21, k) for k in range(count(8, 200)))
    assert {*kinds} == {Proved, Enclosed}
    assert kinds[Proved] >= count(3, 81)


# ---- what is known of some


def along(potential="0", force=None, within=None, names="x"):
    kinetic = " + ".join(f"{x}'^2/2" for x in names.split())
    forces = {} if force is None else {"x": force}
    return vv.Lagrangian(names, kinetic, potential, forces=forces).equilibria(within=within)


@pytest.mark.parametrize(
    ("what", "low", "high", "jumps"),
    [
        ({"potential": "abs(x) + x"}, -np.inf, 0.0, [0.0]),
        ({"potential": "max(x, 0)^2"}, -np.inf, 0.0, []),
        ({"force": "where(less(x,1),0,-1)"}, -np.inf, 1.0, [1.0]),
        ({"force": "where(less(abs(x),1),0,-x)"}, -1.0, 1.0, [-1.0, 1.0]),
        ({"force": "-max(x-1,0)-min(x+1,0)"}, -1.0, 1.0, []),
    ],
)
def test_a_region_of_rest_is_proved_and_its_borders_are_left_open(what, low, high, jumps):
    found = along(**what)
    (rest,) = found.rests
    assert rest.fills
    assert rest.exists == Proved(By.INTERVALS)
    np.testing.assert_allclose(rest.around[:, 0], [low, high], atol=1e-8)
    assert isinstance(found.complete, Enclosed)
    assert not found.proved
    edges = found.complete.boxes[:, :, 0]
    for at in (low, high):
        assert not np.isfinite(at) or np.abs(edges - at).min() < 1e-8
    assert all(((edges[:, 0] <= at) & (edges[:, 1] >= at)).any() for at in jumps)
    assert "region" in found.notes[0]


@pytest.mark.parametrize(
    ("force", "at"),
    [("-sign(x)", 0.0), ("-sign(x-0.5)", 0.5), ("sign(x+2)", -2.0), ("-sign(x-1) - x/9", 1.0)],
)
def test_where_forces_jump_over_zero_nothing_is_claimed(force, at):
    found = along(force=force)
    assert not len(found)
    boxes = found.complete.boxes[:, :, 0]
    assert ((boxes[:, 0] <= at) & (boxes[:, 1] >= at)).all()
    assert found.complete.width < 1e-8
    assert not found.proved


def test_a_touch_is_no_crossing():
    """|abs(x) - 1| as force: it rests where it touches zero, twice."""
    found = along(force="abs(abs(x)-1)", within={"x": (-3, 3)})
    assert not found.proved
    boxes = found.complete.boxes[:, :, 0]
    for at in (-1.0, 1.0):
        assert ((boxes[:, 0] <= at) & (boxes[:, 1] >= at)).any()
    assert boxes[:, 0].min() > -1.001
    assert boxes[:, 1].max() < 1.001


def test_forces_that_depend_on_nothing_are_known_from_formulas():
    assert along().complete == Proved(By.FORMULAS)
    assert along().is_everywhere
    pushed = along(force="1")
    assert pushed.proved
    assert not len(pushed)


HILLS = [
    ("exp(x) + exp(-2*x)", "x"),
    ("x*tanh(x) - 0.5*x", "x"),
    ("log(cosh(x)) - 0.3*x + exp(-x^2)", "x"),
    ("exp(-(x-1)^2) + 0.1*x^2", "x"),
    ("exp(-(x-1)^2-y^2) + exp(-(x+1)^2-2*(y-0.3)^2) + 0.1*(x^2+y^2)", "x y"),
    ("exp(x+y) + exp(-x) + exp(-2*y)", "x y"),
    ("tanh(x)*tanh(y) + 0.1*(x^2+y^2)", "x y"),
    (
        "-exp(-((x-1)^2+(y+0.5)^2)/0.5) - 0.7*exp(-((x+1)^2+(y-0.5)^2)/0.8) - cos(x) + 0.05*y^2",
        "x y",
    ),
    ("sqrt(1+(x-y)^2) + atan(x)*0.3 + 0.2*y^2 + 0.1*x^2", "x y"),
    ("exp(-(x-1)^2-y^2-z^2) + 0.1*(x^2+y^2+2*z^2) + 0.1*tanh(x*z)", "x y z"),
    ("exp(x-y) + exp(y-z) + exp(z-x) + 0.1*(x^2+y^2+z^2) + sin(x)", "x y z"),
    ("tanh(x+y)*z + 0.2*(x^2+y^2+z^2) + 0.5*exp(-x^2)", "x y z"),
]


@pytest.mark.spread(5)
@pytest.mark.parametrize(("potential", "names"), HILLS)
def test_hills_of_exp_tanh_and_gauss_are_searched_completely(potential, names):
    """Newton's steps from 2000 starts lead to what was found, and to all of it."""
    found = along(potential, names=names, within=dict.fromkeys(names.split(), (-5, 5)))
    assert found.proved
    forces = found.system.gravity_forces
    report = newton(
        forces,
        forces.jacobian("q"),
        np.random.default_rng(0).uniform(-5, 5, (2000, found.system.nq)),
        options=NewtonOptions(max_step=0.5, max_steps=80),
    )
    ends = report.x[(report.residual < 1e-11) & (np.abs(report.x) <= 5).all(axis=1)]
    apart = np.abs(ends[:, None] - found.q[None]).max(axis=2)
    assert (apart.min(axis=1) < 1e-5).all()
    assert (apart.min(axis=0) < 1e-5).all()
    assert all(rest.exists == Proved(By.INTERVALS) for rest in found.rests)


def test_coordinates_that_are_singular_leave_a_verdict_undecided():
    """A spherical pendulum, hanging and upright: its azimuth has no inertia there."""
    found = vv.catalog.spherical_pendulum().equilibria()
    assert found.proved
    np.testing.assert_allclose(found.q[:, 0], [0.0, np.pi], atol=1e-12)
    assert all(x.evidence == Undecided(Reason.SINGULAR) for x in found.verdicts)


def test_where_a_jump_ends_a_slope_nothing_rests_that_is_not_asked_at_its_place():
    """Newton's steps come to y = -1e-17, where all vanishes to rounding; the place listed is 0."""
    s = vv.Lagrangian("x y", "(x'^2 + y'^2)/2", "abs(y) + y", forces={"x": "y"})
    found = s.equilibria(within={"x": (-3, 3), "y": (-3, 3)})
    assert len(found.q) == 0


def test_a_region_without_an_end_is_shown_by_a_place_inside():
    found = vv.Lagrangian("x", "x'^2/2", "abs(x) + x").equilibria()
    np.testing.assert_allclose(found.q, [[-1.0]], atol=1e-6)
    assert found.rests[0].fills


def test_what_is_printed_of_a_box_is_no_smaller_and_of_a_region_no_larger():
    """Bounds as texts, rounded outward or inward; a short interval by its middle."""
    rng = np.random.default_rng(0)
    for _ in range(3000):
        at = rng.choice([0.0, 1.0, -0.7, rng.normal() * 10.0 ** rng.integers(-3, 7)])
        low, high = np.sort(at + rng.normal(size=2) * 10.0 ** rng.uniform(-12, 4))
        for outer in (True, False):
            text = words._box(["x"], np.array([[low], [high]]), outer).split()
            if text[1] == "is":  # x is within … of …
                half, middle = float(text[3]), float(text[5])
                assert outer
                assert middle - half <= low <= high <= middle + half
            else:
                ends = float(text[0]), float(text[-1])
                assert (ends[0] <= low) if outer else (ends[0] >= low)
                assert (ends[1] >= high) if outer else (ends[1] <= high)
    assert words._box(["x"], np.array([[-np.inf], [0.5]])) == "x < 0.5"
    assert words._box(["x"], np.array([[0.5], [np.inf]])) == "x > 0.5"
    assert words._box(["x"], np.array([[-np.inf], [np.inf]])) == "x is anything"
