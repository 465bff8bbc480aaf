"""`visviva view`: mechanisms live in the browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated, Any

import typer

from visviva.cli.common import Base, completions, system_of
from visviva.cli.output import say, tell
from visviva.errors import ArgumentError

MOTIONS = (".nc", ".csv", ".npz", ".run")  # suffixes of motions that were saved


def view(
    mechanisms: Annotated[
        list[str],
        typer.Argument(
            help="Names of the catalogue or files, also of saved motions: .nc, .csv, .npz, .run.",
            autocompletion=completions,
            metavar="NAME|FILE...",
        ),
    ],
    host: Annotated[
        str, typer.Option(help="Where it listens; other machines need the token it prints.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(help="Port; 0 is any. Else 8080 or any.", min=0, max=65535)
    ] = None,
    dark: Annotated[bool, typer.Option("--dark", help="Light on dark.")] = False,
    open_it: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    seconds: Annotated[
        float | None, typer.Option(help="End by itself after so many seconds.", min=0.0)
    ] = None,
    base: Base = "fixed",
) -> None:
    """Live in the browser: sliders, a tip to drag, a hand to pull with, gravity on and off.

    Several stand side by side. What is moved is the mechanism itself, by its compiled equations, in
    real time; all browsers that look see the same. Ctrl-C ends it.

    \b
    Examples:
      visviva view puma560
      visviva view robot.urdf four_bar --dark
      visviva view run.npz --open
    """
    found = [_found(x, base) for x in mechanisms]
    tell("starting …")
    from visviva.show.live.view import LiveView, session_of

    shown = LiveView(
        [session_of(x) for x in found],
        host=host,
        port=port,
        dark=dark,
        files=[Path(x).name if Path(x).suffix else "" for x in mechanisms],
    )
    try:
        say(f"{', '.join(shown.names)}: {shown.url}")
        if shown.url_elsewhere:
            say(f"from other machines: {shown.url_elsewhere}")
        for note in shown.lost:
            tell(note)
        tell("Ctrl-C ends it")
        if open_it:
            webbrowser.open(shown.url)
        shown.wait(seconds)
    except KeyboardInterrupt:
        pass  # which is how it ends
    finally:
        shown.close()


def _found(what: str, base: str) -> Any:
    from visviva.motion.loading import load_trajectory

    is_motion = Path(what).suffix.lower() in MOTIONS
    if is_motion and base != "fixed":
        raise ArgumentError(
            f"--base {base} is for URDF files; {what} has a motion of its mechanism"
        )
    return load_trajectory(what) if is_motion else system_of(what, base)
