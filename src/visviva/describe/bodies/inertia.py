"""Mass, centre of mass and inertia tensor of a body; sums, differences and changes of frame.

Numbers or symbols alike: every method works over any scalar. Products of inertia carry their minus
sign inside the tensor: tensor[0, 1] = -∫ x y dm.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import InitVar, dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from visviva.algebra.arrays import Array, Scalars, alike, entries, frozen, is_numeric, vector
from visviva.describe.bodies import solids
from visviva.describe.bodies.principal import Principal, principal_axes
from visviva.describe.bodies.validity import check_inertia
from visviva.describe.bodies.volume import MESH_BYTES, integrate_density, mesh_moments
from visviva.describe.values import PLAIN, OfInit, Value
from visviva.drawing.displayed import Displayed
from visviva.errors import ArgumentError, InertiaError, ShapeError, check_known
from visviva.foreign import explained
from visviva.hints import as_typed
from visviva.space.poses import Pose
from visviva.space.rotations import check_rotation, skew
from visviva.space.spatial import spatial_inertia

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

AT_ORIGIN = (0.0, 0.0, 0.0)
WAYS = {  # by how many numbers a tensor was
    1: "; for motion in a plane there is Inertia.planar(mass, com, moment)",
    3: "; of principal moments there is Inertia.from_moments(mass, com, moments)",
}


@explained
@dataclass(frozen=True, eq=False)
class Inertia(Value, Displayed):
    """A body's mass, its centre of mass, and its tensor about the centre of mass.

    Impossible numbers are refused with the reason; rods and points are possible. `frame` is an
    optional label of the axes; quantities with two different labels refuse to be combined.

    Examples:
        >>> bar = Inertia.box(2.0, x=1.0, y=0.1, z=0.1)
        >>> bar.about([0.5, 0.0, 0.0])[2, 2].round(6)      # about its end
        np.float64(0.668333)
        >>> (bar - Inertia.box(1.0, x=0.5, y=0.1, z=0.1)).mass
        1.0
    """

    mass: Any
    com: Array = None  # type: ignore[assignment]  # without it nothing is made
    tensor: Array = None  # type: ignore[assignment]
    frame: str = ""
    error: float = field(default=0.0, metadata=PLAIN)  # of what came out of a numerical integral
    checked: bool = field(default=True, repr=False)
    _exists: InitVar[bool] = False  # made from bodies that do: rounding may look impossible
    __signature__ = OfInit()

    if TYPE_CHECKING:

        def __init__(
            self,
            mass: Any,
            com: Scalars,
            tensor: Scalars,
            frame: str = "",
            error: float = 0.0,
            checked: bool = True,
            _exists: bool = False,
        ) -> None: ...

    def __new__(cls, *args: Any, **named: Any) -> Self:
        """Other words for the tensor are told ours."""
        if other := [k for k in named if k in ("inertia", "I", "I_com", "moments", "moment")]:
            words = ("mass", "com")
            first = [*map(as_typed, args), *(as_typed(named[k]) for k in words if k in named)]
            place = ", ".join([*first[:2], *words[len(first) :]])
            kind = {"moments": "vv.Inertia.from_moments", "moment": "vv.Inertia.planar"}
            line = f"{kind.get(other[0], 'vv.Inertia')}({place}, {as_typed(named[other[0]])})"
            raise ArgumentError(f"{other[0]}= is no part of an inertia", cure=line)
        return object.__new__(cls)

    def __post_init__(self, _exists: bool) -> None:
        numeric = self.mass is not None and not isinstance(self.mass, (str, bytes))
        if not numeric or np.ndim(self.mass) or self.com is None or self.tensor is None:
            raise ArgumentError(
                "an inertia is stated as Inertia(mass, com, tensor), the mass first and one number "
                f"or symbol; got mass={self.mass!r}, com={self.com!r}, tensor={self.tensor!r}"
            )
        for name, shape in (("com", (3,)), ("tensor", (3, 3))):
            array = frozen(getattr(self, name))
            if array.shape != shape:
                way = WAYS.get(1 if name == "com" else array.size, "")
                raise ShapeError(f"{name} of an inertia has shape {shape}, got {array.shape}{way}")
            object.__setattr__(self, name, array)
        if self.checked and not _exists:
            check_inertia(self.mass, self.com, self.tensor)

    # ---- ways to state one

    @classmethod
    def from_moments(
        cls,
        mass: Any,
        com: Any,
        moments: Any,
        products: Any = AT_ORIGIN,
        *,
        sign: str = "matrix",
        checked: bool = True,
    ) -> Inertia:
        """From (Ixx, Iyy, Izz) and (Ixy, Ixz, Iyz) about the centre of mass.

        `sign="matrix"`: products as they stand in the tensor, Ixy = -∫ x y dm; `sign="integral"`:
        Ixy = +∫ x y dm. `checked=False` takes moments that no body can have.
        """
        if sign not in ("matrix", "integral"):
            raise ArgumentError(f"sign is 'matrix' or 'integral', got {sign!r}")
        xx, yy, zz = entries(moments)
        solids.refuse_text("from_moments", mass=mass, Ixx=xx, Iyy=yy, Izz=zz)
        xy, xz, yz = products if sign == "matrix" else (-p for p in products)
        return cls(mass, com, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], checked=checked)

    @classmethod
    def planar(cls, mass: Any, com: Any, moment: Any, *, normal: str = "z") -> Inertia:
        """A thin plate, for motion in a plane: its moment about the normal, at its centre of mass.

        `com` has three coordinates, or the two of the plane. Half of the moment is about each axis
        in the plane, where motion in it does not ask.

        Examples:
            >>> Inertia.planar(2.0, [0.5, 0.0], 0.1).tensor.diagonal().tolist()
            [0.05, 0.05, 0.1]
        """
        check_known("axis", normal, ["x", "y", "z"])
        place, k = list(np.ravel(np.asarray(com, dtype=object))), "xyz".index(normal)
        solids.refuse_text("planar", mass=mass, moment=moment)
        if len(place) == 2:
            place.insert(k, 0.0)
        moments = [moment / 2] * 3
        moments[k] = moment
        return cls.from_moments(mass, place, moments)

    @classmethod
    def solid(cls, name: str, mass: Any = None, density: Any = None, **sizes: Any) -> Inertia:
        """A uniform solid of the table, centred at the origin, by mass or by density."""
        if (mass is None) == (density is None):
            raise ArgumentError(f"{name}: give the mass or density=, one of them")
        solids.refuse_text(name, mass=mass, density=density)
        volume, com, per_mass = solids.shape(name, sizes)
        mass = density * volume if mass is None else mass
        return cls(mass, com, per_mass * mass)

    @staticmethod
    def volume(name: str, /, **sizes: Any) -> Any:
        """Volume of a solid of the table, in the cube of the unit of its sizes.

        Examples:
            >>> Inertia.volume("box", x=2.0, y=0.5, z=0.1)
            0.1
        """
        return solids.volume(name, sizes)

    @classmethod
    def box(cls, mass: Any = None, *, x: Any, y: Any, z: Any, density: Any = None) -> Inertia:
        """A box with sides along the axes."""
        return cls.solid("box", mass, density, x=x, y=y, z=z)

    @classmethod
    def ellipsoid(
        cls, mass: Any = None, *, ax: Any, ay: Any, az: Any, density: Any = None
    ) -> Inertia:
        """An ellipsoid with these semi-axes."""
        return cls.solid("ellipsoid", mass, density, ax=ax, ay=ay, az=az)

    @classmethod
    def sphere(cls, mass: Any = None, *, radius: Any, density: Any = None) -> Inertia:
        """A solid ball about the origin."""
        return cls.solid("sphere", mass, density, radius=radius)

    @classmethod
    def cylinder(
        cls, mass: Any = None, *, radius: Any, height: Any, axis: str = "z", density: Any = None
    ) -> Inertia:
        """A cylinder along an axis."""
        return cls.solid("cylinder", mass, density, radius=radius, height=height, axis=axis)

    @classmethod
    def tube(
        cls,
        mass: Any = None,
        *,
        inner: Any,
        outer: Any,
        height: Any,
        axis: str = "z",
        density: Any = None,
    ) -> Inertia:
        """A hollow cylinder with these radii."""
        sizes = {"inner": inner, "outer": outer, "height": height, "axis": axis}
        return cls.solid("tube", mass, density, **sizes)

    @classmethod
    def cone(
        cls, mass: Any = None, *, radius: Any, height: Any, axis: str = "z", density: Any = None
    ) -> Inertia:
        """A cone with its base at the origin and its tip at `height` along the axis."""
        return cls.solid("cone", mass, density, radius=radius, height=height, axis=axis)

    @classmethod
    def rod(cls, mass: Any = None, *, length: Any, axis: str = "z", density: Any = None) -> Inertia:
        """A thin rod, centred; `density` is per length."""
        return cls.solid("rod", mass, density, length=length, axis=axis)

    @classmethod
    def point(cls, mass: Any, at: Any = AT_ORIGIN) -> Inertia:
        """A point mass at a place in its frame."""
        solids.refuse_text("point", mass=mass, **dict(zip("xyz", at, strict=False)))
        exact = vector([mass, *at]).dtype == object
        return cls(mass, at, np.zeros((3, 3), dtype=object if exact else float))

    @classmethod
    def point_masses(cls, masses: Iterable[Any], positions: Iterable[Any]) -> Inertia:
        """A rigid set of point masses."""
        masses, positions = list(masses), list(positions)
        if len(masses) != len(positions):
            raise ArgumentError(
                f"point_masses: {len(masses)} masses and {len(positions)} positions"
            )
        points = [cls.point(m, r) for m, r in zip(masses, positions, strict=True)]
        if not points:
            raise ArgumentError("point_masses needs at least one mass")
        total = points[0]
        for point in points[1:]:
            total = total + point
        return total

    @classmethod
    def from_density(cls, density: Any, region: Any, order: int = 32) -> Inertia:
        """The volume integral of a density over a region.

        `region` is three pairs of limits, for x, y and z; limits of y may be functions of x, those
        of z of x and y. `density` is a number or a function of x, y, z. With SymPy expressions for
        density or limits (over the symbols x, y, z) the integral is symbolic; otherwise it is
        numerical and `error` estimates it. Round bodies may be stated as a dict with limits for
        r, phi, z, or for r, theta (from the z axis), phi: each limit may depend on the coordinates
        before it, and a density that is a function takes them in the order of the dict.

        Examples:
            >>> from sympy import pi, symbols
            >>> rho, R = symbols("rho R", positive=True)
            >>> region = {"r": (0, R), "theta": (0, pi), "phi": (0, 2 * pi)}
            >>> Inertia.from_density(rho, region).mass
            4*pi*R**3*rho/3
        """
        moments, error = integrate_density(density, region, order)
        return cls._from_integrals(moments, error)

    @classmethod
    def from_mesh(
        cls, mesh: Any, *, mass: Any = None, density: Any = None, max_bytes: int = MESH_BYTES
    ) -> Inertia:
        """A uniform body bounded by a closed surface: a file, a trimesh, or (vertices, faces).

        A file above `max_bytes`, unpacked, is refused.
        """
        if (mass is None) == (density is None):
            raise ArgumentError("from_mesh: give mass= or density=, one of them")
        moments = mesh_moments(mesh, max_bytes)
        scale = density if mass is None else mass / moments[0]
        return cls._from_integrals([m * scale for m in moments], 0.0)

    @classmethod
    def _from_integrals(cls, moments: Any, error: float) -> Inertia:
        """From ∫ (1, x, y, z, xx, yy, zz, xy, xz, yz) dm."""
        m, x, y, z, xx, yy, zz, xy, xz, yz = moments
        com = vector([x / m, y / m, z / m])
        about_origin = vector([[yy + zz, -xy, -xz], [-xy, xx + zz, -yz], [-xz, -yz, xx + yy]])
        return cls(m, com, about_origin - _parallel(com) * m, error=error)

    # ---- what it answers

    def about(self, point: Any) -> Array:
        """The tensor about a point (Steiner): I + m (|r|² 1 - r rᵀ)."""
        m, com, tensor, point = alike(self.mass, self.com, self.tensor, point)
        about_point: Array = tensor + _parallel(com - point) * m
        return about_point

    def moved(self, R: Any = None, p: Any = None, frame: str = "") -> Inertia:
        """The same body seen from a frame in which its own has rotation R and position p.

        A `Pose` may stand for both.
        """
        if isinstance(R, Pose):
            R, p = R.R, R.p
        R, p = vector(np.eye(3) if R is None else R), AT_ORIGIN if p is None else p
        if R.shape != (3, 3):
            raise ShapeError(f"R is 3 × 3, got {R.shape}; say p=[...] for a shift alone")
        check_rotation(R)
        R, p, com, tensor = alike(R, p, self.com, self.tensor)
        com, tensor = R @ com + p, R @ tensor @ R.T
        return Inertia(self.mass, com, tensor, frame, self.error, self.checked, _exists=True)

    def rotated(self, R: Any, frame: str = "") -> Inertia:
        """Seen from axes in which its own axes are the columns of R: R 𝕀 Rᵀ."""
        return self.moved(R, None, frame)

    def spatial(self, frame: Pose | None = None) -> Array:
        """The 6 × 6 inertia about the origin of its own frame, or of a frame at this pose in it."""
        seen = self if frame is None else self.moved(frame.inverse())
        return spatial_inertia(seen.mass, seen.com, seen.tensor)

    def momentum(self, twist: Any, frame: str = "") -> Array:
        """(angular momentum about the origin, linear momentum) for a twist in its own frame."""
        self._same_frame(frame)
        G, V = alike(self.spatial(), twist)
        momentum: Array = G @ V
        return momentum

    def kinetic_energy(self, twist: Any, frame: str = "") -> Any:
        """½ Vᵀ G V for a twist V = (ω, v) at the origin of its own frame."""
        P, V = alike(self.momentum(twist, frame), twist)
        return V @ P / 2

    def energy_parts(self, twist: Any) -> tuple[Any, Any]:
        """Kinetic energy of translation with the centre of mass, and of rotation about it."""
        V, m, com, tensor = alike(twist, self.mass, self.com, self.tensor)
        at_com = V[3:] + skew(V[:3]) @ com
        return at_com @ at_com * m / 2, V[:3] @ (tensor @ V[:3]) / 2

    def space_rate(self, w: Any) -> Array:
        """How the tensor changes in fixed axes when the body turns with w: [w] 𝕀 - 𝕀 [w]."""
        w, tensor = alike(w, self.tensor)
        rate: Array = skew(w) @ tensor - tensor @ skew(w)
        return rate

    def principal(self) -> Principal:
        """Principal moments and axes; a notice where the axes are not unique."""
        if not is_numeric(self.tensor):
            raise ArgumentError("principal axes need numbers; substitute the symbols first")
        return principal_axes(self.tensor.astype(float))

    def plot(
        self, parts: Mapping[str, Inertia] | None = None, *, shape: str = "ellipsoid"
    ) -> Figure:
        """A plotly figure: centre of mass, principal axes, and the body that would move as it does.

        That is a uniform `shape`, "ellipsoid" or "box", of the same mass and moments. `parts`, by
        names and in the same frame, are drawn instead, each as such a shape.

        Examples:
            >>> fig = Inertia.box(2.0, x=1.0, y=0.4, z=0.1).plot(shape="box")
        """
        from visviva.describe.bodies.drawing import inertia_figure

        return inertia_figure(self, parts, shape)

    def __add__(self, other: Inertia) -> Inertia:
        return self._combined(other, operator.add)

    def __radd__(self, other: Any) -> Inertia:
        return self if other == 0 else NotImplemented  # the start of sum()

    def __sub__(self, other: Inertia) -> Inertia:
        return self._combined(other, operator.sub)

    def _combined(self, other: Inertia, sign: Callable[[Any, Any], Any]) -> Inertia:
        if not isinstance(other, Inertia):
            raise ArgumentError(f"inertias are joined with inertias, got {other!r:.60}")
        self._same_frame(other.frame)
        m, com, other_m, other_com = alike(self.mass, self.com, other.mass, other.com)
        mass, moment = sign(m, other_m), sign(com * m, other_com * other_m)
        nothing = is_numeric([mass]) and mass == 0
        if nothing and np.any(moment != 0):
            raise InertiaError("mass is 0 but the parts lie at two places: no body is left")
        com = com if nothing else moment / mass
        whole, part = alike(self.about(com), other.about(com))
        checked, tensor = self.checked and other.checked, sign(whole, part)
        if checked and sign is operator.sub:
            check_inertia(mass, com, tensor, whole)
        error, frame = self.error + other.error, self.frame or other.frame
        return Inertia(mass, com, tensor, frame, error, checked, _exists=True)

    def _same_frame(self, frame: str) -> None:
        if frame and self.frame and frame != self.frame:
            raise ArgumentError(
                f"the inertia is given in frame {self.frame!r}, the other quantity in {frame!r}: "
                "express both in one frame first (Inertia.moved)"
            )


def _parallel(r: Any) -> Array:
    """|r|² 1 - r rᵀ."""
    return -(skew(r) @ skew(r))
