"""What there is to see of a system, however it is drawn.

shapes     What can be seen: segments, boxes, cylinders, … with constant numbers, fixed to carriers
carriers   Carriers: frames that move with q, t and parameters, to which shapes are fixed
scene      `Scene`: what there is to see of a system, however it is drawn
start      Where a picture begins, and how far sliders go
parts      Shapes of bodies: links, solids of files, centres of mass, ellipsoids of inertia
joints     Shapes of joints: hinges, slides and their rails, balls, axes, feet on the ground
held       Shapes of springs and of what closes loops: coils, rods, wheels, lines and planes
models     The scene of a tree of bodies: all of its shapes, on carriers that its parameters move
stage      Carriers of a system of energies: where formulas of q, t and parameters put frames
schematic  A picture of any energies: every coordinate a slider on a rail, or the hand of a dial
energies   The scene of a system of energies: its points, lines and solids, or sliders and dials
words      What the parameters of a system are, in words: by their places, or as the catalogue says
of         The scene of any system
"""
