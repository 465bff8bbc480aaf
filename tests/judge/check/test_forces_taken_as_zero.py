"""Claims about energies, momenta, constants and rates hold where the forces they leave out are 0.

Two such claims that leave out different forces contradict each other where these act: of such a
pair, at most the one that leaves out nothing is identical without conditions.
"""

import itertools
import random

import pytest
import sympy

import visviva as vv

NAMES = "xyz"
PAIRS = 500


def system(rng, n):
    """Masses and springs, turned or coupled, of which some coordinates may be cyclic."""
    q = [sympy.Symbol(x) for x in NAMES[:n]]
    v = [sympy.Symbol(f"{x}d") for x in NAMES[:n]]
    m, k, g = sympy.symbols("m k g")
    T = sum(rng.choice([1, 2, 3]) * m * x**2 for x in v) / 2
    if n > 1 and rng.random() < 0.4:
        T += m * v[0] * v[1] * rng.choice([sympy.cos(q[0]), q[1] / 2, sympy.S(1) / 3])
    parts = [k * q[0] ** 2 / 2, m * g * q[-1], k * sympy.cos(q[-1]), m * g * q[0] ** 3]
    parts += [k * (q[0] - q[-1]) ** 2 / 2] if n > 1 else []
    V = sum(rng.sample(parts, rng.choice([1, 2])))
    return q, v, T, V, vv.Lagrangian(q, T, V, parameters="m k g")


def spelled(x):
    return sympy.sstr(x)


def statements(q, v, T, V, rng):
    """A left side, and its rate along motions without forces and times each force."""
    L, n = T - V, len(q)
    energy = rng.choice(["dE/dt", "d/dt(T + V)", "dH/dt", f"d/dt({spelled(T + V)})"])
    yield energy, sympy.S.Zero, list(v)
    power = sum(-V.diff(x) * y for x, y in zip(q, v, strict=True))
    yield "dT/dt", power, list(v)
    i = rng.randrange(n)
    named = rng.choice([f"d/dt p_{i + 1}", f"d/dt({spelled(L.diff(v[i]))})"])
    yield named, L.diff(q[i]), [sympy.S(int(k == i)) for k in range(n)]


def claims(number):
    """A system, forces that act in two claims, and the claims, of which one may say `= const`."""
    rng = random.Random(number)
    n = 1 + number % 3
    q, v, T, V, s = system(rng, n)
    left, rate, factors = rng.choice(list(statements(q, v, T, V, rng)))
    able = [i for i in range(n) if factors[i] != 0]
    subsets = [set(x) for size in range(len(able) + 1) for x in itertools.combinations(able, size)]
    one, other = rng.sample(subsets, 2)
    both = []
    for acting in (one, other):
        force = sum(sympy.Symbol(f"tau{i + 1}") * factors[i] for i in acting)
        claim = f"{left} = {spelled(rate + force)}"
        if not acting and rate == 0 and rng.random() < 0.5:
            inside = left.removeprefix("d/dt").strip() if "d/dt" in left else left[1]
            claim = f"{inside} = const"
        both.append((claim, {*able} - acting))
    return s, both


@pytest.mark.spread(36)
@pytest.mark.parametrize("number", range(PAIRS))
def test_claims_that_contradict_each_other_are_never_both_identical(number):
    s, pair = claims(number)
    verdicts = [s.check(claim) for claim, _ in pair]
    for (claim, left_out), verdict in zip(pair, verdicts, strict=True):
        zero = {sympy.Eq(sympy.Symbol(f"tau{i + 1}"), 0) for i in left_out}
        assert verdict.status == ("identical if" if left_out else "identical"), claim
        assert {*verdict.conditions} == zero
    assert sum(x.is_identical for x in verdicts) <= 1
    claim, left_out = pair[number % 2]
    if left_out:
        assumed = "; ".join(f"tau{i + 1} = 0" for i in left_out)
        assert s.check(claim, assume=assumed).is_identical
        passive = [s.coordinates[i] for i in left_out]
        assert s.with_passive(passive).check(claim).is_identical


@pytest.mark.spread(9)
@pytest.mark.parametrize("number", range(60))
def test_what_agrees_by_numbers_is_under_the_same_conditions(number):
    """With a term that is zero to all digits wherever it is looked at."""
    s, pair = claims(number)
    for claim, left_out in pair:
        left, _, right = claim.partition(" = ")
        if right == "const":
            left = f"{left} + exp(-10^7 (x - 1/3)^2)"
        verdict = s.check(f"{left} = {right}{'' if right == 'const' else ' + exp(-10^7 x^2)'}")
        assert verdict.status == "agrees numerically", claim
        zero = {sympy.Eq(sympy.Symbol(f"tau{i + 1}"), 0) for i in left_out}
        assert {*verdict.conditions} == zero, claim
