"""Values as notebooks show them: small pieces of HTML that need no network.

parts    What cards are made of: a frame, matrices, tables, curves over time
systems  Mechanisms: a picture, joints or energies, parameters
motions  Trajectories: what moved, over time
numbers  Poses, inertias, linearizations
card     `card`: the one place that knows which value has which card
"""
