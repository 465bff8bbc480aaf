"""`Builder`: a model by hand, body after body.

Examples:
    >>> b = Builder("pendulum", parameters={"l": 0.5})
    >>> l = b.parameters["l"]
    >>> _ = b.body("bob", joint="revolute", axis="y", inertia=Inertia.point(1.0, [0.0, 0.0, -l]))
    >>> b.frame("tip", body="bob", at=[0.0, 0.0, -l]).build()
    pendulum: nq 1, nv 1, gravity (0, 0, -9.81)
    parameters: l = 0.5
       joint      parent  type      limits  mass  body
    0  bob_joint  world   revolute          1     bob
    1 frame: tip
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from visviva.algebra.arrays import is_exactly, is_numeric, is_zero, vector
from visviva.algebra.expr import Expr, Graph, names_in
from visviva.algebra.sympy_graph import from_sympy
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.stated import (
    check_finite,
    check_inertia_keywords,
    is_list,
    is_scalar,
    limit_pair,
    list_of,
    losses_of,
    parameter_values,
    read_numbers,
    read_row,
    rotation_of,
)
from visviva.describe.constraints.held import check_ratio
from visviva.describe.files.suspicions import suspicions
from visviva.describe.joints.joint import Joint
from visviva.describe.joints.named import SIZED, joint_called
from visviva.describe.model.body import WORLD, Body, Frame, Limits, Mimic, Spring, Visual
from visviva.describe.model.consistency import named
from visviva.describe.model.idle import idle_notes
from visviva.describe.model.merge import merge_fixed
from visviva.describe.model.model import GRAVITY, Model
from visviva.describe.model.stiffness import STRETCH, Stiffness
from visviva.describe.values import at_values
from visviva.errors import ArgumentError, ParseError, ShapeError, check_known
from visviva.foreign import explained
from visviva.hints import as_typed
from visviva.notation.formula import Declared, parse
from visviva.space.poses import Pose, as_pose


@explained
class Builder:
    """Collects bodies and frames; `build` makes the model. Parents are named before children."""

    def __init__(
        self,
        name: str = "",
        *,
        gravity: Any = GRAVITY,
        parameters: Mapping[str, float] | None = None,
        base: str = "world",
        passive: str | Iterable[str] = (),
    ) -> None:
        if not isinstance(name, str) or not name:
            kind = f"a {type(name).__name__}" if not isinstance(name, str) else "none"
            raise ArgumentError(
                f"vv.Builder takes a name, vv.Builder('arm'), got {kind}; what is "
                "built already is changed by its own methods: model.attached(other, frame), "
                "model.with_frame(…), model.with_loop(…), model.with_parameters(…)"
            )
        self.name, self.gravity, self._base = name, gravity, base
        self._graph, self._values = Graph(), parameter_values(parameters)
        self.passive = passive  # joints that nothing drives
        self._bodies: list[Body] = []
        self._frames: list[Frame] = []
        self._notes: list[str] = []
        self._springs: list[Spring] = []
        self._base_inertia: Inertia | None = None

    @property
    def parameters(self) -> Mapping[str, Expr]:
        """The parameters as expressions, to be used wherever a number goes."""
        return MappingProxyType({name: self._graph.input(name) for name in self._values})

    def body(
        self,
        name: str,
        *,
        inertia: Inertia | None = None,
        parent: str = "",
        joint: str | Joint = "fixed",
        axis: Any = None,
        joint_name: str = "",
        at: Any = (0.0, 0.0, 0.0),
        rotation: Any = None,
        limits: Any = None,
        restitution: Any = None,
        velocity: Any = np.inf,
        effort: Any = np.inf,
        damping: Any = 0.0,
        friction: Any = 0.0,
        stiction: Any = 0.0,
        stribeck: Any = 0.0,
        armature: Any = 0.0,
        gear: Any = 1.0,
        mimic: Mimic | tuple[Any, ...] | None = None,
        passive: bool = False,
        mass: Any = None,
        com: Any = None,
        stiffness: Any = None,
        rest: Any = None,
        visuals: tuple[Visual, ...] = (),
        **details: Any,
    ) -> Self:
        """Add a body, carried by a joint at a place in its parent (the base, if none is named).

        `at` is three coordinates, turned by `rotation`, or a `Pose`, or 4 × 4. All numbers may be
        expressions or texts over the parameters, "-l/2"; limits are kept at the values of those.
        `axis` is a letter, possibly with a minus, or a vector. `armature` is a rotor's inertia and
        `gear` its ratio. Nothing drives a `passive` joint. One with `mimic=(joint, factor, offset)`
        follows another. `mass`, instead of an inertia, is a point mass at `com`. `stiffness` puts a
        spring on the joint, at ease at `rest`; `spring` has more. `friction` is a number (Coulomb)
        or a `Friction` with all of it. With a `restitution`, 0 to 1, `limits` are stops in motions.
        `details` go to the joint: `pitch` of a helical, `second` of a universal.
        """
        if isinstance(joint, Joint) and (axis is not None or details):
            raise ArgumentError(
                f"body {name!r}: axis belongs to a joint by name, not to a ready one"
            )
        check_inertia_keywords(name, self._read, mass, com, inertia, axis, details)
        details |= {k: self._read(f"{k} of {name!r}", x) for k, x in details.items() if k in SIZED}
        kind = joint if isinstance(joint, Joint) else joint_called(joint, axis, details)
        joint_name = joint_name or f"{name}_joint"
        point_mass = self._point_mass(name, mass, com)
        self._add_joint_spring(name, joint_name, stiffness, rest)
        armature, gear = self._read_rotor(name, armature, gear)
        losses = losses_of(name, self._read, damping, friction, stiction, stribeck)
        if passive:
            self.passive = (*named(self.passive), joint_name)
        bounds = self._limits(name, kind, limits, velocity, effort)
        restitution = self._at_values(name, "restitution", restitution)
        for word, value in (losses | {"armature": armature}).items():
            check_finite(f"{word} of {name!r}", self._numbers(value), negative=False)
        self._bodies.append(
            Body(
                name,
                joint_name,
                self._index(parent),
                self._place(name, at, rotation),
                kind,
                inertia or point_mass,
                bounds.stopping(joint_name, kind, restitution),
                armature=vector(armature) * gear**2,
                mimic=self._mimic(name, mimic),
                visuals=self._visuals(name, visuals),
                **losses,
            ).mapped(self.number)
        )
        return self

    def _point_mass(self, name: str, mass: Any, com: Any) -> Inertia:
        """The inertia of a mass at a place; of none if there is no mass."""
        if mass is None and com is not None:
            raise ArgumentError(
                f"body {name!r}: com= is the place of mass=; an Inertia has its own"
            )
        mass = 0.0 if mass is None else self._read(f"mass of {name!r}", mass)
        com = (0.0,) * 3 if com is None else self._read(f"com of {name!r}", com)
        if not is_scalar(mass):
            raise ArgumentError(f"mass of {name!r} is one number, got {mass!r}")
        return Inertia.point(mass, com)

    def _add_joint_spring(self, name: str, joint_name: str, stiffness: Any, rest: Any) -> None:
        """Put the spring of a body's joint on it, if it has one."""
        if stiffness is not None:
            self.spring(
                f"{name}_spring", stiffness, 0.0 if rest is None else rest, joint=joint_name
            )
        elif rest is not None:
            raise ArgumentError(f"body {name!r}: rest= is where a spring is at ease: stiffness=")

    def _read_rotor(self, name: str, armature: Any, gear: Any) -> tuple[Any, Any]:
        """Armature and gear ratio; a ratio is not 0, and does nothing without a rotor."""
        armature = self._read(f"armature of {name!r}", armature)
        gear = self._read(f"gear of {name!r}", gear)
        for x in np.asarray(gear, dtype=object).flat:
            check_ratio(f"the gear ratio of {name!r}", x)
            check_ratio(f"the gear ratio of {name!r}", self._numbers(x))
        if not is_exactly(gear, 1.0) and is_zero(np.ravel(vector(armature))):
            self.note(f"body {name!r}: gear = {gear} does nothing without an armature")
        return armature, gear

    def _limits(self, name: str, kind: Joint, limits: Any, velocity: Any, effort: Any) -> Limits:
        """The limits of a joint, at the parameters' values."""
        if isinstance(limits, (list, tuple)):
            limits = [self._at_values(name, "limits", x) for x in limits]
        velocity = self._at_values(name, "velocity", velocity)
        effort = self._at_values(name, "effort", effort)
        lower, upper = limit_pair(name, limits)
        for word, value in (("velocity", velocity), ("effort", effort)):
            if np.any(np.less(value, 0)):
                raise ArgumentError(f"the {word} limit of {name!r} is not negative, got {value}")
        return Limits.of(kind, lower, upper, velocity, effort)

    def _mimic(self, name: str, source: Any) -> Mimic | None:
        if source is None or isinstance(source, Mimic):
            return source
        label, form = f"mimic of {name!r}", "is (joint, factor, offset), the last two may be absent"
        cells = list_of(label, form, source)
        numbers = self._read(label, cells[1:])
        is_named = bool(cells) and isinstance(cells[0], str)
        if not is_named or len(numbers) > 2 or not all(map(is_scalar, numbers)):
            raise ShapeError(f"{label} {form}, got {source!r:.80}")
        return Mimic(cells[0], *numbers)

    def _visuals(self, name: str, visuals: Any) -> tuple[Visual, ...]:
        label, form = f"visuals of {name!r}", "are a list of Visual"
        solids = list_of(label, form, visuals)
        if not all(isinstance(x, Visual) for x in solids):
            raise ArgumentError(f"{label} {form}, got {visuals!r:.80}")
        return tuple(solids)

    def base_inertia(self, inertia: Inertia) -> Self:
        """What sits at the base; it matters once the base is set free."""
        self._base_inertia = inertia.mapped(self.number)
        return self

    def frame(
        self, name: str, body: str = "", at: Any = (0.0, 0.0, 0.0), rotation: Any = None
    ) -> Self:
        """Add a named frame on a body (or on the base), `at` as in `body`."""
        if not isinstance(body, str):
            place = f"body={[*self._names, self._base][0]!r}, at={as_typed(body)}"
            line = f"builder.frame({name!r}, {place})"
            raise ArgumentError("a frame is on a body, then comes its place", cure=line)
        place = self._place(name, at, rotation)
        self._frames.append(Frame(name, self._index(body), place).mapped(self.number))
        return self

    def _place(self, name: str, at: Any, rotation: Any) -> Pose:
        """Three coordinates and a rotation beside them, or a whole pose."""
        if np.shape(np.asarray(at, dtype=object)) != (4, 4):
            label, form = f"at of {name!r}", "is 3 coordinates [x, y, z], a Pose or a 4 × 4 matrix"
            p = read_row(self.formula, label, form, at, 3)
            check_finite(label, p, negative=True)
            return Pose(rotation_of(name, rotation), vector(p))
        if rotation is not None:
            raise ArgumentError(
                f"{name!r}: at= is a pose, which has its rotation; rotation= goes with at=[x, y, z]"
            )
        return as_pose(at)

    def spring(
        self,
        name: str,
        stiffness: Any,
        rest: Any = 0.0,
        *,
        damping: Any = 0.0,
        joint: str = "",
        between: Any = (),
        points: Any = None,
        turning: Any = 0.0,
        turning_damping: Any = 0.0,
    ) -> Self:
        """Add a spring with a damper beside it, on a joint or `between` two frames.

        It pulls back with stiffness · (x - rest) + damping · ẋ, x the joint's coordinate or the
        distance of two `points`, by default the frames' origins. A stiffness that depends on the
        stretch e = x - rest is a formula over e and parameters, "k1 + k3*e^2", or a `Stiffness`;
        other numbers may be formulas over parameters, rest="l/2".
        A 3 × 3 matrix is an element in the axes of the first frame, where `rest` is a vector and
        `damping` may be a matrix; `turning` and `turning_damping`, matrices or one number for all
        axes, act on the rotation vector from the first frame's axes to those of the second.
        """
        frames = list(between) if is_list(between) else [between]
        if bool(joint) == bool(frames) or len(frames) not in (0, 2):
            raise ArgumentError(
                f"spring {name!r}: joint= or between=(frame, frame), one of them; got "
                f"joint={joint!r}, between={between!r:.80}"
            )
        if joint and points is not None:
            raise ArgumentError(
                f"spring {name!r}: points are those of two frames; it is on a joint"
            )
        if isinstance(stiffness, str):
            stiffness = self._law(name, stiffness)
        numbers = {"stiffness": stiffness, "rest": rest, "damping": damping, "turning": turning}
        numbers |= {"turning_damping": turning_damping}
        for word, x in numbers.items():
            if isinstance(x, Stiffness):
                continue
            x = self._read(f"{word} of spring {name!r}", x)
            negative = word == "rest" or np.ndim(x) > 0  # of matrices, eigenvalues are not
            check_finite(f"{word} of spring {name!r}", x, negative=negative)
            numbers[word] = vector(x) if np.ndim(x) else x
        spring = Spring(
            name,
            joint=joint,
            frames=tuple(frames),
            points=self._ends(name, frames, points),
            **numbers,
        )
        self._springs.append(spring.mapped(self.number))
        return self

    def _ends(self, name: str, frames: list[str], points: Any) -> tuple[Any, ...]:
        """One point on each of the frames of a spring: their origins, if none are named."""
        label, form = f"spring {name!r}: points", "are a pair, one [x, y, z] on each frame"
        places = [np.zeros(3)] * len(frames) if points is None else list_of(label, form, points)
        if len(places) != len(frames):
            raise ShapeError(f"{label} {form}, got {points!r:.80}")
        return tuple(vector(read_row(self.formula, label, form, p, 3)) for p in places)

    def _law(self, name: str, text: str) -> Stiffness | str:
        """A formula over the stretch and the parameters; one without the stretch stays a text."""
        names = {k: x for k, x in self.parameters.items() if k != STRETCH}
        graph = Graph()
        try:
            law = parse(text, graph, {k: graph.input(k) for k in (STRETCH, *names)})
        except ParseError as error:
            raise ArgumentError(f"stiffness of spring {name!r}: {error}") from None
        symbols = names_in([law])
        if STRETCH not in symbols:
            return text
        return Stiffness(law, {k: names[k] for k in symbols if k != STRETCH})

    def note(self, text: str) -> Self:
        """Say something about what was built."""
        self._notes.append(text)
        return self

    def build(self) -> Model:
        """The model; bodies on fixed joints are merged into their parents, their frames kept."""
        tree = merge_fixed(self._bodies, self._frames, self._base_inertia)
        model = Model(
            self.name,
            tree.bodies,
            tree.frames,
            self._gravity(),
            tree.base_inertia,
            self._values,
            tuple(self._notes),
            base_name=self._base,
            base_visuals=tree.base_visuals,
            springs=tuple(self._springs),
            passive=named(self.passive),
        )
        odd = [*suspicions(model, tree.bodies), *idle_notes(model)]
        return replace(model, notes=(*model.notes, *odd)) if odd else model

    def _gravity(self) -> Any:
        label, form = "gravity", "is [x, y, z] in m/s², as [0, 0, -9.81] on the Earth"
        return vector(
            [self.number(x) for x in read_row(self.formula, label, form, self.gravity, 3)]
        )

    def formula(self, label: str, text: str, beside: Iterable[str] = ()) -> Any:
        """The number or expression that a text over the parameters means.

        `beside` are other texts that will be read: the error names what all of them lack.
        """
        try:
            return _plain(parse(text, self._graph, self.parameters))
        except ParseError as error:
            names = Declared(self.parameters).missing([text, *beside])
            values = ", ".join(f"{x!r}: ..." for x in names)
            hint = f"\n  names get their values by parameters={{{values}}}" if names else ""
            raise ArgumentError(f"{label}: {error}{hint}") from None

    def _read(self, label: str, x: Any) -> Any:
        return read_numbers(self.formula, label, x)

    def _at_values(self, name: str, word: str, x: Any) -> Any:
        """The values of texts and expressions, for what a model keeps as numbers only."""
        if x is None:
            return x
        x = self._read(f"{word} of {name!r}", x)
        if is_numeric(x):
            return x
        remark = f"body {name!r}: {word!r} is kept at the parameters' values"
        if remark not in self._notes:
            self.note(remark)
        return self._numbers(x)

    def _numbers(self, x: Any) -> Any:
        """Numbers, those of expressions and symbols at the parameters' values."""
        if vector(x).dtype != object:
            return x
        values = [float(at_values(self.number(y), self._values)) for y in np.ravel(vector(x))]
        return np.reshape(values, np.shape(x)) if np.ndim(x) else values[0]

    def number(self, x: Any) -> Any:
        """SymPy's symbols become the parameters of their names."""
        if not type(x).__module__.startswith("sympy"):
            return x
        return _plain(from_sympy(x, self._graph, self.parameters))

    @property
    def _names(self) -> list[str]:
        return [b.name for b in self._bodies]

    def _index(self, name: str) -> int:
        if name in ("", self._base):
            return WORLD
        names = [self._base, *self._names]
        check_known("body", name, names, dict.fromkeys(_BASES, self._base))
        return self._names.index(name)


_BASES = ("ground", "base", "world", "fixed", "frame", "origin")  # as others call it


def _plain(node: Expr) -> Any:
    return node.value if node.is_constant else node
