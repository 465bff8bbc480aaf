"""The disk cache: found again, never trusted, never broken."""

import hashlib
import hmac
import itertools
import json
import math
import os
import random
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import visviva as vv
from tests.support.counts import count, progress
from tests.support.programs import cache_writer
from visviva.machine.run import cache
from visviva.machine.run.kernel import cached_kernel as found

SUPPORT = Path(cache_writer.__file__).parent


@pytest.fixture(scope="module")
def functions():
    """What sines and copies call is in this process: folders get what is kept of programs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VISVIVA_CACHE", "off")
        sine(2.0)(0.5)


@pytest.fixture
def home(tmp_path, monkeypatch, functions):
    path = tmp_path / "cache"
    monkeypatch.setenv("VISVIVA_CACHE", str(path))
    cache._warn.cache_clear()
    return path


def not_kept(match):
    return pytest.warns(RuntimeWarning, match=f"not kept between runs: .*{match}")


def sine(factor=3.0, key=None, traces=None):
    def body(x):
        if traces is not None:
            traces.append(1)
        return vv.generic.sin(factor * x)

    return vv.function(body, {"x": ()}, key=key)


def only_file(home):
    (file,) = (p for p in home.iterdir() if not p.name.startswith("."))
    return file


def assert_rebuilt(f, factor=3.0):
    assert float(f(0.5)) == pytest.approx(math.sin(factor * 0.5), rel=1e-15)
    assert not f.kernel.from_cache


def test_the_folder_is_private(home):
    sine()(0.5)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE(only_file(home).stat().st_mode) == 0o600


def test_the_same_program_is_found_again(home):
    assert_rebuilt(sine())
    again = sine()
    assert float(again(0.5)) == pytest.approx(math.sin(1.5), rel=1e-15)
    assert again.kernel.from_cache
    assert_rebuilt(sine(4.0), 4.0)


def test_a_key_spares_the_trace(home):
    traces = []
    assert_rebuilt(sine(key="sine of 3x", traces=traces))
    assert traces == [1]
    again = sine(key="sine of 3x", traces=traces)
    assert dict(again.outputs) == {"out": ()}
    assert again.operations == {"mul": 1, "sin": 1}
    assert float(again(0.5)) == pytest.approx(math.sin(1.5), rel=1e-15)
    assert again.kernel.from_cache
    assert traces == [1]
    assert "sin(" in again.c_source("f")  # needs the program, so it is traced after all
    assert traces == [1, 1]


def test_derivatives_have_keys_of_their_own(home):
    sine(key="sine")(0.5)
    traces = []
    f = sine(key="sine", traces=traces)
    assert float(f.jacobian("x")(0.5)) == pytest.approx(3 * math.cos(1.5), rel=1e-15)
    assert float(sine(key="sine", traces=traces).jacobian("x")(0.5)) == float(f.jacobian("x")(0.5))
    assert traces == [1]


def test_a_key_with_other_inputs_is_not_found():
    """The key names the computation; the shapes of the inputs belong to it."""
    f = vv.function(lambda x: x * 2.0, {"x": 2}, key="double")
    g = vv.function(lambda x: x * 2.0, {"x": 3}, key="double")
    assert f([1.0, 2.0]).tolist() == [2.0, 4.0]
    assert g([1.0, 2.0, 3.0]).tolist() == [2.0, 4.0, 6.0]


@pytest.mark.soak
def test_a_corrupt_file_is_rebuilt(home):
    sine()(0.5)
    file = only_file(home)
    good = file.read_bytes()
    rng = random.Random(0)
    for _ in range(count(30, 2000)):
        bad = bytearray(good)
        kind = rng.choice(["flip", "cut", "zero", "append", "swap"])
        i = rng.randrange(len(bad))
        if kind == "flip":
            bad[i] ^= 1 << rng.randrange(8)
        elif kind == "cut":
            del bad[i:]
        elif kind == "zero":
            bad[i:] = bytes(len(bad) - i) if any(bad[i:]) else b"\1"
        elif kind == "append":
            bad += b"x"
        else:
            bad = bad[i:] + bad[:i] if i else bad + b"y"
        if bytes(bad) == good:
            continue
        file.write_bytes(bytes(bad))
        assert cache.read(file.name) is None
    file.write_bytes(b"")
    assert_rebuilt(sine())
    assert only_file(home).read_bytes()[:8] == cache.MAGIC


def test_a_valid_file_under_another_name_is_rebuilt(home):
    sine(3.0)(0.5)
    ours = only_file(home)
    sine(4.0)(0.5)
    (other,) = (p for p in home.iterdir() if p != ours)
    shutil.copy(other, ours)
    assert_rebuilt(sine(3.0))


@pytest.mark.skipif(sys.platform == "win32", reason="owners and modes are those of Unix")
class TestForeignFiles:
    def test_writable_by_others(self, home):
        sine()(0.5)
        only_file(home).chmod(0o666)
        assert_rebuilt(sine())

    def test_a_link(self, home, tmp_path):
        sine()(0.5)
        file = only_file(home)
        shutil.move(file, tmp_path / "elsewhere")
        file.symlink_to(tmp_path / "elsewhere")
        assert_rebuilt(sine())

    def test_a_folder_others_may_write_to(self, home):
        sine()(0.5)
        home.chmod(0o777)
        with not_kept("others than you may write to .*; set VISVIVA_CACHE="):
            assert cache.folder() is None
        assert_rebuilt(sine())  # warned once

    @pytest.mark.skipif(
        not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root to give a file away"
    )
    def test_another_owner(self, home):
        sine()(0.5)
        os.chown(only_file(home), 12345, -1)
        assert_rebuilt(sine())
        os.chown(home, 12345, -1)
        with not_kept("others than you may write"):
            assert cache.folder() is None

    def test_a_folder_or_a_pipe_in_its_place(self, home):
        sine()(0.5)
        file = only_file(home)
        file.unlink()
        file.mkdir()
        assert_rebuilt(sine())
        file.rmdir()
        os.mkfifo(file)
        assert_rebuilt(sine())

    def test_a_secret_that_others_can_read_is_none(self, home, tmp_path, monkeypatch):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        sine()(0.5)
        (tmp_path / "state" / "visviva" / "secret").chmod(0o644)
        with not_kept("secret is not a private file; set XDG_STATE_HOME="):
            assert_rebuilt(sine())


def resealed(file, body):
    """A file with the right seal over any content."""
    seal = hmac.digest(cache.secret(), body, "sha256")
    file.write_bytes(cache.MAGIC + seal + body)


def test_a_right_seal_over_nonsense_is_rebuilt(home):
    sine()(0.5)
    file = only_file(home)
    for body in (b"", b"\xff" * 100, (4).to_bytes(8, "little") + b"null" + b"code"):
        resealed(file, body)
        assert_rebuilt(sine())


def test_a_right_seal_over_a_wrong_description_is_rebuilt(home):
    """Whatever a description lacks, or has of the wrong kind, or out of bounds."""
    f = sine(key="k")
    f(0.5)
    file = only_file(home)
    assert found(file.name, f._inputs) is not None
    good, code = cache.read(file.name)
    bad = [{k: v for k, v in good.items() if k != lost} for lost in good if lost != "name"]
    for k in good:
        if k != "name":
            bad += [{**good, k: wrong} for wrong in (None, -1, "x", [1], {"a": -1}, [["x", [-1]]])]
    places = good.get("places", {})
    for k, far in ((k, far) for k in places for far in (-1, len(code), 2**70, 1.5)):
        bad.append({**good, "places": {**places, k: far}})
    bad.append({**good, "inputs": [["x", [2]]]})
    bad.append({**good, "inputs": [[5, []]]})
    for description in bad:
        header = json.dumps(description).encode()
        resealed(file, len(header).to_bytes(8, "little") + header + code)
        assert found(file.name, f._inputs) is None, description
    header = json.dumps(good).encode()
    for cut in (b"", code[:7]) if places else ():
        resealed(file, len(header).to_bytes(8, "little") + header + cut)
        assert found(file.name, f._inputs) is None
    assert_rebuilt(sine(key="k"))


def test_a_cache_restored_from_another_machine_is_not_trusted(home, tmp_path, monkeypatch):
    """Its files have the right names, owner and rights, and a seal of somebody else's secret."""
    sine()(0.5)
    ours = only_file(home).read_bytes()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
    assert_rebuilt(sine())
    assert only_file(home).read_bytes() != ours
    again = sine()
    again(0.5)
    assert again.kernel.from_cache
    secret = tmp_path / "elsewhere" / "visviva" / "secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    secret.write_bytes(b"cut off")
    assert_rebuilt(sine())
    assert len(secret.read_bytes()) == cache.SECRET_BYTES


