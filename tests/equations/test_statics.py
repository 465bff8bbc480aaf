"""Virtual work over every scalar, and force systems reduced to a wrench."""

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import close, mp, random_tree
from visviva.equations.dynamics import bias_forces
from visviva.equations.statics import holding_forces, ordered, reduced
from visviva.errors import ArgumentError, ShapeError


@examples(4, 500)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_virtual_work_is_inverse_dynamics_at_rest(seed, size):
    """Jacobians of points against the recursion over the tree, with mpmath's numbers too."""
    rng = np.random.default_rng(seed)
    model = random_tree(rng, size)
    q, W = model.random(rng), rng.normal(size=6)
    frame = str(rng.choice(model.frame_names))
    work = holding_forces(model, q, [(frame, None, W)])
    tau = bias_forces(model, q, np.zeros(model.nv), [(frame, "world", -W)])
    close(work / max(1.0, np.abs(tau).max()), tau / max(1.0, np.abs(tau).max()))
    precise = holding_forces(model, mp(q), [(frame, None, mp(W))])
    close(np.array(precise, dtype=float), work)


def test_it_is_traced_and_compiled():
    arm = vv.catalog.two_link().numeric
    f = vv.function(lambda q, W: holding_forces(arm, q, [("tool", None, W)]), {"q": 2, "W": 6})
    q, W = np.array([0.3, 0.7]), np.array([0, 0, 0.5, 2, -3, 0])
    close(f(q, W), holding_forces(arm, q, [("tool", None, W)]))
    np.testing.assert_allclose(f.jacobian("W")(q, W), arm.jacobian("tool")(q).T, atol=1e-15)


def test_springs_do_their_work():
    b = vv.Builder("sprung", gravity=[0, 0, 0])
    b.body("arm", joint="revolute", axis="z", joint_name="q", mass=1)
    b.frame("end", body="arm", at=[0.5, 0, 0]).frame("post", body="world", at=[0, 1.0, 0])
    b.spring("s", 40.0, 0.3, between=("end", "post"))
    b.spring("k", 2.0, 0.1, joint="q")
    m = b.build().numeric
    x = 0.4
    d = np.array([0.5 * np.cos(x), 0.5 * np.sin(x) - 1.0])
    length = np.hypot(*d)
    along = d @ [-0.5 * np.sin(x), 0.5 * np.cos(x)] / length
    close(holding_forces(m, [x]), [40.0 * (length - 0.3) * along + 2.0 * (x - 0.1)])


def test_wrenches_have_six_numbers_and_an_order():
    arm = vv.catalog.two_link().numeric
    with pytest.raises(ShapeError, match=r"6 numbers; got shape \(3,\)"):
        holding_forces(arm, [0, 0], [("tool", None, [1, 2, 3])])
    assert ordered([1, 2, 3, 4, 5, 6], "force first").tolist() == [4, 5, 6, 1, 2, 3]
    with pytest.raises(ArgumentError, match="'moment first', 'force first'; got 'force'"):
        ordered(np.zeros(6), "force")
    with pytest.raises(ShapeError, match=r"moment has 3 coordinates, got shape \(2,\)"):
        reduced([0, 0, 0], [1, 2], [1, 2, 3])


def test_a_force_system_in_symbols():
    F, M, a = sympy.symbols("F M a", positive=True)
    system = reduced([0, 0, 0], [0, 0, M], [0, F, 0])
    assert sympy.simplify(system.axis_point[0] - M / F) == 0
    assert sympy.simplify(system.about([a, 0, 0]).moment[2] - (M - a * F)) == 0
    assert system.pitch == 0
