"""A path of least action beside others, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.drawing.look import COLOURS, words

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

PATHS = 7  # that are drawn beside the true one
SHARES = 41  # of the curve of the action
WHOLE = {"simplify": False}  # curves are drawn through all of their points


def action_figure(path: Any, size: float | None = None) -> Figure:
    """On the left paths with the same ends, on the right the action over how far they are away."""
    from visviva.drawing.figure import new_figure

    far = float(np.ptp(path.q, axis=0).max()) * 0.3 or 0.3 if size is None else float(size)
    s = path.system
    fig = new_figure(repr(path), panels=(1, 2))
    for k in range(s.nq):
        colour, name = COLOURS[k % len(COLOURS)], words(s.coordinate_names[k])
        for x in np.linspace(-far, far, PATHS):
            q, _ = path.beside(x, 1, k)
            line = {"color": colour, "width": 0.7, **WHOLE}
            pale = {"line": line, "opacity": 0.5, "showlegend": False, "mode": "lines"}
            fig.add_scatter(x=path.t, y=q[:, k], **pale, row=1, col=1)
        bold = {"color": colour, "width": 3, **WHOLE}
        fig.add_scatter(x=path.t, y=path.q[:, k], line=bold, name=name, mode="lines", row=1, col=1)
        away = np.linspace(-far, far, SHARES)
        for wave, dash in ((1, "solid"), (2, "dot")):
            S = [path.beside(x, wave, k)[1] for x in away]
            thin = {"color": colour, "dash": dash, "width": 1.5, **WHOLE}
            label = f"{name} + ε sin({wave if wave > 1 else ''}πs)"
            fig.add_scatter(x=away, y=S, line=thin, name=label, mode="lines", row=1, col=2)
    units = ", ".join(dict.fromkeys(filter(None, s.coordinate_units)))
    names = words(", ".join(s.coordinate_names)) + (f" [{units}]" if units else "")
    fig.update_xaxes(title_text="t [s]", row=1, col=1)
    fig.update_xaxes(title_text="ε; s from 0 (start) to 1 (end)", row=1, col=2)
    fig.update_yaxes(title_text=names, row=1, col=1)
    fig.update_yaxes(title_text="S [J s]", row=1, col=2)
    return fig
