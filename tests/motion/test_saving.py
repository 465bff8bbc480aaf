"""Trajectories in files and tables: they come back, bit by bit; what is none is refused."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.oracles.solved import batch, solved
from visviva.describe.files.mjcf.equalities import OtherEquality
from visviva.errors import ArgumentError, BackendError, ReadError, VisvivaError, WriteError

T = np.linspace(0.0, 1.0, 13)
SUFFIXES = (".nc", ".csv", ".npz")


def some_runs():
    push = lambda t, q, v: np.array([np.sin(t), 0.0])  # noqa: E731
    swing = solved(vv.catalog.cart_pole(), [0.0, 1.0], [0.2, 0.0], T, push)
    yield swing
    yield replace(
        solved(vv.catalog.tumbling_body(), [0, 0, 0, 1.0], [0.1, 2, 0.1], T), notes=("a",)
    )
    yield solved(vv.catalog.heavy_top(), [0.0, 0.5, 0.0], [0.0, 0.0, 300.0], T)
    yield batch(swing, swing)
    yield solved(vv.catalog.puma560(), np.zeros(6), np.ones(6), T)
    q = np.stack([swing.q, swing.q])
    yield vv.Trajectory(swing.system, T, q, 2 * q, parameters={"m": [0.1, 0.2]})


RUNS = list(some_runs())


def same(a, b):
    for name in ("t", "q", "v", "tau"):
        x, y = getattr(a, name), getattr(b, name)
        assert (x is None) == (y is None)
        assert x is None or np.array_equal(x, y), name
    assert (a.names, a.units, a.between, a.notes) == (b.names, b.units, b.between, b.notes)
    assert dict(a.statistics) == dict(b.statistics)
    assert {k: np.asarray(x).tolist() for k, x in a.parameters.items()} == {
        k: np.asarray(x).tolist() for k, x in b.parameters.items()
    }


@pytest.mark.spread(9)
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.system.name)
def test_what_is_saved_is_loaded_bit_by_bit(run, suffix, tmp_path):
    run.save(tmp_path / f"run{suffix}")
    again = vv.load_trajectory(tmp_path / f"run{suffix}")
    same(run, again)
    assert [x.name for x in tmp_path.iterdir()] == [f"run{suffix}"], "nothing is left beside it"
    # the mechanism was written as text: numbers are the same, sums may be in another order
    np.testing.assert_allclose(again.energy, run.energy, rtol=1e-12)
    same(run, vv.load_trajectory(tmp_path / f"run{suffix}", system=run.system))


def test_another_system_than_that_of_the_file_is_refused(tmp_path):
    RUNS[0].save(tmp_path / "run.npz")
    other = vv.catalog.cart_pole(m=0.5)
    with pytest.raises(
        ArgumentError, match=r"made with another system .*'cart_pole' with the digest"
    ):
        vv.load_trajectory(tmp_path / "run.npz", system=other)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_system_that_no_file_can_state_is_known_by_its_names(suffix, tmp_path):
    held = replace(vv.catalog.two_link(), constraints=[OtherEquality("e", "tendons")])
    run = vv.Trajectory(held, T, np.zeros((13, 2)), np.ones((13, 2)))
    run.save(tmp_path / f"run{suffix}")
    again = vv.load_trajectory(tmp_path / f"run{suffix}")
    same(run, again)
    assert np.array_equal(again["q1'"], np.ones(13))
    assert repr(again).startswith("trajectory of 'two_link'")
    with pytest.raises(
        ArgumentError, match=r"has the names of 'two_link' and no equations.*system="
    ):
        _ = again.energy
    again.save(tmp_path / f"again{suffix}")
    same(run, vv.load_trajectory(tmp_path / f"again{suffix}"))


def test_forces_of_a_function_are_noted_as_lost(tmp_path):
    run = vv.Trajectory(
        RUNS[0].system, T, RUNS[0].q, RUNS[0].v, between=lambda t, q, v: np.array([t, 0.0])
    )
    run.save(tmp_path / "run.csv")
    again = vv.load_trajectory(tmp_path / "run.csv")
    assert again.between == "linear"
    assert "were those of a function" in again.notes[-1]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "content", [b"", b"garbage", b"# {}\n", b"PK\x03\x04", b"\x89HDF\r\n\x1a\n"]
)
def test_garbage_is_refused(content, suffix, tmp_path):
    (tmp_path / f"x{suffix}").write_bytes(content)
    with pytest.raises(ReadError, match=r"is no trajectory that visviva wrote .*accepted: \.nc"):
        vv.load_trajectory(tmp_path / f"x{suffix}")


@pytest.mark.parametrize("suffix", SUFFIXES)
@examples(6, 500)
@given(st.data())
def test_files_that_were_damaged_give_our_error_or_a_trajectory(suffix, tmp_path, data):
    path = tmp_path / f"whole{suffix}"
    if not path.exists():
        RUNS[3].save(path)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content) - 1)) :]
    damaged = tmp_path / f"damaged{suffix}"
    damaged.write_bytes(bytes(content))
    try:
        run = vv.load_trajectory(damaged)
    except VisvivaError:
        return
    assert run.q.shape[-1] == run.system.nq


@pytest.mark.parametrize("change", [
    {"kind": "other"}, {"version": 99}, {"between": "cubic"}, {"joints": 3}, {"notes": [1]},
    {"coordinate_names": ["x"]}, {"mechanism": "name = 3"}, {"parameters": {"m": "heavy"}},
])  # fmt: skip
def test_headers_that_lie_are_refused(change, tmp_path):
    RUNS[0].save(tmp_path / "run.csv")
    first, _, rest = (tmp_path / "run.csv").read_text().partition("\n")
    header = json.loads(first[2:]) | change
    (tmp_path / "run.csv").write_text(f"# {json.dumps(header)}\n{rest}")
    with pytest.raises(ReadError):
        vv.load_trajectory(tmp_path / "run.csv")


def test_paths_that_cannot_be_are_told(tmp_path):
    with pytest.raises(
        ArgumentError, match=r"the suffix says the format, \.nc, \.csv, \.npz; got '\.mat'"
    ):
        RUNS[0].save(tmp_path / "run.mat")
    with pytest.raises(WriteError, match="there is no folder"):
        RUNS[0].save(tmp_path / "nowhere" / "run.csv")
    with pytest.raises(ReadError, match="there is no such file"):
        vv.load_trajectory(tmp_path / "none.csv")
    with pytest.raises(ArgumentError, match="takes the path of a file, got int"):
        vv.load_trajectory(3)


def test_a_csv_file_is_read_by_others_too(tmp_path):
    import pandas

    RUNS[0].save(tmp_path / "run.csv")
    table = pandas.read_csv(tmp_path / "run.csv", comment="#")
    assert list(table) == ["t", "x", "theta", "xd", "thetad", "tau_x", "tau_theta"]
    np.testing.assert_allclose(table["theta"], RUNS[0]["theta"], rtol=1e-15)


def test_tables_of_xarray_and_pandas():
    one, many = RUNS[0], RUNS[3]
    dataset = one.to_xarray()
    assert np.array_equal(dataset["q"].sel(coordinate="theta"), one["theta"])
    assert dataset["coordinate_unit"].sel(coordinate="x").item() == "m"
    assert np.array_equal(dataset["v"].sel(time=T[3])[0], one["x'"][3])
    assert dict(many.to_xarray().sizes) == {"run": 2, "time": 13, "coordinate": 2, "velocity": 2}
    frame = one.to_pandas()
    assert np.array_equal(frame["thetad"], one["theta'"])
    assert frame.attrs["units"]["x"] == "m"
    assert np.array_equal(many.to_pandas().loc[1]["x"], many["x"][1])


@pytest.mark.parametrize(
    ("module", "extra", "ask"),
    [
        ("xarray", "data", lambda run: run.to_xarray()),
        ("pandas", "data", lambda run: run.to_pandas()),
        ("h5netcdf", "data", lambda run: run.save("x.nc")),
    ],
)
def test_what_is_missing_is_told_with_its_extra(module, extra, ask, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(BackendError, match=rf'needs {module}.*pip install "visviva\[{extra}\]"'):
        ask(RUNS[0])
    assert not list(tmp_path.iterdir())


def test_energies_are_saved_as_mechanism_files(tmp_path):
    for name in ("heavy_top", "charged_particle", "unicycle", "relativistic_particle"):
        system = getattr(vv.catalog, name)()
        vv.save(system, tmp_path / "m.toml")
        again = vv.load(tmp_path / "m.toml")
        assert again.coordinates == system.coordinates
        assert again.kinetic == system.kinetic
        assert again.constraints == system.constraints
        assert dict(again.parameters) == dict(system.parameters)
    with pytest.raises(ArgumentError, match=r"a Lagrangian as \.toml"):
        vv.save(system, tmp_path / "m.urdf")


def test_pictures():
    figure = RUNS[0].plot()
    assert [trace.name for trace in figure.data] == list(RUNS[0].names)
    assert np.array_equal(figure.data[1].y, RUNS[0]["theta"])
    titles = [figure.layout[k].title.text for k in ("yaxis", "yaxis2", "yaxis5")]
    assert titles == ["positions [m]", "positions [rad]", "forces [N]"]
    assert [trace.name for trace in RUNS[0].plot("theta'", "theta").data] == ["thetad", "theta"]
    assert len(RUNS[1].plot("attitude").data) == 4
    many = RUNS[3].plot("x")
    assert len(many.data) == 2
    assert many.layout.title.text == "cart_pole, 2 of 2 trajectories"
    with pytest.raises(VisvivaError, match="unknown name of 'cart_pole' 'y'"):
        RUNS[0].plot("y")


def memory_of(path):
    """Whether a file is loaded, by a process of its own, and its largest resident size in bytes."""
    code = (
        "import resource, sys, visviva as vv\n"
        "from visviva.errors import ReadError\n"
        "vv.load_trajectory  # what is imported counts for both\n"
        "import visviva.motion.unpacking\n"
        "visviva.motion.unpacking.MAX_UNPACKED = 2**24\n"
        "try: vv.load_trajectory(sys.argv[1]); said = 'loaded'\n"
        "except ReadError as error: said = str(error)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, said)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    size, _, said = done.stdout.partition(" ")
    return int(size), said.strip()


def packed(path, run, rows):
    """The trajectory's file, compressed, with so many rows of zeros."""
    run.save(path)
    with np.load(path) as stored:
        arrays = {k: stored[k] for k in stored.files}
    for k in ("t", "q", "v"):
        arrays[k] = np.zeros((rows, *arrays[k].shape[1:]))
    np.savez_compressed(path, **arrays)


