"""What differs between platforms: the other branches, here, and the way around them all."""

import os
import stat
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import visviva as vv
from visviva.machine.code import imports
from visviva.machine.run import cache, sharing

WORK = """
import numpy as np
import visviva as vv
from visviva.machine.run import sharing

arm, rng = vv.catalog.puma560(), np.random.default_rng(5)
q, v, a = rng.normal(size=(3, 20_000, 6))
bar = vv.catalog.four_bar()
at = bar.assembled(bar.q(theta1=0.5))
run = vv.catalog.two_link().simulate([0.3, 0.2], t=0.5)
numbers = [
    arm.inverse_dynamics(q[0], v[0], a[0]),
    arm.inverse_dynamics(q, v, a, threads=2),
    arm.forward_dynamics.jacobian("q", "v")(q[:7], v[:7], a[:7]),
    arm.step(q[1], v[1], a[1], 0.01)[1],
    np.asarray(arm.frame_pose("tool", q[2])),
    bar.multipliers(at, 0 * at, 0 * at),
    vv.repeat(vv.function(lambda x: {"x": vv.generic.sin(x) + 0.1}, {"x": 3}), {"x": v[:9, :3]},
              times=50).state["x"],
    run.q[-1], run.v[-1],
]
print(vv.catalog.two_link().check("M22 = I2 + m2*r2^2").status)
for x in numbers:
    print(np.ascontiguousarray(np.asarray(x, dtype=float)).tobytes().hex())
print(sharing._pool.cache_info().currsize)  # how many pools of threads there are
"""


def outcome(before="", **environment):
    """The lines that a process of its own prints, and the last one of them apart."""
    done = subprocess.run(
        [sys.executable, "-c", before + WORK],
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    *lines, last = done.stdout.splitlines()
    return lines, last


@pytest.fixture(scope="module")
def here():
    return outcome()[0]


def test_plain_ways_give_the_same_bits(here, tmp_path):
    """No fast entry, LLVM's loader, nothing on disk, one thread."""
    folder = tmp_path / "cache"
    lines, last = outcome(VISVIVA_PLAIN="1", VISVIVA_CACHE=str(folder))
    assert lines == here
    assert lines[0] == "identical"
    assert last == "0"
    assert not folder.exists()


def test_a_platform_that_cannot_fork_gives_the_same(here):
    lines, _ = outcome("import os\nif hasattr(os, 'fork'): del os.fork, os.register_at_fork\n")
    assert lines == here


def test_a_process_that_may_start_no_thread_gives_the_same(monkeypatch):
    def refuse():
        raise RuntimeError("can't start new thread")

    arm = vv.catalog.two_link()
    q = np.random.default_rng(1).normal(size=(200_000, 2))
    expected = arm.inverse_dynamics(q, q, q, threads=4)
    monkeypatch.setattr(sharing, "_pool", refuse)
    np.testing.assert_array_equal(arm.inverse_dynamics(q, q, q, threads=4), expected)


@pytest.mark.parametrize(("platform", "folder"), [("win32", "AppData"), ("darwin", "Library")])
def test_the_folders_of_other_systems(platform, folder, monkeypatch, tmp_path):
    for name in ("LOCALAPPDATA", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(cache, "sys", SimpleNamespace(platform=platform))
    assert folder in cache._default_folder().parts
    assert folder in cache._secret_folder().parts


def test_the_cache_as_on_windows(monkeypatch, tmp_path):
    """No owners, no rights, no links, no flags: files are placed by renaming, sealed as always."""
    for name in ("link", "geteuid", "O_NOFOLLOW", "O_NONBLOCK"):
        if hasattr(os, name):
            monkeypatch.delattr(os, name)
    monkeypatch.setattr(cache, "sys", SimpleNamespace(platform="win32"))
    home = tmp_path / "cache"
    monkeypatch.setenv("VISVIVA_CACHE", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    cache.write("0" * 64, {"n": 1}, b"code")
    for path in (home, home / ("0" * 64)):
        path.chmod(stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO)
    assert cache.read("0" * 64) == ({"name": "0" * 64, "n": 1}, b"code")
    assert len(cache.secret()) == cache.SECRET_BYTES
    assert cache.secret() == cache.secret()
    (home / ("0" * 64)).write_bytes(b"changed")
    assert cache.read("0" * 64) is None


@pytest.mark.parametrize(
    ("platform", "library"), [("win32", "ucrtbase"), ("darwin", "m"), ("linux", "libm.so.6")]
)
def test_the_c_library_of_other_systems(platform, library, monkeypatch):
    monkeypatch.setattr(imports, "sys", SimpleNamespace(platform=platform))
    monkeypatch.setattr("ctypes.util.find_library", lambda name: name)
    assert imports._libm_name() == library
