"""Scenes of models: carriers are where frames are, in JavaScript too; pulls do their work."""

import json
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import random_tree
from tests.support.tools import require
from visviva.errors import ArgumentError, UnknownNameError
from visviva.show.scene.of import scene_of

ARMS = ("rp_arm", "puma560", "four_bar", "bicycle", "delta", "tumbling_body")


def state(system, seed=0):
    """A position, a velocity, a point and a force."""
    rng = np.random.default_rng(seed)
    q = system.integrate(scene_of(system).start, 0.3 * rng.normal(size=system.nv))
    return np.asarray(q), rng.normal(size=system.nv), rng.normal(size=3), rng.normal(size=3)


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", ARMS)
def test_carriers_are_where_bodies_and_frames_are(name):
    """To rounding: both are products of the same few rotations."""
    model = vv.catalog.build(name)
    scene, (q, *_) = scene_of(model), state(model)
    X = dict(zip(scene.carriers[1:], scene.places()(q), strict=True))
    for body in model.body_names[:3]:
        np.testing.assert_allclose(X[body], model.pose(body)(q)[:3], atol=1e-12)
    for name in model.frame_names:
        at = X.get(f"frame:{name}", X.get(name))
        if at is not None:
            np.testing.assert_allclose(at, model.frame_pose(name, q).matrix()[:3], atol=1e-12)


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", ARMS)
def test_a_pull_does_the_work_of_its_force(name):
    """τ · v = F · d/dt (R r + p), by a difference along the motion; its error is of order h²."""
    model = vv.catalog.build(name)
    scene, (q, v, r, F) = scene_of(model), state(model)
    k, h = len(model.bodies), 1e-5
    ends = [scene.at(model.integrate(q, s * h * v))[k] for s in (-1, 1)]
    before, after = (X[:, :3] @ r + X[:, 3] for X in ends)
    tau = scene.pull(scene.carriers[k])(q, r, F)
    scale = np.linalg.norm(F) * np.linalg.norm(v) * (1 + scene.size)
    assert tau @ v == pytest.approx(F @ (after - before) / (2 * h), abs=1e-8 * scale)


@examples(3, 400)
@given(st.integers(0, 2**32), st.integers(1, 6))
def test_any_tree_can_be_seen(seed, size):
    """Of every kind of joint: bodies where they are, sliders with ranges, plain data."""
    rng = np.random.default_rng(seed)
    model = random_tree(rng, size)
    scene, q = scene_of(model), np.asarray(model.random(rng))
    for body, X in zip(model.body_names, scene.at(q)[1:], strict=False):
        np.testing.assert_allclose(X, model.frame_pose(body, q).matrix()[:3], atol=1e-12)
    assert all(c.lower <= c.start <= c.upper for c in scene.coordinates)
    assert json.dumps(scene.as_dict(), allow_nan=False)


def test_a_pull_on_the_world_moves_nothing():
    assert scene_of(vv.catalog.rp_arm()).pull("world") is None


def test_lengths_are_inputs_that_move_what_they_carry():
    arm = vv.catalog.two_link()
    scene = scene_of(arm)
    by_length = scene.places(["L1", "r2"])
    assert list(by_length.inputs) == ["q", "parameters"]
    q, other = scene.start, arm.with_parameters(L1=2.0, r2=0.1)
    got = dict(zip(scene.carriers[1:], by_length(q, [2.0, 0.1]), strict=True))
    np.testing.assert_allclose(got["link2"], other.pose("link2")(q)[:3], atol=1e-12)
    com = other.pose("link2")(q) @ [0.1, 0.0, 0.0, 1.0]
    np.testing.assert_allclose(got["com:link2"][:, 3], com[:3], atol=1e-12)


def test_javascript_places_them_at_the_same_places():
    node = require("node", "nodejs")
    arm = vv.catalog.puma560()
    scene = scene_of(arm)
    f, q = scene.places(["a2"]), scene.start
    script = f"{f.js_source('places')}\nconsole.log(JSON.stringify(places({q.tolist()}, [0.5])))"
    run = subprocess.run([node, "-"], input=script, capture_output=True, text=True, check=True)
    np.testing.assert_allclose(json.loads(run.stdout), f(q, [0.5]), atol=1e-14)


def test_what_is_unknown_is_refused_with_what_there_is():
    scene = scene_of(vv.catalog.rp_arm())
    with pytest.raises(UnknownNameError, match="link1"):
        scene.pull("link")
    with pytest.raises(ArgumentError, match="from 0 to"):
        scene.pull(99)
    with pytest.raises(UnknownNameError, match="m1"):
        scene.places(["mass"])
    with pytest.raises(ArgumentError, match="got int"):
        scene_of(3)
    with pytest.raises(ArgumentError, match="formulas without values"):
        scene_of(vv.catalog.rp_arm().symbolic)
