"""Every mechanism of the catalog can be seen: shapes with an extent, sliders with ranges."""

import json

import numpy as np
import pytest

import visviva as vv
from visviva.show.scene.of import scene_of
from visviva.show.scene.shapes import ROLES

OPTIONS = [
    ("knife_edge", {"ahead": 0.2, "slope": 0.3}),
    ("bead_on_rotating_wire", {"constrained": True}),
    ("point_on_circle", {"constrained": True}),
    ("pendulum", {"n": 1}),
]
ALL = [*((name, {}) for name in vv.catalog.names()), *OPTIONS]


@pytest.mark.spread(7)
@pytest.mark.parametrize(("name", "options"), ALL, ids=[f"{n}{o or ''}" for n, o in ALL])
def test_it_can_be_seen(name, options):
    """Something moves that has an extent, all numbers are finite, and sliders have ranges."""
    scene = scene_of(vv.catalog.build(name, **options))
    data = json.loads(json.dumps(scene.as_dict(), allow_nan=False))
    assert not scene.notes
    assert data["size"] > 0
    assert data["radius"] >= 0.1 * data["size"]
    assert {s["role"] for s in data["shapes"]} <= {*ROLES}
    moving = [s for s in scene.shapes if s.role == "link"]
    assert any(k != 0 for s in moving for k, _ in s.outline())
    assert np.isfinite(scene.at(scene.start)).all()
    for c in scene.coordinates:
        assert np.isfinite([c.lower, c.upper]).all()
        assert c.lower <= c.start <= c.upper
        assert c.label
        assert c.kind in ("angle", "length", "number", "quaternion")
    assert [c.index for c in scene.coordinates] == list(range(scene.system.nq))
    assert len(data["velocities"]) == scene.system.nv


@pytest.mark.spread(7)
@pytest.mark.parametrize("name", vv.catalog.names())
def test_every_coordinate_moves_something(name):
    """A slider that is moved changes where some shape is."""
    system = vv.catalog.build(name)
    scene = scene_of(system)
    before = seen(scene, scene.start)
    for k in range(system.nv):
        step = np.eye(system.nv)[k] * 0.1
        after = seen(scene, np.asarray(system.integrate(scene.start, step)))
        assert np.abs(after - before).max() > 1e-4 * scene.size, system.motion_names[k]


def seen(scene, q):
    """Points of all shapes in the world."""
    X = scene.at(q)
    anchors = [a for s in scene.shapes for a in s.outline()]
    return np.array([X[k][:, :3] @ p + X[k][:, 3] for k, p in anchors])


@pytest.mark.parametrize(
    ("name", "plane"),
    [("rp_arm", (0, 1)), ("bird_leg", (0, 2)), ("follower_column", (0, 2)), ("unicycle", (0, 1)),
     ("puma560", None), ("heavy_top", None), ("stewart", None)],
)  # fmt: skip
def test_the_plane_in_which_it_moves(name, plane):
    assert scene_of(vv.catalog.build(name)).plane == plane


def test_linkages_start_assembled_also_with_other_lengths():
    for linkage in (vv.catalog.four_bar(), vv.catalog.four_bar().with_parameters(l2=0.95)):
        assert np.abs(linkage.constraint_error(scene_of(linkage).start)).max() < 1e-9
