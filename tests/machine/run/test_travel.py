"""What is sent to another process computes the same bits there, with the machine code of the cache.

By cloudpickle, as Dask and others send functions: closures go along with the models they refer to.
"""

import os
import pickle
import subprocess
import sys

import cloudpickle
import numpy as np

import visviva as vv

g = vv.generic
HERE = """
import pickle, sys
tasks, functions = pickle.load(sys.stdin.buffer)
results = [task() for task in tasks]
answer = results, [f.kernel.from_cache for f in functions]
sys.stdout.buffer.write(pickle.dumps(answer))
"""


def elsewhere(tasks, functions):
    """What tasks give in a new process that shares nothing with us but the folder of the cache."""
    sent = cloudpickle.dumps((tasks, functions))
    run = subprocess.run(
        [sys.executable, "-c", HERE], input=sent, capture_output=True, env=dict(os.environ)
    )
    assert run.returncode == 0, run.stderr.decode()
    return pickle.loads(run.stdout)


def test_models_functions_and_closures_travel(tmp_path, monkeypatch):
    monkeypatch.setenv("VISVIVA_CACHE", str(tmp_path))
    arm, bar = vv.catalog.two_link(), vv.catalog.four_bar()
    robot = arm.with_parameters(m1=2.5)
    pendulum = vv.Lagrangian(
        "x", "m*l^2*x'^2/2", "-m*g*l*cos(x)", parameters={"m": 1.0, "l": 0.7, "g": 9.81}
    )
    q, v = np.array([0.3, -0.4]), np.array([0.5, 0.1])
    own = vv.function(lambda q: g.exp(q @ q) * robot.mass_matrix(q), {"q": 2}, name="own")
    named = vv.function(lambda q: g.sin(q), {"q": 2}, name="named", key="a sine")
    gain = np.array([30.0, 20.0])

    def law(t, q, v):
        return robot.gravity_forces(q) - gain * (q - 0.2) - 5.0 * v

    loop = vv.Loop(robot.function("step"))
    event = vv.Event(lambda t, q, v: q[0], name="crossing")

    def motion():
        how = {"tau": vv.Controller(law), "dt": 1e-2, "method": "rk4"}
        return robot.simulate(np.stack([q, 2 * q]), v, 1.0, **how).q

    def crossings():
        return robot.simulate(q, v, 1.0, events=[event]).q

    def swing():
        state = {"q": q, "v": v, "tau": np.zeros(2), "dt": 1e-3}
        return loop(state, times=100).state["q"]

    def constrained():
        start = bar.assembled()
        return bar.forward_dynamics(start, np.zeros(bar.nv), np.ones(bar.nv))

    tasks = [
        lambda: own(q),
        lambda: named(q),
        lambda: robot.inverse_dynamics.jacobian("q")(q, v, v),
        lambda: pendulum.forward_dynamics([0.4], [0.1], [0.0]),
        motion,
        crossings,
        swing,
        constrained,
    ]
    functions = [own, named, robot.mass_matrix, pendulum.forward_dynamics, loop.function]
    for f in functions:
        assert f.kernel is not None
    wanted = [task() for task in tasks]
    got, from_cache = elsewhere(tasks, functions)
    for ours, theirs in zip(wanted, got, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    # a key of the user's may mean something else there: the program names the code that travels
    assert from_cache == [True, False, True, True, False]
    assert all(elsewhere([], functions)[1])  # and is compiled once, by whoever is the first
    copy = cloudpickle.loads(cloudpickle.dumps(own))  # here as well
    np.testing.assert_array_equal(copy(q), own(q))
