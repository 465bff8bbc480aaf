"""Claims that are made of whole equations: sums, multiples, solved ones; right and wrong ones.

What a claim is worth is decided by numbers of fifty digits: it has to hold at random motions, with
the forces that these need, or at motions that need no force where it leaves forces out.
"""

import random
from dataclasses import dataclass, field

import mpmath
import sympy

from tests.support.claims.structural_systems import equations_at, mechanism

DIGITS = 50
SAME = mpmath.mpf(10) ** -30
POINTS = 3
LONGEST = 9_000  # characters; longer ones nobody types
LARGEST_BLOCK = 3  # coordinates that are coupled, of accelerations that are written out


@dataclass(frozen=True)
class Drawn:
    """A claim, its residual left - right, and forces that are said to be zero."""

    mechanism: str
    claim: object
    residual: object
    forces: frozenset  # that are in it and may act, from 0 on
    still: frozenset
    how: str
    options: dict = field(default_factory=dict)
    solved: bool = False  # for an acceleration
    row: int | None = None  # the equation that of= says it is, from 0 on

    def check(self):
        return mechanism(self.mechanism).system.check(self.claim, **self.options)

    def __str__(self):
        said = self.claim if isinstance(self.claim, str) else f"sympy.S({str(self.claim)!r})"
        more = "".join(f", {k}={x!r}" for k, x in self.options.items())
        call = f"structural_systems.mechanism({self.mechanism!r}).system.check"
        return f"{call}({said!r}{more})  # {self.how}"


def draw(name, seed):
    """A claim by the seed; about half of them are wrong."""
    chance = random.Random(f"{name} {seed}")
    m = mechanism(name)
    n = len(m.q)
    more = random.Random(f"{name} {seed}, more")
    ways = [combined, combined, multiple, divided, solved, solved_in_its_equation]
    ways = ways if m.stiffness is None else ways[:4]
    way = chance.choice(ways if n > 1 else ways[2:])
    if (n == 2 or m.stiffness is not None) and more.random() < 0.25:
        way = with_function
    left, right, how = way(m, chance)
    left, right = sympy.sympify(left), sympy.sympify(right)
    if chance.random() < 0.5:
        left, right, wrong = spoiled(left, right, m, chance)
        how = f"{how}, {wrong}"
    used = left.free_symbols | right.free_symbols
    if left == right or not used & {*m.a, *m.tau}:
        return draw(name, f"{seed}, again")
    absent = [i for i in range(n) if m.tau[i] not in used]
    still = frozenset(i for i in absent if chance.random() < 0.5) if chance.random() < 0.3 else ()
    claim, options = typed(left, right, m, still, chance)
    forces = frozenset(range(n)) - frozenset(absent) - m.passive  # these are zero where they stand
    row = None
    if len(absent) == n and not still and more.random() < 0.4:
        row = more.randrange(n)
        options["of"] = f"tau{row + 1}"
    how = f"{how}, seed {seed}"
    for_one = is_solved(left, right, m) or is_solved(right, left, m)
    written = (left - right).subs({m.tau[k]: 0 for k in m.passive})
    return Drawn(name, claim, written, forces, frozenset(still), how, options, for_one, row)


def is_solved(left, right, m):
    """Such a claim says nothing of forces, unless there is only one: a number times that is one."""
    return len(m.q) > 1 and left.as_coeff_Mul()[1] in m.a


def typed(left, right, m, still, chance):
    """As an object of SymPy or as a text; what is zero stands before it or is assumed."""
    if chance.random() < 0.3:
        left, right = right, left
    zero = "; ".join(f"tau{i + 1} = 0" for i in sorted(still))
    text = f"{left} = {right}" if chance.random() < 0.6 else ""
    text = "" if len(text) > LONGEST else text
    if still and text and chance.random() < 0.5:
        return f"{zero}; {text}", {}
    options = {"assume": zero} if still else {}
    if text:
        return text, options
    return sympy.Eq(left, right, evaluate=False), options


def kept(indices, chance):
    """Forces that are written, the others are left out."""
    way = chance.choice(["all", "all", "some", "none"])
    if way == "some":
        return [i for i in indices if chance.random() < 0.5]
    return list(indices) if way == "all" else []


