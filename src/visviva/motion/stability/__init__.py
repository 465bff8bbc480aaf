"""Equilibria, and what small motions about them do.

quadratic        A₁ q̈ + A₂ q̇ + A₃ q = F: five matrices, and what kind of system they make
spectrum         Eigenvalues with bounds of their errors, and directions that stay or drift
verdict          Whether a linear system is stable, and by which argument
linearization    `Linearization`: a mechanism near a state, as a linear system
place            Where a system is looked at: accelerations, their slopes, and their errors
branches         Whether branches of motions meet at a position, where rows lose rank
steady           Velocities that constraints prescribe: what they drive is steady, not at rest
flat             Whether forces that do not change to first order stay as they are beyond it
about            `linearize`: from a system and a state to its `Linearization`
loads            Loads at rest: wrenches that stay as they are
balance          Forces that are left over at rest, and where Newton's steps make them vanish
rest             Where forces balance without constraints: all positions, searched by intervals
curve            Equilibria along the one motion of a linkage: where the force along it changes sign
theorems         Whether a position of rest is stable: theorems of mechanics, tried in order
words            What is known of positions of rest, in sentences
constrained      Where constraints hold a system: positions of rest, from random starts
equilibria       Positions of rest or of steady motion: all of them where that is provable
tracking         An equilibrium as a parameter moves it, without a jump
limits           Values of a parameter at which stability is lost or won
"""
