"""An arm as a line: it ends at its frame, passes its joints, and slides are drawn on their axes."""

import numpy as np
import pytest

import visviva as vv
from visviva.equations.frames.skeleton import skeleton

ARMS = ["planar_3r", "scara", "puma560", "stanford", "cylindrical", "rpr_arm", "cartesian"]


@pytest.mark.parametrize("name", ARMS)
def test_it_ends_at_the_frame_and_is_as_stiff_as_the_links(name):
    """Lengths of parts that no slide changes are the same at all positions."""
    m, rng = getattr(vv.catalog, name)(), np.random.default_rng(3)
    frame = m.frame_names[-1]
    slides = [unit == "m" for unit in m.coordinate_units]
    held = rng.uniform(0.1, 0.3, m.nq)
    lengths = []
    for _ in range(3):
        q = np.where(slides, held, rng.uniform(-1, 1, m.nq))
        line = skeleton(m, frame, q)
        assert np.allclose(line[-1], np.asarray(m.pose(frame)(q))[:3, 3])
        lengths.append(np.linalg.norm(np.diff(line, axis=0), axis=1))
    assert np.allclose(lengths[0], lengths[1])
    assert np.allclose(lengths[0], lengths[2])


@pytest.mark.parametrize("name", ["scara", "stanford", "cylindrical", "cartesian"])
def test_a_slide_has_a_part_of_its_own(name):
    """What gets longer while one joint slides is one part, by as much, along its axis."""
    m = getattr(vv.catalog, name)()
    frame = m.frame_names[-1]
    for k, unit in enumerate(m.coordinate_units):
        if unit != "m":
            continue
        q = np.full(m.nq, 0.2)
        before, after = skeleton(m, frame, q), skeleton(m, frame, q + 0.1 * np.eye(m.nq)[k])
        grown = np.diff(after, axis=0) - np.diff(before, axis=0)
        moved = np.linalg.norm(grown, axis=1)
        assert np.sum(moved > 1e-9) == 1
        part = np.diff(before, axis=0)[moved.argmax()]
        assert moved.max() == pytest.approx(0.1)
        axis = grown[moved.argmax()] / 0.1
        assert np.linalg.norm(np.cross(part, axis)) < 1e-9
