"""truth - claim = missing - extra, wherever forces and accelerations stand in a claim.

Wrong edits of true equations are typed in every arrangement: solved, summed, scaled, divided. The
truth is a motion by numbers of fifty digits: accelerations that follow from forces by the mass
matrix of the closed form, which is put into the claim as it is typed.
"""

import random
from itertools import combinations_with_replacement

import mpmath
import pytest
import sympy

import visviva as vv
from tests.support.claims.draw import altered
from tests.support.claims.systems import DIGITS, SAME, closed, points, system, value
from tests.support.counts import count, progress
from visviva.errors import VisvivaError

ARM = vv.catalog.two_link()
E1, E2 = ARM.closed_form().equations
g = sympy.Symbol("a_g")
MECHANISMS = "two_link rp_arm pr_arm planar_3r scara polar_point sphere craig_6_5 hinge".split()


@pytest.mark.parametrize(
    "claim",
    [
        "{0} = tau1 + tau2",
        "tau1 + tau2 = {0}",
        "-tau1 - tau2 = -({0})",
        "{0} - tau1 = tau2",
        "0 = {0} - tau1 - tau2",
        "tau2 - ({0}) = -tau1",
    ],
)
def test_missing_terms_have_their_own_sign_wherever_the_forces_stand(claim):
    """A term left out of a sum of equations is missing with the sign that it has there."""
    whole = sympy.expand(E1 + E2)
    left_out = whole - whole.subs(g, 0)
    verdict = ARM.check(claim.format(whole.subs(g, 0)))
    assert verdict.status == "differs"
    assert sympy.simplify(verdict.missing - left_out) == 0
    assert verdict.extra == 0


def test_factors_of_forces_stay_as_they_are_written():
    whole = sympy.expand(2 * E1 - 3 * E2)
    for claim in ("{0} = 2 tau1 - 3 tau2", "3 tau2 - 2 tau1 = -({0})", "2 tau1 = {0} + 3 tau2"):
        verdict = ARM.check(claim.format(whole.subs(g, 0)))
        assert sympy.simplify(verdict.missing - verdict.extra - whole + whole.subs(g, 0)) == 0


def test_a_term_too_much_has_its_own_sign_where_no_force_is_written():
    more = sympy.sympify("m1*L1*q1")
    for claim in ("0 = {0}", "{0} = 0", "{1} = 2*({2}) - m1*L1*q1"):
        verdict = ARM.check(claim.format(E1 - 2 * E2 + more, E1, E2))
        assert (verdict.missing, verdict.extra) == (0, more)


def test_the_note_says_what_an_equation_was_multiplied_by():
    pendulum = vv.Lagrangian(
        "theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters={"m": 1, "l": 2, "g": 9.81}
    )
    for claim, factor in (
        ("theta'' = -(g/l) sin(theta)", "m l²"),
        ("theta''/l = -(g/l^2) sin(theta)", "m l³"),
        ("l theta'' + 2 g sin(theta) = 0", "m l"),
        ("m l^2 theta'' + m g l sin(theta) = 0", ""),
    ):
        verdict = pendulum.check(claim)
        said = [f"the equation was multiplied by {factor} to compare it"] if factor else []
        if verdict.is_identical:
            said.append("the claim says τ₁ = 0: lagrangian can be driven there")
        assert list(verdict.notes) == said


def forced(said, i, chance, f):
    """One force."""
    p, n = chance.choice(list(f.parameters)), chance.randrange(2, 6)
    ways = (
        "tau = {X} | {X} = tau | {X} - tau = 0 | 0 = tau - ({X}) | -tau = -({X}) | "
        "{n}*tau = {n}*({X}) | {p}*tau = {p}*({X}) | tau/{p} = ({X})/{p} | "
        "({X})/{p} - tau/{p} = 0 | {p} + {X} = tau + {p}"
    )
    way = chance.choice(ways.split(" | "))
    return way.replace("tau", f"tau{i + 1}").format(X=said, n=n, p=p)


def summed(said, i, chance, f):
    """Several forces with factors: those of other equations are right."""
    j = chance.choice([k for k in range(len(f.equations)) if k != i])
    a, b = chance.choice([1, 2, -1, 3]), chance.choice([1, -1, 2])
    X, sum_of_forces = f"{a}*({said}) + {b}*({f.equations[j]})", f"{a}*tau{i + 1} + {b}*tau{j + 1}"
    return chance.choice(
        [
            f"{X} = {sum_of_forces}",
            f"{sum_of_forces} = {X}",
            f"-({X}) = -({sum_of_forces})",
            f"{X} - ({sum_of_forces}) = 0",
            f"0 = {X} - ({sum_of_forces})",
            f"{a}*({said}) - {a}*tau{i + 1} = {b}*tau{j + 1} - {b}*({f.equations[j]})",
        ]
    )


