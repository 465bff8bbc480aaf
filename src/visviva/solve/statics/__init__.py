"""Forces at rest: torques, internal forces, free bodies.

loads       Loads at frames, as they are given: whose force, in which axes, in which order
holding     What actuators and constraints have to exert at rest
free_body   Everything that acts on one link
inside      Internal forces: what joints and loops exert, and where statics leaves it open
tip         At a frame: wrenches from torques, stiffness and compliance
shapes      Arrows, arcs and labels that keep off each other, as SVG
view        How a mechanism is seen, and how large
sheet       Panels on one page, with axes, scales and what colours mean
diagram     Free-body diagrams of links
printed     The tables that are printed
statics     `Statics`: torques by two roads, internal forces, free bodies
"""
