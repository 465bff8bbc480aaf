"""Compile one function through the cache and print its result; argv: factor, key or '-'."""

import sys

import visviva as vv

factor, key = float(sys.argv[1]), sys.argv[2]
f = vv.function(
    lambda x: vv.generic.sin(factor * x), {"x": ()}, key=None if key == "-" else key, name="f"
)
print(float(f(0.5)), f.kernel.from_cache)
