"""Linkages: closed, moved and compared with the coordinate that is left."""

import numpy as np
import pytest
from mpmath import mp

import visviva as vv
from tests.support.generators.held import Numbers, admitted_basis, closed, held, state
from visviva.errors import ArgumentError
from visviva.space import about_axis


def direction(angle):
    return np.array([mp.cos(angle), mp.sin(angle)])


def four_bar_angles(p, crank):
    """Coupler and rocker by the closure of the loop: circles about B and D meet above BD."""
    B = p["l1"] * direction(crank)
    way = np.array([p["l0"], mp.mpf(0)]) - B
    d2 = way @ way
    x = (d2 + p["l2"] ** 2 - p["l3"] ** 2) / (2 * d2)
    y = mp.sqrt(p["l2"] ** 2 / d2 - x**2)
    C = x * way + y * np.array([-way[1], way[0]])  # from B
    D = C - way  # from D to C
    return mp.atan2(C[1], C[0]), mp.atan2(D[1], D[0])


def reduced(position, parts, angle, rate, tau):
    """q, v, a of the one freedom by the energy of what moves; nothing of ours but formulas.

    `position` takes the angle to all coordinates, `parts` these to (mass, moment, x, y, turn) of
    all bodies, one after the other; derivatives by the angle are mpmath's.
    """

    def slopes(f):
        count = len(f(mp.mpf(angle)))
        rows = [mp.taylor(lambda x, i=i: f(x)[i], angle, 2) for i in range(count)]
        return np.array(rows, dtype=float).T * [[1.0], [1.0], [2.0]]

    with mp.workdps(40):
        q, J, dJ = slopes(position)
        bodies = slopes(lambda x: parts(position(x))).reshape(3, -1, 5)
    m, moment = bodies[0][:, 0], bodies[0][:, 1]
    S, dS = bodies[1][:, 2:], bodies[2][:, 2:]
    weight = np.stack([m, m, moment], axis=1)
    inertia = (weight * S * S).sum()
    pull = 9.81 * (m * S[:, 1]).sum()
    a = (tau @ J - pull - (weight * S * dS).sum() * rate**2) / inertia
    return q, J * rate, J * a + dJ * rate**2


def moves_as_reduced(s, q, v, a, tau):
    np.testing.assert_allclose(s.constraint_error(q), 0, atol=1e-14)
    np.testing.assert_allclose(s.constraint_velocity(q, v), 0, atol=1e-13)
    scale = 1 + np.abs(a).max()
    np.testing.assert_allclose(s.forward_dynamics(q, v, tau), a, atol=1e-12 * scale)
    forces = s.mass_matrix(q) @ a + s.bias_forces(q, v) - tau
    np.testing.assert_allclose(s.constraint_forces(q, v, tau), forces, atol=1e-12 * scale)


FOUR = {"l0": 1.0, "l1": 0.4, "l2": 0.9, "l3": 0.7, "m1": 0.5, "m2": 1.2, "m3": 0.9,
        "I1": 0.01, "I2": 0.08, "I3": 0.04}  # fmt: skip


def four_bar_position(crank):
    coupler, rocker = four_bar_angles(FOUR, crank)
    return [crank, coupler - crank, rocker]


def four_bar_parts(q):
    p, turns = FOUR, (q[0], q[0] + q[1], q[2])
    e1, e2, e3 = map(direction, turns)
    ground = np.array([p["l0"], mp.mpf(0)])
    centers = (e1 * p["l1"] / 2, e1 * p["l1"] + e2 * p["l2"] / 2, ground + e3 * p["l3"] / 2)
    bodies = zip("123", centers, turns, strict=True)
    return [x for k, c, t in bodies for x in (p[f"m{k}"], p[f"I{k}"], *c, t)]


@pytest.mark.parametrize(("crank", "rate"), [(1.0, 2.0), (0.6, -1.5), (1.9, 0.4)])
def test_C94_four_bar_moves_as_its_crank_angle_says(crank, rate):
    """Accelerations and constraint forces against one equation in the crank's angle."""
    tau = np.array([0.7, -0.2, 0.4])
    motion = reduced(four_bar_position, four_bar_parts, crank, rate, tau)
    moves_as_reduced(vv.catalog.four_bar(**FOUR), *motion, tau)


CRANK = {"l1": 0.1, "l2": 0.35, "m1": 0.8, "m2": 0.6, "m3": 0.5, "I1": 0.002, "I2": 0.007}


def slider_position(crank):
    rod = -mp.asin(CRANK["l1"] * mp.sin(crank) / CRANK["l2"])
    return [crank, rod - crank, CRANK["l1"] * mp.cos(crank) + CRANK["l2"] * mp.cos(rod)]


