"""Files that would take minutes and gigabytes are refused before they are parsed, by count."""

import zipfile

import numpy as np
import pytest

import visviva as vv
from visviva.describe.files.mjcf.read import load_mjcf
from visviva.describe.files.toml.read import MechanismFileError, load_toml, loads_toml
from visviva.describe.files.urdf.read import load_urdf, loads_urdf
from visviva.describe.files.xmlfile import MAX_ELEMENTS, parse_xml, root_tag
from visviva.errors import ArgumentError, ReadError

MANY = MAX_ELEMENTS + 1
LINK = '<link name="a"/>'


@pytest.fixture
def parsed(monkeypatch):
    """What was given to the parser."""
    from visviva.describe.files import xmlfile

    seen = []
    fromstring = xmlfile.etree.fromstring
    monkeypatch.setattr(
        xmlfile.etree, "fromstring", lambda *args: seen.append(1) or fromstring(*args)
    )
    return seen


def test_a_urdf_of_a_million_elements_is_refused_before_it_is_parsed(tmp_path, parsed):
    path = tmp_path / "many.urdf"
    path.write_text(f'<robot name="r">{LINK}{"<a/>" * MANY}</robot>')
    with pytest.raises(
        ReadError, match=rf"has {MANY + 2} elements; accepted: at most {MAX_ELEMENTS}"
    ):
        vv.load(path)
    assert not parsed
    small = f'<robot name="r">{LINK}{"<a/>" * 50}</robot>'
    with pytest.raises(ReadError, match=r"has 52 elements; accepted: at most 50 \(max_elements=\)"):
        loads_urdf(small, max_elements=50)
    path.write_text(small)
    assert load_urdf(path, max_elements=52).nv == 0
    assert "ignored 50 <a> elements" in vv.load(path, max_elements=52).notes


def test_a_million_attributes_are_refused_before_they_are_parsed(parsed):
    text = "<robot " + " ".join(f'a{i}="1"' for i in range(1_000_001)) + "/>"
    with pytest.raises(ReadError, match="has 1000001 attributes; accepted: at most 1000000"):
        parse_xml(text, "text")
    assert not parsed


def test_an_mjcf_of_a_million_sites_is_refused_before_it_is_parsed(tmp_path, parsed):
    path = tmp_path / "many.xml"
    path.write_text(f"<mujoco><worldbody>{'<site/>' * MANY}</worldbody></mujoco>")
    with pytest.raises(ReadError, match=rf"has {MANY + 2} elements; accepted: at most"):
        vv.load(path)
    assert not parsed
    for name in "abc":  # and if they come by includes
        (tmp_path / f"{name}.xml").write_text(f"<mujoco>{'<a/>' * 40}</mujoco>")
    includes = "".join(f'<include file="{name}.xml"/>' for name in "abc")
    path.write_text(f"<mujoco>{includes}</mujoco>")
    with pytest.raises(ReadError, match="has more than 100 elements with its includes"):
        load_mjcf(path, max_elements=100)


