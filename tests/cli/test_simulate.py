"""`visviva simulate`: runs, files, records, and what is too much."""

import json

import pytest

import visviva as vv
from tests.cli.asking import ask, is_told
from visviva.cli.simulate import in_words

SWING = ["simulate", "cart_pole", "--start", "theta=0.5"]


def test_a_mechanism_is_simulated_drawn_and_saved(tmp_path):
    table, page = tmp_path / "run.csv", tmp_path / "run.html"
    more = ["--velocity", "x=0.3", "--duration", "0.5", "--save", table, "--plot", page]
    answer = ask(*SWING, *more)
    assert answer.code == 0, answer.err
    assert "trajectory of 'cart_pole'" in answer.out
    assert "closes" in answer.out
    assert answer.err == f"written to {table}\ndrawn in {page}\n"
    again = vv.load_trajectory(table)
    assert list(again.q[0]) == [0.0, 0.5]
    assert list(again.v[0]) == [0.3, 0.0]
    assert again.t[-1] == 0.5
    assert "plotly" in page.read_text(encoding="utf-8")
    picture = tmp_path / "run.svg"
    assert ask(*SWING, "--duration", "0.5", "--plot", picture).err == f"drawn in {picture}\n"
    assert picture.read_text(encoding="utf-8").startswith("<svg ")
    assert ".html, .svg" in ask(*SWING, "--plot", tmp_path / "run.png").err


def test_the_summary_as_data_is_that_of_python():
    data = ask(*SWING, "--duration", "0.5", "--json").data
    run = vv.catalog.cart_pole().simulate([0.0, 0.5], [0.0, 0.0], 0.5)
    assert data["last"]["theta"] == run.q[-1, 1]
    assert data["kinetic"] == [run.account.kinetic[0], run.account.kinetic[-1]]
    assert data["closes"] is True
    assert data["ended"] is None
    assert data["samples"] == len(run.t)
    assert data["notes"] == []
    (note,) = ask("simulate", "cart_pole", "--duration", "0.5", "--json").data["notes"]
    assert note.endswith("nothing moves; start elsewhere: --start theta=0.5")


def test_at_rest_on_a_ring_the_line_that_moves_it_is_one_that_the_ring_admits(tmp_path):
    ring = vv.Lagrangian("x y", "(x'^2 + y'^2)/2", "9.81*y", constraints="x^2 + y^2 = 0.25")
    vv.save(ring, tmp_path / "ring.toml")
    command = ["simulate", tmp_path / "ring.toml", "--start", "x=0", "--start", "y=-0.5"]
    command += ["--duration", "0.1", "--json"]
    (note,) = ask(*command).data["notes"]
    assert note.endswith("nothing moves; start elsewhere: --velocity x=1")
    assert ask(*command, "--velocity", "x=1").data["notes"] == []


def test_what_friction_or_a_stop_holds_is_told_to_be_held_by_it(tmp_path):
    file = tmp_path / "flap.toml"

    def told(**resists):
        hinge = {"joint": "revolute", "axis": "y", "joint_name": "hinge"}
        flap = vv.Builder("flap").body("flap", **hinge, mass=1.0, com=[0.1, 0.0, 0.0], **resists)
        vv.save(flap.build(), file)
        (note,) = ask("simulate", file, "--duration", "0.1", "--json").data["notes"]
        return note

    way = "holds it, and nothing moves; start elsewhere: --velocity hinge=1"
    assert told(friction=5.0) == f"it starts at rest where friction of hinge {way}"
    command = ["simulate", file, "--duration", "0.1", "--velocity", "hinge=1", "--json"]
    assert ask(*command).data["notes"] == []
    way = "holds it, and nothing moves; start elsewhere: --start hinge=-0.5"
    leans = told(limits=(-1.0, 0.0), restitution=0.0)
    assert leans == f"it starts at rest where a stop of hinge {way}"


def test_every_so_many_steps_are_kept():
    asked = [*SWING, "--duration", "1", "--dt", "0.01", "--every", "10", "--json"]
    assert ask(*asked).data["samples"] == 11


def test_a_motion_ends_where_a_typed_equation_becomes_true():
    command = [*SWING, "--duration", "1", "--dt", "0.01"]
    assert 'ended: event "theta\' = 1" ended it' in ask(*command, "--until", "theta' = 1").out
    bad = ask(*command, "--until", "theta2 = 0")
    assert is_told(bad)
    assert "unknown name 'theta2'" in bad.err


def test_a_run_is_recorded_and_resumed(tmp_path):
    name = str(tmp_path / "long")
    command = [*SWING, "--duration", "1", "--dt", "0.01"]
    absent = ask(*command, "--record", name, "--resume")
    assert f"there is no {name}.run to go on with" in absent.err
    assert ask(*command, "--record", name).code == 0
    assert "--resume goes on with it" in ask(*command, "--record", name).err
    again = ask(*command, "--record", name, "--resume")
    assert again.code == 0, again.err
    assert len(vv.load_trajectory(f"{name}.run").t) == 101
    assert "which?" in ask(*command, "--resume").err


def test_what_closes_starts_closed():
    answer = ask("simulate", "four_bar", "--duration", "0.1", "--dt", "0.01", "--method", "rk4")
    assert answer.code == 0, answer.err
    assert "steps 10" in answer.out


