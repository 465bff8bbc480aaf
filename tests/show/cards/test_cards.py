"""Values as notebooks show them: with their numbers, as text, without a network."""

import re
from functools import cache

import numpy as np
import pytest

import visviva as vv
from visviva.show.cards import motions, systems
from visviva.show.cards.card import CARDS
from visviva.show.cards.parts import chart

HOSTILE = "<script>alert(1)</script>"


@cache
def values():
    """One value of each kind that has a card, and one more where there are two sorts."""
    cart = vv.catalog.cart_pole()
    starts = np.array([[0.0, 0.1], [0.0, 0.2]])
    return {
        "model": vv.catalog.four_bar(),
        "energies": vv.catalog.spherical_pendulum(),
        "run": cart.simulate([0.0, 0.1], [0.0, 0.0], 1.0),
        "batch": cart.simulate(starts, [0.0, 0.0], 0.1, dt=0.01),
        "linear": cart.linearize([0.0, 0.0], tau="hold"),
        "pose": vv.Pose.rotation([0, 0, 1], 0.5),
        "inertia": vv.Inertia.box(2.0, x=1.0, y=2.0, z=3.0),
        "symbols": vv.catalog.two_link().bodies[0].inertia,
    }


SAID = {
    "model": ("four_bar", "theta2", "rocker", "joins", "<svg", "0.4"),
    "energies": ("spherical_pendulum", "<math", "<svg", "9.81"),
    "run": ("dop853", "<path", "[rad]", "[m]"),
    "batch": ("2 trajectories", "first of the batch"),
    "linear": ("drifts", "5.0503", "0.80379", "<mtable"),
    "pose": ("0.87758", "28.648°"),
    "inertia": ("2.1667", "0.83333, 1.6667, 2.1667"),
    "symbols": ("m1", "r1", "I1"),
}


@pytest.mark.parametrize("kind", SAID)
def test_a_card_says_what_the_value_is(kind):
    html = values()[kind]._repr_html_()
    for text in SAID[kind]:
        assert text in html, (text, html)
    assert not re.search(r"(src|href)=|@import|<script|url\(", html)  # nothing is fetched
    assert len(html) < 60_000


def test_every_kind_is_shown():
    assert {type(x) for x in values().values()} == {*CARDS}


def test_names_are_text():
    b = vv.Builder(HOSTILE)
    b.body(HOSTILE, joint="revolute", joint_name="j", axis="y", mass=1.0, com=[0.3, 0.0, 0.0])
    arm = b.build()
    run = arm.simulate([0.1], [0.0], 0.1)
    inertia = vv.Inertia(1.0, [0, 0, 0], np.eye(3), frame=HOSTILE)
    for value in (arm, run, inertia, arm.linearize([np.pi / 2], tau="hold")):
        assert "<script" not in value._repr_html_()


def test_a_long_energy_is_cut_before_it_is_written(monkeypatch):
    asked = []
    real = systems.mathml
    monkeypatch.setattr(systems, "mathml", lambda x, names: asked.append(x) or real(x, names))
    long = " + ".join(f"sin({k}*x)" for k in range(1, 120))
    html = vv.Lagrangian("x", "x'^2/2", long)._repr_html_()
    assert len(asked) == 1  # of T
    assert "…</td>" in html


def drawn(html):
    """How many points each piece of each curve of a chart has."""
    paths = re.findall(r'<path d="([^"]*)" fill="none"', html)
    return [[piece.count("L") + 1 for piece in path.split("M")[1:]] for path in paths]


def test_a_gap_is_left_where_there_is_no_number():
    t = np.linspace(0.0, 1.0, 1001)
    whole, one, many = np.sin(t), np.sin(t), np.cos(t)
    one[503] = np.nan  # which is not among the points that are drawn
    many[:200] = many[400:600] = np.nan
    html = chart(t, [("a", whole), ("a", one), ("b", many)], "m")
    first, second, third = drawn(html)
    assert first == [240]
    assert len(second) == 2
    assert sum(second) == 240
    assert len(third) == 2
    assert html.count("<span") == 3


def test_curves_with_the_same_label_are_all_drawn(monkeypatch):
    monkeypatch.setattr(motions, "labelled", lambda system: ["x"] * system.nq)
    html = vv.catalog.spherical_pendulum().simulate([0.1, 0.2], [0.0, 1.0], 0.1)._repr_html_()
    assert len(drawn(html)) == 2
    assert "more [" not in html


def test_what_is_no_number_is_still_shown():
    assert "nan" in vv.Pose.of(np.full((3, 3), np.nan), np.zeros(3))._repr_html_()


@pytest.mark.parametrize("width", [1000, 375])
def test_cards_are_looked_at(browser, width):
    page = "".join(f"<p>{x._repr_html_()}</p>" for x in values().values())
    browser.open(f"<!doctype html><meta charset=utf-8><body>{page}", width=width)
    assert browser.run("document.querySelectorAll('.visviva').length") == len(values())
    widest = browser.run(
        "Math.max(...[...document.querySelectorAll('.visviva')].map("
        "(x) => x.getBoundingClientRect().right))"
    )
    assert widest <= width
    browser.keep(f"cards-{width}")
