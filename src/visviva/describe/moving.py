"""The doorway from a system to its motions: what can be asked of it that takes time, or none.

`Moving` is the part of `System` that leads to the room of motion.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.describe.others import Asked
from visviva.errors import ArgumentError, by_names
from visviva.hints import words_of_others

if TYPE_CHECKING:
    from visviva.motion.action.stationary import ActionPath
    from visviva.motion.action.variation import Action
    from visviva.motion.feasibility import Feasibility
    from visviva.motion.sensitivities.adjoint import Gradient
    from visviva.motion.sensitivities.forward import Sensitivities
    from visviva.motion.stability.equilibria import Equilibria
    from visviva.motion.stability.limits import StabilityLimit
    from visviva.motion.stability.linearization import Linearization
    from visviva.motion.steps.law import Controller
    from visviva.motion.trajectory import Trajectory


_NEAR = "model.equilibria(), which needs no start; within={name: (low, high)} bounds it"
_STATE = "model.simulate(x0[:model.nq], x0[model.nq:], t)"
_STATES = dict.fromkeys(("x0", "y0", "state", "initial_state"), _STATE)
_LISTED = "model.simulate(q0, v0, np.linspace(0.0, 5.0, 101))  # times wanted"
_TIMES = dict.fromkeys(("steps", "n", "num", "fps", "n_steps", "samples"), _LISTED)
_TIMES["max_step"] = "model.simulate(q0, v0, t, method='rk4', dt=0.001)"
_PUSH = "model.simulate(q0, v0, t, tau=lambda t, q, v: model.jacobian(frame)(q).T @ wrench)"
_PUSHED = dict.fromkeys(("wrenches", "wrench", "external", "f_ext", "fext"), _PUSH)
_PUSHED = {k: f"{x}  # (moment, force) in world axes" for k, x in _PUSHED.items()}
_DRIVE = 'model.with_constraint("theta1\' = 6").simulate(q0, v0, t)  # at a given speed'
_DRIVEN = dict.fromkeys(("motor", "drive", "speed"), _DRIVE)
_OTHERS = _STATES | _TIMES | _PUSHED | _DRIVEN
_VARIED = "[model.equilibria(parameters={parameter: x}) for x in values]"


class Moving(metaclass=Asked):
    """Motions, positions of rest, and what small motions about them do."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Refused: a system is no function."""
        raise ArgumentError(
            f"a {type(self).__name__} is no function; its formulas are model.closed_form(), its "
            "accelerations model.forward_dynamics(q, v, tau); model.symbolic, without brackets, is "
            "a model with its parameters as symbols"
        )

    def __getitem__(self, key: Any) -> Any:
        """Refused: parts of a system are in its own lists."""
        bodies, frames = (getattr(self, x, ()) for x in ("body_names", "frame_names"))
        part = "frames" if isinstance(key, str) and key in {*frames} - {*bodies} else "bodies"
        way = f"model.{part}[{key!r:.60}]" if bodies else "model.coordinate_names"
        raise ArgumentError(f"a {type(self).__name__} is no list: here it is {way}")

    def __contains__(self, name: object) -> bool:
        """Refused: names of which parts?"""
        there = "frame_names" if getattr(self, "body_names", ()) else "coordinate_names"
        raise ArgumentError(
            f"a {type(self).__name__} is no list: here it is {name!r:.60} in model.{there}"
        )

    def __len__(self) -> int:
        """Refused: of what?"""
        bodies = getattr(self, "body_names", ())
        way = "len(model.bodies), model.nq or model.nv" if bodies else "model.nq"
        raise ArgumentError(f"a {type(self).__name__} is no list: here it is {way}")

    def __bool__(self) -> bool:
        return True  # of what has a length that is refused

    def with_stops(self: Any, restitution: Any = 0.0) -> Any:
        """With limits of position that stop joints in motions; otherwise these hold nothing.

        `restitution`: of a velocity against a stop what comes back, 0 (it stays there) to 1 (no
        energy is lost): a number for all joints that have limits, or a mapping from names of
        joints, `arm.with_stops({"elbow": 0.3})`, the others as they are. None takes stops away.
        Joints that follow others, and those whose velocities are no rates, have none.

        Examples:
            >>> import visviva as vv
            >>> b = vv.Builder("ball")
            >>> _ = b.body("ball", joint="prismatic", axis="z", limits=(0.0, 9.0), mass=1.0)
            >>> run = b.build().with_stops(0.5).simulate([1.0], [0.0], 10.0)
            >>> run.q[-1], run.v[-1], run.contact[-1]
            (array([0.]), array([0.]), array([9.81]))
        """
        from visviva.describe.stops import with_stops

        return with_stops(self, restitution)

    @words_of_others("model.simulate", duration="t", t_end="t", tf="t", T="t", t_span="t", q="q0",
                     v="v0", qd0="v0", dq0="v0", torque="tau", controller="tau", t_eval="t",
                     tspan="t", solver="method", **_OTHERS)  # fmt: skip
    def simulate(
        self: Any,
        q0: Any,
        v0: Any = None,
        t: Any = None,
        *,
        tau: Any = None,
        u: Any = None,
        method: str = "auto",
        rtol: float = 1e-9,
        atol: float = 1e-12,
        dt: float | None = None,
        save: int = 1,
        parameters: Mapping[str, Any] | None = None,
        threads: int = 1,
        record: Any = None,
        events: Any = None,
    ) -> Trajectory:
        """The motion from q0 (nq,) and v0 (nv,), or of N starts (N, …); times in seconds.

        Without `v0` from rest. `t`: a duration, a pair, or times wanted. `tau`: forces (nv,),
        (steps, nv) held, or (N, steps, nv), a function of (t, q, v) or a `vv.Controller`; `u`:
        those of actuators. Steps are as long as `rtol`, `atol` allow, or `dt`; `save` keeps some.
        `parameters`: values, or (N,).
        `record`: a path where the run is written as it goes; the same call resumes it.
        `events`: functions of (t, q, v) whose zeros are wanted, or `vv.Event`, a list or by names.
        """
        from visviva.motion.simulation import simulate

        if t is None:
            raise ArgumentError("a motion takes a time: simulate(q0, v0, 5.0), or from rest t=5.0")
        v0 = np.zeros(self.nv) if v0 is None else v0
        how: dict[str, Any] = {"method": method, "rtol": rtol, "atol": atol, "dt": dt, "save": save}
        how |= {"tau": tau, "u": u, "parameters": parameters, "threads": threads, "record": record}
        return simulate.simulate(self, q0, v0, t, events=events, **how)

    def velocities(
        self: Any, q: Any, stated: Mapping[str, Any] | None = None, /, t: float = 0.0, **joints: Any
    ) -> Any:
        """v (nv,) at q that the constraints admit, with some velocities as stated, by name.

        `linkage.velocities(q, crank=6.0)`, or a mapping. The others are as near to zero, by their
        energy, as can be; what constraints cannot admit is refused.
        """
        from visviva.solve import assembly

        given = by_names("velocities", stated, joints) if joints else stated or {}
        return assembly.velocities(self, q, given, t)

    def with_bristles(self: Any, laws: Mapping[str, Any], tau: Any = None) -> Controller:
        """Forces of LuGre's friction in joints, for `tau=` of `simulate`, which carries their z.

        `laws`: a `LuGre` by the name of a joint; bristles are at ease at first. `tau`: what acts
        besides, numbers, a function of (t, q, v) or a `vv.Controller` without a period.

        Examples:
            >>> import visviva as vv
            >>> b = vv.Builder("block", gravity=(0.0, 0.0, 0.0))
            >>> _ = b.body("block", joint="prismatic", axis="x", mass=1.0)
            >>> s, law = b.build(), vv.LuGre(1.0, stiffness=1e4, damping=300.0)
            >>> pushed = s.with_bristles({"block_joint": law}, tau=[0.5])
            >>> s.simulate([0.0], [0.0], 1.0, tau=pushed).q[-1].round(8)  # it gives way, and stays
            array([6.931e-05])
        """
        from visviva.motion.steps import bristles

        return bristles.with_bristles(self, laws, tau)

    @words_of_others("model.equilibria", parameter=_VARIED, wrt=_VARIED, bounds="within",
                     limits="within", n="starts", q0=_NEAR, guess=_NEAR, x0=_NEAR)  # fmt: skip
    def equilibria(
        self: Any,
        v: Any = None,
        *,
        tau: Any = None,
        within: Mapping[str, tuple[float, float]] | None = None,
        t: float = 0.0,
        starts: int = 200,
        parameters: Mapping[str, float] | None = None,
        wrenches: Any = None,
    ) -> Equilibria:
        """Positions at which nothing accelerates: at rest, or in steady motion with velocities v.

        `tau`: constant forces. Where up to four coordinates are unknown, each an angle or within
        limits or `within` = {name: (low, high)}, it is proved that these are all; otherwise, and
        where constraints hold the system, they are those that random `starts` led to. `wrenches`
        maps frames of a model to (moment, force) on it, which stay as they are in world axes.
        """
        from visviva.motion.stability import equilibria

        how: dict[str, Any] = {"tau": tau, "within": within, "t": t, "starts": starts}
        return equilibria.equilibria(self, v, **how, parameters=parameters, wrenches=wrenches)

    @words_of_others("model.linearize", q0="q", v0="v", u="tau", at="q", x0="q")
    def linearize(
        self: Any,
        q: Any = None,
        v: Any = None,
        *,
        tau: Any = None,
        t: float = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Linearization:
        """The linear system about an equilibrium q, or a steady motion with velocities v.

        `tau`: constant forces (nv,), or "hold", those of its actuators that it takes to rest here;
        of a linkage that many of them hold the smallest, with a note. A state that changes by
        itself is refused with what accelerates.
        """
        from visviva.motion.stability import about

        return about.linearize(self, q, v, tau=tau, t=t, parameters=parameters)

    @words_of_others("model.stability_limit", bounds="between", range="between", limits="between")
    def stability_limit(
        self: Any,
        parameter: str,
        between: tuple[float, float],
        q: Any = None,
        v: Any = None,
        *,
        tau: Any = None,
        t: float = 0.0,
    ) -> StabilityLimit:
        """The value of a parameter at which small motions begin to grow, or stop growing.

        q and v: the equilibrium, or functions of the parameter's value; q is followed where it
        moves with the parameter. If it ends in a fold first, as at a snap-through, that value is
        the limit, of `kind` "fold"; where it jumps or leaves limits, that is the error.
        """
        from visviva.motion.stability import limits

        return limits.stability_limit(self, parameter, between, q, v, tau=tau, t=t)

    def feasibility(
        self: Any, path: Any, t: Any = None, *, velocity: Any = None, effort: Any = None
    ) -> Feasibility:
        """Whether a trajectory keeps the limits of position, velocity and effort.

        `path`: a `Trajectory`, or a function of time that returns q, written with `vv.generic`, for
        a duration or a pair `t`; inverse dynamics tells its forces. Limits are the model's own, of
        its actuators if it has such, or `velocity` and `effort` (nv,). Joints that nothing drives
        take no effort.
        """
        from visviva.motion import feasibility

        return feasibility.feasibility(self, path, t, velocity=velocity, effort=effort)

    def action(self: Any, path: Any, t: Any = None, *, along: Any = None) -> Action:
        """S = ∫ (T - V) dt along a path, and its first and second variation.

        `path`: a function of time that returns q, written with `vv.generic`, for a duration or a
        pair `t`; or a `Trajectory`. `along`: the variation η, likewise: derivatives by ε of the
        action of q + ε η.
        """
        from visviva.motion.action import variation

        return variation.action(self, path, t, along)

    def least_action(
        self: Any, q0: Any, q1: Any, t: Any, *, steps: int = 200, guess: Any = None
    ) -> ActionPath:
        """The true path between two positions in a time: where the action is stationary.

        `guess`: positions (steps + 1, nq) to begin with, or a function of the share of the time.
        """
        from visviva.motion.action import stationary

        return stationary.least_action(self, q0, q1, t, steps=steps, guess=guess)

    def conjugate_times(self: Any, q0: Any, v0: Any, t: float) -> Any:
        """Times up to t at which motions from q0 with slightly other velocities meet again.

        After the first of them the action of the path is no minimum any more.
        """
        from visviva.motion.action import conjugate

        return conjugate.conjugate_times(self, q0, v0, t)

    def maupertuis(
        self: Any, q0: Any, q1: Any, energy: float, *, steps: int = 200, guess: Any = None
    ) -> ActionPath:
        """The true path between two positions at an energy: where ∫ p · dq is stationary."""
        from visviva.motion.action import stationary

        return stationary.maupertuis(self, q0, q1, energy, steps=steps, guess=guess)

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
