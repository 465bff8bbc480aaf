"""What a file says and nobody reads, and numbers that look like another unit, are noted."""

import numpy as np
import pytest

import visviva as vv
from tests.support.oracles import robots
from visviva.describe.files.mjcf.read import load_mjcf
from visviva.describe.files.toml.read import loads_toml
from visviva.describe.files.urdf.read import load_urdf, loads_urdf
from visviva.errors import InertiaError

URDF = """<robot name="r"><link name="a"/><link name="b"><inertial><origin xyz="{com} 0 0"/>
  <mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin {origin}/>
  <limit lower="{lower}" upper="{upper}" velocity="1" effort="1"/>{more}</joint></robot>"""
PLAIN = {"com": "0.1", "origin": 'xyz="0 0 1"', "lower": "-3", "upper": "3", "more": ""}


def notes(**changes):
    return loads_urdf(URDF.format(**PLAIN | changes)).notes


def test_a_misspelt_attribute_in_a_urdf_is_noted_like_an_unknown_element():
    assert not [x for x in notes() if "attribute" in x]
    said = notes(more='<dynamics dampng="1"/>')
    assert "ignored the attribute 'dampng' of <dynamics> (did you mean 'damping'?)" in said
    said = notes(origin='xzy="0 0 1" quat_xyzw="0 0 0 1"')
    assert "ignored the attribute 'xzy' of <origin> (did you mean 'xyz'?)" in said
    assert "ignored the attribute 'quat_xyzw' of <origin>" in said
    text = URDF.format(**PLAIN)
    for where, word in (
        ("<robot ", "'prefix' of <robot>"),
        ("<link ", "'prefix' of <link>, 2 times"),
        ("<joint ", "'prefix' of <joint>"),
        ("<inertial", "'prefix' of <inertial>"),
        ("<mass ", "'prefix' of <mass>"),
    ):
        said = loads_urdf(text.replace(where, f'{where.strip()} prefix="x" ')).notes
        assert f"ignored the attribute {word}" in said, where


def test_limits_in_degrees_are_suspected():
    said = "limits in radians that look like degrees: 'j' (±180)"
    assert said in notes(lower="-180", upper="180")
    assert "limits in radians that look like degrees: 'j' (170)" in notes(upper="170")
    for fine in ("6.2832", "12.6", "25.2", "1e9", "inf"):  # some turns, or none
        assert not [x for x in notes(upper=fine) if "degrees" in x], fine
    b = vv.Builder("b").body("a", joint="revolute", joint_name="j", limits=(-180, 180))
    assert said in b.build().notes
    b = vv.Builder("b").body("a", joint="prismatic", limits=(-180, 180))
    assert not b.build().notes
    text = 'name = "b"\n[[body]]\nname = "a"\njoint = "revolute"\naxis = "z"\nlimits = [-90, 90]\n'
    assert any("'a_joint' (±90)" in x for x in loads_toml(text).notes)


def test_limits_of_mjcf_files_are_suspected_too(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text("""<mujoco><compiler angle="radian"/><worldbody><body><joint name="j"
      range="-180 180" limited="true"/><geom size="1"/></body></worldbody></mujoco>""")
    assert "limits in radians that look like degrees: 'j' (±180)" in load_mjcf(path).notes


def test_angles_in_degrees_are_suspected():
    table = [(0.4, 90, 0, 0, "R"), (0.3, 0, 0, -180, "R")]
    said = vv.from_dh(table, convention="standard").notes
    assert "row 1, alpha: 90 rad looks like degrees" in said
    assert "row 2, theta: -180 rad looks like degrees" in said
    fine = [(0.4, np.pi / 2, 0, 2 * np.pi, "R"), (0.3, -6.28319, 0, 0, "R")]
    assert not [x for x in vv.from_dh(fine, convention="standard").notes if "degrees" in x]
    said = notes(origin='rpy="90 0 -45"')
    assert any(x.startswith("turns of more than 2π in rpy: line 3: 90, -45 rad") for x in said)
    turned = 'rotation = { axis = "x", angle = 90 }\n'
    text = f'name = "b"\n[[body]]\nname = "a"\njoint = "revolute"\naxis = "z"\n{turned}'
    assert any("angles: 90 rad looks like degrees" in x for x in loads_toml(text).notes)


def test_lengths_in_millimetres_are_suspected():
    said = "centres of mass so far from their frames that they look like millimetres: 'b' (100 m)"
    assert said in notes(com="100")
    said = "joints so far from their parents that they look like millimetres: 'j' (250 m)"
    assert said in notes(origin='xyz="0 0 250"')
    P = vv.Builder("b", parameters={"l": 400.0})
    P.body("a", joint="revolute", inertia=vv.Inertia.point(1.0, [P.parameters["l"], 0, 0]))
    assert any("'a' (400 m)" in x for x in P.build().notes)


@pytest.mark.spread(0)
def test_no_robot_is_suspected():
    paths = [p for p in robots.ROBOTS if p not in (robots.NAMELESS, robots.DANGLING)]
    told = {
        (path.stem, note)
        for path in paths
        for note in load_urdf(path, meshes=False).notes
        if "look like" in note or "2π" in note
    }
    assert len(paths) >= 60
    assert told == set()
    for name in vv.catalog.names():
        assert not [x for x in vv.catalog.build(name).notes if "look like" in x]


def test_published_inertias_say_how_they_are_taken():
    moments = [0.1, 0.1, 0.3]
    with pytest.raises(InertiaError, match=r"triangle inequality.*; checked=False takes published"):
        vv.Inertia(1.0, [0, 0, 0], np.diag(moments))
    taken = vv.Inertia(1.0, [0, 0, 0], np.diag(moments), checked=False)
    other = vv.Inertia.from_moments(1.0, [0, 0, 0], moments, checked=False)
    assert np.array_equal(taken.tensor, other.tensor)
    row = "{ mass = 1, com = [0, 0, 0], moments = [0.1, 0.1, 0.3] }"
    text = f'name = "b"\n[[body]]\nname = "a"\njoint = "revolute"\naxis = "z"\ninertia = {row}\n'
    with pytest.raises(ValueError, match="checked = false takes"):
        loads_toml(text)
    model = loads_toml(text.replace(" }", ", checked = false }"))
    assert model.mass_matrix([0.0])[0, 0] == pytest.approx(0.3)
    with pytest.raises(InertiaError, match=r"cannot be negative$"):
        vv.Inertia(-1.0, [0, 0, 0], np.eye(3))


def test_limits_in_degrees_are_suspected_also_where_a_follower_narrows_them():
    more = """</joint><link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/>
      </inertial></link><joint name="k" type="revolute"><parent link="a"/><child link="c"/>
      <limit lower="-2" upper="2" velocity="1" effort="1"/><mimic joint="j" multiplier="-2"/>"""
    said = notes(lower="-90", upper="90", more=more)
    assert "limits of 'j' are [-1, 1], not [-90, 90]: k = -2·j has [-2, 2]" in said
    assert "limits in radians that look like degrees: 'j' (±90)" in said


def test_limits_of_a_joint_that_turns_without_end_are_noted():
    text = URDF.format(**PLAIN).replace("revolute", "continuous")
    word = "of a continuous joint, which turns without end, ignored; type revolute has limits"
    assert f"joint 'j': lower and upper {word}" in loads_urdf(text).notes
    assert f"joint 'j': upper {word}" in loads_urdf(text.replace('lower="-3"', "")).notes
    bare = text.replace('lower="-3" upper="3"', "")
    assert not [x for x in loads_urdf(bare).notes if "continuous" in x]
