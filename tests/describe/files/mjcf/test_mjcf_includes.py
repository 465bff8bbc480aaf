"""Files that included files name are found where MuJoCo finds them."""

import itertools
import random

import numpy as np
import pytest

from tests.support.oracles import mujoco_models as peer
from visviva.describe.files.mjcf.read import load_mjcf
from visviva.describe.files.mjcf.scan import scan
from visviva.errors import ReadError

FACES = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
MAIN = """<mujoco>{}<include file="s/i.xml"/><worldbody><body><joint/>
  <geom type="mesh" mesh="a"/></body></worldbody></mujoco>"""
MESH = '<mujocoinclude><asset><mesh name="a" file="{}"/></asset></mujocoinclude>'
FOLDERS = ("", "s", "t", "s/t", "M", "t/t", "s/t/t", "M/t", "s/M")


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def mesh(size):
    points = ("0 0 0", f"{size} 0 0", f"0 {size} 0", f"0 0 {size}")
    return "".join(f"v {p}\n" for p in points) + FACES


def sizes(path):
    """Of the mesh that MuJoCo takes, and of ours; None where it is refused."""
    try:
        m = peer.read(path)
        theirs = round(float(np.linalg.norm(m.mesh_vert[1] - m.mesh_vert[2]) / np.sqrt(2)))
    except ValueError:
        theirs = None
    try:
        (file,) = (f for f in scan(path).files.values() if f.suffix == ".obj")
        ours = int(file.read_text().split()[5])
    except ReadError:
        ours = None
    return ours, theirs


@pytest.mark.parametrize(
    ("nested", "directory", "name"),
    [*itertools.product(("", "t/j.xml"), ("", "M", "t"), ("x.obj", "t/x.obj", "../x.obj"))],
)
def test_assets_are_those_that_mujoco_takes(tmp_path, nested, directory, name):
    rng, loaded = random.Random(3), 0
    for k in range(8):
        folder = tmp_path / f"{k}"
        compiler = f'<compiler meshdir="{directory}"/>' if directory else ""
        path = write(folder, "m.xml", MAIN.format(compiler))
        inner = f'<mujocoinclude><include file="{nested}"/></mujocoinclude>'
        write(folder, "s/i.xml", inner if nested else MESH.format(name))
        if nested:  # it stands by the main file, by the one that includes it, or by both
            for place in rng.choice((["t/j.xml"], ["s/t/j.xml"], ["t/j.xml", "s/t/j.xml"])):
                write(folder, place, MESH.format(name))
        for size, place in enumerate(FOLDERS, 1):
            folder.joinpath(place).mkdir(parents=True, exist_ok=True)
            if rng.random() < 0.5:
                write(folder / place, "x.obj", mesh(size))
        ours, theirs = sizes(path)
        assert ours == theirs, sorted(str(x.relative_to(folder)) for x in folder.rglob("*.*"))
        loaded += ours is not None
    assert loaded


def test_a_mesh_one_folder_above_the_included_file(tmp_path):
    """As in eight files of a package of many: the main file's folder first, then the other."""
    write(tmp_path, "meshes/a.obj", mesh(1))
    path = write(tmp_path, "m.xml", MAIN.format(""))
    write(tmp_path, "s/i.xml", MESH.format("../meshes/a.obj"))
    (drawn,) = load_mjcf(path).bodies[0].visuals
    assert drawn.path == str((tmp_path / "meshes/a.obj").resolve())
    (tmp_path / "meshes/a.obj").unlink()
    with pytest.raises(ReadError, match=r"i.xml, line 1, <mesh>: .*outside of .*give roots="):
        load_mjcf(path)
    write(tmp_path.parent, "meshes/a.obj", mesh(1))  # it is there, and nobody vouches for it
    write(tmp_path, "meshes/a.obj", mesh(2))
    with pytest.raises(ReadError, match="outside of"):
        load_mjcf(path)
    assert load_mjcf(path, roots=[tmp_path.parent]).nv == 1
