"""An excavator's arm at rest: torques by two roads, what its pins bear, and every link by itself.

python examples/28_free_bodies.py        # writes free_bodies.svg
"""

from pathlib import Path

import numpy as np

import visviva as vv

b = vv.Builder("excavator", gravity=[0, 0, -9.81])
b.body("boom", joint="revolute", axis="-y", joint_name="lift", mass=180, com=[1.2, 0, 0.15])
b.body("stick", parent="boom", joint="revolute", axis="-y", joint_name="crowd", at=[2.6, 0, 0],
       mass=90, com=[0.7, 0, 0.05])  # fmt: skip
b.body("bucket", parent="stick", joint="revolute", axis="-y", joint_name="curl", at=[1.6, 0, 0],
       mass=60, com=[0.3, 0, -0.1])  # fmt: skip
b.frame("teeth", body="bucket", at=[0.7, 0, -0.1])
digger = b.build()

# the teeth press down with 4 kN and pull the soil with 2.5 kN
q = np.radians([35.0, -95.0, -40.0])
s = digger.statics(q, {"teeth": {"force": [-2500, 0, -4000]}})
print(s)
assert s.disagreement < 1e-12
assert max(link.residual for link in s.bodies) < 1e-12

print("\nThe pin at the bucket bears", f"{np.linalg.norm(s.force('curl')):.0f} N.")
print("All that the ground has to hold:", s.resultant(of="ground"))

# the same torques, asked the other way round: what do the teeth press with?
push = digger.statics(q).tip_wrench("teeth", s.torques, "fx fz")
print(push)

# hydraulic stiffness of the joints, and how the teeth give way under the load
give = s.stiffness("teeth", [4e6, 2e6, 6e5], "fx fz")
print(give)
print(f"A kilonewton more, downwards, moves the teeth by {give.compliance[1, 1] * 1e6:.2f} mm.")

picture = s.free_bodies()
picture.save(Path("free_bodies.svg"))
print("\nfree_bodies.svg shows", ", ".join(picture.links))
