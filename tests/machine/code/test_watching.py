"""What calls look at: quaternions that are none; single ones: results and conditions of them."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, DoubtfulWarning, NotFiniteWarning

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


# ---- conditions: what is solved for is there


TOLD = "told once for each function"


def is_told(f, *state):
    """Whether a single call says that its result is doubtful, of arrays and of lists alike."""
    said = []
    for given in (list(map(np.array, state)), [np.array(x).tolist() for x in state]):
        f._reasons_told.clear()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            f(*given)
        said.append([x.category for x in caught])
    assert said[0] == said[1]
    return said[0] == [DoubtfulWarning]


def test_whether_a_singular_mass_matrix_is_told_does_not_depend_on_rounding():
    """The top of heavy_top: M's determinant is A² sin² θ (A + C …); pivots there are rounding."""
    top, rng = vv.catalog.heavy_top(), np.random.default_rng(0)
    for _ in range(20):
        phi, psi = rng.uniform(-3, 3, 2)
        for theta, expected in ((0.0, True), (1e-8, True), (1e-4, False), (0.7, False)):
            state = [phi, theta, psi], rng.normal(size=3), rng.normal(size=3)
            assert is_told(top.forward_dynamics, *state) is expected
            for name in ("q", "v", "tau"):
                assert is_told(top.forward_dynamics.jacobian(name), *state) is expected
    f = top.forward_dynamics
    batch = np.zeros((4, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(batch, batch, batch)


def test_small_pivots_are_told_wherever_the_mass_matrix_is_factored():
    """Of random chains whose last body is a point that comes ever nearer to its two axes."""
    rng = np.random.default_rng(1)
    for k in range(4):
        b, parent = vv.Builder(f"chain {k}"), "world"
        for i in range(k):
            axis = rng.normal(size=3)
            b.body(f"b{i}", parent=parent, joint="revolute", axis=axis, inertia=BOX, at=[0.3, 0, 0])
            parent = f"b{i}"
        b.body("turn", parent=parent, joint="revolute", axis="z", at=[0.2, 0.1, 0.0])
        point = vv.Inertia.point(1.0, [0.0, 0.0, 1.0])
        b.body("lift", parent="turn", joint="revolute", axis="x", inertia=point)
        s = b.build()
        q = rng.normal(size=s.nv)
        for lift, expected in ((1.0, False), (1e-4, False)):
            q[-1] = lift
            assert is_told(s.forward_dynamics, q, 0 * q, 0 * q) is expected
            assert is_told(s.mass_matrix_inverse, q) is expected


def test_states_off_the_constraints_are_told_with_the_way_to_mend_them():
    for s in (vv.catalog.four_bar(), vv.catalog.slider_crank(), vv.catalog.knife_edge()):
        q, rng = s.assembled(), np.random.default_rng(2)
        v, tau = s.admitted_velocity(q, rng.normal(size=s.nv)), rng.normal(size=s.nv)
        functions = (
            s.forward_dynamics,
            s.multipliers,
            s.constraint_forces,
            s.actuator_forces,
            *map(s.forward_dynamics.jacobian, ("q", "v", "tau")),
        )
        for f in functions:
            assert not is_told(f, q, v, tau)
            assert not is_told(f, q + 1e-9, v + 1e-9, tau)
            assert is_told(f, q, v + rng.uniform(0.1, 0.2, s.nv), tau)
            if len(s.constraint_error(q)):
                assert is_told(f, q + 0.01, v, tau)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            s.forward_dynamics(q[None], v[None] + 0.1, tau[None])
            s.forward_dynamics(q, v + 0.1, tau, checked=False)
    s = vv.catalog.four_bar()
    with pytest.warns(DoubtfulWarning, match=rf"q violates .* assembled\(q\) is .*{TOLD}"):
        s.forward_dynamics(s.assembled() + 0.1, np.zeros(3), np.zeros(3))


def test_conditions_change_no_bit_of_a_result_and_no_count():
    for s in (vv.catalog.four_bar(), vv.catalog.heavy_top(), vv.catalog.puma560()):
        f = s.forward_dynamics
        bare = replace(f.program, conditions=(), further=())
        plain = vv.function(f.interpret, f.inputs, name="plain")
        plain._program = bare
        q = s.assembled() if s.held_by else np.linspace(0.3, 0.9, s.nv)
        v = s.admitted_velocity(q, q) if s.held_by else q
        assert f.operations == plain.operations
        assert (f(q, v, 0 * v) == plain(q, v, 0 * v)).all()
        many = [np.tile(x, (11, 1)) for x in (q, v, 0 * v)]
        assert (f(*many) == plain(*many)).all()


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


@pytest.mark.parametrize("ask", list(calls(floating())))
def test_batches_refuse_what_single_calls_refuse_and_name_the_row(ask):
    """Of one row, of a whole tile and of the last that is not whole, in whatever layout."""
    model = floating()
    call = calls(model)[ask]
    for rows in (1, 3, 8, 21):
        good = np.array([model.random(k) for k in range(rows)])
        assert np.isfinite(call(good)).all()
        for at in {0, rows // 2, rows - 1}:
            for start in (0, 7):
                bad = good.copy()
                bad[at, start : start + 4] *= 1.5
                row = rf"q\[{start}\] to q\[{start + 3}\] are .* 1\.5 in row \[{at}\] of the batch"
                for given in (bad, np.asfortranarray(bad), bad.tolist()):
                    with pytest.raises(ArgumentError, match=row):
                        call(given)


def test_batches_of_more_axes_threads_and_arrays_to_write_to_are_looked_at():
    model = floating()
    q = np.tile(model.neutral(), (2, 3000, 1))
    f, out = model.gravity_forces, np.empty((2, 3000, 9))
    f(q, out=out, threads=2)
    q[1, 2999, 7:11] = 0.0
    for more in ({}, {"threads": 2}, {"out": out}):
        with pytest.raises(ArgumentError, match=r"length 0 in row \[1, 2999\] of the batch"):
            f(q, **more)


def test_who_measured_says_so_and_is_not_checked():
    model = floating()
    bad = 1.5 * model.neutral()
    for given in (bad, bad.tolist(), np.stack([bad, bad])):
        assert model.gravity_forces(given, checked=False).shape == (*np.shape(given)[:-1], 9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(reciprocal()([0.0, 1.0], checked=False)[0])


def test_nan_is_no_quaternion_that_is_off_and_tracing_is_not_looked_at():
    model = floating()
    assert np.isnan(model.gravity_forces(np.full(11, np.nan))).any()
    assert np.isnan(model.gravity_forces(np.full((3, 11), np.nan))).any()
    inside = vv.function(lambda q: model.gravity_forces(q) * 2.0, {"q": 11})
    assert inside(2 * model.neutral()).shape == (9,)


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
