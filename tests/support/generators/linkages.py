"""Linkages with closed loops, small ones, and where they are by school geometry."""

import numpy as np

import visviva as vv
from visviva.space.poses import Pose
from visviva.space.rotations import about_axis


def planar(lengths, ground, *, name="linkage", joint="revolute", limits=None):
    """Links in a row, hinged by j1, j2, …, whose end is pinned to the ground."""
    b, parent, at = vv.Builder(name), "", [0.0, 0.0, 0.0]
    for k, x in enumerate(lengths, 1):
        more = {"limits": limits[k - 1]} if limits else {}
        b.body(
            f"link{k}", joint="revolute", axis="z", joint_name=f"j{k}", parent=parent, at=at,
            mass=1.0, com=[x / 2, 0.0, 0.0], **more,
        )  # fmt: skip
        parent, at = f"link{k}", [x, 0.0, 0.0]
    b.frame("tip", body=parent, at=at).frame("ground", body="world", at=[ground, 0.0, 0.0])
    return b.build().with_loop("ground", "tip", joint=joint, name="pin")


def peaucellier(arm=1.0, side=0.5, crank=0.4):
    """Peaucellier's cell: arms OC and OD, rhombus BCPD, and a crank AB as long as OA."""
    b = vv.Builder("peaucellier")
    bars = [  # bar, parent, its length, where it begins on its parent
        ("OC", "", arm, 0.0), ("OD", "", arm, 0.0), ("AB", "", crank, crank),
        ("BC", "AB", side, crank), ("BD", "AB", side, crank),
        ("CP", "OC", side, arm), ("DP", "OD", side, arm),
    ]  # fmt: skip
    for name, parent, length, at in bars:
        b.body(name, parent=parent, at=[at, 0.0, 0.0], joint="revolute", axis="z", mass=1.0,
               com=[length / 2, 0.0, 0.0])  # fmt: skip
        b.frame(f"end of {name}", body=name, at=[length, 0.0, 0.0])
    model = b.build()
    for point, ends in {"C": ("OC", "BC"), "D": ("OD", "BD"), "P": ("CP", "DP")}.items():
        model = model.with_loop(*(f"end of {x}" for x in ends), joint="revolute", name=point)
    return model


def two_watts(apart, lift=0.0, arm=1.0, coupler=0.5):
    """Watt's linkage and its copy, moved by (apart, lift), whose couplers a bar joins.

    At zero the middles of the couplers move across a bar without lift: there the motion in which
    both do the same touches another one.
    """
    b, half = vv.Builder("two_watts"), coupler / 2
    for k, at in enumerate((np.zeros(3), np.array([apart, lift, 0.0])), 1):
        b.body(f"left{k}", joint="revolute", axis="z", joint_name=f"l{k}", mass=1.0,
               com=[arm / 2, 0, 0], at=at + np.array([-arm, half, 0]))  # fmt: skip
        b.body(f"coupler{k}", joint="revolute", axis="z", joint_name=f"c{k}", parent=f"left{k}",
               at=[arm, 0, 0], mass=1.0, com=[0, -half, 0])  # fmt: skip
        b.body(f"right{k}", joint="revolute", axis="z", joint_name=f"r{k}", mass=1.0,
               com=[-arm / 2, 0, 0], at=at + np.array([arm, -half, 0]))  # fmt: skip
        b.frame(f"foot{k}", body=f"coupler{k}", at=[0, -coupler, 0])
        b.frame(f"tip{k}", body=f"right{k}", at=[-arm, 0, 0])
        b.frame(f"middle{k}", body=f"coupler{k}", at=[0, -half, 0])
    b.body("bar", joint="revolute", axis="z", joint_name="b", parent="coupler1", at=[0, -half, 0],
           mass=1.0, com=[apart / 2, 0, 0])  # fmt: skip
    b.frame("end", body="bar", at=[apart, lift, 0])
    model = b.build()
    for k in (1, 2):
        model = model.with_loop(f"foot{k}", f"tip{k}", joint="revolute", name=f"watt{k}")
    return model.with_loop("end", "middle2", joint="revolute", name="joined")


def energies_of_four_bar(ground, crank, coupler, rocker):
    """The same by energies: angles to the ground."""
    rows = [
        "a*cos(t1) + b*cos(t2) - c*cos(t3) - g",
        "a*sin(t1) + b*sin(t2) - c*sin(t3)",
    ]
    values = {"g": ground, "a": crank, "b": coupler, "c": rocker}
    return vv.Lagrangian(
        "t1 t2 t3", "t1'^2/2 + t2'^2/2 + t3'^2/2", constraints=rows, parameters=values,
        angles="t1 t2 t3", name="four_bar",
    )  # fmt: skip


def circles(ground, crank, coupler, rocker, t1):
    """The two (t2, t3) at a crank angle: where a circle about the crank's end meets another."""
    end = crank * np.exp(1j * t1)
    d = ground - end
    along = (coupler**2 - rocker**2 + abs(d) ** 2) / (2 * abs(d))
    across = np.sqrt(coupler**2 - along**2)
    pins = [end + d / abs(d) * (along + sign * 1j * across) for sign in (1, -1)]
    return [(np.angle(p - end), np.angle(p - ground)) for p in pins]


