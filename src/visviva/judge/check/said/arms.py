"""Names of books on robot arms that no row of the table of quantities has.

Craig's V = B(Θ)[θ̇θ̇] + C(Θ)[θ̇²], whose matrices have no rates; J_v, J_ω, J_b, J_s; centres of mass,
x_c2; frames along a chain, A_2 and T_12. Of an arm in a plane without a table of DH, frame k is at
the end of link k or at its joint: a claim is judged by both, and a note says which it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial
from typing import Any

import numpy as np

from visviva.describe.quantities import FRICTION_TERM, MASS_TERM, WEIGHT_TERM
from visviva.errors import ArgumentError
from visviva.judge.check.said.subjects import AXES, IDENTITY, MOST_DIGITS, SPEEDS, Subject
from visviva.judge.exact.arms import (
    AT_ENDS,
    AT_JOINTS,
    TABLE,
    centre_along,
    centre_jacobian,
    determinant_of,
    frame_numberings,
    is_natural,
    jacobian_in,
    matrix_entry,
    matrix_rows,
    rate_product_matrix,
    relative_pose,
    slopes_of,
    squared_rate_matrix,
)
from visviva.judge.exact.forms import Facts, depends
from visviva.notation.shapes import shape_of
from visviva.notation.tree import DETERMINANT, Call, Equation, Matrix, Name, Node, Number, names

_SQUARES = "Craig's matrix C(q) of the squared rates, [q1'^2, q2'^2, ...]"
_PRODUCTS = "Craig's matrix B(q) of the products of rates, [q1' q2', q1' q3', ...]"
NOT_JUDGED = "was not judged"
STIFFNESS = "the stiffness matrix ∂²V/∂q²"
_NOTE = "{} has no rates, so it is Craig's matrix that multiplies {}; {} " + NOT_JUDGED
OF_VELOCITY, OF_TURNING = ("Jv", "JP"), ("Jw", "Jomega", "JO")
REFERENCES = {"Jb": "body", "Js": "space"}
ORDERS = {  # of the six rows of a Jacobian, by whether the velocity comes first
    False: "rows in the order ω, v: the turning rate comes first",
    True: "rows in the order v, ω: the velocity comes first, as Spong and Siciliano have it",
}
CENTRE = re.compile(r"([xyz])(?:c|C|G|g|cm)([1-9])")
CENTRE_JACOBIAN = re.compile(r"Jv(?:c|C|G|cm)([1-9])")
_NOTES = {
    TABLE: "frame {k} is that of the table of DH",
    AT_ENDS: "frame {k} is at the end of link {k}, as Spong and Siciliano have it",
    AT_JOINTS: "frame {k} is at joint {k} and turns with link {k}, as Craig has it",
}


def of_arm(node: Node, facts: Facts, frame: str, taken: Collection[str]) -> Subject | None:
    """What a statement is about; `taken` are names of the system and of the claim."""
    if not isinstance(node, Equation):
        return None
    left, right = node.left, node.right
    if isinstance(left, Call) and left.function == DETERMINANT and facts.frames:
        return of_determinant(left.arguments[0], facts, frame, taken)
    if not isinstance(left, Name):
        return None
    if left.key in taken:
        return None
    shape = shape_of(right)
    asked = frame and frame != facts.tip
    of_frames = None if asked else of_chains(left, shape, facts)
    linear = of_stiffness(left, right, facts) or of_damping(left, right, facts)
    return (
        linear or of_craig(left, right, facts) or of_frames or of_places(left, shape, facts, frame)
    )


def of_craig(left: Name, right: Node, facts: Facts) -> Subject | None:
    """What C(q) = … or B(q) = … is about if there is no rate in it."""
    n, shape = len(facts.rates), shape_of(right)
    if n < 2 or len(facts.moving) != n or shape is None or not isinstance(right, Matrix):
        return None
    rates = {v for v, _ in facts.rates}
    if any(x.dots or x.key in (*rates, *SPEEDS) for x in (*left.arguments, *names(right))):
        return None
    entries = [x for row in right.rows for x in row]
    said = left.text or left.key
    if all(x == Number(0) or (isinstance(x, Name) and x.text == said) for x in entries):
        return None  # C = C
    if left.key == "C" and shape == (n, n) and is_natural(facts):
        note = _NOTE.format(said, "the squares of rates", "the Coriolis matrix C(q, q')")
        return Subject(IDENTITY, said=_SQUARES, truths=(("", squared_rate_matrix),), notes=(note,))
    zero = any(right.rows[k][k] == Number(0) for k in range(min(shape)))
    if left.key == "B" and shape == (n, n * (n - 1) // 2) and (shape != (n, n) or zero):
        note = _NOTE.format(said, "products of two rates", "a mass matrix B")
        return Subject(IDENTITY, said=_PRODUCTS, truths=(("", rate_product_matrix),), notes=(note,))
    return None


def of_stiffness(left: Name, right: Node, facts: Facts) -> Subject | None:
    """What K = [[...], ...] or K12 = … is about: the second derivatives of V."""
    n, shape = len(facts.rates), shape_of(right)
    entry = re.fullmatch(r"K([1-9])([1-9])", left.key)
    whole = left.key == "K" and shape == (n, n)
    whole = whole and (isinstance(right, Matrix) or not facts.frames)  # no K = J^T J
    if n < 2 or len(facts.moving) != n or not (whole or (entry and shape is None)):
        return None
    of = partial(slopes_of, kind=WEIGHT_TERM.exact, by=tuple(facts.coordinates))
    if not entry:
        return Subject(IDENTITY, said=STIFFNESS, truths=(("", of),))
    place = (int(entry[1]) - 1, int(entry[2]) - 1)
    if max(place) >= n:
        raise ArgumentError(f"{left.text or left.key}: {STIFFNESS} is {n} × {n}")
    said = f"entry ({entry[1]}, {entry[2]}) of {STIFFNESS}"
    return Subject(IDENTITY, said=said, truths=(("", partial(matrix_entry, of=of, place=place)),))


def must_say_where(subject: Subject, value: Node, given: Collection[str], facts: Facts) -> None:
    """Refuses K without coordinates where it changes with them, and nothing says where it is."""
    if STIFFNESS not in subject.said:
        return
    entries = np.ravel(subject.truths[0][1](facts))
    moving = [q for q in facts.coordinates if any(depends(x, q) for x in entries)]
    there = {n.key for n in names(value)} | {*given}
    if moving and there.isdisjoint(moving):
        place = "; ".join(f"{q} = 0" for q in moving)
        raise ArgumentError(
            f"{subject.said} of {facts.name!r} changes with {', '.join(moving)}: for small motions "
            f"about a place say first which, {place}; K = [[...], ...]"
        )


def of_damping(left: Name, right: Node, facts: Facts) -> Subject | None:
    """What C or D is about if it has constants of dampers in it, and no other."""
    n, shape = len(facts.rates), shape_of(right)
    used = {x.key for x in names(right)}
    if left.key not in ("C", "D", "B") or n < 2 or shape != (n, n) or not isinstance(right, Matrix):
        return None
    friction, masses = (np.ravel(facts.quantity(k)) for k in (FRICTION_TERM.exact, MASS_TERM.exact))
    own = {p for p in facts.parameters if any(depends(x, p) for x in friction)}
    own -= {p for p in facts.parameters if any(depends(x, p) for x in masses)}
    if not used or not used <= own:
        return None
    rates = tuple(v for v, _ in facts.rates)
    note = f"{left.text or left.key} has constants of dampers alone; another matrix {NOT_JUDGED}"
    of = partial(slopes_of, kind=FRICTION_TERM.exact, by=rates)
    return Subject(IDENTITY, said="the damping matrix ∂b/∂q̇", truths=(("", of),), notes=(note,))


def of_chains(left: Name, shape: Any, facts: Facts) -> Subject | None:
    """What A_k = …, T_jk = … or R_jk = … is about; None where frames have no numbers."""
    letter = left.key.rstrip("0123456789")
    digits = left.key[len(letter) :]
    wanted = {"A": (4, 4), "T": (4, 4), "H": (4, 4), "R": (3, 3)}.get(letter)
    if (
        wanted is None
        or wanted != shape
        or not 1 <= len(digits) <= 2
        or left.dots
        or not facts.frames
    ):
        return None
    if len(digits) == 1 and letter != "A":
        return None
    k = int(digits[-1])
    j = int(digits[0]) if len(digits) == 2 else k - 1
    numbered = [x for x in frame_numberings(facts) if not (letter == "A" and x == AT_JOINTS)]
    if not 0 <= j < k <= min(len(facts.bodies), MOST_DIGITS) or not numbered:
        return None
    if letter == "R":
        numbered = numbered[:1]  # both have the same axes
    size = shape[0]
    truths = tuple(
        (
            "" if letter == "R" else _NOTES[x].format(k=k),
            partial(relative_pose, j=j, k=k, numbering=x, size=size),
        )
        for x in numbered
    )
    what = "the axes" if letter == "R" else "the pose"
    said = f"{left.text or left.key}, {what} of frame {k} in frame {j}"
    return Subject(IDENTITY, said=said, truths=truths)


def of_places(left: Name, shape: Any, facts: Facts, frame: str) -> Subject | None:
    """What a left side is about if it is one of these."""
    key = left.key
    if left.dots > 1 or not facts.frames:
        return None
    if match := CENTRE.fullmatch(key):
        return None if shape else _centre(left, AXES[match[1]] - 1, int(match[2]), facts)
    if left.dots or not shape:
        return None
    if match := CENTRE_JACOBIAN.fullmatch(key):
        body = body_of(left, int(match[1]), facts)
        truth = partial(
            matrix_rows, of=partial(centre_jacobian, body=body), rows=(*range(shape[0]),)
        )
        said = f"the Jacobian of the centre of mass of {body}"
        return Subject(IDENTITY, said=said, truths=(("", truth),)) if shape[0] < 4 else None
    if key in (*OF_VELOCITY, *OF_TURNING):
        picked = _picked(key, shape[0])
        what = "the velocity" if key in OF_VELOCITY else "the turning rate"
        about = f"{left.text or key}, the rows of {what} in the Jacobian of {frame}"
        truth = partial(matrix_rows, of=partial(jacobian_in, frame=frame), rows=picked)
        return Subject(IDENTITY, said=about, truths=(("", truth),)) if picked else None
    if key in REFERENCES and shape[0] == 6:
        reference = REFERENCES[key]
        of = partial(jacobian_in, frame=frame, reference=reference)
        truths = tuple(
            (note, partial(matrix_rows, of=of, rows=_ordered(above)))
            for above, note in ORDERS.items()
        )
        return Subject(IDENTITY, said=f"the {reference} Jacobian of {frame}", truths=truths)
    return None


def of_determinant(name: Node, facts: Facts, frame: str, taken: Collection[str]) -> Subject | None:
    """det J_v, of two joints in a plane or three in space."""
    n = len(facts.rates)
    if not isinstance(name, Name) or name.key not in OF_VELOCITY or name.key in taken:
        return None
    said = name.text or name.key
    if n not in (2, 3):
        raise ArgumentError(f"det {said} is judged of 2 joints in a plane or 3 in space, got {n}")
    of = partial(matrix_rows, of=partial(jacobian_in, frame=frame), rows=(*range(3, 3 + n),))
    about = f"the determinant of {said}, the rows of the velocity in the Jacobian of {frame}"
    return Subject(IDENTITY, said=about, truths=(("", partial(determinant_of, of=of)),))


def _ordered(above: bool) -> tuple[int, ...]:
    return (3, 4, 5, 0, 1, 2) if above else (0, 1, 2, 3, 4, 5)


def _picked(key: str, rows: int) -> tuple[int, ...]:
    """Rows of (ω, v): of a plane x and y alone, or the one turning rate."""
    if key in OF_VELOCITY:
        return (*range(3, 3 + rows),) if rows in (2, 3) else ()
    return {1: (2,), 3: (0, 1, 2)}.get(rows, ())


def body_of(left: Name, k: int, facts: Facts) -> str:
    """The k-th body, by its name."""
    if k > len(facts.bodies):
        said, listed = left.text or left.key, ", ".join(facts.bodies)
        raise ArgumentError(f"{said}: {facts.name!r} has {len(facts.bodies)} bodies, {listed}")
    return facts.bodies[k - 1]


def _centre(left: Name, axis: int, k: int, facts: Facts) -> Subject:
    body = body_of(left, k, facts)
    rate = "the velocity of " if left.dots else ""
    said = f"{rate}the centre of mass of {body} along {'xyz'[axis]}"
    truth = partial(centre_along, axis=axis, body=body, moving=bool(left.dots))
    return Subject(IDENTITY, said=said, truths=(("", truth),))
