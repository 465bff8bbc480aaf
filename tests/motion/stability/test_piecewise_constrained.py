"""Beads on wires under forces of several laws: nothing is claimed that a fine grid contradicts."""

import numpy as np
import pytest

import visviva as vv

WIRES = {
    "0": lambda x: 0 * x,
    "0.5*x": lambda x: 0.5 * x,
    "0.3*x^2": lambda x: 0.3 * x**2,
    "sin(x)": np.sin,
    "0.2*x^3 - x": lambda x: 0.2 * x**3 - x,
    "0.5*abs(x)": lambda x: 0.5 * np.abs(x),
    "0.1*cos(3*x)": lambda x: 0.1 * np.cos(3 * x),
}
POTENTIALS = """{k}*max(abs({z} - ({a})) - {s}, 0)^2/2
{k}*max({z} - ({a}), 0)^2/2
{k}*max(({a}) - {z}, 0)^2/2
{k}*max({z} - ({a}), 0)^3
{k}*abs({z} - ({a}))
{k}*({z} - ({a}))^2/2
{k}*where(less({z}, {a}), 0, {z} - ({a}))
{k}*({z} - ({a}))^4
{k}*max(abs({z} - ({a})) - {s}, 0)^3
{k}*{z}
{k}*abs(abs({z} - ({a})) - {s})""".splitlines()
FORCES = """where(less(x, {a}), 0, {k})
{k}*sign(x - ({a}))
-{s}*max(x - ({a}), 0)
-0.4*sign(x')
-0.5*x'
{k}*min(max(x - ({a}), 0), 1)""".splitlines()
ROUND = np.linspace(-np.pi, np.pi, 401)
ALONG = np.unique(np.concatenate([np.linspace(-3, 3, 401), np.arange(-60, 61) / 20]))
BESIDE = np.array([-1e-3, -1e-4, -1e-5, 1e-5, 1e-4, 1e-3])
REST = 1e-9  # N: what is left along the wire where nothing acts


class Bead:
    """A bead on a wire or a ring, and the force along it at any place."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng([5, seed])
        terms = [self._stated(rng, POTENTIALS, str(z)) for z in rng.choice(["x", "x", "y"], 3)]
        potential = " + ".join(terms[: rng.integers(1, 4)])
        if rng.random() < 0.4:
            potential += f" + {rng.choice([1.0, 9.81])}*y"
        force = self._stated(rng, FORCES, "x") if rng.random() < 0.5 else "0"
        self.has_friction, self.is_damped = "sign(x')" in force, "0.5*x'" in force
        wire = "" if rng.random() < 0.3 else str(rng.choice([*WIRES]))
        self.height = WIRES.get(wire)
        self.grid = ALONG if wire else ROUND
        rows = [f"y - ({wire})" if wire else "x^2 + y^2 - 1"]
        inertia = "(x'^2 + y'^2)/2"
        self.system = vv.Lagrangian(
            "x y", inertia, potential, constraints=rows, forces={"x": force}
        )

    @staticmethod
    def _stated(rng, laws, z):
        a = rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0]) if rng.random() < 0.5 else rng.uniform(-1, 1)
        values = {"k": rng.choice([1.0, 2.0, 5.0, -1.0, 0.5]), "a": round(float(a), 2)}
        return str(rng.choice(laws)).format(z=z, s=rng.choice([0.0, 0.25, 0.5, 1.0]), **values)

    def at(self, u):
        return np.array([u, self.height(u)] if self.height else [np.cos(u), np.sin(u)])

    def place(self, q):
        return q[0] if self.height else np.arctan2(q[1], q[0])

    def force(self, u):
        way = self.at(u + 1e-7) - self.at(u - 1e-7)
        return -way @ self.system.bias_forces(self.at(u), np.zeros(2)) / np.linalg.norm(way)


@pytest.mark.spread(5)
@pytest.mark.parametrize("seed", range(100))
def test_beads_on_wires_rest_where_it_is_claimed(seed):
    bead = Bead(seed)
    found = bead.system.equilibria(starts=20)
    rests = np.abs([bead.force(u) for u in bead.grid]) < REST
    for q in found:  # at a corner of the wire there are two directions
        is_corner = bead.height is WIRES["0.5*abs(x)"] and abs(q[0]) < 1e-6
        assert is_corner or abs(bead.force(bead.place(q))) < 1e-5
    assert not found.proved or rests.all()
    assert not found.anywhere or rests.all()
    assert "everywhere" not in found.why or rests.all()
    for one, stretch, names in found.curves.rests if found.curves else ():
        assert names
        assert all(
            abs(bead.force(bead.place(q))) < REST for q in (one, *[x.q for x in stretch.places])
        )
    if not bead.has_friction:
        for q, status in zip(found.q, found.stability, strict=True):
            u = bead.place(q)
            away = np.array([bead.force(u + h) * np.sign(h) for h in BESIDE])
            assert not_contradicted(status, away, bead.is_damped), (q, status, away)


def not_contradicted(status, away, is_damped):
    """Whether forces beside it, counted outwards, leave room for what is said."""
    if status == "drifts":
        return np.abs(away).max() < REST
    if status == "unstable":
        return away.max() > 0
    if status == "stable" and is_damped and np.abs(away).max() < REST:
        return True  # it stays where it is put
    return not status.endswith("stable") or away.max() < 0


def test_a_walk_along_a_wire_claims_no_more_than_its_steps():
    """A slack spring leaves an arc at rest, of which starts meet a few places."""
    slack = vv.Lagrangian("x y", "(x'^2 + y'^2)/2", "max(x, 0)^2/4", constraints=["x^2 + y^2 - 1"])
    found = slack.equilibria(starts=20)
    assert "a walk by steps of 0.05 rad or m round 1 curve; there may be more" in found.why
    ((one, stretch, names),) = found.curves.rests
    assert one[0] <= 0
    assert names == ("x", "y")
    assert not stretch.is_whole
    assert max(x.q[0] for x in stretch.places) <= 0
    assert any("no force acts along that wherever it was looked" in x for x in found.notes)


def linkage(law):
    """A slider-crank in a horizontal plane whose slider meets a spring."""
    rows = ["cos(a) + 2*cos(b) - x", "sin(a) + 2*sin(b)"]
    inertia = "(a'^2 + b'^2 + x'^2)/2"
    return vv.Lagrangian("a b x", inertia, law, constraints=rows)


@pytest.mark.parametrize(
    "law", ["max(x - 2, 0)^2/2", "max(abs(x - 2) - 0.5, 0)^2/2", "abs(x - 2)", "max(2 - x, 0)^3"]
)
def test_a_linkage_with_a_one_sided_spring(law):
    """Forces vanish along its motion where it is listed; the energy is least where it is stable."""
    s = linkage(law)
    found = s.equilibria(starts=10)
    assert not found.proved
    assert found.anywhere == ()
    for q, status in zip(found.q, found.stability, strict=True):
        np.testing.assert_allclose(s.forward_dynamics(q, np.zeros(3), np.zeros(3)), 0, atol=1e-6)
        if status in ("stable", "asymptotically stable"):
            here = s.potential_energy(q)
            for way in (-1e-3, 1e-3):
                assert s.potential_energy(beside(s, q, way)) > here


def beside(s, q, h):
    """A position of the linkage a little farther along its motion."""
    way = np.linalg.svd(s.constraint_matrix(q))[2][-1]
    return s.assembled(q + h * way)
