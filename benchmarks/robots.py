"""The robots of the speed table, the results it asks for, and states to evaluate them at."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

import visviva as vv
from benchmarks.loading import ROBOTS as FOLDER

MANY, FEW = 8192, 1024  # states in a batch


@dataclass(frozen=True)
class Robot:
    """A robot on a fixed base, from its URDF."""

    name: str
    file: str
    tip: str

    @property
    def path(self) -> Path:
        return FOLDER / self.file

    @cached_property
    def model(self) -> vv.Model:
        return self.load()

    def load(self) -> vv.Model:
        """As the peers have it: without damping, and with fingers that move one by one."""
        return vv.load(self.path, mimic="expand").without_dissipation()


@dataclass(frozen=True)
class Chain:
    """A snake: hinges about z and y in turn, thirty centimetres apart."""

    links: int
    tip: str = ""

    @property
    def name(self) -> str:
        return f"chain of {self.links}"

    def load(self) -> vv.Model:
        """Built on the spot."""
        b, box = vv.Builder("chain"), vv.Inertia.box(1.0, x=0.3, y=0.05, z=0.08)
        for i in range(self.links):
            where = {"parent": f"link{i - 1}", "at": [0.3, 0.0, 0.0]} if i else {}
            inertia = box.moved(p=[0.15, 0.0, 0.0])
            b.body(f"link{i}", joint="revolute", axis="zy"[i % 2], inertia=inertia, **where)
        return b.build()


UR5 = Robot("UR5", "ur_description/urdf/ur5_robot.urdf", "tool0")
SOLO = Robot("Solo12", "solo_description/robots/solo12.urdf", "FL_FOOT")
PANDA = Robot("Panda", "panda_description/urdf/panda.urdf", "panda_hand_tcp")
TALOS = Robot("Talos", "talos_data/robots/talos_reduced.urdf", "wrist_left_ft_tool_link")
ROBOTS = (UR5, SOLO, PANDA, TALOS)
CHAINS = tuple(map(Chain, (25, 50, 100, 200)))

INVERSE, FORWARD = "inverse dynamics", "forward dynamics"
MASS, CORIOLIS, TIP = "mass matrix", "Coriolis matrix", "tip pose and Jacobian"
D_INVERSE, D_FORWARD = "∂(inverse dynamics)/∂(q, v)", "∂(forward dynamics)/∂(q, v)"

VERBS: dict[str, Callable[[vv.Model, str], vv.Function]] = {
    INVERSE: lambda m, tip: m.inverse_dynamics,
    FORWARD: lambda m, tip: m.forward_dynamics,
    MASS: lambda m, tip: m.mass_matrix,
    CORIOLIS: lambda m, tip: m.coriolis_matrix,
    TIP: lambda m, tip: m.kinematics(tip),
    D_INVERSE: lambda m, tip: m.inverse_dynamics.jacobian("q", "v"),
    D_FORWARD: lambda m, tip: m.forward_dynamics.jacobian("q", "v"),
}


def ours(robot: Robot, verb: str) -> vv.Function:
    """Our function."""
    return VERBS[verb](robot.model, robot.tip)


def states(f: vv.Function, *batch: int) -> list[np.ndarray]:
    """One array of random numbers per input."""
    rng = np.random.default_rng(0)
    return [rng.normal(size=(*batch, *shape)) for shape in f.inputs.values()]


def batch_size(f: vv.Function) -> int:
    """Many states, or few if the results of many do not fit the second-level cache."""
    numbers = sum(int(np.prod(shape)) for shape in f.outputs.values())
    return MANY if 8 * numbers * MANY <= second_level_cache() else FEW


def batch_call(f: vv.Function, inputs: list[np.ndarray]) -> Callable[[], object]:
    """Our call on all rows of the inputs, into arrays that are there already."""
    rows = len(inputs[0])
    out = tuple(np.empty((rows, *shape)) for shape in f.outputs.values())
    return lambda: f(*inputs, out=out if len(out) > 1 else out[0])


def second_level_cache() -> int:
    """Bytes of it that one core has."""
    try:
        return os.sysconf("SC_LEVEL2_CACHE_SIZE") or 1 << 20
    except (AttributeError, OSError, ValueError):
        return 1 << 20
