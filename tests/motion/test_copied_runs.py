"""Trajectories that are copied, and sent to other processes."""

import copy
import pickle

import numpy as np
import pytest

import visviva as vv

PENDULUM = vv.catalog.pendulum()


@pytest.mark.parametrize("options", [{}, {"events": lambda t, q, v: q[0]}, {"dt": 0.05}])
def test_a_run_is_the_same_elsewhere(options):
    run = PENDULUM.simulate([0.3, 0.1], [0.0, 0.0], 1.0, **options)
    sent = pickle.loads(pickle.dumps(run))
    assert copy.deepcopy(run).q is run.q  # which nobody can change
    assert np.array_equal(sent.q, run.q)
    assert np.array_equal(sent.at(0.55)[0], run.at(0.55)[0])
    assert sent.statistics == run.statistics
    assert [*sent.events] == [*run.events]
    assert sent.notes == run.notes
    with pytest.raises(ValueError, match="read-only"):
        sent.q[0] = 1.0


def test_functions_of_python_stay_behind_with_a_note():
    law = vv.Controller(
        lambda t, q, v, x: [-x[0], 0.0], start=(0.0,), rate=lambda t, q, v, x: [q[0]]
    )
    run = PENDULUM.simulate([0.3, 0.1], [0.0, 0.0], 1.0, tau=law)
    sent = pickle.loads(pickle.dumps(run))
    assert np.array_equal(sent.tau, run.tau)
    assert np.array_equal(sent.at(0.55)[0], run.at(0.55)[0])  # steps hold the program of the law
    assert sent.between == "linear"
    assert [x.split(" between")[0] for x in sent.notes] == ["forces"]
