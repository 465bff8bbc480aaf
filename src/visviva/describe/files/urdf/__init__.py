"""URDF, read and written.

parts   The elements of a URDF, one by one
meshes  What a URDF draws, and where its mesh files are
tree    The tree that the joints of a URDF form, in Pinocchio's order
loops   What closes the loops of a URDF
read    URDF: what a file states, as a `Model`
write   A model as URDF. What URDF cannot state is refused by name
"""
