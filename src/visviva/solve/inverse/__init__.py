"""Inverse kinematics: all joint positions for a pose.

closed/     Closed forms: joints found one after the other, by how their axes lie
checks/     What positions are worth: against a target, and against what lies beside them
targets     What a frame shall do: poses and positions as they are given, checked
formulas    The closed form of an arm as a compiled `Function`
written     `Formulas`: the closed form with the names of the arm's parameters
calibrated  Arms whose axes are a little off parallel, or off a common point
methods     Ways to the solutions of a pose: closed form, the arm that was meant, elimination
placing     Whole turns: where a joint's limits want an angle, and which solutions are the same
answers     From the angles that a method finds to positions, checked, placed and in order
direct      The nearest solution of each pose by machine code alone, and whether it is beyond doubt
rescue      Targets without a solution, looked at again before that is said
choosing    One solution for each pose: the nearest, or the one that continues a path
drawing     Solutions of inverse kinematics as a picture
continuum   Solutions that are not alone: the curves of positions on which a frame stays
solutions   `Solutions`: the joint positions that were found for a pose, or for many
searching   Where only Newton's method from many starts is left
inverse     `inverse_kinematics`: from a pose to joint positions
"""
