"""Bodies that are fixed to their parent become part of it; their frames stay addressable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from visviva.describe.bodies.inertia import Inertia
from visviva.describe.model.body import WORLD, Body, Frame, Visual
from visviva.space.poses import Pose


@dataclass(frozen=True)
class Merged:
    """Bodies and frames after merging."""

    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...]
    base_inertia: Inertia | None
    base_visuals: tuple[Visual, ...]
    merged: tuple[str, ...]  # names of the bodies that are none of their own any more


def merge_fixed(
    bodies: Sequence[Body],
    frames: Sequence[Frame],
    base_inertia: Inertia | None = None,
    base_visuals: tuple[Visual, ...] = (),
) -> Merged:
    """The same tree without fixed joints."""
    place: dict[int, tuple[int, Pose]] = {WORLD: (WORLD, Pose.identity())}
    kept: list[Body] = []
    new_frames: list[Frame] = []
    merged: list[str] = []
    for i, b in enumerate(bodies):
        parent, seen = place[b.parent]
        placement = seen @ b.placement
        if b.joint.nv:
            place[i] = (len(kept), Pose.identity())
            kept.append(replace(b, parent=parent, placement=placement))
            continue
        place[i] = (parent, placement)
        merged.append(b.name)
        new_frames.append(Frame(b.name, parent, placement))
        moved = b.inertia.moved(placement.R, placement.p)
        visuals = tuple(replace(v, placement=placement @ v.placement) for v in b.visuals)
        if parent == WORLD:
            base_inertia = moved if base_inertia is None else base_inertia + moved
            base_visuals = (*base_visuals, *visuals)
        else:
            host = kept[parent]
            kept[parent] = replace(
                host, inertia=host.inertia + moved, visuals=(*host.visuals, *visuals)
            )
    for f in frames:
        body, seen = place[f.body]
        new_frames.append(Frame(f.name, body, seen @ f.placement))
    return Merged(tuple(kept), tuple(new_frames), base_inertia, base_visuals, tuple(merged))
