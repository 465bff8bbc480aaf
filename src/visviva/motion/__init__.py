"""Motion in time, and what it is worth.

samples/    Samples of a motion, and what lies between them
trajectory  `Trajectory`: a motion, with names, units and all that is true along it
account     Where the energy went, and whether the account closes
tables      A trajectory as tables of xarray and pandas
files       Trajectories in files: netCDF, CSV, npz
drawing     A trajectory as a picture
"""
