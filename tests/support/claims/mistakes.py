"""Known mistakes, made by hand in Lagrange's derivation: energies in, wrong equations out.

Nothing here knows how mistakes are recognised; derivatives are SymPy's.
"""

import random
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import mpmath
import sympy

from tests.support.claims.systems import DIGITS, closed, points, rates, same, value

S = sympy.Symbol

# bodies by mass, distance of the centre from the joint, rates of turning across it
ARMS = {
    "two_link": [("m1", "r1", ["qd1"]), ("m2", "r2", ["qd1 + qd2"])],
    "rp_arm": [("m1", "r1", ["qd1"]), ("m2", "q2", ["qd1"])],
    "pr_arm": [("m2", "r2", ["qd2"])],
    "planar_3r": [
        ("m1", "r1", ["thetad1"]),
        ("m2", "r2", ["thetad1 + thetad2"]),
        ("m3", "r3", ["thetad1 + thetad2 + thetad3"]),
    ],
    "spatial_3r": [
        ("m2", "r2", ["thetad2", "thetad1*cos(theta2)"]),
        ("m3", "r3", ["thetad2 + thetad3", "thetad1*cos(theta2 + theta3)"]),
    ],
    "scara": [("m1", "r1", ["thetad1"]), ("m2", "r2", ["thetad1 + thetad2"])],
}
# relative angles that may be taken for absolute ones: coordinates from the base outwards
CHAINS = {
    "two_link": ("q1", "q2"),
    "planar_3r": ("theta1", "theta2", "theta3"),
    "spatial_3r": ("theta2", "theta3"),
    "scara": ("theta1", "theta2"),
}
ANGLES = {"rp_arm": ["q1"], "pr_arm": ["q2"], "craig_6_5": ["theta2"], "sphere": ["phi"]}
ANGLES |= {"euler_body": ["q2", "q3"]} | {k: list(x) for k, x in CHAINS.items()}
ANGLES |= {"puma560": ["joint2", "joint3", "joint4", "joint5"]}
LENGTHS = {"rp_arm": ("q2", "r1"), "pr_arm": ("q1", "r2")}  # from where else they may be measured
MECHANISMS = [*ARMS, "craig_6_5", "polar_point", "sphere", "bead_on_rotating_wire", "euler_body"]
MECHANISMS += ["puma560"]


@dataclass(frozen=True)
class Derivation:
    """Energies and what is done with them; the fields are the places where one goes wrong."""

    mechanism: str
    T: sympy.Expr
    V: sympy.Expr
    D: sympy.Expr  # Rayleigh's function
    slopes: int = 1  # how often ∂T/∂q is subtracted
    force: int = 1  # the sign of τ
    cross: sympy.Expr = sympy.S.One  # the factor of products of two velocities
    pair: tuple = ()  # in this product only
    moved: tuple = ()  # coordinates put in afterwards: the forces are those of the others

    @property
    def symbols(self):
        f = closed(self.mechanism)
        return f.coordinates, f.velocities, f.accelerations

    def equations(self):
        q, v, a = self.symbols
        made = []
        for i in range(len(q)):
            p = self.T.diff(v[i])
            rate = sum(p.diff(q[k]) * v[k] + p.diff(v[k]) * a[k] for k in range(len(q)))
            tau = rate - self.slopes * self.T.diff(q[i]) + self.V.diff(q[i]) + self.D.diff(v[i])
            made.append(self.force * self.miscounted(sympy.expand(tau)))
        whole = sympy.Matrix(made)
        return whole.subs(dict(self.moved), simultaneous=True) if self.moved else whole

    def miscounted(self, tau):
        _, v, _ = self.symbols
        pairs = [(j, k) for j in range(len(v)) for k in range(j + 1, len(v))]
        for j, k in pairs:
            if not self.pair or self.pair == (j, k):
                tau += (self.cross - 1) * tau.coeff(v[j], 1).coeff(v[k], 1) * v[j] * v[k]
        return tau

    def mass_matrix(self):
        _, v, _ = self.symbols
        return sympy.hessian(self.T, v)

    def gravity(self):
        q, _, _ = self.symbols
        return sympy.Matrix([self.V.diff(x) for x in q])

    def claims(self):
        """Left sides and what stands on the right."""
        static = {"g": self.gravity(), "V": self.V}
        static |= {f"g{i + 1}": x for i, x in enumerate(self.gravity())}
        if self.mechanism == "puma560":
            return {} if self.is_dynamic else static
        tau = self.equations()
        made = {f"tau{i + 1}": x for i, x in enumerate(tau)} | {"tau": tau}
        if self.is_dynamic:
            return made
        return made | static | {"M": self.mass_matrix(), "L": self.T - self.V, "T": self.T}

    @property
    def is_dynamic(self):
        """Whether the mistake is made after the energies."""
        return bool(self.moved) or (self.slopes, self.force, self.cross) != (1, 1, 1)

    def turned(self, changes):
        """With coordinates replaced in all energies, their rates alike."""
        full = {}
        for i, x in enumerate(self.symbols[0]):
            new = changes.get(x.name, x)
            full[x] = new
            full[self.symbols[1][i]] = sum(
                new.diff(y) * w for y, w in zip(*self.symbols[:2], strict=True)
            )
        T, V, D = (x.subs(full, simultaneous=True) for x in (self.T, self.V, self.D))
        return replace(self, T=T, V=V, D=D)