def slider_parts(q):
    p, t1, t2 = CRANK, q[0], q[0] + q[1]
    one, two = direction(t1), direction(t2)
    crank = [p["m1"], p["I1"], *(one * p["l1"] / 2), t1]
    rod = [p["m2"], p["I2"], *(one * p["l1"] + two * p["l2"] / 2), t2]
    return [*crank, *rod, p["m3"], 0.0, q[2], 0.0, 0.0]


@pytest.mark.parametrize(("crank", "rate"), [(0.8, 3.0), (2.4, -5.0), (-1.3, 1.0)])
def test_C94_slider_crank_moves_as_its_crank_angle_says(crank, rate):
    tau = np.array([0.3, 0.0, -2.0])
    motion = reduced(slider_position, slider_parts, crank, rate, tau)
    moves_as_reduced(vv.catalog.slider_crank(**CRANK), *motion, tau)


def test_C94_cranks_and_rows_of_four_bars_move_as_their_one_angle_says():
    """Bars do not turn: I θ̈ = Σ ± τ - g cos θ (…), although most rows are redundant."""
    p = {"l": 0.5, "m1": 0.6, "m2": 1.5, "I1": 0.0125}
    rod, m, g = 0.8, 1.1, 9.81
    cases = [
        (
            vv.catalog.parallel_cranks(**p),
            3 * (p["I1"] + p["m1"] * p["l"] ** 2 / 4) + p["m2"] * p["l"] ** 2,
            3 * p["m1"] * p["l"] / 2 + p["m2"] * p["l"],
            np.array([1, -1, 1, 1]),
        ),
        *(
            (
                vv.catalog.n_four_bar(n=n, l=rod, m=m),
                (n + 1) * m * rod**2 / 3 + n * m * rod**2,
                (n + 1) * m * rod / 2 + n * m * rod,
                np.array([1, -1] * n + [1]),
            )
            for n in (1, 3)
        ),
    ]
    for s, inertia, lever, way in cases:
        tau = np.linspace(-1.0, 2.0, s.nv)
        angle, rate = 1.1, 0.7
        a = (way @ tau - g * lever * np.cos(angle)) / inertia
        moves_as_reduced(s, angle * way, rate * way, a * way, tau)


def freedoms(key, seed=0, away=0.25):
    numbers, q, _, _ = state(key, seed, away)
    return admitted_basis(numbers.matrix(q))[0].shape[1]


def test_S47_four_bar_has_one_freedom():
    """Four links, four hinges: 3 (4 - 1 - 4) + 4 = 1, and so many motions does it admit."""
    s = vv.catalog.four_bar()
    links, hinges = 1 + len(s.bodies), len(s.bodies) + len(s.loops)
    assert (links, hinges) == (4, 4)
    assert 3 * (links - 1 - hinges) + hinges == 1 == freedoms("four_bar")


def test_S48_parallel_cranks_move_along_their_whole_way_though_counted_rigid():
    """Five bodies, six hinges: 3 (5 - 1 - 6) + 6 = 0; the rank is one less, wherever it goes."""
    s = held("parallel_cranks")
    links, hinges = 1 + len(s.bodies), len(s.bodies) + len(s.loops)
    assert 3 * (links - 1 - hinges) + hinges == 0
    numbers = Numbers(s)
    for angle in np.linspace(0.1, 6.2, 17):
        q = np.array([angle, -angle, angle, angle])
        np.testing.assert_allclose(numbers.error(q), 0, atol=1e-14)
        assert admitted_basis(numbers.matrix(q))[0].shape[1] == 1
    generic = vv.catalog.parallel_cranks(generic=True).numeric
    A = Numbers(generic).matrix(generic.keyframes["assembled"])
    assert admitted_basis(A)[0].shape[1] == 0


@pytest.mark.parametrize(("key", "wanted"), [
    ("five_bar", 2), ("n_four_bar", 1), ("andrews", 1), ("delta", 3), ("bennett", 1),
    ("bricard", 1), ("spatial_slider_crank", 1), ("flyball_governor", 2), ("bird_leg", 3),
])  # fmt: skip
def test_C94_loops_keep_their_freedoms_away_from_where_they_were_assembled(key, wanted):
    """Overconstrained ones too: Bennett and Bricard move on, not only at first order."""
    away = 0.02 if key == "andrews" else 0.3
    assert [freedoms(key, seed, away) for seed in (1, 2)] == [wanted, wanted]


def test_C94_the_platform_of_a_delta_stays_level():
    _, q, v, _ = state("delta", 5)
    np.testing.assert_allclose(q[:3], 0, atol=1e-12)  # of its quaternion
    np.testing.assert_allclose(v[:3], 0, atol=1e-12)


