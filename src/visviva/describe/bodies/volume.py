"""Moments of volume: ∫ (1, x, y, z, xx, yy, zz, xy, xz, yz) dm of densities and closed meshes."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_numeric
from visviva.errors import ArgumentError, ShapeError
from visviva.extras import require

MESH_BYTES = 100_000_000  # meshes of robots have a hundredth of that
ZIPPED = (".zip", ".3mf")
PACKED = (".gz", ".tgz", ".tar", ".bz2", ".xz", ".7z")


def _cartesian(f: Any, x: Any, y: Any, z: Any) -> Any:
    return (x, y, z), x**0


def _cylindrical(f: Any, r: Any, phi: Any, z: Any) -> Any:
    return (r * f.cos(phi), r * f.sin(phi), z), r


def _spherical(f: Any, r: Any, theta: Any, phi: Any) -> Any:
    flat = r * f.sin(theta)
    return (flat * f.cos(phi), flat * f.sin(phi), r * f.cos(theta)), r * flat


SYSTEMS: dict[tuple[str, str, str], Callable[..., Any]] = {  # (x, y, z) and dV/(d… d… d…)
    ("x", "y", "z"): _cartesian,
    ("r", "phi", "z"): _cylindrical,
    ("r", "theta", "phi"): _spherical,
}


def integrate_density(density: Any, region: Any, order: int) -> tuple[Any, float]:
    """The ten moments and an estimate of their absolute error."""
    names, limits = _limits(region)
    parts = [density, *(limit for pair in limits for limit in pair)]
    if any(type(part).__module__.startswith("sympy") for part in parts):
        return _symbolic(density, names, limits), 0.0
    fine, coarse = (_quadrature(density, names, limits, n) for n in (order, order * 2 // 3))
    rounding = 1e-14 * np.abs(fine).max()
    return fine, float(np.abs(fine - coarse).max() + rounding)


def _limits(region: Any) -> tuple[list[str], list[tuple[Any, Any]]]:
    """Names of the coordinates, outermost first, and the limits of each."""
    names = list(region) if isinstance(region, Mapping) else ["x", "y", "z"]
    if not any(set(names) == set(system) for system in SYSTEMS):
        known = "; ".join(", ".join(system) for system in SYSTEMS)
        raise ArgumentError(
            f"a region has limits for the coordinates {known}; got {', '.join(map(str, names))}"
        )
    pairs = region.values() if isinstance(region, Mapping) else region
    pairs = [tuple(pair) for pair in pairs]
    if len(pairs) != 3 or any(len(pair) != 2 for pair in pairs):
        raise ShapeError("a region is three pairs of limits: x, then y of x, then z of x and y")
    return names, [(low, high) for low, high in pairs]


def _placed(names: list[str], values: Any, functions: Any) -> Any:
    """x, y, z and the volume element at values of the named coordinates."""
    at = dict(zip(names, values, strict=True))
    system = next(system for system in SYSTEMS if set(system) == set(names))
    return SYSTEMS[system](functions, *(at[name] for name in system))


def _quadrature(density: Any, names: list[str], limits: Any, order: int) -> Array:
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
    (x, y, z), element = _placed(names, (x, y, z), np)
    _check_once(names, limits, element.min() >= -1e-15 * np.abs(element).max())
    dm = rho * w * wz * element
    powers = [np.ones_like(x), x, y, z, x * x, y * y, z * z, x * y, x * z, y * z]
    return np.array([float((p * dm).sum()) for p in powers])


def _value(part: Any, *coordinates: Any) -> Any:
    return part(*coordinates) if callable(part) else part


def _check_once(names: list[str], limits: Any, positive: bool) -> None:
    """A region in r and angles counts no place twice: r ≥ 0, 0 ≤ theta ≤ π, phi once around."""
    turn = dict(zip(names, limits, strict=True)).get("phi", (0.0, 0.0))
    numbers = all(is_numeric([limit]) for limit in turn)
    if not positive or (numbers and float(turn[1] - turn[0]) > 2 * np.pi + 1e-9):
        raise ArgumentError("a region has r ≥ 0, theta from 0 (along z) to π, phi once around z")


def _symbolic(density: Any, names: list[str], limits: Any) -> list[Any]:
    import sympy

    from visviva.describe.bodies.volume_symbolic import integral, real_symbols

    coordinates = [sympy.Dummy(name, real=True, nonnegative=name == "r" or None) for name in names]

    def expression(part: Any, *known: Any) -> Any:
        """A part as a formula; symbols called x, y, z are the coordinates, however declared."""
        formula = sympy.nsimplify(part(*known) if callable(part) else part, rational=True)
        same = {s: c for s in formula.free_symbols for c in coordinates if s.name == c.name}
        return formula.subs(same)

    bounds = [[expression(limit, *coordinates[:k]) for limit in limits[k]] for k in range(3)]
    rho = expression(density, *coordinates)
    real = real_symbols(rho, bounds, coordinates)
    bounds = [[limit.xreplace(real) for limit in pair] for pair in bounds]
    (x, y, z), element = _placed(names, coordinates, sympy)
    _check_once(
        names, bounds, not any(_is_outside(n, *b) for n, b in zip(names, bounds, strict=True))
    )
    dm = rho.xreplace(real) * element
    powers = (1, x, y, z, x * x, y * y, z * z, x * y, x * z, y * z)
    back = {dummy: symbol for symbol, dummy in real.items()}
    return [integral(dm * p, coordinates, bounds).xreplace(back) for p in powers]


def _is_outside(name: str, low: Any, high: Any) -> bool:
    """Whether limits of r or theta, as far as they are numbers, leave r ≥ 0 or 0 ≤ theta ≤ π."""
    below = bool(low.is_negative) and name in ("r", "theta")
    return below or (name == "theta" and high.is_number and float(high) > np.pi + 1e-9)


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
    with suppress(AttributeError):  # not a trimesh
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


# ---- mesh files: their size, unpacked, is looked at before anything is parsed


def load_mesh(path: str, max_bytes: int = MESH_BYTES) -> Any:
    """A trimesh, from a file that has at most `max_bytes`, also when unpacked."""
    (trimesh,) = require("a mesh file", "trimesh")
    ending = os.path.splitext(path)[1].lower()
    if ending in PACKED:
        raise ArgumentError(f"{path}: is packed; accepted: a mesh file, or one in a .zip")
    try:
        _bound(path, os.path.getsize(path), "bytes", max_bytes)
        if ending in ZIPPED:
            with zipfile.ZipFile(path) as archive:
                unpacked = sum(item.file_size for item in archive.infolist())
            _bound(path, unpacked, "bytes when unpacked", max_bytes)
    except OSError as error:
        raise ArgumentError(f"cannot read the mesh {path}: {error.strerror}") from None
    except zipfile.BadZipFile as error:
        raise ArgumentError(f"cannot read the mesh {path}: {error}") from None
    loader: Callable[..., Any] = trimesh.load
    try:
        return loader(path, force="mesh")
    except Exception as error:  # trimesh's readers raise whatever the file makes them
        raise ArgumentError(f"cannot read the mesh {path}: {error}") from None


def _bound(path: str, size: int, what: str, limit: int) -> None:
    if size > limit:
        raise ArgumentError(f"{path}: has {size} {what}; accepted: at most {limit} (max_bytes=)")
