"""One step of a motion, over any scalar: the formulas that machine code repeats.

law             What drives a motion: numbers, or a controller
bristles        LuGre's friction as a law that remembers its bristles
tracing         A controller as a function of the machine, if it is a function
flow            The motion of a system under a law of forces, by its compiled functions
sticking        A mechanism whose joints slide or stick, in a mode
explicit        A step of an explicit method, of a length that its error allows
staged          An adaptive step in passes, a pass for a stage with its row of the tableau
inside          States inside accepted steps: on the method's own polynomial
newton          The equations of an implicit step, solved
implicit        Steps of implicit methods: the midpoint rule, discrete least action
"""
