"""The functions of a mechanism: from a verb's name to a `Function`, compiled on first use."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.describe.system import System, Verb
from visviva.describe.values import digest_of, is_ours
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.machine.function import Function, Key
from visviva.machine.program.derivative import Calculus, Rule
from visviva.machine.program.program import Port
from visviva.machine.program.trace import input_ports, traced

if TYPE_CHECKING:
    from visviva.describe.model.model import Model

REFERENCES = ("world", "body", "space")
OTHER_REFERENCES = {
    "LOCAL": "body",
    "LOCAL_WORLD_ALIGNED": "world",
    "WORLD": "space",
}  # Pinocchio's
ELSEWHERE = {
    "generalized_force": "forces.forces"
}  # verbs about frames that are not in `kinematics`


def verb(
    system: Any,
    name: str,
    inputs: Sequence[str] | None = None,
    parameters: Sequence[str] = (),
    wrenches: Sequence[str] | Mapping[str, str] = (),
) -> Function:
    """A verb of a system, perhaps with parameters and wrenches as inputs."""
    known = verbs(type(system))
    if not isinstance(name, str) or name not in known:
        raise UnknownNameError(f"function of {system.name!r}", name, known)
    kept = _names("parameters", parameters)
    if inputs is not None:
        inputs = _names("inputs", inputs)
        if "parameters" in inputs and not kept:
            kept = _parameters(system).parameter_names(system)
    acting = _wrenches(system, wrenches)
    request = (name, inputs, kept, tuple(acting.items()))
    return _kept(system, request, lambda: _made(system, known[name], *request[1:]))


def frame_verb(
    system: Any,
    name: str,
    frame: str,
    inputs: str,
    outputs: str,
    reference: str = "world",
    point: Any = None,
) -> Function:
    """A verb about one frame."""
    for given in (frame, reference):
        if not isinstance(given, str):
            raise ArgumentError(
                f"{name} takes the name of a frame and gives a function: "
                f'{name}("tool")({", ".join(inputs.split())}); got {type(given).__name__}'
            )
    system.frame(frame)
    if reference not in REFERENCES:
        meant = OTHER_REFERENCES.get(reference.upper())
        way = None if meant is None else f"here it is model.{name}({frame!r}, reference={meant!r})"
        raise UnknownNameError("reference", reference, REFERENCES, way)
    at = None if point is None else _point(point)
    request = (name, frame, inputs, outputs, reference, at)

    def algorithm(model: Model, **x: Any) -> Any:
        extra = {} if name == "pose" else {"reference": reference, "point": at}
        return getattr(_equations(ELSEWHERE.get(name, "frames.kinematics")), name)(
            model, frame, **x, **extra
        )

    def made() -> Function:
        ports = {k: _sizes(system)[k] for k in inputs.split()}
        label = f"{name}_{frame}"
        return _function(
            system, label, algorithm, ports, outputs, request, (frame_verb, system, *request)
        )

    return _kept(system, request, made)


def regressor_columns(system: Any, columns: tuple[int, ...]) -> Function:
    """Some columns of a system's regressor."""
    request = ("regressor_columns", columns)

    def algorithm(model: Model, **x: Any) -> Any:
        stated = _equations("parameters.regressor").regressor
        return stated(model, **x)[:, list(columns)]

    def made() -> Function:
        sizes = {k: _sizes(system)[k] for k in ("q", "v", "a")}
        origin = (regressor_columns, system, columns)
        return _function(system, "base_regressor", algorithm, sizes, "Y", request, origin)

    return _kept(system, request, made)


def verbs(kind: type) -> dict[str, Verb]:
    """The verbs of a kind of system, by name."""
    found = {}
    for owner in reversed(kind.__mro__):
        for k, x in vars(owner).items():
            if isinstance(x, Verb):
                found[k] = x
            else:
                found.pop(k, None)  # a kind of system may lack a verb
    return found


def _made(
    system: Any,
    asked: Verb,
    inputs: tuple[str, ...] | None,
    kept: tuple[str, ...],
    acting: tuple[tuple[str, str], ...],
) -> Function:
    module, _, attribute = asked.where.partition(":")

    def stated() -> Callable[..., Any]:  # looked up when it is traced: the cache can spare that
        found: Callable[..., Any] = getattr(_equations(module), attribute)
        return found

    sizes: dict[str, Any] = {k: _sizes(system)[k] for k in _inputs(system, asked)}
    if acting:
        if "wrenches" not in inspect.signature(stated()).parameters:
            raise ArgumentError(f"{asked.name} does not depend on outside wrenches")
        sizes["wrenches"] = (len(acting), 6)
    if kept:
        _parameters(system).parameter_values(system, kept)  # unknown names are refused here
        sizes["parameters"] = len(kept)
    if inputs is not None:
        for k in inputs:
            if k not in sizes:
                raise UnknownNameError(f"input of {asked.name}", k, sizes)
        if sorted(inputs) != sorted(sizes):
            raise ArgumentError(
                f"{asked.name} takes {', '.join(sizes)}, each once; got {', '.join(inputs)}"
            )
        sizes = {k: sizes[k] for k in inputs}

    def algorithm(model: Model, **x: Any) -> Any:
        if kept:
            model = _parameters(system).with_symbols(system, kept, x.pop("parameters"))
        if acting:
            rows = x.pop("wrenches")
            x["wrenches"] = [(*where, row) for where, row in zip(acting, rows, strict=True)]
        return stated()(model, **x)

    def rule(wanted: tuple[str, ...]) -> Any:
        if asked is not vars(System).get(asked.name):  # the rules are those of bodies
            return None
        known = _equations("derivatives").RULES.get(asked.name)
        return None if known is None or kept or acting else known(system.numeric, wanted)

    request = (asked.name, inputs, kept, dict(acting))
    return _function(
        system,
        asked.name,
        algorithm,
        sizes,
        asked.output,
        (*request[:3], acting),
        (verb, system, *request),
        rule,
        asked.doc,
        system if kept else None,  # how its numbers depend on the parameters counts too
    )


