"""Errors of motions follow the tolerance that was asked for, down to rounding."""

import numpy as np
import pytest

import tools.accuracy_table as page
import visviva as vv
from tests.motion.known import KNOWN, error
from tests.support.counts import SOAK, count
from tests.support.oracles import digits

TOLERANCES = (1e-6, 1e-8, 1e-10, 1e-12)


@pytest.mark.spread(4)
@pytest.mark.soak
@pytest.mark.parametrize("method", count(("dop853",), ("dop853", "dopri5", "scipy-dop853")))
@pytest.mark.parametrize("name", KNOWN)
def test_errors_follow_the_tolerance(name, method):
    """In proportion: over six powers of ten the slope is one, and the factor small."""
    errors = [error(name, rtol, method) for rtol in TOLERANCES]
    slope = np.polyfit(np.log10(TOLERANCES), np.log10(errors), 1)[0]
    assert 0.7 < slope < 1.4, errors
    factor = 1000 if name.startswith("Kepler") else 30  # errors along an orbit grow with its turns
    assert all(e < factor * rtol for e, rtol in zip(errors, TOLERANCES, strict=True)), errors


def test_the_page_says_what_is_so():
    """Every number of the table in docs/accuracy.md, in its power of ten."""
    text = page.PAGE.read_text()
    rows = text[text.index(page.BEGIN) : text.index(page.END)].strip().splitlines()[4:]
    assert [row.split(" | ")[0].strip("| ") for row in rows if row] == list(KNOWN)
    for row in filter(None, rows):
        name, *said = (x.strip() for x in row.strip("|").split(" | "))
        for rtol, x in list(zip(page.TOLERANCES, said, strict=True))[1:3]:
            assert 0.1 < error(name, rtol) / float(x) < 10, (name, rtol)


GOVERNOR = {"l": 0.25, "m": 1.2, "M": 3.0, "m2": 0.1, "J": 0.02, "g": 9.81}
STIFF = {"k": 4e6, "c": 2e5}  # N/m and N s/m at the sleeve: the fast rate is some 40 000 a second


def governor():
    """By energies: the turn of the shaft and the angle of its arms; z = -2 l cos(a)."""
    ball = "m*l^2*(a'^2 + sin(a)^2*phi'^2)"
    link = "m2*l^2*((cos(a)^2 + 9*sin(a)^2)/4 + 1/12)*a'^2 + m2*l^2*sin(a)^2*phi'^2*(1/4 + 1/12)"
    return vv.Lagrangian(
        "phi a", f"J*phi'^2/2 + {ball} + {link} + 2*M*l^2*sin(a)^2*a'^2",
        "-(2*m + 2*M + 3*m2)*g*l*cos(a) + k*(z0 - (-2*l*cos(a)))^2/2",
        dissipation="c*(2*l*sin(a)*a')^2/2", name="governor",
        parameters={**GOVERNOR, **STIFF, "z0": -0.5 * np.cos(np.pi / 4)},
    )  # fmt: skip


@pytest.mark.spread(0)
def test_a_governor_with_a_stiff_spring_and_damper():
    """Under "auto" right to 1e-6."""
    s, start = governor(), ([0.0, np.pi / 4], [20.0, 1.0])
    run = s.simulate(*start, 1.0)
    assert run.statistics["method"] == "radau"
    assert any("stiff" in note for note in run.notes)
    true = s.simulate(*start, 1.0, method="dop853", rtol=1e-12, atol=1e-13)
    assert true.statistics["steps"] > 5000, "explicit steps are bounded by stability"
    assert np.abs(run.q[-1] - true.q[-1]).max() < 1e-6
    assert np.abs(run.v[-1] - true.v[-1]).max() < 1e-6
    assert run.account.closes


@pytest.mark.soak
@pytest.mark.skipif(not SOAK, reason="steps of some thousand operations: in the soak")
def test_the_same_governor_as_bodies_that_loops_hold():
    true = governor().simulate([0.0, np.pi / 4], [20.0, 1.0], 1.0, rtol=1e-11)
    held = vv.catalog.flyball_governor(**GOVERNOR)
    q, z0 = held.keyframes["assembled"], -0.5 * np.cos(np.pi / 4)

    def spring(t, q, v):
        return [0.0, 0.0, 0.0, -STIFF["k"] * (q[3] - z0) - STIFF["c"] * v[3], 0.0, 0.0]

    v = held.admitted_velocity(q, [20.0, 1.0, 1.0, 0.5 * np.sin(np.pi / 4), 1.0, 1.0])
    np.testing.assert_allclose(v, [20.0, 1.0, 1.0, 0.5 * np.sin(np.pi / 4), 1.0, 1.0], atol=1e-12)
    bodies = held.simulate(q, v, 1.0, tau=spring)
    got = [bodies.q[-1, 0], bodies.q[-1, 1]]
    assert np.abs(got - true.q[-1]).max() < 1e-6
    assert np.abs(bodies.constraint_error).max() < 1e-10


def test_the_first_moments_of_the_governor_to_thirty_digits():
    """A hundredth of a second would be a thousand terms: 0.2 ms is eight times the fast rate."""
    import mpmath

    s = governor()
    x = {k: mpmath.mpf(repr(v)) for k, v in s.parameters.items()}

    def rates(y):
        _, a, w, u = y
        sa, ca = mpmath.sin(a), mpmath.cos(a)
        l2 = x["l"] ** 2
        b = x["m"] * l2 + x["m2"] * l2 / 3  # of sin² φ'²
        inertia = x["J"] + 2 * b * sa**2
        A = 2 * x["m"] * l2 + 2 * x["m2"] * l2 * ((ca**2 + 9 * sa**2) / 4 + mpmath.mpf(1) / 12)
        A += 4 * x["M"] * l2 * sa**2
        dA = (2 * x["m2"] * l2 * 4 + 8 * x["M"] * l2) * sa * ca
        z, dz = -2 * x["l"] * ca, 2 * x["l"] * sa
        force = -(2 * x["m"] + 2 * x["M"] + 3 * x["m2"]) * x["g"] * x["l"] * sa
        force += -x["k"] * (z - x["z0"]) * dz - x["c"] * dz**2 * u
        return [
            w,
            u,
            -4 * b * sa * ca * u * w / inertia,
            (2 * b * sa * ca * w**2 + force - dA * u**2 / 2) / A,
        ]

    quarter = repr(np.pi / 4)
    exact = digits.motion(rates, ["0", quarter, "20", "1"], 2e-4, 20)
    run = s.simulate([0.0, np.pi / 4], [20.0, 1.0], 2e-4)
    np.testing.assert_allclose(np.append(run.q[-1], run.v[-1]), exact, atol=1e-8)
