"""Angles in degrees, and positions by name where numbers in a row are taken."""

import math
import re

import numpy as np
import pytest

import visviva as vv
from tests.cli.asking import ask
from visviva.hints import in_radians

ARM, BEAD, CART = vv.catalog.two_link(), vv.catalog.bead_on_rotating_wire(), vv.catalog.cart_pole()


@pytest.mark.parametrize(
    "asked",
    [
        lambda: ARM.q(q1="30°"),
        lambda: ARM.q({"q1": "30 deg"}),
        lambda: BEAD.q(x="30degrees"),
        lambda: ARM.picture({"q1": "30°"}),
        lambda: ARM.picture(["30°", 0.0]),
        lambda: ARM.simulate(["30deg", 0.0], t=1.0),
    ],
)
def test_degrees_are_told_in_radians(asked):
    with pytest.raises(vv.VisvivaError) as caught:
        asked()
    (number,) = re.findall(r"; angles are in radians: 30° is (\S+)$", str(caught.value))
    assert math.isclose(float(number), math.pi / 6, rel_tol=1e-11)


def test_degrees_on_the_command_line():
    answer = ask("simulate", "two_link", "--start", "q1=-90°")
    assert answer.code == 2
    assert "angles are in radians: -90° is -1.57079632679" in answer.err


@pytest.mark.parametrize("x", ["30", "deg", "1.2.3°", "30° x", 30.0, None, [1.0, 2.0]])
def test_what_is_no_angle_in_degrees(x):
    assert in_radians(x) == ""


def test_positions_by_name_are_made_by_q():
    with pytest.raises(vv.VisvivaError, match="positions by name") as caught:
        CART.linearize(theta=math.pi)
    (line,) = re.findall(r"here it is (.*)$", str(caught.value))
    found = eval(line, {"model": CART})
    np.testing.assert_array_equal(found.q, [0.0, math.pi])
    with pytest.raises(vv.VisvivaError, match=r"model\.picture\(model\.q\(q1=0\.5\), t=0\.0\)$"):
        ARM.picture(q1=0.5, t=0.0)
    with pytest.raises(vv.VisvivaError, match="unexpected keyword argument 'colour'"):
        ARM.plot(colour="red")
