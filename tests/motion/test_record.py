"""Records of long runs: whole blocks, whoever is killed; resumed only with the same header."""

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import visviva as vv
from tests.support.counts import count, progress
from tests.support.programs import run_writer
from tests.support.tools import importing
from visviva.errors import ArgumentError, ReadError, ShapeError, WriteError
from visviva.motion.record import Record

HEADER = {"system": "cart_pole", "rtol": 1e-9, "method": "dop853"}


def block(k, rows=5):
    t = np.arange(k * rows, (k + 1) * rows) / 10
    return (
        t,
        np.stack([t, t**2], axis=1),
        np.stack([t**3, t**4], axis=1),
        {"tau": np.ones((rows, 2))},
    )


def written(path, blocks=3):
    record = Record.create(path, HEADER)
    for k in range(blocks):
        record.append(*block(k))
    return record


def test_blocks_come_back_in_order(tmp_path):
    record = written(tmp_path / "swing")
    assert sorted(x.name for x in (tmp_path / "swing.run").iterdir()) == [
        "block-00000000.npy", "block-00000001.npy", "block-00000002.npy", "header.json",
    ]  # fmt: skip
    for one in (
        record,
        Record.read(tmp_path / "swing.run"),
        Record.resume(tmp_path / "swing", HEADER),
    ):
        assert len(one.whole_blocks()) == 3
        arrays = one.arrays()
        for k, name in enumerate(("t", "q", "v")):
            assert np.array_equal(arrays[name], np.concatenate([block(i)[k] for i in range(3)]))
        assert arrays["tau"].shape == (15, 2)
    assert repr(record) == "record swing.run: 3 blocks, 15 samples"


def test_batches_keep_their_axes(tmp_path):
    record = Record.create(tmp_path / "many", {})
    rng = np.random.default_rng(0)
    q, v, tau = rng.normal(size=(3, 4, 6, 2))
    for part in (slice(0, 4), slice(4, 6)):  # 4 trajectories, 4 rows and 2 rows
        extra = {"tau": tau[:, part], "h": np.arange(6.0)[part]}
        record.append(np.arange(6.0)[part], q[:, part], v[:, part], extra)
    arrays = record.arrays()
    for name, x in {"q": q, "v": v, "tau": tau, "h": np.arange(6.0)}.items():
        assert np.array_equal(arrays[name], x), name


@pytest.mark.parametrize("damage", ["torn", "longer", "missing", "garbage"])
def test_a_block_that_is_not_whole_ends_the_record(damage, tmp_path):
    written(tmp_path / "swing", 4)
    place = tmp_path / "swing.run" / "block-00000002.npy"
    content = place.read_bytes()
    if damage == "missing":
        place.unlink()
    else:
        ways = {"torn": content[:-3], "longer": content + b"\0", "garbage": b"\0" * len(content)}
        place.write_bytes(ways[damage])
    assert len(Record.read(tmp_path / "swing").whole_blocks()) == 2
    record = Record.resume(tmp_path / "swing", HEADER)
    for k in (2, 3, 4):
        record.append(*block(k))
    assert np.array_equal(record.arrays()["t"], np.arange(25) / 10)


def test_another_header_is_refused_by_what_differs(tmp_path):
    written(tmp_path / "swing")
    with pytest.raises(ArgumentError, match="'rtol' is 1e-09 there, 1e-06 here"):
        Record.resume(tmp_path / "swing", {**HEADER, "rtol": 1e-6})
    with pytest.raises(ArgumentError, match=r"'dt' is \"nothing\" there, 0\.1 here"):
        Record.resume(tmp_path / "swing", {**HEADER, "dt": 0.1})
    with pytest.raises(ArgumentError, match=r"is a record already; Record\.resume"):
        Record.create(tmp_path / "swing", HEADER)
    with pytest.raises(ArgumentError, match="what JSON can say"):
        Record.create(tmp_path / "other", {"f": print})


def test_what_is_no_record_is_refused(tmp_path):
    with pytest.raises(ReadError, match=r"is no record of a run: header\.json"):
        Record.read(tmp_path / "none")
    (tmp_path / "odd.run").mkdir()
    (tmp_path / "odd.run" / "header.json").write_text(json.dumps({"kind": "other"}))
    with pytest.raises(ReadError, match="not that of a record"):
        Record.resume(tmp_path / "odd", {})
    with pytest.raises(WriteError, match="there is no"):
        Record.create(tmp_path / "a" / "b", {})
    with pytest.raises(ReadError, match="no whole block yet"):
        Record.create(tmp_path / "empty", {}).arrays()
    with pytest.raises(ArgumentError, match="has a path, got int"):
        Record.read(3)


def test_whoever_made_the_folder_and_was_killed_at_once_is_no_hindrance(tmp_path):
    (tmp_path / "swing.run").mkdir()
    assert len(written(tmp_path / "swing").whole_blocks()) == 3


def test_what_is_somebody_elses_is_left_alone(tmp_path):
    (tmp_path / "swing.run").mkdir()
    note = tmp_path / "swing.run" / "notes.txt"
    note.write_text("mine")
    with pytest.raises(ArgumentError, match=r"has something in it: 'notes\.txt'"):
        Record.create(tmp_path / "swing", HEADER)
    note.rename(tmp_path / "notes.txt")
    record = written(tmp_path / "swing")
    (tmp_path / "notes.txt").rename(note)
    record.finish(vv.catalog.cart_pole(), tmp_path / "swing.csv")
    assert [x.name for x in (tmp_path / "swing.run").iterdir()] == ["notes.txt"]


