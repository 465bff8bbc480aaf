"""Closed forms.

printed      A closed form as text
energy_form  The closed form of a system that is stated by its energies
readings     What each term of an equation of motion is
closed_form  `ClosedForm`: the equations of motion as a book prints them
"""
