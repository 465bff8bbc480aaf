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
span        The time of a simulation: a duration, a pair, or times at which states are wanted
acting      Forces along a motion, as a trajectory is told of them
integrate   Motions as loops of machine code: steps, compiled, repeated, and what they leave
task        What is to be simulated: start, forces, time and parameters, checked
stiff       SciPy's methods on the compiled right side and its Jacobian
simulate    `simulate`: from a start and forces to a `Trajectory`
"""
