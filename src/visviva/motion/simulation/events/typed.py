"""Events that are typed: "q2 = 0", "theta' = 1", "x - 2*sin(t)"; read as claims are."""

from __future__ import annotations

from typing import Any

from visviva.algebra.expr import Graph
from visviva.motion.simulation.events.event import Event
from visviva.notation.formula import Declared


def typed_event(system: Any, text: str, terminal: bool | int = False) -> Event:
    """Where an equation holds, or a formula is zero: of t, coordinates, and rates with a prime."""

    names, single = system.coordinate_names, {}
    for q_part, v_part in system.joint_slices.values():  # of several, velocities are no rates of q
        if q_part.stop - q_part.start == v_part.stop - v_part.start == 1:
            single[names[q_part.start]] = v_part.start

    def g(t: Any, q: Any, v: Any) -> Any:
        values = {"t": t, **dict(zip(names, q, strict=True))}
        rates = {name: v[i] for name, i in single.items()}
        return Declared(values, tuple(rates)).expression(text, t.graph, rates)

    graph = Graph()
    q, v = (
        [graph.input(f"{k}{i}") for i in range(n)] for k, n in (("q", system.nq), ("v", system.nv))
    )
    g(graph.input("t"), q, v)  # what is wrong with the text is said now
    return Event(g, terminal=terminal, name=text)
