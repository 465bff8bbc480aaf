"""Formulas of a model that divide by a parameter."""

import pytest

import visviva as vv
from visviva.errors import OutsideError


def flap(rest, arm):
    """A point mass on an arm, held by a torsion spring; both are functions of the parameters."""
    values = {"m": 0.5, "k": 3.0, "preload": 0.4}
    b = vv.Builder("flap", parameters=values, gravity=[0, 0, 0])
    p = b.parameters
    inertia = vv.Inertia.point(p["m"], [arm(p), 0, 0])
    b.body("flap", joint="revolute", joint_name="phi", axis="y", inertia=inertia)
    b.spring("coil", p["k"], rest(p), joint="phi")
    return b.build()


def test_what_cancels_is_a_closed_form():
    m = flap(lambda p: -p["preload"] / p["k"], lambda p: 0.2)
    assert "k φ + preload" in str(m.closed_form())
    assert m.check("tau = 0.04*m*phi'' + k*phi + preload").is_identical
    assert not m.check("tau = 0.04*m*phi'' + k*phi - preload").is_identical


def test_what_stays_a_fraction_names_the_parameter_and_the_way():
    m = flap(lambda p: 0.0, lambda p: p["preload"] / p["k"])
    with pytest.raises(OutsideError, match=r"divide by k\. symbols=\[…\] without k keeps a number"):
        str(m.closed_form())
    with pytest.raises(OutsideError, match="divide by k"):
        m.derivation()
    assert "φ̈" in str(m.closed_form(symbols=["m", "preload"]))
