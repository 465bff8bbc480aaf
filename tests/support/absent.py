"""Tests without peers: `VISVIVA_WITHOUT_PEERS=1` skips those that import one that is not there.

So the tests run with the oldest versions of our own dependencies, for which peers are not made.
Where the variable is not set, a peer that is missing is an error.
"""

import inspect
import os
import sys

import pytest

PEERS = {
    *"EAIK adam casadi coal diffrax example_robot_data exudyn heyoka hppfcl ik_geo jax".split(),
    *"liecasadi modern_robotics pinocchio roboticstoolbox spatialmath torch".split(),
    *"mkdocs mypy ruff".split(),  # tools that look at the source, the same with any versions
}


class Absent:
    """Asked for a module when nobody else has it, as one of `sys.meta_path`."""

    def find_spec(self, name, path=None, target=None):
        package = name.partition(".")[0]
        if package in PEERS:
            for frame in inspect.stack():
                asking = frame.frame.f_globals.get("__name__", "")
                if frame.function == "<module>" and asking.startswith("tests."):
                    sys.modules.pop(asking, None)  # half imported: nobody else may take it
            pytest.skip(f"needs {package}", allow_module_level=True)


if os.environ.get("VISVIVA_WITHOUT_PEERS"):
    sys.meta_path.append(Absent())
