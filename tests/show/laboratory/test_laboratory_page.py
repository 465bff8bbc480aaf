"""The laboratory in a browser: it is dragged, let go, changed, stopped; and says what it does."""

import numpy as np
import pytest

import visviva as vv
from visviva.show.laboratory.closing import assembling
from visviva.show.laboratory.section import laboratory_section
from visviva.show.page.page import Page, Section
from visviva.show.page.picture import picture
from visviva.show.scene.of import scene_of

LAB = "VV.laboratories['laboratory-data']"
CANVAS = ".laboratory .stage canvas"


def page_of(system):
    page = Page("laboratory")
    page.add(laboratory_section(system, scene_of(system), page))
    return page.html()


def state(browser):
    """Numbers of the motion, now."""
    told = browser.run(
        f"(() => {{ const l = {LAB}, m = l.motion; const error = m.error(); return {{"
        "t: m.t, q: [...m.q], v: [...m.v], p: [...m.p], work: m.work, energy: m.energy, error,"
        "running: l.running, failed: Boolean(l.failed), holds: Boolean(m.hand) }; })()"
    )
    return told | {"q": np.array(told["q"]), "v": np.array(told["v"])}


def place_of(browser, carrier, point):
    """Where in the canvas a point of a carrier is seen, as parts of its width and height."""
    x, y, width, height = browser.run(
        f"(() => {{ const v = {LAB}.viewer, X = v.poses()[{carrier}], r = {list(point)};"
        "const p = X.map((row) => row[0] * r[0] + row[1] * r[1] + row[2] * r[2] + row[3]);"
        "const [x, y] = v.project(p); return [x, y, v.canvas.clientWidth, v.canvas.clientHeight];"
        "})()"
    )
    return x / width, y / height


def middle(browser, k):
    """A place on a bar of the two-link arm."""
    return place_of(browser, k, [0.6, 0.0, 0.0])


def wait_for(browser, seconds):
    browser.wait(f"{LAB}.motion.t > {state(browser)['t'] + seconds}")


def set_slider(browser, name, value):
    browser.run(
        f"(() => {{ const l = {LAB}; const k = l.data.parameters.findIndex((x) => x.name === "
        f"{name!r}); const bar = l.box.querySelectorAll('.bench input[type=range]')[k < 0 ? "
        f"l.data.parameters.length : k]; bar.value = {value};"
        "bar.dispatchEvent(new Event('input')); })()"
    )


def test_a_link_is_dragged_and_swings_when_let_go(browser):
    browser.open(page_of(vv.catalog.two_link()))
    before = state(browser)
    assert not before["running"]  # who asked for less motion is not surprised by it
    picture = browser.picture(CANVAS)
    start = middle(browser, 2)
    browser.drag(CANVAS, (-120, 60), start=start, hold=True)
    held = state(browser)
    assert held["running"]
    assert held["holds"]
    wait_for(browser, 0.3)
    assert np.abs(state(browser)["q"] - before["q"]).max() > 0.05
    assert browser.changed(picture, browser.picture(CANVAS)) > 0.005
    browser.keep("laboratory-dragged", ".laboratory")
    browser.release(CANVAS, (-120, 60), start=start)
    let_go = state(browser)
    assert not let_go["holds"]
    assert abs(let_go["work"]["hand"]) > 1e-3
    wait_for(browser, 0.4)
    later = state(browser)
    assert later["work"]["hand"] == let_go["work"]["hand"]
    assert np.abs(later["q"] - let_go["q"]).max() > 0.02
    assert later["energy"] == pytest.approx(let_go["energy"], rel=1e-6)  # nothing takes any
    first, work, left = browser.run(
        f"(({{ motion: m }}) => [m.first, m.total(), m.error()])({LAB})"
    )
    assert first + work + left == pytest.approx(later["energy"])  # what a reader adds up
    rows = browser.run("document.querySelector('table.account').innerText")
    assert "of it at the start" in rows
    assert abs(later["error"]) < 1e-6
    browser.check()


def test_a_finger_drags_too_on_a_narrow_screen(browser):
    browser.open(page_of(vv.catalog.two_link()), width=375, height=800, touch=True)
    assert browser.run("document.documentElement.scrollWidth") <= 375
    x, y = middle(browser, 2)
    _, _, width, height = browser.box(CANVAS)
    at = ((x - 0.5) * width, (y - 0.5) * height)
    path = [(at[0] - 8 * k, at[1] + 4 * k) for k in range(10)]
    browser.touch(CANVAS, path)
    told = state(browser)
    assert told["running"]
    small = browser.run(
        "[...document.querySelectorAll('.laboratory :is(button, select, input[type=range], "
        ".choices label)')].filter((e) => e.checkVisibility()).map((e) => "
        "[e.outerHTML.slice(0, 60), e.getBoundingClientRect().height,"
        "e.getBoundingClientRect().width])"
    )
    assert not [x for x in small if x[1] < 39 or ("range" in x[0] and x[2] < 280)]
    assert told["t"] > 0 or browser.wait(f"{LAB}.motion.t > 0")
    browser.keep("laboratory-narrow", ".laboratory")
    browser.check()


