"""What is asked of a mechanism: from a `Request` to a `Function`, compiled on first use."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from visviva.describe.model.body import REFERENCES
from visviva.describe.quantities import FUNCTIONS, QUANTITIES, ROWS, Quantity, function_at
from visviva.describe.values import digest_of, is_ours
from visviva.errors import ArgumentError, ShapeError, UnknownNameError, check_known
from visviva.foreign import our_value
from visviva.machine.function import Function, function
from visviva.machine.program.derivative import Derivative
from visviva.machine.program.program import Port
from visviva.machine.program.trace import input_ports, traced

UNRESISTED_MOTION = "singular:reason"  # why results are not finite, mostly
NEGLIGIBLE = 1e-10  # of the largest singular value of A
ALGORITHM_OPTIONS = (
    "frame",
    "reference",
    "point",
    "method",
    "substeps",
    "clip",
)  # what algorithms take as it is
TAKEN_AS = {"controls": "u"}  # by the argument that shows it in an algorithm


@dataclass(frozen=True)
class Request:
    """A quantity of a system, and in which way it is wanted.

    Equal requests of one system are one `Function`. A request is plain data: with the system it
    names the machine code, and a pickled function is asked for again by it.
    """

    quantity: str
    inputs: tuple[str, ...] | None = None  # in this order; None: as the quantity has them
    parameters: tuple[str, ...] = ()  # of the model, kept as an input (number of parameters,)
    wrenches: tuple[tuple[str, str], ...] = ()  # (frame, axes) of each row of an input (n, 6)
    frame: str | None = None  # what it is about
    reference: str = "world"  # the axes, and the point whose velocity a twist has
    point: tuple[float, ...] | None = None  # in the frame's coordinates, metres; None: its origin
    columns: tuple[int, ...] | None = None  # of a matrix; None: all
    method: str = "semi-implicit"  # of a step
    substeps: int = 1
    controls: bool = False  # whether forces are those of the actuators
    clip: bool = False  # whether these are brought between their limits

    def row(self, system: Any) -> Quantity:
        """What the table knows of the quantity."""
        known = stated_functions(system, self.frame is not None)
        check_known(f"function of {system.name!r}", self.quantity, known)
        return known[self.quantity]

    @property
    def label(self) -> str:
        """The name of the function: of the quantity, and of the frame that it is about."""
        if self.columns is not None:
            return "base_regressor"
        return self.quantity if self.frame is None else f"{self.quantity}_{self.frame}"

    def doc(self, system: Any) -> str:
        """What the function is, for help()."""
        text = self.row(system).doc if self.columns is None else ""
        if not self.clip:
            return text
        limits = [f"{x.name} from {x.lower:g} to {x.upper:g}" for x in system.limited_actuators]
        return f"{text}\n\nControls are clipped: {', '.join(limits)}."

    def ports(self, system: Any) -> tuple[Port, ...]:
        """The inputs in order; q knows where its quaternions are, which have length one."""
        row, name, nv = self.row(system), self.quantity, system.nv
        sizes = {"q": system.nq, "v": nv, "a": nv, "tau": nv, "wrench": 6, "t": (), "dt": ()}
        shapes: dict[str, Any] = {k: sizes[k] for k in _home(system).inputs(system, row)}
        if self.controls:
            count = asked(system, Request("actuator_map")).outputs["T"][1]
            shapes = dict([("u", count) if k == "tau" else (k, n) for k, n in shapes.items()])
        if self.wrenches:
            timed = {"t": shapes.pop("t")} if "t" in shapes else {}
            shapes |= {"wrenches": (len(self.wrenches), 6), **timed}
        if self.parameters:
            _home(system).parameter_values(system, self.parameters)  # refuses unknown names
            shapes["parameters"] = len(self.parameters)
        if self.inputs is not None:
            for k in self.inputs:
                check_known(f"input of {name}", k, shapes)
            if sorted(self.inputs) != sorted(shapes):
                got = ", ".join(self.inputs)
                raise ArgumentError(f"{name} takes {', '.join(shapes)}, each once; got {got}")
            shapes = {k: shapes[k] for k in self.inputs}
        units = tuple(start for _, start in system.quaternions)
        ports = input_ports(shapes)
        return tuple(replace(port, units=units) if port.name == "q" else port for port in ports)

    def algorithm(self, system: Any, ports: Sequence[Port]) -> Callable[..., dict[str, Any]]:
        """Values of the inputs, in their order and of any scalar, to the outputs by name."""
        row, inputs = self.row(system), [port.name for port in ports]
        asked = {k: getattr(self, k) for k in ALGORITHM_OPTIONS}
        options = {k: x for k, x in asked.items() if x != getattr(Request, k)}

        def outputs(*values: Any) -> dict[str, Any]:
            x, model = dict(zip(inputs, values, strict=True)), system.numeric
            if self.parameters:
                kept = x.pop("parameters")
                model = _home(system).with_symbols(system, self.parameters, kept)
            if self.wrenches:
                pairs = zip(self.wrenches, x["wrenches"], strict=True)
                x["wrenches"] = [(*where, wrench) for where, wrench in pairs]
            function = _stated(row, system)
            if "t" in inspect.signature(function).parameters:
                x.setdefault(
                    "t", None
                )  # what no input is has no value either, not that of a default
            result = function(model, **options, **x)
            if self.columns is not None:
                result = result[:, list(self.columns)]
            names = row.symbol.split()
            return dict(zip(names, result if len(names) > 1 else (result,), strict=True))

        return outputs

    def rule(self, system: Any, wanted: tuple[str, ...]) -> Callable[..., Mapping[str, Any]] | None:
        """The quantity's own derivatives by the wanted inputs; None where there are none."""
        slope = self.row(system).slope_of(system.stated)
        if not slope or replace(self, inputs=None) != Request(self.quantity):
            return None
        derivatives: Callable[..., Mapping[str, Any]] | None
        derivatives = function_at(slope)(system.numeric, wanted)
        return derivatives

    def key(self, system: Any) -> tuple[str, str] | None:
        """What names the machine code; nothing does if somebody else's class has a say in it."""
        if not is_ours(type(system)) or FUNCTIONS.get(self.quantity) not in QUANTITIES:
            return None
        formulas = system if self.parameters else None  # how its numbers depend on them counts too
        model = system.numeric
        name = digest_of(tuple(model.frame_names), model, formulas, self)
        return None if name is None else ("verb", name)


