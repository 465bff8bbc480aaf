"""Random argument lists: an exit code, two lines, never a traceback; nothing written elsewhere."""

import os

import numpy as np
import pytest

import visviva as vv
from tests.cli.asking import ask
from tests.support.counts import count, tick
from visviva.show.page.page import Page
from visviva.show.speed import timing
from visviva.show.study.study import Study

SMALL = "two_link rp_arm polar_point knife_edge point_on_circle pendulum".split()
FILES = {
    "arm.toml": None,  # written by the fixture
    "arm.urdf": None,
    "empty.urdf": "",
    "empty.toml": "",
    "broken.toml": 'name = "x"\n[[body]]\nname = 3',
    "deep.toml": "a = " + "[" * 500,
    "other.xml": "<html><body/></html>",
    "bomb.xml": '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><robot name="&b;"/>',
    "claims.toml": '[mechanism]\ncatalog = "rp_arm"\n[claims]\nM22 = "m2"\n',
    "claims.txt": "M22 = m2\nM22 = (\n",
    "-x.toml": 'name = "dash"\n[[body]]\nname = "b"\njoint = "free"\n',
    "a b\n☂.toml": 'name = "\\u001b[2J<script>"\n[[body]]\nname = "\\n"\njoint = "free"\n',
    "binary.urdf": "\x00\ufffe\x7fELF",
}
NUMBERS = "0 -0 1 -1 0.1 2 nan inf -inf 1e308 -1e308 1e-300 1e12 0x10 1_000 ١ 1,5 9e999".split()
WORDS = """
 -- - --help -h --json --debug --version . .. / ~ * ? % %s %n $HOME $(x) `x` ' " \\ ; && | > < & #
 q1=1 q1=nan q1=1e308 q2=x q1 =1 q1= ,,, q1=1,q1=2 M22=I2 M22=m2 tau1=( \\frac{1}{ x' G2 = ==
 standard christoffel equations steps md latex html c ipynb lagrange newton-euler jacobian tool
 urdf mjcf toml dh modified rk4 dop853 radau auto 0.3,0.2 1,2,3 1,2,3,4,5,6 out.toml out.urdf
 out.xml out.mjcf out.html out.csv out.npz out.nc out.md no/where.toml ../up.toml /dev/null
 /dev/full folder folder.toml None True <script>alert(1)</script> 🦾 ʎ Ω θ'' ☂.urdf
 \u202e NaN null {} [] () 你好
""".split()
ODD = ["", " ", "\n", "\t", "\x00", "\x1b[31m", "\x1b]0;x\x07", "\ud800", "\udcff", "x" * 5000]
ODD += [
    "9" * 400,
    "q1=" + "9" * 400,
    "a\nb\nc\nd",
    "\r\n",
    "\x7f",
    "M22 = I2 + m2 r2^2",
    "M22 = m2",
]
FLAG = []
OUT = "out.html out.csv out.npz out.nc out.md out.toml no/where.csv folder ../up.html".split()
STATE = ["q1=1", "q1=0.1,q2=0.5", "q2=nan", "q1=1e308", "theta=1", "q9=1", "q1"]
OPTIONS = {  # by command: what is likely behind an option; nothing behind a flag
    "list": {"--json": FLAG},
    "info": {"--json": FLAG},
    "derive": {
        "--method": "lagrange newton-euler d-alembert virtual-work jacobian statics".split(),
        "--form": "standard christoffel equations steps".split(),
        "--to": "md latex html python c ipynb".split(),
        "--output": OUT,
        "--proof": "koenig parallel-axes moment-of-force x".split(),
    },
    "check": {
        "--file": ["claims.toml", "claims.txt", "empty.toml", "folder", "pipe.toml"],
        "--of": ["M", "tau", "x", "V", "nothing"],
        "--symbols": ["m=m2", "a=b", "I2=m2"],
        "--shorthand": FLAG,
        "--no-shorthand": FLAG,
        "--frame": ["link2", "tool", "world"],
        "--assume": ["tau2 = 0", "tau1 = 1", "x"],
        "--json": FLAG,
    },
    "simulate": {
        "--duration": ["0.1", "0.2", "1e308", "-1", "nan"],
        "--start": STATE,
        "--velocity": STATE,
        "--method": "auto dop853 dopri5 radau lsoda rk4 midpoint variational rk5".split(),
        "--dt": ["0.01", "0.1", "1e-300", "0", "1e308"],
        "--every": ["1", "2", "10", "0", "-1"],
        "--rtol": ["1e-6", "1e-20", "1"],
        "--save": OUT,
        "--plot": OUT,
        "--record": ["run", "out.nc", "folder", ""],
        "--resume": FLAG,
        "--until": ["q1 = 0", "q1' = 1", "t = 0.05", "x", "q1 = q1"],
        "--json": FLAG,
    },
    "kinematics": {
        "--frame": ["tool", "link2", "dh1", "world"],
        "--at": STATE,
        "--pose": ["0.3,0.2", "0.1,0.2,0.3", "9,9", "nan,0", "0,0,0,0,0,0"],
        "--plot": OUT,
        "--json": FLAG,
    },
    "view": {
        "--host": ["127.0.0.1", "localhost", "0.0.0.0", "x"],
        "--port": ["0", "8080", "-1", "70000"],
        "--seconds": ["0", "0.1", "nan", "-1"],
        "--dark": FLAG,
        "--open": FLAG,
    },
    "study": {"--output": OUT, "-o": OUT, "--claims": ["claims.toml", "folder"], "--json": FLAG},
    "bench": {"--json": FLAG},
    "convert": {
        "--to": "urdf mjcf toml dh step".split(),
        "--convention": ["standard", "modified", "craig"],
        "--lossy": FLAG,
        "--force": FLAG,
        "--json": FLAG,
    },
}
SECOND = {
    "check": ["M22 = m2", "V = 0", "tau2 = m2 q2''", "M22 = (", "q1 = 0", "x"],
    "convert": ["out.toml", "out.urdf", "out.mjcf", "out.xml", "arm.toml", "no/x.toml"],
}
COSTLY = {
    "bench": 0.05,
    "view": 0.3,
    "kinematics": 0.1,
    "derive": 0.3,
    "simulate": 0.5,
}  # of all, on a real one