def test_a_record_goes_on_after_its_last_state(tmp_path):
    record = Record.create(tmp_path / "swing", HEADER)
    for k in range(4):
        record.append(*block(k), state={"h": np.array([k, k]), "method": "dop853"})
    record.append([], np.zeros((0, 2)), np.zeros((0, 2)), {"tau": np.zeros((0, 2))}, {"h": 4})
    assert [x.name for x in sorted((tmp_path / "swing.run").glob("state*"))] == [
        "state-00000003.npz", "state-00000004.npz",
    ]  # fmt: skip
    (tmp_path / "swing.run" / "state-00000004.npz").write_bytes(b"torn")
    again = Record.resume(tmp_path / "swing", HEADER, with_states=True)
    assert (len(again), again.state()["h"].tolist()) == (4, [3, 3])
    assert str(again.state()["method"]) == "dop853"
    (tmp_path / "swing.run" / "state-00000003.npz").unlink()
    assert len(Record.resume(tmp_path / "swing", HEADER, with_states=True)) == 0


def test_two_writers_do_not_mix(tmp_path):
    first = written(tmp_path / "swing", 1)
    second = Record.resume(tmp_path / "swing", HEADER)
    first.append(*block(1))
    with pytest.raises(WriteError, match="another process is writing"):
        second.append(*block(1))
    with pytest.raises(ArgumentError, match="was opened to read"):
        Record.read(tmp_path / "swing").append(*block(2))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"t": []}, r"t of a block has shape \(rows,\)"),
        ({"q": np.zeros((4, 2))}, r"q of a block begins with the axes \(5\), got shape \(4, 2\)"),
        ({"q": np.zeros(5)}, r"\(rows, nq\) or \(N, rows, nq\)"),
        ({"extra": {"h": np.zeros(3)}}, "h of a block begins with"),
        ({"extra": {"h": ["a"] * 5}}, "h of a block is an array of numbers"),
        ({"q": np.zeros((5, 3))}, "blocks have the fields"),
    ],
)
def test_blocks_that_do_not_fit_are_refused(change, message, tmp_path):
    record = written(tmp_path / "swing")
    given = dict(zip(("t", "q", "v", "extra"), block(3), strict=True))
    with pytest.raises(ShapeError, match=message):
        record.append(**{**given, **change})
    assert len(record.whole_blocks()) == 3


@pytest.mark.parametrize("suffix", [".nc", ".csv", ".npz"])
def test_a_record_is_finished_as_a_file(suffix, tmp_path):
    record = written(tmp_path / "swing")
    arrays = record.arrays()
    run = record.finish(vv.catalog.cart_pole(), tmp_path / f"swing{suffix}", notes=("long",))
    again = vv.load_trajectory(tmp_path / f"swing{suffix}")
    for name in ("t", "q", "v", "tau"):
        assert np.array_equal(getattr(again, name), arrays[name])
        assert np.array_equal(getattr(run, name), arrays[name])
    assert again.notes == ("long",)
    assert not (tmp_path / "swing.run").exists()


def test_a_record_that_cannot_be_finished_stays(tmp_path):
    record = written(tmp_path / "swing")
    with pytest.raises(WriteError):
        record.finish(vv.catalog.cart_pole(), tmp_path / "nowhere" / "swing.csv")
    assert len(record.whole_blocks()) == 3


@pytest.mark.spread(0)
@pytest.mark.soak
def test_killed_writers_leave_whole_blocks_and_go_on(tmp_path):
    """Kill a writer, look at what is there, let another one go on; until all is written."""
    rng, kills = random.Random(1), count(4, 50)
    path = str(tmp_path / "long")
    command = [sys.executable, str(Path(run_writer.__file__)), path]
    seen = 0
    for k in range(kills):
        process = subprocess.Popen(command, env=importing(), stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(rng.uniform(0, 0.03))
        process.kill()
        process.wait()
        process.stdout.close()
        if not (tmp_path / "long.run" / "header.json").exists():
            continue  # killed before anything was written
        blocks = Record.read(path).whole_blocks()
        assert len(blocks) >= seen, "what was written stays"
        seen = len(blocks)
        for i, found in enumerate(blocks):
            t, q, v, extra = run_writer.block(i)
            for name, x in {"t": t, "q": q, "v": v, **extra}.items():
                assert np.array_equal(found[name], x)
        progress(f"  {k + 1} of {kills} kills, {seen} whole blocks")
    done = subprocess.run(command, env=importing(), stdout=subprocess.PIPE, check=True)
    assert done.stdout.split() == [b"ready", b"done"]
    arrays = Record.read(path).arrays()
    for k, name in enumerate(("t", "q", "v")):
        whole = np.concatenate([run_writer.block(i)[k] for i in range(run_writer.BLOCKS)])
        assert np.array_equal(arrays[name], whole)
    assert not [x for x in os.listdir(tmp_path / "long.run") if x.startswith(".new-")]
