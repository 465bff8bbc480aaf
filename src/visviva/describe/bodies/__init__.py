"""Mass and shape.

validity         What a mass distribution can be, and why a given one cannot
solids           Uniform solids: volume, centre of mass, and tensor per mass about it
volume_symbolic  Volume integrals in closed form, with symbols
volume           Moments of volume
principal        Principal moments and axes of a tensor
drawing          A body as a picture: principal axes, and a shape that moves as it does
inertia          Mass, centre of mass and inertia tensor of a body
"""
