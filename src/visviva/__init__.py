"""State a mechanism once: its equations, proven; its machine code; its motion.

    import numpy as np
    import visviva as vv

    arm = vv.load("robot.urdf")                              # or MJCF, TOML, DH, screws, by hand
    arm = vv.catalog.scara(a1=0.4)                           # or one of the catalog
    print(arm, arm.notes)                                    # what was read, merged, ignored
    arm.frame_pose("tool", arm.q(theta2=0.3))
    arm.inverse_dynamics(q, v, a)                            # τ; and twenty more like it
    arm.forward_dynamics.jacobian("q", "v")(q, v, tau)       # derivatives of any of them

    def energy(q, v):                                        # any Python over generic scalars
        s, c = vv.generic.sincos(q)
        return v @ v / 2 + (1 - c).sum()

    f = vv.function(energy, inputs={"q": 3, "v": 3})         # traced once, compiled on first use
    f(np.zeros((1_000_000, 3)), np.ones(3))                  # a million states, one call

`vv.space` has rotations, poses and Euler angles, `vv.pencil` what is done with pencil and paper,
`vv.parallel` parallel robots, `vv.gym` environments of Gymnasium.
Names are loaded on first use: importing visviva imports nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from visviva.doors import door

if TYPE_CHECKING:
    from visviva import errors as errors
    from visviva import gym as gym
    from visviva import parallel as parallel
    from visviva import pencil as pencil
    from visviva import space as space
    from visviva.algebra import generic as generic
    from visviva.describe import catalog as catalog
    from visviva.describe.bodies.inertia import Inertia as Inertia
    from visviva.describe.by_hand.builder import Builder as Builder
    from visviva.describe.by_hand.dh import from_dh as from_dh
    from visviva.describe.by_hand.screws import from_screws as from_screws
    from visviva.describe.energies.formulas import coordinates as coordinates
    from visviva.describe.energies.formulas import parameters as parameters
    from visviva.describe.energies.lagrangian import Lagrangian as Lagrangian
    from visviva.describe.load import load as load
    from visviva.describe.load import save as save
    from visviva.describe.model.actuator import Actuator as Actuator
    from visviva.describe.model.compare import differences as differences
    from visviva.describe.model.friction import Friction as Friction
    from visviva.describe.model.friction import LuGre as LuGre
    from visviva.describe.model.model import Model as Model
    from visviva.describe.model.stiffness import Stiffness as Stiffness
    from visviva.errors import VisvivaError as VisvivaError
    from visviva.judge.proofs.proof import proof as proof
    from visviva.judge.roads.counts import operation_counts as operation_counts
    from visviva.machine.function import Function as Function
    from visviva.machine.function import function as function
    from visviva.machine.repetition import Loop as Loop
    from visviva.machine.repetition import repeat as repeat
    from visviva.motion.loading import load_trajectory as load_trajectory
    from visviva.motion.simulation.events.event import Event as Event
    from visviva.motion.stability.linearization import Linearization as Linearization
    from visviva.motion.steps.law import Controller as Controller
    from visviva.motion.trajectory import Trajectory as Trajectory
    from visviva.space.poses import Pose as Pose

__version__ = "0.1.0"

_WHERE = {
    "Actuator": "visviva.describe.model.actuator:Actuator",
    "Builder": "visviva.describe.by_hand.builder:Builder",
    "Controller": "visviva.motion.steps.law:Controller",
    "Event": "visviva.motion.simulation.events.event:Event",
    "Friction": "visviva.describe.model.friction:Friction",
    "Function": "visviva.machine.function:Function",
    "Inertia": "visviva.describe.bodies.inertia:Inertia",
    "Lagrangian": "visviva.describe.energies.lagrangian:Lagrangian",
    "Linearization": "visviva.motion.stability.linearization:Linearization",
    "Loop": "visviva.machine.repetition:Loop",
    "LuGre": "visviva.describe.model.friction:LuGre",
    "Model": "visviva.describe.model.model:Model",
    "Pose": "visviva.space.poses:Pose",
    "Stiffness": "visviva.describe.model.stiffness:Stiffness",
    "Trajectory": "visviva.motion.trajectory:Trajectory",
    "VisvivaError": "visviva.errors:VisvivaError",
    "catalog": "visviva.describe.catalog:",
    "coordinates": "visviva.describe.energies.formulas:coordinates",
    "differences": "visviva.describe.model.compare:differences",
    "errors": "visviva.errors:",
    "from_dh": "visviva.describe.by_hand.dh:from_dh",
    "from_screws": "visviva.describe.by_hand.screws:from_screws",
    "function": "visviva.machine.function:function",
    "generic": "visviva.algebra.generic:",
    "gym": "visviva.gym:",
    "load": "visviva.describe.load:load",
    "load_trajectory": "visviva.motion.loading:load_trajectory",
    "operation_counts": "visviva.judge.roads.counts:operation_counts",
    "parallel": "visviva.parallel:",
    "parameters": "visviva.describe.energies.formulas:parameters",
    "pencil": "visviva.pencil:",
    "proof": "visviva.judge.proofs.proof:proof",
    "repeat": "visviva.machine.repetition:repeat",
    "save": "visviva.describe.load:save",
    "space": "visviva.space:",
}

__all__ = [
    "Actuator",
    "Builder",
    "Controller",
    "Event",
    "Friction",
    "Function",
    "Inertia",
    "Lagrangian",
    "Linearization",
    "Loop",
    "LuGre",
    "Model",
    "Pose",
    "Stiffness",
    "Trajectory",
    "VisvivaError",
    "__version__",
    "catalog",
    "coordinates",
    "differences",
    "errors",
    "from_dh",
    "from_screws",
    "function",
    "generic",
    "gym",
    "load",
    "load_trajectory",
    "operation_counts",
    "parallel",
    "parameters",
    "pencil",
    "proof",
    "repeat",
    "save",
    "space",
]


__getattr__, __dir__ = door(
    "visviva", _WHERE, globals(), others="visviva.describe.package_names:in_package"
)
