"""The controls of one mechanism in a live view: sliders, switches, numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain, count
from typing import Any

import numpy as np

from visviva.errors import ArgumentError
from visviva.notation.names import printable
from visviva.show.live.acting import MOTORS_DO
from visviva.show.live.readings import energies_html, forces_html, matrices_html, pushes_of
from visviva.show.live.session import Session
from visviva.show.page.escaping import escaped

Do = Callable[[Callable[[], Any]], None]  # takes what shall be done, one after the other
STEPS = 400  # of a slider
HALF = 0.0005  # of the last digit of its ends: they are rounded outward
MOST_FRICTION = 6.0  # per second
SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "5")
NOTE = "font-size:0.82em;padding:0 10px 6px;opacity:0.85"


def plain(text: Any, most: int = 60) -> str:
    """A name as a label: one line, no marks that turn text around, not endless."""
    made = printable(" ".join(str(text).split()))
    return made if len(made) <= most else made[: most - 1] + "…"


def distinct(names: Iterable[str], most: int) -> dict[str, str]:
    """Names by labels of at most so many letters: those that are cut to the same are numbered."""
    found: dict[str, str] = {}
    for x in names:
        label = plain(x, most)
        while label in found:
            tail = f" ({len(found) + 1})"
            label = plain(x, most - len(tail)) + tail
        found[label] = x
    return found


def told_apart(names: Sequence[str], files: Sequence[str] = ()) -> list[str]:
    """Labels of mechanisms: one whose name is taken has its file beside it, or a number.

    Examples:
        >>> told_apart(["arm", "arm", "arm"], ["", "run.npz", ""])
        ['arm', 'arm (run.npz)', 'arm 2']
    """
    if files and len(files) != len(names):
        raise ArgumentError(f"files= has one for each of {len(names)} mechanisms, got {files!r}")
    found: list[str] = []
    for k, name in enumerate(names):
        label, file = plain(name, 40), plain(files[k], 40) if files else ""
        beside = [f"{label} ({file})"] if file else []
        ways = chain([label], beside, (f"{label} {n}" for n in count(2)))
        found.append(next(x for x in ways if x not in found))
    return found


class Panel:
    """Controls that call a session through `do`, and follow it."""

    def __init__(self, gui: Any, session: Session, do: Do) -> None:
        self.gui, self.session, self.do = gui, session, do
        self.sliders: list[Any] = []
        self.play: Any = None  # where there was a motion from the start

    def motion(self) -> None:
        """Run, reset, gravity, motors, friction; what is to be said."""
        s, gui = self.session, self.gui
        self.run = gui.add_button("Run", color="blue", hint="Let it move by its own equations.")
        self.run.on_click(lambda _: self.do(self._toggle))
        gui.add_button("Reset").on_click(lambda _: self.do(s.reset))
        gravity = gui.add_checkbox("gravity", s.gravity, disabled=not s.has_gravity)
        self._on(gravity, lambda on: s.switch_gravity(on))
        if getattr(s.system, "bodies", ()):
            motors = gui.add_dropdown("motors", MOTORS_DO, initial_value=s.motors)
            self._on(motors, s.switch_motors)
        friction = gui.add_slider("added friction 1/s", 0.0, MOST_FRICTION, 0.1, s.friction)
        self._on(friction, lambda x: setattr(s, "friction", float(x)))
        self.note = gui.add_html("")
        if s.run is not None:
            self._playing()

    def coordinates(self) -> None:
        """A slider for every coordinate."""
        s = self.session
        for c in s.scene.coordinates:
            x = float(s.q[c.index])
            low, high = round(min(c.lower, x) - HALF, 3), round(max(c.upper, x) + HALF, 3)
            slider = self.gui.add_slider(
                plain(f"{c.label} {c.unit}".strip(), 24),
                low,
                high,
                round((high - low) / STEPS, 4) or 1e-4,
                x,
                hint=plain(c.name),
            )
            self._on(slider, partial(s.slide, c.index))
            self.sliders.append(slider)

    def numbers(self) -> None:
        """Energies, M(q), forces inside, equations."""
        gui = self.gui
        with gui.add_folder("energies"):
            self.energies = gui.add_html("")
        with gui.add_folder("matrices now"):
            self.matrices = gui.add_html("")
        with gui.add_folder("forces in joints and loops", expand_by_default=False):
            self.forces = gui.add_html("")
        with gui.add_folder("equations of motion", expand_by_default=False):
            self.equations = gui.add_html(f'<div style="{NOTE}">being derived …</div>')

    def _playing(self) -> None:
        s, gui, run = self.session, self.gui, self.session.run
        if run is None:
            return
        first, last = float(run.t[0]), float(run.t[-1])
        self.play = gui.add_button("Play the motion", color="teal")
        self.play.on_click(lambda _: self.do(self._toggle_play))
        self.time = gui.add_slider("time s", first, last, (last - first) / 1000, first)
        self._on(self.time, self._sought)
        count = 1 if s.batch is None else len(s.batch.q)
        if count > 1:
            hint = "Which motion of the batch is played, counted from 1."
            self.which = gui.add_slider("motion", 1, count, 1, 1, hint=hint)
            self._on(self.which, lambda k: s.choose(int(k) - 1))
        speed = gui.add_dropdown("speed", SPEEDS, initial_value="1")
        self._on(speed, lambda x: setattr(s, "speed", float(x)))

    def _sought(self, t: float) -> None:
        self.session.running = self.session.playing = False
        self.session.seek(t)

    def _toggle(self) -> None:
        s = self.session
        s.running, s.playing, s.said = not s.running, False, ""
        if not s.running:
            s.release()

    def _toggle_play(self) -> None:
        s = self.session
        if s.playing:
            s.playing = False
        else:
            s.play()

    def _on(self, control: Any, f: Callable[[Any], Any]) -> None:
        """What people change; what the session changes itself is not sent back."""

        def changed(event: Any) -> None:
            if event.client_id is not None:
                value = event.target.value
                self.do(lambda: f(value))

        control.on_update(changed)

    # ---- following

    def follow(self) -> None:
        """Sliders and words to where the session is."""
        s = self.session
        for c, slider in zip(s.scene.coordinates, self.sliders, strict=True):
            x = float(s.q[c.index])
            if c.kind == "angle" and not slider.min <= x <= slider.max:
                x = (x + np.pi) % (2 * np.pi) - np.pi
            slider.value = float(np.clip(x, slider.min, slider.max))
        self.run.label = "Pause" if s.running else "Run"
        if self.play is not None:
            self.play.label = "Pause the motion" if s.playing else "Play the motion"
            self.time.value = float(np.clip(s.t, self.time.min, self.time.max))
        said = f"t = {s.t:.2f} s"
        said += f" · pulled with {np.linalg.norm(s.force):.3g} N" if s.grip is not None else ""
        said += f" · {s.said}" if s.said else ""
        text = f'<div style="{NOTE}">{escaped(said)}</div>'
        if self.note.content != text:
            self.note.content = text

    def tell(self) -> None:
        """Numbers as they are now."""
        s = self.session
        self.energies.content = energies_html(s)
        self.matrices.content = matrices_html(s)
        self.forces.content = forces_html(s, pushes_of(s))
