"""Pictures that move in a page: what sliders, hands and keys do, and where things are."""

import numpy as np
import pytest

import visviva as vv
from tests.support.counts import SOAK
from visviva.errors import ArgumentError
from visviva.show.page.page import Page, Section
from visviva.show.page.picture import Motion, mode_motion, picture
from visviva.show.scene.of import scene_of

CANVAS = ".stage canvas"
ASSEMBLE = "function assemble(q, k) { return q[k] > 1 ? null : q.map((x) => q[k]); }"


def page_of(system, **options):
    page = Page("picture")
    page.add(Section("picture", "Picture", picture(page, scene_of(system), "p", **options)))
    return page.html()


def wave(scene):
    """All coordinates move."""
    t = np.linspace(0.0, 2.0, 1500)
    q = scene.start + 0.3 * np.sin(np.outer(t, 2.0 + np.arange(len(scene.start))))
    return Motion("wave", t, q)


def poses(browser):
    return np.array(browser.run("VV.pictures.p.viewer.poses()"))


def slide(browser, k, value):
    browser.run(
        f"(() => {{ const s = document.querySelectorAll('.slider input[type=range]')[{k}];"
        f"s.value = {value}; s.dispatchEvent(new Event('input')); }})()"
    )


def test_sliders_move_the_picture_by_forward_kinematics(browser):
    model = vv.catalog.puma560()
    scene = scene_of(model)
    browser.open(page_of(model))
    np.testing.assert_allclose(poses(browser), scene.at(scene.start), atol=1e-12)
    before = browser.picture(CANVAS)
    slide(browser, 1, -70)
    q = np.array(browser.run("VV.pictures.p.q"))
    assert q[1] == pytest.approx(np.radians(-70))
    np.testing.assert_allclose(poses(browser), scene.at(q), atol=1e-12)
    assert browser.changed(before, browser.picture(CANVAS)) > 0.005
    browser.run(
        "(() => { const n = document.querySelectorAll('.slider input[type=number]')[0];"
        "n.value = '-30'; n.dispatchEvent(new Event('input')); })()"
    )
    assert browser.run("VV.pictures.p.q")[0] == pytest.approx(np.radians(-30))
    browser.click(".slider.last button")
    np.testing.assert_allclose(browser.run("VV.pictures.p.q"), scene.start, atol=1e-15)
    assert browser.changed(before, browser.picture(CANVAS)) == 0
    browser.check()
    browser.keep("picture-puma")


def test_hands_and_keys_turn_move_and_magnify(browser):
    browser.open(page_of(vv.catalog.puma560()), motion=True)
    looks = [browser.picture(CANVAS)]

    def differs():
        looks.append(browser.picture(CANVAS))
        return browser.changed(*looks[-2:]) > 0.003

    browser.drag(CANVAS, (90, 30))
    assert differs()
    browser.drag(CANVAS, (40, 20), button="right")
    assert differs()
    assert browser.run("document.activeElement.tagName") == "CANVAS"
    zoom = browser.run("VV.pictures.p.viewer.camera.zoom")
    browser.wheel(CANVAS, -300)
    browser.wait(f"VV.pictures.p.viewer.camera.zoom > {zoom}")
    assert differs()
    for key in ("ArrowLeft", "ArrowUp", "+", "-"):
        browser.key(key)
        assert differs(), key
    browser.key("0")
    browser.run("document.activeElement.blur()")  # the line around what has the focus
    differs()
    assert browser.changed(looks[0], looks[-1]) == 0
    browser.check()


def test_fingers_pinch(browser):
    browser.open(page_of(vv.catalog.puma560()), width=375, height=700, touch=True)
    zoom = browser.run("VV.pictures.p.viewer.camera.zoom")
    browser.pinch(CANVAS, 2.0)
    assert browser.run("VV.pictures.p.viewer.camera.zoom") > 1.5 * zoom
    yaw = browser.run("VV.pictures.p.viewer.camera.yaw")
    browser.touch(CANVAS, [(-40 + 10 * k, 0) for k in range(9)])
    assert browser.run("VV.pictures.p.viewer.camera.yaw") != yaw
    assert browser.run("document.documentElement.scrollWidth") == 375
    browser.check()


