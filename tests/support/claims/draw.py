"""Claims about mechanisms, right and wrong ones, drawn at random.

The truth is the closed form. A right claim is a rewriting of it, a wrong one an edit; whether a
formula is still the same function is decided by numbers of fifty digits, never by the engine under
test.
"""

import random
import re
from dataclasses import dataclass, field

import mpmath
import sympy

from tests.support.claims.edits import edited, rewritten
from tests.support.claims.forms import full, typed, with_matrices
from tests.support.claims.systems import (
    DIGITS,
    SAME,
    Subject,
    closed,
    points,
    rates,
    same,
    subjects,
    system,
    value,
)

# other names that can be read in one way only
NAMED = {
    "two_link": {"L1": "l1", "r1": "lc1", "r2": "lc2", "a_g": "g", "q1": "theta1", "q2": "theta2"},
    "rp_arm": {"I1": "Izz1", "I2": "Izz2", "a_g": "g"},
    "pr_arm": {"r2": "lc2", "I2": "Izz2", "q2": "theta2"},
    "craig_6_5": {"L1": "l1", "L2": "l2", "M1": "m1", "M2": "m2"},
    "planar_3r": {f"theta{k}": f"q{k}" for k in (1, 2, 3)} | {"l1": "L1", "l2": "L2"},
    "spatial_3r": {f"theta{k}": f"phi{k}" for k in (1, 2, 3)} | {"I2": "J2", "I3": "J3"},
    "scara": {"I1": "J1", "I2": "J2", "I3": "J3", "theta1": "q1", "theta2": "q2", "d": "q3"},
    "polar_point": {"m": "M", "theta": "q1", "r": "q2"},
    "bead_on_rotating_wire": {"Omega": "omega", "m": "M"},
    "sphere": {"phi": "q1", "psi": "q2"},
    "euler_body": {f"q{k}": f"theta{k}" for k in (1, 2, 3)},
    "puma560": {f"joint{k}": f"q{k}" for k in range(1, 7)},
    "numbers": {"q1": "theta1", "q2": "theta2"},
    "hinge": {"q": "theta"},
}
NAMES = tuple(NAMED)
LONGEST = 9_000  # characters; longer ones nobody types
COORDINATES = "psi4 gamma5 Y w eta beta_7 R_5".split()
PARAMETERS = "kappa rho sigma zeta mu N W m_a m_b m_c L_a L_b L_c k_1 k_2 k_3 R_1 R_2".split()


@dataclass(frozen=True)
class Drawn:
    """A claim as it is typed, and what it means."""

    mechanism: str
    claim: object
    truth: object
    said: object
    how: str
    options: dict = field(default_factory=dict)
    spelled: dict = field(default_factory=dict)  # the system's names -> those of the verdict
    is_free: bool = False  # an equation without forces, which has any scale

    def check(self):
        return system(self.mechanism).check(self.claim, **self.options)

    def __str__(self):
        where = "vv.catalog.build" if self.mechanism != "sphere" else "claim_systems.system"
        said = "".join(f", {k}={x!r}" for k, x in self.options.items())
        return f"{where}({self.mechanism!r}).check({_pasted(self.claim)}{said})  # {self.how}"


def _pasted(x):
    if isinstance(x, dict):
        return "{" + ", ".join(f"{k!r}: {_pasted(y)}" for k, y in x.items()) + "}"
    if isinstance(x, sympy.Eq):
        return f"sympy.Eq({_pasted(x.lhs)}, {_pasted(x.rhs)}, evaluate=False)"
    if isinstance(x, (sympy.Basic, sympy.MatrixBase)):
        return f"sympy.S({str(x)!r})"
    return repr(x)


def draw(mechanism, seed, wrong):
    """A claim that is wrong, or right, by the seed."""
    chance = random.Random(f"{mechanism} {seed} {wrong}")
    kinds = subjects(mechanism)
    more = ["equation", "equation", "system", "matrices"] if "equation" in kinds else []
    kind = chance.choice([*kinds, *more])
    names, options, spelled = naming(mechanism, chance)
    if kind == "matrices":
        truth, is_free = closed(mechanism).equations, False
        terms, said, how = matrices(mechanism, chance, wrong)
        claim, way = with_matrices(mechanism, terms, names, chance)
    else:
        f = closed(mechanism)
        whole = Subject(mechanism, "tau", f.equations)
        subject = whole if kind == "system" else chance.choice(kinds[kind])
        truth = subject.truth
        said, how = altered(truth, mechanism, chance) if wrong else (truth, "right")
        form = said
        if not wrong or chance.random() < 0.4:
            form = rewritten(said, chance)
            assert same(form, said), f"the rewriting {form} is not {said}"
        claim, way, is_free = typed(subject, form, names, chance, wrong)
    if isinstance(claim, str) and len(claim) > LONGEST:
        return draw(mechanism, f"{seed}, again", wrong)
    if "symbols" in options:
        options = {"symbols": _used(options["symbols"], names, mechanism, (truth, said))}
    how = f"{kind}, {how}, {way}, seed {seed}"
    return Drawn(mechanism, claim, truth, said, how, options, spelled, is_free)


def _used(symbols, names, mechanism, formulas):
    """Names for what is in the claim or in the truth: others are refused."""
    there = {s.name for x in formulas for s in sympy.sympify(x).free_symbols}
    there |= {q for rate, (q, _) in rates(mechanism).items() if rate in there}
    return {a: b for a, b in symbols.items() if {a, b} & there & {*names}}