def asked(system: Any, request: Request) -> Function[Any]:
    """The function of a request, one for every system; a plain one becomes its attribute."""
    functions: dict[Request, Function] = system.__dict__.setdefault("_functions", {})
    if request not in functions:
        plain, shares = partial(_function, system, request), system.__dict__.get("_shares")
        functions[request] = plain() if shares is None else shares.function(request, plain)
        if request == Request(request.quantity):
            system.__dict__[request.quantity] = functions[request]
    return functions[request]


def verb(
    system: Any,
    name: str,
    inputs: Sequence[str] | None = None,
    parameters: Sequence[str] = (),
    wrenches: Sequence[str] | Mapping[str, str] = (),
    **options: Any,
) -> Function:
    """A quantity of a whole system, perhaps with parameters and wrenches as inputs.

    Options that are not None are those of a step.
    """
    known = stated_functions(system)
    if not isinstance(name, str) or name not in known:
        about = "pose" if name == "frame_pose" else name
        is_about = isinstance(name, str) and about in stated_functions(system, about=True)
        line = f"model.{about}({['tool', *system.frame_names][-1]!r})" if is_about else ""
        raise UnknownNameError(f"function of {system.name!r}", name, known, cure=line)
    options = {k: x for k, x in options.items() if x is not None}
    for option in [*(["wrenches"] if wrenches else []), *options]:
        arguments = inspect.signature(_stated(known[name], system)).parameters
        if TAKEN_AS.get(option, option) not in arguments:
            raise ArgumentError(f"{name} is not offered with {option}")
    if options:
        function_at("steps.step:check_options")(**options)
    kept = _names("parameters", parameters)
    if inputs is not None:
        inputs = _names("inputs", inputs)
        if "parameters" in inputs and not kept:
            kept = _home(system).parameter_names(system)
    return asked(system, Request(name, inputs, kept, _wrenches(system, wrenches), **options))