@pytest.mark.parametrize("name", ["rp_arm", "puma560"])
def test_points_of_the_picture_are_points_of_the_world(browser, name):
    browser.open(page_of(vv.catalog.build(name)))
    browser.run("VV.pictures.p.viewer.camera.flat || VV.pictures.p.viewer.camera.orbit(70, 40)")
    p = [0.11, -0.07, 0.05]
    there = f"VV.pictures.p.viewer.project({p})"
    back = browser.run(f"(([x, y]) => VV.pictures.p.viewer.unproject(x, y, {p}))({there})")
    np.testing.assert_allclose(back, p, atol=1e-12)


@pytest.mark.parametrize("name", ["rp_arm", "puma560", "four_bar"])
def test_what_is_picked_is_what_is_seen(browser, name):
    """The middle of every bar that nothing covers: its carrier, and the point in its axes."""
    scene = scene_of(vv.catalog.build(name))
    browser.open(page_of(vv.catalog.build(name)))
    X = scene.at(scene.start)
    found = 0
    for k, shape in enumerate(scene.shapes):
        if shape.kind != "segment" or shape.role != "link":
            continue
        a, b = (X[i][:, :3] @ p + X[i][:, 3] for i, p in (shape.a, shape.b))
        middle = (0.6 * a + 0.4 * b).tolist()
        hit = browser.run(
            f"(([x, y]) => {{ const v = VV.pictures.p.viewer; const h = v.pick(x, y, {{ movable:"
            "true }); return h && { index: v.scene.shapes.indexOf(h.shape), carrier: h.carrier,"
            f"point: h.point, world: h.world }}; }})(VV.pictures.p.viewer.project({middle}))"
        )
        if hit is None or hit["index"] != k:  # something is before it
            continue
        found += 1
        own = X[hit["carrier"]]
        np.testing.assert_allclose(own[:, :3] @ hit["point"] + own[:, 3], hit["world"], atol=1e-9)
        np.testing.assert_allclose(hit["world"], middle, atol=0.02 * scene.size)
        assert hit["carrier"] in {shape.a[0], shape.b[0]} - {0}
    assert found
    assert browser.run("VV.pictures.p.viewer.pick(2, 2)") is None


def test_motions_play_pause_and_are_scrubbed(browser):
    model = vv.catalog.puma560()
    scene = scene_of(model)
    run = wave(scene)
    browser.open(page_of(model, motions=[run], autoplay=True))  # less motion is asked for
    assert browser.run("VV.pictures.p.playing()") is False
    before = browser.picture(CANVAS)
    browser.click(".play")
    browser.wait("VV.pictures.p.time > 0.2")
    browser.click(".play")
    assert browser.run("VV.pictures.p.playing()") is False
    time, q = browser.run("[VV.pictures.p.time, VV.pictures.p.q]")
    stated = [np.interp(time, run.t, column) for column in run.q.T]
    np.testing.assert_allclose(q, stated, atol=1e-4)  # thinned and rounded
    assert browser.changed(before, browser.picture(CANVAS)) > 0.003
    browser.run("document.querySelector('.stage canvas').focus({ preventScroll: true })")
    browser.key(" ")  # the keys of the laboratory
    assert browser.run("[VV.pictures.p.playing(), scrollY]") == [True, 0]
    browser.key(" ")
    browser.key("r")
    assert browser.run("[VV.pictures.p.playing(), VV.pictures.p.time]") == [False, 0]
    browser.run(
        "(() => { const s = document.querySelector('.player input'); s.value = 500;"
        "s.dispatchEvent(new Event('input')); })()"
    )
    assert browser.run("VV.pictures.p.time") == pytest.approx(1.0)
    browser.open(page_of(model, motions=[run], autoplay=True), motion=True)
    browser.wait("VV.pictures.p.time > 0")
    browser.check()


