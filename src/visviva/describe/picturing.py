"""The doorway from a system to its pictures: figures of plotly, pages in which it moves, studies.

`Picturing` is the part of `System` that leads to the room of what a person sees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from visviva.describe.calls import CALLS_OF_RUNS, WORDS_OF_MOTIONS
from visviva.describe.others import Asked, answered, not_there
from visviva.describe.words import WORDS_OF_RUNS
from visviva.drawing.displayed import Displayed
from visviva.errors import ArgumentError
from visviva.hints import words_of_others

if TYPE_CHECKING:
    from visviva.show.figures.still import Still
    from visviva.show.figures.view import View
    from visviva.show.live.view import LiveView
    from visviva.show.study.study import Study


class Picturing(Displayed):
    """A mechanism as a picture, still or moved by hand."""

    @words_of_others("model.plot")
    def plot(self: Any, q: Any = None, *, t: float = 0.0, show: Sequence[str] | None = None) -> Any:
        """The mechanism at a position, as a plotly figure: flat if it moves in a plane.

        `q`: numbers, or values by names; without it where its picture begins. `t` matters where its
        points depend on the time. `show`: what is seen at first, words of the legend as "links",
        "joints", "inertia", "frames", "names"; the others appear when the legend is clicked.

        Examples:
            >>> import visviva as vv
            >>> fig = vv.catalog.rp_arm().plot([0.5, 0.6])
            >>> fig.layout.title.text
            'rp_arm: q₁ = 0.5, q₂ = 0.6'
        """
        from visviva.show.figures import mechanism

        return mechanism.mechanism_figure(self, q, t, show)

    @words_of_others("model.picture")
    def picture(
        self: Any,
        q: Any = None,
        *,
        t: float = 0.0,
        show: Sequence[str] | None = None,
        towards: Any = None,
    ) -> Still:
        """The mechanism at a position as a vector picture: `.save("arm.svg")`, or `.svg`, its text.

        `q`, `t` and `show` are those of `plot`; what `show` does not name is left out. `towards`:
        the direction (x, y, z) from the mechanism to who looks at it; without it what moves in a
        plane is seen along its normal, everything else from one side.

        Examples:
            >>> import visviva as vv
            >>> vv.catalog.rp_arm().picture([0.5, 0.6]).svg[:4]
            '<svg'
        """
        from visviva.show.figures import still

        return still.still(self, q, t, show, towards)

    def show(self: Any, q: Any = None, *, path: Any = None) -> View:
        """The mechanism in a page of its own, to be turned, and moved by sliders.

        A notebook shows it in place; elsewhere it is written to a temporary file, which a browser
        opens if there is one, and its path is printed. With `path` it is written there, and nothing
        opens. It needs no network.
        """
        from visviva.show.figures import view

        return view.mechanism_view(self, q).shown(path)

    def view(self: Any, *others: Any, q: Any = None, **how: Any) -> LiveView:
        """Live in the browser: moved by sliders, pulled by a hand, dragged at its tip.

        `others`, systems or trajectories, stand beside it. The address is printed, and is that of
        this machine alone; `host`, `port`, `token`, `dark` and `files`, names that tell those of
        one name apart, are options. It lives until `.close()`, or `.wait()` until Ctrl-C. Needs
        `pip install visviva[view]`.
        """
        from visviva.show.live import view

        return view.live_view((self, *others), q, **how)

    @words_of_others("model.study", q0="q", start="q", position="q", x0="q", file="path",
                     output="path", filename="path")  # fmt: skip
    def study(
        self: Any,
        path: Any = None,
        *,
        q: Any = None,
        claims: Any = None,
        source: str = "",
        patience: float = 1.0,
    ) -> Study:
        """All that is known of it on one page: picture, laboratory, equations, proofs, motion.

        `path`: where the page is written, `.html`; without it `.save(path)` writes it. `q`: where
        it is shown and let go, numbers or values by names; else where its picture begins.
        `claims`: equations to be judged, as texts, by labels, or a file of them. `source`: the file
        it was read from, for the lines that say how to get everything again. `patience`: how many
        times as long as usual a section may take before it is left out, with a note.
        """
        from visviva.show.study import study

        made = study.study(self, claims, source=source, patience=patience, q=q)
        if path is not None:
            made.save(path)
        return made


class Played(Displayed, metaclass=Asked):
    """A motion as a picture that is played."""

    _read_by: ClassVar[Mapping[str, str]] = WORDS_OF_MOTIONS

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        answered("run", CALLS_OF_RUNS)(cls)

    def __call__(self, t: Any = 0.0, *_: Any) -> Any:
        """Refused: a motion is no function."""
        raise ArgumentError(f"a motion at a time is run.at({t!r:.80}), which gives q and v")

    if not TYPE_CHECKING:  # type checkers shall see what is not there

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name in dir(type(self)) or name in self.__dataclass_fields__:
                return object.__getattribute__(self, name)  # its own error
            if name in self:
                raise AttributeError(f"a Trajectory has no {name!r}: here it is run[{name!r}]")
            raise AttributeError(not_there(self, name, WORDS_OF_RUNS, "run"))

    def picture(self: Any, *names: str) -> Still:
        """Its curves as a vector picture: `.save("run.svg")`, or `.svg`, its text.

        `names` are those of `plot`; without them coordinates, velocities and forces. The mechanism
        itself at a moment is `run.system.picture(run.q[k])`.

        Examples:
            >>> import visviva as vv
            >>> run = vv.catalog.pendulum(n=1).simulate([0.5], [0.0], 1.0)
            >>> run.picture("theta1").svg[:4]
            '<svg'
        """
        from visviva.show.figures import still

        return still.Still(self.system.name, self.plot(*names).svg)

    def animate(self: Any, path: Any = None) -> View:
        """The mechanism in motion, in a page of its own: play, scrub, turn it; of a batch choose.

        A notebook shows it in place; elsewhere it is written to a temporary file, which a browser
        opens if there is one, and its path is printed. With `path` it is written there, and nothing
        opens. It needs no network.
        """
        from visviva.show.figures import motions

        return motions.motion_view(self).shown(path)

    def view(self: Any, *others: Any, **how: Any) -> LiveView:
        """The motion live in the browser, played on the mechanism, which can also be moved by hand.

        `others`, systems or trajectories, stand beside it; the rest is as with a system's `view`.
        """
        from visviva.show.live import view

        return view.live_view((self, *others), None, **how)
