"""Exit codes, errors in two lines, Ctrl-C, closed pipes, completion: what all commands share."""

import os
import signal
import subprocess
import sys

import pytest

import visviva as vv
from tests.cli.asking import ask, is_told
from visviva.cli import main
from visviva.cli.commands import app
from visviva.cli.output import Quiet, shown
from visviva.cli.running import OTHER_WORDS, two_lines
from visviva.describe import catalog
from visviva.errors import AccountWarning

COMMANDS = [command.name or command.callback.__name__ for command in app.registered_commands]
QUIET = os.environ | {"VISVIVA_PROGRESS": "off"}


def started(*arguments, **named):
    command = [sys.executable, "-m", "visviva", *arguments]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": QUIET}
    return subprocess.Popen(command, **(streams | named))


def test_the_help_has_all_commands_and_the_exit_codes():
    answer = ask("--help")
    said = " ".join(answer.out.replace("│", " ").split())
    assert answer.code == 0
    assert "list study view info derive check simulate kinematics bench convert".split() == COMMANDS
    for word in (*COMMANDS, "--version", "--debug", "--install-completion"):
        assert word in said
    for code in ("Ends with 0", "1 if what", "2 if it", "130 after Ctrl-C"):
        assert code in said
    assert ask().out == answer.out


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_has_examples_that_are_right_calls(command):
    answer = ask(command, "--help")
    lines = [x.strip("│ ") for x in answer.out.splitlines()]
    examples = [
        x for x in lines if x.startswith(f"visviva {command} ") or x == f"visviva {command}"
    ]
    assert examples
    assert answer.code == 0


@pytest.mark.parametrize(
    "command", [["-m", "visviva"], ["-c", "import visviva.cli as c; c.main()"]]
)
def test_the_version_and_the_module_as_a_command(command):
    answer = subprocess.run(
        [sys.executable, *command, "--version"], capture_output=True, text=True, check=True
    )
    assert answer.stdout == f"visviva {vv.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["derive", "tw_link"], 1, "did you mean 'two_link'"),
        (["info", "pendulm"], 1, "'pendulum' or "),
        (["info", "xyzzy"], 1, "visviva list has all"),
        (["info", "nowhere.urdf"], 1, "nowhere.urdf"),
        (["info", "."], 1, "unknown mechanism '.'"),
        (["info", "/"], 1, "is a folder"),
        (["info", ""], 1, "unknown mechanism ''"),
        (["check", "two_link", "tau1 = nonsense"], 1, "nonsense"),
        (["check", "two_link", "M22 = ("], 1, "M22 = »("),
        (["check", "two_link", "theta'' = zeta"], 1, "say so: --symbols theta=q1"),
        (["check", "two_link", "M22 = I2 c12"], 1, "say --shorthand"),
        (["simulate", "cart_pole", "--q0", "0.5"], 2, "here it is --start x=0.5"),
        (["study", "cart_pole", "--set", "m=2"], 2, "vv.load(file).with_parameters(m=2.0); "),
        (["nonsense"], 2, "No such command 'nonsense'"),
        (["info"], 2, "visviva info --help tells how"),
        (["info", "two_link", "more"], 2, "more"),
        (["info", "--jsno", "two_link"], 2, "--jsno"),
        (["simulate", "two_link", "--duration", "long"], 2, "--duration"),
        (["check", "two_link"], 2, "a claim, or --file"),
        (["simulate", "cart_pole", "--q0", "0.3"], 2, "here it is --start x=0.5; "),
        (["kinematics", "scara", "--q", "0.3"], 2, "here it is --at theta1=0.5; "),
        (["kinematics", "scara", "--at", "0.3,-1.2"], 2, "as --at theta1=0.3; got '0.3'"),
    ],
)
def test_mistakes_are_two_lines_at_most(arguments, code, said):
    answer = ask(*arguments)
    assert answer.code == code, answer
    assert is_told(answer), answer.err
    assert said in answer.err
    assert answer.out == ""


@pytest.mark.parametrize("place", [0, 1, 3])
def test_debug_shows_where_it_came_from_wherever_it_stands(place):
    arguments = ["check", "two_link", "M22 = ("]
    arguments.insert(place, "--debug")
    answer = ask(*arguments)
    assert answer.code == 1
    assert "Traceback" in answer.err
    assert answer.err.splitlines()[-2] == "visviva: '(' is never closed"


def test_behind_two_dashes_debug_is_a_word():
    answer = ask("info", "--", "--debug")
    assert is_told(answer)
    assert "--debug" in answer.err


def test_what_nobody_foresaw_is_two_lines_too(monkeypatch):
    def broken(mechanism, base):
        raise ZeroDivisionError("of\nours")

    monkeypatch.setattr("visviva.cli.info.system_of", broken)
    answer = ask("info", "two_link")
    assert answer.code == 1
    assert answer.err.splitlines() == [
        "visviva: unexpected ZeroDivisionError: of ours",
        "  --debug shows where",
    ]

    def huge(mechanism, base):
        raise MemoryError

    monkeypatch.setattr("visviva.cli.info.system_of", huge)
    assert is_told(ask("info", "two_link"))


def test_two_lines():
    assert two_lines("one") == "one"
    assert two_lines("a\n\nb\nc") == "a\n  b c"
    assert two_lines("a\n  x + y\n      ^") == "a\n  x + »y"
    assert two_lines("") == ""
    assert len(two_lines("x" * 10_000)) < 2_000


