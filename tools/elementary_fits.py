"""Coefficients of the polynomials in `machine/code/elementary`, printed as they stand there.

A polynomial P is what is left of a function when the first terms of its series are taken off: of an
odd one f(t) = slope·t + t³ P(t²), of the exponential e^r = 1 + r + r² P(r). It is fitted by least
squares at Chebyshev's nodes, where errors are weighed as they count. A coefficient is rounded to
double before the next ones are fitted, so that they make up for its rounding.
"""

import mpmath
from mpmath import mp, mpf

DIGITS = 60


def odd(f, slope):
    """P of an odd function."""
    return lambda z: (f(mp.sqrt(z)) / mp.sqrt(z) - slope) / z


# name: P, between which ends, how many coefficients
with mpmath.workdps(DIGITS):
    FITS = {
        "ATAN": (odd(mp.atan, 1), mpf(0), mpf(1), 20),
        "ASIN": (odd(mp.asin, 1), mpf(0), mpf(1) / 4, 13),
        "EXP": (lambda r: (mp.expm1(r) - r) / r**2, -mp.log(2) / 2, mp.log(2) / 2, 10),
        "LOG": (odd(lambda s: 2 * mp.atanh(s), 2), mpf(0), (3 - 2 * mp.sqrt(2)) ** 2, 7),
        "SINH": (odd(mp.sinh, 1), mpf(0), mpf(1), 7),
        "TANH": (odd(mp.tanh, 1), mpf(0), mpf("0.36"), 11),
    }


def fit(name):
    """The coefficients, lowest power first."""
    with mpmath.workdps(DIGITS):
        f, low, high, count = FITS[name]
        turns = [mp.pi * (2 * i + 1) / (8 * count) for i in range(4 * count)]
        nodes = [(low + high) / 2 + (high - low) / 2 * mp.cos(a) for a in turns]
        rest, found = [f(x) for x in nodes], []
        for k in range(count):
            A = mp.matrix([[x ** (j + 1) for j in range(k, count)] for x in nodes])
            b = mp.matrix([x * y for x, y in zip(nodes, rest, strict=True)])
            found.append(float(mp.lu_solve(A, b)[0]))
            rest = [y - mpf(found[k]) * x**k for x, y in zip(nodes, rest, strict=True)]
        return tuple(found)


def main() -> None:
    """Print all of them."""
    for name in FITS:
        print(f"{name} = (")
        for c in fit(name):
            print(f"    {c!r},")
        print(")")


if __name__ == "__main__":
    main()
