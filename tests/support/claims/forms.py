"""Equations as they may be written: solved or not, scaled, with definitions, with matrices."""

import mpmath
import sympy

from tests.support.claims.edits import nodes, put
from tests.support.claims.systems import DIGITS, SAME, closed, points, rates, value
from tests.support.claims.texts import Latex, Unicode, Writer
from visviva.notation.names import acceleration_name, velocity_name
from visviva.notation.writing.write import latex

EVERY = [Writer, Writer, Unicode, Latex, Latex, "str", "sympy", "ours", "object"]
DEFINED = "Delta"  # a name that a claim defines


def full(names, mechanism):
    """With the names of rates."""
    made = dict(names)
    for rate, (q, dots) in rates(mechanism).items():
        if q in names:
            made[rate] = (velocity_name if dots == 1 else acceleration_name)(names[q])
    return made


def writer(mechanism, names, chance, kinds):
    """A function from formulas to text or, for "object", to formulas in other names."""
    kind = chance.choice(kinds)
    if isinstance(kind, type):
        return kind(chance, rates(mechanism), names), kind.kind
    spell = Latex(chance, rates(mechanism), names).name
    renamed = {sympy.Symbol(k): sympy.Symbol(x) for k, x in full(names, mechanism).items()}
    dotted = {sympy.Symbol(k): spell(k) for k in (*rates(mechanism), *names)}
    dotted = {renamed.get(k, k): x for k, x in dotted.items()}
    users = [names.get(q.name, q.name) for q in closed(mechanism).coordinates]
    write = {
        "str": plain,
        "sympy": lambda x: sympy.latex(x, symbol_names=dotted),
        "object": lambda x: x,
        "ours": lambda x: latex(x, users),
    }[kind]
    return lambda x: write(x.xreplace(renamed)), kind


def plain(x):
    """As SymPy prints it."""
    if isinstance(x, sympy.Eq):
        return f"{x.lhs} = {x.rhs}"
    return str(x.tolist()) if isinstance(x, sympy.MatrixBase) else str(x)


def typed(subject, said, names, chance, wrong):
    """A claim in some notation, what that is, and whether it has no force."""
    name = subject.mechanism
    if subject.is_equation and chance.random() < 0.1 and not isinstance(said, sympy.MatrixBase):
        return with_definition(subject, said, names, chance)
    write, how = writer(name, names, chance, EVERY)
    in_latex = how in ("latex", "sympy", "ours")
    if subject.left == "tau":
        if how != "object" and len(said) > 1 and chance.random() < 0.5:
            left = r"\tau" if in_latex else "tau"
            return f"{left} = {write(said)}", f"{how}, vector", False
        lines = [write(sympy.Eq(force(i), x, evaluate=False)) for i, x in enumerate(said)]
        if how == "object":
            return lines, f"{how}, one by one", False
        return chance.choice(["\n", "; "]).join(lines), f"{how}, one by one", False
    if subject.is_equation:
        eq, way = arranged(subject, said, chance, wrong)
        return write(eq), f"{how}, {way}", way == "free"
    left = left_side(subject.left, in_latex, chance)
    claim = {left: write(said)} if how == "object" else f"{left} = {write(said)}"
    return claim, how, False


def force(i):
    return sympy.Symbol(f"tau{i + 1}")


def arranged(subject, said, chance, wrong):
    """An equation in one of the ways to write it."""
    way = chance.choice(["solved", "solved", "turned", "moved", "zero", "scaled", "free"])
    if way == "free" and wrong and not is_another(subject, said):
        way = "solved"
    left = sympy.Symbol(subject.left)
    terms = list(sympy.Add.make_args(said))
    some = sympy.Add(*chance.sample(terms, len(terms) // 2))
    one = chance.choice(sorted(said.free_symbols, key=str) or [sympy.S.One])
    scale = chance.choice([sympy.S(2), sympy.Rational(1, 3), sympy.S(-1), one, 1 / one])
    by = chance.choice([sympy.S(2), *sorted(closed(subject.mechanism).parameters, key=str)])
    both = {
        "solved": (left, said),
        "turned": (said, left),
        "moved": (left - some, said - some),
        "zero": (left - said, sympy.S.Zero),
        "scaled": (sympy.expand(left * scale), sympy.expand(said * scale)),
        "free": (said if wrong else sympy.expand(said * by), sympy.S.Zero),
    }[way]
    return sympy.Eq(*both, evaluate=False), way


def is_another(subject, said):
    """Whether said = 0 is linear in accelerations and no equation of the system at any scale."""
    f = closed(subject.mechanism)
    slopes = [sympy.diff(said, a) for a in f.accelerations]
    if not any(slopes) or any(x.has(*f.accelerations) for x in slopes):
        return False
    names = sorted({s.name for x in (said, *f.equations) for s in x.free_symbols})
    moving = [a.name for a in f.accelerations]
    with mpmath.workdps(DIGITS):
        one, other = points(names, count=2)
        other = one | {k: other[k] for k in moving if k in names}
        crossed = (
            value(said, one) * value(e, other) - value(said, other) * value(e, one)
            for e in f.equations
        )
        return all(abs(x) > SAME for x in crossed)


def with_definition(subject, said, names, chance):
    """A part of the formula gets a name."""
    write, how = writer(subject.mechanism, names, chance, [Writer, Unicode, Latex, "str"])
    inner = [(p, n) for p, n in nodes(said) if p and (n.is_Add or n.is_Mul)]
    path, node = chance.choice(inner or [((), said)])
    lines = [
        write(sympy.Eq(sympy.Symbol(subject.left), put(said, path, sympy.Symbol(DEFINED)))),
        write(sympy.Eq(sympy.Symbol(DEFINED), node, evaluate=False)),
    ]
    chance.shuffle(lines)
    return chance.choice(["\n", "; "]).join(lines), f"{how}, defined", False


def with_matrices(mechanism, terms, names, chance):
    """M a + C v + g + b = τ, written with matrices."""
    f = closed(mechanism)
    M, C, g, b = terms
    v, a = sympy.Matrix(f.velocities), sympy.Matrix(f.accelerations)
    write, way = writer(mechanism, names, chance, [Writer, Latex])
    times = {"plain": " * ", "latex": " "}[way]
    left = write(sympy.Matrix([force(i) for i in range(len(a))]))
    parts = [f"{write(M)}{times}{write(a)}", f"{write(C)}{times}{write(v)}", write(g)]
    parts += [write(b)] if any(b) else []
    chance.shuffle(parts)
    return f"{left} = {' + '.join(parts)}", f"{way}, matrices"


def left_side(left, in_latex, chance):
    stem, index = left.rstrip("0123456789"), left.lstrip("TMCGLEVgam")
    if not in_latex:
        return chance.choice([left, f"{stem}_{index}" if index else left])
    stem = {"Gamma": r"\Gamma"}.get(stem, stem)
    if len(index) == 3 and chance.random() < 0.5:
        return rf"{stem}^{index[0]}_{{{index[1:]}}}"
    return f"{stem}_{{{index}}}" if index else stem
