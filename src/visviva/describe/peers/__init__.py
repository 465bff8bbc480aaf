"""Names of other libraries for robots, and the lines that do the same here.

pinocchio  Names of Pinocchio
mujoco     Names of MuJoCo
"""