def test_an_mjcf_of_many_bodies_is_refused_before_mujoco_sees_it(tmp_path):
    path = tmp_path / "many.xml"
    bodies = "<body><freejoint/><geom size='1'/></body>" * 4
    path.write_text(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    with pytest.raises(ReadError, match=r"has 4 bodies; accepted: at most 3 \(max_bodies=\)"):
        load_mjcf(path, max_bodies=3)
    assert vv.load(path, max_bodies=4).nv == 24
    one = "<body><joint type='slide'/><geom size='1'/></body>"
    for count, said in (("1e9", "count is 1e9; accepted"), ("20", "has 20 bodies; accepted")):
        inner = f"<replicate count='{count}' offset='1 0 0'>{one}</replicate>"
        nested = inner if count == "1e9" else inner.replace("'20'", "'4'")
        if count == "20":  # replicates inside replicates are counted when MuJoCo has made them
            nested = f"<replicate count='5' offset='0 1 0'>{nested}</replicate>"
        path.write_text(f"<mujoco><worldbody>{nested}</worldbody></mujoco>")
        with pytest.raises(ReadError, match=said):
            load_mjcf(path, max_bodies=10)


def test_the_kind_of_an_xml_file_is_seen_at_its_beginning(tmp_path):
    path = tmp_path / "m.xml"
    for head in ("", '<?xml version="1.0"?>\n', "<!-- <mujoco> --> <!-- - -->\n", "\ufeff  \n"):
        path.write_text(f'{head}<robot name="r">{LINK}</robot>', encoding="utf-8")
        assert root_tag(path) == "robot"
        assert vv.load(path).name == "r"
    path.write_text("<!---->" * 5000)  # no root, and no exponential search for one
    assert root_tag(path) == ""
    with pytest.raises(ReadError, match="malformed XML"):
        vv.load(path)


def test_a_packed_mesh_is_measured_before_it_is_unpacked(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.obj", b"v 0 0 0\n" * 100_000)
    said = r"x\.zip: has 800000 bytes when unpacked; accepted: at most 500000 \(max_bytes=\)"
    with pytest.raises(ArgumentError, match=said):
        vv.Inertia.from_mesh(path, density=1.0, max_bytes=500_000)
    plain = tmp_path / "x.stl"
    plain.write_bytes(b" " * 1000)
    with pytest.raises(ArgumentError, match="has 1000 bytes; accepted: at most 999"):
        vv.Inertia.from_mesh(plain, density=1.0, max_bytes=999)
    with pytest.raises(ArgumentError, match="is packed; accepted: a mesh file, or one in a"):
        vv.Inertia.from_mesh(tmp_path / "x.tar.gz", density=1.0)
    with pytest.raises(ArgumentError, match=r"cannot read the mesh .*No such file"):
        vv.Inertia.from_mesh(tmp_path / "none.stl", density=1.0)
    path.write_bytes(b"PK no zip")
    with pytest.raises(ArgumentError, match=r"cannot read the mesh .*not a zip file"):
        vv.Inertia.from_mesh(path, density=1.0)


def test_a_mesh_whose_faces_are_no_whole_numbers_is_refused():
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    assert vv.Inertia.from_mesh((corners, faces), density=6.0).mass == pytest.approx(1.0)
    with pytest.raises(ArgumentError, match="faces whole ones"):
        vv.Inertia.from_mesh((corners, faces.astype(float)), density=6.0)


def test_numbers_of_a_million_digits_in_a_mechanism_file_are_refused():
    plain = 'name = "a"\ngravity = [0, 0, 0x{}]\n'
    energies = 'name = "a"\n[lagrangian]\ncoordinates = ["x"]\nkinetic = 0x{}\n'
    parameter = 'name = "a"\nparameters = {{ m = 0x{} }}\n'
    for text, key in ((plain, "gravity"), (energies, "kinetic"), (parameter, "m")):
        with pytest.raises(MechanismFileError, match=f"3600000 bits at key '{key}' is too large"):
            loads_toml(text.format("f" * 900_000))
    word = 'name = "a"\n[lagrangian]\ncoordinates = ["x"]\nkinetic = "{}"\n'
    with pytest.raises(MechanismFileError, match="a formula has at most 10000 characters"):
        loads_toml(word.format("a1" * 400_000))


@pytest.mark.parametrize("suffix", ["urdf", "xml", "toml"])
def test_names_that_no_file_can_hold_are_refused_when_saved(tmp_path, suffix):
    for bad in ("a\x01b", "a\ud800b"):
        if (suffix, bad) == ("toml", "a\x01b"):
            continue  # TOML has an escape for it
        b = vv.Builder("m")
        mass = vv.Inertia.sphere(1.0, radius=1.0)
        model = b.body("b", joint="revolute", joint_name=bad, inertia=mass).build()
        with pytest.raises(vv.VisvivaError, match="cannot stand in"):
            vv.save(model, tmp_path / f"m.{suffix}")


def test_a_mass_that_is_no_number_is_refused():
    for bad in ("1", None, b"1"):
        with pytest.raises(ArgumentError, match=r"number or (a )?symbol"):
            vv.Inertia.point(bad)


def test_a_missing_mechanism_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(MechanismFileError, match=r"none\.toml: there is no such file"):
        vv.load(tmp_path / "none.toml")
    with pytest.raises(MechanismFileError, match="got a directory"):
        load_toml(tmp_path)