def test_a_packed_file_is_refused_before_it_is_unpacked(tmp_path):
    """4.7 MB took 4.7 GB and half a minute until they were refused."""
    run = vv.catalog.pendulum(2).simulate([0.1, 0.2], [0, 0], 0.1)
    small, large = tmp_path / "small.npz", tmp_path / "large.npz"
    packed(small, run, 1000)
    packed(large, run, 2_000_000)  # 80 MB
    assert large.stat().st_size < 500_000
    needed, _ = memory_of(small)
    size, said = memory_of(large)
    assert "is no trajectory that visviva wrote (its numbers have 80" in said
    assert "at most 16777216 are accepted" in said
    assert size < needed + 40e6


@pytest.mark.parametrize("suffix", [".npz", ".nc"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_what_is_as_large_as_its_numbers_is_never_too_large(
    suffix, is_packed, tmp_path, monkeypatch
):
    run = vv.catalog.pendulum(2).simulate([0, 0], [0, 0], np.linspace(0, 0.1, 4000))
    file = tmp_path / f"run{suffix}"
    run.save(file)
    if is_packed and suffix == ".npz":
        with np.load(file) as stored:
            np.savez_compressed(file, **{k: stored[k] for k in stored.files})
    elif is_packed:
        import xarray

        with xarray.open_dataset(file) as stored:
            kept = stored.load()
        kept.to_netcdf(
            file, engine="h5netcdf", encoding={k: {"zlib": True} for k in ("time", "q", "v")}
        )
    assert vv.load_trajectory(file).q.tobytes() == run.q.tobytes()
    monkeypatch.setattr("visviva.motion.unpacking.MAX_UNPACKED", 0)
    if is_packed:
        with pytest.raises(ReadError, match="bytes when unpacked, at most 0 are accepted"):
            vv.load_trajectory(file)
    else:
        assert vv.load_trajectory(file).q.tobytes() == run.q.tobytes()