def test_stated_velocities_are_kept_or_refused():
    some = ("simulate", "four_bar", "--start", "theta1=0.7", "--duration", "0.01", "--velocity")
    answer = ask(*some, "theta1=6", "--json")
    first = json.loads(answer.out)["first"]
    assert first["theta1"] == pytest.approx(0.7, abs=1e-14)
    assert first["thetad1"] == pytest.approx(6.0, abs=1e-13)
    answer = ask(*some, "theta1=6,theta3=0")
    assert answer.code == 1
    assert "admit at this position has theta1 = 6, theta3 = 0" in answer.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--start phi=1", "theta"),
        ("--start theta", "name=value"),
        ("--start theta=x", "name=value"),
        ("--save run.xls", ".nc, .csv, .npz"),
        ("--save nowhere/run.csv", "no folder"),
        ("--method rk5", "dop853"),
        ("--dt -1", "above zero"),
        ("--dt nan", "above zero"),
        ("--every 0", "save is a whole number"),
        ("--every 2", "save=k keeps every k-th step"),
        ("--duration nan", "a duration"),
        ("--duration -1", "increase"),
        ("--start theta=nan", "finite"),
    ],
)
def test_what_is_no_simulation_is_refused(options, said):
    answer = ask("simulate", "cart_pole", *options.split())
    assert answer.code
    assert is_told(answer)
    assert said in answer.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--duration 1e308", "years of work"),
        ("--duration 1e300 --dt 1e-3", "years of work"),
        ("--duration 1e16 --dt 1e-3 --every 1000000", "give a shorter --duration"),
    ],
)
def test_what_nobody_waits_for_is_refused_with_an_estimate(options, said):
    answer = ask(*SWING, *options.split())
    assert answer.code == 1
    assert is_told(answer)
    assert said in answer.err


def test_what_no_memory_holds_is_refused(monkeypatch):
    monkeypatch.setattr("visviva.cli.simulate.memory", lambda: 1e6)
    answer = ask(*SWING, "--duration", "200", "--dt", "1e-3")
    assert is_told(answer)
    assert "more than there is memory: --dt with --every keeps fewer" in answer.err


def test_before_a_long_run_it_is_said_how_long(monkeypatch):
    monkeypatch.setattr("visviva.cli.simulate.TOLD_SECONDS", 0.0)
    monkeypatch.setattr("visviva.cli.simulate.TRIAL_STEPS", 10)
    answer = ask(*SWING, "--duration", "20", "--dt", "0.01")
    assert answer.code == 0
    assert answer.err.startswith("visviva: 20 s are about 2e+03 steps and ")
    assert answer.err.endswith("; Ctrl-C ends it\n")


def test_times_in_words():
    words = [in_words(x) for x in (3.21, 90.0, 7200.0, 2e5, 1e9)]
    assert words == ["3.2 s", "1.5 min", "2 h", "2.3 days", "32 years"]


def test_a_motion_begins_where_the_mass_matrix_has_an_inverse(tmp_path):
    file = tmp_path / "spring.toml"
    file.write_text(
        'name = "spring"\n[parameters]\nk = 40.0\n[lagrangian]\ncoordinates = ["r", "phi"]\n'
        'kinetic = "(r\'^2 + r^2*phi\'^2)/2"\npotential = "k*(r - 1)^2/2 - 9.81*r*cos(phi)"\n',
        encoding="utf-8",
    )
    said = ask("simulate", str(file), "--duration", "0.1", "--json")
    assert not said.code, said
    assert json.loads(said.out)["first"]["r"] == 1.0
    assert "it starts at r = 1" in said.err
    said = ask("simulate", str(file), "--duration", "0.1", "--json", "--start", "r=0.4")
    assert json.loads(said.out)["first"]["r"] == 0.4
    assert "starts at" not in said.err


def test_a_motion_starts_where_its_file_says(tmp_path):
    """Names that are typed go before those of the file, one by one."""
    start = {"theta": 0.5, "theta'": 0.2}
    s = vv.Lagrangian("theta r", "(r'^2 + theta'^2)/2", "r^2 - cos(theta)", start=start)
    vv.save(s, tmp_path / "hoop.toml")

    def first(*more):
        said = ask("simulate", str(tmp_path / "hoop.toml"), "--duration", "0.1", "--json", *more)
        return [*json.loads(said.out)["first"].values()]

    assert first() == [0.5, 0.0, 0.2, 0.0]
    assert first("--start", "r=0.1") == [0.5, 0.1, 0.2, 0.0]
    assert first("--start", "theta=0", "--velocity", "thetad=3") == [0.0, 0.0, 3.0, 0.0]
    assert first("--velocity", "theta=3") == [0.5, 0.0, 3.0, 0.0]


def test_what_is_held_starts_where_its_file_says(tmp_path):
    start = {"x": 0.6, "y": -0.8, "x'": 0.4}
    s = vv.Lagrangian("x y", "(x'^2 + y'^2)/2", "y", constraints="x^2 + y^2 = 1", start=start)
    vv.save(s, tmp_path / "ring.toml")
    said = ask("simulate", str(tmp_path / "ring.toml"), "--duration", "0.1", "--json")
    assert [*json.loads(said.out)["first"].values()] == pytest.approx([0.6, -0.8, 0.4, 0.3])


def test_several_numbers_of_one_option_are_joined_by_commas():
    said = ask("simulate", "two_link", "--start", "q1=1.2", "q2=0.5", "--duration", "0.1")
    assert said.code == 2
    assert "here it is --start q1=1.2,q2=0.5; " in said.err
    assert ask("simulate", "two_link", "--start", "q1=1.2,q2=0.5", "--duration", "0.1").code == 0
