"""Motions with dry friction and stops: from mode to mode, smooth in between.

boxed      Forces between bounds that leave nothing moving which they can hold
mode       Who slides, who sticks, who leans on a stop; and what a state needs for it
impact     Impacts at stops: velocities after them, and when bounces are over
strides    Steps while a mode lasts: of chosen and of given length
journey    One trajectory, from mode to mode
friction   Dry friction and other numbers with the parameters of every row, all at once
sampled    What a trajectory is told: states, what holds joints, impacts
moded      Motions with dry friction or stops, of all rows
"""
