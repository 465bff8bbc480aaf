"""Mechanism files: small ones, a model with one of each thing, and equality to the last bit."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.support.generators.bodies import JOINTS
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.model.body import Mimic, Visual
from visviva.space.poses import Pose

ROOT = Path(__file__).parents[3]
FILES = sorted((ROOT / "examples" / "mechanisms").glob("*.toml"))


def numbers(model):
    """Every number of a model, by name; parameters put in."""
    model = model.numeric
    found = {"gravity": model.gravity}
    if model.base_inertia is not None:
        found |= _inertia("base", model.base_inertia)
    for b in model.bodies:
        found |= {f"{b.name} R": b.placement.R, f"{b.name} p": b.placement.p}
        found |= _inertia(b.name, b.inertia)
        found |= {f"{b.name} {k}": getattr(b, k) for k in ("damping", "friction", "armature")}
        found |= {f"{b.name} joint {k}": v for k, v in vars(b.joint).items()}
        found |= {f"{b.name} limit {k}": v for k, v in vars(b.limits).items()}
        if b.mimic is not None:
            found[f"{b.name} mimic"] = [b.mimic.multiplier, b.mimic.offset]
        for i, v in enumerate(b.visuals):
            found |= {f"{b.name} visual {i}": v.placement.matrix(), f"{b.name} size {i}": v.size}
            found[f"{b.name} color {i}"] = v.color
    for f in model.frames:
        found |= {f"{f.name} R": f.placement.R, f"{f.name} p": f.placement.p}
    found |= {f"key {k}": v for k, v in model.keyframes.items()}
    return found


def _inertia(name, i):
    marks = [i.error, float(i.checked)]
    return {f"{name} m": i.mass, f"{name} c": i.com, f"{name} I": i.tensor, f"{name} marks": marks}


def words(model):
    """Everything that is not a number."""
    return [
        (model.name, model.base_name, dict(model.parameters), model.notes),
        [(b.name, b.joint_name, b.parent, type(b.joint), b.inertia.frame) for b in model.bodies],
        [b.mimic and b.mimic.joint for b in model.bodies],
        [(v.kind, v.path) for b in model.bodies for v in b.visuals],
        [(f.name, f.body) for f in model.frames],
        list(model.keyframes),
    ]


def same_model(a, b, names=True):
    """Equal to the last bit."""
    if names:
        assert words(a) == words(b)
    left, right = numbers(a), numbers(b)
    assert left.keys() == right.keys()
    for key, x in left.items():
        x, y = np.asarray(x, dtype=float), np.asarray(right[key], dtype=float)
        assert x.shape == y.shape, key
        assert (x == y).all(), (key, x, y)


def body(text, head="", joint='joint = "revolute"\naxis = "z"'):
    """A file with one body."""
    return f'name = "test"\n{head}\n[[body]]\nname = "a"\n{joint}\n{text}\n'


def everything():
    """A model with one of each thing."""
    b = Builder('all "of" it\n\x7f', parameters={"m": 2.0, "l": 0.3, "θ": 0.2}, base="table")
    p = b.parameters
    b.gravity = [0, 0, -9.81 * p["l"]]
    b.base_inertia(Inertia.sphere(p["m"], radius=p["l"]))
    turn = Pose.rotation([0.0, 0.6, 0.8], p["θ"]).R
    names = [""]
    for i, (kind, joint) in enumerate(JOINTS.items()):
        part = Inertia.box(p["m"], x=p["l"], y=0.1, z=0.2).moved(turn, [p["l"], 0, 1 / 3])
        b.body(
            f"body {kind}",
            joint=joint,
            parent=names[i // 2],
            inertia=part + Inertia.point(p["m"] / 3, [0, p["l"], 0]) if i % 3 else part,
            at=[p["l"] / 7, i, 0.1],
            rotation=turn if i % 2 else None,
            limits=[-i - 0.1, i / 7] if kind not in ("free", "spherical") else None,
            velocity=3.0 if i % 2 else np.inf,
            damping=p["m"] / 10,
            friction=0.1 * i,
            armature=p["l"],
            gear=3,
            visuals=(
                Visual("box", Pose.translation([0, 0.0, i]), (1.0, 2.0, 3.0), "", (1.0, 0.5)),
            ),
        )
        names.append(f"body {kind}")
    b.body("follower", joint="revolute", axis="x", mimic=Mimic("body revolute_joint", -2.0, 0.1))
    b.frame("tip", body="body free", at=[p["l"], 0, 0], rotation=turn)
    b.frame("corner", at=[1, 2, 3])
    b.note("made for a test").note("description: says what it is")
    model = b.build()
    keys = {"home": np.arange(model.nq) / 3}
    return replace(model, keyframes=keys)
