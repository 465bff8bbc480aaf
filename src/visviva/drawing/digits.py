"""Numbers as they are shown: `plain_number` in texts that may be typed again, `number` on pages.

Both have the digits that one reads, 6 where nothing else is asked, and 0 for what is `least` or
smaller: rounding dust. Pages have a minus sign, 10³ for e+03, and the unit.

Examples:
    >>> plain_number(-0.25), plain_number(-0.0), plain_number(3e-17, least=1e-12)
    ('-0.25', '0', '0')
    >>> number(-2.5e-7, "m"), complex_number(-3.1e-16 - 2.86523j), plain_complex(1e-20 + 2j)
    ('−2.5·10⁻⁷ m', '− 2.86523 i', '2j')
"""

from __future__ import annotations

from typing import Any

MINUS, SUPERSCRIPTS = str.maketrans("-", "−"), str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
DUST = 1e-12  # of a complex number: a part that is so much smaller is rounding
DUSTY = DUST / 2.0**-52  # the same as NumPy counts


def plain_number(x: Any, digits: int = 6, least: float = 0.0) -> str:
    """A number in ASCII."""
    value = float(x)
    return "0" if abs(value) <= least else f"{value:.{digits}g}"


def number(x: Any, unit: str = "", digits: int = 6, least: float = 0.0) -> str:
    """A number as a person writes it, with its unit: −0.25 m."""
    text = plain_number(x, digits, least)
    mantissa, e, exponent = text.partition("e")
    if e and 0 <= int(exponent) < 6:
        text = f"{float(text):.0f}"
    elif e:
        text = f"{mantissa}·10{str(int(exponent)).translate(SUPERSCRIPTS)}"
    text = text.translate(MINUS)
    return f"{text} {unit}" if unit else text


def _parts(z: complex) -> tuple[float, float]:
    """The real and the imaginary part, without dust."""
    least = DUST * abs(z)
    real, imaginary = (0.0 if abs(x) <= least else x for x in (z.real, z.imag))
    return real, imaginary


def complex_number(z: complex, digits: int = 6, sign: str = "") -> str:
    """A complex number on a page: −0.1 + 2.8 i; with `sign` ± both of a pair."""
    real, imaginary = _parts(z)
    if not imaginary:
        return number(real, digits=digits)
    first = f"{number(real, digits=digits)} " if real else ""
    sign = sign or ("−" if imaginary < 0 else "+" if real else "")
    return f"{first}{sign} {number(abs(imaginary), digits=digits)} i".lstrip()


def plain_complex(z: complex, digits: int = 6) -> str:
    """A complex number as Python has it: 1+2j, or 2j."""
    real, imaginary = _parts(z)
    if not imaginary:
        return plain_number(real, digits)
    second = f"{plain_number(imaginary, digits)}j"
    first = plain_number(real, digits) if real else ""
    return first + ("+" if real and imaginary > 0 else "") + second
