"""list, info, derive, check and kinematics: what they print, what they write, how they say no."""

import json

import pytest

import visviva as vv
from tests.cli.asking import ask, is_told
from tests.support.counts import count
from visviva.cli import derive
from visviva.describe import catalog
from visviva.describe.catalog.kinds import kinds

SOME = "two_link four_bar knife_edge heavy_top tumbling_body rp_arm_thrusters".split()

# ---- list


def test_the_list_has_the_catalogue_by_kind():
    lines = ask("list").out.splitlines()
    named = [line.split()[0] for line in lines if line.startswith("  ")]
    assert sorted(named) == list(catalog.names())
    assert [x for x in lines[:-1] if x and not x.startswith("  ")] == list(kinds())
    assert f"{len(named)} mechanisms" in lines[-1]


def test_every_mechanism_has_one_kind():
    assert "others" not in kinds()
    assert sorted(x for names in kinds().values() for x in names) == list(catalog.names())


def test_the_list_as_data_and_in_part():
    rows = {row["name"]: row for row in ask("list", "--json").data}
    assert rows.keys() == set(catalog.names())
    assert rows["rp_arm"]["parameters"] == dict(catalog.rp_arm().parameters)
    assert rows["knife_edge"]["kind"] == "wheels and blades"
    few = {row["name"] for row in ask("list", "WHEEL", "--json").data}
    assert {"bicycle", "differential_drive", "knife_edge"} <= few < rows.keys()
    assert ask("list", "no such thing", "--json").data == []
    assert is_told(ask("list", "no such thing"))


def test_on_a_terminal_lines_are_broken(monkeypatch):
    monkeypatch.setattr("visviva.cli.listing.sys.stdout.isatty", lambda: True, raising=False)
    from visviva.cli import listing

    monkeypatch.setenv("COLUMNS", "60")
    said = listing._line("two_link", "one two three four five six seven eight nine ten")
    assert all(len(line) <= 60 for line in said.splitlines())
    assert said.splitlines()[1].startswith(" " * listing.INDENT)


# ---- info


@pytest.mark.soak
@pytest.mark.parametrize("name", count(SOME, catalog.names()))
def test_info_describes_every_mechanism(name):
    system = catalog.build(name)
    data = ask("info", name, "--json").data
    assert (data["nq"], data["nv"]) == (system.nq, system.nv)
    assert [x["name"] for x in data["coordinates"]] == list(system.coordinate_names)
    assert data["mobility"]["verdict"]
    assert data["source"]


def test_info_has_limits_frames_and_mobility():
    said = ask("info", "puma560").out
    for part in ("revolute", "m2", "[-2.793, 2.793]", "tool (link6)", "mobility 6 (proved mobile)"):
        assert part in said
    assert "note: link 3: the measured moments" in said
    assert "1.047" in ask("info", "four_bar").out  # where it begins is where it is closed
    joint = ask("info", "puma560", "--json").data["coordinates"][0]
    assert joint["upper"] == pytest.approx(2.7925268)
    assert joint["speed"] is None


def test_info_of_what_cannot_be_closed(tmp_path):
    bar = catalog.four_bar().with_parameters(l0=9.0)
    vv.save(bar, tmp_path / "open.toml")
    answer = ask("info", tmp_path / "open.toml")
    assert answer.code == 0, answer.err
    assert "mobility: " in answer.out
    assert ask("info", tmp_path / "open.toml", "--json").data["mobility"]["verdict"] == "unknown"


# ---- derive


@pytest.mark.spread(6)
@pytest.mark.parametrize("form", ["standard", "christoffel", "equations"])
@pytest.mark.parametrize("to", ["md", "latex", "html", "python", "c"])
def test_closed_forms_in_every_language(form, to):
    answer = ask("derive", "two_link", "--form", form, "--to", to)
    assert answer.code == 0
    assert "cos" in answer.out or "sin" in answer.out


def test_systems_stated_by_energies_are_derived_too():
    answer = ask("derive", "bead_on_rotating_wire", "--form", "equations")
    assert answer.code == 0
    assert "Omega" in answer.out


