"""EXUDYN as the other road to constrained motion: every body by itself, every joint a constraint.

Each body has seven coordinates, position and Euler parameters, whatever carries it; the joints of
our tree and those that close its loops are the same to it: generic joints between two markers. M,
the forces and the Jacobian C of all its constraints are EXUDYN's own; Ċ q̇ is a central difference
of them, good for ten digits. What is compared are accelerations of bodies.

| ours                | EXUDYN's                                                |
|---------------------|---------------------------------------------------------|
| pose of a body      | reference coordinates (p, Euler parameters w x y z)     |
| twist, acceleration | rates of these; ω = 2 G(e) ė, in body axes              |
| forces at a joint   | its wrench on the child, and the opposite on its parent |
| axis of a joint     | third axis of both markers                              |
"""

import exudyn as exu
import numpy as np
from exudyn import itemInterface

from visviva.describe.joints.axis import Cylindrical, Fixed, Prismatic, Revolute, Universal
from visviva.describe.joints.free import Free, Spherical
from visviva.describe.joints.joint import normals
from visviva.describe.model.body import WORLD
from visviva.equations.frames.kinematics import velocity
from visviva.space.poses import Pose

items = itemInterface
LOCKED = {  # of translations and rotations along and about the axes of the first marker
    Fixed: [1, 1, 1, 1, 1, 1],
    Revolute: [1, 1, 1, 1, 1, 0],
    Prismatic: [1, 1, 0, 1, 1, 1],
    Cylindrical: [1, 1, 0, 1, 1, 0],
    Spherical: [1, 1, 1, 0, 0, 0],
    Universal: [1, 1, 1, 0, 0, 1],
}
IDENTITY = np.eye(3)
STEP = 1e-5  # of the time, for Ċ q̇


class Bodies:
    """A model of ours at a state, taken apart."""

    def __init__(self, model, q, v, tau):
        self.model = model
        self.poses = dict(zip(range(len(model.bodies)), model.body_poses(q), strict=True))
        self.poses[WORLD] = Pose.identity()
        self.container = exu.SystemContainer()
        self.system = self.container.AddSystem()
        add = self.system.AddObject
        self.objects = {WORLD: add(items.ObjectGround())}
        for i, b in enumerate(model.bodies):
            self.objects[i] = self._body(i, b, velocity(model.numeric, b.name, q, v))
        for i, b in enumerate(model.bodies):
            self._joint(b.joint, (b.parent, b.placement), (i, Pose.identity()))
            self._push(i, b, b.joint.subspace(model.local(i, q)), tau[model.v_index[i]])
        for loop in model.loops:
            ends = [model.frame(name) for name in loop.frames]
            self._joint(loop.joint, *((f.body, f.placement) for f in ends))
        self.system.Assemble()

    def _body(self, i, b, V):
        X, add = self.poses[i], self.system
        e = euler_parameters(X.R)
        place = [*X.p, *e]
        speed = [*V[3:], *(angular(e).T @ X.R.T @ V[:3] / 2)]
        node = add.AddNode(
            items.NodeRigidBodyEP(referenceCoordinates=place, initialVelocities=speed)
        )
        m, c = b.inertia.mass, b.inertia.com
        tensor = b.inertia.tensor + m * ((c @ c) * np.eye(3) - np.outer(c, c))
        about_origin = [tensor[k] for k in ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))]
        body = add.AddObject(
            items.ObjectRigidBody(mass=m, inertia=about_origin, centerOfMass=c, nodeNumber=node)
        )
        weight = add.AddMarker(items.MarkerBodyMass(bodyNumber=body))
        add.AddLoad(items.LoadMassProportional(markerNumber=weight, loadVector=self.model.gravity))
        return body

    def _marker(self, body, p, R=IDENTITY):
        at = exu.HT(rotation=R, translation=p)
        return self.system.AddMarker(
            items.MarkerBodyRigid(bodyNumber=self.objects[body], localHT=at)
        )

    def _joint(self, joint, one, other):
        if isinstance(joint, Free):
            return
        B = axes(joint)
        self.system.AddObject(
            items.ObjectJointGeneric(
                markerNumbers=[self._marker(body, X.p, X.R @ B) for body, X in (one, other)],
                constrainedAxes=LOCKED[type(joint)],
            )
        )

    def _push(self, i, b, S, tau):
        """The wrench whose work on the joint's motions is that of τ."""
        wrench = S @ np.linalg.solve(S.T @ S, tau)
        X = self.poses[i]
        at = {i: np.zeros(3), b.parent: self.poses[b.parent].inverse().apply(X.p)}
        for body, sign in ((i, 1.0), (b.parent, -1.0)):
            marker, add = self._marker(body, at[body]), self.system.AddLoad
            couple, force = sign * (X.R @ wrench[:3]), sign * (X.R @ wrench[3:])
            add(items.LoadTorqueVector(markerNumber=marker, loadVector=couple))
            add(items.LoadForceVector(markerNumber=marker, loadVector=force))

    def accelerations(self):
        """ω̇ and p̈ of every body, in world axes; and the largest entry of C q̇."""
        data, settings = self.system.systemData, exu.SimulationSettings()
        settings.solution.file.write = False
        settings.staticSolver.verboseMode = 0
        solver = exu.MainSolverStatic()
        solver.InitializeSolver(self.system, settings)
        n = solver.GetODE2size()
        rest, speed = (
            np.array(x) for x in (data.GetODE2Coordinates(), data.GetODE2Coordinates_t())
        )

        def jacobian(step):
            data.SetODE2Coordinates(rest + speed * step, exu.ConfigurationType.Current)
            solver.ComputeJacobianODE2RHS(self.system)  # which clears what was there
            solver.ComputeJacobianAE(self.system)
            return np.array(solver.GetSystemJacobian())[n:, :n]

        rate = (jacobian(STEP) - jacobian(-STEP)) / (2 * STEP)
        C = jacobian(0.0)
        solver.ComputeMassMatrix(self.system)
        M = np.array(solver.GetSystemMassMatrix())[:n, :n]
        solver.ComputeODE2RHS(self.system)
        forces = np.array(solver.GetSystemResidual())[:n]
        solver.FinalizeSolver(self.system, settings)
        k = len(C)
        system = np.block([[M, C.T], [C, np.zeros((k, k))]])
        x = np.linalg.lstsq(system, np.concatenate([forces, -rate @ speed]), rcond=1e-11)[0][:n]
        found = []
        for i, qdd in enumerate(x.reshape(-1, 7)):
            R = self.poses[i].R
            e = euler_parameters(R)
            found.append(np.concatenate([2 * R @ angular(e) @ qdd[3:], qdd[:3]]))
        return np.array(found), np.abs(C @ speed).max()


def axes(joint):
    """Columns: the third is the joint's axis, or the third of a universal joint's cross."""
    if isinstance(joint, Universal):
        return np.stack([joint.axis, joint.second, np.cross(joint.axis, joint.second)], axis=1)
    axis = getattr(joint, "axis", np.array([0.0, 0.0, 1.0]))
    return np.stack([*normals(axis), axis], axis=1)


def euler_parameters(R):
    """w x y z of a rotation matrix."""
    K = np.array(
        [
            [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [0, R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [0, 0, R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
            [0, 0, 0, R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    return np.linalg.eigh(np.triu(K).T)[1][:, -1]


def angular(e):
    """G (3, 4)."""
    w, x, y, z = e
    return np.array([[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]])
