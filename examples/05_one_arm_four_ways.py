"""One SCARA stated in a file, by a DH table, by screws and by hand: the models are the same."""

from math import pi
from pathlib import Path

import numpy as np

import visviva as vv

# In a file.
path = Path(__file__).parent / "mechanisms" / "scara.toml"
by_toml = vv.load(path)

# The same numbers: height, lengths, and each mass with its centre at the origin.
h, l1, l2 = 0.4, 0.35, 0.25
rod, tip = 0.6 * h, 0.01
arm1 = vv.Inertia.box(4.0, x=l1, y=0.1, z=0.1)
arm2 = vv.Inertia.box(3.0, x=l2, y=0.1, z=0.1)
quill = vv.Inertia.cylinder(1.0, radius=0.015, height=rod)
flange = vv.Inertia.cylinder(0.3, radius=0.03, height=0.02)
drive = {"velocity": 6.0, "effort": 80.0, "damping": 0.2, "armature": 1e-4, "gear": 50}
details = [
    {"name": "arm1", "joint_name": "shoulder", "limits": (-2.6, 2.6), **drive},
    {"name": "arm2", "joint_name": "elbow", "limits": (-2.5, 2.5)},
    {"name": "quill", "joint_name": "slide", "limits": (0, 0.2), "friction": 1.5},
    {"name": "flange", "joint_name": "wrist"},
]

# By a DH table: frame i is at the far end of link i, so centres are measured back from there.
by_dh = vv.from_dh(
    [(l1, 0, h, 0, "R"), (l2, pi, 0, 0, "R"), (0, 0, 0, 0, "P"), (0, 0, rod / 2 + tip, 0, "R")],
    convention="standard",
    inertias=[
        arm1.moved(p=[-l1 / 2, 0, 0]),
        arm2.moved(p=[-l2 / 2, 0, 0]),
        quill,
        flange.moved(p=[0, 0, -tip]),
    ],
    details=details,
)

# By screws: everything is measured in the space frame, with the arm stretched along x.
reach, low = l1 + l2, h - rod / 2
by_screws = vv.from_screws(
    vv.Pose(np.diag([1, -1, -1]), [reach, 0, low - tip]),
    [[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, -l1, 0], [0, 0, 0, 0, 0, -1], [0, 0, -1, 0, reach, 0]],
    inertias=[
        arm1.moved(p=[l1 / 2, 0, h]),
        arm2.moved(p=[l1 + l2 / 2, 0, h]),
        quill.moved(p=[reach, 0, h]),
        flange.moved(p=[reach, 0, low]),
    ],
    details=details,
)

# By hand: bodies with their joints, each placed in its parent.
b = vv.Builder("scara")
turn, slide = {"joint": "revolute"}, {"joint": "prismatic"}
b.body(**details[0], **turn, axis="z", at=[0, 0, h], inertia=arm1.moved(p=[l1 / 2, 0, 0]))
ahead = arm2.moved(p=[l2 / 2, 0, 0])
b.body(**details[1], **turn, parent="arm1", axis="z", at=[l1, 0, 0], inertia=ahead)
b.body(**details[2], **slide, parent="arm2", axis="-z", at=[l2, 0, 0], inertia=quill)
b.body(**details[3], **turn, parent="quill", axis="-z", at=[0, 0, -rod / 2], inertia=flange)
by_hand = b.frame("tool", body="flange", at=[0, 0, -tip], rotation=np.diag([1, -1, -1])).build()

print(by_hand)
q = by_hand.q(shoulder=0.3, elbow=0.7, slide=0.1)
print("tool at", by_hand.frame_pose("tool", q).p.round(6))
for way, model in {"TOML": by_toml, "DH": by_dh, "screws": by_screws}.items():
    # tables and screws bring frames of their own, dh1 … and screw1 …: no difference of the arm
    told = [text for text in vv.differences(by_hand, model) if "only the second" not in text]
    print(f"by {way}:", told or "the same")
    assert not told
