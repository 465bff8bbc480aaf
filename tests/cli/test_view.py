"""`visviva view`: it tells its address, shows motions that were saved, and ends without a trace."""

import os
import re
import signal
import socket
import subprocess
import sys

import visviva as vv
from tests.cli.asking import ask, is_told

QUIET = os.environ | {"VISVIVA_PROGRESS": "off"}


def test_it_ends_by_itself_and_says_where_it_was(tmp_path):
    vv.catalog.pendulum(n=1).simulate([0.5], [0.0], 0.2).save(tmp_path / "run.npz")
    said = ask("view", "two_link", tmp_path / "run.npz", "--port", "0", "--seconds", "0")
    assert said.code == 0, said
    assert re.fullmatch(r"two_link, pendulum.*: http://127\.0\.0\.1:\d+/\n", said.out)


def test_two_of_one_name_are_told_apart(tmp_path):
    arm = vv.catalog.two_link()
    arm.simulate([0.5, 0.1], [0.0, 0.0], 0.2).save(tmp_path / "run.npz")
    names = ["two_link", "two_link", tmp_path / "run.npz"]
    said = ask("view", *names, "--port", "0", "--seconds", "0")
    assert said.out.startswith("two_link, two_link 2, two_link (run.npz): http")


def test_other_machines_have_an_address():
    said = ask("view", "pendulum", "--host", "0.0.0.0", "--port", "0", "--seconds", "0")
    here, elsewhere = said.out.splitlines()
    path = here.partition("http://127.0.0.1")[2]
    assert elsewhere == f"from other machines: http://{socket.gethostname()}{path}"


def test_mistakes_are_told():
    for words in (["two_lnik"], ["missing.urdf"], ["missing.npz"], ["two_link", "--port", "99999"]):
        assert is_told(ask("view", *words)), words
    assert ask("view").code == 2


def test_ctrl_c_ends_it_and_nothing_is_left():
    command = [sys.executable, "-m", "visviva", "view", "pendulum", "--port", "0"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, env=QUIET, start_new_session=True, **pipes)
    line = process.stdout.readline()
    port = int(re.search(r":(\d+)/", line)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=60):
        pass
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    assert out == ""
    assert "Traceback" not in err
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0
    left = subprocess.run(["ps", "-o", "pid=", "-g", str(process.pid)], capture_output=True)
    assert not left.stdout.split()