def free(said, i, chance, f):
    """No force."""
    p, n = chance.choice(list(f.parameters)), chance.randrange(2, 6)
    ways = "{X} = 0 | 0 = {X} | -({X}) = 0 | {n}*({X}) = 0 | ({X})/{p} = 0 | 0 = -{p}*({X})"
    return chance.choice(ways.split(" | ")).format(X=said, n=n, p=p)


def solved(said, i, chance, f):
    """An acceleration of two, where the second force may be left out."""
    still = dict.fromkeys(f.accelerations, 0)
    h = [(said if k == i else e).subs(still) for k, e in enumerate(f.equations)]
    push = [
        f"(tau{k + 1} - ({x}))" if chance.random() < 0.7 else f"(-({x}))" for k, x in enumerate(h)
    ]
    j, M = 1 - i, f.mass_matrix
    above = f"({M[j, j]})*{push[i]} - ({M[i, j]})*{push[j]}"
    return f"{f.accelerations[i]} = ({above})/({M[0, 0] * M[1, 1] - M[0, 1] ** 2})"


@pytest.mark.spread(1)
@pytest.mark.parametrize("arrange", [forced, summed, free, solved])
def test_truth_minus_claim_is_missing_minus_extra_in_every_arrangement(arrange):
    judged = 0
    for k in range(count(10, 270)):
        name = MECHANISMS[k % len(MECHANISMS)]
        f, chance = closed(name), random.Random(f"{arrange.__name__} {k}")
        n = len(f.equations)
        if (arrange is summed and n == 1) or (arrange is solved and n != 2):
            continue
        i = chance.randrange(n)
        said, how = altered(f.equations[i], name, chance)
        claim = arrange(said, i, chance, f)
        try:
            verdict = system(name).check(claim)
        except VisvivaError:
            continue
        assert verdict.status != "identical" or arrange in (free, solved), (name, claim, how)
        if verdict.status == "differs":
            verify(name, claim, verdict)
            judged += 1
    progress(f"  {judged} claims with {arrange.__name__} equations")
    assert judged > count(3, 80)


def verify(name, claim, verdict):
    """The difference at a motion, in the scale and sign that the forces have in the claim."""
    f = closed(name)
    left, right = (sympy.sympify(x, locals=LETTERS) for x in claim.split(" = "))
    residual, gap = left - right, verdict.missing - verdict.extra
    forces = sympy.symbols([f"tau{k + 1}" for k in range(len(f.equations))])
    slopes = [sympy.diff(residual, x) for x in forces]
    acting = [k for k, x in enumerate(slopes) if x != 0]
    zero = {x.lhs for x in verdict.conditions}
    with mpmath.workdps(DIGITS):
        for at in points([s.name for s in (*f.coordinates, *f.velocities, *f.parameters)]):
            for k, tau in enumerate(forces):
                at[tau.name] = mpmath.mpf(0) if tau in zero else mpmath.mpf(7 + 3 * k) / 11
            at |= moved(f, at)
            r, got = value(residual, at), value(gap, at)
            if left in f.accelerations:
                wanted = [r]
            elif len(acting) == 1:
                wanted = [r / value(slopes[acting[0]], at)]
            elif acting:
                wanted = [r if slopes[acting[0]] > 0 else -r]
            else:
                wanted = list(scaled(f, residual, at))
            assert any(abs(got - x) < SAME for x in wanted), f"{name}: {claim}: {gap}"


def moved(f, at):
    """The accelerations M⁻¹ (τ - h) by numbers."""
    still = at | {a.name: mpmath.mpf(0) for a in f.accelerations}
    h = [value(e, still) for e in f.equations]
    M = [[value(x, at) for x in f.mass_matrix.row(k)] for k in range(len(h))]
    right = [at[f"tau{k + 1}"] - x for k, x in enumerate(h)]
    a = mpmath.lu_solve(mpmath.matrix(M), mpmath.matrix(right))
    return {x.name: a[k] for k, x in enumerate(f.accelerations)}


def scaled(f, residual, at):
    """What may be missing from an equation without forces: it has the scale of one of its terms."""
    yield from (value(residual, at), -value(residual, at))  # a sum of equations as it is written
    for e in f.equations:
        for mine, true in zip(parts(f, residual), parts(f, e), strict=True):
            here = value(mine, at)
            if here != 0:
                yield value(e, at) - value(residual, at) * value(true, at) / here


def parts(f, x):
    """The factors of accelerations, of products of two velocities, and the terms at rest."""
    at_rest = dict.fromkeys([*f.velocities, *f.accelerations], 0)
    pairs = combinations_with_replacement(f.velocities, 2)
    slopes = [sympy.diff(x, a) for a in f.accelerations] + [sympy.diff(x, *p) for p in pairs]
    return [*slopes, x.subs(at_rest)]


LETTERS = {x: sympy.Symbol(x) for x in "I1 I2 I3 E N S Q".split()}
