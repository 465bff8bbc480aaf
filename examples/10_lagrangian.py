"""A bead on a turning wire, from its energies to its motion: where does it stay?

The wire z = k x² turns with Ω. Below Ω² = 2 g k the bead oscillates about the bottom; above it runs
away. Two energies state the system; the equation of motion, its machine code and the quantity that
is conserved follow from them.

    python examples/10_lagrangian.py
"""

import numpy as np

import visviva as vv

STEP, END = 1e-3, 2.0
RATES = np.linspace(0.0, 6.0, 7)  # rad/s

bead = vv.Lagrangian(
    "x",
    "m*(x'^2*(1 + 4*k^2*x^2) + Omega^2*x^2)/2",
    "m*g*k*x^2",
    parameters={"m": 0.5, "k": 1.0, "Omega": 3.0, "g": 9.81},
    name="bead",
)


def main():
    print(bead)
    print("\nequation of motion: tau =", vv.pencil.equations(bead)[0])
    accelerate = bead.function("forward_dynamics", parameters=["Omega"])
    conserved = bead.function("jacobi_integral", parameters=["Omega"])
    print(accelerate)

    # all rates in one batch, by the fourth-order rule of Runge and Kutta
    p = RATES[:, None]
    x, v = np.full_like(p, 0.1), np.zeros_like(p)
    before, largest = conserved(x, v, p), np.abs(x)
    tau = np.zeros(1)
    for _ in range(int(END / STEP)):
        a1 = accelerate(x, v, tau, p)
        a2 = accelerate(x + STEP / 2 * v, v + STEP / 2 * a1, tau, p)
        a3 = accelerate(x + STEP / 2 * v + STEP**2 / 4 * a1, v + STEP / 2 * a2, tau, p)
        a4 = accelerate(x + STEP * v + STEP**2 / 2 * a2, v + STEP * a3, tau, p)
        x = x + STEP * v + STEP**2 / 6 * (a1 + a2 + a3)
        v = v + STEP / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        largest = np.maximum(largest, np.abs(x))

    drift = np.abs(conserved(x, v, p) - before).max()
    print(f"\nthe bottom is stable below {np.sqrt(2 * 9.81):.3f} rad/s")
    for rate, reached in zip(RATES, largest[:, 0], strict=True):
        print(f"  {rate:.0f} rad/s: the bead, let go at 0.1 m, reaches {reached:.3f} m")
    print(f"the Jacobi integral changed by {drift:.1e} J")
    assert drift < 1e-9
    assert (largest[RATES**2 < 2 * 9.81] < 0.1 + 1e-9).all()
    assert (largest[RATES**2 > 2 * 9.81] > 0.5).all()


if __name__ == "__main__":
    main()
