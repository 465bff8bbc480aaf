"""What holds a mechanism besides the joints of its tree.

constraint  A constraint, and all those of a system: one value
loop        Two frames joined by a joint or another closure, where they are joined already
relation    Formulas of coordinates, velocities and time that stay zero
plane       The axis of a loop in a plane: the one about which all of its joints turn
held        What a model can be asked and told about its constraints
"""
