"""Files of Gymnasium's environments: they move as MuJoCo moves them, while nothing touches."""

from pathlib import Path

import numpy as np
import pytest

import visviva as vv

gymnasium = pytest.importorskip("gymnasium")
mujoco = pytest.importorskip("mujoco")

ASSETS = Path(gymnasium.__file__).parent / "envs/mujoco/assets"
STEPS = 100
FILES = {  # where they start, and what part of the largest controls acts
    "inverted_pendulum": (0.02, 0.05),
    "inverted_double_pendulum": (0.02, 0.05),
    "reacher": (0.1, 1.0),
}


def controls(theirs, rng, share):
    """Random ones, within what actuators take."""
    low, high = theirs.actuator_ctrlrange.T
    return share * rng.uniform(low, high, size=(STEPS, theirs.nu))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", FILES)
def test_a_hundred_steps_are_those_of_mujoco(name, seed):
    """By the method and the step that the file states; limits, which hold nothing here, are off."""
    spread, share = FILES[name]
    theirs = mujoco.MjModel.from_xml_path(str(ASSETS / f"{name}.xml"))
    assert theirs.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    data, model = mujoco.MjData(theirs), vv.load(ASSETS / f"{name}.xml")
    step = model.function("step", method="rk4", controls=True)
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(-spread, spread, size=(2, model.nv))
    gears = theirs.actuator_gear[:, 0] * theirs.actuator_gainprm[:, 0]
    data.qpos[:], data.qvel[:] = q, v
    for u in controls(theirs, rng, share):
        data.ctrl[:] = u
        mujoco.mj_step(theirs, data)
        q, v = step(q, v, np.atleast_1d(gears * u) / gear_of(model), theirs.opt.timestep)
        np.testing.assert_allclose(q, data.qpos, rtol=0, atol=1e-9)
        np.testing.assert_allclose(v, data.qvel, rtol=0, atol=1e-9)


def gear_of(model):
    """What an actuator's force is multiplied with, as the model has it."""
    return np.abs(model.actuator_map(np.zeros(model.nq))).max(axis=0)


def test_limits_of_a_file_are_noted_where_they_are_left_and_honoured_on_request():
    model = vv.load(ASSETS / "inverted_pendulum.xml")
    slider = model.joint_names[0]
    low, high = model.lower[0], model.upper[0]
    assert np.isfinite([low, high]).all()
    start = [0.9 * high, 0.0], [5.0, 0.0]
    free = model.simulate(*start, 0.2)
    assert free.q[:, 0].max() > high + 0.1
    (note,) = (x for x in free.notes if slider in x)
    assert "with_stops" in note
    held = model.with_stops(0.0).simulate(*start, 0.2)
    assert held.q[:, 0].max() <= high + 1e-9
    assert len(held.events)
    assert not [x for x in held.notes if "with_stops" in x]
    bounced = model.with_stops({slider: 1.0}).simulate(*start, 0.2)
    assert bounced.q[:, 0].max() <= high + 1e-9
    assert bounced.v[-1, 0] < 0
