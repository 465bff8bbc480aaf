"""Closed forms.

linear       The linear equations about a position, in formulas
tasks        Coordinates and Jacobians of tasks in formulas
printed      A closed form as text
shown        How closed forms are seen: in a terminal, a notebook, a paper, a program
quasi        Equations of motion in velocities that are no rates of coordinates
explained    `Term`: what each term of the equations of motion is
closed_form  `ClosedForm`: the equations of motion as a book prints them
"""
