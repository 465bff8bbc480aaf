"""Other roads to a number.

oracle           two ways to run a quantity, and derivatives with 50 digits
laws             a random mechanism with a state, and what it means to agree with a law
by_definition    M = Σ Jᵀ G J, gravity forces and Jacobians by nothing but their definition
recursion        Luh, Walker and Paul's recursion in classic DH frames, as printed and put right
rings            values of exact polynomials at rational points of the circle
robots           real robots, and how our numbers correspond to Pinocchio's
pinocchio_loops  Pinocchio as the other road to motion with points held together and welds
mujoco_models    MuJoCo as the other road
exudyn_bodies    EXUDYN as the other road to motion with loops: bodies apart, joints as constraints
extrapolation    motions with many digits, by extrapolation of interpreted programs
collocation      stiff motions with many digits, at Radau's points
digits           motions with 30 digits, by Taylor series
multi_start      positions for a pose from thousands of starts
solved           motions by SciPy, on the compiled forward dynamics
"""
