"""Surfaces are closed, turned outward, and enclose what they should; the camera sees all."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.counts import examples
from visviva.drawing import solids
from visviva.drawing.view import camera

sizes = st.lists(st.floats(0.1, 3.0), min_size=3, max_size=3)


def volume(mesh):
    vertices, faces = mesh
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def check_closed(mesh):
    """Every edge is passed once in each direction."""
    edges = Counter()
    for i, j, k in mesh[1].tolist():
        edges.update([(i, j), (j, k), (k, i)])
    assert set(edges.values()) == {1}
    assert all((j, i) in edges for i, j in edges)


@examples(8, 500)
@given(sizes)
def test_volumes(sides):
    x, y, z = sides
    ring = solids.ROUND * np.sin(2 * np.pi / solids.ROUND) / 2  # of a polygon, instead of π
    for mesh, wanted, rel in (
        (solids.box(sides), x * y * z, 1e-12),
        (solids.cylinder(x, y), ring * x**2 * y, 1e-12),
        (solids.ellipsoid(sides), 4 / 3 * np.pi * x * y * z, 0.06),  # within its corners
        (solids.rod([0, 0, 0], sides, 0.1), ring * 0.01 * np.linalg.norm(sides), 1e-12),
    ):
        check_closed(mesh)
        assert volume(mesh) == pytest.approx(wanted, rel=rel)


def test_joined_surfaces_keep_their_volumes():
    parts = [solids.box([1, 2, 3]), solids.cylinder(1.0, 2.0)]
    assert volume(solids.joined(parts)) == pytest.approx(sum(map(volume, parts)))


@examples(11, 1000)
@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=2), st.integers(0, 2))
def test_the_camera_sees_the_whole_box(others, longest):
    """By the projection of a perspective camera of 45°, in a picture a little wider than high."""
    sides = np.insert(others, longest, 1.0)
    found = camera(sides)
    eye, centre = (np.array([found[k][x] for x in "xyz"]) for k in ("eye", "center"))
    ahead = (centre - eye) / np.linalg.norm(centre - eye)
    right = np.cross(ahead, [0, 0, 1])
    right /= np.linalg.norm(right)
    up = np.cross(right, ahead)
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2 * sides
    seen = corners - eye
    depth = seen @ ahead
    assert depth.min() > 0.1
    assert np.abs(seen @ up / depth).max() <= np.tan(np.pi / 8)
    assert np.abs(seen @ right / depth).max() <= 1.25 * np.tan(np.pi / 8)
