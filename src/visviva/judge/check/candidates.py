"""Letters that stand for several things in the books: N(q, q̇), h(q, q̇), b(q, q̇).

A claim is judged under each reading. It is identical if one of them makes it so, and differs only
if none does; then it is shown beside the nearest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from visviva.describe.quantities import KINDS
from visviva.errors import ArgumentError
from visviva.judge.check.compare.case import Case
from visviva.judge.check.compare.solve import case_of
from visviva.judge.check.said.claims import Claim
from visviva.judge.exact.facts import Facts


def likeliest(claim: Claim, facts: Facts, spelled: Mapping[str, str]) -> Case:
    """The claim beside the truth, under the reading of its left side that it is nearest to."""
    kinds = (claim.subject.kind, *claim.others)
    if len(kinds) == 1:
        return case_of(claim, facts, spelled)
    subjects = [replace(claim.subject, kind=kind) for kind in kinds]
    cases = [case_of(replace(claim, subject=s, others=()), facts, spelled) for s in subjects]
    for case in cases:
        if case.is_identical:
            return replace(case, notes=(*case.notes, f"read as {case.subject}"))
    listed = ", or ".join(KINDS[kind].phrase for kind in kinds)
    if any(case.field.has_others for case in cases):
        names = ", ".join(kinds)
        raise ArgumentError(f"{claim.text:.200}: the left side may be {listed}; say of= {names}")
    nearest = min(cases, key=lambda case: case.size)
    note = f"the left side may be {listed}: it is none of these, here is the nearest"
    return replace(nearest, notes=(*nearest.notes, note))
