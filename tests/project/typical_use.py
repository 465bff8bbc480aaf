"""A page of typical use: what a type checker knows of each expression, as the comment says.

`test_types.py` runs mypy over it. `Array` has scalars of any kind (numbers, expressions of a model
with symbols), `FloatArray` is `NDArray[np.float64]`. It is read, never run.
"""

from typing import reveal_type

import numpy as np

import visviva as vv

# a robot, read
m = vv.load("x.urdf")
reveal_type(m)  # Model | Lagrangian
reveal_type(m.simulate([0.0], [0.0], 1.0))  # Trajectory
assert isinstance(m, vv.Model)
reveal_type(m)  # Model
reveal_type(m.nq)  # int
reveal_type(m.mass)  # float
reveal_type(m.notes)  # tuple[str, ...]
reveal_type(m.lower)  # FloatArray
reveal_type(m.bodies[0].inertia)  # Inertia
reveal_type(m.locked(elbow=0.3))  # Model
reveal_type(m.with_gravity([0.0, 0.0, -1.62]))  # Model

# its quantities
q, v, a = m.q(elbow=0.3), np.zeros(m.nv), np.zeros(m.nv)
reveal_type(q)  # FloatArray
reveal_type(m.inverse_dynamics(q, v, a))  # FloatArray
reveal_type(m.forward_dynamics(q, v, a))  # FloatArray
reveal_type(m.mass_matrix(q))  # FloatArray
reveal_type(m.momentum(q, v))  # FloatArray
reveal_type(m.jacobian("tool")(q))  # FloatArray
reveal_type(m.kinematics("tool")(q))  # tuple[FloatArray, FloatArray]
reveal_type(m.reaction("elbow")(q, v, a))  # FloatArray
reveal_type(m.mass_matrix.jacobian("q")(q))  # FloatArray
reveal_type(m.forward_dynamics.jacobian("q", "v")(q, v, a))  # tuple[FloatArray, ...]
reveal_type(m.function("mass_matrix", parameters=["m1"])(q, [1.0]))  # FloatArray
reveal_type(m.mass_matrix.operations.total())  # int
reveal_type(m.mass_matrix.address)  # int
reveal_type(m.mass_matrix.c_header("M", scalar="float"))  # str

# where it is
pose = m.frame_pose("tool", q)
reveal_type(pose)  # Pose
reveal_type(pose.p)  # Array
reveal_type(pose.R)  # Array
reveal_type(pose.inverse() @ pose)  # Pose
reveal_type(m.body_poses(q))  # list[Pose]
reveal_type(m.pose("tool")(q))  # FloatArray
reveal_type(m.integrate(q, v))  # Array

# what brings it there
solutions = m.inverse_kinematics("tool", pose)
reveal_type(solutions)  # Solutions
reveal_type(solutions.q)  # FloatArray
reveal_type(solutions[0])  # FloatArray
reveal_type(list(solutions))  # list[FloatArray]
reveal_type(solutions.residuals)  # FloatArray
reveal_type(solutions.complete)  # bool | BoolArray
reveal_type(m.singularity("tool", q).rank)  # int

# motion
run = m.simulate(q, v, 1.0, tau=vv.Controller(lambda t, q, v: -v, period=0.01))
reveal_type(run)  # Trajectory
reveal_type(run.t)  # FloatArray
reveal_type(run.q)  # FloatArray
reveal_type(run.v)  # FloatArray
reveal_type(run.tau)  # FloatArray | None
reveal_type(run.at(0.5))  # tuple[FloatArray, FloatArray]
reveal_type(run.acceleration)  # FloatArray
reveal_type(run.energy)  # FloatArray
reveal_type(run.quantity("kinetic_energy"))  # FloatArray
reveal_type(run.system.nv)  # int
reveal_type(run.notes)  # tuple[str, ...]
reveal_type(run.events["down"].t)  # FloatArray
reveal_type(m.sensitivities(q, v, 1.0).matrix)  # FloatArray
reveal_type(m.gradient((q, v), q, v, 1.0).vector)  # FloatArray
reveal_type(vv.load_trajectory("run.npz").q)  # FloatArray

# rest
forces = m.statics(q, wrenches={"tool": [0.0, 0.0, 0.0, 0.0, 0.0, -9.81]})
reveal_type(forces)  # Statics
reveal_type(forces.torques)  # FloatArray
reveal_type(forces.efforts)  # FloatArray
reveal_type(forces.force("elbow"))  # FloatArray
reveal_type(forces.wrench("elbow"))  # FloatArray
reveal_type(m.mobility(q).true)  # int | None
reveal_type(m.mobility(q).counted)  # int
rests = m.equilibria()
reveal_type(rests.q)  # FloatArray
reveal_type(rests.proved)  # bool
reveal_type(rests.stability)  # tuple[str, ...]
line = m.linearize(q)
reveal_type(line.A)  # FloatArray
reveal_type(line.B)  # FloatArray
reveal_type(line.eigenvalues)  # ComplexArray
reveal_type(line.modes[0].shape)  # ComplexArray
reveal_type(line.stability.status)  # str

# paper
reveal_type(m.closed_form().latex())  # str
verdict = m.check("tau1 = m1 g l1 cos(q1)")
reveal_type(verdict)  # Verdict
reveal_type(verdict.status)  # str
reveal_type(verdict.notes)  # tuple[str, ...]
reveal_type(m.derivation().latex())  # str
reveal_type(m.crosscheck())  # Crosscheck

# by hand
spring = vv.Lagrangian("x", "m x'^2/2", "k x^2/2", parameters={"m": 1.0, "k": 2.0})
reveal_type(spring)  # Lagrangian
reveal_type(spring.mass_matrix([0.0]))  # FloatArray
reveal_type(spring.with_parameters(k=3.0))  # Lagrangian
reveal_type(spring.simulate([1.0], [0.0], 1.0).q)  # FloatArray
b = vv.Builder("arm")
reveal_type(b.body("link", joint="revolute", axis="z", mass=1.0))  # Builder
reveal_type(b.build())  # Model
reveal_type(vv.catalog.scara())  # Model
reveal_type(vv.from_dh([[0, 0, 1, 0]]))  # Model
norm: vv.Function = vv.function(lambda x: x @ x, {"x": 3})
reveal_type(norm([1.0, 2.0, 3.0]))  # FloatArray
