"""A study: every section speaks or says why not, its numbers are right, its lines run."""

import contextlib
import io
import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import visviva as vv
from tests.support.counts import SOAK
from visviva.describe import catalog
from visviva.drawing.digits import number
from visviva.errors import ArgumentError, ConstraintForcesWarning, OutOfTimeError
from visviva.progress import progress
from visviva.show.page.page import Page
from visviva.show.scene.of import scene_of
from visviva.show.speed.measure import measured_speed
from visviva.show.study import patience as patience_of
from visviva.show.study import study as module
from visviva.show.study.linkage import turned
from visviva.show.study.part import NotHereError, Part
from visviva.show.study.sections import head
from visviva.show.study.sections.diagrams import diagrams
from visviva.show.study.sections.freedoms import freedoms
from visviva.show.study.sections.head import title
from visviva.show.study.sections.motion import motion
from visviva.show.study.sections.reach import reach
from visviva.show.study.sections.speed import costs
from visviva.show.study.sections.verdicts import judged
from visviva.show.study.studied import Studied

IDS = (
    "laboratory parts freedoms equations derivation proof speed motion modes reach diagrams".split()
)
IDS += ["verdicts", "again"]
SMALL = ["rp_arm"]
RIGHT = "tau2 = m2 (q2'' - q2 q1'^2 + a_g sin(q1))"
WRONG = "tau2 = m2 q2'' + m2 a_g sin(q1)"
HOSTILE = "<script>alert(1)</script>\"'&" + "x" * 10_000


@cache
def studied(name):
    claims = {"right": RIGHT, "wrong": WRONG, "empty": "tau1 = (("} if name == "rp_arm" else None
    return module.study(catalog.build(name), claims, patience=20.0)  # a busy machine


def part(name, id_):
    return next(x for x in studied(name).sections if x.id == id_)


@pytest.mark.soak
@pytest.mark.parametrize("name", catalog.names() if SOAK else SMALL)
def test_every_section_speaks_or_says_why_not(name):
    found = studied(name)
    assert [x.id for x in found.sections] == IDS
    assert not [x for x in found.sections if x.is_broken]
    html = found.page.html()
    for x in found.sections:
        assert bool(x.html) != bool(x.missing)
        assert x.heading
        if x.html:
            assert x.lead
            assert f'<section id="{x.id}"' in html
        else:
            assert x.missing.endswith((".", "…")) or ":" in x.missing
    assert len(html) < 6e6
    assert str(found).startswith(f"study of {name!r}")
    json.dumps(found.as_dict())


@pytest.mark.soak
@pytest.mark.parametrize("name", catalog.names() if SOAK else SMALL)
def test_the_lines_at_the_end_give_everything_again(name):
    lines = "\n".join(part(name, "again").data["program"])
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(lines, {})
    assert said.getvalue()
    for x in studied(name).sections:
        assert all(line in lines for line in x.lines)


def test_numbers_are_those_of_other_roads():
    arm = catalog.rp_arm()
    held = np.array(part("rp_arm", "diagrams").data["torques"])
    start = scene_of(arm).start
    assert np.allclose(held, arm.gravity_forces(start), rtol=1e-9)
    modes = part("rp_arm", "modes").data
    A = np.asarray(arm.linearize(modes["about"]).state_matrix)
    found = np.array([complex(*z) for z in modes["eigenvalues"]])
    for z in found:
        assert abs(np.linalg.det(A - z * np.eye(4))) < 1e-6
    assert part("rp_arm", "freedoms").data["mobility"] == 2
    assert part("rp_arm", "motion").data["balance_error"] < 1e-6
    assert part("rp_arm", "proof").data["proved"]
    assert all(x < 1e-9 for x in part("rp_arm", "proof").data["laws"].values())
    assert part("rp_arm", "reach").data["determinant"] == "-q2"


def test_claims_are_judged_with_missing_and_extra_terms():
    found = part("rp_arm", "verdicts")
    assert {k: v["status"] for k, v in found.data["verdicts"].items()} == {
        "right": "identical",
        "wrong": "differs",
        "empty": "unreadable",
    }
    assert (
        found.lead == "Of 3 claims: 1 right, 1 wrong, 1 cannot be read; the wrong terms are named."
    )
    assert found.data["all_right"] is False
    assert 'class="mark good"' in found.html
    assert "centrifugal" in found.html


def test_what_energies_say_of_constraints_and_bodies():
    s = Studied(catalog.knife_edge(), Page(""))
    found = freedoms(s)
    assert found.data == {
        "mobility": 3,
        "verdict": "proved mobile",
        "constraints": "nonholonomic",
    }
    assert "only 2 velocities are free" in found.lead
    assert "<math" in found.html
    for way, said in ((diagrams, "no bodies"), (reach, "no frames"), (judged, "No claims")):
        with pytest.raises(NotHereError, match=said):
            way(s)


