"""Things to try.

bodies           random vectors, rotations, bodies and trees
loops            mechanisms with loops, each at a position at which they hold
held             systems of the catalog that are held, and states that constraints admit
expressions      random expressions over every operation, and how far off a result may be
affine           a function of three inputs and two outputs, with what it gives
laws             laws of forces as users write them, and changes of them
linkages         linkages with closed loops, and where they are by school geometry
small_models     an arm, a crank and a lift: models of two or three joints
lagrangians      arms by their energies, and how formulas are compared
piecewise        random systems whose forces jump, have kinks, or are flat
named_systems    one small arm under any names, from every reader
mechanism_files  small mechanism files, and a model with one of each thing
extended_urdf    Pairs of files as Extended URDF has them
urdf_texts       URDF in pieces
mjcf_files       MJCF files as we read them and as MuJoCo does
"""
