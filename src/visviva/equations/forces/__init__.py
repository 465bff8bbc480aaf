"""Everything that is not the inertia of bodies.

chains     Loads on a tree
springs    Springs and the dampers beside them
forces     Forces beside the rigid bodies' own
actuators  Actuators anywhere on a mechanism
rotors     What rotors at joints do
weights    Sizes of what the weights of bodies add to forces
reactions  What joints exert on the bodies they carry
"""
