"""What names the machine code of a model: every number of it, in every process."""

import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from tests.support.oracles import oracle
from tests.support.oracles.laws import agree, changed, some
from tests.support.oracles.oracle import mechanism, off
from tests.support.tools import importing
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.joints.axis import Prismatic, Revolute
from visviva.describe.values import digest
from visviva.equations.dynamics import inverse_dynamics


def nudged(x):
    """The next number; of an array, with one entry moved."""
    if np.ndim(x) == 0:
        return float(np.nextafter(x, np.inf))
    other = x.copy()
    other.flat[-1] = nudged(other.flat[-1])
    return other


def numbers_of(model):
    """The same model with one number moved by its last bit, for each kind of number."""

    def body(k, **changes):
        bodies = list(model.bodies)
        bodies[k] = replace(bodies[k], **changes)
        return replace(model, bodies=tuple(bodies))

    for k, b in enumerate(model.bodies):
        for x in ("mass", "com", "tensor"):
            old = {name: getattr(b.inertia, name) for name in ("mass", "com", "tensor")}
            other = Inertia(**{**old, x: nudged(old[x])}, checked=False)
            yield f"{x} of {b.name}", body(k, inertia=other)
        for x in oracle.PER_VELOCITY:
            yield f"{x} of {b.joint_name}", body(k, **{x: nudged(getattr(b, x))})
        for x in ("R", "p"):
            other = replace(b.placement, **{x: nudged(getattr(b.placement, x))})
            yield f"{x} of {b.name}", body(k, placement=other)
        for x in ("axis", "pitch", "second", "normal"):
            old = getattr(b.joint, x, None)
            if old is not None:  # an axis of one bit more has no longer length one
                other = nudged(old) if x == "pitch" else np.roll(old, 1)
                yield f"{x} of {b.joint_name}", body(k, joint=replace(b.joint, **{x: other}))
        for x in ("multiplier", "offset") if b.mimic else ():
            other = replace(b.mimic, **{x: nudged(getattr(b.mimic, x))})
            yield f"{x} of {b.joint_name}", body(k, mimic=other)
    for k, s in enumerate(model.springs):
        for x in ("stiffness", "rest", "damping", "points"):
            old = getattr(s, x)
            if x == "points" and not old:
                continue
            other = (old[0], nudged(old[1])) if x == "points" else nudged(old)
            springs = list(model.springs)
            springs[k] = replace(s, **{x: other})
            yield f"{x} of {s.name}", replace(model, springs=tuple(springs))
    for k, frame in enumerate(model.frames):
        frames = list(model.frames)
        frames[k] = replace(frame, placement=replace(frame.placement, p=nudged(frame.placement.p)))
        yield f"place of {frame.name}", replace(model, frames=tuple(frames))
    yield "gravity", replace(model, gravity=nudged(model.gravity))
    k, hinge = next((k, b) for k, b in enumerate(model.bodies) if type(b.joint) is Revolute)
    yield "type of joint", body(k, joint=Prismatic(hinge.joint.axis))
    yield "parent", body(len(model.bodies) - 1, parent=0)
    (one, two), rest = model.frames[:2], model.frames[2:]
    swapped = replace(one, name=two.name), replace(two, name=one.name)
    yield "names of frames", replace(model, frames=(*swapped, *rest))
    rope = model.springs[-1]
    turned = replace(rope, frames=rope.frames[::-1])
    yield "ends of a spring", replace(model, springs=(*model.springs[:-1], turned))


def varied():
    """A model with every kind of number."""
    for seed in range(200):
        model = mechanism(np.random.default_rng(seed), 7)
        kinds = {type(b.joint).__name__ for b in model.bodies}
        wanted = {"Revolute", "Helical", "Universal", "Planar"}
        if wanted <= kinds and any(b.mimic for b in model.bodies) and model.bodies[-1].parent:
            return model
    raise AssertionError


def test_models_that_differ_in_one_number_do_not_share_code():
    model = varied()
    kinds, digests = set(), {digest(model)}
    for what, other in numbers_of(model):
        assert other.inverse_dynamics.key != model.inverse_dynamics.key, what
        assert digest(other) not in digests, what
        digests.add(digest(other))
        kinds.add(what.partition(" of ")[0])
    assert len(kinds) >= 23
    again = varied()
    assert again is not model
    assert digest(again) == digest(model)


def test_nearly_equal_models_give_their_own_numbers(tmp_path, monkeypatch):
    """From a cold and from a filled cache."""
    monkeypatch.setenv("VISVIVA_CACHE", str(tmp_path / "cache"))
    model, _, (q, v, a) = some(2, 2)
    other = changed(model, "m_body0", 1.0)
    for _ in range(2):
        for m in (model, other):
            fresh = pickle.loads(pickle.dumps(m))
            agree(fresh.inverse_dynamics(q, v, a), inverse_dynamics(m, q, v, a))
    assert fresh.inverse_dynamics.kernel.from_cache
    assert off(model.inverse_dynamics(q, v, a), other.inverse_dynamics(q, v, a)) > 1e-3


SCRIPT = """
import sys
import numpy as np
from tests.support.oracles.oracle import mechanism
model = mechanism(np.random.default_rng(8), 3)
f = [model.inverse_dynamics, model.inverse_dynamics.jacobian("q"), model.jacobian("frame1")]
f.append(model.function("forward_dynamics", parameters=["m_body1"], wrenches=["frame0"]))
print([g.kernel.from_cache for g in f], [g._program is None for g in f])
"""


@pytest.mark.spread(0)
def test_another_process_finds_the_code(tmp_path):
    """Without tracing: the key is made of the model's numbers and the request."""
    env = importing() | {"VISVIVA_CACHE": str(tmp_path / "cache")}
    said = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True, check=True
        ).stdout.strip()
        for _ in range(2)
    ]
    assert said[0].startswith("[False, False, False, False]")
    assert said[1] == "[True, True, True, True] [True, True, True, True]"
