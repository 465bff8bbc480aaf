"""What else machine code depends on: our own sources and the versions of what derives."""

import os
import sys

import numpy as np
import pytest

import visviva as vv
from visviva.machine.run import cache, fingerprint


@pytest.fixture
def sources(tmp_path):
    folder = tmp_path / "package"
    (folder / "inner").mkdir(parents=True)
    (folder / "a.py").write_text("-vector(gravity)")
    (folder / "inner" / "b.py").write_text("b")
    return folder


def test_an_edit_of_the_same_size_and_time_is_seen(sources):
    before = fingerprint._sources(str(sources))
    status = (sources / "a.py").stat()
    (sources / "a.py").write_text("+vector(gravity)")
    os.utime(sources / "a.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert fingerprint._sources(str(sources)) != before
    (sources / "a.py").write_text("-vector(gravity)")
    assert fingerprint._sources(str(sources)) == before
    (sources / "a.py").rename(sources / "c.py")
    assert fingerprint._sources(str(sources)) != before


def test_sources_that_cannot_be_read_keep_nothing(tmp_path, monkeypatch):
    assert fingerprint._sources(str(tmp_path / "archive.zip" / "visviva")) is None
    monkeypatch.setattr(fingerprint, "fingerprint", lambda: None)
    assert cache.name_of("key", "k") is None
    f = vv.function(lambda x: x * 11.0, {"x": ()}, key="k")
    assert f(2.0) == 22.0
    assert not f.kernel.from_cache


def test_sources_edited_while_a_process_runs_keep_nothing(home, monkeypatch, sources):
    monkeypatch.setattr(fingerprint, "ROOT", str(sources))
    monkeypatch.setattr(fingerprint, "BEGAN", 0)  # all of them are newer
    assert fingerprint.is_edited()
    f = vv.function(lambda x: x * 13.0, {"x": ()})
    assert f(2.0) == 26.0
    assert not list(home.glob("*")) if home.exists() else True


def test_versions_of_what_derives_are_part_of_the_name():
    text = " ".join(fingerprint.fingerprint())
    assert np.__version__ in text
    assert sys.version in text
    assert len(list(fingerprint._libraries())) == 3  # numpy and llvmlite, SymPy, FLINT
