"""Formulas of coordinates as rows: A and β by derivatives of the formula's own graph.

With q̇ = N(q) v, a formula g(q, q̇, v, t) that is linear in velocities has A = ∂g/∂q̇ N + ∂g/∂v, and
β = ∂g/∂q q̇ + ∂g/∂t + ∂g/∂q̇ Ṅ v; of a position's formula φ, g is φ̇.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.algebra.diff import along
from visviva.algebra.expr import evaluated
from visviva.describe.constraints.relation import (
    PRIME,
    JointNames,
    Rate,
    Relation,
    joint_names,
)
from visviva.describe.joints.joint import Joint
from visviva.describe.model.model import Model
from visviva.describe.names import TIME_NAME
from visviva.equations.bodies.links import Link, links, own


@dataclass(frozen=True, eq=False)
class Named:
    """The coordinates of a model by the names that relations have for them."""

    model: Model
    q: Array
    t: Any
    joints: list[tuple[JointNames, Link]]

    @classmethod
    def of(cls, model: Model, q: Any, t: Any) -> Named:
        """At a position and a time."""
        names = joint_names(model.bodies)
        return cls(model, vector(q), t, list(zip(names, links(model), strict=True)))

    @property
    def velocities(self) -> frozenset[str]:
        """Names of those that are no rates."""
        return frozenset(x for names, _ in self.joints for x in names.v)

    def values(self, v: Any = None) -> dict[str, Any]:
        """Of coordinates and time; with v of rates and velocities too."""
        values = {TIME_NAME: self.t}
        for names, link in self.joints:
            x = own(link, self.q)
            values |= zip(names.q, x, strict=True)
            if v is not None:
                u = v[link.v] * link.ratio
                rates = link.joint.rates(x, u)
                values |= zip((name + PRIME for name in names.q), rates, strict=True)
                values |= zip(names.v, u, strict=False)
        return values

    def row(self, slopes: dict[str, Any]) -> Array:
        """∂g/∂q̇ N + ∂g/∂v (n,), from what g changes by per rate and velocity."""
        row: Any = [0.0] * self.model.nv
        for names, link in self.joints:
            by_rate = [slopes.get(name + PRIME) for name in names.q]
            part = [slopes.get(name, 0.0) for name in names.v] or [0.0] * link.joint.nv
            if any(x is not None for x in by_rate):
                N = _rates(link, own(link, self.q))
                for x, rates in zip(by_rate, N, strict=True):
                    if x is not None:
                        part = [p + x * r for p, r in zip(part, rates, strict=True)]
            for k, x in zip(range(link.v.start, link.v.stop), part, strict=True):
                row[k] = row[k] + x * link.ratio
        return vector(row)

    def turning(self, v: Any, slopes: dict[str, Any]) -> Any:
        """∂g/∂q̇ Ṅ v: how rates change while velocities stay."""
        total: Any = 0.0
        for names, link in self.joints:
            if link.joint.has_rates or not any(x + PRIME in slopes for x in names.q):
                continue
            change = _turning(link.joint, own(link, self.q), v[link.v] * link.ratio)
            for name, c in zip(names.q, change, strict=True):
                total = total + slopes.get(name + PRIME, 0.0) * c
        return total


def _turning(joint: Joint, x: Any, v: Any) -> Any:
    """Ṅ v of one joint."""

    def rates(y: Array) -> Array:
        return joint.rates(y[: joint.nq], y[joint.nq :])

    still = np.zeros(joint.nv)
    return along(rates, vector([*x, *v]), vector([*joint.rates(x, v), *still]))


def _rates(link: Link, x: Any) -> Any:
    """N (nq, nv) of one joint."""
    if link.joint.has_rates:
        return np.eye(link.joint.nv)
    return np.stack([link.joint.rates(x, e) for e in np.eye(link.joint.nv)], axis=1)


def relation_row(named: Named, relation: Relation) -> Array:
    """A (1, n) of one relation."""
    rate = relation.rate(named.velocities)
    return named.row(_slopes(relation, rate, named.values()))[None, :]


def relation_drift(named: Named, relation: Relation) -> Any:
    """a₀ of one relation."""
    rate = relation.rate(named.velocities)
    return evaluated([rate.rest], relation.with_numbers(named.values()))[0]


def relation_bias(named: Named, relation: Relation, v: Any) -> Any:
    """β of one relation."""
    rate, values = relation.rate(named.velocities), named.values(vector(v))
    changes = evaluated(rate.changes.values(), relation.with_numbers(values))
    total: Any = 0.0
    for name, change in zip(rate.changes, changes, strict=True):
        total = total + (change if name == TIME_NAME else change * values[name + PRIME])
    return total + named.turning(vector(v), _slopes(relation, rate, values))


def _slopes(relation: Relation, rate: Rate, values: dict[str, Any]) -> dict[str, Any]:
    numbers = evaluated(rate.slopes.values(), relation.with_numbers(values))
    return dict(zip(rate.slopes, numbers, strict=True))
