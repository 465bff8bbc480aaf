"""An arm, a crank and a lift: models of two or three joints, one of a class of its own."""

from dataclasses import dataclass

import visviva as vv
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.joints.axis import Prismatic
from visviva.describe.model.body import Mimic
from visviva.space.spatial import Array


def arm():
    """Shoulder, slider, ball: three joint types, a frame at the tip."""
    b = Builder("arm")
    b.body("upper", joint="revolute", axis="y", limits=(-1.0, 2.0), effort=50.0, velocity=3.0,
           inertia=Inertia.rod(2.0, length=0.4).moved(p=[0, 0, 0.2]))  # fmt: skip
    b.body("slider", parent="upper", joint="prismatic", at=[0, 0, 0.4], limits=(0.0, 0.5),
           inertia=Inertia.box(1.0, x=0.1, y=0.1, z=0.1), damping=0.3, friction=0.2)  # fmt: skip
    b.body("hand", parent="slider", joint="spherical", joint_name="wrist", at=[0, 0, 0.1],
           inertia=Inertia.sphere(0.5, radius=0.05))  # fmt: skip
    return b.frame("tip", body="hand", at=[0, 0, 0.08]).build()


def crank(**values):
    """Symbolic length and mass, a second joint coupled to the first."""
    b = Builder("crank", parameters={"l": 0.5, "m": 2.0} | values, gravity=(0.0, -9.81, 0.0))
    l, m = b.parameters["l"], b.parameters["m"]  # noqa: E741  the length
    b.body("a", joint="revolute", inertia=Inertia.point(m, [l, 0.0, 0.0]))
    b.body("b", parent="a", joint="revolute", at=[l, 0.0, 0.0], inertia=Inertia.point(2 * m),
           mimic=Mimic("a_joint", -2.0, 0.25))  # fmt: skip
    return b.frame("end", body="b", at=[l / 2, 0.0, 0.0]).build()


def screw(pitch):
    """A joint class of somebody's own: what it does depends on a closure."""

    @dataclass(frozen=True, eq=False)
    class Screw(Prismatic):
        def transform(self, q: Array):
            return super().transform([x * pitch for x in q])

    return Screw


def lifted(kind):
    b = vv.Builder("lift")
    b.body("load", joint=kind([0.0, 0.0, 1.0]), inertia=vv.Inertia.point(1.0))
    return b.build()
