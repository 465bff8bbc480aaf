"""`singularities`: det J in closed, factored form, and the positions at which it is zero.

J has one row for each velocity of the task and one column for each joint that moves the frame. If
it is square, its determinant is zero where rank is lost. If there are more joints than rows, or
fewer, det J Jᵀ or det Jᵀ J is the sum of the squares of all largest minors (Cauchy and Binet), and
is zero where all of them are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sympy

from visviva.algebra.exact.poly import Poly
from visviva.describe.model.model import Model
from visviva.equations.frames.tasks import Task
from visviva.errors import OutsideError
from visviva.judge.exact.model import Exact
from visviva.notation.textbook.writer import textbook
from visviva.progress import progress
from visviva.solve.singular.chosen import Arm, chosen, refuse_loops
from visviva.solve.singular.exact import Minor, exact_model, lengths, minors
from visviva.solve.singular.factors import Factor, factored
from visviva.solve.singular.meaning import meaning
from visviva.solve.singular.sets import Sampler, SingularSet, cut, of_branch, of_factor, shown
from visviva.solve.singular.zeros import ZERO, common_zeros, coordinates_in

SHORT_SUM = 200  # terms of a sum of squares that is tried multiplied out
EXAMPLES = 4  # positions on a set from which its meaning is seen


@dataclass(frozen=True, eq=False, repr=False)
class Singularities:
    """Where a frame loses a direction of its task.

    `determinant` is `what` ("det J", "det J Jᵀ" or "det Jᵀ J"), a SymPy expression in factors;
    `factors` are those of det J, or common to all minors, with their powers: numbers and parameters
    first. `sets` are the singular sets. `minors` are the largest square parts of J, by their rows
    and columns, where J is not square. `complete` is False where their common zeros beside the
    common factors were too many to go through: then `sets` has those of the factors alone.
    """

    model: str
    frame: str
    task: Task
    why: str
    joints: tuple[str, ...]
    what: str
    determinant: sympy.Expr
    factors: tuple[tuple[sympy.Expr, int], ...]
    sets: tuple[SingularSet, ...]
    minors: dict[tuple[tuple[int, ...], tuple[int, ...]], sympy.Expr]
    complete: bool
    _arm: Arm = field(compare=False)

    def plot(self, arms: bool = False) -> Any:
        """The determinant over the one or two joints it depends on, with its zeros. (plotly)

        Of others, and with `arms`, the arm at a position of every singular set.
        """
        from visviva.solve.singular import drawing

        return drawing.singular_sets_figure(self, arms)

    def __str__(self) -> str:
        rows = ", ".join(self.task.names)
        lines = [
            f"{self.frame!r} of {self.model!r}, task {self.task.text!r}: {self.why}",
            f"rows {rows}; joints {', '.join(self.joints)}",
            f"{self.what} = {cut(shown(self.determinant), 'determinant')}",
        ]
        if not self.sets:
            lines.append("never zero" if self.complete else "")
        for k, one in enumerate(self.sets, 1):
            lines.append(f"{k}. " + str(one).replace("\n", "\n   "))
        if not self.complete:
            lines.append("and where all minors vanish together, which was not solved")
        return "\n".join(line for line in lines if line)

    __repr__ = __str__


def singularities(model: Model, frame: str, task: str | None = None) -> Singularities:
    """The singular sets of a frame's task, in closed form."""
    asked = f"singularities({frame!r})"
    refuse_loops(model, asked)
    arm = chosen(model, frame, task, asked)
    with progress(f"singularities of {frame}") as at:
        at.step("determinants")
        try:
            e = exact_model(arm)
            found = minors(arm, e)
            at.step("factors")
            return _of(arm, e, found)
        except OutsideError as error:
            raise OutsideError(
                f"{asked} of {model.name!r} has no closed form: {error}; singularity(frame, q) "
                "looks at one position, by numbers"
            ) from None


