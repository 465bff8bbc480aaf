"""Energy and co-energy as areas: the numbers beside the picture, against closed forms."""

import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.errors import ArgumentError, UnknownNameError

v, m, c = sympy.symbols("v m c", positive=True)
k1, k3, e = sympy.symbols("k1 k3 e")
FAST = m * v / sympy.sqrt(1 - v**2 / c**2)


def areas(fig):
    """The values in the legend, and the areas of the polygons that are drawn."""
    said, drawn = [], []
    for t in fig.data:
        if t.fill == "toself":
            said.append(float(t.name.split("=")[1].split()[0]))
            x, y = (np.asarray(z, dtype=float) for z in (t.x, t.y))
            drawn.append(abs(x @ np.roll(y, -1) - np.roll(x, -1) @ y) / 2)
    return said, drawn


def test_a_fast_particle():
    """C* = m c² (1 - √(1 - v²/c²)), C = √(h² c² + m² c⁴) - m c²: they differ, and sum to h v."""
    fig = vv.pencil.plot_energies(FAST, v, 0.8, {"m": 2.0, "c": 1.0})
    h = 2.0 * 0.8 / 0.6
    wanted = [2.0 * (1 - 0.6), np.sqrt(h**2 + 4.0) - 2.0]
    said, drawn = areas(fig)
    assert said == pytest.approx(wanted, rel=1e-3)  # four digits are shown
    assert drawn == pytest.approx(wanted, rel=1e-3)
    assert sum(wanted) == pytest.approx(h * 0.8)
    assert (fig.layout.xaxis.title.text, fig.layout.yaxis.title.text) == ("v [m/s]", "h [kg m/s]")


@pytest.mark.parametrize("at", [0.5, -0.5])
def test_a_hardening_spring(at):
    """P = k1 e²/2 + k3 e⁴/4, P* = k1 e²/2 + 3 k3 e⁴/4, by three roads."""
    values = {"k1": 2.0, "k3": 8.0}
    wanted = [2.0 * at**2 / 2 + 8.0 * at**4 / 4, 2.0 * at**2 / 2 + 3 * 8.0 * at**4 / 4]
    element = vv.pencil.spring(lambda x: k1 + k3 * x**2, e)
    for fig in (
        element.plot(at, values),
        vv.pencil.plot_energies(element.force[0], e, at, values, of="spring"),
        vv.Stiffness("k1 + k3*e^2", values).plot(at),
    ):
        said, drawn = areas(fig)
        assert said == pytest.approx(wanted, rel=1e-3)
        assert drawn == pytest.approx(wanted, rel=1e-3)


def test_the_law_is_drawn_with_the_stiffness_of_a_mechanism_too():
    law = vv.Stiffness("k1 + k3*e^2", {"k1": 2.0, "k3": 8.0})
    curve = law.plot(0.5).data[0]
    assert np.allclose(curve.y, [law.force(x) for x in curve.x])


def test_refusals():
    with pytest.raises(ArgumentError, match="give values of c, m"):
        vv.pencil.plot_energies(FAST, v, 0.8)
    with pytest.raises(ArgumentError, match="values of g: the law has no such symbols"):
        vv.pencil.plot_energies(m * v, v, 0.8, {"m": 1, "g": 9.81})
    with pytest.raises(ArgumentError, match=r"no value everywhere between 0 and 1\.5"):
        vv.pencil.plot_energies(FAST, v, 1.5, {"m": 1, "c": 1})
    with pytest.raises(ArgumentError, match="end where they begin"):
        vv.pencil.plot_energies(m * v, v, 0, {"m": 1})
    with pytest.raises(ArgumentError, match="m is a finite number, got 'heavy'"):
        vv.pencil.plot_energies(m * v, v, 1, {"m": "heavy"})
    with pytest.raises(ArgumentError, match="one symbol on its axis"):
        vv.pencil.plot_energies(m * v, m * v, 1, {"m": 1})
    with pytest.raises(UnknownNameError, match="kind of law 'damper'"):
        vv.pencil.plot_energies(m * v, v, 1, {"m": 1}, of="damper")
    space = vv.pencil.spring(sympy.eye(2), sympy.symbols("x y"))
    with pytest.raises(ArgumentError, match="one stretch, and this has 2"):
        space.plot(1.0)
    with pytest.raises(ArgumentError, match="largest stretch"):
        vv.Stiffness("2.0").plot(0)
