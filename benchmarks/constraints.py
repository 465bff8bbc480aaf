"""Motion under constraints, against Pinocchio; every time is that of one state.

The states are in one batch of 8192, on one thread, each at a position and velocity that the loops
admit. Pinocchio's `constraintDynamics` is called in a loop, with the joint types that it computes
fastest and as few proximal iterations as leave ten digits.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import visviva as vv
from benchmarks.harness import Row, benchmark, best, faster, share
from benchmarks.peers import attempt, loop, one_core, require_same
from benchmarks.robots import MANY, batch_call
from visviva.space.poses import Pose
from visviva.space.rotations import quaternion_matrix

Array = np.ndarray
FOUR_BAR_FLOOR, STEWART_FLOOR, DERIVATIVES_FLOOR = ">= 100", ">= 40", ">= 40"
CEILING = "<= 2"  # seconds to compile, and what redundant rows may cost


@dataclass(frozen=True)
class Linkage:
    """A model with loops, and positions at which they hold."""

    name: str
    model: vv.Model
    q: Array

    def states(self, rows: int = MANY) -> list[Array]:
        """q, v and τ, with velocities that the loops admit."""
        rng = np.random.default_rng(0)
        v, tau = rng.normal(size=(2, len(self.q), self.model.nv))
        A = self.model.constraint_matrix(self.q)
        v = v - np.einsum("bij,bj->bi", np.linalg.pinv(A, rcond=1e-9) @ A, v)
        return [np.ascontiguousarray(x[:rows]) for x in (self.q, v, tau)]


def four_bar(closure: str = "spherical") -> Linkage:
    """A crank, a coupler and a rocker in the plane, closed at the rocker's end."""
    crank, coupler, rocker, ground = 0.6, 1.4, 1.1, 1.5
    b = vv.Builder("four-bar", gravity=[0, -9.81, 0])
    rods = [_rod(x, "x").moved(p=[x / 2, 0, 0]) for x in (crank, coupler, rocker)]
    b.body("crank", joint="revolute", inertia=rods[0])
    b.body("coupler", parent="crank", joint="revolute", at=[crank, 0, 0], inertia=rods[1])
    b.body("rocker", joint="revolute", at=[ground, 0, 0], inertia=rods[2])
    b.frame("tip", body="coupler", at=[coupler, 0, 0]).frame(
        "pin", body="rocker", at=[rocker, 0, 0]
    )
    one = np.random.default_rng(1).uniform(-np.pi, np.pi, MANY)
    elbow = crank * np.exp(1j * one)
    far = ground - elbow
    along = (coupler**2 - rocker**2 + abs(far) ** 2) / (2 * abs(far))
    pin = elbow + far / abs(far) * (along + 1j * np.sqrt(coupler**2 - along**2))
    q = np.stack([one, np.angle(pin - elbow) - one, np.angle(pin - ground)], axis=1)
    model = b.build().with_loop("tip", "pin", closure)
    return Linkage(f"four-bar closed by a {closure} joint", model, q)


def stewart() -> Linkage:
    """Six legs, each a universal joint and a slide, with ball joints under the platform."""
    feet, balls = (_hexagon(radius, gap) for radius, gap in ((1.0, 0.3), (0.5, 1.6)))
    b = vv.Builder("Stewart")
    b.body("platform", joint="free", inertia=vv.Inertia.cylinder(5.0, radius=0.5, height=0.05))
    rod = _rod(0.6, "z")
    for i, foot in enumerate(feet):
        b.body(f"lower{i}", joint="universal", axis="x", second="y", at=foot, inertia=rod)
        b.body(f"upper{i}", parent=f"lower{i}", joint="prismatic", axis="z", inertia=rod)
        b.frame(f"ball{i}", body="platform", at=balls[i])
    model = b.build()
    for i in range(6):
        model = model.with_loop(f"upper{i}", f"ball{i}", "spherical")
    rng = np.random.default_rng(1)
    q = np.zeros((MANY, model.nq))
    for row in q:
        turn = rng.normal(size=4) * 0.2 + [0, 0, 0, 1]
        row[:4], row[4:7] = turn / np.linalg.norm(turn), [*rng.uniform(-0.2, 0.2, 2), 1.0]
        legs = row[4:7] + balls @ quaternion_matrix(row[:4]).T - feet
        length = np.linalg.norm(legs, axis=1)
        x, y, z = (legs / length[:, None]).T
        row[7:] = np.stack([np.arctan2(-y, z), np.arcsin(x), length], axis=1).ravel()
    return Linkage("Stewart platform", model, q)


