"""A gizmo at a frame: it is dragged, and the joints follow."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.show.live.panel import NOTE, Do, distinct
from visviva.show.live.picture import wxyz
from visviva.show.live.reaching import Dragging, Reached
from visviva.show.live.session import Session
from visviva.show.page.escaping import escaped
from visviva.space.rotations import quaternion_matrix

SIZE = 0.18  # of the mechanism's


class Tip:
    """Controls of inverse kinematics: which frame, and whether its orientation is kept."""

    def __init__(self, server: Any, root: str, session: Session, do: Do) -> None:
        self.session, self.do, self.api = session, do, server.scene
        self.dragging: Dragging | None = None
        self.held = False
        names = frames_that_move(session)
        self.names = distinct(names, 40)
        gui = server.gui
        self.shown = gui.add_checkbox("drag a frame", False, hint="A gizmo that joints follow.")
        labels = tuple(self.names)
        self.which = gui.add_dropdown("frame", labels, initial_value=labels[-1])
        self.turned = gui.add_checkbox("and turn it", True, visible=False)
        self.note = gui.add_html("")
        self.gizmo = self.api.add_transform_controls(
            f"{root}/tip", scale=SIZE * session.scene.size, depth_test=False, visible=False
        )
        for control in (self.shown, self.which, self.turned):
            control.on_update(self._changed)
        self.gizmo.on_update(self._dragged)

    def _changed(self, event: Any) -> None:
        if event.client_id is not None:
            self.do(lambda: self._choose(event.target is self.turned))

    def _choose(self, is_turning: bool) -> None:
        """Another frame, or another way to lead it."""
        frame, s = self.names[self.which.value], self.session
        if not self.shown.value:
            self.gizmo.visible = False
            return
        if self.dragging is None or self.dragging.frame != frame:
            self.dragging = Dragging(s.system, frame, s.closing, s.q, s.t)
            self.turned.value = self.dragging.turns
        if is_turning:
            self.dragging.turns = bool(self.turned.value)
        self.turned.visible = self.gizmo.visible = True
        self.gizmo.disable_rotations = not self.dragging.turns
        self.follow()

    async def _dragged(self, event: Any) -> None:
        self.held = event.phase != "end"
        pose = np.eye(4)
        w, x, y, z = event.target.wxyz
        pose[:3, :3] = np.asarray(quaternion_matrix([x, y, z, w]), dtype=float)
        pose[:3, 3] = event.target.position
        self.do(lambda: self.lead(pose))

    def lead(self, pose: Array) -> Reached | None:
        """The frame towards a pose (4, 4) of the mechanism's world."""
        s = self.session
        if self.dragging is None:
            return None
        s.playing = False
        reached = self.dragging.to(s.q, pose, s.parameters, s.t)
        s.lead(reached.q)
        self.note.content = f'<div style="{NOTE}">{escaped(reached)}</div>'
        return reached

    def follow(self) -> None:
        """The gizmo to where the frame is, unless somebody holds it."""
        if self.held or self.dragging is None or not self.gizmo.visible:
            return
        X = self.dragging.pose(self.session.q)
        turn, at = wxyz(X[:3, :3]), X[:3, 3]
        if np.abs(self.gizmo.position - at).max() + np.abs(self.gizmo.wxyz - turn).max() > 1e-9:
            self.gizmo.wxyz, self.gizmo.position = turn, at


def frames_that_move(session: Session) -> list[str]:
    """Frames of a model that move with its coordinates; the last is most often the tip."""
    m = session.system
    if not getattr(m, "bodies", ()):
        return []
    return [x for x in m.frame_names if m.numeric.frame(x).body >= 0]
