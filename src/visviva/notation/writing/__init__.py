"""From results to LaTeX, MathML, plain text and source.

layout   A SymPy expression as it stands on the page
boxes    What stands where in a line
lines    Where a long sum is broken into lines
latex    Layouts as LaTeX
mathml   Layouts as presentation MathML, which browsers show by themselves
marks    Boxes as LaTeX and as MathML
source   Functions in Python and C, made from SymPy expressions
webpage  How formulas in MathML look in a page
width    How wide boxes are, and long ones in lines
write    SymPy results as text
plain    Boxes as plain text, θ̇₁ (L₁ + L₂ c₂)
"""
