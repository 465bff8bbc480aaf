"""A five-dimensional hinge against one coordinate: linkages whose closure has a formula.

Positions of all joints are functions of the crank's angle θ; with J = dq/dθ and the kinetic energy
I(θ) θ̇² / 2, I θ̈ + I' θ̇² / 2 + V' = J · τ. Derivatives are mpmath's, at 30 digits.
"""

import mpmath
import numpy as np
import pytest

import visviva as vv
from tests.support.oracles.laws import agree
from tests.support.oracles.oracle import Compiled

TOLERANCE = 1e-11
GRAVITY = 9.81
CRANK, COUPLER, ROCKER, GROUND, HEIGHT = 0.6, 1.4, 1.1, 1.5, 0.1
MASSES, TENSORS, CENTRES = (1.2, 2.3, 0.7), (0.1, 0.4, 0.2), ((0.2, 0.05), (0.6, -0.1), (0.3, 0.2))
BODIES = [
    {"inertia": vv.Inertia(m, [*c, 0.3], np.diag([0.3, 0.3, zz]))}
    for m, zz, c in zip(MASSES, TENSORS, CENTRES, strict=True)
]


def four_bar():
    b = vv.Builder("four-bar", gravity=[0, -GRAVITY, 0])
    b.body("crank", joint="revolute", **BODIES[0])
    b.body("coupler", parent="crank", joint="revolute", at=[CRANK, 0, 0], **BODIES[1])
    b.body("rocker", joint="revolute", at=[GROUND, 0, 0], **BODIES[2])
    b.frame("tip", body="coupler", at=[COUPLER, 0, 0]).frame(
        "pin", body="rocker", at=[ROCKER, 0, 0]
    )
    return b.build().with_loop("tip", "pin")


def four_bar_angles(theta):
    """All joints: the pin is where two circles meet."""
    x, y = CRANK * mpmath.cos(theta), CRANK * mpmath.sin(theta)
    far = mpmath.hypot(GROUND - x, y)
    along = (COUPLER**2 - ROCKER**2 + far**2) / (2 * far)
    up = mpmath.sqrt(COUPLER**2 - along**2)
    ux, uy = (GROUND - x) / far, -y / far
    px, py = x + along * ux - up * uy, y + along * uy + up * ux
    return theta, mpmath.atan2(py - y, px - x) - theta, mpmath.atan2(py, px - GROUND)


def four_bar_places(theta):
    """Of each body: its origin and its angle."""
    one, two, three = four_bar_angles(theta)
    elbow = (CRANK * mpmath.cos(one), CRANK * mpmath.sin(one))
    return (0, 0, one), (*elbow, one + two), (GROUND, 0, three)


def slider_crank():
    b = vv.Builder("slider-crank", gravity=[0, -GRAVITY, 0])
    b.body("crank", joint="revolute", **BODIES[0])
    b.body("rod", parent="crank", joint="revolute", at=[CRANK, 0, 0], **BODIES[1])
    b.body("slider", joint="prismatic", axis="x", at=[0, HEIGHT, 0], **BODIES[2])
    return b.frame("pin", body="rod", at=[COUPLER, 0, 0]).build().with_loop("pin", "slider")


def slider_crank_positions(theta):
    rod = mpmath.asin((HEIGHT - CRANK * mpmath.sin(theta)) / COUPLER)
    return theta, rod - theta, CRANK * mpmath.cos(theta) + COUPLER * mpmath.cos(rod)


def slider_crank_places(theta):
    one, two, x = slider_crank_positions(theta)
    elbow = (CRANK * mpmath.cos(one), CRANK * mpmath.sin(one))
    return (0, 0, one), (*elbow, one + two), (x, HEIGHT, 0)


def centres(place):
    """Of all bodies: x, y and angle."""
    for (x, y, angle), (cx, cy) in zip(place, CENTRES, strict=True):
        c, s = mpmath.cos(angle), mpmath.sin(angle)
        yield x + c * cx - s * cy, y + s * cx + c * cy, angle


def derivatives(f, theta):
    """f, f' and f'' of vectors."""
    n = len(f(theta))
    return [
        np.array([mpmath.diff(lambda t, i=i: f(t)[i], theta, k) for i in range(n)])
        for k in range(3)
    ]


LINKAGES = {
    "four-bar": (four_bar, four_bar_angles, four_bar_places),
    "slider-crank": (slider_crank, slider_crank_positions, slider_crank_places),
}


@pytest.mark.parametrize("name", LINKAGES)
def test_one_coordinate(name):
    make, positions, places = LINKAGES[name]
    model = make()
    run = Compiled(model)
    rng = np.random.default_rng(0)
    for theta in (0.3, 2.0, -1.1):
        with mpmath.workdps(30):
            q, J, dJ = derivatives(positions, theta)
            _, V, A = derivatives(lambda t: [x for c in centres(places(t)) for x in c], theta)
        weights = np.ravel([(m, m, zz) for m, zz in zip(MASSES, TENSORS, strict=True)])
        inertia, rate = weights @ V**2, 2 * weights @ (V * A)
        fall = GRAVITY * np.array(MASSES) @ V[1::3]
        speed, tau = rng.normal(), rng.normal(size=3) * 5
        angular = (J @ tau - rate * speed**2 / 2 - fall) / inertia
        q, v, a = (np.array(x, dtype=float) for x in (q, J * speed, J * angular + dJ * speed**2))
        agree(run("constraint_error", q), np.zeros(5), 1e-14, scale=1.0)
        agree(run("constraint_velocity", q, v), np.zeros(5), 1e-14, scale=1.0)
        agree(run("forward_dynamics", q, v, tau), a, TOLERANCE)
        forces = run("inverse_dynamics", q, v, a) - tau
        agree(run("constraint_forces", q, v, tau), forces, TOLERANCE)
        agree(run("projection", q) @ np.array(J, dtype=float), np.array(J, dtype=float), 1e-13)
