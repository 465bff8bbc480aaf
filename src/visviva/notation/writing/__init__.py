"""From results to LaTeX, MathML, plain text and source.

page      What stands on a page
order     In which order terms and factors stand
arrange   SymPy expressions as they stand on the page
width     How wide what is on a page is, and what is too wide in lines
latex     A page as LaTeX
sentence  Sentences for LaTeX: words in text mode, formulas among them in mathematics mode
mathml    A page as presentation MathML, which browsers show by themselves
plain     A page as plain text, θ̇₁ (L₁ + L₂ c₂)
source    Functions in Python and C, made from SymPy expressions
webpage   How formulas in MathML look in a page
write     SymPy results as text
"""
