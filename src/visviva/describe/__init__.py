"""What a mechanism is: bodies and joints, or energies; stated in code or read from files.

bodies/       Mass and shape
joints/       Joints: one class each, one list of questions
constraints/  What holds a mechanism besides the joints of its tree
model/        The tree of bodies
energies/     A system stated by T, V, D and Q
by_hand/      Mechanisms made in code
files/        Mechanisms made from files
catalog/      Mechanisms of the literature
names         What the coordinates of a system are called, and the one rule
words         Words of other libraries, and the lines that do the same here
calls         Lines that work, of calls that miss something
quantities    THE table: one row per quantity of mechanics
others        What is said of a name that is not there
stops         Limits of joints, and which of them are stops in motions
answers       What can be asked of a system: one attribute for every row of the table
moving        The doorway from a system to its motions
reaching      The doorway from a model to its kinematics and statics
picturing     The doorway from a system to its pictures
system        The doorway from what a mechanism is to what is true of it
door          What people look for in the package itself
load          `load` and `save`: mechanisms from and to files, by what the file is
values        A name for what a system computes: equal names, equal computations
"""
