"""Volume integrals of densities, numerical and symbolic, and of closed meshes."""

import sys

import numpy as np
import pytest
import sympy
import trimesh

from tests.support.generators.bodies import close, same_inertia
from visviva.describe.bodies.inertia import Inertia
from visviva.errors import ArgumentError, BackendError, ShapeError

UNIT = [(0.0, 1.0)] * 3


def test_density_that_varies():
    """ρ = 1 + x + 2 y z over a box: every moment by hand."""
    a, b, c = 1.0, 2.0, 0.5
    body = Inertia.from_density(lambda x, y, z: 1 + x + 2 * y * z, [(0, a), (0, b), (0, c)])

    def moment(i, j, k):  # ∫ xⁱ yʲ zᵏ
        return a ** (i + 1) * b ** (j + 1) * c ** (k + 1) / ((i + 1) * (j + 1) * (k + 1))

    def mass(i, j, k):
        return moment(i, j, k) + moment(i + 1, j, k) + 2 * moment(i, j + 1, k + 1)

    m = mass(0, 0, 0)
    com = np.array([mass(1, 0, 0), mass(0, 1, 0), mass(0, 0, 1)]) / m
    xx, yy, zz = mass(2, 0, 0), mass(0, 2, 0), mass(0, 0, 2)
    xy, xz, yz = mass(1, 1, 0), mass(1, 0, 1), mass(0, 1, 1)
    close(body.mass, m, 1e-14)
    close(body.com, com, 1e-14)
    close(
        body.about(np.zeros(3)),
        [[yy + zz, -xy, -xz], [-xy, xx + zz, -yz], [-xz, -yz, xx + yy]],
        1e-14,
    )
    assert body.error < 1e-12


def test_the_estimate_covers_a_rough_density():
    """A kink cannot be integrated well; the estimate says so, and is not too small."""
    body = Inertia.from_density(lambda x, y, z: np.abs(x - 0.3), UNIT)
    exact = 0.3**2 / 2 + 0.7**2 / 2
    assert abs(body.mass - exact) <= 3 * body.error
    assert 1e-8 < body.error < 1e-1


def test_symbolic_density():
    x, y = sympy.symbols("x y")
    rho, a = sympy.symbols("rho a", positive=True)
    body = Inertia.from_density(rho * (1 + x / a), [(0, a), (0, a), (0, a)])
    assert sympy.simplify(body.mass - rho * a**3 * sympy.Rational(3, 2)) == 0
    assert sympy.simplify(body.com[0] - a * sympy.Rational(5, 9)) == 0
    assert body.error == 0
    wedge = Inertia.from_density(rho, [(0, a), (0, a - x), (0, a - x - y)])  # a tetrahedron
    assert sympy.simplify(wedge.mass - rho * a**3 / 6) == 0
    assert [sympy.simplify(c - a / 4) for c in wedge.com] == [0, 0, 0]
    number = wedge.mapped(lambda e: float(sympy.sympify(e).subs({rho: 6, a: 1})))
    vertices = np.vstack([np.zeros(3), np.eye(3)])
    same_inertia(number, Inertia.from_mesh((vertices, TETRAHEDRON), density=6.0), 1e-15)
    numeric = Inertia.from_density(6.0, [(0, 1), (0, lambda x: 1 - x), (0, lambda x, y: 1 - x - y)])
    same_inertia(numeric, number, 1e-14)


def test_symbols_of_any_assumption_mean_the_coordinates():
    """x declared real is still x: it may not be taken for a constant."""
    x = sympy.symbols("x", real=True)
    body = Inertia.from_density(2 * x, UNIT)
    assert body.mass == 1


def test_symbolic_density_with_limits_that_are_functions():
    rho = sympy.symbols("rho", positive=True)
    body = Inertia.from_density(rho, [(0, 1), (0, lambda x: 1 - x), (0, lambda x, y: 1 - x - y)])
    assert sympy.simplify(body.mass - rho / 6) == 0


