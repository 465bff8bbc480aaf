"""What closes the loops of a URDF: a file beside it, Extended URDF's YAML or our own TOML.

Extended URDF states `closed_loop`, pairs of frames that are one, with a `type` for each ("6d": they
are welded, "3d": their origins are one point), `name_mot`, the joints with motors, and `joint_name`
with `joint_type`, joints that are another kind than the URDF can say (SPHERICAL, CARDAN, FIXED).
"""

from __future__ import annotations

import os
import reprlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from visviva.describe.files.urdf.parts import JointPart
from visviva.describe.joints.axis import Fixed, Universal
from visviva.describe.joints.free import Spherical
from visviva.describe.joints.joint import Joint, X, Y
from visviva.describe.model.actuator import Actuator
from visviva.describe.model.body import Limits
from visviva.describe.model.model import Model
from visviva.errors import ReadError

LOOP_TYPES = {"6d": Fixed, "3d": Spherical}
JOINT_TYPES: dict[str, Callable[[], Joint]] = {
    "SPHERICAL": Spherical,
    "CARDAN": lambda: Universal(X, Y),
    "FIXED": Fixed,
}
LOOP_KEYS = ("closed_loop", "type", "name_mot", "joint_name", "joint_type")
BESIDE = "{}: may state what closes loops and was not read; vv.load(..., loops={!r}) reads it"


@dataclass(frozen=True)
class ExtendedUrdf:
    """What the file says, checked for its form alone."""

    path: str
    pairs: tuple[tuple[str, str], ...] = ()
    types: tuple[str, ...] = ()
    motors: tuple[str, ...] | None = None  # None: nothing is said of them
    kinds: dict[str, str] = field(default_factory=dict)  # of joints

    def applied_to(self, joints: list[JointPart], notes: list[str]) -> list[JointPart]:
        """The joints, some of them of another kind."""
        known = [j.name for j in joints]
        for name in self.kinds:
            self._check_known("joint_name", name, known)
        return [self._changed(j, notes) for j in joints]

    def _changed(self, j: JointPart, notes: list[str]) -> JointPart:
        kind = self.kinds.get(j.name)
        if kind is None:
            return j
        if j.mimic is not None:
            raise ReadError(f"{self.path}: joint {j.name!r} follows another one and is no {kind}")
        joint = JOINT_TYPES[kind]()
        lost = " and without its damping and friction" if j.damping or j.friction else ""
        notes.append(f"joint {j.name!r} is {kind.lower()}, not {j.joint.kind}{lost}: {self.path}")
        return replace(j, joint=joint, limits=Limits.of(joint), damping=0.0, friction=0.0)

    def closed(self, model: Model, children: dict[str, str]) -> Model:
        """The model with its loops and motors; `children` are links by the joints that fix them."""
        for k, (pair, kind) in enumerate(zip(self.pairs, self.types, strict=True), 1):
            ends = [self._frame(model, x, children) for x in pair]
            model = model.with_loop(ends[0], ends[1], LOOP_TYPES[kind](), name=f"closed_loop_{k}")
        if self.motors is None:
            return model
        for name in self.motors:
            self._check_known("name_mot", name, model.joint_names)
        motors = [Actuator.motor(name, name) for name in self.motors]
        passive = [x for x in model.joint_names if x not in self.motors]
        return model.with_actuators(motors).with_passive(passive)

    def _frame(self, model: Model, name: str, children: dict[str, str]) -> str:
        places = (*model.frame_names, model.base_name)
        if name not in places and children.get(name) in places:
            return children[name]
        self._check_known("closed_loop", name, places)
        return name

    def _check_known(self, key: str, name: str, known: Iterable[str]) -> None:
        if name not in known:
            names = ", ".join(map(repr, known))
            raise ReadError(f"{self.path}: {key} names {name!r}, accepted: {names}")


def read_extended_urdf(path: str | os.PathLike[str], max_bytes: int) -> ExtendedUrdf:
    """The YAML file of an Extended URDF."""
    name = os.fspath(path)
    said = _yaml(name, max_bytes)
    for key in said:
        if key not in LOOP_KEYS:
            raise ReadError(f"{name}: has a key {key!r}, accepted: {', '.join(LOOP_KEYS)}")
    pairs = said.get("closed_loop") or []
    if not isinstance(pairs, list) or not all(
        isinstance(x, list) and len(x) == 2 and _are_texts(x) for x in pairs
    ):
        raise ReadError(f"{name}: closed_loop is a list of pairs of frames, [[a, b], ...]")
    types = [x.lower() for x in _texts(name, said, "type") or ["6d"] * len(pairs)]
    names, kinds = (_texts(name, said, key) or [] for key in ("joint_name", "joint_type"))
    for one, other, a, b in (
        (pairs, types, "closed_loop", "type"),
        (names, kinds, "joint_name", "joint_type"),
    ):
        if len(one) != len(other):
            raise ReadError(f"{name}: {a} has {len(one)} entries and {b} {len(other)}")
    for key, values, known in (("type", types, LOOP_TYPES), ("joint_type", kinds, JOINT_TYPES)):
        for x in values:
            if x not in known:
                raise ReadError(f"{name}: {key} {x!r}, accepted: {', '.join(known)}")
    motors = _texts(name, said, "name_mot")
    _check_once(name, "joint_name", names)
    _check_once(name, "name_mot", motors or [])
    return ExtendedUrdf(
        name,
        tuple((a, b) for a, b in pairs),
        tuple(types),
        None if motors is None else tuple(motors),
        dict(zip(names, kinds, strict=True)),
    )


def beside(path: str) -> str:
    """A note on a file that is there and was not asked for; empty if there is none."""
    here = Path(path)
    for other in (here.with_suffix(".yaml"), here.with_name("robot.yaml")):
        if other.is_file():
            return BESIDE.format(other.name, other.name)
    return ""


def _yaml(name: str, max_bytes: int) -> dict[Any, Any]:
    import yaml

    try:
        with open(name, "rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise ReadError(f"{name}: cannot be read: {error.strerror}; accepted: a file") from None
    if len(data) > max_bytes:
        raise ReadError(f"{name}: has more than {max_bytes} bytes")
    try:
        tree = yaml.compose(data, yaml.SafeLoader)
        if isinstance(tree, yaml.MappingNode):
            _check_once(name, "a key", [str(key.value) for key, _ in tree.value])
        said = yaml.safe_load(data)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise ReadError(f"{name}: is no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(said, dict):
        raise ReadError(
            f"{name}: is a {type(said).__name__}; accepted: keys {', '.join(LOOP_KEYS)}"
        )
    return said


def _texts(name: str, said: dict[Any, Any], key: str) -> list[str] | None:
    values = said.get(key)
    if values is not None and not (isinstance(values, list) and _are_texts(values)):
        raise ReadError(f"{name}: {key} is a list of names, [a, b]; got {reprlib.repr(values)}")
    return values


def _check_once(name: str, what: str, said: list[str]) -> None:
    """Of what is said twice, one would be ignored."""
    for x in said:
        if said.count(x) > 1:
            raise ReadError(f"{name}: {what} is {x[:80]!r} twice")


def _are_texts(values: list[Any]) -> bool:
    return all(isinstance(x, str) for x in values)
