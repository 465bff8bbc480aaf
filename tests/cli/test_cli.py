"""The command: what it prints, what it writes, and how it says no."""

import json
import os
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import visviva as vv
from visviva import cli
from visviva.cli import derive
from visviva.describe import catalog
from visviva.errors import VisvivaError


def run(*arguments):
    quiet = {"VISVIVA_PROGRESS": "off"}  # or a slow machine would see more lines
    return CliRunner().invoke(cli.app, list(arguments), env=quiet)


def test_the_list_has_the_catalogue():
    lines = run("list").output.splitlines()
    assert [line.split()[0] for line in lines] == list(catalog.names())


def test_info_describes_a_mechanism():
    assert "revolute" in run("info", "two_link").output
    assert "m1" in run("info", "two_link").output


@pytest.mark.parametrize("form", ["standard", "christoffel", "equations"])
@pytest.mark.parametrize("to", ["md", "latex", "html", "python", "c"])
def test_closed_forms_in_every_language(form, to):
    answer = run("derive", "two_link", "--form", form, "--to", to)
    assert answer.exit_code == 0
    assert "cos" in answer.output or "sin" in answer.output


def test_systems_stated_by_energies_are_derived_too():
    answer = run("derive", "bead_on_rotating_wire", "--form", "equations")
    assert answer.exit_code == 0
    assert "Omega" in answer.output


def test_steps_go_to_a_file(tmp_path):
    page, book = tmp_path / "arm.html", tmp_path / "arm.ipynb"
    run("derive", "rp_arm", "--form", "steps", "--to", "html", "--output", str(page))
    assert "<math" in page.read_text(encoding="utf-8")
    run("derive", "rp_arm", "--form", "steps", "--to", "ipynb", "--output", str(book))
    assert json.loads(book.read_text(encoding="utf-8"))["cells"]


@pytest.mark.parametrize("command", ["list", "info", "derive", "simulate", "kinematics"])
def test_help_shows_an_example(command):
    answer = run(command, "--help")
    assert f"visviva {command}" in " ".join(answer.output.split())


def test_a_claim_is_checked():
    right = run("check", "two_link", "M22 = I2 + m2 r2^2")
    assert (right.exit_code, right.output.split(":")[0]) == (0, "identical")
    wrong = run("check", "two_link", "M22 = Izz2", "--symbols", "Izz2=I2")
    assert wrong.exit_code == 1
    assert "missing  m₂ r₂²" in wrong.output
    (data,) = json.loads(run("check", "two_link", "M22 = I2", "--json").output)
    assert data["missing"] == "m2*r2**2"
    short = run("check", "two_link", "G2 = m2 a_g r2 c12", "--shorthand")
    assert short.exit_code == 0
    tip = run("check", "two_link", "L1 cos(q1)", "--of", "x", "--frame", "link2")
    assert tip.exit_code == 0


def test_claims_of_a_file(tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text('[mechanism]\ncatalog = "two_link"\n[claims]\nM22 = "I2"\nM11 = "("\n')
    answer = run("check", "--file", str(path))
    assert answer.exit_code == 1
    assert "0 of 2 claims are identical" in answer.output
    assert "unreadable" in answer.output
    lines = tmp_path / "claims.txt"
    lines.write_text("M22 = I2 + m2 r2^2\n")
    assert run("check", "two_link", "--file", str(lines)).exit_code == 0
    assert run("check", "--file", str(lines)).exit_code == 2
    assert run("check", "two_link").exit_code == 2


def test_what_is_said_on_the_command_line_counts_before_what_the_file_says(tmp_path):
    path = tmp_path / "claims.toml"
    head = '[mechanism]\ncatalog = "two_link"\n[options]\nshorthand = true\n'
    path.write_text(head + '[claims]\nG2 = "m2 a_g r2 c12"\n')
    assert run("check", "--file", str(path)).exit_code == 0
    answer = run("check", "--file", str(path), "--no-shorthand")
    assert answer.exit_code == 1
    assert "c12" in answer.output


def test_a_claim_beside_a_file_of_claims_is_one_too_many(tmp_path):
    answer = run("check", "two_link", "M22 = I2", "--file", str(tmp_path / "claims.toml"))
    assert answer.exit_code == 2
    assert "were both given" in " ".join(answer.output.replace("│", " ").split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["derive", "tw_link"], "did you mean 'two_link'"),
        (["derive", "two_link", "--form", "x"], "available: 'standard'"),
        (["derive", "two_link", "--to", "pdf"], "available: 'md'"),
        (["derive", "two_link", "--form", "steps", "--method", "guess"], "newton-euler"),
        (["derive", "two_link", "--form", "steps", "--to", "python"], "available: 'md'"),
        (["derive", "two_link", "--output", "no/where/arm.md"], "a folder that exists"),
        (["derive", "two_link", "--method", "bogus"], "unknown method 'bogus'"),
        (["derive", "two_link", "--method", "newton-euler"], "is for steps: add --form steps"),
        (["derive", "relativistic_particle"], "visviva derive … --form equations"),
        (["info", "nowhere.urdf"], "nowhere.urdf"),
        (["check", "two_link", "tau1 = nonsense"], "nonsense"),
    ],
)
def test_mistakes_are_one_line(arguments, message):
    asked = [sys.executable, "-c", "from visviva.cli import main; main()", *arguments]
    quiet = os.environ | {"VISVIVA_PROGRESS": "off"}
    answer = subprocess.run(asked, capture_output=True, text=True, env=quiet)
    assert answer.returncode == 1
    assert answer.stderr.startswith("visviva: ")
    assert answer.stderr.count("\n") == 1
    assert message in answer.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--to", "pdf"],
        ["--form", "steps", "--to", "pdf"],
        ["--form", "steps", "--to", "c"],
        ["--form", "steps", "--method", "guess"],
        ["--form", "x"],
        ["--output", "no/where/arm.md"],
    ],
)
def test_what_cannot_be_written_is_refused_before_it_is_derived(options, monkeypatch):
    begun = []
    monkeypatch.setattr(derive, "system_of", begun.append)
    answer = run("derive", "two_link", *options)
    assert isinstance(answer.exception, VisvivaError)
    assert not begun