def combined(m, chance):
    """A sum or difference of two or three equations, with factors."""
    count = min(len(m.q), chance.choice([2, 2, 3]))
    rows = chance.sample(range(len(m.q)), count)
    weights = [chance.choice([1, 1, -1, -1, 2, 3, factor(m, chance)]) for _ in rows]
    motion = sum(w * m.equations[i] for w, i in zip(weights, rows, strict=True))
    acting = kept(rows, chance)
    forces = sum(w * m.tau[i] for w, i in zip(weights, rows, strict=True) if i in acting)
    if len(acting) == 1 and chance.random() < 0.5:  # as a formula of that force
        w = weights[rows.index(acting[0])]
        return m.tau[acting[0]], motion / w, f"sum of {rows} as force {acting}"
    if chance.random() < 0.3:
        return motion - forces, sympy.S.Zero, f"sum of {rows} with {acting}, zero"
    return motion, forces, f"sum of {rows} with {acting}"


def factor(m, chance):
    """A parameter, a fraction, a cosine, a speed."""
    q = chance.choice(m.q)
    p = chance.choice(m.parameters)
    return chance.choice([p, 1 / p, sympy.Rational(2, 7), sympy.cos(q), m.v[m.q.index(q)], p**2])


def multiple(m, chance):
    i = chance.randrange(len(m.q))
    w = chance.choice([2, -3, factor(m, chance)])
    force = m.tau[i] if chance.random() < 0.6 else 0
    return sympy.expand(w * force), sympy.expand(w * m.equations[i]), f"multiple {w} of {i}"


def divided(m, chance):
    i = chance.randrange(len(m.q))
    p = chance.choice(m.parameters)
    force = m.tau[i] if chance.random() < 0.6 else sympy.S.Zero
    return force / p, sympy.expand(m.equations[i] / p), f"{i} divided by {p}"


def solved(m, chance):
    """An acceleration by the inverse of M, or of the block that it is coupled to."""
    M = m.mass_matrix
    blocks = [block(M, i) for i in range(len(m.q))]
    small = [i for i, b in enumerate(blocks) if len(b) <= LARGEST_BLOCK]
    if not small:
        return solved_in_its_equation(m, chance)
    i = chance.choice(small)
    rows = blocks[i]
    still = dict.fromkeys(m.a, 0)
    acting = kept(rows, chance)
    right = [m.tau[k] * int(k in acting) - m.equations[k].subs(still) for k in rows]
    part = M.extract(rows, rows)
    row = part.adjugate()[rows.index(i), :]
    above = sum(x * y for x, y in zip(row, right, strict=True))
    return m.a[i], above / part.det(), f"solved for {i} with {acting}"


def with_function(m, chance):
    """An equation with a function of another one, or of a force that the system says is zero."""
    i, k = chance.sample(range(len(m.q)), 2)
    if m.passive:
        k = min(m.passive)
        i = next(j for j in range(len(m.q)) if j != k)
    whole = chance.choice([m.equations[k], m.equations[k], m.tau[k] if k in m.passive else m.a[k]])
    f = chance.choice([sympy.Abs, sympy.sin, lambda x: x**2, lambda x: x * m.a[i]])
    return m.tau[i], m.equations[i] + f(whole), f"{i} with a function of {k}"


def block(M, i):
    """The coordinates that accelerate each other."""
    found = [i]
    for k in found:
        found += [j for j in range(M.rows) if M[k, j] != 0 and j not in found]
    return sorted(found)


def solved_in_its_equation(m, chance):
    """An acceleration from its own equation, the others on the right."""
    i = chance.randrange(len(m.q))
    own = m.mass_matrix[i, i]
    rest = sympy.expand(m.equations[i] - own * m.a[i])
    force = m.tau[i] if chance.random() < 0.6 else 0
    return m.a[i], (force - rest) / own, f"solved for {i} in its equation"


