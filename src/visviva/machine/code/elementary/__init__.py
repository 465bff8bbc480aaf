"""Elementary functions of the compiled code, over vectors of `lanes` doubles, within 2 ulp.

writer       LLVM text of a function, written by arithmetic on Python values
constants    Constants of a function as whole vectors in memory, where that is faster
libm         The C library's functions, lane by lane
circle       Sine and cosine together, and the tangent
arcs         Inverse functions of sine, cosine and tangent
exponential  Exponential and logarithm to base e
hyperbolic   Hyperbolic functions
definitions  THE table: one row per function
"""
