"""Implicit steps: the midpoint rule, and discrete least action.

Both look for the velocity ξ with which the step is made, q₁ = q₀ ⊕ h ξ, from an equation at its
middle q̄ = q₀ ⊕ ½ h ξ. The midpoint rule takes the equations of motion there, (v₁ - v₀)/h = v̇ with
ξ = ½ (v₀ + v₁). The variational step makes Σ h L(q̄, ξ) stationary (Marsden and West, *Discrete
mechanics and variational integrators*, Acta Numerica 2001). With x = h ξ, and f = ∂L/∂q + forces at
the middle:

    ∂L/∂v(q̄, ξ) = Φ(-x)ᵀ p₀ + ½ h Φ(-x/2)ᵀ f          p₁ = Ad(x/2)ᵀ (Ad(x/2)ᵀ p₀ + h f)

Ad(x) is the adjoint matrix of exp(x), Φ(x) the derivative of exp: of joints whose velocities are no
rates; for all others both are 1. So momenta on which no force acts are carried over as they are,
and those of a free body seen from space.

Both remember `residual`: what Newton's method leaves of these equations, the largest of all steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva.algebra import generic as g
from visviva.algebra.arrays import Array, vector
from visviva.equations.bodies.factor import Factor
from visviva.equations.steps.flow import State
from visviva.errors import ArgumentError
from visviva.machine.function import Function
from visviva.machine.systems import stated_functions
from visviva.motion.steps.flow import Flow
from visviva.motion.steps.newton import ITERATIONS, Given, largest, solution
from visviva.space import poses

NEAR = 1e-12  # how far a joint's motions may be from those of a group

Stepped = tuple[State, dict[str, Any]]


def midpoint(flow: Flow, s: State, t: Any, h: Any, given: Given) -> Stepped:
    """The implicit midpoint rule: of order two, reversible, stable however stiff the system is."""
    _check_treated(flow.system, "midpoint")
    w, _, residual = solution(flow, _midpoint_defect, s, t, h, given, {})
    n = len(s.v)
    new = State(flow.moved(s.q, w[:n] * h), _mirrored(w[:n], s.v), _mirrored(w[n:], s.x))
    return new, {"residual": g.maximum(given["residual"], residual)}


def variational(flow: Flow, s: State, t: Any, h: Any, given: Given) -> Stepped:
    """Discrete least action: of order two, reversible, symplectic, keeps momenta of symmetries.

    It remembers `rest` besides: p, which goes from step to step, less ∂L/∂v at the rounded v.
    """
    _check_treated(flow.system, "variational")
    p = _slopes(flow, t, s.q, s.v, given)[1] + vector(given["rest"])
    w, scale, residual = solution(flow, _action_defect, s, t, h, given, {"p": p})
    n, half = len(s.v), h * 0.5
    q, v, tau, _ = _middle(flow, t, h, s, w, given)
    f = _slopes(flow, t + half, q, v, given)[0] + tau
    p = _carried(flow, given, v * half, p, _adjoint)
    p = _carried(flow, given, v * half, p + f * h, _adjoint)
    q, v = flow.moved(s.q, v * h), _mirrored(v, s.v)
    M = flow.system.function("mass_matrix", parameters=flow.parameters)
    for _ in range(ITERATIONS if "v" in M.inputs else 1):
        rest = p - _slopes(flow, t + h, q, v, given)[1]
        v = v + Factor(_value(M, t + h, q, v, given)).solve(rest)
    rest = p - _slopes(flow, t + h, q, v, given)[1]
    residual = g.maximum(residual, largest(rest) / scale)
    memory = {"residual": g.maximum(given["residual"], residual), "rest": rest}
    return State(q, v, _mirrored(w[n:], s.x)), memory


def _mirrored(middle: Any, first: Any) -> Array:
    """The end of what is `middle` on average of both ends."""
    return vector(middle) * 2.0 - vector(first)


def _midpoint_defect(flow: Flow, named: Given) -> dict[str, Any]:
    """½ h (M a + C v + g + b - τ) at the middle, with a = (v₁ - v₀)/h = 2 (ξ - v₀)/h."""
    s, t, h = State(named["q"], named["v"], named["x"]), named["t"], named["h"]
    q, v, tau, rest = _middle(flow, t, h, s, named["w"], named)
    f = flow.system.function("inverse_dynamics", parameters=flow.parameters)
    force = _value(f, t + h * 0.5, q, v, named, a=(v - vector(s.v)) * (2.0 / h))
    return {"defect": np.concatenate([(force - tau) * (h * 0.5), rest]), "size": tau * h}


def _action_defect(flow: Flow, named: Given) -> dict[str, Any]:
    """∂L/∂v - Φ(-x)ᵀ p₀ - ½ h Φ(-x/2)ᵀ f at the middle."""
    s, t, h = State(named["q"], named["v"], named["x"]), named["t"], named["h"]
    q, v, tau, rest = _middle(flow, t, h, s, named["w"], named)
    half = h * 0.5
    force, momentum = _slopes(flow, t + half, q, v, named)
    before = _carried(flow, named, -v * h, named["p"], poses.exp_derivative)
    pushed = _carried(flow, named, -v * half, force + tau, poses.exp_derivative)
    left = momentum - before - pushed * half
    sizes = np.concatenate([force * h, tau * h])
    return {"defect": np.concatenate([left, rest]), "size": sizes}


def _middle(
    flow: Flow, t: Any, h: Any, s: State, w: Any, given: Given
) -> tuple[Any, Any, Any, Any]:
    """q̄, ξ, the forces τ there, and the defect of the middle of what a controller remembers."""
    v, x, half = vector(w[: len(s.v)]), vector(w[len(s.v) :]), h * 0.5
    q = flow.moved(s.q, v * half)
    tau, rates = flow.law.at(t + half, q, v, x, given)
    return q, v, tau, x - vector(s.x) - vector(rates) * half


def _slopes(flow: Flow, t: Any, q: Any, v: Any, given: Given) -> tuple[Any, Any]:
    """∂L/∂q along motions, with the losses and the forces of the system itself, and ∂L/∂v."""
    total = {"q": np.zeros(len(v)), "v": np.zeros(len(v))}
    for name, sign in (("kinetic_energy", 1.0), ("potential_energy", -1.0)):
        f = flow.system.function(name, parameters=flow.parameters)
        by = [k for k in total if k in f.inputs]
        slopes = _value(f.jacobian(*by), t, q, v, given)
        for k, slope in zip(by, slopes if len(by) > 1 else [slopes], strict=True):
            total[k] = total[k] + slope * sign
    for name, sign in (("dissipation_forces", -1.0), ("applied_forces", 1.0)):
        if name in stated_functions(flow.system):
            f = flow.system.function(name, parameters=flow.parameters)
            total["q"] = total["q"] + _value(f, t, q, v, given) * sign
    return total["q"], total["v"]


def _value(f: Function, t: Any, q: Any, v: Any, given: Given, **more: Any) -> Any:
    values = {**given, "q": q, "v": v, "t": t, **more}
    return f._evaluated([values[k] for k in f.inputs], "a motion")


def _adjoint(twist: Any) -> Array:
    return poses.exp(twist).adjoint()


def _carried(flow: Flow, given: Given, x: Any, p: Any, matrix: Callable[[Any], Array]) -> Array:
    """Momenta p times the matrix of the twist S x of every joint whose velocities are no rates."""
    if not flow.system.charts:
        return vector(p)
    carried, model = list(vector(p)), flow._with(given)
    for b, own in zip(model.bodies, model.v_index, strict=True):
        if not b.joint.has_rates:
            S = b.joint.subspace(b.joint.neutral())
            carried[own] = S.T @ (matrix(S @ vector(x[own])).T @ (S @ vector(p[own])))
    return vector(carried)


def _check_treated(system: Any, method: str) -> None:
    """Refuse what these steps would do wrong."""
    if system.held_by:
        raise ArgumentError(
            f"method {method!r} takes no constraints, and {system.name!r} is held by "
            f"{', '.join(system.held_by)}: brought back to them after a step it would be neither "
            "reversible nor keep momenta. 'semi-implicit', 'rk4', 'dopri5' and 'dop853' take them"
        )
    for b in system.bodies if system.charts else ():
        if not b.joint.has_rates and not _is_group(b.joint):
            raise ArgumentError(
                f"method {method!r} moves joints whose velocities are no rates by exponentials of "
                f"twists S v, S constant with columns of length one; {b.joint_name!r}, "
                f"{b.joint.kind}, does not move so"
            )


def _is_group(joint: Any) -> bool:
    """Whether v moves the child frame by exp(S v), with S constant and orthonormal."""
    S, rng = joint.subspace(joint.neutral()), np.random.default_rng(0)
    if not joint.constant_subspace or np.abs(S.T @ S - np.eye(joint.nv)).max() > NEAR:
        return False
    q = joint.random(rng, np.full(joint.nq, -np.inf), np.full(joint.nq, np.inf))
    v = rng.normal(size=joint.nv)
    there, moved = joint.transform(joint.integrate(q, v)), joint.transform(q) @ poses.exp(S @ v)
    return bool(np.abs(there.matrix() - moved.matrix()).max() < NEAR)
