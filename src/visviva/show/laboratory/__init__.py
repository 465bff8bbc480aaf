"""The mechanism's own motion emitted as JavaScript: it moves in a page, without a server.

javascript  Programs as short JavaScript over flat arrays, in pieces that a browser makes fast
subject     The system as the laboratory computes it: smooth, with gravity as a parameter
sliders     Which numbers of a mechanism are sliders, what they are, between which bounds
functions   The functions that a laboratory needs of a system, each as a program
grips       Where a mechanism can be taken hold of: which carriers of a scene are rigidly one
pace        How long a step may be, and how strong what the page adds may be
start       How a laboratory begins: positions and their rates, velocities, what motors hold
laboratory  `Laboratory`: the motion of a mechanism as JavaScript, and what a page must know of it
closing     Sliders of a picture whose loops stay closed: the other coordinates come along
section     The laboratory as a section of a page
"""
