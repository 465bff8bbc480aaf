"""Pictures of motions: what they can be asked to show."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, UnknownNameError

ARM = vv.catalog.two_link()
T = np.linspace(0.0, 1.0, 5)
RUN = vv.Trajectory(ARM, T, np.stack([T, -T], 1), np.ones((5, 2)), tau=np.ones((5, 2)))


def lines(figure):
    return {trace.name: np.asarray(trace.y, dtype=float) for trace in figure.data}


def test_forces_and_energies_by_one_word():
    drawn = lines(RUN.plot("tau"))
    assert [*drawn] == ["tau_q1", "tau_q2"]
    np.testing.assert_array_equal(drawn["tau_q2"], RUN.tau[:, 1])
    drawn = lines(RUN.plot("energy", "q1"))
    assert [*drawn] == ["kinetic energy", "potential energy", "energy", "q1"]
    np.testing.assert_array_equal(drawn["energy"], RUN.energy)
    assert RUN.plot("energy").layout.yaxis.title.text == "energy [J]"
    with pytest.raises(ArgumentError, match="no forces act along this motion"):
        vv.Trajectory(ARM, T, RUN.q, RUN.v).plot("tau")


def test_names_in_a_list():
    assert lines(RUN.plot(["q1", "v"])).keys() == lines(RUN.plot("q1", "v")).keys()
    with pytest.raises(UnknownNameError, match=r"'elbow' \(available: 'q1', .* 'tau', 'energy'"):
        RUN.plot(["elbow"])


def test_energies_of_many():
    many = vv.Trajectory(ARM, T, np.stack([RUN.q, RUN.q]), np.stack([RUN.v, 2 * RUN.v]))
    drawn = [np.asarray(x.y) for x in many.plot("energy").data if x.name == "energy"]
    np.testing.assert_array_equal(drawn, many.energy)


def test_an_animation_takes_a_path(tmp_path):
    RUN.animate(str(tmp_path / "run.html"))
    assert (tmp_path / "run.html").read_text(encoding="utf-8").lstrip().startswith("<!")


def test_accelerations_of_a_path_without_forces_are_said_to_be_those_of_free_motion():
    free = vv.Trajectory(ARM, T, RUN.q, RUN.v)
    assert "no forces: accelerations are those of free motion" in repr(free)
    np.testing.assert_allclose(
        free.acceleration, ARM.forward_dynamics(free.q, free.v, 0 * free.v), atol=1e-12
    )
    assert "forces act" in repr(RUN)
    assert "accelerations" not in repr(RUN)