def test_steps_go_to_a_file(tmp_path):
    page, book = tmp_path / "arm.html", tmp_path / "arm.ipynb"
    ask("derive", "rp_arm", "--form", "steps", "--to", "html", "--output", page)
    assert "<math" in page.read_text(encoding="utf-8")
    ask("derive", "rp_arm", "--form", "steps", "--to", "ipynb", "--output", book)
    assert json.loads(book.read_text(encoding="utf-8"))["cells"]


@pytest.mark.parametrize(
    ("suffix", "begins"),
    [("md", "# two_link"), ("tex", "\\["), ("HTML", "<!DOCTYPE"), ("py", "import"), ("c", "#incl")],
)
def test_the_suffix_of_a_file_says_the_language(suffix, begins, tmp_path):
    file = tmp_path / f"arm.{suffix}"
    assert ask("derive", "two_link", "-o", file).code == 0
    assert file.read_text(encoding="utf-8").startswith(begins)


def test_steps_are_a_notebook_where_the_suffix_says_so(tmp_path):
    file = tmp_path / "arm.ipynb"
    assert ask("derive", "rp_arm", "--form", "steps", "-o", file).code == 0
    assert json.loads(ask("derive", "--proof", "koenig", "--to", "notebook").out)["cells"]
    assert json.loads(file.read_text(encoding="utf-8"))["cells"]


REFUSED = {
    "--output arm.pdf": "none of .md (md), .tex (latex), .html (html), .py (python), .c (c), .ipy",
    "--output arm.PDF": "; pdflatex makes it of arm.tex",
    "--to notebook": "notebooks are of steps, add --form steps --to ipynb",
    "--output arm.pdf --to latex": "the suffix of arm.pdf is none of .md (md), .tex (latex)",
    "--output arm.tex --to html": "--to html is not what arm.tex says: suffixes are .md (md)",
    "--output arm.ipynb": "notebooks are of steps, add --form steps",
    "--form steps --output arm.py": "available: 'md', 'latex', 'html', 'ipynb'",
    "--to pdf": "available: 'md'",
    "--form x": "available: 'standard'",
    "--form steps --to pdf": "available: 'md'",
    "--form steps --to c": "available: 'md'",
    "--form steps --method guess": "newton-euler",
    "--method bogus": "unknown method 'bogus'",
    "--method newton-euler": "is for steps: add --form steps",
    "--output no/where/arm.md": "there is no folder no/where",
    "--output /": "it is a folder",
}


@pytest.mark.parametrize("options", REFUSED)
def test_what_cannot_be_written_is_refused_before_it_is_derived(options, monkeypatch):
    begun = []
    monkeypatch.setattr(derive, "system_of", begun.append)
    answer = ask("derive", "two_link", *options.split())
    assert answer.code == 1
    assert is_told(answer)
    assert REFUSED[options] in answer.err
    assert not begun


def test_what_has_no_standard_form_names_the_one_it_has():
    answer = ask("derive", "relativistic_particle")
    assert is_told(answer)
    assert "visviva derive … --form equations" in answer.err


# ---- check


def test_a_claim_is_checked():
    right = ask("check", "two_link", "M22 = I2 + m2 r2^2")
    assert (right.code, right.out.split(":")[0]) == (0, "identical")
    wrong = ask("check", "two_link", "M22 = Izz2", "--symbols", "Izz2=I2")
    assert wrong.code == 1
    assert "missing  m₂ r₂²" in wrong.out
    (data,) = ask("check", "two_link", "M22 = I2", "--json").data
    assert data["missing"] == "m2*r2**2"
    assert ask("check", "two_link", "G2 = m2 a_g r2 c12", "--shorthand").code == 0
    assert ask("check", "two_link", "L1 cos(q1)", "--of", "x", "--frame", "link2").code == 0
    assert ask("check", "two_link", "M22 = I2", "--symbols", "=,").code == 2