def matrices(mechanism, chance, wrong):
    """M, C, g, b, one of them edited or all rewritten; the equations that they make."""
    f = closed(mechanism)
    terms, how = [f.mass_matrix, f.coriolis_matrix, f.gravity, f.dissipation], "right"
    if wrong:
        k = chance.choice([k for k, x in enumerate(terms) if any(x)])
        terms[k], how = altered(terms[k], mechanism, chance)
    v, a = sympy.Matrix(f.velocities), sympy.Matrix(f.accelerations)
    said = terms[0] * a + terms[1] * v + terms[2] + terms[3]
    return (terms if wrong else [rewritten(x, chance) for x in terms]), said, how


def altered(truth, mechanism, chance):
    """One wrong edit, drawn again until the function is another one."""
    f = closed(mechanism)
    known = [s.name for s in (*f.coordinates, *f.velocities, *f.accelerations, *f.parameters)]
    entries = list(truth) if isinstance(truth, sympy.MatrixBase) else [truth]
    while True:
        k = chance.randrange(len(entries))
        how, new = edited(entries[k], chance, known)
        new = sympy.sympify(new)
        if new.has(sympy.zoo, sympy.nan) or same(new, entries[k]):
            continue
        if isinstance(truth, sympy.MatrixBase):
            return sympy.Matrix(*truth.shape, [*entries[:k], new, *entries[k + 1 :]]), how
        return new, how


def naming(mechanism, chance):
    """Names of the claim, options of the check, and names in the verdict."""
    f = closed(mechanism)
    way = chance.choice(["own", "own", "own", "other", "exchanged", "symbols", "symbols"])
    masses = [s.name for s in f.parameters if s.name[0] in "mM"]
    if way == "exchanged" and len(masses) > 1:
        names = dict(zip(masses[:2], masses[1::-1], strict=True))
        return names, {"symbols": names}, names
    if way == "other":
        names = NAMED[mechanism]  # q1 is known of every system, and in the verdict it is its own
        return names, {}, {k: x for k, x in names.items() if not re.fullmatch(r"q\d", x)}
    names = {}
    if way == "symbols":
        moving = f.coordinates if mechanism != "scara" else ()  # there wd could be w d
        for symbols, fresh in ((moving, COORDINATES), (f.parameters, PARAMETERS)):
            own = [s.name for s in symbols]
            chosen = chance.sample(own, min(len(own), chance.randrange(3)))
            names |= dict(zip(chosen, chance.sample(fresh, len(chosen)), strict=True))
    if not names:
        return {}, {}, {}
    said = {new: old for old, new in names.items()} if chance.random() < 0.5 else names
    return names, {"symbols": dict(said)}, {k: x.replace("_", "") for k, x in names.items()}


def verify(drawn, verdict):
    """missing - extra is truth - claim, to thirty digits."""
    found = verdict.parts or (verdict,)
    gaps = [x - y for v in found for x, y in zip(_flat(v.missing), _flat(v.extra), strict=True)]
    pairs = list(zip(_flat(drawn.truth), _flat(drawn.said), strict=True))
    assert len(gaps) == len(pairs)
    f = closed(drawn.mechanism)
    names = [s.name for s in (*f.coordinates, *f.velocities, *f.accelerations, *f.parameters)]
    users = full(drawn.spelled, drawn.mechanism)
    with mpmath.workdps(DIGITS):
        for at in points(names):
            own = at | {users.get(k, k): x for k, x in at.items()}
            for gap, (true, said) in zip(gaps, pairs, strict=True):
                wanted = [value(true, at) - value(said, at)]
                if drawn.is_free:
                    wanted = [
                        value(e, at) - value(said, at) * value(_slope(e, a), at) / value(slope, at)
                        for e in f.equations
                        for a in f.accelerations
                        if (slope := _slope(said, a)) != 0
                    ]
                    wanted += [value(e, at) - value(said, at) for e in f.equations]
                got = value(gap, own)
                assert any(abs(got - x) < SAME for x in wanted), (
                    f"{drawn}: {gap} is not {true} - ({said})"
                )


def verify_witness(drawn, verdict):
    """At the point that is shown, claim and truth have the values that are shown."""
    if drawn.is_free:  # on a scale of its own
        return
    f = closed(drawn.mechanism)
    names = [s.name for s in (*f.coordinates, *f.velocities, *f.accelerations, *f.parameters)]
    users = full(drawn.spelled, drawn.mechanism)
    pairs = list(zip(_flat(drawn.truth), _flat(drawn.said), strict=True))
    for part in verdict.parts or (verdict,):
        if part.status != "differs":
            continue
        shown = part.witness.point
        point = {n: shown.get(users.get(n, n), shown.get(n, 1)) for n in names}
        at = {n: mpmath.mpf(x.numerator) / x.denominator for n, x in point.items()}
        wanted = (part.witness.truth, part.witness.claim)
        found = [tuple(float(value(x, at)) for x in pair) for pair in pairs]
        near = [all(map(_near, pair, wanted)) for pair in found]
        assert any(near), f"{drawn}: at {point} {found}, not {wanted}"
        assert wanted[0] != wanted[1]


def _near(a, b):
    return abs(a - b) <= 1e-12 * (1 + abs(b))


def _slope(x, a):
    return sympy.diff(x, a)


def _flat(x):
    return list(x) if isinstance(x, sympy.MatrixBase) else [x]
