"""What goes wrong in a view is said where it belongs, and nothing else stops by it."""

import msgspec.msgpack
import pytest
import viser
from viser._messages import (
    GuiUpdateMessage,
    SceneNodeDragMessage,
    TransformControlsDragStartMessage,
    ViewerCameraMessage,
)
from websockets.sync.client import connect

import visviva as vv
from tests.show.live.conftest import done, until
from tests.show.live.test_gate import is_open
from visviva.errors import ArgumentError, DerivationError, VisvivaError
from visviva.show.live.readings import equations_html
from visviva.show.live.session import Session
from visviva.show.live.view import LiveView


def fails(*_):
    raise ZeroDivisionError("by nothing")


WHY = "ZeroDivisionError: by nothing"


@pytest.fixture(scope="module")
def pair():
    """Two pendulums: one with two motions, one that cannot be compiled; both without equations."""
    pendulum = vv.catalog.pendulum(n=1)
    two = pendulum.simulate([[0.1], [0.2]], [0.0], 0.1, dt=0.01)
    sessions = [Session(pendulum, two), Session(pendulum)]
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


@pytest.mark.parametrize("error", [DerivationError("too hard"), AttributeError("a slip")])
def test_only_refusals_stand_in_place_of_equations(error):
    class Odd:
        nv = 1

        def closed_form(self):
            raise error

    if isinstance(error, VisvivaError):
        assert "too hard" in equations_html(Odd())
    else:
        with pytest.raises(AttributeError, match="a slip"):
            equations_html(Odd())


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


class Hand:
    """A client that says what a browser says of its mouse, in the words of viser."""

    def __init__(self, port):
        self.line = connect(
            f"ws://127.0.0.1:{port}",
            origin=f"http://127.0.0.1:{port}",
            subprotocols=[f"viser-v{viser.__version__}"],
            max_size=None,
            proxy=None,
        )
        view = {"wxyz": (1.0, 0, 0, 0), "look_at": (0.0, 0, 0), "up_direction": (0.0, 0, 1.0)}
        view |= {"fov": 1.0, "near": 0.1, "far": 10.0, "image_height": 9, "image_width": 16}
        self.say(ViewerCameraMessage(position=(1.0, 0, 0), **view))

    def say(self, message):
        self.line.send(msgspec.msgpack.encode(message.as_serializable_dict()))


@pytest.mark.parametrize("what", ["link", "gizmo"])
def test_who_leaves_with_the_mouse_down_lets_go(pair, what):
    session, tip, at = pair.sessions[0], pair.shown[0].tip, (0.0, 0.0, -0.5)
    hand, other = Hand(pair.port), Hand(pair.port)
    if what == "link":
        name = pair.shown[0].picture.grasped[0][0].name
        points = {"start_position": at, "end_position": at, "button": "left", "modifier": None}
        points |= {"start_screen_pos": (0.5, 0.5), "end_screen_pos": (0.5, 0.5)}
        hand.say(SceneNodeDragMessage("start", name, instance_index=None, **points))
    else:
        hand.say(TransformControlsDragStartMessage(tip.gizmo.name))
    is_held = (lambda: session.grip is not None) if what == "link" else (lambda: tip.held)
    until(pair, is_held)
    other.line.close()
    until(pair, lambda: len(pair._server.get_clients()) == 1)
    assert is_held()  # by the one who is still there
    hand.line.close()
    until(pair, lambda: not is_held())
    session.reset()


def test_a_slider_takes_another_motion_of_a_batch(pair):
    session, slider = pair.sessions[0], pair.shown[0].panel.which
    session.reset()
    assert session.q[0] == pytest.approx(0.1)
    hand = Hand(pair.port)
    hand.say(GuiUpdateMessage(slider._impl.uuid, {"value": 2}))
    until(pair, lambda: session.q[0] == pytest.approx(0.2))
    hand.line.close()


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
