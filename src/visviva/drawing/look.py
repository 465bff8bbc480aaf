"""Colours, fonts and margins, the same in every figure; words that are shown as they are.

Figures have no background of their own, and grey ink that can be read on white and on black: they
look right in light and in dark pages.
"""

from __future__ import annotations

from textwrap import wrap
from typing import Any

import numpy as np

Array = np.ndarray

INK = "#6b7685"
FAINT, RULE = "rgba(128,138,150,0.22)", "rgba(128,138,150,0.55)"
GRID = "#a4aeb9"  # in space, where lines are thinner
CLEAR = "rgba(0,0,0,0)"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
COLOURS = (
    "#2f6fdb",  # blue
    "#d9622b",  # vermilion
    "#2a9d6f",  # green
    "#b0459a",  # purple
    "#c79a1d",  # ochre
    "#15a0b5",  # teal
    "#d1495b",  # red
    "#5a6b7b",  # slate
)
LINK, ACCENT, ALARM = "#6f8296", COLOURS[0], COLOURS[6]
AXES = ("#d1495b", "#2a9d6f", "#2f6fdb")  # x, y, z of a frame
SCALE = "Viridis"  # of maps
BAR = {"thickness": 14, "outlinewidth": 0, "len": 0.62, "y": 0.0, "yanchor": "bottom"}
LETTERS = "xyz"

HEIGHT = 420  # pixels
TITLE_SIZE, LINE_HEIGHT = 15, 20
LINE_LETTERS, MOST_TITLE_LINES = 78, 3  # 700 pixels wide
MOST_LETTERS = 40  # of a name


def words(text: Any, most: int = MOST_LETTERS) -> str:
    """A name as plotly shows it as it is: no mark-up, not endless."""
    plain = " ".join(str(text).split())
    plain = plain if len(plain) <= most else plain[: most - 1] + "…"
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def titled(text: Any) -> dict[str, Any]:
    """The title of a figure in lines that fit, and the margin that they need above."""
    lines = wrap(" ".join(str(text).split()), LINE_LETTERS) or [""]
    if len(lines) > MOST_TITLE_LINES:
        lines = [*lines[: MOST_TITLE_LINES - 1], " ".join(lines[MOST_TITLE_LINES - 1 :])]
        lines[-1] = lines[-1][: LINE_LETTERS - 1] + "…"
    shown = "<br>".join(words(line, LINE_LETTERS) for line in lines)
    more = len(lines) - 1  # plotly moves them up by half their height
    pad = {"l": 12, "t": 14 + LINE_HEIGHT * more // 2}
    return {"title": {"text": shown, "pad": pad}, "margin": {"t": 54 + LINE_HEIGHT * more}}


def template() -> dict[str, Any]:
    """What all figures share, as a template of plotly."""
    axis = {
        "gridcolor": FAINT,
        "zerolinecolor": RULE,
        "linecolor": RULE,
        "tickcolor": RULE,
        "ticks": "outside",
        "ticklen": 4,
        "automargin": True,
        "title": {"standoff": 8},
    }
    space = {
        "gridcolor": GRID,
        "zerolinecolor": GRID,
        "linecolor": GRID,
        "showbackground": False,
        "backgroundcolor": CLEAR,
        "tickfont": {"size": 11},
        "showspikes": False,
        "nticks": 6,
    }
    layout = {
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "colorway": list(COLOURS),
        "font": {"family": FONT, "size": 13, "color": INK},
        "title": {
            "font": {"size": TITLE_SIZE},
            "x": 0.0,
            "xanchor": "left",
            "y": 1.0,
            "yanchor": "top",
            "yref": "container",
        },
        "margin": {"l": 64, "r": 34, "t": 54, "b": 52},
        "modebar": {"bgcolor": CLEAR, "color": RULE, "activecolor": INK, "orientation": "v"},
        "xaxis": axis,
        "yaxis": axis,
        "scene": {"xaxis": space, "yaxis": space, "zaxis": space, "bgcolor": CLEAR},
        "legend": {
            "orientation": "h",
            "x": 0.0,
            "xanchor": "left",
            "y": 0.0,
            "yanchor": "bottom",
            "yref": "container",
            "bgcolor": CLEAR,
            "font": {"size": 12},
        },
        "hoverlabel": {"font": {"family": FONT, "size": 12}},
    }
    return {"layout": layout}
