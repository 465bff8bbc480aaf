"""Springs between bodies: ends that meet, what they ask of which joint, what is refused."""

from dataclasses import replace

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.bodies import close, random_tree
from visviva.describe.model.body import WORLD, Spring
from visviva.equations.forces import forces
from visviva.equations.forces.springs import NEAR
from visviva.errors import ArgumentError, UnknownNameError


def slider(rest, damping=0.0):
    """A point on three rails, tied to the origin."""
    b = vv.Builder("slider")
    for k, axis in enumerate("xyz"):
        parent = "xyz"[k - 1] if k else ""
        mass = vv.Inertia.point(1.0) if axis == "z" else None
        b.body(axis, parent=parent, joint="prismatic", axis=axis, joint_name=f"q{k}", inertia=mass)
    rope = Spring("rope", 3.0, rest, damping, frames=("world", "z"), points=(np.zeros(3),) * 2)
    return replace(b.build(), springs=(rope,))


@pytest.mark.spread(9)
@pytest.mark.filterwarnings("ignore::visviva.errors.NotFiniteWarning")  # slopes, below 1e-70
@pytest.mark.parametrize("rest", [0.0, 0.2])
@pytest.mark.parametrize(
    "size", [10.0**-k for k in (1, 3, 8, 12, 15, 30, 100, 139, 141, 300)] + [0]
)
def test_ends_that_meet(rest, size):
    """Values, slopes and dampers stay finite however close the ends are."""
    model = slider(rest, 0.5)
    u = np.array([0.6, 0.0, -0.8])
    q, v = u * size, np.array([0.3, -0.2, 0.5])
    one_point = size * size < NEAR
    push = 0.0 if one_point else 3.0 * (size - rest)
    close(forces.spring_forces(model, q), u * push, 1e-15)
    close([forces.spring_energy(model, q)], [1.5 * (size - rest) ** 2], 1e-15)
    drag = 0.5 * (v if one_point else u * (u @ v))
    close(forces.dissipation_forces(model, q, v), drag, 1e-15)
    K = model.function("gravity_forces").jacobian("q")(q)
    assert np.isfinite(K).all()
    if rest == 0:
        close(K, 3.0 * np.eye(3), 1e-15)
    D = model.dissipation_forces.jacobian("q", "v")(q, v)
    # the direction turns by 1 / size; intermediate numbers by its fourth power
    assert 0 < size < 1e-70 or all(np.isfinite(x).all() for x in D)


def test_a_rope_without_length_is_a_linear_spring():
    """With rest 0 no root is taken: forces are k d."""
    f = vv.function(lambda q: forces.spring_forces(slider(0.0), q), {"q": 3})
    assert "sqrt" not in f.operations
    assert f([1.0, 2.0, -3.0]).tolist() == [3.0, 6.0, -9.0]


def test_springs_are_felt_between_their_ends_only():
    """A spring within a branch asks nothing of the joints that carry the branch."""
    rng = np.random.default_rng(4)
    model = random_tree(rng, 4, ("revolute",))
    chain = [i for i, b in enumerate(model.bodies) if b.parent != WORLD]
    i = chain[-1]
    ends = (f"frame{model.bodies[i].parent}", f"frame{i}")
    rope = Spring("rope", 2.0, 0.1, 0.3, frames=ends, points=tuple(rng.normal(size=(2, 3))))
    tied = replace(model, springs=(rope,))
    q, v = model.random(2), rng.normal(size=4)
    for made in (forces.spring_forces(tied, q), forces.dissipation_forces(tied, q, v)):
        assert made[i] != 0
        assert np.delete(made, i).tolist() == [0.0] * 3


def test_bad_springs():
    model = random_tree(np.random.default_rng(0), 2, ("spherical",))
    q, joint = model.neutral(), model.joint_names[0]

    def sprung(**options):
        return replace(model, springs=(Spring("s", 1.0, 0.0, **options),))

    with pytest.raises(ArgumentError, match="has 3 velocities, and a spring acts on one"):
        forces.spring_forces(sprung(joint=joint), q)
    with pytest.raises(UnknownNameError, match="unknown joint 'knee'"):
        forces.spring_energy(sprung(joint="knee"), q)
    with pytest.raises(ArgumentError, match="needs a joint, or two frames and a point in each"):
        forces.spring_forces(sprung(frames=("body0",), points=(np.zeros(3),)), q)
    ends = {"frames": ("body0", "nowhere"), "points": (np.zeros(3),) * 2}
    with pytest.raises(UnknownNameError, match="unknown frame 'nowhere'"):
        forces.spring_forces(sprung(**ends), q)


def test_springs_to_the_base_when_models_are_cut_and_joined():
    """A spring to the base stays tied to it; where the base is left out, so is the spring."""
    tied = slider(0.1, 0.5)
    both = tied.attached(tied, "z", prefix="h_")
    assert [s.frames for s in both.springs] == [("world", "z"), ("h_slider_base", "h_z")]
    q = np.array([0.3, -0.2, 0.4])
    wanted = np.tile(forces.spring_forces(tied, q), 2)
    close(forces.spring_forces(both, np.tile(q, 2)), wanted)
    part = tied.submodel("x")
    assert part.springs == ()
    assert "rope" in part.notes[-1]
    assert forces.spring_forces(part, q[1:]).tolist() == [0.0, 0.0]