def _of(arm: Arm, e: Exact, found: Sequence[Minor]) -> Singularities:
    zero = e.ring.number(0)
    what = {0: "det J", 1: "det J Jᵀ", -1: "det Jᵀ J"}[_sign(len(arm.moving) - arm.task.size)]
    if not found:  # at every position
        anywhere = Sampler(arm, e, (), ({},))
        never = SingularSet((sympy.Integer(0),), ({},), 1, "everywhere", _everywhere(arm), anywhere)
        return _made(arm, what, textbook(zero), [Factor(zero, 1)], (never,), found, True)
    if arm.is_square:
        every = factored(found[0].poly, lengths(e))
        sets = _sets(arm, e, every)
        return _made(arm, what, _product(every), every, sets, (), True)
    split = [factored(x.poly, lengths(e)) for x in found]
    shared = _shared(split)
    rest = [_without(x, shared) for x in split]
    squares = [Factor(f.poly, 2 * f.power) for f in shared]
    whole = _product(squares) * _sum_of_squares(e, rest)
    sets = _sets(arm, e, shared)
    branches = common_zeros([_multiplied(e, x) for x in rest], e.names.q, e.values)
    for b in branches or ():
        if any(b.is_zero_of(f.poly) for f in shared):
            continue
        sets = (*sets, _named(arm, of_branch(arm, e, b.values, b.equations)))
    return _made(arm, what, whole, shared, sets, found, branches is not None)


def _made(
    arm: Arm,
    what: str,
    determinant: Any,
    factors: Sequence[Factor],
    sets: tuple[SingularSet, ...],
    found: Sequence[Minor],
    complete: bool,
) -> Singularities:
    columns = [arm.moving[k] for k in range(len(arm.moving))]
    return Singularities(
        arm.model.name,
        arm.frame,
        arm.task,
        arm.why,
        arm.joints,
        what,
        determinant,
        tuple((textbook(f.poly), f.power) for f in factors),
        sets,
        {(x.rows, tuple(columns[k] for k in x.columns)): textbook(x.poly) for x in found},
        complete,
        arm,
    )


def _sets(arm: Arm, e: Exact, factors: Sequence[Factor]) -> tuple[SingularSet, ...]:
    values = {sympy.Symbol(k): v for k, v in e.values.items()}
    sets = []
    for f in factors:
        if coordinates_in(f.poly, e.names.q):
            sets.append(_named(arm, of_factor(arm, e, f.poly, f.power)))
        elif abs(float((x := textbook(f.poly)).subs(values))) < ZERO:
            says = f"{x} is zero for the values of the parameters, wherever the joints are"
            anywhere = Sampler(arm, e, (), ({},))
            sets.append(SingularSet((x,), ({},), f.power, "everywhere", says, anywhere))
    return tuple(sets)


def _named(arm: Arm, one: SingularSet) -> SingularSet:
    name, says = meaning(arm, one.positions(EXAMPLES, limits=False))
    return replace(one, name=name, meaning=says)


def _everywhere(arm: Arm) -> str:
    return f"the joints {', '.join(arm.joints)} cannot drive {', '.join(arm.task.names)} anywhere"


def _shared(split: Sequence[Sequence[Factor]]) -> list[Factor]:
    """Factors of all minors, numbers aside, with the least of their powers."""
    common = []
    for f in split[0]:
        if f.poly.p.is_constant():
            continue
        powers = [max((g.power for g in x if g.poly == f.poly), default=0) for x in split]
        if min(powers):
            common.append(Factor(f.poly, min(powers)))
    return common


def _without(factors: Sequence[Factor], shared: Sequence[Factor]) -> list[Factor]:
    left = {f.poly.key: f.power for f in shared}
    return [Factor(f.poly, f.power - left.get(f.poly.key, 0)) for f in factors]


def _multiplied(e: Exact, factors: Sequence[Factor]) -> Poly:
    total = e.ring.number(1)
    for f in factors:
        total = total * f.poly**f.power
    return total


def _product(factors: Sequence[Factor]) -> Any:
    parts = [textbook(f.poly) ** f.power for f in factors]
    # SymPy would multiply a number into a sum that stands alone beside it
    alone = len(parts) == 2 and parts[0].is_number and parts[1].is_Add
    return sympy.Mul(*parts, evaluate=not alone)


def _sum_of_squares(e: Exact, minors: Sequence[Sequence[Factor]]) -> Any:
    """Of products: multiplied out only where that is shorter."""
    apart = sympy.Add(*(_product(x) ** 2 for x in minors))
    terms = sum(len(_multiplied(e, x).p) ** 2 for x in minors)
    if terms > SHORT_SUM:
        return apart
    total = textbook(sum((_multiplied(e, x) ** 2 for x in minors), e.ring.number(0)))
    return min(apart, total, key=sympy.count_ops)


def _sign(x: int) -> int:
    return (x > 0) - (x < 0)