def test_a_user_without_a_home_can_call_functions(monkeypatch):
    """In a container, say: no HOME, no entry among the users."""
    pwd = pytest.importorskip("pwd")

    def nobody(_):
        raise KeyError("no such user")

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    monkeypatch.setattr(pwd, "getpwnam", nobody)
    for name in ("HOME", "VISVIVA_CACHE", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for setting in (None, "~nobody/x"):
        if setting:
            monkeypatch.setenv("VISVIVA_CACHE", setting)
        cache._warn.cache_clear()
        with not_kept("home directory.*VISVIVA_CACHE=/a/private/folder"):
            assert_rebuilt(sine())
        assert_rebuilt(sine())
    cache._warn.cache_clear()


def test_without_a_home_two_settings_make_a_cache(monkeypatch, home, tmp_path):
    monkeypatch.setattr("pathlib.Path.expanduser", lambda path: path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert_rebuilt(sine())
    again = sine()
    again(0.5)
    assert again.kernel.from_cache


def test_files_of_others_are_never_removed(home, monkeypatch):
    sine()(0.5)
    names = ["thesis.npz", hashlib.sha256(b"a blob of theirs").hexdigest(), ".visviva-new-theirs"]
    for name in names:
        (home / name).write_bytes(b"x" * 100_000)
        os.utime(home / name, (time.time() - 2 * cache.STALE_SECONDS,) * 2)
    monkeypatch.setattr(cache, "LARGEST_FOLDER", 1000)
    sine(5.0)(0.5)
    assert all((home / name).exists() for name in names)


def test_keys_that_look_alike_are_different(home):
    derivative = vv.function(lambda x: x * x, {"x": ()}, key="k").jacobian("x")
    assert derivative(3.0) == 6.0
    for key in ('["k", "jacobian", ["x"]]', "k d/d(x)", "k jacobian x"):
        assert vv.function(lambda x: x + 100, {"x": ()}, key=key)(3.0) == 103.0
    with pytest.raises(vv.errors.ArgumentError, match="key is a string"):
        vv.function(lambda x: x, {"x": ()}, key=np.ones(3))


@pytest.mark.parametrize("value", ["", "0", "off", "OFF"])
def test_it_can_be_switched_off(monkeypatch, value):
    monkeypatch.setenv("VISVIVA_CACHE", value)
    assert cache.folder() is None
    assert_rebuilt(sine(1.25), 1.25)
    assert_rebuilt(sine(1.25), 1.25)


def test_an_impossible_folder_is_no_error(tmp_path, monkeypatch):
    cache._warn.cache_clear()
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("VISVIVA_CACHE", str(tmp_path / "file" / "cache"))
    with not_kept("Not a directory"):
        assert_rebuilt(sine(2.25), 2.25)


def test_leftovers_and_excess_are_removed(home, monkeypatch):
    sine()(0.5)
    left = [home / f".visviva-new-left{k}" for k in range(3)]
    for path, content in zip(left, (b"", cache.MAGIC[:3], cache.MAGIC + b"x" * 100), strict=True):
        path.write_bytes(content)
        os.utime(path, (time.time() - 2 * cache.STALE_SECONDS,) * 2)
    fresh = home / ".visviva-new-fresh"
    fresh.write_bytes(b"")
    sine(4.5)(0.5)
    assert all(path.exists() for path in left)  # a folder is not looked through for every file
    cache._sizes.clear()  # as in a new process
    sine(5.0)(0.5)
    assert not any(path.exists() for path in left)
    assert fresh.exists()
    monkeypatch.setattr(cache, "LARGEST_FOLDER", 20_000)
    for factor in (6.0, 7.0, 8.0, 9.0):
        sine(factor)(0.5)
    assert sum(p.stat().st_size for p in home.iterdir()) < 60_000


def run_one(home, factor, key="-"):
    command = [sys.executable, str(SUPPORT / "one_function.py"), str(factor), key]
    return subprocess.Popen(
        command, env=os.environ | {"VISVIVA_CACHE": str(home)}, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.spread(0)
def test_processes_that_write_at_once(home):
    for _ in range(2):
        running = [run_one(home, 3.0, key) for key in ("-", "k") * 2]
        for process in running:
            text, _ = process.communicate(timeout=600)
            assert float(text.split()[0]) == pytest.approx(math.sin(1.5), rel=1e-15)
    final = run_one(home, 3.0).communicate()[0]
    assert final.split()[1] == "True"


@pytest.mark.spread(0)
@pytest.mark.soak
def test_killed_writers_leave_nothing_wrong(home):
    """Kill a process in the middle of writing; whatever is there afterwards is whole."""
    rng, total = random.Random(1), count(8, 1000)
    writer = [sys.executable, str(SUPPORT / "cache_writer.py")]
    path = os.pathsep.join([str(SUPPORT.parent), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"VISVIVA_CACHE": str(home), "PYTHONPATH": path}
    unfinished = 0
    for k in itertools.count():
        if k >= total and unfinished:  # else nothing was killed in the middle
            break
        process = subprocess.Popen(writer, env=environment, stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(rng.uniform(0, 0.02))
        process.kill()
        process.wait()
        process.stdout.close()
        for i, name in enumerate(cache_writer.NAMES):
            kept = cache.read(name)
            if kept is not None:
                description, code = kept
                assert (description["number"], code) == (i, cache_writer.content(i)[1])
        unfinished += sum(p.name.startswith(cache.NEW) for p in home.iterdir())
        for left in home.glob(cache.NEW + "*"):
            left.unlink()
        if k % 100 == 99:
            progress(f"  {k + 1} of {total} kills, {unfinished} in the middle of a file")
    f = sine()
    np.testing.assert_allclose(f(0.5), math.sin(1.5), rtol=1e-15)
    assert sine()(0.5) == f(0.5)
