"""Texts and bytes read back into numbers.

decoding       the encoding that names machine code is made from, as plain data
latex_numbers  LaTeX as printed, worked out in numbers
words          names for typed claims, and values of what they say
browser        a page as it is shown: boxes of formulas, and ink
errata         what the data of docs/errata/ claim
book           the pages of docs/book/ and their data
"""