def test_claims_of_a_file(tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text('[mechanism]\ncatalog = "two_link"\n[claims]\nM22 = "I2"\nM11 = "("\n')
    answer = ask("check", "--file", path)
    assert answer.code == 1
    assert "0 of 2 claims are identical" in answer.out
    assert "unreadable" in answer.out
    lines = tmp_path / "claims.txt"
    lines.write_text("M22 = I2 + m2 r2^2\n")
    assert ask("check", "two_link", "--file", lines).code == 0
    assert ask("check", "--file", lines).code == 2


def test_what_is_said_on_the_command_line_counts_before_what_the_file_says(tmp_path):
    path = tmp_path / "claims.toml"
    head = '[mechanism]\ncatalog = "two_link"\n[options]\nshorthand = true\n'
    path.write_text(head + '[claims]\nG2 = "m2 a_g r2 c12"\n')
    assert ask("check", "--file", path).code == 0
    answer = ask("check", "--file", path, "--no-shorthand")
    assert answer.code == 1
    assert "c12" in answer.out


def test_a_claim_beside_a_file_of_claims_is_one_too_many(tmp_path):
    answer = ask("check", "two_link", "M22 = I2", "--file", tmp_path / "claims.toml")
    assert answer.code == 2
    assert "were both given" in answer.err


# ---- kinematics


def test_kinematics_as_text_and_as_data():
    assert "Inverse kinematics" in ask("kinematics", "two_link").out
    data = ask("kinematics", "two_link", "--pose", "0.5,0.3", "--json").data
    assert data["complete"]
    assert len(data["solutions"]) == 2
    assert is_told(ask("kinematics", "knife_edge"))
    assert ask("kinematics", "two_link", "--at", "q1").code == 2
    assert is_told(ask("kinematics", "two_link", "--pose", "here"))
    asked = ask("kinematics", "slider_crank", "--pose", "0.1,0.5")
    assert "not here: inverse_kinematics" in asked.out
    assert asked.code == 1


def test_the_base_of_a_urdf_may_move(tmp_path):
    """One option for all commands that load a file."""
    body = """<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
    </inertial>"""
    file = tmp_path / "arm.urdf"
    file.write_text(f"""<robot name="arm"><link name="hull">{body}</link>
    <link name="a">{body}</link>
    <joint name="j" type="continuous"><parent link="hull"/><child link="a"/></joint></robot>""")
    assert "root_joint_pz" in ask("info", file, "--base", "free").out
    assert "root_joint" not in ask("info", file).out
    start = ("--start", "root_joint_pz=2", "--duration", "0.1", "--json")
    fallen = ask("simulate", file, "--base", "free", *start)
    assert abs(fallen.data["last"]["root_joint_pz"] - (2 - 9.81 * 0.005)) < 1e-9
    for command in ("info", "simulate", "view", "study", "kinematics", "derive"):
        assert "--base" in ask(command, "--help").out
        wrong = ask(command, file, "--base", "floating")
        assert is_told(wrong)
        assert "unknown value of --base 'floating'" in wrong.err
        other = ask(command, "two_link", "--base", "free")
        assert is_told(other)
        assert "--base free is for URDF files" in other.err
    (tmp_path / "arm.xml").write_text("<mujoco><worldbody/></mujoco>")
    assert "<freejoint/>" in ask("info", tmp_path / "arm.xml", "--base", "free").err
    assert is_told(ask("derive", "--proof", "koenig", "--base", "free"))


def test_mechanisms_of_the_catalogue_with_numbers():
    assert r"\theta_{2}" in ask("derive", "pendulum(2)").out
    assert ask("derive", "pendulum(n=2)").out == ask("derive", "pendulum(2)").out
    assert not ask("info", "two_link(m1=3, L1=2.5)").code
    for bad, says in (
        ("pendulum(2, n=2)", "each once"),
        ("pendulum(__import__)", "numbers"),
        ("pendulum(x)", "numbers"),
        ("pendulum(1e)", "numbers"),
        ("pendulun(2)", "pendulum"),
    ):
        told = ask("derive", bad)
        assert told.code
        assert says in told.err
