"""`visviva bench`: how fast a mechanism's functions are on this machine."""

from __future__ import annotations

import os

from visviva.cli.common import AsData, Mechanism, system_of
from visviva.cli.output import say, say_data


def bench(mechanism: Mechanism, as_json: AsData = False) -> None:
    """How fast its functions are on this machine: operations, one call, a batch, other libraries.

    Forces, accelerations, masses and their derivatives, on one thread, in a few seconds. Pinocchio
    and MuJoCo are measured in the same run if they are installed and have the same result.

    \b
    Examples:
      visviva bench puma560
      visviva bench robot.urdf --json
    """
    from visviva.show.speed.measure import measured_speed

    # nothing is drawn: or MuJoCo looks for OpenGL, in a process that answers Ctrl-C in its own way
    os.environ.setdefault("MUJOCO_GL", "disable")
    measured = measured_speed(system_of(mechanism))
    if as_json:
        say_data(measured.as_dict())
    else:
        say(str(measured))
