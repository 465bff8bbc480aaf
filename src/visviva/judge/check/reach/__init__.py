"""Formulas of inverse kinematics, exactly.

roots    Fractions of polynomials and square roots, with a normal form
angles   Formulas of inverse kinematics as cosines and sines of angles
"""
