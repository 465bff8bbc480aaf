"""The doorway to derivatives of motions: `Motions` is the part of `System` that asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from visviva.motion.sensitivities.adjoint import Gradient
    from visviva.motion.sensitivities.forward import Sensitivities


class Motions:
    """How motions change with their start, forces and parameters."""

    def sensitivities(
        self: Any,
        q0: Any,
        v0: Any,
        t: Any,
        *,
        wrt: Any = ("q0", "v0"),
        tau: Any = None,
        u: Any = None,
        method: str = "auto",
        rtol: float = 1e-9,
        atol: float = 1e-12,
        dt: float | None = None,
        save: int = 1,
        parameters: Mapping[str, Any] | None = None,
        threads: int = 1,
        events: Any = None,
    ) -> Sensitivities:
        """∂(q, v)/∂ what `wrt` names, at all samples of the motion that `simulate` would give.

        `wrt`: "q0", "v0", "tau" or "u" (forces given as numbers), names of parameters. Derivatives
        are exactly those of the steps. Changes of q and q0 are velocities (nv,) for a unit of time.

        Examples:
            >>> from visviva.describe import catalog
            >>> cart = catalog.cart_pole()
            >>> hanging = cart.sensitivities([0.0, 0.0], [0.0, 0.0], 1.0, wrt=("v0", "m"), dt=0.1)
            >>> hanging.q["v0"].shape, hanging.v["m"].shape
            ((11, 2, 2), (11, 2))
        """
        from visviva.motion.sensitivities import forward

        how: dict[str, Any] = {"method": method, "rtol": rtol, "atol": atol, "dt": dt, "save": save}
        how |= {"tau": tau, "u": u, "parameters": parameters, "threads": threads, "events": events}
        return forward.sensitivities(self, q0, v0, t, wrt=wrt, **how)

    def gradient(
        self: Any,
        cost: Any,
        q0: Any,
        v0: Any,
        t: Any,
        *,
        wrt: Any = ("q0", "v0"),
        running: Any = None,
        tau: Any = None,
        u: Any = None,
        method: str = "auto",
        rtol: float = 1e-9,
        atol: float = 1e-12,
        dt: float | None = None,
        save: int = 1,
        parameters: Mapping[str, Any] | None = None,
        threads: int = 1,
        events: Any = None,
    ) -> Gradient:
        """∂cost/∂ what `wrt` names, in one sweep backward, however many numbers that is.

        `cost`: a function of the final (q, v) over the generic scalar, or (∂cost/∂q, ∂cost/∂v) as
        numbers, (nv,) at the end or (k, nv) at all samples. `running`: a function of (t, q, v) or
        (t, q, v, tau), whose sum over steps of length dt, times dt, is added.
        """
        from visviva.motion.sensitivities import adjoint

        how: dict[str, Any] = {"method": method, "rtol": rtol, "atol": atol, "dt": dt, "save": save}
        how |= {"tau": tau, "u": u, "parameters": parameters, "threads": threads, "events": events}
        return adjoint.gradient(self, cost, q0, v0, t, wrt=wrt, running=running, **how)
