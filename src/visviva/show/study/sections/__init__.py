"""The sections of a study, each from what the rooms before know.

head        The first thing that is seen
inventory   What a mechanism is made of
freedoms    In how many ways a mechanism moves, and what kind of constraints hold it
equations   The equations of motion in textbook form, each term explained
derivation  The way to the equations, line by line
proof       Why one may believe it
speed       What the functions of a mechanism cost
motion      A motion of the mechanism by itself
modes       Positions of rest, and what small motions about them do
reach       Where the tip of an arm reaches, and where it loses a direction
diagrams    Free-body diagrams
verdicts    What somebody claims of the mechanism
again       How to get everything of a study again
"""