@pytest.mark.spread(0)
def test_a_linkage_has_dead_points_where_crank_and_coupler_are_in_line():
    linkage = catalog.four_bar()
    s = Studied(linkage, Page(""))
    found = reach(s)
    assert found.data["whole_turn"]
    first, second = found.data["dead_points"]
    assert first["joint"] == second["joint"] == "theta3"
    p = linkage.parameters
    for point, far in ((first, p["l2"] - p["l1"]), (second, p["l2"] + p["l1"])):
        end = p["l0"] + p["l3"] * np.exp(1j * point["at"])
        assert abs(end) == pytest.approx(far, rel=1e-7)  # from the crank's pivot
    assert "from 41.75° to 121.6°" in found.lead
    assert "is held by" not in found.html
    exec("\n".join(["import visviva as vv", "system = vv.catalog.four_bar()", *found.lines]), {})
    short = turned(linkage.with_parameters(l1=0.7), linkage.with_parameters(l1=0.7).assembled())
    assert not short.is_whole
    low, high = short.values[[0, -1]]
    assert -np.pi < low < high < 2 * np.pi
    with pytest.raises(NotHereError, match="Closed loops tie its joints together"):
        reach(Studied(catalog.five_bar(), Page("")))


def test_a_section_has_seconds_of_the_processor_times_patience(monkeypatch):
    """A busy machine writes the same page."""
    given = []
    monkeypatch.setattr(patience_of, "at_most", lambda seconds: given.append(seconds))
    patience_of.within(5.0)
    with patience_of.patience(2.0):
        patience_of.within(5.0)
    assert given == [5.0, 10.0]
    with pytest.raises(ArgumentError, match="patience is a number above 0, got 0"):
        module.study(catalog.polar_point(), patience=0)


def test_names_of_bodies_and_joints_stay_text(browser, tmp_path):
    b = vv.Builder(HOSTILE)
    b.body("<b>one", joint="revolute", axis="y", mass=1.0, com=(0.3, 0.0, 0.0), joint_name="a</p>")
    b.body("two'\"", parent="<b>one", joint="prismatic", axis="x", mass=2.0, joint_name="\\s`${}")
    found = b.build().study(tmp_path / "page.html")
    assert not [x for x in found.sections if x.is_broken]
    html = found.page.html()
    assert "<script>alert" not in html
    assert "<b>one" not in html
    browser.open(tmp_path / "page.html", width=375)
    assert browser.run("document.querySelector('h1').textContent").startswith("<script>alert(1)")
    assert browser.run("document.documentElement.scrollWidth") <= 375
    browser.check()


def test_what_fails_becomes_a_sentence(monkeypatch):
    def crash(s):
        raise ZeroDivisionError("by zero")

    def absent(s):
        raise NotHereError("There is no such thing here.")

    def slow(s):
        with progress("slow work") as at:
            while True:
                at.step()

    ways = (("a", "A", 1.0, crash), ("b", "B", 1.0, absent), ("c", "C", 0.01, slow))
    ways += (("d", "D", 1.0, lambda s: Part("Lead.", "<p>x</p>", ("1 + 1",))),)
    monkeypatch.setattr(module, "_WAYS", ways)
    found = module.study(catalog.polar_point())
    a, b, c, d, _ = found.sections
    assert a.is_broken
    assert "ZeroDivisionError: by zero" in a.missing
    assert b.missing == "There is no such thing here."
    assert c.missing.startswith("It would take longer than the 0.01 seconds it is given here")
    assert "visviva study polar_point --patience 10" in c.missing
    assert d.section.html.startswith("<p>x</p>")
    html = found.page.html()
    assert "What is not on this page" in html
    assert "by zero" in html
    assert 'id="a"' not in html


def test_a_study_is_of_a_system():
    with pytest.raises(ArgumentError, match="a study is of a Model or a Lagrangian, got int"):
        module.study(3)
    assert issubclass(OutOfTimeError, TimeoutError)
    b = vv.Builder("post")
    b.body("post", joint="fixed", mass=1.0)
    with pytest.raises(ArgumentError, match="'post' has no coordinates: nothing of it moves"):
        b.build().study()


def test_other_values_of_parameters_are_in_the_lines(monkeypatch):
    monkeypatch.setattr(module, "_WAYS", ())
    arm = catalog.rp_arm(m1=2.5)
    lines = module.study(arm).sections[-1].data["program"]
    assert lines[1] == "system = vv.catalog.rp_arm(m1=2.5)"
    lines = module.study(arm, source="my arm.toml").sections[-1].data["program"]
    assert lines[1] == "system = vv.load('my arm.toml')"
    own = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters={"m": 1, "k": 4}, name="own")
    found = module.study(own)
    assert 'vv.load("own.toml")' in found.sections[-1].data["program"][1]
    assert "&quot;m&quot; = 1.0" in found.sections[-1].html