def test_what_is_drawn_is_chosen(browser):
    browser.open(page_of(vv.catalog.puma560()))
    before = browser.picture(CANVAS)
    for role in ("frame", "inertia", "axis", "centre"):
        browser.click(".tools summary")
        browser.click(f"[data-role={role}]")
        browser.run("document.querySelector('.tools details').open = false")
        after = browser.picture(CANVAS)
        assert browser.changed(before, after) > 1e-4, role
        before = after
    browser.run("VV.pictures.p.viewer.arrow('force', [0, 0, 0], [0.3, 0, 0.4], { text: 'F' })")
    browser.run("VV.pictures.p.viewer.trace('tip', [[0, 0, 0], [0.2, 0.3, 0.1], [0.5, 0, 0]])")
    assert browser.changed(before, browser.picture(CANVAS)) > 1e-3
    browser.check()


def test_a_plane_is_seen_face_on_and_can_be_tilted(browser):
    browser.open(page_of(vv.catalog.rp_arm()), dark=True)
    assert browser.run("VV.pictures.p.viewer.camera.flat") is True
    before = browser.picture(CANVAS)
    target = browser.run("VV.pictures.p.viewer.camera.target")
    browser.drag(CANVAS, (60, 0))
    moved = browser.run("VV.pictures.p.viewer.camera.target")
    assert moved[0] < target[0]
    browser.run("document.querySelector('.tools button').click()")
    assert browser.run("VV.pictures.p.viewer.camera.flat") is False
    assert browser.changed(before, browser.picture(CANVAS)) > 0.01
    browser.keep("picture-tilted-dark")
    browser.check()


def test_quaternions_are_turned_and_stay_unit(browser):
    model = vv.catalog.tumbling_body()
    browser.open(page_of(model))
    names = browser.run("[...document.querySelectorAll('.slider label')].map((e) => e.textContent)")
    assert sum(x.startswith("turn") for x in names) == 3
    for k in range(len(names)):
        slide(browser, k, 40 if names[k].startswith("turn") else 0.5)
    q = np.array(browser.run("VV.pictures.p.q"))
    np.testing.assert_allclose(poses(browser), scene_of(model).at(q), atol=1e-12)
    for _, start in model.quaternions:
        assert np.linalg.norm(q[start : start + 4]) == pytest.approx(1.0, abs=1e-12)
    browser.check()


def test_a_loop_is_brought_along_or_refused(browser):
    browser.open(page_of(vv.catalog.four_bar(), functions={"assemble": ASSEMBLE}))
    slide(browser, 0, 30)
    assert browser.run("VV.pictures.p.q") == pytest.approx([np.radians(30)] * 3)
    slide(browser, 0, 80)  # beyond 1 rad it does not close
    assert browser.run("VV.pictures.p.q") == pytest.approx([np.radians(30)] * 3)
    assert "does not close" in browser.run("document.getElementById('said').textContent")


def test_modes_move_along_their_shape_and_come_back():
    arm = vv.catalog.rp_arm()
    q = np.array([0.3, 1.0])
    made = mode_motion(arm, "first", q, [2.0, -1.0], amplitude=0.2)
    assert made.repeats
    np.testing.assert_allclose(made.q[[0, -1]], [q, q], atol=1e-12)
    np.testing.assert_allclose(np.abs(made.q - q).max(axis=0), [0.2, 0.1], atol=1e-12)
    body = vv.catalog.tumbling_body()
    turned = mode_motion(body, "spin", body.neutral(), np.eye(body.nv)[0]).q
    for _, start in body.quaternions:
        norms = np.linalg.norm(turned[:, start : start + 4], axis=1)
        np.testing.assert_allclose(norms, 1.0, atol=1e-12)


def test_modes_of_a_linkage_keep_its_loops_closed():
    linkage = vv.catalog.four_bar()
    q = np.asarray(linkage.assembled())
    along = linkage.admitted_velocity(q, np.ones(3))
    played = mode_motion(linkage, "first", q, along, amplitude=0.3).q
    assert np.ptp(played[:, 0]) > 0.1
    assert max(np.abs(linkage.constraint_error(x)).max() for x in played) < 1e-9


