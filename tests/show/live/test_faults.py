"""What goes wrong in a view is said where it belongs, and nothing else stops by it."""

import pytest

import visviva as vv
from tests.show.live.conftest import done, until
from tests.show.live.test_gate import is_open
from visviva.errors import ArgumentError
from visviva.show.live.session import Session
from visviva.show.live.view import LiveView


def fails(*_):
    raise ZeroDivisionError("by nothing")


WHY = "ZeroDivisionError: by nothing"


@pytest.fixture(scope="module")
def pair():
    """Two pendulums, of which the second cannot be compiled; nobody has their equations."""
    pendulum = vv.catalog.pendulum(n=1)
    sessions = [Session(pendulum), Session(pendulum)]
    sessions[1].warm = fails
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("visviva.show.live.view.equations_html", fails)
        with LiveView(sessions, port=0) as made:
            assert made.ready.wait(120)
            made._threads[1].join(120)
            done(made)
            yield made


def test_what_cannot_be_started_says_why(pair):
    assert [s.said for s in pair.sessions] == ["", WHY]
    assert all(WHY in x.panel.equations.content for x in pair.shown)


def test_an_error_is_said_under_its_own_mechanism_and_the_view_lives_on(pair):
    first, second = pair.sessions
    second.said = ""
    pair.shown[0].panel.do(fails)
    done(pair)
    assert (first.said, second.said) == (WHY, "")
    pair.do(fails)
    done(pair)
    assert (first.said, second.said) == (WHY, WHY)


def test_what_cannot_be_drawn_or_moved_stops_alone(pair):
    first, second = pair.sessions
    for s in (first, second):
        s.reset()
    places = first._places
    try:
        first._places = fails
        first.playing = second.running = True
        until(pair, lambda: first.said == WHY)
        assert not first.playing
    finally:
        first._places = places
    assert second.running
    first.advance = fails
    first.said, first.running = "", True
    until(pair, lambda: first.said == WHY and second.t > 0)
    assert not first.running
    assert second.running
    assert second.said == ""


def test_it_can_be_closed_from_inside(pair):
    pair.do(pair.close)
    pair._threads[0].join(60)
    assert not pair._threads[0].is_alive()
    assert not is_open(pair.port)
    assert "closed" in repr(pair)
    assert pair.sessions[0].said != "RuntimeError: cannot join current thread"
    pair.close()


def test_a_close_that_failed_can_be_repeated(monkeypatch):
    view = LiveView([Session(vv.catalog.pendulum(n=1))], port=0)
    with monkeypatch.context() as patch:
        patch.setattr("visviva.show.live.view.close_server", fails)
        with pytest.raises(ZeroDivisionError):
            view.close()
    assert is_open(view.port)
    view.close()
    assert not is_open(view.port)


@pytest.mark.parametrize("token", ["a/b", "ключ", "a b", "..", "a%2f", 7])
def test_a_token_with_which_nobody_comes_in_is_refused(token):
    with pytest.raises(ArgumentError, match="a token stands in the address"):
        LiveView([Session(vv.catalog.pendulum(n=1))], port=0, token=token)
