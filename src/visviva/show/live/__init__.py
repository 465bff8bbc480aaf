"""Live in a browser, by viser: a mechanism is moved, pulled, dragged and played in real time.

stepping  Steps of a mechanism under a hand and motors, compiled once
acting    What acts on a mechanism: a hand, motors, friction, stops of joints
closing   Positions with closed loops: one coordinate is moved, the others come along
session   `Session`: a mechanism that is moved; it knows nothing of browsers
reaching  A frame is dragged: joints follow, and what cannot be reached is said
stage     Where mechanisms stand: upright, side by side, on a floor
meshes    Mesh files of bodies, read from local folders
picture   The scene of a mechanism as nodes of viser
readings  What is written beside it: energies, M(q), equations, forces inside
panel     The controls of one mechanism
tip       A gizmo at a frame: it is dragged, and the joints follow
gate      The door of a live view: which requests come in, and the server behind it
view      `LiveView`: mechanisms in a browser, all clients with one state
"""