def test_motions_that_cannot_be_shown_are_refused():
    scene = scene_of(vv.catalog.rp_arm())
    t = np.linspace(0, 1, 5)
    with pytest.raises(ArgumentError, match="n > 1"):
        Motion("x", t, np.zeros(5))
    with pytest.raises(ArgumentError, match="times must grow"):
        Motion("x", t[::-1], np.zeros((5, 2)))
    with pytest.raises(ArgumentError, match="has 3 coordinates"):
        picture(Page("x"), scene, "p", motions=[Motion("x", t, np.zeros((5, 3)))])
    with pytest.raises(ArgumentError, match="shape is zero"):
        mode_motion(vv.catalog.rp_arm(), "x", [0, 1], [0, 0])
    assert len(wave(scene).as_dict()["t"]) <= 600


SHOWN = """Object.entries(VV.pictures).map(([name, { viewer, draw }]) => {
  const { canvas } = viewer;
  const look = () => { draw(); return canvas.getContext("2d").getImageData(0, 0, canvas.width,
    canvas.height).data; };
  const with_it = look();
  const roles = { ...viewer.roles };
  for (const role in roles) viewer.roles[role] = false;
  const without = look();
  Object.assign(viewer.roles, roles);
  let [count, edge] = [0, 0];
  for (let k = 0; k < with_it.length; k += 4) {
    if (with_it[k] === without[k] && with_it[k + 1] === without[k + 1]
      && with_it[k + 2] === without[k + 2]) continue;
    const [x, y] = [(k / 4) % canvas.width, Math.floor(k / 4 / canvas.width)];
    count += 1;
    edge += x < 2 || y < 2 || x > canvas.width - 3 || y > canvas.height - 3;
  }
  draw();
  return [name, count / (canvas.width * canvas.height), edge / count];
})"""


@pytest.mark.soak
def test_mechanisms_of_the_catalog_are_in_the_picture(browser):
    """Something to see, and little of it at the edges, where rails and paths may go on."""
    page, names = Page("catalog"), vv.catalog.names()
    for k, name in enumerate(names if SOAK else names[::6]):
        scene = scene_of(vv.catalog.build(name))
        page.add(Section(f"s{k}", name, picture(page, scene, f"p{k}", sliders=False)))
    browser.open(page.html(), width=500)
    for name, part, edge in browser.run(SHOWN):
        assert part > 0.003, name
        assert edge < 0.02, name
    browser.check()


def test_what_is_folded_away_is_drawn_when_there_is_room(browser):
    """A canvas without extent has no scale; what it shows later is what it would have shown."""
    canvas = ".picture canvas"
    browser.open(page_of(vv.catalog.puma560()))
    before = browser.picture(canvas)
    browser.run("document.querySelector('.picture').style.display = 'none'")
    browser.run("Object.values(VV.pictures).forEach((p) => p.viewer.redraw())")
    browser.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
    browser.run("document.querySelector('.picture').style.display = ''")
    browser.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
    assert browser.changed(before, browser.picture(canvas)) < 1e-3
    browser.check()


def test_quaternions_that_stand_apart_are_each_turned_as_one(browser):
    """Two free bodies; the picture is called as something that every object of JavaScript has."""
    cube = vv.Inertia.box(1.0, x=0.2, y=0.2, z=0.2)
    b = vv.Builder("two")
    b.body("a", joint="free", inertia=cube)
    b.body("b", joint="free", at=[1.0, 0.0, 0.0], inertia=cube)
    system = b.build()
    q = system.neutral()
    far = system.integrate(q, np.linspace(0.2, 0.6, system.nv))
    page = Page("two")
    motion = Motion("there", np.array([0.0, 1.0]), np.array([q, far]))
    html = picture(page, scene_of(system), "constructor", motions=[motion])
    page.add(Section("a", "A", html))
    browser.open(page.html())
    browser.run("VV.pictures.constructor.seek(1)")
    np.testing.assert_allclose(browser.run("VV.pictures.constructor.q"), far, atol=1e-5)
    rows = browser.run("[...document.querySelectorAll('.slider label')].map((e) => e.textContent)")
    assert [x.startswith("turn") for x in rows].count(True) == 6
    browser.check()
