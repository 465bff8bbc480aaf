"""MJCF files of strangers: errors that help, and a compiler that is kept apart."""

import os
import re
import sys
from collections import Counter

import numpy as np
import pytest

from tests.support.counts import count, progress
from tests.support.generators.mjcf_files import FILES, body, here, write
from tests.support.oracles import mujoco_models as peer
from visviva.describe.files.mjcf import compile as mjcf_compile
from visviva.describe.files.mjcf.read import load_mjcf
from visviva.describe.files.mjcf.scan import scan
from visviva.errors import ArgumentError, BackendError, ReadError, UnknownNameError, VisvivaError

PATIENT = 600.0  # seconds: so slow is no machine
BOMB = "<!DOCTYPE m [<!ENTITY a 'x'>" + "".join(
    f"<!ENTITY a{i} '{('&a' + str(i - 1 if i else '') + ';') * 10}'>" for i in range(9)
)
BAD = {
    "malformed": ("<mujoco><worldbody></mujoco>", r"bad.xml, line 1: malformed XML"),
    "empty": ("", "accepted: an XML file"),
    "bomb": (BOMB + "]><mujoco model='&a8;'/>", "document types and entities are refused"),
    "external": (
        "<!DOCTYPE m [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><mujoco model='&x;'/>",
        "document types and entities are refused",
    ),
    "remote": ("<!DOCTYPE m SYSTEM 'http://127.0.0.1:9/x.dtd'><mujoco/>", "document types"),
    "urdf": ("<robot name='r'/>", "begins with <mujoco>, got <robot>; that is a URDF"),
    "garbage": (bytes(range(256)) * 40, "accepted: an XML file"),
    "deep": (
        "<mujoco><worldbody>" + "<body>" * 100_000 + "</body>" * 100_000 + "</worldbody></mujoco>",
        "malformed XML: Excessive depth",
    ),
    "self": ("<mujoco>\n<include file='bad.xml'/></mujoco>", "line 2, <include>.*a second time"),
    "cycle": ("<mujoco><include file='other.xml'/></mujoco>", "other.xml, line 1.*a second time"),
    "include": ("<mujoco><include file='../secret.xml'/></mujoco>", "outside of .*give roots="),
    "include_option": ("<mujoco><include file='x.xml' as='y'/></mujoco>", "file= only"),
    "link": ("<mujoco><include file='link.xml'/></mujoco>", "secret.xml, outside of"),
    "no_include": ("<mujoco><include file='none.xml'/></mujoco>", "there is no file .*none.xml"),
    "absolute": (
        "<mujoco><asset>\n<mesh file='/etc/passwd.obj'/></asset></mujoco>",
        r"bad.xml, line 2, <mesh>: '/etc/passwd.obj' is an absolute path; paths are relative to",
    ),
    "drive": ("<mujoco><asset><mesh file='C:\\x.obj'/></asset></mujoco>", "absolute path"),
    "meshdir": (
        "<mujoco><compiler meshdir='/etc'/><asset><mesh file='x.obj'/></asset></mujoco>",
        "'/etc' is an absolute path",
    ),
    "up": (
        "<mujoco><compiler meshdir='..'/><asset><mesh file='secret.obj'/></asset></mujoco>",
        "outside of",
    ),
    "texture": (
        "<mujoco><asset><texture type='cube' fileup='../../x.png'/></asset></mujoco>",
        "<texture>.*outside of",
    ),
    "submodel": ("<mujoco><asset><model file='../secret.xml'/></asset></mujoco>", "outside of"),
    "within": ("<mujoco><asset><model file='bad.xml'/></asset></mujoco>", "contains itself"),
    "missing_mesh": ("<mujoco><asset><mesh file='x.stl'/></asset></mujoco>", "there is no file"),
    "usd": ("<mujoco><asset><mesh file='scene.usda'/></asset></mujoco>", "files are .*'.obj'"),
    "content": (
        "<mujoco><asset><mesh file='x.obj' content_type='model/usd'/></asset></mujoco>",
        "content_type 'model/usd' is not read",
    ),
    "elsewhere": ("<mujoco><option file='x'/></mujoco>", "<option>: file= is not known here"),
    "broken_mesh": (
        body(
            "<joint/><geom type='mesh' mesh='m'/>", "<asset><mesh name='m' file='m.stl'/></asset>"
        ),
        "m.stl",
    ),
    "plugin": ("<mujoco><extension><plugin plugin='p'/></extension></mujoco>", "plugins run code"),
    "namespace": ("<mujoco xmlns='urn:x'/>", "begins with <mujoco>"),
    "prefix": ("<mujoco><a:b xmlns:a='urn:x'/></mujoco>", "no namespaces"),
    "nan": (
        body("<inertial pos='0 0 0' mass='nan' diaginertia='1 1 1'/>"),
        r"line 3, <inertial>: mass='nan' must be finite",
    ),
    "infinite": (body("<joint/><geom size='.1' pos='0 inf 0'/>"), "must be finite"),
    "overflow": (body("<joint/><geom size='.1' pos='0 1e999 0'/>"), "must be finite"),
    "negative": (
        body("<inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/>"),
        r"line 3, <inertial>: mass is -1; it cannot be negative",
    ),
    "negative_geom": (body("<joint/><geom size='.1' density='-5'/>"), "density is -5"),
    "massless": (body("<joint/>"), "bad.xml, line 2: .*mass and inertia of moving bodies"),
    "impossible": (
        body("<joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/>"),
        r"bad.xml, line 2: .*A \+ B >= C",
    ),
    "joint_type": (body("<joint type='screw'/>"), "bad.xml, line 3: .*invalid keyword: 'screw'"),
    "element": ("<mujoco>\n\n<wheels/></mujoco>", "bad.xml, line 3: .*unrecognized element"),
    "twice": (body("<body name='a'/>"), "repeated name 'a' in body"),
    "reference": (body("<geom type='mesh' mesh='none'/>"), "mesh 'none' not found"),
    "no_number": (body("<joint axis='1 0 x'/>"), "bad.xml, line 3"),
    "swamped": (
        "<mujoco><worldbody><replicate count='2000000000'><body><freejoint/><geom size='1'/></body>"
        "</replicate></worldbody></mujoco>",
        "count is 2000000000; accepted: at most 10000",
    ),
}


