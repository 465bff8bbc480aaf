"""Derivations of J and of statics against numbers, printed ones and those of the engine."""

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from visviva.judge.derive.statics import LOAD_SYMBOLS
from visviva.judge.exact.model import frame_of_tip

ARM = vv.catalog.two_link()
q1, q2, L1, L2, a_g, v_x, v_y, F1, F2 = sympy.symbols("q1 q2 L1 L2 a_g v_x v_y F1 F2")


def test_the_numbers_of_the_source():
    """l = (1, 0.8) at q = (0.3, 0.7): rates for v = (0.1, 0.2), torques for F = (2, -3)."""
    at = {L1: 1, L2: 0.8, q1: 0.3, q2: 0.7, v_x: 0.1, v_y: 0.2, F1: 2, F2: -3, a_g: 0}
    way, held = ARM.derivation("jacobian"), ARM.derivation("statics")
    rates = [float(way[name].subs(at)) for name in ("q̇₁", "q̇₂")]
    np.testing.assert_allclose(rates, [0.34510761, -0.64515698], atol=5e-9)  # as printed
    torques = np.array(held["τ"].subs(at), float).ravel()
    np.testing.assert_allclose(torques, [-6.10012899, -2.64307911], atol=5e-9)


@pytest.mark.spread(1)
@pytest.mark.parametrize("name", ["two_link", "rpr_arm", "spatial_3r"])
def test_what_is_written_is_identical_where_it_is_typed(name):
    """Another reader and another road: lines as a person copies them, judged by `check`."""
    m, judged = vv.catalog.build(name), []
    for method in ("jacobian", "statics"):
        for e in m.derivation(method).equations:
            if e.name in ("x_e", "z_e", "φ_e", "ẏ_e", "det J", "q̇₂", "τ₁", "τ₂", "τ₃"):
                line = f"{e.name} = {str(e).split(' = ')[-1]}"
                judged.append(m.check(line, shorthand=True).status)
    assert len(judged) >= 6
    assert set(judged) == {"identical"}


@pytest.mark.spread(4)
@pytest.mark.parametrize(
    ("name", "frame"),
    [("two_link", ""), ("two_link", "link1"), ("planar_3r", ""), ("planar_3r", "link2"),
     ("rpr_arm", ""), ("scara", ""), ("craig_6_5", ""), ("acrobot", "")],
)  # fmt: skip
def test_torques_are_those_of_statics_at_positions(name, frame):
    """The engine of floats, which balances links by spatial wrenches."""
    m, rng = vv.catalog.build(name), np.random.default_rng(3)
    steps = m.derivation("statics", frame=frame)
    tip = frame or frame_of_tip(m)
    values = dict(zip(LOAD_SYMBOLS, rng.normal(size=6), strict=True))
    used = {x.name for x in steps["τ"].free_symbols}
    load = [values[x] if x in used else 0.0 for x in LOAD_SYMBOLS]
    q = rng.normal(size=m.nq)
    at = {**m.parameters, **values, **dict(zip(m.coordinate_names, q, strict=True))}
    found = np.array(steps["τ"].subs(at), float).ravel()
    wrench = {tip: {"force": load[:3], "moment": load[3:]}}
    np.testing.assert_allclose(
        found, m.statics(q, wrench, actuated=m.joint_names).torques, rtol=1e-12, atol=1e-12
    )


def some_chain(seed):
    """One to four hinges and slides, three of four times in a plane; a frame on any link."""
    rng = np.random.default_rng(seed)
    flat = rng.choice(["", *"xyz"])
    b = vv.Builder("arm", gravity=rng.choice([0, 3, -9.81], size=3).tolist())

    def somewhere():
        at = rng.choice([0, 0.3, -0.5, 1], size=3)
        return [0.0 if k == flat else float(x) for k, x in zip("xyz", at, strict=True)]

    n = int(rng.integers(1, 5))
    for i in range(n):
        turns = rng.random() < 0.7
        axes = [k for k in "xyz" if not flat or turns == (k == flat)]
        b.body(f"b{i}", joint="revolute" if turns else "prismatic", mass=float(rng.integers(1, 4)),
               axis=str(rng.choice(["", "-"]) + rng.choice(axes)), joint_name=f"q{i + 1}",
               com=somewhere(), at=somewhere(), parent=f"b{i - 1}" if i else "world")  # fmt: skip
    b.frame("hand", body=f"b{rng.integers(n)}", at=somewhere())
    return b.spring("k", 3.0, 0.1, joint="q1").build() if rng.random() < 0.3 else b.build()


@examples(4, 1000)
@given(st.integers(0, 2**32 - 1))
def test_any_chain_has_the_numbers_of_the_engine(seed):
    """J, det J and τ against the recursions on floats."""
    m, rng = some_chain(seed), np.random.default_rng(seed)
    q, load = (
        rng.normal(size=m.nq),
        dict(zip(LOAD_SYMBOLS, rng.normal(size=6), strict=True)),
    )
    at = {**load, **dict(zip(m.coordinate_names, q, strict=True))}
    way = m.derivation("jacobian", symbols=[], frame="hand")
    held = m.derivation("statics", symbols=[], frame="hand")
    whole, found = m.jacobian("hand")(q), np.array(way["J"].subs(at), float)
    for row in found:
        assert np.abs(whole - row).max(axis=1).min() < 1e-12
    if found.shape[0] == found.shape[1]:
        assert abs(np.linalg.det(found) - float(way["det J"].subs(at))) < 1e-11  # of sizes up to 30
    used = {str(x) for e in held.equations if e.name in ("F", "N") for x in e.rhs}
    exerted = [x if name in used else 0.0 for name, x in load.items()]
    wrench = {"hand": {"force": exerted[:3], "moment": exerted[3:]}}
    torques = m.statics(q, wrench, actuated=m.joint_names).torques
    scale = 1e-12 * max(1.0, np.abs(torques).max())
    np.testing.assert_allclose(np.array(held["τ"].subs(at), float).ravel(), torques, atol=scale)
