"""A motion of the mechanism by itself: coordinates, energies, the account, constraints."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.drawing.digits import number
from visviva.drawing.figure import graph, subplots
from visviva.notation.names import Names
from visviva.show.page.parts import facts, fold, note
from visviva.show.study.demo_motion import velocity_units
from visviva.show.study.part import Part, paragraph, said, sign
from visviva.show.study.studied import Studied

_PANEL = 190  # pixels
_IDLE = 1e-9  # of the largest multiplier: one that does nothing
_MOST_LINES = 14
_FAST = 0.3  # of a second: shorter motions are told in milliseconds


def motion(s: Studied) -> Part:
    """The motion of the picture above, with where its energy goes."""
    demo = s.demo_motion
    run, start, motors = demo.run, demo.start, demo.motors
    account = run.account
    html = s.page.plot(
        _figure(s, _coordinates(s, run)),
        f"Coordinates and velocities of {s.name} over {number(run.t[-1], 's', 3)}",
        "Click a name in the legend to hide its line; drag to look closer.",
    )
    energies = {"energies [J]": _energies(account)}
    html += s.page.plot(
        _figure(s, energies, run.t), f"Kinetic, potential and total energy of {s.name}"
    )
    html += _account(account)
    if s.is_held:
        has_error = bool(np.size(run.constraint_error))
        html += s.page.plot(
            _figure(s, _constraint_panels(run), run.t),
            f"Forces of the constraints of {s.name}",
            "Multipliers λ are the forces with which constraints hold it"
            + ("; below, by how much constraints are violated." if has_error else "."),
        )
    notes = "".join(paragraph(x) for x in run.notes)
    html += note(notes) if notes else ""
    how = str(run.statistics.get("method", ""))
    done = run.statistics
    times = f"np.linspace(0.0, {run.t[-1]:.6g}, {len(run.t)})"
    if "rtol" in done:
        how += f", to a relative tolerance of {number(done['rtol'], digits=1)}"
    elif "dt" in done:  # where tolerances would take too long
        times = f"{float(run.t[-1])!r}, method={how!r}, dt={done['dt']!r}"
        how += f", in steps of {number(done['dt'], digits=3)} s"
    lead = (
        f"{start.description[:1].upper()}{start.description[1:]}, {motors.description}: "
        f"{number(run.t[-1], digits=3)} seconds by {how}."
    )
    tau = ", tau=hold" if motors.springs else ""
    lines = (
        "import numpy as np",
        f"q, v = {s.at(start.q)}, {s.at(start.v)}",
        *motors.python_lines,
        f"run = system.simulate(q, v, {times}{tau})",
        "print(run.account)",
        "run.plot()",
    )
    data = {"t": float(run.t[-1]), "balance_error": float(np.abs(account.balance_error).max())}
    return Part(lead, html, lines, data=data)


def _coordinates(s: Studied, run: Any) -> dict[str, list[tuple[str, Array]]]:
    """Lines by what they are and their unit."""
    names = Names(s.system.coordinate_names, s.system.velocity_names)
    units = [c.unit for c in s.scene.coordinates]  # found by formulas where none are stated
    panels: dict[str, list[tuple[str, Array]]] = {}
    for what, called, in_units, values in (
        ("positions", s.system.coordinate_names, units, run.q),
        ("velocities", s.system.velocity_names, velocity_units(s.scene), run.v),
    ):
        for k, (name, unit) in enumerate(zip(called, in_units, strict=True)):
            unit = "" if unit == "1" else unit
            label = sign(name, names)
            title = f"{what} [{unit}]" if unit else what
            panels.setdefault(title, []).append((label, values[:, k]))
    return panels


def _energies(account: Any) -> list[tuple[str, Array]]:
    lines = [("kinetic", account.kinetic), ("potential", account.potential)]
    lines.append(("total", account.energy))
    if account.jacobi is not None:
        lines.append((account.jacobi_name, account.jacobi))
    lines += [(f"work of {k}", x) for k, x in account.work.items() if _is_told(k, x)]
    return lines


def _is_told(kind: str, x: Array) -> bool:
    return bool(np.any(x)) and kind != "gravity and springs"


def _constraint_panels(run: Any) -> dict[str, list[tuple[str, Array]]]:
    force, error = np.asarray(run.multipliers), np.asarray(run.constraint_error)
    acts = np.abs(force).max(axis=0, initial=0.0)
    acts = acts > _IDLE * acts.max(initial=0.0)  # others hold what nothing pushes
    rows = np.flatnonzero(acts) if acts.any() else range(force.shape[1])
    panels = {"multipliers λ": [(sign(f"lambda{k + 1}"), force[:, k]) for k in rows]}
    if error.size:
        panels["violation [m, rad]"] = [("largest", np.abs(error).max(axis=1))]
    return panels


def _account(account: Any) -> str:
    """The balance in three numbers, and the whole account folded."""
    error = float(np.abs(account.balance_error).max())
    shown = {
        "energy at first": number(account.energy[0], "J", 5),
        "energy at last": number(account.energy[-1], "J", 5),
        "unaccounted for, at most": number(error, "J", 2),
    }
    moving = {k: float(x) for k, x in account.momentum_drift.items()}
    for name, drift in list(moving.items())[:2]:
        shown[f"drift of the conserved momentum {name}"[:60]] = number(drift, digits=2)
    return facts(shown) + fold("The whole account", said(account))


def _figure(s: Studied, panels: dict[str, list[tuple[str, Array]]], t: Array | None = None) -> Any:
    """Panels under each other, over one time."""
    times = np.asarray(s.demo_motion.run.t if t is None else t)
    fast = times[-1] < _FAST
    rows = len(panels)
    gap = 0.14 / max(rows, 1)
    fig = subplots.make_subplots(rows=rows, cols=1, shared_xaxes=True, vertical_spacing=gap)
    for row, (title, lines) in enumerate(panels.items(), 1):
        called = "legend" if row == 1 else f"legend{row}"
        for label, values in lines[:_MOST_LINES]:
            fig.add_trace(
                graph.Scatter(
                    x=1e3 * times if fast else times,
                    y=_short(values),
                    name=label,
                    legend=called,
                    mode="lines",
                    line={"width": 1.8},
                ),
                row=row,
                col=1,
            )
        axis = fig.get_subplot(row, 1).yaxis
        axis.title.text = title
        fig.update_layout({called: {"y": axis.domain[1], "yanchor": "top", "x": 1.01}})
    fig.update_xaxes(title_text="time [ms]" if fast else "time [s]", row=rows, col=1)
    fig.update_layout(height=70 + _PANEL * rows, margin={"l": 60, "r": 10, "t": 20, "b": 45})
    fig.update_layout(showlegend=True)  # also of one line, which else has no name
    return fig


def _short(x: Array) -> Array:
    """With as many digits as can be seen, which keeps pages small."""
    scale = float(np.abs(x[np.isfinite(x)]).max(initial=0.0))
    if not scale:
        return x
    digits = int(6 - np.floor(np.log10(scale)))
    return np.round(x, digits) if digits < 300 else x
