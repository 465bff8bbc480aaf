"""What is true of a mechanism: the algorithms, over any scalar.

bodies/         Recursions over the tree of bodies
constraints/    What holds a system
forces/         Everything that is not the inertia of bodies
frames/         Poses, Jacobians and velocities of frames
integrability/  Which constraints integrate: holonomic or not, and to what
lagrange/       The equations of a system stated by its energies
parameters/     What depends linearly on parameters
pencil/         What is done with pencil and paper, in SymPy
steps/          One step of a motion, of given length and by an explicit method, over any scalar
coriolis        Coriolis matrices and Christoffel symbols
dynamics        The equations of motion of a model, M a + C v + g + b = τ, term by term
derivatives     Derivatives of inverse and forward dynamics by joint
energy          Energies, momenta and the centre of mass of all bodies that move
forward         Forward dynamics
singular        Why a result of a mechanism is not finite
statics         Forces at rest: by virtual work, and force systems reduced to one wrench
"""
