"""MJCF files as we read them and as MuJoCo does, and small ones written on the spot."""

from functools import lru_cache

import numpy as np

from tests.support.oracles import mujoco_models as peer
from visviva.describe.files.mjcf.read import load_mjcf

FILES = peer.files()
NAMES = [f.name for f in FILES]
TOLERANCE = 1e-12  # both sides round a few dozen operations on numbers near one


@lru_cache
def ours(name, mimic="expand", snap=0.0):
    return load_mjcf(FILES[NAMES.index(name)], mimic=mimic, snap=snap)


def theirs(name):
    return peer.read(FILES[NAMES.index(name)])


def here(name):
    return peer.FOLDER / name


def off(a, b):
    """The largest difference, relative above one."""
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    return float((np.abs(a - b) / (1 + np.abs(b))).max()) if a.size else 0.0


def origin(model, name):
    """The frame of ours that is MuJoCo's body frame."""
    moved = f"{name}_origin"
    return moved if moved in model.frame_names else name


def write(folder, text, name="bad.xml"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def body(inside, extra=""):
    return f"<mujoco>{extra}<worldbody>\n<body name='a'>\n{inside}\n</body></worldbody></mujoco>"
