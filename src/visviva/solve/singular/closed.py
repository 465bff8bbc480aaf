"""`singularities`: det J in closed, factored form, and the positions at which it is zero.

J has one row for each velocity of the task and one column for each joint that moves the frame. If
it is square, its determinant is zero where rank is lost. If there are more joints than rows, or
fewer, det J Jᵀ or det Jᵀ J is the sum of the squares of all largest minors (Cauchy and Binet), and
is zero where all of them are. Before a set is listed, rank is looked at by numbers, at positions on
it and anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from visviva.algebra.arrays import Array
from visviva.algebra.exact.poly import Poly
from visviva.describe.model.model import Model
from visviva.equations.frames.tasks import Task
from visviva.errors import OutsideError
from visviva.judge.exact.model import Exact
from visviva.notation.textbook.writer import textbook
from visviva.progress import progress
from visviva.solve.singular.chosen import (
    LOOKS,
    Arm,
    chosen,
    moving_columns,
    placed,
    random_positions,
    refuse_loops,
)
from visviva.solve.singular.exact import Minor, exact_model, lengths, minors, sizes_of
from visviva.solve.singular.factors import Factor, factored, is_zero_at
from visviva.solve.singular.meaning import CLOSE, meaning
from visviva.solve.singular.place import RANK_LOST, scaled
from visviva.solve.singular.sets import Sampler, SingularSet, cut, of_branch, of_factor, shown
from visviva.solve.singular.zeros import common_zeros, coordinates_in

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

SHORT_SUM = 200  # terms of a sum of squares that is tried multiplied out
EXAMPLES = 4  # positions on a set from which its meaning is seen, and that rank is lost
_NEARLY = 1e-5  # of the largest singular value: below it everywhere, that is told


@dataclass(frozen=True, eq=False, repr=False)
class Singularities:
    """Where a frame loses a direction of its task.

    `determinant` is `what` ("det J", "det J Jᵀ" or "det Jᵀ J"), a SymPy expression in factors;
    `factors` are those of det J, or common to all minors, with their powers: numbers and parameters
    first. `sets` are the singular sets. `minors` are the largest square parts of J, by their rows
    and columns, where J is not square. `complete` is False where their common zeros beside the
    common factors were too many to go through: then `sets` has those of the factors alone.
    `values` are numbers of the symbols in these formulas that are no coordinates: parameters, and
    angles of rotations that the model states. `notes` has what else is to be known.
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
    values: dict[str, float]
    notes: tuple[str, ...]
    _arm: Arm = field(compare=False)

    def plot(self, arms: bool = False) -> Figure:
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
        lines += self.notes
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
    made = partial(_made, arm, e, found)
    if not found:  # at every position
        return made(textbook(zero), [Factor(zero, 1)], (_never(arm, e, 0, _everywhere(arm)),))
    if arm.is_square:
        shared = factored(found[0].poly, lengths(e))
        whole, rest = _product(shared), None
    else:
        split = [factored(x.poly, lengths(e)) for x in found]
        shared = _shared(split)
        rest = [_without(x, shared) for x in split]
        squares = [Factor(f.poly, 2 * f.power) for f in shared]
        whole = _product(squares) * _sum_of_squares(e, rest)
    sets, branches = _sets(arm, e, shared), None
    best = float(_ratios(arm, random_positions(arm.model, LOOKS)).max())
    if best < RANK_LOST:
        says = f"{_everywhere(arm)}, to rounding: {_smallest(best)}"
        known = [x for x in sets if x.is_everywhere]
        return made(whole, shared, known or [_never(arm, e, whole, says)])
    notes = [f"nearly singular everywhere: {_smallest(best)}"] if best < _NEARLY else []
    if rest is not None:
        left = [_multiplied(e, x) for x in rest]
        branches = common_zeros(left, e.names.q, e.values, sizes_of(e))
    for b in branches or ():
        if not any(b.is_zero_of(f.poly) for f in shared):
            sets.append(of_branch(arm, e, b.values, b.equations))
    solved = rest is None or branches is not None
    if not solved:
        notes.append("and where all minors vanish together, which was not solved")
    seen = [one for one in sets if not one.is_everywhere]
    kept = [x for one in seen if (x := _named(arm, one)) is not None]
    if len(kept) < len(sets):
        lost = len(sets) - len(kept)
        notes.append(
            f"{lost} set{'s' * (lost > 1)} of the formulas left out: at positions on "
            f"{'them' if lost > 1 else 'it'} numbers show that rank is not lost"
        )
    return made(whole, shared, kept, solved and len(kept) == len(sets), notes)