def _function(
    system: Any,
    name: str,
    algorithm: Callable[..., Any],
    sizes: Mapping[str, Any],
    outputs: str,
    request: tuple[Any, ...],
    origin: tuple[Any, ...],
    rule: Rule | None = None,
    doc: str = "",
    formulas: Any = None,
) -> Function:
    model, ports = system.numeric, _with_units(system, input_ports(sizes))
    if model.is_symbolic:
        raise ArgumentError(
            f"{name}: the numbers of {system.name!r} are formulas without values; take the model "
            "with values and keep parameters as inputs: function(..., parameters=[...])"
        )
    names = outputs.split()

    def compute(**x: Any) -> dict[str, Any]:
        made = algorithm(model, **x)
        return dict(zip(names, made if len(names) > 1 else (made,), strict=True))

    charts = model.charts
    return Function(
        name,
        ports,
        lambda: traced(partial(_by_name, compute, tuple(sizes)), ports),
        _key(system, model, formulas, request),
        calculus=Calculus(charts, rule),
        origin=origin,
        doc=doc,
        why=lambda arguments: _equations("singular").reason(system, arguments),
    )


def _key(system: Any, model: Any, formulas: Any, request: tuple[Any, ...]) -> Key | None:
    """What names the machine code; nothing does if somebody else's class has a say in it."""
    if not is_ours(type(system)):
        return None
    name = digest_of(tuple(model.frame_names), model, formulas, request)
    return None if name is None else ("verb", name)


def _with_units(system: Any, ports: tuple[Port, ...]) -> tuple[Port, ...]:
    """Positions know where their quaternions are."""
    units = tuple(start for _, start in getattr(system, "_quaternions", ()))
    return tuple(replace(port, units=units) if port.name == "q" else port for port in ports)


def _equations(module: str) -> Any:
    return import_module(f"visviva.equations.{module}")


def _by_name(compute: Callable[..., Any], names: tuple[str, ...], *values: Any) -> Any:
    return compute(**dict(zip(names, values, strict=True)))


def _kept(system: Any, request: tuple[Any, ...], make: Callable[[], Function]) -> Function:
    """Made once for every system; a plain verb becomes an attribute of it."""
    made: dict[Any, Function] = system.__dict__.setdefault("_functions", {})
    if request not in made:
        made[request] = make()
        if request[1:] == (None, (), ()):
            system.__dict__[request[0]] = made[request]
    return made[request]


def _sizes(system: Any) -> dict[str, Any]:
    return {"q": system.nq, **dict.fromkeys(("v", "a", "tau"), system.nv), "wrench": 6, "t": ()}


def _parameters(system: Any) -> Any:
    """The module that knows the parameters of a kind of system."""
    return _equations(getattr(system, "stated_in", "parameters.parameters"))


def _inputs(system: Any, asked: Verb) -> Sequence[str]:
    """What a verb depends on; a system may have explicit time, say."""
    if not hasattr(system, "stated_in"):
        return asked.inputs.split()
    found: Sequence[str] = _equations(system.stated_in).inputs(system, asked)
    return found


def _names(what: str, names: Any) -> tuple[str, ...]:
    if isinstance(names, str) or not all(isinstance(x, str) for x in names):
        raise ArgumentError(f"{what} is a list of names, got {names!r}")
    if len(set(names)) < len(tuple(names)):
        raise ArgumentError(f"{what}: a name occurs twice in {', '.join(names)}")
    return tuple(names)


def _wrenches(system: Any, wrenches: Any) -> dict[str, str]:
    acting = (
        dict(wrenches)
        if isinstance(wrenches, Mapping)
        else dict.fromkeys(_names("wrenches", wrenches), "body")
    )
    for frame, reference in acting.items():
        system.frame(frame)
        if reference not in REFERENCES[:2]:
            raise UnknownNameError("axes of a wrench", reference, REFERENCES[:2])
    return acting


def _point(point: Any) -> tuple[float, ...]:
    try:
        at = np.asarray(point, dtype=float)
    except (TypeError, ValueError):
        at = np.zeros(0)
    if at.shape != (3,) or not np.isfinite(at).all():
        raise ShapeError(f"a point has 3 coordinates, finite numbers; got {point!r}")
    return tuple(at.tolist())