@pytest.mark.parametrize(
    "command", [["-m", "visviva"], ["-c", "import visviva.cli as c; c.main()"]]
)
def test_the_version_and_the_module_as_a_command(command):
    answer = subprocess.run(
        [sys.executable, *command, "--version"], capture_output=True, text=True, check=True
    )
    assert answer.stdout == f"visviva {vv.__version__}\n"
    assert "--version" in run("--help").output


def test_letters_that_a_terminal_does_not_have_are_replaced():
    plain = os.environ | {"PYTHONIOENCODING": "ascii", "VISVIVA_PROGRESS": "off"}
    answer = subprocess.run(
        [sys.executable, "-m", "visviva", "check", "two_link", "M22 = I2"],
        capture_output=True,
        env=plain,
    )
    assert b"differs" in answer.stdout
    assert answer.stderr == b""


def test_ctrl_c_is_one_line():
    """It says what it is doing, and then it stops when asked to; the work is done for ever."""
    script = """
import signal, itertools
from visviva import cli
from visviva.cli import derive
signal.signal(signal.SIGINT, signal.default_int_handler)
steps = derive._steps
derive._steps = lambda *asked: [steps(*asked) for _ in itertools.count()]
cli.main()
"""
    asked = [sys.executable, "-c", script, "derive", "puma560", "--form", "steps"]
    asked += ["--method", "newton-euler"]
    soon = os.environ | {"VISVIVA_PROGRESS": "0.01"}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(asked, **streams, encoding="utf-8", env=soon) as child:
        begun = "visviva: deriving puma560 by newton-euler: "
        assert any(line.startswith(begun) for line in iter(child.stderr.readline, ""))
        child.send_signal(signal.SIGINT)
        output, errors = child.communicate(timeout=600)
    assert child.returncode == 130
    assert output == ""
    assert errors.splitlines()[-1] == "visviva: interrupted"
    assert all(line.startswith("visviva: ") for line in errors.splitlines())


def test_a_mechanism_is_simulated_drawn_and_saved(tmp_path):
    table, page = tmp_path / "run.csv", tmp_path / "run.html"
    answer = run(
        "simulate", "cart_pole", "--start", "theta=0.5", "--velocity", "x=0.3", "--duration", "0.5",
        "--save", str(table), "--plot", str(page),
    )  # fmt: skip
    assert answer.exit_code == 0, answer.output
    assert "trajectory of 'cart_pole'" in answer.output
    assert "closes" in answer.output
    again = vv.load_trajectory(table)
    assert list(again.q[0]) == [0.0, 0.5]
    assert list(again.v[0]) == [0.3, 0.0]
    assert again.t[-1] == 0.5
    assert "plotly" in page.read_text(encoding="utf-8")


def test_a_motion_ends_where_a_typed_equation_becomes_true():
    command = ["simulate", "cart_pole", "--start", "theta=0.5", "--duration", "1", "--dt", "0.01"]
    answer = run(*command, "--until", "theta' = 1")
    assert 'ended: event "theta\' = 1" ended it' in answer.output
    bad = run(*command, "--until", "theta2 = 0")
    assert bad.exit_code
    assert "unknown name 'theta2'" in str(bad.exception)


def test_a_run_is_recorded_and_resumed(tmp_path):
    name = str(tmp_path / "long")
    command = ["simulate", "cart_pole", "--start", "theta=0.5", "--duration", "1", "--dt", "0.01"]
    absent = run(*command, "--record", name, "--resume")
    assert f"there is no {name}.run to go on with" in str(absent.exception)
    assert run(*command, "--record", name).exit_code == 0
    assert "--resume goes on with it" in str(run(*command, "--record", name).exception)
    again = run(*command, "--record", name, "--resume")
    assert again.exit_code == 0, again.output
    assert len(vv.load_trajectory(f"{name}.run").t) == 101
    assert "which?" in str(run(*command, "--resume").exception)


def test_what_closes_starts_closed():
    answer = run("simulate", "four_bar", "--duration", "0.1", "--dt", "0.01", "--method", "rk4")
    assert answer.exit_code == 0, answer.output
    assert "steps 10" in answer.output


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--start", "phi=1"], "theta"),
        (["--start", "theta"], "name=value"),
        (["--save", "run.xls"], ".nc, .csv, .npz"),
        (["--save", "nowhere/run.csv"], "no folder"),
        (["--method", "rk5"], "dop853"),
        (["--dt", "-1"], "above zero"),
    ],
)
def test_what_is_no_simulation_is_refused(options, said):
    answer = run("simulate", "cart_pole", *options)
    assert answer.exit_code != 0
    assert said in answer.output + str(answer.exception)
