"""Gear ratios of motors, rotors and gears: one number other than 0, or a formula."""

from dataclasses import replace
from fractions import Fraction

import flint
import numpy as np
import pytest
import sympy

from visviva.algebra.exact.ring import Ring
from visviva.describe.by_hand.builder import Builder
from visviva.describe.files.toml.read import loads_toml
from visviva.describe.model.actuator import Actuator
from visviva.errors import ArgumentError, VisvivaError


@pytest.mark.parametrize("gear", ["n/2", sympy.Symbol("n") / 2])
def test_the_gear_of_a_motor_is_a_formula_too(gear):
    b = Builder("a", parameters={"J": 0.1, "n": 5.0})
    arm = b.body("b", joint="revolute", mass=1.0, armature="J").build()
    driven = arm.with_actuators(Actuator.motor("motor", "b_joint", gear=gear))
    assert driven.numeric.actuators["motor"].gear == 2.5
    with pytest.raises(ArgumentError, match="actuator 'motor': the gear ratio is a finite"):
        driven.with_parameters(n=0.0)
    with pytest.raises(ArgumentError, match=r"gear of actuator 'm' .* of 'a' \(J, n\)"):
        arm.with_actuators([Actuator.motor("m", "b_joint", gear="n9")])
    unread = (Actuator.motor("m", "b_joint", gear="n"),)
    with pytest.raises(ArgumentError, match=r"'n', which model\.with_actuators reads"):
        replace(arm, actuators=unread)


def _kind(x):
    return type(x).__name__


NO_RATIOS = [
    *(None, {1}, {}, object(), int, b"2", 1j, np.complex64(1), sympy.I, sympy.zoo, 0, True - 1),
    *(float("nan"), float("inf"), Fraction(0), np.array(0.0), sympy.Integer(0)),
]


@pytest.mark.parametrize("gear", [*NO_RATIOS, [1, 2], np.array([1.0, 2.0])], ids=_kind)
def test_the_gear_of_a_motor_is_one_number(gear):
    with pytest.raises(ArgumentError, match=r"finite number other than 0, or a formula .* got"):
        Actuator.motor("m", "joint", gear=gear)


@pytest.mark.parametrize("gear", NO_RATIOS, ids=_kind)
def test_all_ratios_are_refused_in_the_same_words(gear):
    said = "a finite number other than 0, or a formula of parameters; got"
    with pytest.raises(ArgumentError, match=said):
        Builder("a").body("b", joint="revolute", mass=1.0, armature=1.0, gear=gear)
    two = Builder("a").body("b", joint="revolute", mass=1.0)
    two = two.body("c", parent="b", joint="revolute", mass=1.0).build()
    read = gear in (sympy.I, sympy.zoo)  # as texts that have these names
    with pytest.raises(ArgumentError, match="unknown name" if read else said):
        two.with_gear("b_joint", "c_joint", ratio=gear)


@pytest.mark.parametrize("gear", [2, -0.5, Fraction(1, 3), sympy.pi, np.float32(2), np.array(2.0)])
def test_numbers_of_any_kind_are_ratios(gear):
    assert Actuator.motor("m", "joint", gear=gear).gear == gear
    Builder("a").body("b", joint="revolute", mass=1.0, armature=1.0, gear=gear)


def test_scalars_that_models_are_mapped_to_are_ratios():
    ring = Ring(["n"], {})
    for gear in (ring.generator("n"), 1 / ring.generator("n"), flint.fmpq(1, 3)):
        assert Actuator.motor("m", "joint", gear=gear).gear is gear


def test_a_formula_that_is_zero_at_the_values_is_no_ratio():
    """In a file too, which states its motors as code does."""
    arm = Builder("a", parameters={"n": 0.0}).body("b", joint="revolute", mass=1.0).build()
    said = "actuator 'm': the gear ratio is a finite number other than 0, .* got 0"
    with pytest.raises(ArgumentError, match=said):
        arm.with_actuators(Actuator.motor("m", "b_joint", gear="2*n"))
    text = """
name = "a"
parameters = { n = 0.0 }
body = [{ name = "b", joint = "revolute", axis = "z", inertia = { mass = 1.0, com = [1, 0, 0] } }]
actuator = [{ name = "m", kind = "motor", joint = "b_joint", gear = "n" }]
"""
    with pytest.raises(VisvivaError, match=said):
        loads_toml(text)