def _rod(length: float, axis: str) -> vv.Inertia:
    return vv.Inertia.cylinder(1.0, radius=0.05, height=length, axis=axis)


def _hexagon(radius: float, gap: float) -> Array:
    angles = [2 * np.pi / 3 * (i // 2) + gap / 2 * (-1) ** i for i in range(6)]
    return np.array([[radius * np.cos(a), radius * np.sin(a), 0.0] for a in angles])


def bricard(closure: str) -> Linkage:
    """Six hinges in a ring, (1 + cos θ)(1 + cos φ) = 1 of neighbours: Bricard's, with symmetry."""
    b = vv.Builder("Bricard")
    rod = _rod(1.0, "x").moved(p=[0.5, 0, 0])
    side = [Pose.translation([1, 0, 0]) @ Pose.rotation([1, 0, 0], s * np.pi / 2) for s in (1, -1)]
    for i in range(5):
        at = (
            {"parent": f"link{i - 1}", "at": side[0].p, "rotation": side[(i + 1) % 2].R}
            if i
            else {}
        )
        b.body(f"link{i}", joint="revolute", inertia=rod, **at)
    b.frame("last", body="link4", at=side[0].p, rotation=side[0].R)
    foot = side[1].inverse()
    b.frame("foot", at=foot.p, rotation=foot.R)
    one = np.random.default_rng(1).uniform(-1.8, 1.8, MANY)
    two = np.arccos(1 / (1 + np.cos(one)) - 1)
    q = np.stack([one, two] * 2 + [one], axis=1)
    return Linkage(f"Bricard's linkage, {closure}", b.build().with_loop("foot", "last", closure), q)


class Pinocchio:
    """A linkage in Pinocchio, with points held together."""

    def __init__(self, linkage: Linkage, settings: tuple[float, float, int]) -> None:
        import pinocchio as pin

        self.pin, self.ours = pin, linkage.model
        self.model = pin.Model()
        self.model.gravity = pin.Motion(np.array(self.ours.gravity, dtype=float), np.zeros(3))
        kinds: dict[str, Callable[[], Any]] = {
            "revolute": pin.JointModelRZ,
            "prismatic": pin.JointModelPZ,
            "universal": lambda: pin.JointModelUniversal(np.eye(3)[0], np.eye(3)[1]),
            "free": pin.JointModelFreeFlyer,
        }
        for b in self.ours.bodies:
            i = self.model.addJoint(
                b.parent + 1, kinds[b.joint.kind](), self._placed(b.placement), b.joint_name
            )
            inertia = pin.Inertia(b.inertia.mass, b.inertia.com, b.inertia.tensor)
            self.model.appendBodyToJoint(i, inertia, pin.SE3.Identity())
        self.data = self.model.createData()
        self.contacts = pin.StdVec_RigidConstraintModel()
        for closed in self.ours.loops:
            ends = [self.ours.frame(name) for name in closed.frames]
            placed = [x for f in ends for x in (f.body + 1, self._placed(f.placement))]
            local, kind = pin.ReferenceFrame.LOCAL, pin.ContactType.CONTACT_3D
            self.contacts.append(pin.RigidConstraintModel(kind, self.model, *placed, local))
        self.found = pin.StdVec_RigidConstraintData([c.createData() for c in self.contacts])
        self.settings = pin.ProximalSettings(*settings)
        pin.initConstraintDynamics(self.model, self.data, self.contacts, self.found)

    def _placed(self, X: Pose) -> Any:
        return self.pin.SE3(np.array(X.R, dtype=float), np.array(X.p, dtype=float))

    def order(self) -> tuple[Array, Array]:
        """Which of our positions and velocities each of theirs is: a free joint's are turned."""
        q, v = np.arange(self.ours.nq), np.arange(self.ours.nv)
        if self.ours.bodies[0].joint.kind == "free":
            q[:7], v[:6] = [4, 5, 6, 0, 1, 2, 3], [3, 4, 5, 0, 1, 2]
        return q, v

    def states(self, q: Array, v: Array, tau: Array) -> list[Array]:
        """In their order."""
        by_q, by_v = self.order()
        return [np.ascontiguousarray(x) for x in (q[..., by_q], v[..., by_v], tau[..., by_v])]

    def accelerations(self, q: Array, v: Array, tau: Array) -> Any:
        """In their order."""
        held = self.contacts, self.found, self.settings
        return self.pin.constraintDynamics(self.model, self.data, q, v, tau, *held)

    def derivatives(self, q: Array, v: Array, tau: Array) -> Any:
        """∂a/∂q and ∂a/∂v."""
        self.accelerations(q, v, tau)
        held = self.contacts, self.found, self.settings
        return self.pin.computeConstraintDynamicsDerivatives(self.model, self.data, *held)[:2]

    def many(self, *states: Array) -> Callable[[], object]:
        """The plain call for all states."""
        fixed = self.model, self.data
        held = self.contacts, self.found, self.settings
        return loop(self.pin.constraintDynamics, *fixed, *self.states(*states), *held)


EXACT = (1e-12, 0.0, 1)
DAMPED = (1e-12, 1e-9, 2)  # a row that a plane holds anyway makes theirs singular


@benchmark
def constraints_forward() -> Iterator[Row]:
    """Accelerations of closed linkages, against Pinocchio's called in a loop."""
    cases = [
        (four_bar(), None, DAMPED, FOUR_BAR_FLOOR),
        (four_bar("revolute"), four_bar(), DAMPED, FOUR_BAR_FLOOR),
        (stewart(), None, EXACT, STEWART_FLOOR),
    ]
    for linkage, other, settings, floor in cases:
        f, states = linkage.model.forward_dynamics, linkage.states()
        what = f"accelerations, {linkage.name}"
        peer = attempt("Pinocchio", partial(Pinocchio, other or linkage, settings))
        call = batch_call(f, states)
        if isinstance(peer, str):
            yield Row(what, best(call)[0] / MANY, peer, None, None, "")
            continue
        first = [x[0] for x in states]
        back = np.argsort(peer.order()[1])
        require_same(what, f(*first), np.array(peer.accelerations(*peer.states(*first)))[back])
        with one_core():
            mine, theirs = best(call, peer.many(*states), repeats=7)
        label = "pin.constraintDynamics, looped"
        yield faster(what, mine / MANY, label, theirs / MANY, floor)


@benchmark
def constraints_derivatives() -> Iterator[Row]:
    """∂a/∂(q, v) of the four-bar, against Pinocchio's called in a loop."""
    for linkage in (four_bar(), four_bar("revolute")):
        f, states = linkage.model.forward_dynamics.jacobian("q", "v"), linkage.states()
        what = f"∂(accelerations)/∂(q, v), {linkage.name}"
        peer = attempt("Pinocchio", partial(Pinocchio, four_bar(), DAMPED))
        call = batch_call(f, states)
        if isinstance(peer, str):
            yield Row(what, best(call)[0] / MANY, peer, None, None, "")
            continue
        with one_core():
            mine, theirs = best(call, loop(peer.derivatives, *peer.states(*states)), repeats=7)
        label = "pin.constraintDynamics and its derivatives, looped"
        yield faster(what, mine / MANY, label, theirs / MANY, DERIVATIVES_FLOOR)


@benchmark
def constraints_compiling() -> Iterator[Row]:
    """Seconds from the equations to machine code, with nothing on disk."""
    for name, make in (("four-bar", partial(four_bar, "revolute")), ("Stewart platform", stewart)):
        with nothing_on_disk():
            linkage = make()
            still = np.zeros(linkage.model.nv)
            start = time.perf_counter()
            linkage.model.forward_dynamics(linkage.q[0], still, still)
            seconds = time.perf_counter() - start
        what = f"accelerations, {name}, compiled"
        yield Row(what, seconds, "", None, seconds, "seconds", CEILING)


@contextlib.contextmanager
def nothing_on_disk() -> Iterator[None]:
    """Machine code is neither read nor kept."""
    before = os.environ.get("VISVIVA_CACHE")
    os.environ["VISVIVA_CACHE"] = "off"
    try:
        yield
    finally:
        os.environ.pop("VISVIVA_CACHE")
        if before is not None:
            os.environ["VISVIVA_CACHE"] = before


@benchmark
def constraints_redundant() -> Iterator[Row]:
    """Bricard's linkage: five rows of which four are independent, against four."""
    all_rows, some = bricard("revolute"), bricard("cylindrical")
    states = all_rows.states()
    f, g = (x.model.forward_dynamics for x in (all_rows, some))
    require_same("Bricard's linkage", f(*(x[0] for x in states)), g(*(x[0] for x in states)))
    with one_core():
        mine, least = best(batch_call(f, states), batch_call(g, states), repeats=7)
    what = "accelerations, Bricard's linkage, a redundant row"
    yield share(what, mine / MANY, "four independent rows", least / MANY, CEILING)
