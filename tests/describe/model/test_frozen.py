"""A model is a frozen value: copied, pickled, never changed."""

import copy
import dataclasses
import pickle
import re

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.bodies import close, random_tree, same_pose
from tests.support.generators.small_models import arm, crank
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.model.body import Spring
from visviva.space.poses import Pose


@pytest.mark.parametrize("make", [arm, crank, lambda: random_tree(np.random.default_rng(4), 5)])
def test_models_can_be_pickled_and_copied(make):
    m = make()
    for again in (pickle.loads(pickle.dumps(m)), copy.deepcopy(m)):
        assert repr(again) == repr(m)
        q = m.random(0)
        for a, b in zip(again.numeric.body_poses(q), m.numeric.body_poses(q), strict=True):
            same_pose(a, b, 0)
        assert dict(again.parameters) == dict(m.parameters)


def test_models_are_frozen():
    m = arm()
    for name in ("name", "bodies", "gravity"):
        with pytest.raises(AttributeError):
            setattr(m, name, None)


def arrays(x):
    """Every array that a value holds, however deep."""
    if isinstance(x, np.ndarray):
        yield x
    elif dataclasses.is_dataclass(x):
        for item in dataclasses.fields(x):
            yield from arrays(getattr(x, item.name))
    elif isinstance(x, (tuple, list)):
        for item in x:
            yield from arrays(item)
    elif hasattr(x, "items"):
        yield from arrays(list(x.values()))


def everything():
    """A model that has one of everything that holds arrays."""
    b = Builder("all", parameters={"l": 0.5}).base_inertia(Inertia.point(1.0))
    b.body("u", joint="universal", axis="x", second="y", at=[b.parameters["l"], 0, 0])
    b.body("p", parent="u", joint="cylindrical", inertia=Inertia.sphere(1.0, radius=0.1))
    m = b.frame("end", body="p", at=[0, 0, 1.0]).build()
    jet = vv.Actuator.thruster("jet", "end", [0, 0, 2.0], point=[0.1, 0, 0])
    spring = Spring("s", 1.0, 0.0, frames=("u", "end"), points=(np.zeros(3), np.ones(3)))
    key = {"home": m.neutral()}
    return dataclasses.replace(m, actuators=(jet,), springs=(spring,), keyframes=key)


@pytest.mark.parametrize(
    "way",
    [
        lambda m: m,
        lambda m: m.numeric,
        lambda m: m.with_free_base(),
        lambda m: m.locked(u_joint=[0.1, 0.2]),
        copy.deepcopy,
        lambda m: pickle.loads(pickle.dumps(m.numeric)),
    ],
)
def test_no_array_of_a_model_can_be_changed(way):
    held = list(arrays(way(everything())))
    assert len(held) > 20
    assert not [x for x in held if x.flags.writeable]


def test_a_model_does_not_share_the_arrays_it_is_made_of():
    g, R, p = np.array([0, 0, -9.81]), np.eye(3), np.zeros(3)
    m = Builder("one", gravity=g).body("a", joint="revolute", at=p, rotation=R).build()
    X, body = Pose(R, p[:]), Inertia(1.0, p, R)
    g[2], R[0, 0], p[0] = 1.0, 5.0, 5.0
    assert m.gravity.tolist() == [0, 0, -9.81]
    for Y in (X, m.bodies[0].placement):
        close(Y.matrix(), np.eye(4), 0)
    assert (body.com[0], body.tensor[0, 0]) == (0.0, 1.0)
    with pytest.raises(ValueError, match="read-only"):
        m.gravity[2] = -1.62


def test_what_a_model_gives_is_the_callers():
    m = arm()
    for x in (m.neutral(), m.random(0), m.q(), m.integrate(m.neutral(), np.zeros(m.nv))):
        x[0] = 7.0
    assert m.lower[0] == -1.0
    assert m.neutral()[0] == 0.0


def test_limits_that_are_written_to_name_the_line():
    m, tried = (
        vv.catalog.two_link().numeric,
        [("lower", 0, -0.1), ("upper", 1, 0.1), ("effort_limits", 1, 7.0)],
    )
    screw = Builder("screw").body("screw", joint="cylindrical", mass=1.0).build()
    cases = [(m, *x) for x in [*tried, ("velocity_limits", slice(0, 2), 3.0)]]
    for model, name, key, x in [*cases, (screw, "lower", 1, -2.0)]:
        with pytest.raises(ValueError, match="read-only") as caught:
            getattr(model, name)[key] = x
        (line,) = re.findall(r"here it is model = (.*)$", str(caught.value))
        new = getattr(eval(line, {"model": model, "np": np}), name)
        wanted = np.array(getattr(model, name))
        wanted[key] = x
        assert np.array_equal(new, wanted), line
    with pytest.raises(ValueError, match="read-only"):
        m.dry_friction[0] = 1.0
