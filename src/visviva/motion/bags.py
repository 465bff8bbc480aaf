"""Joint states from ROS 2 bags and MCAP files, read by `rosbags` in a process of its own.

`python -m visviva.motion.bags PATH TOPIC` writes an npz archive to standard output. Its
memory is limited, since a packed bag may unpack to more than it says. Messages are read as
sensor_msgs/JointState, whatever definition the file brings: nothing in it is executed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.describe.files.mjcf.worker import limit_memory, pack, unpack
from visviva.errors import ReadError
from visviva.extras import require
from visviva.motion.unpacking import MAX_UNPACKED

if TYPE_CHECKING:
    import rosbags as rosbags

JOINT_STATE = "sensor_msgs/msg/JointState"
FIELDS = ("position", "velocity", "effort")
SECONDS = 600.0  # that reading a bag may take


def bag_columns(path: Path, topic: str) -> dict[str, Any]:
    """Columns by name: stamp and received, in ns, and position, velocity, effort of each joint."""
    require("reading bags", "rosbags.rosbag2")
    worker = [sys.executable, "-P", "-m", "visviva.motion.bags", str(path.absolute()), topic]
    paths = os.pathsep.join(os.path.abspath(x) for x in sys.path)
    try:
        answer = subprocess.run(  # noqa: S603  our own interpreter and module
            worker,
            capture_output=True,
            timeout=SECONDS,
            env={**os.environ, "PYTHONPATH": paths},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ReadError(f"{path}: rosbags was not done within {SECONDS:g} s") from None
    if answer.returncode or not answer.stdout:
        lines = answer.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ReadError(f"{path}: rosbags cannot read it: {''.join(lines[-1:])[:300]}")
    arrays = unpack(answer.stdout)
    if "error" in arrays:
        raise ReadError(f"{path}: {arrays['error']}")
    joints = arrays.pop("joints").tolist()
    columns = {k: arrays[k] for k in ("stamp", "received")}
    for field in FIELDS:
        columns |= {f"{x}.{field}": arrays[field][:, k] for k, x in enumerate(joints)}
    is_empty = {k: x.dtype == float and np.isnan(x).all() for k, x in columns.items()}
    return {k: x for k, x in columns.items() if not is_empty[k]}


def joint_states(path: str, topic: str) -> dict[str, Any]:
    """All messages of a topic, as arrays: nan where a message has nothing of a joint."""
    from rosbags.rosbag2 import Reader
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.LATEST)
    rows, size = [], 0
    with Reader(path) as bag:
        kinds = {x.topic: x.msgtype for x in bag.connections}
        if kinds.get(topic) != JOINT_STATE:
            topics = ", ".join(f"{k!r} of {x}" for k, x in kinds.items()) or "none"
            return {"error": f"has no {JOINT_STATE} at topic={topic!r} (available: {topics})"}
        for _, log_time, raw in bag.messages([x for x in bag.connections if x.topic == topic]):
            size += len(raw)
            if size > MAX_UNPACKED:
                return {"error": f"its messages have more than {MAX_UNPACKED} bytes"}
            message: Any = store.deserialize_cdr(raw, JOINT_STATE)
            stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
            rows.append((stamp, log_time, message))
    joints = [*dict.fromkeys(x for *_, message in rows for x in message.name)]
    place = {x: k for k, x in enumerate(joints)}
    if 8 * len(FIELDS) * len(rows) * len(joints) > MAX_UNPACKED:
        return {"error": f"{len(rows)} messages of {len(joints)} joints are too many"}
    arrays: dict[str, Any] = {x: np.full((len(rows), len(joints)), np.nan) for x in FIELDS}
    for i, (*_, message) in enumerate(rows):
        columns = [place[x] for x in message.name]
        for field in FIELDS:
            if len(values := getattr(message, field)) == len(columns):
                arrays[field][i, columns] = values
    times = np.array([x[:2] for x in rows], dtype=np.int64).reshape(-1, 2)
    arrays |= {"stamp": times[:, 0], "received": times[:, 1], "joints": np.array(joints, str)}
    return arrays


def main() -> None:
    """Write the arrays of a bag to standard output, as the process of `bag_columns`."""
    limit_memory()
    sys.stdout.buffer.write(pack(**joint_states(*sys.argv[1:3])))


if __name__ == "__main__":
    main()
