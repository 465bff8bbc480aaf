"""The hand does virtual work, and what the account leaves open is the error of the steps."""

import json
from itertools import pairwise

import numpy as np
import pytest

import visviva as vv
from tests.show.laboratory.running import Bench

RIGHT, UP = "[1, 0, 0]", "[0, 1, 0]"


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", ["puma560", "tumbling_body", "four_bar", "spatial_slider_crank"])
def test_pulls_are_virtual_work(name):
    """τ · v is the power of F on a point of a body, whose speed is taken from the pictures."""
    bench = Bench(name)
    scene, s, rng = bench.lab.scene, bench.system, np.random.default_rng(5)
    near, calls, powers = 1e-6, [], []
    for carrier in sorted({*bench.lab.grips} - {0}):
        v, r, F = rng.normal(size=s.nv), rng.normal(size=3), rng.normal(size=3)
        before, after = (scene.at(s.integrate(scene.start, k * near * v)) for k in (-1, 1))
        move = (after - before)[carrier] / (2 * near)
        powers.append((v, F @ (move[:, :3] @ r + move[:, 3])))
        calls.append([carrier, r.tolist(), F.tolist()])
    forces = bench.run(
        f"const tau = new Float64Array({s.nv}); const rows = {json.dumps(calls)}.map(([k, r, F]) =>"
        " { VV.mechanism.pulls[k](m.q, 0, m.p, r, F, tau); return [...tau]; });",
        "rows",
    )
    for tau, (v, power) in zip(forces, powers, strict=True):
        assert np.dot(tau, v) == pytest.approx(power, rel=1e-6, abs=1e-7)


def test_carriers_that_are_one_body_share_a_grip():
    lab = Bench("puma560").lab
    scene = lab.scene
    bodies = len(scene.system.bodies)
    assert lab.grips[: bodies + 1] == tuple(range(bodies + 1))
    for k, name in enumerate(scene.carriers):
        if name.startswith("com:"):
            assert scene.carriers[lab.grips[k]] == name.removeprefix("com:")
    assert {x["name"] for x in lab.as_dict()["tips"]} <= {*scene.system.body_names}


def pulled(bench, more="", seconds=0.8):
    """A hand that takes the last link by its tip and moves; then the account."""
    steps = round(seconds / bench.data["dt"])
    tip = bench.data["tips"][-1]
    return bench.run(
        f"const X = m.places()[{tip['carrier'] - 1}], r = {json.dumps(tip['point'])};"
        "const at = X.map((x) => x[0] * r[0] + x[1] * r[1] + x[2] * r[2] + x[3]);"
        f"{more} m.grab({tip['carrier']}, at, [{RIGHT}, {UP}]);"
        f"for (let k = 0; k < {steps}; k++) {{"
        f"  m.hand.target = [at[0] - 0.3, at[1] - 0.2, at[2]]; m.step(); }}",
        "{ error: m.error(), work: m.work, force: m.grip(), at, energy: m.energy, first: m.first,"
        " hand: m.hand }",
    )


@pytest.mark.spread(1)
@pytest.mark.parametrize("name", ["two_link", "four_bar"])
def test_the_account_closes_with_the_order_of_the_steps(name):
    """Steps of half the length leave a sixteenth open: they are of fourth order."""
    open_ = []
    for dt in (4e-3, 2e-3, 1e-3):
        told = pulled(Bench(name, dt=dt), "m.damping = 0.5;")
        open_.append(abs(told["error"]))
        work = told["work"]
        assert work["friction"] < 0 < abs(work["hand"])
        change = told["energy"] - told["first"]
        assert change == pytest.approx(work["hand"] + work["friction"], abs=abs(told["error"]) * 2)
    for longer, shorter in pairwise(open_):
        assert 14 < longer / shorter < 18
    assert open_[2] < 1e-7


def test_the_hand_draws_the_point_towards_the_pointer():
    told = pulled(Bench("two_link"), "m.damping = 3;", seconds=4.0)
    target = np.array(told["at"]) - [0.3, 0.2, 0.0]
    left = np.linalg.norm(target - told["force"]["point"])
    assert left < 0.15 < 0.36  # where it began
    drawn = told["hand"]["k"] * (target - told["force"]["point"])
    np.testing.assert_allclose(told["force"]["force"], drawn, atol=0.2)