def frame_verb(
    system: Any, name: str, frame: str, reference: str = "world", point: Any = None
) -> Function[Any]:
    """A quantity about one frame; the point is in its coordinates."""
    if not isinstance(frame, str):
        raise _no_name(name, ["tool", *system.frame_names][-1], frame)
    system.frame(frame)
    if not isinstance(reference, str) or reference not in REFERENCES:
        _refuse_reference(system, name, frame, reference)
    at = None if point is None else point_of(point)
    return asked(system, Request(name, frame=frame, reference=reference, point=at))


def _no_name(name: str, frame: str, value: Any) -> ArgumentError:
    """What is asked with its inputs at once: a frame gives a function first."""
    inputs = ", ".join(FUNCTIONS[name].inputs.split())
    return ArgumentError(
        f"{name} takes the name of a frame and gives a function, got {type(value).__name__}",
        cure=f"model.{name}({frame!r})({inputs})",
    )


def _refuse_reference(system: Any, name: str, frame: str, reference: Any) -> None:
    """Axes that are not ours: those of another library, or of a frame."""
    our_name, advice, line = our_value("reference", reference), None, ""
    if isinstance(reference, str) and reference in (*system.frame_names, system.base_name):
        rotation = f"model.frame_pose({reference!r}, q).R"
        advice = f"axes of a frame are {rotation}; {name} is in axes of the world or its own"
    elif our_name is not reference:
        line = f"model.{name}({frame!r}, reference={our_name!r})"
    elif not isinstance(reference, str):
        raise _no_name(name, frame, reference)
    raise UnknownNameError("reference", str(reference), REFERENCES, advice, cure=line)


def reaction(system: Any, joint: str, reference: str) -> Function:
    """One row of the reactions of a model, by the name of its joint or loop, in chosen axes."""
    all_of_them = asked(system, Request("reactions"))  # refuses what has no bodies
    stated = function_at("constraints.reactions:reaction")
    names = function_at("constraints.reactions:reaction_names")(system)
    if joint not in names and joint in [x.name for x in system.constraints]:
        way = (
            "a constraint that is a formula has no line of action: its λ is among "
            "model.multipliers(q, v, tau), what it does to coordinates is in "
            "model.constraint_forces(q, v, tau)"
        )
        raise UnknownNameError(f"joint or loop of {system.name!r}", joint, names, way)
    if joint not in names and joint in system.body_names:
        carried = system.bodies[joint].joint_name
        way, line = f"the joint {carried!r} carries this body", f"model.reaction({carried!r})"
        raise UnknownNameError(f"joint or loop of {system.name!r}", joint, names, way, cure=line)
    check_known(f"joint or loop of {system.name!r}", joint, names)
    check_known("reference", reference, REFERENCES[:2])
    if names.count(joint) > 1:
        raise ArgumentError(
            f"a joint and a loop of {system.name!r} are called {joint!r}: reactions(q, v, tau) has "
            "both, joints first"
        )
    return function(
        lambda *state: stated(system.numeric, joint, reference, *state),
        all_of_them.inputs,
        name=f"reaction_{joint}",
    )