@pytest.mark.parametrize(
    ("x", "unit", "digits", "said"),
    [
        (0.25, "m", 6, "0.25 m"),
        (-3, "", 6, "−3"),
        (110.2, "ns", 2, "110 ns"),
        (1.5e-9, "J", 2, "1.5·10⁻⁹ J"),
        (2.5e7, "", 3, "2.5·10⁷"),
    ],
)
def test_numbers_are_written_as_people_do(x, unit, digits, said):
    assert number(x, unit, digits) == said


def test_one_equation_can_be_copied():
    html = part("rp_arm", "equations").html
    for k, equation in enumerate(vv.catalog.rp_arm().closed_form().equations, 1):
        assert f"tau{k} = {equation}" in html


def test_the_head_counts_what_constraints_leave():
    linkage = replace(catalog.four_bar(), name="crank")
    assert (
        title(Studied(linkage, Page("")))[1]
        == "3 moving bodies, 1 closed loop: 1 degree of freedom."
    )
    rolling = vv.Lagrangian(
        "x y phi", "x'^2 + y'^2 + phi'^2", 0, constraints=["x' sin(phi) = y' cos(phi)"]
    )
    assert title(Studied(rolling, Page("")))[1].endswith(
        "3 dimensions, 2 velocities free at a time."
    )


def elastic(**more):
    energies = "m*(r'^2 + r^2*theta'^2)/2", "k*(r-l0)^2/2 - m*g*r*cos(theta)"
    numbers = {"m": 1, "k": 40, "l0": 1, "g": 9.81}
    return vv.Lagrangian("r theta", *energies, parameters=numbers, passive="r theta", **more)


def test_a_study_starts_where_a_motion_can_begin():
    """M of polar coordinates has no inverse at r = 0, where all coordinates are zero."""
    scene = scene_of(elastic())
    assert scene.start.tolist() == [1.0, 0.0]
    said = "it starts at r = 1: at r = 0 its mass matrix or its forces are singular"
    assert scene.begins == said
    s = Studied(elastic(), Page(""))
    assert s.demo_motion.start.q.tolist() == [1.0, 0.0]
    assert "It starts at r = 1: at r = 0" in head.hero(s, Page(""), {})
    stated = scene_of(elastic(start={"r": 0.0, "theta": 0.1}))
    assert (stated.start.tolist(), stated.begins) == ([0.0, 0.1], "")  # what is stated is kept
    assert not scene_of(vv.catalog.heavy_top()).begins


def test_a_study_starts_where_it_is_told_to():
    s = Studied(elastic(), Page(""), q=[1.2, 0.3])
    assert (s.start.tolist(), s.demo_motion.start.q.tolist()) == ([1.2, 0.3], [1.2, 0.3])
    assert Studied(elastic(), Page(""), q={"r": 3.0}).scene.coordinates[0].upper == 3.0
    with pytest.raises(vv.errors.ShapeError, match="study: q of 'lagrangian' has 2 numbers"):
        elastic().study(q=[1.0])
    with pytest.raises(vv.errors.VisvivaError, match="assembled"):
        vv.catalog.four_bar().study(q=[0.1, 0.2, 0.3])
    with pytest.raises(ArgumentError, match=r"here it is model.study\(q=\[1.2, 0.3\]\)"):
        elastic().study(q0=[1.2, 0.3])


def test_a_motion_in_steps_of_one_length_says_how_long_they_are(monkeypatch):
    """Where tolerances would take too long; the lines make the same motion again."""
    arm = vv.catalog.two_link()
    s = Studied(arm, Page(""))
    assert "to a relative tolerance of 1" in motion(s).lead
    stepped = arm.simulate(s.demo_motion.start.q, s.demo_motion.start.v, 0.5, method="rk4", dt=0.01)
    monkeypatch.setattr(Studied, "demo_motion", replace(s.demo_motion, run=stepped))
    told = motion(s)
    assert told.lead.endswith("0.5 seconds by rk4, in steps of 0.01 s.")
    known = {"system": arm, "np": np}
    exec("\n".join(x for x in told.lines if x.startswith(("q, v", "run ="))), known)
    assert np.array_equal(known["run"].q, stepped.q)


def test_what_constraints_hold_is_measured_on_them_and_tells_users_as_before():
    """Warnings are errors here: none is told while it is measured, and none is used up by it."""
    b = vv.Builder("rod on a disc", gravity=[0.0, -9.81, 0.0])
    hinge = {"joint": "revolute", "axis": "z", "mass": 1.0, "com": [0.1, 0.0, 0.0]}
    b.body("disc", **hinge)
    b.body("rod", parent="disc", at=[0.3, 0, 0], **hinge)
    driven = b.build().with_constraint(lambda q, t: q[0] - 0.5 - 2.0 * t, "turning")
    for system in (vv.catalog.four_bar(), driven):
        assert "forward_dynamics" in costs(Studied(system, Page("costs"))).data["functions"]
        speed = measured_speed(system)
        assert len(speed.functions) == 5
        q, v = system.assembled(), np.zeros(system.nv)
        with pytest.warns(ConstraintForcesWarning, match="told once"):
            system.inverse_dynamics(q, v, v)
