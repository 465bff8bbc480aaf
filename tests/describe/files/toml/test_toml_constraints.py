"""Formulas of constraints in mechanism files: they know parameters and expressions."""

import numpy as np
import pytest

from visviva.describe.files.toml.read import loads_toml
from visviva.describe.files.toml.write import to_toml
from visviva.errors import MechanismFileError

CAM = """
name = "cam"
gravity = [0, -9.81, 0]
[parameters]
r = 0.1
[expressions]
lift = "2*r"
lobes = 3
[[body]]
name = "cam"
joint = "revolute"
joint_name = "theta"
axis = "z"
inertia = { mass = 1, com = [0, 0, 0], moments = [1, 1, 1] }
[[body]]
name = "follower"
joint = "prismatic"
joint_name = "y"
axis = "y"
inertia = { mass = 1 }
[[constraint]]
name = "profile"
formula = "y = lift*sin(lobes*theta)"
"""


def test_formulas_of_constraints_know_expressions():
    for model in (loads_toml(CAM), loads_toml(to_toml(loads_toml(CAM)))):
        for r in (0.1, 0.25):
            (off,) = model.with_parameters(r=r).constraint_error([0.3, 0.0])
            assert abs(off + 2 * r * np.sin(0.9)) < 1e-15


def test_an_expression_with_the_name_of_a_coordinate_is_refused_where_it_is_meant():
    text = CAM.replace("lobes = 3", "theta = 3").replace("lobes*", "")
    with pytest.raises(MechanismFileError, match="two things, a coordinate and an expression"):
        loads_toml(text)
