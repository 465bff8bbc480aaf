"""Moments of volume: ∫ (1, x, y, z, xx, yy, zz, xy, xz, yz) dm of densities and closed meshes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from visviva.describe.meshfile import load_mesh
from visviva.errors import ArgumentError, ShapeError
from visviva.space.rotations import Array


def integrate_density(density: Any, region: Any, order: int) -> tuple[Any, float]:
    """The ten moments and an estimate of their absolute error."""
    limits = _limits(region)
    parts = [density, *(limit for pair in limits for limit in pair)]
    if any(type(part).__module__.startswith("sympy") for part in parts):
        return _symbolic(density, limits), 0.0
    fine, coarse = (_quadrature(density, limits, n) for n in (order, order * 2 // 3))
    rounding = 1e-14 * np.abs(fine).max()
    return fine, float(np.abs(fine - coarse).max() + rounding)


def _limits(region: Any) -> list[tuple[Any, Any]]:
    pairs = [tuple(pair) for pair in region]
    if len(pairs) != 3 or any(len(pair) != 2 for pair in pairs):
        raise ShapeError("a region is three pairs of limits: x, then y of x, then z of x and y")
    return [(low, high) for low, high in pairs]


def _quadrature(density: Any, limits: Any, order: int) -> Array:
    """Gauss–Legendre after x = mid - half·cos(πu): roots at the limits do no harm."""
    u, weight = np.polynomial.legendre.leggauss(order)
    u, weight = (u + 1) / 2, weight / 2
    shape, slope = -np.cos(np.pi * u), np.pi * np.sin(np.pi * u)

    def along(low: Any, high: Any) -> tuple[Array, Array]:
        mid, half = (np.asarray(high) + low) / 2, (np.asarray(high) - low) / 2
        return mid[..., None] + half[..., None] * shape, half[..., None] * slope * weight

    x, wx = along(*(_value(limit) for limit in limits[0]))
    y, wy = along(*(np.broadcast_to(_value(limit, x), x.shape) for limit in limits[1]))
    x, wx = np.broadcast_to(x[:, None], y.shape), np.broadcast_to(wx[:, None], y.shape)
    z, wz = along(*(np.broadcast_to(_value(limit, x, y), y.shape) for limit in limits[2]))
    x, y, w = (np.broadcast_to(a[..., None], z.shape) for a in (x, y, wx * wy))
    rho = np.broadcast_to(np.asarray(_value(density, x, y, z), dtype=float), z.shape)
    if not np.isfinite(rho).all() or (rho < 0).any():
        raise ArgumentError("the density must be finite and not negative everywhere in the region")
    dm = rho * w * wz
    powers = [np.ones_like(x), x, y, z, x * x, y * y, z * z, x * y, x * z, y * z]
    return np.array([float((p * dm).sum()) for p in powers])


def _value(part: Any, *coordinates: Any) -> Any:
    return part(*coordinates) if callable(part) else part


def _symbolic(density: Any, limits: Any) -> list[Any]:
    import sympy

    x, y, z = coordinates = sympy.symbols("x y z")

    def expression(part: Any, *known: Any) -> Any:
        """A part as a formula; symbols called x, y, z are the coordinates, however declared."""
        formula = sympy.nsimplify(part(*known) if callable(part) else part, rational=True)
        same = {s: c for s in formula.free_symbols for c in coordinates if s.name == c.name}
        return formula.subs(same)

    bounds = [[expression(limit, *coordinates[:k]) for limit in limits[k]] for k in range(3)]

    def integral(f: Any) -> Any:
        for symbol, (low, high) in zip((z, y, x), reversed(bounds), strict=True):
            f = sympy.integrate(f, (symbol, low, high))
        return sympy.simplify(f)

    rho = expression(density, x, y, z)
    return [integral(rho * p) for p in (1, x, y, z, x * x, y * y, z * z, x * y, x * z, y * z)]


def mesh_moments(mesh: Any, max_bytes: int) -> list[float]:
    """Of the volume inside a closed surface: a signed tetrahedron to the origin per triangle."""
    vertices, faces = _triangles(mesh, max_bytes)
    _check_closed(faces)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    first = (volume[:, None] * (a + b + c) / 4).sum(axis=0)
    total = a + b + c
    second = sum(
        np.einsum("i,ij,ik->jk", volume, p, r) for p, r in ((a, a), (b, b), (c, c), (total, total))
    )
    second = second / 20
    size = float(np.abs(vertices).max(initial=0.0)) ** 3
    if not abs(volume.sum()) > 1e-12 * size:
        raise ArgumentError("the mesh encloses no volume")
    sign = np.sign(volume.sum())
    xx, yy, zz = np.diag(second)
    xy, xz, yz = second[0, 1], second[0, 2], second[1, 2]
    return [float(sign * m) for m in (volume.sum(), *first, xx, yy, zz, xy, xz, yz)]


def _check_closed(faces: Array) -> None:
    """Every edge belongs to two faces, which run along it in opposite directions."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    _, uses = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    if (uses != 2).any():
        raise ArgumentError(
            f"the mesh is not closed: {int((uses != 2).sum())} edges do not belong to two faces"
        )
    if len(np.unique(edges, axis=0)) < len(edges):
        raise ArgumentError("the mesh's faces are not oriented alike: some are turned inside out")


def _triangles(mesh: Any, max_bytes: int) -> tuple[Array, Array]:
    if isinstance(mesh, (str, os.PathLike)):
        mesh = load_mesh(os.fspath(mesh), max_bytes)
    if hasattr(mesh, "vertices") and hasattr(mesh, "faces"):
        mesh = (mesh.vertices, mesh.faces)
    try:
        vertices, faces = (np.asarray(part) for part in mesh)
    except (TypeError, ValueError):
        raise ArgumentError("a mesh is a file, a trimesh, or a pair (vertices, faces)") from None
    if vertices.shape[1:] != (3,) or faces.shape[1:] != (3,):
        raise ShapeError(f"vertices and faces are (n, 3), got {vertices.shape}, {faces.shape}")
    if faces.dtype.kind not in "iu" or vertices.dtype.kind not in "iuf":
        raise ArgumentError(
            "vertices are real numbers and faces whole ones, the numbers of their corners; got "
            f"{vertices.dtype} and {faces.dtype}"
        )
    if faces.size and not 0 <= faces.min() <= faces.max() < len(vertices):
        raise ArgumentError(
            f"the mesh's faces name vertices {faces.min()} to {faces.max()}, "
            f"but there are {len(vertices)}"
        )
    merged, index = np.unique(vertices.astype(float), axis=0, return_inverse=True)
    return merged, index.reshape(-1)[faces]
