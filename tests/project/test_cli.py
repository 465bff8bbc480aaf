"""The command: what it prints, what it writes, and how it says no."""

import json
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from visviva import cli
from visviva.describe import catalog


def run(*arguments):
    return CliRunner().invoke(cli.app, list(arguments))


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


@pytest.mark.parametrize("command", ["list", "info", "derive"])
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["derive", "tw_link"], "did you mean 'two_link'"),
        (["derive", "two_link", "--form", "x"], "available: 'standard'"),
        (["derive", "two_link", "--to", "pdf"], "available: 'md'"),
        (["derive", "two_link", "--form", "steps", "--method", "guess"], "newton-euler"),
        (["info", "nowhere.urdf"], "nowhere.urdf"),
    ],
)
def test_mistakes_are_one_line(arguments, message):
    asked = [sys.executable, "-c", "from visviva.cli import main; main()", *arguments]
    answer = subprocess.run(asked, capture_output=True, text=True)
    assert answer.returncode == 1
    assert answer.stderr.startswith("visviva: ")
    assert answer.stderr.count("\n") == 1
    assert message in answer.stderr


def test_ctrl_c_is_one_line():
    """After two seconds it says what it is doing, and then it stops when asked to."""
    script = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    script += "from visviva.cli import main; main()"
    asked = [sys.executable, "-c", script, "derive", "puma560", "--form", "steps"]
    asked += ["--method", "newton-euler"]
    with subprocess.Popen(
        asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    ) as child:
        assert child.stderr.readline().startswith("visviva: deriving puma560 by newton-euler: ")
        child.send_signal(signal.SIGINT)
        output, errors = child.communicate(timeout=60)
    assert child.returncode == 130
    assert output == ""
    assert errors.splitlines()[-1] == "visviva: interrupted"
    assert all(line.startswith("visviva: ") for line in errors.splitlines())
