"""Motion in time, and what it is worth.

steps/      One step of a motion, over any scalar: the formulas that machine code repeats
samples/    Samples of a motion, and what lies between them
tables      A trajectory as tables of xarray and pandas
drawing     A trajectory as a picture
saving      Trajectories to files: netCDF, CSV, npz
account     Where the energy went, and whether the account closes
trajectory  `Trajectory`: a motion, with names, units and all that is true along it
loading     Trajectories from files
record      Long runs, written as they go
acting      Forces along a motion, as a trajectory is told of them
integrate   Motions as loops of machine code: steps, compiled, repeated, and what they leave
task        What is to be simulated: start, time, forces and parameters, checked
fixed       Motions with steps of given length, and the states that are kept of them
stiff       SciPy's methods on the compiled right side and its Jacobian
adaptive    Motions with steps as long as their error allows, and the states between them
simulate    `simulate`: from a start and forces to a `Trajectory`
"""
