"""What is stated of a body: numbers and rows of them, inertia beside a mass, limits, losses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from visviva.algebra.arrays import entries, is_zero, vector
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.model.friction import UNLOADED, Friction, check_unloaded, joint_numbers
from visviva.describe.values import Parameters, Value
from visviva.errors import ArgumentError, ShapeError
from visviva.space.rotations import check_rotation

MOMENTS = ("Ixx", "Iyy", "Izz")
MOMENT_WORDS = (
    "I",
    "moment",
    "moments",
    "tensor",
    "inertia_tensor",
    "Ic",
    "J",
    "diaginertia",
    *MOMENTS,
)


Formula = Callable[[str, str], Any]  # what a text means: of a label for errors, and the text


def is_scalar(x: Any) -> bool:
    """Whether it is one number, expression or symbol: what can be negated, and has no entries."""
    return np.ndim(x) == 0 and getattr(x, "__neg__", None) is not None


def is_list(x: Any) -> bool:
    """Whether it has entries one after the other: no text, no mapping."""
    return isinstance(x, Iterable) and not isinstance(x, (str, bytes, Mapping))


def list_of(label: str, form: str, x: Any) -> list[Any]:
    """The entries of a list, or the rows of an array; refused if it is anything else."""
    if getattr(x, "is_Matrix", False):
        x = entries(x) if 1 in x.shape else x.tolist()
    if not is_list(x):
        raise ShapeError(f"{label} {form}, got {x!r:.80}")
    return list(x)


def read_numbers(formula: Formula, label: str, x: Any) -> Any:
    """Numbers with what texts mean in place of them: one, a row, or rows of them."""
    x = entries(x)
    if isinstance(x, str):
        return formula(label, x)
    if isinstance(x, (list, tuple)):
        return [read_numbers(formula, label, y) for y in x]
    return x


def read_row(formula: Formula, label: str, form: str, x: Any, n: int) -> list[Any]:
    """A row of n numbers, expressions or texts; `form` says in the error what it is."""
    row = read_numbers(formula, label, list_of(label, form, x))
    if len(row) != n or not all(map(is_scalar, row)):
        raise ShapeError(f"{label} {form}, got {x!r:.80}")
    return list(row)


def check_inertia_keywords(
    name: str,
    read: Callable[[str, Any], Any],
    mass: Any,
    com: Any,
    inertia: Any,
    axis: Any,
    details: Mapping[str, Any],
) -> None:
    """Refuse moments beside a mass, or without one, with the `Inertia` that has them all."""
    lower = {x.lower(): x for x in MOMENT_WORDS}
    moments = {lower[k.lower()]: x for k, x in details.items() if k.lower() in lower}
    if inertia is not None and not isinstance(inertia, Inertia):
        moments["inertia"] = inertia
    if not moments:
        if mass is not None and inertia is not None:
            raise ArgumentError(f"body {name!r}: mass= or inertia=, one of them")
        return
    numbers = {k: x for k, x in (("mass", mass), ("com", com)) if x is not None} | moments
    for word, x in numbers.items():
        read(f"{word} of {name!r}", x)  # texts are formulas that can be read
    raise ArgumentError(
        f"body {name!r}: an inertia has its mass and its centre of mass in it, about which its "
        f"moments are, and takes the place of {', '.join(f'{x}=' for x in numbers)}",
        cure=f"inertia={_inertia_line(mass, com, axis, moments)}",
    )


def _inertia_line(mass: Any, com: Any, axis: Any, moments: Mapping[str, Any]) -> str:
    """The call that makes an inertia of these numbers."""
    mass, com = 1.0 if mass is None else mass, [0, 0, 0] if com is None else com
    first = f"{_as_source(mass)}, {_as_source(com)}"
    principal = [moments.get(x, 0.0) for x in MOMENTS]
    tensor = next((x for k, x in moments.items() if k not in MOMENTS), None)
    count = np.size(np.asarray(tensor, dtype=object))
    if tensor is None and sum(x in moments for x in MOMENTS) > 1:
        tensor, count = principal, 3
    if count == 3:
        return f"vv.Inertia.from_moments({first}, {_as_source(tensor)})"
    if count == 9:
        return f"vv.Inertia({first}, {_as_source(tensor)})"
    if tensor is None:
        (word,) = moments
        normal, tensor = word[-1], moments[word]
    else:
        normal = str(axis).lstrip("+-").lower()
    plane = f", normal={normal!r}" if normal in ("x", "y") else ""
    return f"vv.Inertia.planar({first}, {_as_source(tensor)}{plane})"


def _as_source(x: Any) -> str:
    """Numbers as they are typed, texts as the formulas that they are."""
    if isinstance(x, str):
        return f"builder.formula('inertia', {x!r})"
    x = x.tolist() if isinstance(x, np.ndarray) else x
    return f"[{', '.join(map(_as_source, x))}]" if isinstance(x, (list, tuple)) else repr(x)


def losses_of(
    name: str,
    read: Callable[[str, Any], Any],
    damping: Any,
    friction: Any,
    stiction: Any,
    stribeck: Any,
) -> Any:
    """What slows a joint down, by the words of a body; `read` has what texts mean."""
    if not isinstance(friction, Friction):
        numbers = {"damping": damping, "friction": friction}
        numbers |= {"stiction": stiction, "stribeck": stribeck}
        for word, x in numbers.items():
            try:
                x = numbers[word] = read(f"{word} of {name!r}", x)
            except ArgumentError as error:  # of a name without value, as N in "mu*N"
                load = "" if word in ("damping", "stribeck") else f"\n  {UNLOADED}"
                raise ArgumentError(f"{error}{load}") from None
            check_unloaded(f"{word} of {name!r}: a joint takes numbers or a Friction", x)
            if isinstance(x, Value):
                raise ArgumentError(
                    f"{word} of {name!r}: a joint takes numbers or a Friction, got a "
                    f"{type(x).__name__}; LuGre(…).steady is a Friction, and with_bristles of a "
                    "model has the forces of a LuGre along motions"
                )
            check_scalars(f"{word} of {name!r}", x)
        return numbers
    others = {"damping": damping, "stiction": stiction, "stribeck": stribeck}
    for word, x in others.items():
        if not is_zero(np.ravel(vector(x))):
            raise ArgumentError(f"body {name!r}: {word}= is part of the law friction={friction}")
    return joint_numbers(friction)


def limit_pair(name: str, limits: Any) -> tuple[Any, Any]:
    """The lower and the upper limit of a joint."""
    if limits is None:
        return -np.inf, np.inf
    try:
        lower, upper = [limits] if isinstance(limits, str) else limits
    except (TypeError, ValueError):
        raise ArgumentError(
            f"body {name!r}: limits are a pair (lower, upper), got {limits!r}"
        ) from None
    if np.isnan(np.asarray(lower, dtype=float)).any() or np.isnan(np.asarray(upper, float)).any():
        raise ArgumentError(f"body {name!r}: limits must be numbers, got {limits!r}")
    if np.shape(lower) == np.shape(upper) and np.any(np.greater(lower, upper)):
        raise ArgumentError(f"body {name!r}: the lower limit {lower} is above the upper {upper}")
    return lower, upper


def check_scalars(label: str, value: Any) -> None:
    """Refuse what is no number or expression, and no array of them."""
    if not all(map(is_scalar, np.asarray(value, dtype=object).flat)):
        raise ArgumentError(f"{label}: a number, an expression or a text of one, got {value!r:.80}")


def check_finite(label: str, value: Any, negative: bool) -> None:
    """Refuse what is not finite, or negative where that is not meant."""
    check_scalars(label, value)
    numbers = vector(value)
    is_plain = numbers.dtype != object
    if is_plain and not (np.isfinite(numbers) & (negative | (numbers >= 0))).all():
        rule = "finite" if negative else "finite and not negative"
        raise ArgumentError(f"{label} must be {rule}, got {value}")


def rotation_of(name: str, R: Any) -> Any:
    """The rotation that is stated, or none."""
    if isinstance(R, str):
        raise ArgumentError(
            f"the rotation of {name!r} is a 3 × 3 matrix, got {R!r}; about an axis it is "
            "rotation=vv.space.about_axis([0, 0, 1], np.pi / 2)"
        )
    R = np.eye(3) if R is None else vector(R)
    if R.shape != (3, 3):
        raise ShapeError(f"the rotation of {name!r} is a 3 × 3 matrix, got shape {R.shape}")
    check_rotation(R, f"the rotation of {name!r}")
    return R


def parameter_values(parameters: Any) -> dict[str, float]:
    """Parameters by their names, each with a value."""
    try:
        values = dict(parameters or {})
    except (TypeError, ValueError):
        raise ArgumentError(
            f"parameters= are names with their values, {{'l1': 0.4, 'm1': 2.0}}, got {parameters!r}"
        ) from None
    return Parameters(values)