class Looked:
    """A live view that nobody serves: that has tests of its own."""

    url = "http://127.0.0.1:0/"
    url_elsewhere, lost, names = "", (), ()

    def __init__(self, sessions, **how):
        self.sessions = sessions

    def wait(self, seconds):
        pass

    def close(self):
        pass


@pytest.fixture
def _folder(tmp_path, monkeypatch):
    """A folder three below the one that may be written to, and a home of its own."""
    below = tmp_path / "a" / "b" / "c"
    (below / "folder").mkdir(parents=True)
    (below / "folder.toml").mkdir()
    for name, text in FILES.items():
        if text is not None:
            (below / name).write_text(text, encoding="utf-8")
    arm = vv.from_dh([(0.4, 0, 0, 0, "R"), (0.3, 0, 0, 0, "P")], convention="standard")
    for name in ("arm.toml", "arm.urdf"):
        vv.save(arm, below / name)
    os.mkfifo(below / "pipe.toml")
    os.mkfifo(below / "pipe.urdf")
    monkeypatch.chdir(below)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(timing, "REPEATS", 1)
    monkeypatch.setattr(timing, "SECONDS", 1e-4)
    monkeypatch.setattr("visviva.show.speed.measure.LARGE_BATCH", 16)
    monkeypatch.setattr("visviva.cli.simulate.SEEN", 1e-3)
    empty = Study("empty", (), Page("empty"), 0.0)  # what takes long has tests of its own
    monkeypatch.setattr("visviva.show.study.study.study", lambda *a, **b: empty)
    monkeypatch.setattr("visviva.show.live.view.LiveView", Looked)
    monkeypatch.setattr("webbrowser.open", lambda *a: True)


def value(rng):
    """Anything that somebody may type, or a program may hand over."""
    pool = (NUMBERS, WORDS, ODD, list(FILES), [*SMALL, "pipe.toml", "pipe.urdf"])
    some = pool[rng.choice(5, p=[0.25, 0.35, 0.2, 0.1, 0.1])]
    return str(some[rng.integers(len(some))])


def one(rng, likely, share=0.75):
    """One of what is likely, now and then anything."""
    return str(likely[rng.integers(len(likely))]) if rng.random() < share else value(rng)


