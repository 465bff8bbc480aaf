"""Which constraints integrate: holonomic or not, and to what.

functions       Functions of coordinates whose zeros are decided
flag            The distribution that rows leave free, its Lie brackets, and what no bracket leaves
integrals       Functions that stay constant wherever rows hold
surface         Where functions of position are zero, with independent coordinates on it
classification  `Classification`: what kind of constraints a system has, in sentences
typing          Holonomic or nonholonomic, exactly
witness         Rows that do not integrate, shown by numbers
kinds           What kind of constraints a system has
"""
