"""The energy that events change at once, where they make a motion jump."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.machine.run.call import Array
from visviva.motion.samples.along import along


def states_of_jumps(run: Any) -> tuple[dict[str, Array], dict[str, Array]]:
    """The states (k, …) of one trajectory before and after its jumps."""
    breaks = run.events.breaks()
    t, none = np.array([x[0] for x in breaks]), np.zeros((len(breaks), run.system.nv))
    sides = []
    for side in (1, 2):
        q, v = (np.array([x[side][i] for x in breaks]) for i in (0, 1))
        sides.append({"q": q, "v": v, "t": t, "tau": none})
    return sides[0], sides[1]


def impacts(run: Any, quantity: str) -> Array:
    """What jumps have added to the energy until each sample (..., steps), in joules; or to a
    quantity that takes the place of the energy."""
    total = np.zeros(run.v.shape[:-1])
    if run.is_batch or not run.events.breaks():
        return total
    names = (quantity,) if quantity else ("kinetic_energy", "potential_energy")
    before, after = (
        sum(np.asarray(along(run.system, name, state, run.parameters)) for name in names)
        for state in states_of_jumps(run)
    )
    times = [x[0] for x in run.events.breaks()]
    gained = np.append(0.0, np.cumsum(after - before))
    return np.asarray(gained[np.searchsorted(times, run.t, side="right")])
