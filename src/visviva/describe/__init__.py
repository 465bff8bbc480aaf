"""What a mechanism is: bodies and joints, or energies; stated in code or read from files.

bodies/        Mass and shape
joints/        Joints: one class each, one list of questions
constraints/   What holds a mechanism besides the joints of its tree
model/         The tree of bodies
energies/      A system stated by T, V, D and Q
by_hand/       Mechanisms made in code
files/         Mechanisms made from files
catalog/       Mechanisms of the literature
values         A name for what a system computes: equal names, equal computations
names          What the coordinates of a system are called, and the one rule
quantities     THE table: one row per quantity of mechanics
stops          Limits of joints, and which of them are stops in motions
system         `System`: everything that can be asked of a mechanism
load           `load` and `save`: mechanisms from and to files, by what the file is
package_names  What readers look for in the package itself, and where it is
"""