def test_the_spring_of_the_hand_fits_what_it_holds():
    """Not so weak that it cannot lift, nor so stiff that the step cannot follow."""
    for name in ("two_link", "puma560", "cart_pole"):
        bench = Bench(name)
        told = pulled(bench, seconds=0.3)
        assert 0 < told["hand"]["k"] < np.inf
        assert told["force"]["size"] < 1e4
        assert abs(told["error"]) < 1e-3 * (1 + abs(told["work"]["hand"]))


def test_what_cannot_move_is_not_taken():
    """A slide along x is not taken upwards, and what stands still not at all."""
    b = vv.Builder("slide", gravity=(0.0, 0.0, 0.0))
    b.body("cart", joint="prismatic", axis="x", mass=1.0)
    bench = Bench(b.build())
    grabs = [f"m.grab({k}, [0, 0, 0], {plane})" for k, plane in (
        (0, f"[{RIGHT}, {UP}]"), (1, f"[{UP}, [0, 0, 1]]"), (1, f"[{RIGHT}, {UP}]"))]  # fmt: skip
    took = bench.run("", f"[{', '.join(f'Boolean({x})' for x in grabs)}]")
    assert took == [False, False, True]


def test_a_push_sets_in_motion_and_ends():
    bench = Bench("two_link")
    told = bench.run(
        f"m.p.fill(0, {bench.lab.parameters.index('a_g')}, 1); m.v.fill(0); m.open();"
        f"const done = m.pushAt(2, [0.9, 0.5, 0], {UP}, 0.2);"
        "for (let k = 0; k < 400; k++) m.step();",
        "{ done, left: m.push, work: m.work.hand, error: m.error(), kinetic: m.kinetic }",
    )
    assert told["done"]
    assert told["left"] is None
    assert told["work"] == pytest.approx(told["kinetic"], rel=1e-6)
    assert told["kinetic"] > 0.1


def test_sliders_and_stops_are_booked():
    bench = Bench("puma560")
    arm = bench.system
    told = bench.run(
        f"for (let k = 0; k < 100; k++) m.step(); m.set({bench.lab.parameters.index('m2')}, 30);"
        "m.stopped = true; for (let k = 0; k < 2000; k++) m.step();",
        "{ error: m.error(), work: m.work, q: [...m.q], energy: m.energy }",
    )
    assert abs(told["work"]["sliders"]) > 1.0
    assert told["work"]["impacts"] < 0
    assert abs(told["error"]) < 1e-6 * abs(told["energy"])
    assert (np.array(told["q"]) <= arm.upper + 1e-9).all()
    assert (np.array(told["q"]) >= arm.lower - 1e-9).all()


def test_closed_loops_follow_a_slider():
    bench = Bench("four_bar")
    linkage = bench.system
    start, names = bench.data["q"][0], bench.lab.parameters
    told = bench.run(
        f"const done = m.place(0, {start + 2.0}); const q = [...m.q];"
        f"const length = m.set({names.index('l3')}, 0.25); const after = [...m.q];"
        f"const far = m.set({names.index('l0')}, 1.9);",
        "{ done, q, length, after, far, last: [...m.q], v: [...m.v], p: [...m.p] }",
    )
    assert told["done"]
    wanted = linkage.tracked(bench.data["q"], "theta1", [start + 2.0])[-1]
    np.testing.assert_allclose(told["q"], wanted, atol=1e-9)
    assert told["length"]
    shorter = linkage.with_parameters(l3=0.25)
    np.testing.assert_allclose(shorter.constraint_error(told["after"]), 0.0, atol=1e-10)
    assert not told["far"]  # 1.9 > l1 + l2 + l3: it does not reach, and all stays as it was
    np.testing.assert_array_equal(told["last"], told["after"])
    assert told["p"][names.index("l0")] == 1.0


def test_a_loop_goes_no_further_than_it_can():
    """A rocker has an end; there it stays closed."""
    bench = Bench("four_bar")
    linkage = bench.system
    told = bench.run("const done = m.place(2, m.q[2] + 3);", "{ done, q: [...m.q] }")
    assert not told["done"]
    np.testing.assert_allclose(linkage.constraint_error(told["q"]), 0.0, atol=1e-9)
