"""Shapes of models: ellipsoids of inertia, solids of files, springs, loops, names of people."""

import json

import numpy as np
import pytest

import visviva as vv
from visviva.show.scene.of import scene_of
from visviva.show.scene.parts import THINNEST, ellipsoid, turned_to

I3 = [[0.0] * 3] * 3


def rotation(seed):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]


def test_the_ellipsoid_has_the_mass_and_inertia_of_the_body():
    """Its own tensor, by m/5 (b² + c²), turned back into the body's axes."""
    R = rotation(3)
    R = R * np.sign(np.linalg.det(R))
    body = vv.Inertia.ellipsoid(mass=2.0, ax=0.3, ay=0.2, az=0.1).rotated(R)
    pose, radii = ellipsoid(body)
    axes = np.array(pose).reshape(3, 4)[:, :3]
    np.testing.assert_allclose(sorted(radii), [0.1, 0.2, 0.3], rtol=1e-12)
    a, b, c = np.square(radii)
    tensor = axes @ np.diag([b + c, a + c, a + b]) @ axes.T * (2.0 / 5)
    np.testing.assert_allclose(tensor, body.tensor, atol=1e-15)


def test_ellipsoids_of_laminas_rods_points_and_nothing():
    lamina = vv.Inertia(1.0, [0, 0, 0], np.diag([0.1, 0.1, 0.2]))
    assert min(ellipsoid(lamina)[1]) == pytest.approx(THINNEST * max(ellipsoid(lamina)[1]))
    rod = vv.Inertia(1.0, [0, 0, 0], np.diag([0.0, 0.1, 0.1]))
    assert sum(r > 0.1 for r in ellipsoid(rod)[1]) == 1
    assert ellipsoid(vv.Inertia.point(1.0)) is None
    assert ellipsoid(vv.Inertia(0.0, [0, 0, 0], I3)) is None
    impossible = vv.Inertia(1.0, [0, 0, 0], np.diag([0.1, 0.1, 0.9]), checked=False)
    assert np.isfinite(ellipsoid(impossible)[1]).all()


@pytest.mark.parametrize("axis", [[0, 0, 1], [0, 0, -1], [1, 0, 0], [1, -2, 3], [0, 1e-14, -1]])
def test_axes_are_turned_to(axis):
    R = turned_to(axis)
    np.testing.assert_allclose(R[:, 2], np.array(axis) / np.linalg.norm(axis), atol=1e-12)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(R) > 0


URDF = """<robot name="r"><link name="base"><visual><geometry><box size="1 2 3"/></geometry>
</visual></link><link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="2"/></geometry></visual>
<visual><geometry><sphere radius="0.3"/></geometry></visual></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="0.2" effort="1" velocity="1"/></joint></robot>"""


def test_solids_of_files_are_drawn_as_they_are(tmp_path):
    (tmp_path / "r.urdf").write_text(URDF)
    scene = scene_of(vv.load(tmp_path / "r.urdf"))
    shapes = {s.kind: s for s in scene.shapes if s.role == "link"}
    assert shapes["box"].size == (1.0, 2.0, 3.0)
    assert shapes["box"].on == 0
    assert (shapes["cylinder"].radius, shapes["cylinder"].length) == (0.1, 2.0)
    assert shapes["cylinder"].pose[3::4] == (0.0, 0.0, 1.0)
    assert shapes["sphere"].radius == 0.3
    (c,) = scene.coordinates
    assert (c.lower, c.upper, c.kind, c.unit) == (-1.0, 0.2, "angle", "rad")
    assert c.lower < c.start < c.upper


