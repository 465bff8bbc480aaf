"""One formula as machine code, C, JavaScript, JAX, and in exact arithmetic."""

from fractions import Fraction

import visviva as vv


def spring_force(e, k):
    """A hardening spring that gives way beyond its travel."""
    force = k[0] * e + k[1] * e**3
    return vv.generic.where(e < 0.1, force, 0.0)


f = vv.function(spring_force, inputs={"e": (), "k": 2}, name="spring_force")

print("machine code:", f(0.05, [200.0, 8000.0]))
print("fractions:   ", f.interpret(Fraction(1, 20), [Fraction(200), Fraction(8000)]))
print()
print(f.c_source())
print(f.js_source())

try:
    print("JAX:         ", f.to_jax(traced=True)(0.05, [200.0, 8000.0]))
except vv.errors.BackendError as missing:
    print(missing)
