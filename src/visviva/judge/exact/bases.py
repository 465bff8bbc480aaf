"""Which angles a ring is made of, so that given sums of them are whole."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from visviva.algebra.exact.rationals import independent, solved

Combination = Mapping[str, Fraction]  # of angles, by their names


def angles_over(
    preferred: Iterable[Combination], arguments: Sequence[Combination], names: Sequence[str]
) -> dict[str, dict[int, int]]:
    """Every name as whole multiples of base angles, of which arguments are whole multiples too.

    Bases are the first of the `preferred` combinations that are independent, divided; they go by
    their number.

    Examples:
        >>> half = Fraction(1, 2)
        >>> angles_over([{"a": 1, "b": 1}], [{"a": half}], ["a", "b"])
        {'a': {1: 2}, 'b': {0: 1, 1: -2}}
    """
    units = [{n: Fraction(1)} for n in names]
    all_of = [*preferred, *units]
    first = independent([[x.get(n, 0) for n in names] for x in all_of])
    chosen = {base: all_of[k] for base, k in enumerate(first)}
    turned = solved(chosen, names)  # name -> factors of the chosen ones
    divided = dict.fromkeys(chosen, 1)
    for combination in (*arguments, *units):
        total: dict[int, Fraction] = {}
        for name, times in combination.items():
            for base, k in turned[name].items():
                total[base] = total.get(base, Fraction(0)) + times * k
        for base, times in total.items():
            divided[base] = math.lcm(divided[base], times.denominator)
    return {
        name: {base: int(k * divided[base]) for base, k in turned[name].items()} for name in names
    }
