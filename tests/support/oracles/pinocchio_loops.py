"""Pinocchio as the other road to constrained motion: points held together, and welds.

Its `constraintDynamics` has contacts of three and of six rows; their multipliers are its own, so
that accelerations and constraint forces Aᵀ λ = M a + h - τ are what can be compared. Without
Baumgarte's gains it holds A a + β = 0 as we do, at velocities that the rows admit. Its proximal
iterations, from a damping of 1e-6 of the rows on, go on until redundant rows agree too.
"""

import numpy as np
import pinocchio as pin

from tests.support.oracles.robots import order, peer_q
from visviva.describe.joints.axis import Fixed, Helical, Prismatic, Revolute, Universal
from visviva.describe.joints.free import Free, Planar, Spherical
from visviva.describe.model.body import WORLD

CONTACTS = {Spherical: pin.ContactType.CONTACT_3D, Fixed: pin.ContactType.CONTACT_6D}
JOINTS = {
    Revolute: lambda j: pin.JointModelRevoluteUnaligned(j.axis),
    Prismatic: lambda j: pin.JointModelPrismaticUnaligned(j.axis),
    Helical: lambda j: pin.JointModelHelicalUnaligned(j.axis, j.pitch),
    Universal: lambda j: pin.JointModelUniversal(j.axis, j.second),
    Spherical: lambda j: pin.JointModelSpherical(),
    Planar: lambda j: pin.JointModelPlanar(),
    Free: lambda j: pin.JointModelFreeFlyer(),
}


def built(model):
    """A tree of ours, joint by joint."""
    peer = pin.Model()
    peer.gravity = pin.Motion(np.array(model.gravity, dtype=float), np.zeros(3))
    for b in model.bodies:
        parent = 0 if b.parent == WORLD else peer.getJointId(model.bodies[b.parent].joint_name)
        joint = JOINTS[type(b.joint)](b.joint)
        i = peer.addJoint(parent, joint, placed(b.placement), b.joint_name)
        mass, com, tensor = b.inertia.mass, b.inertia.com, b.inertia.tensor
        peer.appendBodyToJoint(i, pin.Inertia(mass, com, tensor), pin.SE3.Identity())
    return peer


def placed(X):
    return pin.SE3(np.array(X.R, dtype=float), np.array(X.p, dtype=float))


class Contacts:
    """The loops of a model in Pinocchio's hands."""

    def __init__(self, model, peer):
        self.model, self.peer, self.data = model, peer, peer.createData()
        self.rows = pin.StdVec_RigidConstraintModel()
        self.settings = pin.ProximalSettings(1e-14, 1e-6, 20)
        for loop in model.loops:
            ends = [self.end(name) for name in loop.frames]
            contact = CONTACTS[type(loop.joint)]
            self.rows.append(
                pin.RigidConstraintModel(
                    contact, peer, *ends[0], *ends[1], pin.ReferenceFrame.LOCAL
                )
            )
        self.rows_data = pin.StdVec_RigidConstraintData([c.createData() for c in self.rows])
        pin.initConstraintDynamics(peer, self.data, self.rows, self.rows_data)

    def end(self, name):
        """The joint that carries a frame, and where the frame is in it."""
        frame = self.model.frame(name)
        if frame.body == WORLD:
            return 0, placed(frame.placement)
        return self.peer.getJointId(self.model.bodies[frame.body].joint_name), placed(
            frame.placement
        )

    def state(self, q, *more):
        """In Pinocchio's order."""
        mine = order(self.model, self.peer)
        return peer_q(self.model, self.peer, q), *(x[mine] for x in more)

    def motion(self, q, v, tau):
        """a and Aᵀ λ, in our order."""
        q, v, tau = self.state(q, v, tau)
        arguments = (self.peer, self.data, q, v, tau, self.rows, self.rows_data, self.settings)
        a = np.array(pin.constraintDynamics(*arguments))
        J = pin.getConstraintsJacobian(self.peer, self.data, self.rows, self.rows_data)
        forces = pin.rnea(self.peer, self.peer.createData(), q, v, a) - tau
        return self.ours(a), self.ours(forces), J[:, np.argsort(order(self.model, self.peer))]

    def ours(self, x):
        return x[np.argsort(order(self.model, self.peer))]
