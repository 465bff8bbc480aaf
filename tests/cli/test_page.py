"""Every command of docs/command-line.md runs, and says what the page shows; … is anything."""

import re
import shlex
from pathlib import Path

from tests.cli.asking import ask
from visviva.cli.commands import EPILOG, app
from visviva.show.speed import timing

PAGE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")
COMMANDS = [command.name or command.callback.__name__ for command in app.registered_commands]
CLAIMS = '[mechanism]\ncatalog = "rp_arm"\n[claims]\nM22 = "m2"\n'


def calls():
    """The commands of the page in order, each with the lines below it."""
    for block in re.findall(r"^```console\n(.*?)^```", PAGE, re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown


def pattern(shown):
    """… is anything, and trailing spaces do not count."""
    pieces = [re.escape(x) for x in shown.rstrip().split("…")]
    return ".*".join(pieces)


def test_the_page_tells_the_truth(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(timing, "REPEATS", 1)
    monkeypatch.setattr("visviva.show.speed.measure.LARGE_BATCH", 16)
    (tmp_path / "claims.toml").write_text(CLAIMS)
    ran = set()
    for command, shown in calls():
        name, *words = shlex.split(command)
        assert name == "visviva"
        answer = ask(*words)
        ran.add(words[0])
        assert not answer.err.startswith("visviva: unexpected"), command
        said = (answer.out + answer.err).strip()
        assert re.fullmatch(pattern(shown), said, re.S), f"{command}\n{said}"
    assert ran == set(COMMANDS) - {"study", "view"}


def test_the_page_has_all_commands_and_exit_codes():
    for command in COMMANDS:
        assert f"| `visviva {command} " in PAGE
    for code in re.findall(r"\b\d+\b", EPILOG):
        assert f"\n| {code} | " in PAGE


def test_options_on_the_page_exist():
    """What the page calls an option is one of a command, or of all."""
    known = "".join(ask(*name, "--help").out for name in ((), *((x,) for x in COMMANDS)))
    for option in set(re.findall(r"(?<![\w-])--[a-z]+", PAGE)):
        assert option in known, option