def test_sliders_change_the_mechanism(browser):
    system = vv.catalog.two_link()
    browser.open(page_of(system))
    names = [x["name"] for x in browser.run(f"{LAB}.data.parameters")]
    set_slider(browser, "m2", 3.5)
    assert state(browser)["p"][names.index("m2")] == pytest.approx(3.5)
    before = browser.picture(CANVAS)
    set_slider(browser, "L1", 1.6)
    assert browser.changed(before, browser.picture(CANVAS)) > 0.005  # a longer link is drawn longer
    poses = np.array(browser.run(f"{LAB}.viewer.poses()"))
    other = scene_of(system.with_parameters(L1=1.6))
    np.testing.assert_allclose(poses[2], other.at(state(browser)["q"])[2], atol=1e-9)
    set_slider(browser, "added friction", 3.0)
    browser.run(f"{LAB}.play()")
    wait_for(browser, 0.3)
    told = state(browser)
    assert told["work"]["friction"] < 0
    assert abs(told["error"]) < 1e-5
    assert abs(told["work"]["sliders"]) > 1e-3
    browser.click(".laboratory .slider.last button")  # as stated
    values = [x["value"] for x in browser.run(f"{LAB}.data.parameters")]
    np.testing.assert_allclose(state(browser)["p"], values)
    browser.check()


def test_buttons_and_keys(browser):
    browser.open(page_of(vv.catalog.cart_pole()))
    start = state(browser)
    browser.run(f"document.querySelector('{CANVAS}').focus()")
    browser.key(".")
    assert state(browser)["t"] == pytest.approx(1e-3)
    browser.key(" ")
    wait_for(browser, 0.05)
    browser.key(" ")
    stopped = state(browser)
    assert not stopped["running"]
    browser.key("r")
    np.testing.assert_array_equal(state(browser)["q"], start["q"])
    assert state(browser)["t"] == 0
    browser.run("document.querySelector('.laboratory .player select').value = '0.1'")
    browser.run(
        "document.querySelector('.laboratory .player select').dispatchEvent(new Event('change'))"
    )
    assert browser.run(f"{LAB}.speed") == 0.1
    browser.run("document.querySelector('.laboratory .pushes button').focus()")
    browser.key("Enter")
    assert browser.wait(f"{LAB}.motion.work.hand !== 0")
    browser.check()


def test_positions_by_sliders_keep_a_loop_closed(browser):
    linkage = vv.catalog.four_bar()
    browser.open(page_of(linkage))
    browser.run(
        "(() => { const f = document.querySelector('.laboratory details.fold'); f.open = true;"
        "const bar = f.querySelector('input[type=range]');"
        "bar.value = 100; bar.dispatchEvent(new Event('input')); })()"
    )
    q = state(browser)["q"]
    assert q[0] == pytest.approx(np.radians(100))
    np.testing.assert_allclose(linkage.constraint_error(q), 0.0, atol=1e-10)
    browser.check()


def test_a_picture_borrows_what_closes_loops(browser):
    """Its sliders follow a branch, and say where it ends."""
    linkage = vv.catalog.four_bar()
    page, scene = Page("picture"), scene_of(linkage)
    page.add(Section("p", "P", picture(page, scene, "p-data", functions=assembling(page, scene))))
    browser.open(page.html())
    slide = "const s = document.querySelectorAll('.slider input[type=range]')"
    for angle in (80, 150, -20):
        browser.run(
            f"(() => {{ {slide}[0]; s.value = {angle}; s.dispatchEvent(new Event('input')); }})()"
        )
        q = np.array(browser.run("VV.pictures['p-data'].q"))
        assert q[0] == pytest.approx(np.radians(angle))
        np.testing.assert_allclose(linkage.constraint_error(q), 0.0, atol=1e-10)
    browser.run(f"(() => {{ {slide}[2]; s.value = 5; s.dispatchEvent(new Event('input')); }})()")
    assert "does not close" in browser.run("document.getElementById('said').textContent")
    np.testing.assert_array_equal(browser.run("VV.pictures['p-data'].q"), q)
    assert assembling(page, scene_of(vv.catalog.two_link())) == {}
    browser.check()


def test_what_becomes_infinite_stops_and_begins_again(browser):
    browser.open(page_of(vv.catalog.two_link()))
    browser.run(f"{LAB}.motion.error = () => Infinity; {LAB}.step()")  # before velocities are
    assert browser.run("[...document.querySelectorAll('.account .sum td')].pop().innerText") == "–"
    browser.run(f"{LAB}.play()")
    browser.run(f"{LAB}.motion.v.fill(1e200)")
    browser.wait(f"{LAB}.failed")
    assert not state(browser)["running"]
    shown = browser.run("document.querySelector('.laboratory .trouble').innerText")
    assert "no longer finite" in shown
    browser.click(".laboratory .trouble button")
    assert not state(browser)["failed"]
    assert np.isfinite(state(browser)["q"]).all()
    browser.check()


