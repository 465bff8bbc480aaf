"""Laboratories of systems with something odd: what is said and shown of them is true."""

import numpy as np
import pytest

import visviva as vv
from tests.show.laboratory.running import Bench, in_node
from visviva.errors import ArgumentError, SingularError
from visviva.show.laboratory.closing import assembling
from visviva.show.laboratory.laboratory import laboratory_of
from visviva.show.page.assets import script_file
from visviva.show.page.page import Page
from visviva.show.scene.of import scene_of


def link(friction=0.0, name="a", **more):
    b = vv.Builder("link")
    b.body(name, joint="revolute", axis="y", joint_name="j", mass=1.0, com=[0.3, 0.0, 0.0],
           friction=friction, **more)  # fmt: skip
    return b.build()


def test_a_direction_in_which_nothing_moves_is_no_handle():
    """Of a linkage with one freedom some directions are blocked, but for rounding errors."""
    bench = Bench("bennett")
    stiffness = bench.run(
        "const pivots = [...new Set(data.grips)].filter((k) => k).map((k) => ({ carrier: k, "
        "point: [0, 0, 0] }));"
        "const found = [...pivots, ...data.tips].flatMap(({ carrier, point: r }) => {"
        "const X = m.places()[carrier - 1];"
        "const at = X.map((x) => x[0] * r[0] + x[1] * r[1] + x[2] * r[2] + x[3]);"
        "return [[[1, 0, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 0]]]"
        ".map((plane) => { const h = m.grab(carrier, at, plane); m.release();"
        " return h ? h.k : 0; });"
        "});",
        "found",
    )
    assert min(stiffness) == 0.0
    assert 0 < max(stiffness) < 1e6


def test_what_springs_hold_does_not_slide_away():
    b = vv.Builder("hung")
    b.body("a", joint="prismatic", axis="z", mass=1.0, stiffness=50.0)
    assert laboratory_of(b.build()).notes == ()
    b = vv.Builder("dropped")
    b.body("a", joint="prismatic", axis="z", mass=1.0)
    assert "slide" in laboratory_of(b.build()).notes[0]


def test_only_what_actuators_can_do_is_held():
    held = {x["name"] for x in laboratory_of(vv.catalog.differential_drive()).as_dict()["holdable"]}
    assert held == {"right", "left"}
    held = {x["name"] for x in laboratory_of(vv.catalog.unicycle()).as_dict()["holdable"]}
    assert held == {"theta"}  # x and y are pushed along the heading only
    held = {x["name"] for x in laboratory_of(vv.catalog.acrobot()).as_dict()["holdable"]}
    assert held == {"q2"}


def test_friction_is_rounded_off_as_wide_as_sliders_need():
    """A tenth of the mass is moved ten times as much: the steps must still follow."""
    bench = Bench(link(friction=2.0))
    k = bench.lab.parameters.index("m_a")
    speeds = bench.run(
        f"m.set({k}, 0.1); const all = []; for (let i = 0; i < 1500; i++) "
        "{ m.step(); if (i > 1000) all.push(m.v[0]); }",
        "[Math.min(...all), Math.max(...all), m.error()]",
    )
    assert speeds[1] - speeds[0] < 1e-3  # it creeps, and does not chatter
    assert abs(speeds[2]) < 1e-3


def test_numbers_of_friction_and_what_cannot_change_are_refused():
    for asked, why in (("friction_j", "dry friction"), ("Ixx_a", "no other value")):
        with pytest.raises(ArgumentError, match=why):
            laboratory_of(link(friction=0.8), parameters=[asked])
    (slider,) = laboratory_of(link(), parameters="armature_j").sliders
    assert slider.lower == 0.0


def test_what_has_no_inertia_is_refused_as_simulate_does():
    b = vv.Builder("point on a ball joint")
    b.body("a", joint="spherical", mass=1.0, com=[0.1, 0.0, -0.3])
    with pytest.raises(SingularError, match="no inertia resists"):
        laboratory_of(b.build())


def test_a_rate_that_is_zero_at_first_is_booked_when_it_is_not():
    """T + V of a bead on a wire at rest changes by no force; of one that turns it does."""
    bead = vv.catalog.bead_on_rotating_wire(Omega=0.0)
    lab = laboratory_of(bead, parameters=["Omega"])
    assert not lab.functions.is_natural


def test_the_start_is_put_together_with_the_numbers_of_now():
    bench = Bench("four_bar")
    k = bench.lab.parameters.index("l3")
    told = bench.run(
        f"m.set({k}, 0.9 * m.p[{k}]); data.q = [...m.q]; m.set({k}, data.parameters[{k}].value);"
        f"const done = m.reset(), q = [...m.q]; m.p[{k}] = 9; const never = m.reset();",
        "{ done, q, never, last: [...m.q] }",
    )
    assert told["done"]
    np.testing.assert_allclose(bench.system.constraint_error(told["q"]), 0.0, atol=1e-9)
    assert not told["never"]
    assert np.isfinite(told["last"]).all()


def hung():
    """A body that turns freely, tied to the ground at a point by a second chain."""
    b = vv.Builder("hung")
    cube = vv.Inertia.box(1.0, x=0.2, y=0.2, z=0.2)
    b.body("ball", joint="spherical", inertia=cube)
    b.body("rod", joint="universal", axis="y", second="z", at=[0.8, 0.0, 0.0], inertia=cube)
    b.body("tip", parent="rod", joint="prismatic", axis="x", inertia=cube)
    b.frame("here", body="ball", at=[0.4, 0.0, 0.0]).frame("there", body="tip")
    return b.build().with_loop("here", "there", "spherical", name="tie")


def test_loops_stay_closed_where_a_quaternion_is_turned():
    system = hung()
    scene = scene_of(system)
    program = assembling(Page("x"), scene)["assemble"]
    q = np.array(scene.start)
    step = np.zeros(system.nv)
    step[system.joint_slices["ball_joint"][1]] = [0.0, 0.1, 0.2]
    wanted = np.asarray(system.integrate(q, step))
    assert np.abs(system.constraint_error(wanted)).max() > 0.01
    made = in_node(
        f"globalThis.VV = {{}};\n{script_file('closing.js')}\n{program}\n"
        f"console.log(JSON.stringify(assemble({wanted.tolist()}, 0, 0)));"
    )
    np.testing.assert_allclose(system.constraint_error(made), 0.0, atol=1e-9)
    np.testing.assert_allclose(made[:4], wanted[:4], atol=1e-12)  # it is turned as was asked
