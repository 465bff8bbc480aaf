"""Meshes of files: placed and scaled as stated, missing ones noted, nothing fetched."""

import sys

import numpy as np
import pytest

import visviva as vv
from tests.cli.asking import ask
from visviva.show.live.meshes import read, solids_of

trimesh = pytest.importorskip("trimesh")
URDF = """<robot name="r"><link name="base"/>
<link name="arm"><inertial><mass value="1"/><origin xyz="0 0 0.5"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="0 0 1"/><geometry><mesh filename="package://parts/meshes/box.stl"
 scale="2 1 1"/></geometry><material name="m"><color rgba="1 0 0 0.5"/></material></visual>
<visual><geometry><mesh filename="package://parts/meshes/{other}"/></geometry></visual></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def robot(tmp_path, other):
    folder = tmp_path / "parts" / "meshes"
    folder.mkdir(parents=True)
    trimesh.creation.box((1.0, 2.0, 3.0)).export(folder / "box.stl")
    (folder / "broken.stl").write_bytes(b"solid nothing\n")
    path = tmp_path / "parts" / "robot.urdf"
    path.write_text(URDF.format(other=other), encoding="utf-8")
    return vv.load(path)


def test_a_mesh_is_placed_scaled_and_coloured(tmp_path):
    (solid,), notes = solids_of(robot(tmp_path, "box2.stl"))
    assert solid.vertices.min(axis=0) == pytest.approx([-1.0, -1.0, -0.5])
    assert solid.vertices.max(axis=0) == pytest.approx([1.0, 1.0, 2.5])
    assert solid.carrier == 1
    assert solid.colour == (255, 0, 0)
    assert solid.opacity == 0.5
    assert len(solid.faces) == 12
    assert len(notes) == 1
    assert "box2.stl" in notes[0]
    assert "no such file" in notes[0]


def test_what_is_no_mesh_is_noted(tmp_path):
    found, notes = solids_of(robot(tmp_path, "broken.stl"))
    assert len(found) == 1
    assert "broken.stl" in notes[0]


def test_what_reads_dae_is_named_where_it_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "collada", None)
    robot(tmp_path, "arm.dae")
    (tmp_path / "parts" / "meshes" / "arm.dae").write_text("<COLLADA/>", encoding="utf-8")
    arm = vv.load(tmp_path / "parts" / "robot.urdf")  # it finds files that are there
    arm.view(arm, port=0).close()
    note = capsys.readouterr().out.splitlines()[1:]
    assert len(note) == 1
    assert note[0].startswith("one mesh is not shown, ")
    assert "arm.dae': a mesh file .dae needs collada, " in note[0]
    assert 'pip install "visviva[mesh]"' in note[0]
    said = ask("view", tmp_path / "parts" / "robot.urdf", "--port", "0", "--seconds", "0")
    assert note[0] in said.err.splitlines()


def test_nothing_is_fetched(monkeypatch):
    def asked(*_, **__):
        raise AssertionError("the network was asked")

    monkeypatch.setattr("socket.socket.connect", asked)
    for path in ("http://example.org/x.stl", "package://none/x.stl", "file:///etc/passwd"):
        with pytest.raises(OSError, match="no such file"):
            read(path)


def test_it_is_drawn_in_place_of_the_bars(tmp_path):
    with robot(tmp_path, "box.stl").view(port=0) as view:
        picture = view.shown[0].picture
        assert len(picture.parts["meshes"]) == 2
        assert "skeleton" in picture.hidden
        assert not any(node.visible for node in picture.parts["skeleton"])
        view.do(lambda: view.sessions[0].slide(0, 0.5))
        view.ready.wait(120)
    X = view.sessions[0].places[1]
    assert view.sessions[0].q[0] == 0.5
    assert picture.frames[1].position == pytest.approx(X[:, 3])
    w, _, y, _ = picture.frames[1].wxyz
    assert [w, y] == pytest.approx([np.cos(0.25), np.sin(0.25)])
