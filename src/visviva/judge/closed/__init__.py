"""Closed forms.

printed      A closed form as text
readings     What each term of an equation of motion is
closed_form  `ClosedForm`: the equations of motion as a book prints them
"""
