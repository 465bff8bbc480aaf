"""Whole reports in a browser without a network: slid, played, pulled, in the dark, on a phone.

Screenshots are kept in build/screenshots, to be looked at.
"""

import numpy as np
import pytest

import visviva as vv
from tests.support.oracles.robots import FOLDER

LAB = 'VV.laboratories["laboratory-data"]'


def ur5():
    return vv.load(FOLDER / "robots/ur_description/urdf/ur5_robot.urdf")


# what is reported on, and for how many seconds its motion is compared
REPORTS = {
    "rp_arm": (vv.catalog.rp_arm, 5.0),
    "knife_edge": (vv.catalog.knife_edge, 5.0),
    "four_bar": (vv.catalog.four_bar, 5.0),
    "puma560": (vv.catalog.puma560, 1.0),
    "cart_pole": (vv.catalog.cart_pole, 5.0),
    "ur5": (ur5, 1.0),
}


@pytest.mark.early
@pytest.mark.spread(3)
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_opens_moves_and_is_right(name, browser, tmp_path):
    make, seconds = REPORTS[name]
    system = make()
    path = tmp_path / "report.html"
    system.study(path)
    assert path.stat().st_size < 6e6

    browser.open(path)
    assert browser.run("document.querySelectorAll('#equations math').length") > 1
    high = "document.querySelector('#equations math').getBoundingClientRect().height"
    assert browser.run(high) > 8
    slid_and_played(browser)
    swings_as_in_python(browser, system, seconds)
    browser.keep(f"study-{name}")
    browser.check()

    browser.open(path, width=375, dark=True)
    assert browser.run("document.documentElement.scrollWidth") <= 375
    shade = browser.run("getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g)")
    assert max(map(float, shade[:3])) < 80
    browser.keep(f"study-{name}-phone")
    browser.check()


def slid_and_played(browser):
    """Playing moves the picture, and so does the first slider while it rests."""
    canvas, play = ".picture canvas", ".picture .play"
    label = "document.querySelector('.picture .play').getAttribute('aria-label')"
    if browser.run(label) == "Pause":
        browser.click(play)
    before = browser.picture(canvas)
    moved = browser.run(
        "(() => { const x = document.querySelector('.picture .sliders input[type=range]');"
        "x.value = +x.min + 0.37 * (x.max - x.min); x.dispatchEvent(new Event('input', "
        "{bubbles: true})); return true; })()"
    )
    assert moved
    slid = browser.picture(canvas)
    assert browser.changed(before, slid) > 1e-3
    first = browser.run("document.querySelector('.picture .clock').textContent")
    browser.click(play)
    browser.wait(f"document.querySelector('.picture .clock').textContent !== {first!r}")
    browser.click(play)


def swings_as_in_python(browser, system, seconds):
    """The laboratory's own steps against those of `simulate`, from a start with a velocity."""
    data = browser.run(f"(({{q, v, dt}}) => ({{q, v, dt}}))({LAB}.data)")
    steps = round(seconds / data["dt"])
    end = browser.run(
        f"(() => {{ const m = VV.motion(VV.mechanism, {LAB}.data); m.held.fill(0); m.reset();"
        f"for (let k = 0; k < {steps}; k++) m.step(); return [...m.q, ...m.v]; }})()"
    )
    how = {"method": "rk4", "dt": data["dt"], "save": steps}
    run = system.simulate(data["q"], data["v"], steps * data["dt"], **how)
    np.testing.assert_allclose(end, [*run.q[-1], *run.v[-1]], rtol=1e-9, atol=1e-9)
    assert np.abs(np.array(end[: system.nq]) - data["q"]).max() > 1e-3