@cache
def right(name):
    f = closed(name)
    v = f.velocities
    if name == "puma560":  # only its gravity vector is claimed
        return Derivation(name, sympy.S.Zero, f.potential_energy, sympy.S.Zero)
    D = sum((b * w for b, w in zip(f.dissipation, v, strict=True)), sympy.S.Zero) / 2
    return Derivation(name, f.kinetic_energy, f.potential_energy, D)


def mistakes(name):
    """All of them, with their kinds."""
    d = right(name)
    q = [x.name for x in d.symbols[0]]
    if d.V != 0:
        yield "gravity", replace(d, V=-d.V)
    for x in q:
        yield "axis", d.turned({x: -S(x)})
        yield "axis", replace(d, moved=tuple((S(y), -S(y)) for y in _with_rates(name, x)))
    for x in ANGLES.get(name, []):
        for turn in (sympy.pi / 2, -sympy.pi / 2, sympy.pi):
            yield "zero", d.turned({x: S(x) + turn})
    if name in LENGTHS:
        x, p = LENGTHS[name]
        yield "zero", d.turned({x: S(x) + S(p)})
        yield "zero", d.turned({x: S(x) - S(p)})
    if name in CHAINS:
        run = CHAINS[name]
        relative = {b: S(b) - S(a) for a, b in pairwise(run)}
        yield "absolute angles", d.turned(relative)
        moved = [
            (S(new), S(new) - S(old))
            for a, b in pairwise(run)
            for old, new in zip(_with_rates(name, a), _with_rates(name, b), strict=True)
        ]
        yield "absolute angles", replace(d, moved=tuple(moved))
    for times in (sympy.Rational(1, 2), sympy.S(2)):
        n = len(q)
        for pair in [(j, k) for j in range(n) for k in range(j + 1, n)]:
            yield "factor", replace(d, cross=times, pair=pair)
        yield "factor", replace(d, cross=times)
    yield "∂T/∂q", replace(d, slopes=0)
    yield "∂T/∂q", replace(d, slopes=-1)
    yield "side", replace(d, force=-1)
    if d.D != 0:
        yield "friction", replace(d, D=-d.D)
    arms = [sum(S(m) * S(r) ** 2 * _square(w) / 2 for w in ws) for m, r, ws in ARMS.get(name, [])]
    groups = [*arms, sum(arms)] if len(arms) > 1 else arms
    for extra in groups:
        yield "parallel axis", replace(d, T=d.T - extra)
        yield "inertia about the joint", replace(d, T=d.T + extra)


def _with_rates(name, coordinate):
    return [coordinate, *(k for k, (q, _) in rates(name).items() if q == coordinate)]


def _square(text):
    return sympy.parse_expr(text) ** 2


def other_factorisations(name):
    """Matrices C with the same C v."""
    f = closed(name)
    q, v = f.coordinates, f.velocities
    n, M, C = len(q), f.mass_matrix, f.coriolis_matrix
    loose = sympy.Matrix(
        n,
        n,
        lambda i, j: sum((M[i, j].diff(q[k]) - M[j, k].diff(q[i]) / 2) * v[k] for k in range(n)),
    )
    made = [loose] if n > 1 else []
    for i in range(n):
        for j in range(n):
            for k in range(j + 1, n):
                share = sympy.expand(C[i, j]).coeff(v[k])
                if share != 0:  # into the other column
                    changed = C.copy()
                    changed[i, j] -= share * v[k]
                    changed[i, k] += share * v[j]
                    made.append(changed)
    return made


@cache
def table(name):
    """All wrong claims about a mechanism: (kind, left side, right side, its print)."""
    f = closed(name)
    truths = right(name).claims()
    if name != "puma560":
        truths["C"] = f.coriolis_matrix
    if not same(truths["g"], f.gravity):  # with forces of a turning frame in it
        truths = {k: x for k, x in truths.items() if k[0] != "g"}
    made = []
    found = [(kind, d.claims()) for kind, d in mistakes(name)]
    if name != "puma560":
        found += [("factorisation", {"C": x}) for x in other_factorisations(name)]
    for kind, claims in found:
        for left, x in claims.items():
            if left in truths and _print(x) != _print(truths[left]):
                made.append((kind, left, x, _print(x)))
    return made


def _print(x):
    """Values at two points; what has the same ones is the same."""
    entries = list(x) if isinstance(x, sympy.MatrixBase) else [x]
    names = sorted({s.name for e in entries for s in e.free_symbols})
    made = []
    with mpmath.workdps(DIGITS):
        for seed in (1, 2):
            at = {n: next(points([n], f"{n} {seed}", 1))[n] for n in names}
            made += [mpmath.nstr(value(e, at), 25) for e in entries]
    return tuple(made)


@dataclass(frozen=True)
class Mistaken:
    """A claim with a known mistake; `kinds` are all those that lead to it."""

    mechanism: str
    claim: str
    kind: str
    kinds: frozenset


def mistaken(name, seed):
    """A wrong claim: first the mistake is drawn, then what is claimed."""
    chance = random.Random(f"{name} {seed}")
    rows = table(name)
    kind = chance.choice(sorted({k for k, *_ in rows}))
    rows_of = [row for row in rows if row[0] == kind]
    equations = [row for row in rows_of if row[1].startswith("tau")]
    if equations and chance.random() < 0.6:
        rows_of = equations
    _, left, x, print_ = chance.choice(rows_of)
    kinds = frozenset(k for k, other, _, p in rows if other == left and p == print_)
    claim = f"{left} = {x.tolist() if isinstance(x, sympy.MatrixBase) else x}"
    if kind == "side" and left != "tau" and chance.random() < 0.5:
        claim = f"{-x} + {left} = 0"
    return Mistaken(name, claim, kind, kinds)
