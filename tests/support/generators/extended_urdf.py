"""Pairs of files as Extended URDF has them: a tree that is cut, and what closes its loops.

All of them are closed at zero: at the cuts two frames were put where one was.
"""

import numpy as np

LINK = """<link name="{name}"><inertial><origin xyz="{x} {y} {z}"/><mass value="{mass}"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.001" ixz="0" iyz="0.002"/></inertial></link>"""
JOINT = """<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
  <origin xyz="{at}" rpy="{rpy}"/><axis xyz="{axis}"/>
  <limit effort="9" velocity="9" lower="-3" upper="3"/></joint>"""


class Text:
    """A URDF that grows link by link; joints are at places in the world, turned by R there."""

    def __init__(self, name):
        self.name, self.links, self.joints = name, ['<link name="base"/>'], []
        self.places = {"base": (np.zeros(3), np.eye(3))}

    def link(self, name, parent, joint, at, axis="0 0 1", kind="revolute", to=None, R=None):
        """A link on a joint at a place; its centre of mass is on the way to another one."""
        p, back = self.places[parent]
        at, R = np.array(at, dtype=float), back if R is None else R
        x, y, z = R.T @ (np.array(at if to is None else to, dtype=float) - at) / 2
        inside = {"name": name, "x": x, "y": y, "z": z, "mass": 1 + len(self.links) / 7}
        self.links.append(f'<link name="{name}"/>' if kind == "fixed" else LINK.format(**inside))
        turn = back.T @ R
        pitch = np.arcsin(-turn[2, 0])
        angles = np.arctan2(turn[2, 1], turn[2, 2]), pitch, np.arctan2(turn[1, 0], turn[0, 0])
        self.joints.append(
            JOINT.format(
                name=joint,
                kind=kind,
                parent=parent,
                child=name,
                at=written(back.T @ (at - p)),
                rpy=written(angles),
                axis=axis,
            )
        )
        self.places[name] = at, R

    def frame(self, name, parent, at):
        """A frame that a loop is closed at."""
        self.link(name, parent, f"{name}_frame", at, kind="fixed")

    def urdf(self):
        return f'<robot name="{self.name}">' + "\n".join((*self.links, *self.joints)) + "</robot>"


def written(numbers):
    return " ".join(f"{x:.15g}" for x in numbers)


def five_bar():
    """Two motors on the ground; the cut is inside a rod, a weld."""
    t = Text("five_bar")
    A, B, C, D, E = (0, 0, 0), (0.1, 0.3, 0), (0.35, 0.5, 0), (0.6, 0.25, 0), (0.5, 0, 0)
    t.link("left", "base", "mot1", A, to=B)
    t.link("left_rod", "left", "free1", B, to=C)
    t.link("right", "base", "mot2", E, to=D)
    t.link("right_rod", "right", "free2", D, to=C)
    t.link("tip", "right_rod", "free3", C)
    t.frame("closedloop1_A", "left_rod", C)
    t.frame("closedloop1_B", "tip", C)
    return t.urdf(), (
        "closed_loop: [['closedloop1_A', 'closedloop1_B']]\ntype: ['6d']\nname_mot: [mot1, mot2]\n"
    )


def delta():
    """Three arms, rods with universal joints at both ends; cuts inside the second and third."""
    t = Text("delta")
    loops, base = [], np.eye(3)
    for k in range(3):
        c, s = np.cos(2 * np.pi * k / 3), np.sin(2 * np.pi * k / 3)
        out, side = np.array([c, s, 0]), np.array([-s, c, 0])
        shoulder, elbow = 0.3 * out, 0.6 * out - [0, 0, 0.1]
        wrist = 0.1 * out - [0, 0, 0.6]
        middle, along = (elbow + wrist) / 2, (wrist - elbow) / np.linalg.norm(wrist - elbow)
        R = np.stack([np.cross(side, along), side, along], axis=1)  # the rod is along z
        t.link(f"arm{k}", "base", f"mot{k}", shoulder, axis=written(side), to=elbow, R=base)
        t.link(f"rod{k}", f"arm{k}", f"elbow{k}", elbow, to=middle, R=R)
        if k == 0:
            t.link("platform", "rod0", "wrist0", wrist, to=[0, 0, -0.6], R=R)
            continue
        t.link(f"half{k}", "platform", f"wrist{k}", wrist, to=middle, R=R)
        t.frame(f"closedloop{k}_A", f"rod{k}", middle)
        t.frame(f"closedloop{k}_B", f"half{k}", middle)
        loops.append([f"closedloop{k}_A", f"closedloop{k}_B"])
    joints = [f"{x}{k}" for x in ("elbow", "wrist") for k in range(3)]
    kinds = ["CARDAN"] * 6
    return t.urdf(), (
        f"closed_loop: {loops}\ntype: ['6d', '6d']\nname_mot: [mot0, mot1, mot2]\n"
        f"joint_name: {joints}\njoint_type: {kinds}\n"
    )


def leg(name, closures, kind):
    """Hip, knee and ankle; rods from one link over the next joint, each driven by a crank."""
    t = Text(name)
    hip, knee, ankle = (0.0, 0.0, 0.0), (0.05, 0.0, -0.4), (0.0, 0.0, -0.8)
    t.link("hip", "base", "motor_hip_x", hip, axis="1 0 0")
    t.link("thigh", "hip", "motor_hip_y", hip, axis="0 1 0", to=knee)
    t.link("shin", "thigh", "free_knee", knee, axis="0 1 0", to=ankle)
    t.link("foot", "shin", "free_ankle", ankle, axis="0 1 0", to=(0.15, 0, -0.85))
    motors, loops, joints = ["motor_hip_x", "motor_hip_y"], [], []
    for k, (crank_on, rod_on) in enumerate(closures, 1):
        height = t.places[crank_on][0][2] - 0.1 * k
        crank, tip = (-0.1, 0.02 * k, height), (-0.2, 0.02 * k, height)
        heel = (-0.12, 0.02 * k, t.places[rod_on][0][2] - 0.05)
        t.link(f"crank{k}", crank_on, f"motor_{k}", crank, axis="0 1 0", to=tip)
        t.link(f"rod{k}", f"crank{k}", f"spherical_rod{k}", tip, to=heel)
        motors.append(f"motor_{k}")
        joints.append(f"spherical_rod{k}")
        t.frame(f"closedloop{k}_A", f"rod{k}", heel)
        if kind == "6d":  # the rod's other end is a ball as well, on the link that it moves
            t.link(f"ball{k}", rod_on, f"spherical_end{k}", heel, to=tip)
            joints.append(f"spherical_end{k}")
            t.frame(f"closedloop{k}_B", f"ball{k}", heel)
        else:
            t.frame(f"closedloop{k}_B", rod_on, heel)
        loops.append([f"closedloop{k}_B", f"closedloop{k}_A"])
    return t.urdf(), (
        f"closed_loop: {loops}\ntype: {[kind] * len(loops)}\nname_mot: {motors}\n"
        f"joint_name: {joints}\njoint_type: {['SPHERICAL'] * len(joints)}\n"
    )


PAIRS = {
    "five_bar": five_bar,
    "delta": delta,
    "leg like Cassie's": lambda: leg("cassie_like", [("thigh", "shin"), ("shin", "foot")], "3d"),
    "leg like Digit's": lambda: leg(
        "digit_like", [("thigh", "shin"), ("shin", "foot"), ("shin", "foot")], "6d"
    ),
    "leg like Talos'": lambda: leg("talos_like", [("thigh", "shin"), ("shin", "foot")], "6d"),
}
