"""What was handed in, before it is judged.

pieces        Formulas of a text, one by one: labels, places, what stands around them
definitions   What a text says that names are
heads         What a column of a sheet is, by its head alone
cells         What a cell claims under its head
"""
