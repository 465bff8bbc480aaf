"""Pictures: a mechanism, a motion that is played, a function, a body, energies as areas.

    python examples/32_pictures.py

It writes pages, each one file that needs no network: arm.html, sliders.html, motion.html,
swing.html, energy.html, body.html, particle.html, branches.html.
"""

import numpy as np
import sympy

import visviva as vv

arm = vv.catalog.two_link()

# the mechanism at a position, and in a page in which sliders move it
arm.plot([0.3, 0.7]).write_html("arm.html")
arm.show([0.3, 0.7], path="sliders.html")

# a motion, over time and played
run = arm.simulate([1.5, 0.4], [0, 0], 4.0)
run.plot().write_html("motion.html")
run.animate(path="swing.html")

# a function of the mechanism over its two angles: the potential energy
arm.potential_energy.plot().write_html("energy.html")

# a body of two parts, with its principal axes
post = vv.Inertia.cylinder(2.0, radius=0.1, height=0.5)
prism = vv.Inertia.box(1.0, x=0.6, y=0.1, z=0.1).moved(p=[0.4, 0, 0.1])
(post + prism).plot({"post": post, "prism": prism}).write_html("body.html")

# co-energy and energy of a fast particle are areas under and beside h(v), and differ
v, m, c = sympy.symbols("v m c", positive=True)
fast = m * v / sympy.sqrt(1 - v**2 / c**2)
areas = vv.pencil.plot_energies(fast, v, 0.8, {"m": 1.0, "c": 1.0})
areas.write_html("particle.html")
print("; ".join(t.name for t in areas.data if t.fill))

# every branch of inverse kinematics
puma = vv.catalog.puma560()
found = puma.inverse_kinematics("tool", puma.pose("tool")(np.full(6, 0.4)), all=True)
found.plot().write_html("branches.html")
print(f"{len(found)} branches, drawn in branches.html")
