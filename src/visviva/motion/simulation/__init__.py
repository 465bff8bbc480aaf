"""From a start and forces to a motion.

acting     Forces along a motion, as a trajectory is told of them
bounds     What a motion may cost, memory and steps without progress; whether it ran away
beyond     Limits that a run is beyond, which hold nothing here: what is said of it
attempts   Adaptive steps as loops of machine code: a pass for an attempt, or for every stage
integrate  Motions as loops of machine code: steps, compiled, repeated, and what they leave
span       From when to when a motion goes, and at which times it is wanted
task       What is to be simulated: start, time, forces and parameters, checked
identity   What a recorded run is, in words that tell it from every other one
recording  Runs that are written as they go, and go on after the last block that was written
crossing   Through singular positions, on the smooth curve of the motion
passing    Steps of given length through singular positions
fixed      Motions with steps of given length, and the states that are kept of them
stiff      SciPy's methods on the compiled right side and its Jacobian
adaptive   Motions with steps as long as their error allows, and the states between them
events/    Events: stated, found inside steps, and how a motion goes on after them
modes/     Motions with dry friction and stops: from mode to mode, smooth in between
simulate   `simulate`: from a start and forces to a `Trajectory`
"""