def _made(
    arm: Arm,
    e: Exact,
    found: Sequence[Minor],
    determinant: Any,
    factors: Sequence[Factor],
    sets: Sequence[SingularSet],
    complete: bool = True,
    notes: Sequence[str] = (),
) -> Singularities:
    named = {(x.rows, tuple(arm.moving[k] for k in x.columns)): textbook(x.poly) for x in found}
    formulas = [determinant, *(x for one in sets for x in one.equations)]
    used = {str(x) for formula in formulas for x in sympy.sympify(formula).free_symbols}
    values = {k: v for k, v in e.values.items() if k in used}
    return Singularities(
        arm.model.name,
        arm.frame,
        arm.task,
        arm.why,
        arm.joints,
        {0: "det J", 1: "det J Jᵀ", -1: "det Jᵀ J"}[_sign(len(arm.moving) - arm.task.size)],
        determinant,
        tuple((textbook(f.poly), f.power) for f in factors),
        tuple(sets),
        {} if arm.is_square else named,
        complete,
        values,
        (*_turned(arm, values), *notes),
        arm,
    )


def _turned(arm: Arm, values: Mapping[str, float]) -> list[str]:
    """What the angles are that no parameter is: rotations that the model states by numbers."""
    own = {k: v for k, v in values.items() if k not in arm.model.parameters}
    if not own:
        return []
    said = ", ".join(f"{k} = {v!r}" for k, v in own.items())
    return [f"{said}: {'angle' if len(own) == 1 else 'angles'} (rad) by which joints are placed"]


def _sets(arm: Arm, e: Exact, factors: Sequence[Factor]) -> list[SingularSet]:
    sets = []
    for f in factors:
        if coordinates_in(f.poly, e.names.q):
            sets.append(of_factor(arm, e, f.poly, f.power))
        elif is_zero_at(f.poly, e.values):
            x = textbook(f.poly)
            says = f"{shown(x)} is zero for the values of the parameters, wherever the joints are"
            sets.append(_never(arm, e, x, says, f.power))
    return sets


def _never(arm: Arm, e: Exact, x: Any, says: str, power: int = 1) -> SingularSet:
    """Every position: rank is nowhere what it could be."""
    anywhere = Sampler(arm, e, (), ({},))
    return SingularSet((sympy.sympify(x),), ({},), power, "everywhere", says, anywhere)


def _named(arm: Arm, one: SingularSet) -> SingularSet | None:
    """With its meaning; None where numbers show at positions on it that rank is not lost."""
    at = one.positions(EXAMPLES, limits=False)
    if len(at) and _ratios(arm, at).min() > CLOSE:
        return None
    name, says = meaning(arm, at)
    return replace(one, name=name, meaning=says)


def _ratios(arm: Arm, positions: Array) -> Array:
    """The smallest singular value of J over the largest, at positions (N, nq)."""
    J = np.stack([arm.task.jacobian(*placed(arm.model, arm.frame, q)) for q in positions])
    J = moving_columns(arm, J)
    scales = scaled(arm, None, J.shape[-1])
    s = np.linalg.svd(scales.rows[:, None] * J * scales.columns, compute_uv=False)
    return np.asarray(s[:, -1] / np.maximum(s[:, 0], 1e-300))


def _smallest(ratio: float) -> str:
    return (
        f"at {LOOKS} random positions the smallest singular value is at most {ratio:.2g} of the "
        "largest"
    )


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
