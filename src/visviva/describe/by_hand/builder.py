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
    check_inertia_words,
    limit_pair,
    losses_of,
    parameter_values,
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
from visviva.errors import ArgumentError, ParseError, check_known
from visviva.foreign import explained
from visviva.notation.formula import Declared, parse
from visviva.space.poses import Pose

_NAMED = "\n  names get their values by parameters="


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
            got = f"a {type(name).__name__}" if not isinstance(name, str) else "none"
            raise ArgumentError(
                f"vv.Builder takes a name, vv.Builder('arm'), got {got}; what is "
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
        check_inertia_words(name, mass, com, inertia, axis, details)
        details |= {k: self._read(f"{k} of {name!r}", x) for k, x in details.items() if k in SIZED}
        kind = joint if isinstance(joint, Joint) else joint_called(joint, axis, details)
        mass, com = (
            self._read(f"{what} of {name!r}", x) for what, x in (("mass", mass), ("com", com))
        )
        if mass is not None:
            inertia = Inertia.point(mass, (0.0, 0.0, 0.0) if com is None else com)
        elif com is not None:
            raise ArgumentError(
                f"body {name!r}: com= is the place of mass=; an Inertia has its own"
            )
        if stiffness is not None:
            at_rest = 0.0 if rest is None else rest
            self.spring(f"{name}_spring", stiffness, at_rest, joint=joint_name or f"{name}_joint")
        elif rest is not None:
            raise ArgumentError(f"body {name!r}: rest= is where a spring is at ease: stiffness=")
        armature, gear = (
            self._read(f"{what} of {name!r}", x)
            for what, x in (("armature", armature), ("gear", gear))
        )
        losses = losses_of(name, self._read, damping, friction, stiction, stribeck)
        if passive:
            self.passive = (*named(self.passive), joint_name or f"{name}_joint")
        if isinstance(limits, (list, tuple)):
            limits = [self._kept(name, "limits", x) for x in limits]
        velocity = self._kept(name, "velocity", velocity)
        effort = self._kept(name, "effort", effort)
        restitution = self._kept(name, "restitution", restitution)
        lower, upper = limit_pair(name, limits)
        for what, value in (losses | {"armature": armature}).items():
            check_finite(f"{what} of {name!r}", self._valued(value), negative=False)
        for what, value in (("velocity", velocity), ("effort", effort)):
            if np.any(np.less(value, 0)):
                raise ArgumentError(f"the {what} limit of {name!r} is not negative, got {value}")
        self._check_gear(name, armature, gear)
        bounds = Limits.of(kind, lower, upper, velocity, effort)
        self._bodies.append(
            Body(
                name,
                joint_name or f"{name}_joint",
                self._index(parent),
                self._place(name, at, rotation),
                kind,
                inertia or Inertia.point(0.0),
                bounds.stopping(joint_name or f"{name}_joint", kind, restitution),
                armature=vector(armature) * gear**2,
                mimic=self._mimic(name, mimic) if isinstance(mimic, tuple) else mimic,
                visuals=visuals,
                **losses,
            ).mapped(self.number)
        )
        return self

    def _mimic(self, name: str, given: tuple[Any, ...]) -> Mimic:
        joint, *numbers = given
        return Mimic(joint, *(self._read(f"mimic of {name!r}", x) for x in numbers))

    def _check_gear(self, name: str, armature: Any, gear: Any) -> None:
        """A ratio is a number other than 0, and does nothing without a rotor."""
        for x in np.asarray(gear, dtype=object).flat:
            check_ratio(f"the gear ratio of {name!r}", x)
            check_ratio(f"the gear ratio of {name!r}", self._valued(x))
        if not is_exactly(gear, 1.0) and is_zero(np.ravel(vector(armature))):
            self.note(f"body {name!r}: gear = {gear} does nothing without an armature")

    def base_inertia(self, inertia: Inertia) -> Self:
        """What sits at the base; it matters once the base is set free."""
        self._base_inertia = inertia.mapped(self.number)
        return self

    def frame(
        self, name: str, body: str = "", at: Any = (0.0, 0.0, 0.0), rotation: Any = None
    ) -> Self:
        """Add a named frame on a body (or on the base), `at` as in `body`."""
        if not isinstance(body, str):
            said = f"builder.frame({name!r}, body={[*self._names, 'link'][0]!r}, at={body!r:.60})"
            raise ArgumentError(f"a frame is on a body, then comes its place: here it is {said}")
        place = self._place(name, at, rotation)
        self._frames.append(Frame(name, self._index(body), place).mapped(self.number))
        return self

    def _place(self, name: str, at: Any, rotation: Any) -> Pose:
        """Three coordinates and a rotation beside them, or a whole pose."""
        if not isinstance(at, Pose) and np.shape(at) != (4, 4):
            p = self._read(f"at of {name!r}", at)
            check_finite(f"at of {name!r}", p, negative=True)
            return Pose(rotation_of(name, rotation), vector(p))
        if rotation is not None:
            raise ArgumentError(
                f"{name!r}: at= is a pose, which has its rotation; rotation= goes with at=[x, y, z]"
            )
        return at if isinstance(at, Pose) else Pose.from_matrix(at)

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
        if bool(joint) == bool(between) or isinstance(between, str) or len(between) not in (0, 2):
            raise ArgumentError(f"spring {name!r}: joint= or between=(frame, frame), one of them")
        if joint and points is not None:
            raise ArgumentError(
                f"spring {name!r}: points are those of two frames; it is on a joint"
            )
        if isinstance(stiffness, str):
            stiffness = self._law(name, stiffness)
        given = {"stiffness": stiffness, "rest": rest, "damping": damping, "turning": turning}
        numbers: dict[str, Any] = {}
        for what, x in (given | {"turning_damping": turning_damping}).items():
            if isinstance(x, Stiffness):
                numbers[what] = x
                continue
            x = self._read(f"{what} of spring {name!r}", x)
            negative = what == "rest" or np.ndim(x) > 0  # of matrices, eigenvalues are not
            check_finite(f"{what} of spring {name!r}", x, negative=negative)
            numbers[what] = _shaped(x)
        places = [np.zeros(3)] * 2 if points is None else points
        ends = tuple(vector(self._read(f"spring {name!r}: points", p)) for p in places if between)
        spring = Spring(name, joint=joint, frames=tuple(between), points=ends, **numbers)
        self._springs.append(spring.mapped(self.number))
        return self

    def _law(self, name: str, text: str) -> Stiffness | str:
        """A formula over the stretch and the parameters; one without the stretch stays a text."""
        names = {k: x for k, x in self.parameters.items() if k != STRETCH}
        graph = Graph()
        try:
            law = parse(text, graph, {k: graph.input(k) for k in (STRETCH, *names)})
        except ParseError as error:
            raise ArgumentError(f"stiffness of spring {name!r}: {error}") from None
        used = names_in([law])
        return (
            Stiffness(law, {k: names[k] for k in used if k != STRETCH}) if STRETCH in used else text
        )

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
            vector([self.number(x) for x in np.ravel(self._read("gravity", self.gravity))]),
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

    def formula(self, what: str, text: str, beside: Iterable[str] = ()) -> Any:
        """The number or expression that a text over the parameters means.

        `beside` are other texts that will be read: what all of them lack is told at once.
        """
        try:
            return _plain(parse(text, self._graph, self.parameters))
        except ParseError as error:
            unknown = error.problem.startswith("unknown name")
            missing = Declared(self.parameters).missing([text, *beside]) if unknown else []
            listed = ", ".join(f"{x!r}: ..." for x in missing)
            way = f"{_NAMED}{{{listed}}}" if missing else ""
            raise ArgumentError(f"{what}: {error}{way}") from None

    def _read(self, what: str, x: Any) -> Any:
        """The same with what texts mean in place of them, of one number or of a row of them."""
        if isinstance(x, str):
            return self.formula(what, x)
        if isinstance(x, (list, tuple)) and any(isinstance(part, str) for part in x):
            return [self.formula(what, y) if isinstance(y, str) else y for y in x]
        return x

    def _kept(self, name: str, what: str, x: Any) -> Any:
        """The values of texts and expressions, for what a model keeps as numbers only."""
        x = self._read(f"{what} of {name!r}", x)
        if x is None or is_numeric(x):
            return x
        text = f"body {name!r}: {what!r} is kept at the parameters' values"
        if text not in self._notes:
            self.note(text)
        return self._valued(x)

    def _valued(self, x: Any) -> Any:
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


def _shaped(x: Any) -> Any:
    return vector(x) if np.ndim(x) else x


def _plain(node: Expr) -> Any:
    return node.value if node.is_constant else node