def slider_crank(crank=0.3, rod=0.8):
    b = vv.Builder("slider_crank")
    b.body("crank", joint="revolute", axis="z", joint_name="turn", mass=1, com=[crank / 2, 0, 0])
    b.body("rod", joint="revolute", axis="z", joint_name="pin", parent="crank",
           at=[crank, 0, 0], mass=1, com=[rod / 2, 0, 0])  # fmt: skip
    b.body("piston", joint="prismatic", axis="x", joint_name="slide", mass=1)
    b.frame("end", body="rod", at=[rod, 0, 0])
    return b.build().with_loop("piston", "end", name="wrist")


def cranks(third=0.5, length=0.5):
    """Three cranks on one coupler; with three equal ones it moves, although nobody counts that."""
    b = vv.Builder("cranks")
    b.body("crank1", joint="revolute", axis="z", joint_name="c1", mass=1, com=[length / 2, 0, 0])
    b.body("coupler", joint="revolute", axis="z", joint_name="k", parent="crank1",
           at=[length, 0, 0], mass=1, com=[1, 0, 0])  # fmt: skip
    for k, x in ((2, length), (3, third)):
        b.body(f"crank{k}", joint="revolute", axis="z", joint_name=f"c{k}", at=[k - 1.0, 0, 0],
               mass=1, com=[x / 2, 0, 0])  # fmt: skip
        b.frame(f"on{k}", body="coupler", at=[k - 1.0, 0, 0])
        b.frame(f"end{k}", body=f"crank{k}", at=[x, 0, 0])
    return b.build().with_loop("on2", "end2", name="pin2").with_loop("on3", "end3", name="pin3")


def door():
    """Two hinges on one line."""
    b = vv.Builder("door")
    b.body("leaf", joint="revolute", axis="z", joint_name="low", mass=1, com=[0.4, 0, 1])
    b.frame("top", body="leaf", at=[0, 0, 2.0]).frame("frame", body="world", at=[0, 0, 2.0])
    return b.build().with_loop("frame", "top", name="high")


def ring(name, links):
    """Hinges in a ring, each link a length along x and a twist about x to the next hinge."""
    b, parent, X = vv.Builder(name), "", Pose.identity()
    for k, (x, twist) in enumerate(links[:-1], 1):
        b.body(f"link{k}", joint="revolute", axis="z", joint_name=f"j{k}", parent=parent,
               at=X.p, rotation=X.R, mass=1, com=[x / 2, 0, 0])  # fmt: skip
        parent, X = f"link{k}", _link(x, twist)
    last = _link(*links[-1]).inverse()
    b.frame("tip", body=parent, at=X.p, rotation=X.R)
    b.frame("ground", body="world", at=last.p, rotation=last.R)
    return b.build().with_loop("tip", "ground", name="last")


def _link(x, twist):
    return Pose.of(about_axis([1.0, 0, 0], twist), np.array([x, 0.0, 0.0]))


def bennett(twist1=np.pi / 3, twist2=np.pi / 4):
    """Four hinges that move: opposite links are equal, lengths are as sines of twists."""
    other = np.sin(twist2) / np.sin(twist1)
    return ring("bennett", [(1.0, twist1), (other, twist2)] * 2)


def bricard():
    """Six hinges that move: equal links, twists of ±90°."""
    return ring("bricard", [(1.0, np.pi / 2), (1.0, -np.pi / 2)] * 3)


def stewart(kind="universal"):
    """A platform on six legs, from a universal or a spherical joint to a ball, and where it is."""
    b = vv.Builder("stewart")
    b.body("platform", joint="free", joint_name="float", inertia=vv.Inertia.sphere(5.0, radius=0.3))
    more = {"axis": "x", "second": [0, 1, 0]} if kind == "universal" else {}
    for k in range(6):
        t, tilt = k * np.pi / 3, 0.2 if k % 2 else -0.2
        low = np.array([np.cos(t + tilt), np.sin(t + tilt), 0.0])
        high = 0.6 * np.array([np.cos(t - 1.2 * tilt), np.sin(t - 1.2 * tilt), 0.0])
        leg = high + np.array([0, 0, 1.2]) - low
        z = leg / np.linalg.norm(leg)
        x = np.cross([0, 1.0, 0], z) / np.linalg.norm(np.cross([0, 1.0, 0], z))
        b.body(f"lower{k + 1}", joint=kind, joint_name=f"foot{k + 1}", at=low,
               rotation=np.stack([x, np.cross(z, x), z], 1),
               inertia=vv.Inertia.sphere(1.0, radius=0.1), **more)  # fmt: skip
        b.body(f"upper{k + 1}", joint="prismatic", axis="z", joint_name=f"leg{k + 1}",
               parent=f"lower{k + 1}", mass=1)  # fmt: skip
        b.frame(f"end{k + 1}", body=f"upper{k + 1}", at=[0, 0, np.linalg.norm(leg)])
        b.frame(f"corner{k + 1}", body="platform", at=high)
    model = b.build()
    for k in range(1, 7):
        model = model.with_loop(f"corner{k}", f"end{k}", joint="spherical", name=f"ball{k}")
    return model, model.q(float=[0, 0, 0, 1, 0, 0, 1.2])