def test_warnings_are_a_line(monkeypatch):
    import warnings

    def warned(mechanism, base):
        warnings.warn("energy\nis lost", AccountWarning, stacklevel=1)
        warnings.warn("of somebody else", DeprecationWarning, stacklevel=1)
        return catalog.two_link()

    monkeypatch.setattr("visviva.cli.info.system_of", warned)
    assert ask("info", "two_link").err == "visviva: energy is lost\n"


def test_names_that_a_terminal_would_obey_are_shown(tmp_path):
    evil = tmp_path / "evil.toml"
    evil.write_text('name = "a\\u001b[31m\\u202eb"\n[[body]]\nname = "x"\njoint = "free"\n')
    answer = ask("info", evil)
    assert answer.code == 0, answer.err
    assert "\x1b" not in answer.out + answer.err
    assert "\u202e" not in answer.out
    assert "a�[31m�b" in answer.out
    assert "\x1b" not in ask("info", "\x1b[31mx.toml").err
    assert shown("a\tb\nc") == "a\tb\nc"


def test_letters_that_a_terminal_does_not_have_are_replaced():
    plain = QUIET | {"PYTHONIOENCODING": "ascii"}
    with started("check", "two_link", "M22 = I2", env=plain) as child:
        out, err = child.communicate()
    assert b"differs" in out
    assert err == b""


# ---- streams


@pytest.mark.parametrize("command", [["list"], ["--help"], ["info", "puma560"]])
def test_a_reader_that_goes_away_is_no_error(command):
    """As `visviva list | head -1`."""
    with started(*command) as child:
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 0


def test_a_verdict_is_told_by_the_exit_code_also_where_nobody_reads():
    with started("check", "two_link", "M22 = I2") as child:
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 1


def test_a_disk_that_is_full_is_an_error():
    if not os.path.exists("/dev/full"):
        pytest.skip("this platform has no /dev/full")
    with open("/dev/full", "w") as full, started("list", stdout=full) as child:
        err = child.stderr.read().decode()
    assert child.returncode == 1
    assert err.startswith("visviva: ")
    assert err.count("\n") == 1


def test_what_is_written_to_nobody_is_dropped():
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as stream:
        quiet = Quiet(stream)
        for _ in range(3):
            quiet.write("x" * 100_000)
            quiet.flush()
        assert quiet.fileno() == stream.fileno()


# ---- Ctrl-C


FOR_EVER = """
import signal, itertools
from visviva import cli
from visviva.cli import derive
signal.signal(signal.SIGINT, signal.default_int_handler)
steps = derive._steps
derive._steps = lambda *asked: [steps(*asked) for _ in itertools.count()]
cli.main()
"""


def test_ctrl_c_is_one_line():
    """It says what it is doing, and then it stops when asked to; the work is done for ever."""
    asked = [sys.executable, "-c", FOR_EVER, "derive", "puma560", "--form", "steps"]
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


def test_an_interrupt_anywhere_is_130(monkeypatch):
    def stopped(mechanism, base):
        raise KeyboardInterrupt

    monkeypatch.setattr("visviva.cli.info.system_of", stopped)
    answer = ask("info", "two_link")
    assert (answer.code, answer.err) == (130, "visviva: interrupted\n")


def test_an_interrupt_before_anything_runs_is_130_too(monkeypatch, capsys):
    def stopped():
        raise KeyboardInterrupt

    monkeypatch.setattr("visviva.cli.running.begin", stopped)
    with pytest.raises(SystemExit) as end:
        main()
    assert (end.value.code, capsys.readouterr().err) == (130, "visviva: interrupted\n")


# ---- completion


def completed(words, shell="bash"):
    asked = {"_VISVIVA_COMPLETE": f"complete_{shell}", "COMP_WORDS": words}
    asked["COMP_CWORD"] = str(len(words.split(" ")) - 1)
    run = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.argv[0] = 'visviva'\nimport visviva.cli as c; c.main()",
        ],
        env=QUIET | asked,
        capture_output=True,
        text=True,
    )
    assert run.stderr == ""
    return run.stdout.split()


def test_shells_complete_commands_names_and_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pumpkin.urdf").write_text("")
    (tmp_path / "pum.txt").write_text("")
    assert completed("visviva ki") == ["kinematics"]
    assert completed("visviva info pum") == ["puma560", "pumpkin.urdf"]
    assert "--duration" in completed("visviva simulate --d")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_shown_for_a_shell(shell, monkeypatch):
    monkeypatch.setattr("typer.completion._get_shell_name", lambda: shell)
    answer = ask("--show-completion")
    assert answer.code == 0
    assert "_VISVIVA_COMPLETE" in answer.out


# ---- first steps are quick


def test_the_command_line_imports_nothing_heavy():
    heavy = "sympy numpy scipy llvmlite flint plotly lxml mpmath mujoco".split()
    code = f"import sys, visviva.cli; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("word", OTHER_WORDS)
def test_what_others_call_it_is_told(word):
    """Commands that are named are there, and so are their options."""
    _, *arguments = word.split()
    answer = ask(*arguments)
    assert answer.code == 2
    said = OTHER_WORDS[word].replace("{name}", "name")
    assert f"here it is {said}; " in answer.err
    assert "Possible options" not in answer.err
    line = OTHER_WORDS[word].partition(",")[0].split()
    if line[0] == "visviva":
        assert line[1] in COMMANDS
    elif line[0].startswith("--"):
        assert line[0] in ask(arguments[0], "--help").out
