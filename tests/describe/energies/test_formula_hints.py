"""Energies typed as on paper: the error has the text that can be read."""

import pytest

import visviva as vv
from visviva.describe.energies.hints import hint, repaired


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("1/2 m l^2 theta'^2", "1/2*m*l^2*theta'^2"),
        ("m g l cos(theta)", "m*g*l*cos(theta)"),
        ("2(m + l)(m - l)", "2*(m + l)*(m - l)"),
        ("m (1 - cos theta)", "m*(1 - cos theta)"),
        ("m thetadot^2 / 2", "m*theta'^2 / 2"),
        ("m theta_dot^2", "m*theta'^2"),
        ("m*theta.dot**2", "m*theta.dot**2"),
        ("1e3 m", "1e3*m"),
        ("exp(-m)*sin(theta)", "exp(-m)*sin(theta)"),
        ("3 4", "3 4"),
    ],
)
def test_what_was_meant(typed, meant):
    assert repaired(typed, ["theta"])[0] == meant


def test_the_hint_says_what_is_wrong_and_nothing_else():
    assert hint("m*theta'^2", ["theta"], ["m"]) == ""
    assert "theta'" in hint(r"\frac12 m \dot\theta^2", ["theta"], ["m"])
    assert hint("m*k", ["x"], ["k"]) == (
        'names are declared, with or without values: parameters="m"'
    )
    assert len(hint("m " * 3000, ["x"], ["m"])) < 100  # long texts are not printed back


def test_names_without_values_are_enough_for_formulas():
    for names in ("m k", ["m", "k"], {"m": None, "k": 2.0}, vv.parameters("m k")):
        s = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters=names)
        assert str(s.closed_form().equations[0]) == "k*x + m*xdd"
        assert s.check("m x'' + k x = tau").is_identical
        with pytest.raises(vv.VisvivaError, match=r"no value for .*m: give parameters="):
            s.inverse_dynamics([0.0], [0.0], [0.0])
        whole = s.with_parameters(m=1.0, k=2.0)
        assert whole.inverse_dynamics([1.0], [0.0], [1.0]) == 3.0
    polar = vv.Lagrangian("x y", "m*(x'^2 + y'^2)/2", parameters="m").in_coordinates(
        "r phi", {"x": "r*cos(phi)", "y": "r*sin(phi)"}
    )
    assert str(polar.closed_form().mass_matrix[1, 1]) == "m*r**2"


def test_energies_first_are_refused_with_the_right_order():
    x = vv.coordinates("x")
    energy = x.diff("t") ** 2 / 2
    with pytest.raises(vv.VisvivaError, match=r"vv\.Lagrangian\(\[x\], T, V\)"):
        vv.Lagrangian(energy, [x])
    with pytest.raises(vv.VisvivaError, match=r"coordinates come first"):
        vv.Lagrangian(energy, x)
    assert vv.Lagrangian(x, energy).nv == 1


def test_other_words_for_the_energies_are_told_ours():
    for named in ({"T": "x'^2/2", "V": "x"}, {"L": "x'^2/2 - x"}):
        with pytest.raises(vv.VisvivaError) as caught:
            vv.Lagrangian("x", **named)
        line = "vv.Lagrangian(coordinates, kinetic=T, potential=V)"
        assert line in str(caught.value)
    coordinates, T, V = "x", "x'^2/2", "x"
    assert vv.Lagrangian(coordinates, kinetic=T, potential=V).nv == 1
    with pytest.raises(vv.VisvivaError, match=r"vv\.Lagrangian\(\[q1, q2\], T, V\)"):
        vv.Lagrangian("q1'^2/2 + q2'^2/2 - q1*q2", ["q1", "q2"])


def test_numbers_of_a_system_without_values_name_the_parameters():
    s = vv.Lagrangian("x", "m1*x'^2/2", "m2*g*x", parameters="m1 m2 g")
    assert "no value   g, m1, m2" in repr(s)
    with pytest.raises(vv.VisvivaError) as caught:
        s.inverse_dynamics([1.0], [1.0], [1.0])
    assert "no value for g, m1, m2" in str(caught.value)
    assert "with_parameters(g=..., m1=..., m2=...)" in str(caught.value)
    assert s.with_parameters(g=3, m1=1, m2=2).inverse_dynamics([1.0], [1.0], [1.0]) == 7.0
