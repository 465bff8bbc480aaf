"""Events of a motion: stated, found inside steps, and how the motion goes on after them.

event      `Event`: when a function of the state becomes zero, and what then
typed      Events that are typed, as equations
crossings  Where events change sign inside steps, to the last bit
watching   Events along motions as they are computed: what happened, where one ends or jumps
panels     States inside steps: on the polynomial of a step, or by a shorter one
arcs       Steps of chosen length from jump to jump, taken some at a time
solved     Motions by SciPy's methods, watched
chosen     Motions with steps as long as their error allows, watched
stepped    Motions with steps of given length, from jump to jump
"""
