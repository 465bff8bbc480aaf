"""Least action: the principle behind the equations of motion.

lagrangian  L = T - V of a system whose forces all come from it
variation   The action of a path that is given, and how it changes beside it
picture     A path of least action beside others, as a picture
conjugate   Where motions from one position meet again
stationary  The true path between two positions
"""
