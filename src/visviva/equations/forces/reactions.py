"""What joints exert on the bodies they carry, and every vector on the way to it.

The recursion is Luh, Walker and Paul's (Bona, *Rigid Body Dynamics*, (114)–(121)), with Craig's
frames: that of a body lies on the axis of its joint (*Introduction to Robotics*, 6.45–6.53). Links
are taken as they are: what joint forces do not show may not be left out of reactions.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from importlib import import_module
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, each
from visviva.algebra.expr import Expr
from visviva.algebra.expr import text as expression_text
from visviva.describe.model.model import Model
from visviva.describe.model.positions import sized
from visviva.equations.bodies.links import Placed, links, placed
from visviva.equations.bodies.near import at_frame, nearby
from visviva.equations.bodies.newton_euler import forces, inward, joint_forces, outward
from visviva.equations.forces.forces import (
    dissipation_forces,
    outside_loads,
    spring_forces,
)
from visviva.equations.forces.rotors import rotor_forces
from visviva.space.rotations import cross

LONGEST = 1000  # characters of a formula that is printed as a whole
SHOWN = 200  # of one that is not


def reaction_wrenches(model: Model, q: Any, v: Any, a: Any, wrenches: Any = ()) -> Array:
    """What each joint exerts on its body: (moment, force) at the body's frame, in its axes.

    One row for each body. It bears gravity, motion, wrenches from outside and springs between
    frames. Motors, friction, springs and rotors at a joint are part of the joint, so that
    Sᵀ F = τ less `at_the_joints`.
    """
    q, v, a = _state(model, q, v, a)
    near = placed(nearby(model), q)
    motions = outward(near, model.gravity, q, v, a)
    needed = [at_frame(s, W) for s, W in zip(near, forces(near, motions), strict=True)]
    steps = placed(links(model), q)
    return _rows(_passed_on(model, steps, needed, v, wrenches), 6)


def at_the_joints(model: Model, q: Any, v: Any, a: Any) -> Array:
    """The part of τ that no body feels: rotors, friction and springs at the joints."""
    own = replace(model, springs=tuple(s for s in model.springs if s.joint))
    turning = rotor_forces(own, v, a) + spring_forces(own, q)
    return turning + dissipation_forces(own, q, v)


@dataclass(frozen=True, eq=False)
class NewtonEulerTable:
    """The recursion written out, one row for each body, in its axes.

    Outward: angular velocity w and acceleration alpha, acceleration a of the origin and a_c of the
    centre of mass, both less gravity. Then the force F and the moment N about the centre of mass
    that this takes. Inward: force f and moment n that the joint exerts on the body at its origin.
    tau has the joint forces, one for each velocity, with friction and all else at the joints.
    """

    bodies: tuple[str, ...]
    w: Array
    alpha: Array
    a: Array
    a_c: Array
    F: Array
    N: Array
    f: Array
    n: Array
    tau: Array

    def __repr__(self) -> str:
        names = [item.name for item in fields(self)][1:-1]
        lines = []
        for i, body in enumerate(self.bodies):
            rows = ((name, getattr(self, name)[i]) for name in names)
            lines += [body, *(f"  {k:5} = ({', '.join(map(_text, row))})" for k, row in rows)]
        lines.append("joints")
        lines += [f"  {f'tau{k}':5} = {_text(x)}" for k, x in enumerate(self.tau, 1)]
        return "\n".join(lines)

    def expanded(self) -> NewtonEulerTable:
        """The same formulas with their products multiplied out (SymPy's)."""
        expand = import_module("sympy").expand
        names = [item.name for item in fields(self)[1:]]
        tables: dict[str, Any] = {name: each(expand, getattr(self, name)) for name in names}
        return replace(self, **tables)


def newton_euler_table(
    model: Model, q: Any, v: Any, a: Any, wrenches: Any = ()
) -> NewtonEulerTable:
    """Every vector of the recursion, over any scalar; parameters of the model have their values.

    Wrenches from outside are (frame, "body" or "world" axes, (moment, force)).

    Examples:
        >>> from visviva.describe import catalog
        >>> newton_euler_table(catalog.craig_6_5(), [0.0, 0.0], [2.0, 0.0], [0.0, 0.0]).a_c
        array([[-2.  ,  0.  ,  9.81],
               [-3.6 ,  9.81,  0.  ]])
    """
    model = model.numeric
    q, v, a = _state(model, q, v, a)
    steps = placed(links(model), q)
    motions = outward(steps, model.gravity, q, v, a)
    a_c, F, N, needed = [], [], [], []
    for b, x in zip(model.bodies, motions, strict=True):
        c, tensor = b.inertia.com, b.inertia.tensor
        a_c.append(x.a + cross(x.alpha, c) + cross(x.w, cross(x.w, c)))
        F.append(a_c[-1] * b.inertia.mass)
        N.append(tensor @ x.alpha + cross(x.w, tensor @ x.w))
        needed.append(np.concatenate([N[-1] + cross(c, F[-1]), F[-1]]))
    passed = _passed_on(model, steps, needed, v, wrenches)
    tau = joint_forces(steps, passed, model.nv) + at_the_joints(model, q, v, a)
    vectors = ([getattr(x, name) for x in motions] for name in ("w", "alpha", "a"))
    ends = ([W[3:] for W in passed], [W[:3] for W in passed])
    columns = [_rows(x, 3) for x in (*vectors, a_c, F, N, *ends)]
    return NewtonEulerTable(model.body_names, *map(_plain, (*columns, tau)))


def newton_euler_formulas(model: Model) -> NewtonEulerTable:
    """The table in SymPy's symbols: parameters by name, joints q, q', q''."""
    Symbol = import_module("sympy").Symbol
    motion: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for b in model.bodies:
        if b.mimic is None:
            joint = b.joint
            own = [_joined(b.joint_name, x) for x in joint.coordinates]
            rates = [f"{x}'" for x in own]
            if joint.coordinates != joint.velocities:  # they are no rates
                rates = [_joined(b.joint_name, x) for x in joint.velocities]
            for symbols, names in zip(motion, (own, rates, [f"{x}'" for x in rates]), strict=True):
                symbols += [Symbol(name, real=True) for name in names]
    symbolic = model.over({name: Symbol(name, real=True) for name in model.parameters})
    return newton_euler_table(symbolic, *(np.array(x, dtype=object) for x in motion))


def _passed_on(
    model: Model, steps: list[Placed], needed: list[Array], v: Any, wrenches: Any
) -> list[Array]:
    """What the joints pass on, where loads from outside do their part."""
    for body, W in outside_loads(model, steps, v, wrenches):
        needed[body] = needed[body] - W
    return inward(steps, needed)


def _state(model: Model, q: Any, v: Any, a: Any) -> tuple[Array, Array, Array]:
    n = model.nv
    return sized(model, "q", q, model.nq), sized(model, "v", v, n), sized(model, "a", a, n)


def _rows(vectors: list[Array], size: int) -> Array:
    return np.stack(vectors) if vectors else np.zeros((0, size))


def _joined(joint: str, entry: str) -> str:
    return f"{joint}_{entry}" if entry else joint


def _plain(x: Array) -> Array:
    """SymPy's floats that are whole numbers, such as the 1.0 of an axis, as whole numbers."""
    if x.dtype != object or not any(type(y).__module__.startswith("sympy") for y in x.flat):
        return x
    sympy = import_module("sympy")
    entries = [sympy.sympify(y) for y in x.flat]
    numbers = {k for y in entries for k in y.atoms(sympy.Float)}
    whole = {k: sympy.Integer(k) for k in numbers if float(k).is_integer()}
    return np.array([y.xreplace(whole) for y in entries], dtype=object).reshape(x.shape)


def _text(x: Any) -> str:
    """One entry in print; of a long formula the beginning, and how long it is."""
    if isinstance(x, Expr):
        return expression_text(x)
    if isinstance(x, float):
        return f"{x:.6g}"
    size = _leaves(x, {}) if getattr(x, "args", ()) else 1
    text = str(x) if size <= LONGEST else _beginning(x, SHOWN)
    if size <= LONGEST and len(text) <= LONGEST:
        return text
    return f"{text[:SHOWN]} … ({size} numbers and symbols)"


def _beginning(x: Any, room: int) -> str:
    """The first `room` characters of a formula, or more; SymPy would print all of it, for long."""
    if _leaves(x, {}) <= SHOWN:
        return str(x)
    parts: list[str] = []
    for part in x.args:
        left = room - sum(map(len, parts))
        if left <= 0:
            break
        text = _beginning(part, left)
        parts.append(f"({text})" if x.is_Mul and part.is_Add else text)
    if x.is_Add or x.is_Mul:
        return (" + " if x.is_Add else "*").join(parts).replace("+ -", "- ")
    return f"{x.func.__name__}({', '.join(parts)})"


def _leaves(x: Any, known: dict[Any, int]) -> int:
    """How many numbers and symbols a formula has in print; equal parts are looked at once."""
    if x not in known:
        known[x] = sum(_leaves(y, known) for y in x.args) if x.args else 1
    return known[x]
