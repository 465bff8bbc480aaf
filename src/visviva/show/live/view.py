"""`LiveView`: mechanisms in a browser, all clients with one state, until it is closed."""

from __future__ import annotations

import queue
import socket
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.drawing.look import ACCENT, ALARM
from visviva.errors import ArgumentError, VisvivaError
from visviva.motion.trajectory import Trajectory
from visviva.show.figures.mechanism import position_of
from visviva.show.live.gate import (
    ANYWHERE,
    LOCAL,
    Gate,
    check_token,
    close_server,
    is_local,
    new_token,
    open_server,
)
from visviva.show.live.meshes import solids_of
from visviva.show.live.panel import NOTE, Panel, told_apart
from visviva.show.live.picture import Picture, rgb
from visviva.show.live.readings import equations_html, pushes_of
from visviva.show.live.session import Session
from visviva.show.live.stage import Spot, staged, upright
from visviva.show.live.tip import Tip, frames_that_move
from visviva.show.page.escaping import escaped
from visviva.show.scene.of import scene_of

_FRAME = 1.0 / 60.0  # s
LATEST = 0.05  # s of motion in one frame at most: what takes longer is shown slower
FOLLOWED, TOLD = 0.1, 0.25  # s between updates of sliders and of numbers
PORT = 8080  # where it is first tried
_MOST = 12  # mechanisms
STARTING = "starting: its equations are being compiled …"


class Shown:
    """One mechanism: its session, its picture, its controls."""

    def __init__(self, session: Session, picture: Picture, panel: Panel, tip: Tip | None) -> None:
        self.session, self.picture, self.panel, self.tip = session, picture, panel, tip
        self.arrows = False


