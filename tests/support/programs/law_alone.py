"""Prints what a motion after a change of its law is, where nothing ran before; argv: numbers."""

import sys
import warnings

from tests.support.generators.laws import moved, pair, system

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for number in map(int, sys.argv[1:]):
        with pair(number) as (_, _, change):
            print(number, moved(*change(system())), flush=True)