@pytest.mark.spread(20)
@pytest.mark.parametrize("kind", BAD)
def test_bad_files_give_errors_that_help(kind, tmp_path):
    text, message = BAD[kind]
    folder = tmp_path / "inside"
    folder.mkdir()
    write(tmp_path, "<mujoco model='secret'/>", "secret.xml")
    write(tmp_path, "v 0 0 0\n", "secret.obj")
    write(folder, "<mujoco><include file='bad.xml'/></mujoco>", "other.xml")
    write(folder, b"not a mesh at all", "m.stl")
    write(folder, "v 0 0 0\n", "x.obj")
    write(folder, "#usda 1.0\n", "scene.usda")
    os.symlink(tmp_path / "secret.xml", folder / "link.xml")
    path = write(folder, text)
    with pytest.raises(ReadError, match=f"(?s){message}") as caught:
        load_mjcf(path, timeout=1.5 if kind == "swamped" else PATIENT)
    assert "bad.xml" in str(caught.value) or "other.xml" in str(caught.value)
    assert "file_" not in str(caught.value)


def test_bad_paths(tmp_path):
    with pytest.raises(ReadError, match="is a directory"):
        load_mjcf(tmp_path)
    with pytest.raises(ReadError, match="cannot be read: No such file"):
        load_mjcf(tmp_path / "none.xml")
    big = tmp_path / "big.xml"
    with big.open("wb") as file:
        file.truncate(200_000_000)
    with pytest.raises(ReadError, match="has 200000000 bytes"):
        load_mjcf(big)