def test_C94_a_governor_holds_its_balls_where_gravity_and_turning_agree():
    """Equal rods: (m l cos φ) Ω² = (m + M + m2 …) g; by virtual work with massless lower links."""
    p = {"l": 0.25, "m": 1.2, "M": 3.0, "m2": 1e-9}
    s = vv.catalog.flyball_governor(**p)
    out = np.pi / 4
    q = np.array(s.keyframes["assembled"])
    turn = np.sqrt((p["m"] + p["M"]) * 9.81 / (p["m"] * p["l"] * np.cos(out)))
    v = np.zeros(6)
    v[0] = turn
    a = s.forward_dynamics(q, v, np.zeros(6))
    np.testing.assert_allclose(a, 0, atol=1e-6)  # the links weigh a little


PUBLISHED = {
    "beta": -0.0617138900142764496358948458001,
    "Theta": 0.0,
    "gamma": 0.455279819163070380255912382449,
    "Phi": 0.222668390165885884674473185609,
    "delta": 0.487364979543842550225598953530,
    "Omega": -0.222668390165885884674473185609,
    "epsilon": 1.23054744454982119249735015568,
}


def test_C94_andrews_squeezer_begins_as_published():
    """Hairer and Wanner: accelerations and multipliers at the start, mom = 0.033 on beta."""
    s = vv.catalog.andrews().numeric
    numbers = Numbers(s)
    q = np.array(s.keyframes["assembled"])
    names = list(s.joint_names)
    angle = dict(zip(names, q, strict=True))
    assert angle == pytest.approx(PUBLISHED, abs=1e-14)
    p = vv.catalog.andrews().parameters
    b, bt = angle["beta"], angle["beta"] + angle["Theta"]
    x = p["rr"] * np.cos(b) - p["d"] * np.cos(bt)
    y = p["rr"] * np.sin(b) - p["d"] * np.sin(bt)
    pd, oe = angle["Phi"] + angle["delta"], angle["Omega"] + angle["epsilon"]
    rows = [
        x - p["ss"] * np.sin(angle["gamma"]) - p["xb"],
        y + p["ss"] * np.cos(angle["gamma"]) - p["yb"],
        x - p["e"] * np.sin(pd) - p["zt"] * np.cos(angle["delta"]) - p["xa"],
        y + p["e"] * np.cos(pd) - p["zt"] * np.sin(angle["delta"]) - p["ya"],
        x - p["zf"] * np.cos(oe) - p["u"] * np.sin(angle["epsilon"]) - p["xa"],
        y - p["zf"] * np.sin(oe) + p["u"] * np.cos(angle["epsilon"]) - p["ya"],
    ]
    np.testing.assert_allclose(rows, 0, atol=1e-15)
    tau = np.zeros(7)
    tau[names.index("beta")] = 0.033
    a = dict(zip(names, numbers.motion("forward_dynamics", q, np.zeros(7), tau), strict=True))
    np.testing.assert_allclose(a["beta"], 14222.4439199541138705911625887, rtol=1e-12)
    np.testing.assert_allclose(a["Theta"], -10666.8329399655854029433719415, rtol=1e-12)
    np.testing.assert_allclose([a[k] for k in names[2:]], 0, atol=1e-8)
    lam = numbers.motion("multipliers", q, np.zeros(7), tau)
    force = about_axis([0.0, 0.0, 1.0], angle["gamma"]) @ [*lam[2:4], 0.0]  # from axes of K3
    published = [98.5668703962410896057654982170, -6.12268834425566265503114393122]
    np.testing.assert_allclose(np.abs(force[:2]), np.abs(published), rtol=1e-11)
    np.testing.assert_allclose(lam[5:], 0, atol=1e-11)


def test_C94_andrews_squeezer_closes_with_other_lengths_too():
    s = vv.catalog.andrews(d=0.03, zt=0.042, ss=0.036).numeric
    np.testing.assert_allclose(Numbers(s).error(s.keyframes["assembled"]), 0, atol=1e-15)
    with pytest.raises(ArgumentError, match=r"andrews cannot be .*: links of 0.028 and 0.5 do not"):
        vv.catalog.andrews(ss=0.5)


def test_C94_a_position_that_is_off_is_led_back_to_the_loop():
    numbers = Numbers(held("four_bar"))
    q = closed(numbers, numbers.system.keyframes["assembled"] + np.array([0.2, -0.1, 0.15]))
    np.testing.assert_allclose(numbers.error(q), 0, atol=1e-14)
    rocker = four_bar_angles(numbers_of("four_bar"), q[0])[1]
    np.testing.assert_allclose(np.cos(q[2] - float(rocker)), 1.0, atol=1e-12)


def numbers_of(name):
    return dict(vv.catalog.build(name).parameters)
