"""The tree that the joints of a URDF form, in Pinocchio's order; and the joints that follow others.

Order: depth first from the root, the joints of one link (fixed ones too) by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from math import isfinite
from typing import Any

from visviva.describe.files.urdf.parts import ONE, JointPart
from visviva.describe.files.xmlfile import Document
from visviva.describe.model.body import Mimic
from visviva.errors import ReadError


def root_and_order(
    doc: Document, links: Mapping[str, Any], joints: Sequence[JointPart]
) -> tuple[str, list[JointPart]]:
    """The root link, and the joints in order, or an error that says why they form no tree."""
    above: dict[str, JointPart] = {}
    below: dict[str, list[JointPart]] = {name: [] for name in links}
    for j in joints:
        for role, name in (("parent", j.parent), ("child", j.child)):
            if name not in links:
                raise doc.error(j.element, f"{role} link {name!r} does not exist", _some(links))
        if j.child in above:
            other = above[j.child]
            raise doc.error(
                j.element,
                f"link {j.child!r} is already the child of joint {other.name!r} "
                f"(line {other.element.sourceline})",
                "a tree, in which a link has one parent; loops are closed after loading: "
                "model.with_loop(frame, frame, joint='revolute')",
            )
        above[j.child] = j
        below[j.parent].append(j)
    roots = [name for name in links if name not in above]
    if len(roots) > 1:
        raise ReadError(
            f"{doc.source}, line {doc.root.sourceline}, <robot>: {len(roots)} root links: "
            f"{_some(roots)}; accepted: one link that is no joint's child, all others joined to it"
        )
    if not roots:
        raise _cycle(doc, next(iter(links)), above)
    order: list[JointPart] = []
    waiting = [roots[0]]
    seen = {roots[0]}
    while waiting:
        link = waiting.pop()
        if link in above:
            order.append(above[link])
        children = sorted(below[link], key=lambda j: j.name, reverse=True)  # the last comes next
        waiting += [j.child for j in children]
        seen.update(j.child for j in children)
    if len(seen) < len(links):
        raise _cycle(doc, next(name for name in links if name not in seen), above)
    return roots[0], order


def _cycle(doc: Document, start: str, above: Mapping[str, JointPart]) -> ReadError:
    """Walking up from `start` never ends: the circle it runs into."""
    path: dict[str, None] = {}
    link = start
    while link not in path:
        path[link] = None
        link = above[link].parent
    names = list(path)
    circle = names[names.index(link) :][::-1]
    joint = above[link].element
    return doc.error(
        joint, f"the links form a cycle: {_some(circle, ' -> ')} -> {circle[0]!r}", "a tree"
    )


def sources(doc: Document, joints: Sequence[JointPart]) -> dict[str, Mimic]:
    """Who follows whom, chains resolved: every source is a joint that follows none."""
    by_name = {j.name: j for j in joints}
    resolved: dict[str, Mimic] = {}
    for first in joints:
        chain: dict[str, tuple[JointPart, Mimic]] = {}
        j = first
        while j.mimic is not None and j.name not in resolved:
            if j.name in chain:
                circle = f"{_some(list(chain), ' -> ')} -> {j.name!r}"
                raise doc.error(j.element, f"mimic joints follow each other: {circle}", HINT)
            chain[j.name] = j, j.mimic
            j = _source(doc, j, j.mimic.joint, by_name)
        for follower, m in reversed(chain.values()):
            up = resolved.get(m.joint, Mimic(m.joint))
            factor, offset = up.multiplier * m.multiplier, up.offset * m.multiplier + m.offset
            if not (isfinite(factor) and isfinite(offset)):
                raise doc.error(follower.element, "the chain of mimic multipliers overflows", HINT)
            resolved[follower.name] = Mimic(up.joint, factor, offset)
    return resolved


HINT = "another joint of the file with one coordinate; mimic='expand' drops the coupling"


def _source(doc: Document, j: JointPart, name: str, by_name: Mapping[str, JointPart]) -> JointPart:
    source = by_name.get(name)
    if source is None:
        close = get_close_matches(name, by_name, n=1)
        near = f", did you mean {close[0]!r}?" if close else ""
        problem = f"mimic of joint {name!r}, which does not exist{near}"
        raise doc.error(j.element, problem, f"{HINT}; there are {_some(list(by_name))}")
    for one in (j, source):
        if one.kind not in ONE:
            problem = f"mimic of {source.name!r}: joint {one.name!r} is {one.kind}"
            raise doc.error(j.element, problem, HINT)
    return source


def _some(names: Any, between: str = ", ", most: int = 8) -> str:
    listed = [repr(n) for n in names]
    more = [f"… ({len(listed)} in all)"] if len(listed) > most else []
    return between.join(listed[:most] + more)
