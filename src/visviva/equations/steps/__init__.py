"""One step of a motion, of given length and by an explicit method, over any scalar.

flow            A system under given forces as a differential equation
dormand_prince  The numbers of the embedded pairs of Dormand and Prince
tableaux        Runge–Kutta methods as data
explicit        Steps of given length
step            `step`: the state some time later, as a quantity of a system
slopes          Derivatives of a semi-implicit step
"""
