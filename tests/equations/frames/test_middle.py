"""The Jacobian seen from a link in the middle: the same determinant, singular values of a view."""

import numpy as np
import pytest

import visviva as vv
from visviva.equations.frames.middle import jacobian_from_the_middle
from visviva.space.rotations import exp

ARMS = [vv.catalog.puma560(), vv.catalog.stanford()]


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
def test_the_determinant_is_that_of_the_tip(arm):
    """Also behind a tool that is turned and far away, which the middle does not see."""
    tool = vv.Pose(exp([0.3, -0.2, 0.9]), [0.4, -0.7, 1.1])
    far = arm.with_frame("far", tool, on="tool")
    for seed in range(3):
        q = arm.random(seed)
        middle = np.asarray(jacobian_from_the_middle(arm.numeric, "tool", q), dtype=float)
        for frame in ("tool", "far"):
            J = np.asarray(far.jacobian(frame)(q))
            assert np.linalg.det(J) == pytest.approx(np.linalg.det(middle), abs=1e-12)
        # one twist of a rigid view takes the one to the other
        view = np.asarray(arm.jacobian("tool")(q)) @ np.linalg.inv(middle)
        assert np.abs(view[:3, 3:]).max() < 1e-9
        assert np.abs(view[:3, :3] - view[3:, 3:]).max() < 1e-9
        assert np.abs(view[:3, :3] @ view[:3, :3].T - np.eye(3)).max() < 1e-9