@pytest.mark.parametrize(
    "density", [lambda x, y, z: x - 0.5, lambda x, y, z: np.nan + x, lambda x, y, z: np.inf * x]
)
def test_impossible_densities(density):
    with pytest.raises(ArgumentError, match="density must be finite and not negative"):
        Inertia.from_density(density, UNIT)


@pytest.mark.parametrize("region", [[(0, 1)] * 2, [(0, 1, 2)] * 3])
def test_regions_of_another_shape(region):
    with pytest.raises(ShapeError, match="a region is three pairs of limits"):
        Inertia.from_density(1.0, region)


# ---- meshes

TETRAHEDRON = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def test_meshes_in_every_form(tmp_path):
    box = trimesh.creation.box([0.2, 0.3, 0.4])
    expected = Inertia.box(density=3.0, x=0.2, y=0.3, z=0.4)
    path = tmp_path / "box.stl"
    box.export(path)  # STL knows no shared corners: they are found again
    for mesh in (box, (box.vertices, box.faces), (box.vertices.tolist(), box.faces.tolist())):
        same_inertia(Inertia.from_mesh(mesh, density=3.0), expected, 1e-15)
    for name in (path, str(path)):
        same_inertia(Inertia.from_mesh(name, density=3.0), expected, 1e-6)  # STL is float32
    inside_out = (box.vertices, box.faces[:, ::-1])
    same_inertia(Inertia.from_mesh(inside_out, density=3.0), expected, 1e-15)
    assert Inertia.from_mesh(box, mass=5.0).mass == pytest.approx(5.0, rel=1e-15)
    moved = box.copy()
    moved.apply_translation([1.0, -2.0, 0.5])
    same_inertia(Inertia.from_mesh(moved, density=3.0), expected.moved(p=[1.0, -2.0, 0.5]), 1e-13)


def test_open_meshes_are_refused():
    box = trimesh.creation.box()
    with pytest.raises(ArgumentError, match="not closed: 3 edges do not belong to two faces"):
        Inertia.from_mesh((box.vertices, box.faces[:-1]), mass=1.0)


def test_meshes_with_a_flipped_face_are_refused():
    box = trimesh.creation.box()
    faces = box.faces.copy()
    faces[0] = faces[0][::-1]
    with pytest.raises(ArgumentError, match="faces are not oriented alike"):
        Inertia.from_mesh((box.vertices, faces), density=1.0)


def test_meshes_without_volume_are_refused():
    flat = (np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]]), [[0, 1, 2], [0, 2, 1]])
    with pytest.raises(ArgumentError, match="encloses no volume"):
        Inertia.from_mesh(flat, mass=1.0)


def test_bad_meshes(tmp_path):
    box = trimesh.creation.box()
    with pytest.raises(ArgumentError, match="give mass= or density=, one of them"):
        Inertia.from_mesh(box)
    with pytest.raises(ArgumentError, match=r"a mesh is a file, a trimesh, or a pair"):
        Inertia.from_mesh(3.0, mass=1.0)
    with pytest.raises(ShapeError, match=r"vertices and faces are \(n, 3\), got \(8, 2\)"):
        Inertia.from_mesh((box.vertices[:, :2], box.faces), mass=1.0)
    with pytest.raises(ArgumentError, match="faces name vertices 0 to 12, but there are 8"):
        Inertia.from_mesh((box.vertices, box.faces + (box.faces == 7) * 5), mass=1.0)
    with pytest.raises(ArgumentError, match=r"cannot read .*nothing\.stl"):
        Inertia.from_mesh(tmp_path / "nothing.stl", mass=1.0)


def test_without_trimesh_files_are_refused_with_the_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(BackendError, match=r'needs trimesh.*pip install "visviva\[mesh\]"'):
        Inertia.from_mesh("part.stl", mass=1.0)