def test_springs_between_points_along_slides_and_about_hinges(tmp_path):
    (tmp_path / "s.toml").write_text("""
name = "springs"
parameters = { h = 0.7 }
[[body]]
name = "slide"
joint = "prismatic"
joint_name = "x"
axis = "x"
inertia = { mass = 1 }
[[body]]
name = "arm"
parent = "slide"
joint = "revolute"
joint_name = "turn"
axis = "z"
inertia = { mass = 1, com = [1, 0, 0] }
[[spring]]
name = "along"
joint = "x"
stiffness = 1
rest = 0
[[spring]]
name = "about"
joint = "turn"
stiffness = 1
rest = 0
[[spring]]
name = "between"
from = { frame = "world", at = [0, "h", 0] }
to = { frame = "arm", at = [0.5, 0, 0] }
stiffness = 1
rest = 0.1
""")
    model = vv.load(tmp_path / "s.toml")
    scene = scene_of(model)
    shapes = {s.name: s for s in scene.shapes if s.role == "spring"}
    assert [shapes[k].kind for k in ("along", "about", "between")] == ["spring", "path", "spring"]
    X = scene.places(["h"])([0.2, 0.3], [0.9])
    (k, p), (n, r) = shapes["between"].a, shapes["between"].b
    np.testing.assert_allclose(X[k - 1][:, :3] @ p + X[k - 1][:, 3], [0, 0.9, 0], atol=1e-15)
    np.testing.assert_allclose(
        X[n - 1][:, :3] @ r + X[n - 1][:, 3], [0.2 + 0.5 * np.cos(0.3), 0.5 * np.sin(0.3), 0]
    )


def test_wheels_of_a_bicycle_have_their_radii_and_grow_with_them():
    bicycle = vv.catalog.bicycle()
    scene = scene_of(bicycle)
    discs = [s for s in scene.shapes if s.kind == "disc"]
    assert sorted(s.radius for s in discs) == sorted(
        [bicycle.parameters["rR"], bicycle.parameters["rF"]]
    )
    rear = next(s for s in discs if s.radius == bicycle.parameters["rR"])
    X = scene.places(["rR"])(scene.start, [0.6])[rear.on - 1]
    np.testing.assert_allclose(np.linalg.norm(X[:, :3], axis=0), 0.6 / rear.radius)


@pytest.mark.parametrize(
    ("closure", "kind"),
    [
        ({"joint": "distance", "length": 1.0}, "segment"),
        ({"joint": "point_on_line", "axis": "x"}, "segment"),
        ({"joint": "point_on_plane", "axis": "z"}, "path"),
        ({"joint": "spherical"}, "sphere"),
        ({"joint": "revolute", "axis": "z"}, "cylinder"),
        ({"joint": "knife_edge", "axis": "y"}, "box"),
        ({"joint": "rolling_ball", "radius": 0.3}, "ellipsoid"),
    ],
)
def test_every_closure_can_be_seen(closure, kind):
    b = vv.Builder("held")
    b.body("a", joint="free", inertia=vv.Inertia.box(mass=1.0, x=0.1, y=0.2, z=0.3))
    model = b.build().with_loop("world", "a", **closure)
    shapes = [s for s in scene_of(model).shapes if s.role == "loop"]
    assert kind in [s.kind for s in shapes]


def test_names_of_people_are_only_data():
    """Bodies called as carriers are, or as a page's code is."""
    b = vv.Builder("</script>")
    b.body("com:a", joint="revolute", joint_name="<b>", inertia=vv.Inertia.point(1.0, [1, 0, 0]))
    b.body("world'", parent="com:a", joint="revolute", joint_name="q\"'", at=[1, 0, 0],
           inertia=vv.Inertia.point(1.0, [1, 0, 0]))  # fmt: skip
    b.body("a", parent="world'", joint="prismatic", axis="x", joint_name="x" * 1000,
           inertia=vv.Inertia.box(mass=1.0, x=0.1, y=0.1, z=0.1))  # fmt: skip
    scene = scene_of(b.build())
    assert len(set(scene.carriers)) == len(scene.carriers)
    assert json.loads(json.dumps(scene.as_dict()))["name"] == "</script>"
    assert scene.pull("com:a") is not scene.pull("com:a'")


def test_bodies_without_any_extent_are_seen():
    b = vv.Builder("point")
    b.body("p", joint="free", inertia=vv.Inertia.point(1.0))
    scene = scene_of(b.build())
    assert [s.kind for s in scene.shapes if s.role == "link"] == ["sphere"]
    assert [c.kind for c in scene.coordinates] == ["quaternion"] * 4 + ["length"] * 3
    b = vv.Builder("nothing")
    b.body("massless", joint="revolute")
    assert scene_of(b.build()).shapes