def test_what_falls_out_of_the_picture_is_told(browser):
    b = vv.Builder("stone")
    b.body("stone", joint="free", inertia=vv.Inertia.box(2.0, x=0.3, y=0.2, z=0.1))
    browser.open(page_of(b.build()))
    browser.run(f"{LAB}.motion.v.fill(-300, 5, 6); {LAB}.play()")
    browser.wait(f"{LAB}.failed")
    assert "left the picture" in browser.run("document.querySelector('.trouble').innerText")
    browser.check()


def test_it_waits_for_a_hand_and_rests_when_out_of_sight(browser):
    page = page_of(vv.catalog.two_link()).replace(
        "<footer>", '<div id="below" style="height: 3000px"></div><footer>'
    )
    browser.open(page, motion=True)
    browser.frames()
    assert not state(browser)["running"]  # what moves by itself is hard to take hold of
    target = browser.run(f"{LAB}.viewer.camera.target")
    browser.drag(CANVAS, (60, 0), start=(0.02, 0.02))  # a hand that misses: nothing is lost
    assert browser.run(f"{LAB}.viewer.camera.target") == target
    browser.drag(CANVAS, (60, 0), start=(0.02, 0.02), button="right")
    assert browser.run(f"{LAB}.viewer.camera.target") != target
    browser.run(f"{LAB}.play()")
    browser.run("document.querySelector('footer').scrollIntoView({behavior: 'instant'})")
    browser.wait(f"!{LAB}.running")
    browser.run(f"document.querySelector('{CANVAS}').scrollIntoView({{behavior: 'instant'}})")
    browser.wait(f"{LAB}.running")
    browser.check()


def test_the_browsers_motion_is_that_of_python(browser):
    """A motion of its own, beside the one that is shown: Puma for a second."""
    arm = vv.catalog.puma560()
    browser.open(page_of(arm), dark=True)
    end = browser.run(
        f"(() => {{ const m = VV.motion(VV.mechanism, {LAB}.data); m.held.fill(0); m.reset();"
        "for (let k = 0; k < 1000; k++) m.step(); return [...m.q, ...m.v]; })()"
    )
    q, v = (browser.run(f"{LAB}.data.{name}") for name in "qv")
    run = arm.simulate(q, v, 1.0, method="rk4", dt=browser.run(f"{LAB}.data.dt"), save=1000)
    np.testing.assert_allclose(end, [*run.q[-1], *run.v[-1]], rtol=1e-9, atol=1e-9)
    browser.keep("laboratory-puma", ".laboratory")
    browser.check()


HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=alert(1)>"


def test_hostile_names_are_text(browser):
    b = vv.Builder(HOSTILE)
    b.body("a" + HOSTILE, joint="revolute", axis="y", mass=1.0, com=[0.3, 0.0, 0.0])
    b.body("'\"`${b}", parent="a" + HOSTILE, at=[0.5, 0.0, 0.0], joint="revolute", axis="y",
           mass=1.0, com=[0.3, 0.0, 0.0])  # fmt: skip
    html = page_of(b.build())
    assert "<script>window.hacked" not in html
    browser.open(html)
    assert browser.run("window.hacked") is None
    assert browser.run(f"{LAB}.data.tips").__len__() == 2
    browser.check()


def test_where_there_can_be_none_the_section_says_why():
    b = vv.Builder("idle")
    b.body("ghost", joint="revolute", axis="y")
    page = Page("idle")
    system = b.build()
    section = laboratory_section(system, scene_of(system), page)
    assert "There is no laboratory" in section.html
    assert "ghost" in section.html


def test_starting_again_and_again_draws_each_frame_once(browser):
    browser.open(page_of(vv.catalog.two_link()))
    asked = browser.run(
        "(() => { let n = 0; const own = requestAnimationFrame;"
        f"window.requestAnimationFrame = (f) => {{ n++; return own(f); }}; const l = {LAB};"
        "for (let k = 0; k < 9; k++) { l.play(); l.pause(); } l.play();"
        "window.requestAnimationFrame = own; return n; })()"
    )
    assert asked == 1
    browser.check()


def test_a_number_that_is_not_taken_does_not_stay(browser):
    browser.open(page_of(vv.catalog.two_link()))
    typed, value = browser.run(
        f"(() => {{ const l = {LAB}, box = l.box.querySelectorAll('.bench input[type=number]')[1];"
        "box.focus(); box.value = '1000'; box.dispatchEvent(new Event('change'));"
        "return [Number(box.value), l.motion.p[1]]; })()"
    )
    assert typed == value < 1000
    browser.check()
