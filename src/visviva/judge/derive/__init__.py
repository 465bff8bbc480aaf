"""Derivations as a person writes them, every line checked.

scalars       What derivations compute with
documents     Derivations as documents: Markdown, LaTeX, HTML with MathML, notebooks
steps         `Derivation`: steps with equations
page          Formulas that carry their value, and the page they are written on
bodies        What several methods share
lagrange      The equations of Lagrange, written out
newton_euler  The recursion of Newton and Euler, written out
work          d'Alembert's principle and virtual work, written out
chain         A chain of hinges and slides with the frame at its tip
jacobian      Forward kinematics of a chain and its Jacobian, written out
statics       Statics of a chain, by balance and by virtual work, written out
constraints   Multipliers and projections of a system that is held, written out
derivation    `derivation(system, method)`: the way to the equations of motion
"""