def weighted_actuator_forces(system: Any, weights: Any) -> Function:
    """Forces of the actuators that do it with the least Σ w f²."""
    plain = asked(system, Request("actuator_forces"))
    count = asked(system, Request("actuator_map")).outputs["T"][1]
    try:
        w = np.asarray(weights, dtype=float)
    except (TypeError, ValueError):
        w = np.zeros(0)
    if w.shape != (count,) or not (np.isfinite(w) & (w > 0)).all():
        raise ArgumentError(
            f"weights are {count} positive numbers, one for each actuator of {system.name!r}; "
            f"got {weights!r}"
        )
    stated = function_at("constraints.motion:actuator_forces")
    return function(
        lambda *state: stated(
            system.numeric, weights=w, **dict(zip(plain.inputs, state, strict=True))
        ),
        plain.inputs,
        name="weighted_actuator_forces",
    )


def displacements(system: Any, q: Any, t: float) -> np.ndarray:
    """An orthonormal basis (n, n - rank) of the null space of A."""
    f = asked(system, Request(ROWS.name))
    A = f(q, t) if "t" in f.inputs else f(q)
    if A.ndim != 2:
        raise ShapeError(f"displacements takes one position, got the shape {np.shape(q)}")
    if not np.isfinite(A).all():
        raise ArgumentError(f"the rows of {system.name!r} are not finite at {q!r}")
    length = np.linalg.norm(A, axis=1)
    slight = np.array(function_at("constraints.rows:slightness")(system.numeric))
    large = length**2 > slight
    if not large.any():
        return np.eye(system.nv)
    _, sizes, V = np.linalg.svd(A[large] / length[large, None])  # in whatever units rows are
    rank = int(np.sum(sizes > NEGLIGIBLE * sizes[0]))
    return np.asarray(V[rank:].T)


def stated_functions(system: Any, about: bool = False) -> dict[str, Quantity]:
    """The rows that are stated for a kind of system, of the whole or about a frame, by name."""
    rows = FUNCTIONS.items()
    return {k: x for k, x in rows if getattr(x, system.stated) and bool(x.about) == about}


def _function(system: Any, request: Request) -> Function[Any]:
    ports, model = request.ports(system), system.numeric
    if model.is_symbolic:
        raise ArgumentError(
            f"{request.label}: the numbers of {system.name!r} are formulas without values; take "
            "the model with values and keep parameters as inputs: function(..., parameters=[...])"
        )
    return Function(
        request.label,
        ports,
        lambda: traced(request.algorithm(system, ports), ports, has_conditions=True),
        request.key(system),
        derivative=Derivative(model.charts, lambda wanted: request.rule(system, wanted)),
        origin=(asked, system, request),
        doc=request.doc(system),
        advice=request.row(system).advice if system.held_by else "",
        why=lambda reason, arguments: function_at(reason or UNRESISTED_MOTION)(system, arguments),
    )


def _stated(row: Quantity, system: Any) -> Callable[..., Any]:
    return function_at(getattr(row, system.stated))


def _home(system: Any) -> Any:
    """The module that knows the inputs and parameters of a kind of system."""
    return system._input_equations()


def _names(what: str, names: Any) -> tuple[str, ...]:
    if isinstance(names, str) or not all(isinstance(x, str) for x in names):
        raise ArgumentError(f"{what} is a list of names, got {names!r}")
    if len(set(names)) < len(tuple(names)):
        raise ArgumentError(f"{what}: a name occurs twice in {', '.join(names)}")
    return tuple(names)


def _wrenches(system: Any, wrenches: Any) -> tuple[tuple[str, str], ...]:
    acting = (
        dict(wrenches)
        if isinstance(wrenches, Mapping)
        else dict.fromkeys(_names("wrenches", wrenches), "body")
    )
    for frame, reference in acting.items():
        system.frame(frame)
        check_known("axes of a wrench", reference, REFERENCES[:2])
    return tuple(acting.items())


def point_of(point: Any) -> tuple[float, ...]:
    """A point of a frame as plain data."""
    try:
        at = np.asarray(point, dtype=float)
    except (TypeError, ValueError):
        at = np.zeros(0)
    if at.shape != (3,) or not np.isfinite(at).all():
        raise ShapeError(f"a point has 3 coordinates, finite numbers; got {point!r}")
    return tuple(at.tolist())
