"""Whether a formula with sines and cosines is zero, by SymPy."""

import sympy


def is_zero(x):
    """Sums of angles written out, then sin² = 1 − cos²: far quicker than to simplify."""
    x = sympy.expand(sympy.numer(sympy.together(sympy.expand_trig(x))))
    for s in sorted(x.atoms(sympy.sin), key=str):
        x = sympy.rem(x, s**2 + sympy.cos(*s.args) ** 2 - 1, s)
    return sympy.expand(x) == 0 or sympy.simplify(x) == 0
