"""General statements of mechanics, proved line by line, every line checked.

formula          Formulas of proofs, as they stand on the page
meaning          What stands on the page of a proof, read
paper            The paper that a proof is written on
parallel_axes    The theorem of parallel axes
spatial_inertia  Spatial inertia and wrenches in another frame
moment_of_force  The moment of a force and the rate of the moment of momentum
koenig           Kinetic energy and moment of momentum, split at the centre of mass
euler_rates      Angular velocity from the rates of three angles
coriolis         The Coriolis matrix from symbols that are symmetric
proof            `proof(name)`: the statements, and their proofs
"""
