"""What single calls look at: quaternions that are none, and results that are not finite."""

import warnings

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, NotFiniteWarning

BOX = vv.Inertia.box(1.0, x=0.1, y=0.2, z=0.3)


def reciprocal():
    return vv.function(lambda x: 1.0 / x, {"x": 2}, name="reciprocal")


@pytest.mark.parametrize("given", [np.array([0.0, 2.0]), [0.0, 2.0]], ids=["array", "list"])
def test_a_result_that_is_not_finite_is_told_once_with_the_reason(given):
    f = reciprocal()
    f(np.ones(2))
    with pytest.warns(NotFiniteWarning, match=r"reciprocal: .* \(1 / 0\) is inf") as told:
        assert f(given).tolist() == [np.inf, 0.5]
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(given).tolist() == [np.inf, 0.5]
        assert reciprocal()(np.ones(2)).tolist() == [1.0, 1.0]


def test_the_very_first_call_tells_too_and_so_does_one_with_out():
    with pytest.warns(NotFiniteWarning, match="is inf"):
        reciprocal()(np.zeros(2))
    out = np.empty(2)
    with pytest.warns(NotFiniteWarning, match="is inf"):
        reciprocal()(np.zeros(2), out=out)
    assert np.isinf(out).all()


def test_nothing_is_told_of_batches_nor_of_arguments_that_are_not_finite():
    f = reciprocal()
    f(np.ones(2))
    assert np.isinf(f(np.zeros((3, 2)))).all()
    assert np.isnan(f(np.full(2, np.nan))).all()
    assert f(np.full(2, np.inf)).tolist() == [0.0, 0.0]


def test_large_finite_results_are_not_suspected():
    """Their sum is infinite, and is looked at a second time."""
    f = vv.function(lambda x: x * 1e308, {"x": 4})
    f(np.ones(4))
    assert f(np.ones(4)).tolist() == [1e308] * 4


@pytest.mark.parametrize("n", [16, 17, 30])
def test_results_of_any_size_are_looked_at(n):
    f = vv.function(lambda x: (np.outer(x, 1.0 / x), x[0]), {"x": n}, name="large")
    f(np.ones(n))
    x = np.ones(n)
    x[-1] = 0.0
    with pytest.warns(NotFiniteWarning, match=r"\(1 / 0\) is inf"):
        y, first = f(x)
    assert first == 1.0
    assert np.isinf(y[0, -1])


def test_euler_angles_at_their_singularity_are_the_reason():
    body = vv.catalog.euler_body()
    f, one = body.forward_dynamics, np.ones(3)
    assert np.isfinite(f([0.3, 0.2, 0.1], one, one)).all()
    with pytest.warns(NotFiniteWarning, match=r"singular here .* of q1, q2 in the ratio 1 : -1"):
        f(np.array([0.3, 0.2, 0.0]), one, one)


def test_a_mechanism_at_a_singular_position_names_the_motion():
    b = vv.Builder("crane").body("turn", joint="revolute", axis="z", joint_name="turn")
    point = vv.Inertia.point(1.0, [0.0, 0.0, 1.0])
    b.body("lift", parent="turn", joint="revolute", axis="x", inertia=point, joint_name="lift")
    crane = b.build()
    with pytest.warns(NotFiniteWarning, match="no inertia resists the motion of turn alone"):
        crane.forward_dynamics(np.zeros(2), np.zeros(2), np.ones(2))
    with pytest.warns(NotFiniteWarning, match="no inertia resists the motion of turn alone"):
        crane.mass_matrix_inverse(np.zeros(2))


# ---- quaternions


def floating():
    b = vv.Builder("floating").body("base", joint="free", inertia=BOX)
    return b.body("ball", parent="base", joint="spherical", at=[1.0, 0, 0], inertia=BOX).build()


def calls(model):
    still = np.zeros(model.nv)
    return {
        "inverse_dynamics": lambda q: model.inverse_dynamics(q, still, still),
        "mass_matrix": lambda q: model.mass_matrix(q),
        "jacobian": lambda q: model.inverse_dynamics.jacobian("v")(q, still, still),
        "pose": lambda q: model.pose("ball")(q),
        "by name": lambda q: model.gravity_forces(q=q),
    }


@pytest.mark.parametrize("ask", list(calls(floating())))
def test_single_calls_refuse_quaternions_off_unit_length(ask):
    model = floating()
    call = calls(model)[ask]
    good = model.random(0)
    call(good)
    for start in (0, 7):
        for k in (1 + 1e-4, 1 + 3e-6, 1 - 3e-6, 0.0):
            bad = good.copy()
            bad[start : start + 4] *= k
            with pytest.raises(ArgumentError, match=rf"q\[{start}\] to q\[{start + 3}\] are"):
                call(bad)
        near = good.copy()
        near[start : start + 4] *= 1 + 5e-7  # as files and float32 round
        call(near)


def test_pinocchios_order_is_recognised():
    model = floating()
    q = model.neutral()
    q[:7] = [0.3, -0.2, 0.9, 0.0, 0.6, 0.0, 0.8]  # position, then the quaternion
    for given in (q, q.tolist()):
        with pytest.raises(
            ArgumentError, match=r"Pinocchio's order, position first\? Here the q"
        ) as caught:
            model.gravity_forces(given)
        line = str(caught.value).partition("the velocity: q is ")[2].partition(", v is")[0]
        ours = eval(line, {"np": np, "q": q})
        assert ours[:7].tolist() == [0.0, 0.6, 0.0, 0.8, 0.3, -0.2, 0.9]
        model.gravity_forces(ours)
    with pytest.raises(ArgumentError, match=r"got length 2; neutral\(\), q\(\), random\(\)"):
        model.gravity_forces(2 * model.neutral())


def test_batches_nan_and_tracing_are_not_looked_at():
    model = floating()
    bad = 2 * model.neutral()
    model.gravity_forces(model.neutral())
    assert model.gravity_forces(np.stack([bad, bad])).shape == (2, 9)
    assert np.isnan(model.gravity_forces(np.full(11, np.nan))).any()
    inside = vv.function(lambda q: model.gravity_forces(q) * 2.0, {"q": 11})
    assert inside(bad).shape == (9,)


def test_code_from_the_cache_looks_too():
    first, again = floating(), floating()
    first.gravity_forces(first.neutral())
    f = again.gravity_forces
    assert f.kernel.from_cache
    f(again.neutral())
    with pytest.raises(ArgumentError, match="are a quaternion"):
        f(2 * again.neutral())


def test_a_ball_and_an_input_that_only_looks_like_one_do_not_share_code():
    """The same operations, with and without a look at four of the numbers."""
    ball = vv.Builder("ball").body("b", joint="spherical", inertia=BOX).build()
    f = ball.gravity_forces
    plain = vv.function(f.interpret, {"q": 4}, name="gravity_forces")
    assert plain(np.zeros(4)).shape == (3,)
    with pytest.raises(ArgumentError, match="are a quaternion"):
        f(np.zeros(4))
