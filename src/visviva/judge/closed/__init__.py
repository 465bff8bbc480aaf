"""Closed forms.

printed      A closed form as text
closed_form  `ClosedForm`: the equations of motion as a book prints them
"""
