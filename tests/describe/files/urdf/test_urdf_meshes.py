"""Meshes that a URDF names: where they are looked for, and that they are never opened."""

import builtins
import os

import pytest

from tests.support.generators.urdf_texts import joint, link, robot
from visviva.describe.files.urdf.read import load_urdf


def drawing(path, *names):
    """A file whose link shows meshes."""
    seen = "".join(f'<visual><geometry><mesh filename="{n}"/></geometry></visual>' for n in names)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(robot(link("a"), link("b", seen), joint("j", "revolute", "a", "b")))
    return path


def found(path, *names, **options):
    model = load_urdf(drawing(path, *names), **options)
    return [v.path for v in model.bodies[0].visuals], model.notes


def test_meshes_are_found_below_the_roots(tmp_path):
    mesh = tmp_path / "ws/my_robot/meshes/m.stl"
    other = tmp_path / "ws/other/m.stl"
    for p in (mesh, other):
        p.parent.mkdir(parents=True)
        p.touch()
    file = tmp_path / "ws/my_robot/urdf/r.urdf"
    names = ["package://my_robot/meshes/m.stl", "package:///my_robot/meshes/m.stl"]
    assert found(file, *names)[0] == [str(mesh)] * 2
    paths, notes = found(file, "package://other/m.stl", "../meshes/m.stl", f"file://{mesh}")
    assert paths == ["package://other/m.stl", "../meshes/m.stl", f"file://{mesh}"]
    assert "3 mesh files were not looked for, the first is 'package://other/m.stl'" in notes[-1]
    for packages in (tmp_path / "ws", [str(tmp_path / "ws")]):
        names = ["package://other/m.stl", "../meshes/m.stl", f"file://{mesh}", str(mesh)]
        paths, _ = found(file, *names, packages=packages)
        assert paths == [str(other), str(mesh), str(mesh), str(mesh)]
    assert found(file, "package://other/m.stl", packages=tmp_path / "ws/other")[0] == [str(other)]
    (tmp_path / "ws/my_robot/package.xml").touch()  # the file's own package
    assert found(file, "../meshes/m.stl")[0] == [str(mesh)]
    (tmp_path / "ws/my_robot/urdf/near.stl").touch()
    assert found(file, "near.stl")[0] == [str(file.parent / "near.stl")]
    paths, notes = found(file, "package://my_robot/none.stl")
    assert paths == ["package://my_robot/none.stl"]
    assert "1 mesh files do not exist" in notes[-1]


@pytest.mark.parametrize(
    "name",
    [
        "package://my_robot/../secret.stl",
        "package://../secret.stl",
        "package://my_robot//../../../secret.stl",
        "package://./../secret.stl",
        "../../secret.stl",
        "meshes/../../../secret.stl",
        "file://../../secret.stl",
        "{}/secret.stl",
        "file://{}/secret.stl",
        "http://localhost/secret.stl",
    ],
)
def test_meshes_outside_are_not_looked_for(name, tmp_path):
    (tmp_path / "secret.stl").touch()
    name = name.format(tmp_path)
    paths, notes = found(tmp_path / "my_robot/urdf/r.urdf", name)
    assert paths == [name]
    assert "1 mesh files were not looked for" in notes[-1]


def test_meshes_are_never_opened(tmp_path, monkeypatch):
    (tmp_path / "m.stl").touch()
    file = drawing(tmp_path / "r.urdf", "m.stl")
    opened = []
    for module, name in ((builtins, "open"), (os, "open")):
        whole = getattr(module, name)

        def watched(path, *args, whole=whole, **options):
            opened.append(os.fspath(path))
            return whole(path, *args, **options)

        monkeypatch.setattr(module, name, watched)
    assert load_urdf(file).bodies[0].visuals[0].path == str(tmp_path / "m.stl")
    monkeypatch.undo()
    assert opened == [str(file)]


def test_a_file_that_a_link_leads_to_has_its_own_package(tmp_path):
    mesh = tmp_path / "ws/my_robot/meshes/m.stl"
    mesh.parent.mkdir(parents=True)
    mesh.touch()
    file = drawing(tmp_path / "ws/my_robot/urdf/r.urdf", "package://my_robot/meshes/m.stl")
    (tmp_path / "elsewhere").symlink_to(file.parent)
    (tmp_path / "alone.urdf").symlink_to(file)
    for path in (tmp_path / "elsewhere/r.urdf", tmp_path / "alone.urdf"):
        assert [v.path for v in load_urdf(path).bodies[0].visuals] == [str(mesh)], path
