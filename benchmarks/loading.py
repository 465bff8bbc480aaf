"""Reading robots: a URDF without its meshes, against Pinocchio."""

import sysconfig
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from benchmarks.harness import Row, benchmark, best, share
from visviva.describe.files.urdf.read import load_urdf

ROBOTS = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"
find_spec("example_robot_data")  # tests without peers skip here what needs it


@benchmark
def loading() -> Iterator[Row]:
    """Talos from its URDF, meshes not looked for."""
    import pinocchio as pin

    path = str(ROBOTS / "talos_data/robots/talos_full_v2.urdf")
    ours, theirs = best(
        lambda: load_urdf(path, meshes=False, mimic="expand"),
        lambda: pin.buildModelFromUrdf(path),
    )
    what = "load Talos (44 joints) from URDF"
    yield Row(what, ours, "", None, ours, "seconds", "<= 0.15")
    yield share(what, ours, "pin.buildModelFromUrdf", theirs)