def arguments(rng):
    """A command line, mostly with words in the right places."""
    command = one(rng, list(OPTIONS), 0.97)
    named, likely = OPTIONS.get(command, {}), COSTLY.get(command, 0.9)
    words = [command]
    if command != "list" or rng.random() < 0.3:
        words.append(one(rng, [*SMALL, "arm.toml", "arm.urdf"], likely))
    if command in SECOND and rng.random() < 0.95:
        words.append(one(rng, SECOND[command]))
    for _ in range(rng.integers(0, 5)):
        option = one(rng, list(named), 0.95) if named else value(rng)
        behind = [one(rng, named[option])] if named.get(option) else []
        if behind and rng.random() < 0.2:
            option, behind = f"{option}={behind[0]}", []
        words += [option, *behind]
    if rng.random() < 0.1:
        words.insert(rng.integers(len(words) + 1), one(rng, ["--debug", "--", "--help"]))
    return [word for word in words if not word.startswith("--install")]


def check(asked):
    """An answer is a result, or says in our words why there is none."""
    answer = ask(*asked)
    both = answer.out + answer.err
    assert answer.code in (0, 1, 2), asked
    assert "visviva: unexpected" not in answer.err, (asked, answer.err)
    assert "Traceback" not in both or "--debug" in asked, (asked, both)
    assert "\x1b" not in both, asked
    if answer.code and not answer.out and "--debug" not in asked:
        said = answer.err.splitlines()
        assert sum(line.startswith("visviva: ") for line in said) >= 1, (asked, answer.err)
        last = max(k for k, line in enumerate(said) if line.startswith("visviva: "))
        assert len(said) - last <= 2, (asked, answer.err)


@pytest.mark.soak
@pytest.mark.usefixtures("_folder")
def test_no_argument_list_makes_a_traceback(tmp_path):
    beside = {x.name for x in tmp_path.parent.iterdir()}
    for seed in range(count(50, 10_000)):
        check(arguments(np.random.default_rng(seed)))
        tick("argument lists", 1000)
    assert {x.name for x in tmp_path.parent.iterdir()} == beside
    assert {x.name for x in tmp_path.iterdir()} <= {"a", ".cache", ".local"}


@pytest.mark.usefixtures("_folder")
@pytest.mark.parametrize(
    "asked",
    [
        ["info", "\x00.toml"],
        ["info", "x" * 300 + ".toml"],
        ["info", "\udcff.urdf"],
        ["info", "pipe.toml"],
        ["info", "pipe.urdf"],
        ["check", "--file", "pipe.toml"],
        ["info", "a b\n☂.toml"],
        ["info", "--", "-x.toml"],
        ["derive", "rp_arm", "--output", "\x00"],
        ["derive", "rp_arm", "--output", "/dev/full"],
        ["derive", "rp_arm", "--output", "pipe.toml"],
        ["derive", "rp_arm", "--output", "\ud800.md"],
        ["convert", "rp_arm", "\x00.toml"],
        ["convert", "rp_arm", "\udcff.toml"],
        ["convert", "rp_arm", "x" * 300 + ".toml"],
        ["simulate", "rp_arm", "--record", ""],
        ["simulate", "rp_arm", "--record", "\x00"],
        ["simulate", "rp_arm", "--save", "\x00.csv", "--duration", "0.1"],
        ["simulate", "rp_arm", "--start", "q1=1e308", "--duration", "0.1"],
        ["simulate", "rp_arm", "--velocity", "q1=1e300", "--duration", "0.1"],
        ["simulate", "rp_arm", "--until", "\ud800"],
        ["simulate", "rp_arm", "--duration", "1e-320"],
        ["simulate", "rp_arm", "--rtol", "1e-300"],
        ["simulate", "rp_arm", "--dt", "1e-300", "--duration", "0.1"],
        ["check", "rp_arm", "M22 = " + "(" * 5000],
        ["check", "rp_arm", "M22 = 9**9**9**9"],
        ["check", "rp_arm", "M22 = 1e999"],
        ["check", "rp_arm", ""],
        ["check", "rp_arm", "\ud800"],
        ["kinematics", "rp_arm", "--pose", "nan,inf,1"],
        ["kinematics", "rp_arm", "--at", "q1=nan"],
        ["kinematics", "rp_arm", "--at", "q1=1e308"],
        ["list", "\ud800", "--json"],
    ],
)
def test_hostile_words_are_refused_in_our_words(asked):
    check(asked)