def test_bad_options():
    with pytest.raises(UnknownNameError, match="'couple', 'expand'"):
        load_mjcf(here("ball.xml"), mimic="drop")
    with pytest.raises(ArgumentError, match="snap is between"):
        load_mjcf(here("ball.xml"), snap=-1)
    with pytest.raises(ArgumentError, match="timeout is a number of seconds"):
        load_mjcf(here("ball.xml"), timeout=0)


def test_roots_open_further_folders(tmp_path):
    folder = tmp_path / "inside"
    folder.mkdir()
    write(tmp_path, "<mujoco>" + body("<joint/><geom size='.1'/>")[8:], "shared.xml")
    path = write(folder, "<mujoco><include file='../shared.xml'/></mujoco>")
    with pytest.raises(ReadError, match="outside of"):
        load_mjcf(path)
    assert load_mjcf(path, roots=[tmp_path]).nv == 1


def test_mujoco_sees_only_made_up_names():
    for name in ("includes.xml", "attach.xml"):
        seen = scan(here(name))
        texts = [seen.text, *(t.decode() for k, t in seen.assets.items() if k.endswith(".xml"))]
        for text in texts:
            assert "include" not in text
            assert "dir=" not in text
            for file in re.findall(r'file\w*="([^"]*)"', text):
                assert file in seen.assets
        assert set(seen.files) == set(seen.assets)


def worker(tmp_path, monkeypatch, code):
    (tmp_path / "stand_in_worker.py").write_text(code)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(mjcf_compile, "WORKER", "stand_in_worker")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import time; time.sleep(60)", r"was not done within 0\.5 s; give timeout="),
        ("import os; os.abort()", "stopped with exit code -6"),
        ("raise SystemExit('lost')", "stopped with exit code 1: lost"),
        ("", "stopped with exit code 0"),
    ],
)
def test_a_worker_that_hangs_or_crashes_is_an_error(code, message, tmp_path, monkeypatch):
    worker(tmp_path, monkeypatch, code)
    with pytest.raises(ReadError, match=message):
        load_mjcf(here("ball.xml"), timeout=0.5 if "sleep" in code else PATIENT)


def test_without_mujoco_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(BackendError, match=r'pip install "visviva\[mjcf\]"'):
        load_mjcf(here("ball.xml"))


@pytest.mark.soak
def test_mutated_files_load_or_are_refused(tmp_path):
    rng = np.random.default_rng(11)
    sources = [f for f in FILES if f.parent == peer.FOLDER and "file=" not in f.read_text()]
    rounds = count(8, 500)
    outcome = Counter()
    for k in range(rounds):
        data = bytearray(sources[k % len(sources)].read_bytes())
        for _ in range(rng.integers(1, 4)):
            i, j = sorted(rng.integers(0, len(data), 2))
            change = rng.integers(4)
            if change == 0:
                data[i] = rng.integers(256)
            elif change == 1:
                del data[i : i + int(rng.integers(1, 30))]
            elif change == 2:
                data[i:i] = data[i : min(j, i + 200)]
            else:
                digits = [p for p, c in enumerate(data) if chr(c).isdigit()]
                if digits:
                    data[int(rng.choice(digits))] = ord(rng.choice(list("0123456789-.e")))
        path = write(tmp_path, bytes(data))
        try:
            model = load_mjcf(path, timeout=PATIENT)
            assert np.isfinite(model.mass)
            outcome["loaded"] += 1
        except VisvivaError as error:
            outcome["refused" if "bad.xml" in str(error) else "refused without the file"] += 1
        if k % 100 == 99:
            progress(f"mutated MJCF: {k + 1} of {rounds}: {outcome}")
    assert outcome["loaded"] + outcome["refused"] == rounds


def test_files_beside_a_script_are_not_taken_for_modules(tmp_path, monkeypatch):
    """A script's folder is the first of sys.path; the worker needs nothing of it."""
    for name in ("json", "resource", "numpy", "runpy", "mujoco"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a stray file was run')")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert load_mjcf(here("ball.xml")).nq > 0
