"""m.show(q) and run.animate(): pages that move, in a notebook and out of it, without a network."""

import html
import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, ShapeError
from visviva.show.figures import view as views
from visviva.show.figures.motions import motion_view
from visviva.show.figures.view import mechanism_view

LINKED = re.compile(r"""\b(src|href)=["']?(https?:)?//""")


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """A machine without a window; temporary files go to a folder of the test."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(views.tempfile, "tempdir", str(tmp_path))
    opened = []
    monkeypatch.setattr(views.webbrowser, "open", opened.append)
    return opened


def test_a_script_writes_a_page_and_tells_its_path(alone, capsys):
    shown = vv.catalog.two_link().show([0.3, 0.7])
    name, path = capsys.readouterr().out.strip().split(": ")
    assert name == "two_link"
    assert Path(path).read_text(encoding="utf-8") == shown.html
    assert not alone
    assert repr(shown) == "view of 'two_link': .save(path), .open()"


def test_a_browser_opens_where_there_is_a_window(alone, monkeypatch, capsys):
    monkeypatch.setenv("DISPLAY", ":0")
    vv.catalog.two_link().show()
    assert alone == [Path(capsys.readouterr().out.strip().split(": ")[1]).as_uri()]


@pytest.mark.parametrize(
    ("shell", "writes"), [("ZMQInteractiveShell", False), ("TerminalInteractiveShell", True)]
)
def test_a_notebook_shows_it_in_place(alone, monkeypatch, capsys, tmp_path, shell, writes):
    kernel = types.ModuleType("IPython")
    kernel.get_ipython = type(shell, (), {})
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    shown = vv.catalog.two_link().show()
    assert bool(capsys.readouterr().out) == writes
    assert bool([*tmp_path.iterdir()]) == writes
    frame = shown._repr_html_()
    inside = html.unescape(re.search(r'srcdoc="([^"]*)"', frame)[1])
    assert inside == shown.html
    assert not LINKED.search(inside)
    assert not LINKED.search(frame)


def test_it_is_kept_as_html(alone, capsys, tmp_path):
    shown = vv.catalog.two_link().show(path=tmp_path / "arm.html")
    assert (tmp_path / "arm.html").read_text(encoding="utf-8") == shown.html
    assert len([*tmp_path.iterdir()]) == 1
    assert capsys.readouterr().out == ""
    assert shown.save(tmp_path / "again.html").read_text(encoding="utf-8") == shown.html
    with pytest.raises(ArgumentError, match=r"written as \.html, got 'arm.png'"):
        shown.save("arm.png")
    with pytest.raises(ShapeError, match="show: q of 'two_link' has 2 numbers"):
        mechanism_view(vv.catalog.two_link(), [1.0])


def test_names_of_people_stay_text_in_a_view(browser):
    b = vv.Builder('"><script>alert(1)</script>')
    b.body("</script><b>", joint="revolute", axis="z", mass=1.0, com=[1.0, 0, 0])
    browser.open(mechanism_view(b.build()).html)
    assert browser.run("document.querySelector('h1').textContent").startswith('"><script>')
    browser.check()


def positions(browser):
    return browser.run("VV.pictures.mechanism.q")


def test_it_begins_at_q_and_loops_stay_closed(browser):
    m = vv.catalog.four_bar()
    q = m.assembled(fixed={"theta1": 1.3})
    browser.open(mechanism_view(m, q).html, width=700)
    assert positions(browser) == pytest.approx(list(q), abs=1e-12)
    before = browser.picture(".stage canvas")
    browser.run(
        "(() => { const x = document.querySelector('.sliders input');"
        "x.value = 1.6; x.dispatchEvent(new Event('input', { bubbles: true })); })()"
    )
    moved = np.array(positions(browser))
    assert np.abs(m.constraint_error(moved)).max() < 1e-8
    assert np.abs(moved - q).max() > 0.1
    assert browser.changed(before, browser.picture(".stage canvas")) > 0.005
    browser.check()


@pytest.mark.parametrize("name", ["heavy_top", "slider_crank"])
def test_a_motion_is_played_as_it_was_computed(browser, name):
    """Of energies, and of loops."""
    s = getattr(vv.catalog, name)()
    q0 = s.assembled() if s.held_by else [0.1, 0.4, 0.2]
    run = s.simulate(q0, np.zeros(s.nv), 0.5)
    browser.open(motion_view(run).html, width=700)
    before = browser.picture(".stage canvas")
    browser.run(
        "(() => { const x = document.querySelector('.player input[type=range]');"
        "x.value = 1000; x.dispatchEvent(new Event('input', { bubbles: true })); })()"
    )
    assert positions(browser) == pytest.approx(run.q[-1].tolist(), abs=2e-6)
    assert browser.changed(before, browser.picture(".stage canvas")) > 0.001
    browser.check()


def test_many_motions_can_be_chosen_and_jumps_are_passed():
    s = vv.catalog.cart_pole()
    many = s.simulate(np.tile([0.0, 0.5], (20, 1)), np.zeros((20, 2)), 0.2)
    assert motion_view(many).title == "cart_pole, 12 of 20 trajectories: 0 to 0.2 s"
    b = vv.Builder("ball")
    b.body("ball", joint="prismatic", axis="z", limits=(0.0, 9.0), mass=1.0)
    run = b.build().with_stops(0.5).simulate([1.0], [0.0], 1.0)
    assert motion_view(run).title.startswith("ball: 0 to 1 s")
    with pytest.raises(ArgumentError, match="at least two different times"):
        motion_view(vv.Trajectory(s, [0.0], [[0.0, 0.5]], [[0.0, 0.0]]))