def spoiled(left, right, m, chance):
    """One thing wrong; sometimes the claim stays true, or true under conditions."""
    way = chance.choice(["term", "term", "force", "name", "more", "half", "sign"])
    if way == "force":
        forces = sorted((left - right).free_symbols & {*m.tau}, key=str)
        if forces:
            f = chance.choice(forces)
            other = chance.choice([2 * f, -f, chance.choice(m.tau)])
            return (
                left.subs(f, other) if f in left.free_symbols else left,
                right.subs(f, other),
                way,
            )
    if way == "name" and len(m.parameters) > 1:
        a, b = chance.sample(m.parameters, 2)
        return left, right.subs(a, b), f"{b} for {a}"
    if way == "more":
        k = chance.randrange(len(m.q))
        return left, right + chance.choice([1, -2, factor(m, chance)]) * m.equations[k], way
    if way == "half":
        return left, right / 2, way
    terms = sympy.Add.make_args(sympy.numer(sympy.together(right)) if right.is_Mul else right)
    term = chance.choice(terms)
    below = sympy.denom(sympy.together(right)) if right.is_Mul else 1
    times = chance.choice([-2, -1, 1, sympy.Rational(1, 2)])
    return left, right + times * term / below, "term"


def worth(drawn):
    """ "identical", or "identical if" and the forces, or "differs": at random motions."""
    m = mechanism(drawn.mechanism)
    n = len(m.q)
    absent = [i for i in range(n) if i not in drawn.forces]
    symbols = [*m.q, *m.v, *m.a, *m.tau, *m.parameters]
    value = sympy.lambdify(symbols, _parts(drawn.residual), "mpmath", cse=True)
    with mpmath.workdps(DIGITS):
        points = [_point(m, seed) for seed in range(POINTS)]
        if not _holds(value, symbols, m, points, absent):
            return "differs", set()
        needed = {i for i in absent if not _holds(value, symbols, m, points, set(absent) - {i})}
    if drawn.row is not None and drawn.row not in needed:
        return "differs", set()
    if not drawn.forces and len(needed) == 1 and not drawn.solved:
        return "identical", set()  # its own equation, which says that its force is zero
    conditions = needed - drawn.still - m.passive
    return ("identical if" if conditions else "identical"), conditions


def _parts(residual):
    """The terms, so that their sum can be told from rounding."""
    return sympy.Add.make_args(residual)


def _point(m, seed):
    chance = random.Random(f"{m.name} {seed}")
    names = [*m.q, *m.v, *m.a, *m.parameters]
    return {s: mpmath.mpf(chance.randrange(3 * 10**20, 2 * 10**21)) / 10**21 for s in names}


def _holds(value, symbols, m, points, zero):
    """Whether the claim holds at motions for which the forces `zero` are zero."""
    for point in points:
        M, h = equations_at(m, point)
        a = mpmath.matrix([point[x] for x in m.a])
        rows = sorted(zero)
        if rows and m.stiffness is not None:  # M is singular: positions follow too
            point = _without_force(m, point, rows)
            M, h = equations_at(m, point)
            a = mpmath.matrix([point[x] for x in m.a])
        elif rows:  # the nearest accelerations that need no force there
            part = mpmath.matrix([[M[i, j] for j in range(M.cols)] for i in rows])
            lack = mpmath.matrix([-h[i] for i in rows]) - part * a
            a = a + part.T * mpmath.lu_solve(part * part.T, lack)
        tau = M * a + h
        at = {**point, **dict(zip(m.a, a, strict=True)), **dict(zip(m.tau, tau, strict=True))}
        terms = value(*(at[s] for s in symbols))
        if abs(mpmath.fsum(terms)) > SAME * (1 + mpmath.fsum(abs(x) for x in terms)):
            return False
    return True


def _without_force(m, point, rows):
    """The nearest positions and accelerations that need no force; the equations are linear."""
    unknown = [*m.a, *m.q]
    part = m.stiffness.extract(rows, list(range(len(unknown)))).subs(point).evalf(DIGITS)
    part = mpmath.matrix(part.rows, part.cols) + mpmath.matrix(part.tolist())
    M, h = equations_at(m, point)
    tau = M * mpmath.matrix([point[x] for x in m.a]) + h
    step = part.T * mpmath.lu_solve(part * part.T, mpmath.matrix([-tau[i] for i in rows]))
    return point | {x: point[x] + step[k] for k, x in enumerate(unknown)}
