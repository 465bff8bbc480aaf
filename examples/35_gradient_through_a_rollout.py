"""JAX differentiates a rollout: two hundred forces that swing a cart's pole up.

The step is compiled by visviva, with its derivatives; JAX does the rest: a scan over the steps, its
gradient by reverse mode, jitted in a moment. Needs JAX: pip install "visviva[jax]".

    python examples/35_gradient_through_a_rollout.py
"""

import sys
import time

import numpy as np
from scipy.optimize import minimize

import visviva as vv

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    print('this example needs JAX: pip install "visviva[jax]"')
    sys.exit(0)

jax.config.update("jax_enable_x64", True)  # single precision is JAX's default
STEPS, DT = 200, 0.01
cart = vv.catalog.cart_pole()
step = cart.function("step", controls=True).to_jax()
hanging, at_rest = jnp.zeros(2), jnp.zeros(2)


def final_state(forces):
    """q and v at the end: the force u[k] acts during step k."""

    def advance(state, u):
        return step(*state, u, DT), None

    return jax.lax.scan(advance, (hanging, at_rest), forces[:, None])[0]


@jax.jit
def loss(forces):
    q, v = final_state(forces)
    upright = jnp.array([0.0, jnp.pi])
    missed = jnp.concatenate([q - upright, v])
    return 1000.0 * missed @ missed + DT * forces @ forces / 50


value_and_gradient = jax.jit(jax.value_and_grad(loss))
start = 10.0 * np.sin(np.linspace(0.0, 6.0, STEPS))
begin = time.perf_counter()
_, gradient = value_and_gradient(start)
print(f"compiled in {time.perf_counter() - begin:.2f} s")

nudge = np.random.default_rng(0).normal(size=STEPS)
difference = (loss(start + 1e-5 * nudge) - loss(start - 1e-5 * nudge)) / 2e-5
print(f"slope along a direction: {gradient @ nudge:.6f}, by differences {difference:.6f}")

found = minimize(value_and_gradient, start, jac=True, method="L-BFGS-B", options={"maxiter": 200})
q, v = final_state(found.x)
print(f"{found.nit} iterations: from a loss of {loss(start):.0f} to {found.fun:.2f}")
print(f"the pole stands at {float(q[1]):.4f} rad (π is upright), the cart at {float(q[0]):.4f} m")