class LiveView:
    """A server and what it shows; `url` is where. Ends with `close()`, or `wait()` until Ctrl-C."""

    def __init__(
        self,
        sessions: Sequence[Session],
        host: str = LOCAL,
        port: int | None = None,
        token: str | None = None,
        dark: bool = False,
        files: Sequence[str] = (),  # they are from, to tell those of one name apart
    ) -> None:
        if not 0 < len(sessions) <= _MOST:
            raise ArgumentError(f"a live view shows 1 to {_MOST} mechanisms, got {len(sessions)}")
        if token:
            check_token(token)
        self.sessions = tuple(sessions)
        self.gate = Gate(token or ("" if is_local(host) else new_token()))
        self.names = told_apart([s.system.name for s in sessions], files)
        self._server = _opened(host, port, self.gate, " · ".join(self.names))
        self.host, self.port = host, int(self._server.get_port())
        self._todo: queue.SimpleQueue[tuple[Callable[[], Any], Session | None]]
        self._todo = queue.SimpleQueue()
        self._closing, self._closed, self._door = threading.Event(), False, threading.RLock()
        self.ready = threading.Event()  # everything is compiled
        try:
            self._furnish(self.names, dark)
        except BaseException:
            close_server(self._server)
            raise
        self._threads = [
            threading.Thread(target=f, name=f"visviva view {f.__name__}", daemon=True)
            for f in (self._live, self._warm)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def url(self) -> str:
        """Where a browser finds it."""
        return self._url(LOCAL if self.host in ANYWHERE else self.host)

    @property
    def url_elsewhere(self) -> str:
        """Where other machines find it, by the name of this one; empty where `url` says it."""
        return self._url(socket.gethostname()) if self.host in ANYWHERE else ""

    def _url(self, host: str) -> str:
        host = f"[{host}]" if ":" in host else host
        return f"http://{host}:{self.port}/" + (f"{self.gate.token}/" if self.gate.token else "")

    def do(self, what: Callable[[], Any], session: Session | None = None) -> None:
        """Have something done between two frames, after what was asked before.

        What goes wrong is said under its session, or under all where none is named.
        """
        self._todo.put((what, session))

    def wait(self, seconds: float | None = None) -> None:
        """Until Ctrl-C, or so many seconds; then it is closed."""
        try:
            self._closing.wait(seconds)
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    def close(self) -> None:
        """Stop the server and everything that runs; again does nothing."""
        live = self._threads[0]
        is_own = threading.current_thread() is live  # in `do`: who closes meanwhile waits for it
        if not self._door.acquire(blocking=not is_own):
            return
        try:
            if self._closed:
                return
            self._closing.set()
            self.do(lambda: None)
            if not is_own:
                live.join(5.0)
            close_server(self._server)
            self._closed = True
        finally:
            self._door.release()

    def __enter__(self) -> LiveView:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        urls = ", from other machines ".join(filter(None, (self.url, self.url_elsewhere)))
        state = "closed" if self._closed else urls
        return f"live view of {', '.join(map(repr, self.names))}: {state}"

    # ---- what there is

    def _furnish(self, names: Sequence[str], dark: bool) -> None:
        server, scene, gui = self._server, self._server.scene, self._server.gui
        gui.configure_theme(
            dark_mode=dark,
            show_logo=False,
            show_share_button=False,
            control_width="large",
            brand_color=rgb(ACCENT),
        )
        gui.main_panel.dock_right()
        turned = [upright(s.scene, s.has_gravity) for s in self.sessions]
        self.stage = staged([s.scene for s in self.sessions], turned)
        self._floor(dark)
        scene.world_axes.visible = False
        server.initial_camera.position = self.stage.camera
        server.initial_camera.look_at = self.stage.look_at
        server.initial_camera.fov = np.radians(40.0)
        self.shown: list[Shown] = []
        self.lost: list[str] = []  # sentences on meshes that are not shown
        notes: list[str] = []
        for k, s in enumerate(self.sessions):
            meshes, lost = solids_of(s.system) if getattr(s.system, "bodies", ()) else ([], [])
            self.lost += [x for x in lost if x not in self.lost]
            notes += [*lost, *s.scene.notes]
            picture = Picture(server, f"/m{k}", s.scene, self.stage.spots[k], meshes)
            self.shown.append(Shown(s, picture, Panel(gui, s, partial(self.do, session=s)), None))
            self._graspable(k)
        tabs = gui.add_tab_group()
        with tabs.add_tab("Move"):
            self._each(names, self._move_tab)
        with tabs.add_tab("Numbers"):
            self._each(names, lambda x: x.panel.numbers())
        with tabs.add_tab("Look"):
            self._each(names, self._look_tab)
            if notes:
                text = "".join(f"<p>{escaped(x)}</p>" for x in notes)
                gui.add_html(f'<div style="{NOTE}">{text}</div>')
        self.pull = scene.add_arrows(
            "/pull", np.zeros((1, 2, 3)), rgb(ALARM), **_arrow(self.stage.extent), visible=False
        )

    def _each(self, names: Sequence[str], f: Callable[[Shown], None]) -> None:
        """In a folder of its own, where there are several."""
        for name, x in zip(names, self.shown, strict=True):
            if len(self.shown) == 1:
                f(x)
            else:
                with self._server.gui.add_folder(name):
                    f(x)

    def _move_tab(self, x: Shown) -> None:
        gui, k = self._server.gui, self.shown.index(x)
        x.panel.motion()
        with gui.add_folder("coordinates", expand_by_default=len(x.session.q) <= 12):
            x.panel.coordinates()
        if frames_that_move(x.session):
            with gui.add_folder("a frame", expand_by_default=False):
                do = partial(self.do, session=x.session)
                x.tip = Tip(self._server, f"/m{k}", x.session, do)

    def _look_tab(self, x: Shown) -> None:
        gui, hidden = self._server.gui, x.picture.hidden
        do = partial(self.do, session=x.session)
        for word in x.picture.words:
            box = gui.add_checkbox(word, word not in hidden)
            box.on_update(lambda e, w=word: do(lambda: x.picture.show(w, bool(e.target.value))))
        if getattr(x.session.system, "bodies", ()):
            box = gui.add_checkbox("forces in joints and loops", False)
            box.on_update(lambda e: do(lambda: self._show_forces(x, bool(e.target.value))))

    def _show_forces(self, x: Shown, is_shown: bool) -> None:
        x.arrows = is_shown
        if not is_shown:
            self._server.scene.remove_by_name(f"{x.picture.root}/forces")

    def _floor(self, dark: bool) -> None:
        size = 10.0 ** np.floor(np.log10(self.stage.extent))  # of a cell of the thicker lines
        size = next(x for x in (size / 2, size, 2 * size, 5 * size) if 4 * x > self.stage.extent)
        line, faint = ((70, 78, 88), (48, 54, 62)) if dark else ((176, 184, 194), (222, 227, 233))
        at = np.array([self.stage.look_at[0], self.stage.look_at[1], self.stage.floor])
        at[:2] = np.round(at[:2] / size) * size
        self._server.scene.add_grid(
            "/floor",
            width=16 * size,
            height=16 * size,
            cell_size=size / 5,
            section_size=size,
            cell_color=faint,
            section_color=line,
            cell_thickness=1.0,
            section_thickness=1.2,
            fade_distance=9.0 * self.stage.extent,
            position=at,
        )

    def _graspable(self, k: int) -> None:
        x, spot = self.shown[k], self.stage.spots[k]
        do = partial(self.do, session=x.session)
        for node, carrier in x.picture.grasped:

            async def drag(event: Any, carrier: int = carrier) -> None:
                at, to = spot.own(event.start_position), spot.own(event.end_position)
                if event.phase == "start":
                    do(lambda: x.session.grab(carrier, at))
                do(lambda: x.session.pull(to))
                if event.phase == "end":
                    do(x.session.release)

            node.on_drag("left")(drag)

    # ---- what happens

    def _warm(self) -> None:
        """Compile, and derive the equations, while the picture is already there."""
        for x in self.shown:
            if self._closing.is_set():
                return
            x.session.said = STARTING
            try:
                x.session.warm()
                x.session.said = x.session.said.removeprefix(STARTING)
            except Exception as error:  # whatever it is, it is said where "starting" stood
                x.session.said = _reason(error)
        self.ready.set()
        self.do(lambda: None)  # what is said has changed
        for x in self.shown:
            if self._closing.is_set():
                return
            try:
                html = equations_html(x.session.system)
            except Exception as error:  # whatever it is, it is said where they would be
                html = f'<div style="{NOTE}">{escaped(_reason(error))}</div>'
            self.do(partial(setattr, x.panel.equations, "content", html))

    def _live(self) -> None:
        last, followed, told, is_new = time.monotonic(), 0.0, 0.0, True
        while not self._closing.is_set():
            moving = any(s.running or s.playing for s in self.sessions)
            is_new = self._asked(0.0 if moving or is_new else 0.25) or is_new
            if self._closing.is_set():  # by what was asked
                return
            now = time.monotonic()
            if moving:
                for x in self.shown:
                    self._tried(x, partial(x.session.advance, min(now - last, LATEST)))
            last = now
            if not moving and not is_new:
                continue
            with self._server.atomic():
                self._draw()
                if now - followed > FOLLOWED or not moving:
                    followed = now
                    for x in self.shown:
                        self._tried(x, x.panel.follow)
            if now - told > TOLD or not moving:
                told = now
                for x in self.shown:
                    self._tried(x, x.panel.tell)
            is_new = moving  # where it came to rest is shown too
            time.sleep(max(0.0, _FRAME - (time.monotonic() - now)))

    def _asked(self, patience: float) -> bool:
        """Do what was asked for; whether there was anything."""
        found = False
        while True:
            try:
                f, session = self._todo.get(timeout=patience or None, block=bool(patience))
            except queue.Empty:
                return found
            found, patience = True, 0.0
            try:
                f()
            except Exception as error:  # whatever it is, the others move on
                for s in self.sessions if session is None else (session,):
                    s.said = _reason(error)

    def _tried(self, x: Shown, f: Callable[[], None]) -> None:
        try:
            f()
        except Exception as error:  # whatever it is, the others move on
            x.session.running = x.session.playing = False
            x.session.said = _reason(error)

    def _draw(self) -> None:
        pulled: list[Array] = []
        for x, spot in zip(self.shown, self.stage.spots, strict=True):
            self._tried(x, partial(self._draw_one, x, spot, pulled))
            if x.arrows:
                self._tried(x, partial(self._draw_forces, x))
        if pulled:
            self.pull.points = pulled[-1].astype(np.float32)
        if self.pull.visible != bool(pulled):
            self.pull.visible = bool(pulled)

    def _draw_one(self, x: Shown, spot: Spot, pulled: list[Array]) -> None:
        s = x.session
        x.picture.draw(s.places)
        if x.tip is not None:
            x.tip.follow()
        if (at := s.held_at) is not None and s.grip is not None:
            pulled.append(spot.seen(np.array([[at, s.grip.target]])))

    def _draw_forces(self, x: Shown) -> None:
        pushes = pushes_of(x.session)
        largest = max((p.size for p in pushes), default=0.0)
        if not largest:
            return
        scale = 0.35 * x.session.scene.size / largest
        points = np.array([[p.at, p.at + scale * p.force] for p in pushes])
        look = _arrow(1.5 * x.session.scene.size)  # wider than bars: forces often go along them
        self._server.scene.add_arrows(f"{x.picture.root}/forces", points, rgb(ALARM), **look)


def _reason(error: Exception) -> str:
    """What went wrong; of what is no refusal of ours its kind as well."""
    return str(error) if isinstance(error, VisvivaError) else f"{type(error).__name__}: {error}"


def _arrow(size: float) -> dict[str, Any]:
    return {"shaft_radius": 0.008 * size, "head_radius": 0.022 * size, "head_length": 0.06 * size}


def _opened(host: str, port: int | None, gate: Gate, label: str) -> Any:
    """At the port that was asked for; else at the usual one, or at any that is free."""
    if port is not None:
        return open_server(host, port, gate, label)
    try:
        return open_server(host, PORT, gate, label)
    except ArgumentError:
        return open_server(host, 0, gate, label)


def session_of(x: Any, q: Any = None) -> Session:
    """Of a system, or of a trajectory, which it can play."""
    if isinstance(x, Trajectory):
        return Session(x.system, x)
    return Session(x, q=None if q is None else position_of(x, scene_of(x), q, "view"))


def live_view(shown: Sequence[Any], q: Any = None, **how: Any) -> LiveView:
    """Systems and trajectories side by side, the first at q; the address is printed."""
    first, *others = shown
    made = LiveView([session_of(first, q), *map(session_of, others)], **how)
    print("\n".join([repr(made), *made.lost]))
    return made
