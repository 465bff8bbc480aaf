"""Motion in time, and what it is worth.

steps/          One step of a motion, over any scalar: the formulas that machine code repeats
samples/        Samples of a motion, and what lies between them
tables          A trajectory as tables of xarray and pandas
drawing         A trajectory as a picture
saving          Trajectories to files: netCDF, CSV, npz
account         Where the energy went, and whether the account closes
trajectory      `Trajectory`: a motion, with names, units and all that is true along it
regular         Positions from which a motion can begin
unpacking       Arrays of files, whose size is known before they are unpacked
record          Long runs, written as they go: blocks of samples in a folder
loading         Trajectories from files
bags            Joint states from ROS 2 bags and MCAP files, in a process of its own
logs            Trajectories from tables and logs that others wrote
feasibility     Whether a trajectory can be driven: against limits
simulation/     From a start and forces to a motion
stability/      Equilibria, and what small motions about them do
action/         Least action: the principle behind the equations of motion
sensitivities/  Derivatives of motions: by their start, their forces and their parameters
"""
