"""One step of a motion, over any scalar: the formulas that machine code repeats.

law       What drives a motion: numbers, or a controller
tracing   A controller as a function of the machine, if it is a function
flow      A system under forces as a differential equation
tableaux  Runge–Kutta methods as data
explicit  Steps of explicit methods, of given length and of one that their error allows
newton    The equations of an implicit step, solved
implicit  Steps of implicit methods: the midpoint rule, discrete least action
"""
