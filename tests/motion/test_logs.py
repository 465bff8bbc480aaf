"""Motions from logs of others: columns, times and their units, velocities that a log lacks."""

import csv
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from visviva.errors import ArgumentError, BackendError, ReadError, ShapeError, UnknownNameError
from visviva.motion.logs import slopes

ARM = vv.catalog.two_link()
NAMES = ARM.coordinate_names


def path_of(t):
    """Smooth positions, their velocities and accelerations."""
    w, phase = np.array([2.0, 3.0]), np.array([0.1, 0.7])
    angle = np.outer(t, w) + phase
    return np.sin(angle), w * np.cos(angle), -(w**2) * np.sin(angle)


def frame_of(t, unit="s", per=1.0, start=0.0):
    """A log as others write them."""
    q, v, a = path_of(t)
    tau = ARM.inverse_dynamics(q, v, a)
    columns = {"stamp": start + t * per}
    for k, name in enumerate(NAMES):
        columns |= {f"{name}_pos": q[:, k], f"{name}_vel": v[:, k], f"{name}_eff": tau[:, k]}
    return pd.DataFrame(columns)


OF_LOG = {"time": "stamp", "unit": "s", "q": "{}_pos", "v": "{}_vel", "tau": "{}_eff"}
T = np.linspace(0.0, 2.0, 201)


@pytest.fixture
def log():
    return frame_of(T)


def test_a_frame_a_table_and_a_file_are_one_log(log, tmp_path):
    """Bit by bit, forces on straight lines between samples."""
    path = tmp_path / "log.csv"
    log.to_csv(path, index=False)
    runs = [
        vv.Trajectory.from_table(ARM, table, **OF_LOG)
        for table in (log, {k: list(log[k]) for k in log}, path, str(path))
    ]
    for run in runs:
        assert np.array_equal(run.t, T)
        assert np.array_equal(run.q, path_of(T)[0])
        assert np.array_equal(run.v, path_of(T)[1])
        assert run.between == "linear"
        assert run.notes == ()
    np.testing.assert_allclose(runs[0].acceleration, path_of(T)[2], atol=1e-12)


def test_what_to_pandas_writes_is_read(tmp_path):
    """Its names are those that are taken unless others are stated."""
    motion = ARM.simulate([0.3, -0.2], [0, 0], 0.5, dt=1e-2, tau=[1.0, 0.5])
    frame = motion.to_pandas()
    run = vv.Trajectory.from_table(ARM, frame, time="t", unit="s")
    motion.save(tmp_path / "run.csv")
    again = vv.Trajectory.from_table(ARM, tmp_path / "run.csv", time="t", unit="s")
    for x in (run, again):
        assert all(
            np.array_equal(getattr(x, k), getattr(motion, k)) for k in ("t", "q", "v", "tau")
        )


@pytest.mark.parametrize(("unit", "per"), [("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)])
def test_times_in_any_unit_count_from_the_first(unit, per, tmp_path):
    """Whole numbers lose nothing: stamps of 2026 in ns have more digits than a float."""
    start, ticks = 1_790_000_000 * per + 1, np.arange(0, 2 * per + 1, per)
    q = {name: np.zeros(3) for name in NAMES}
    path = tmp_path / "log.csv"
    with open(path, "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["at", *NAMES])
        writer.writerows([start + x, 0, 0] for x in ticks)
    for table in ({"at": start + ticks, **q}, path):
        run = vv.Trajectory.from_table(ARM, table, time="at", unit=unit, window=3)
        assert run.t.tolist() == [0.0, 1.0, 2.0]
        assert run.notes[0] == f"t = 0 s is {start} {unit} of 'at'"
    dates = pd.to_datetime(start + ticks, unit=unit)
    run = vv.Trajectory.from_table(ARM, {"at": dates, **q}, time="at", window=3)
    assert run.t.tolist() == [0.0, 1.0, 2.0]


# ---- velocities that a log lacks


def test_velocities_are_fitted_and_said():
    """The error of a parabola's slope is that of its third order, h² (w² - 1) / 24 · … of q'''."""
    run = vv.Trajectory.from_table(ARM, frame_of(T), time="stamp", unit="s", q="{}_pos", window=5)
    assert run.notes == (
        "the log has no velocities: they are slopes of parabolas by least squares through 5 "
        "samples (0.04 s) of q, the filter of Savitzky and Golay",
    )
    inner = slice(2, -2)
    assert np.abs(run.v - path_of(T)[1])[inner].max() < 3**3 * 0.01**2  # |q'''| h² · 17 / 30
    assert run.tau is None
    stated = vv.Trajectory.from_table(ARM, frame_of(T), **{**OF_LOG, "v": ""}, window=5)
    assert np.array_equal(stated.v, run.v)
    assert stated.tau is not None


@examples(30, 2000)
@given(seed=st.integers(0, 2**32 - 1))
def test_slopes_of_parabolas_are_exact(seed):
    """At any times, also at both ends."""
    rng = np.random.default_rng(seed)
    t, c = np.cumsum(rng.uniform(0.5, 1.5, 40)), rng.normal(size=(3, 4))
    x = np.stack([t**0, t, t**2], axis=1) @ c
    dx = np.stack([0 * t, t**0, 2 * t], axis=1) @ c
    for window in (3, 7):
        np.testing.assert_allclose(slopes(t, x, window), dx, atol=1e-9 * np.abs(x).max())


def test_slopes_on_even_samples_are_those_of_savitzky_and_golay():
    from scipy.signal import savgol_filter

    x = np.random.default_rng(0).normal(size=(200_000, 1))
    t = np.arange(200_000) * 0.5
    ours = slopes(t, x, 9)[4:-4]
    np.testing.assert_allclose(
        ours, savgol_filter(x, 9, 2, deriv=1, delta=0.5, axis=0)[4:-4], atol=1e-12
    )


def test_velocities_of_a_free_body():
    """Quaternions may change their sign from row to row; velocities are in body axes."""
    b = vv.Builder("body").body("base", joint="free", mass=1.0, com=[0, 0, 0.1])
    body = b.body("arm", parent="base", joint="revolute", mass=1.0, joint_name="hinge").build()
    v, t, start = (
        np.array([0.4, -0.3, 0.5, 0.2, 0.1, -0.3, 4.0]),
        np.linspace(0, 2, 401),
        body.random(1),
    )
    q = np.array([body.integrate(start, v * x) for x in t])
    q[100:300, :4] *= -1
    q[:, 7] = np.angle(np.exp(1j * q[:, 7]))  # as encoders have it
    log = {"t": t, **dict(zip(body.coordinate_names, np.round(q.T, 8), strict=True))}
    run = vv.Trajectory.from_table(body, log, time="t", unit="s", window=5)
    np.testing.assert_allclose(run.v, np.tile(v, (401, 1)), atol=1e-3)
    np.testing.assert_allclose(np.linalg.norm(run.q[:, :4], axis=1), 1.0, atol=1e-15)
    assert any("hinge jumped by more than π" in x for x in run.notes)
    assert any("quaternions of 'base_joint' made of length one" in x for x in run.notes)
    assert run.q[-1, 7] - run.q[0, 7] == pytest.approx(8.0)
    log["base_joint_w"] = log["base_joint_w"] + 0.01
    with pytest.raises(ArgumentError, match=r"joint 'base_joint' has a quaternion .* in row"):
        vv.Trajectory.from_table(body, log, time="t", unit="s")


def test_a_log_at_other_times(log):
    """Positions by cubics, with errors as h⁴; it is said, and that nothing was filtered."""
    run = vv.Trajectory.from_table(ARM, log, **OF_LOG, dt=0.003)
    assert len(run.t) == 667
    np.testing.assert_allclose(run.q, path_of(run.t)[0], atol=1e-7)
    np.testing.assert_allclose(run.tau[:, 0], np.interp(run.t, T, log["q1_eff"]), atol=1e-12)
    assert run.notes[-1].startswith("667 samples 0.003 s apart, from 201 that are 0.01 to 0.01 s")
    assert "no filter before" in run.notes[-1]
    assert vv.Trajectory.from_table(ARM, log, **OF_LOG, dt=0.1).t[-1] == 2.0


def test_accelerations_of_a_log(log):
    """From v itself; those of the forces that act are another road to them."""
    run = vv.Trajectory.from_table(ARM, log, **OF_LOG)
    inner = slice(4, -4)
    difference = run.fitted_acceleration(window=5) - run.acceleration
    assert np.abs(difference)[inner].max() < 81 * 0.01**2
    both = ARM.simulate(np.zeros((2, 2)), np.ones((2, 2)), 1.0, dt=1e-2)
    assert both.fitted_acceleration().shape == both.v.shape


def test_the_torque_of_a_log_beside_that_of_the_model(log, tmp_path):
    """Three lines."""
    run = vv.Trajectory.from_table(ARM, log, **OF_LOG)
    tau = ARM.inverse_dynamics(run.q, run.v, run.fitted_acceleration())
    run.plot("tau_q1").add_scatter(x=run.t, y=tau[:, 0], name="model").save(tmp_path / "torque.svg")
    assert "model" in (tmp_path / "torque.svg").read_text()
    assert np.abs(tau - run.tau)[4:-4].max() < 0.5


# ---- what is refused


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"time": "time"}, UnknownNameError, r"unknown column 'time' \(available: 'stamp', "),
        ({"q": "{}_angle"}, UnknownNameError, "unknown column 'q1_angle'"),
        ({"v": "{}_speed"}, UnknownNameError, "unknown column 'q1_speed'"),
        ({"tau": {"q1": "q1_eff"}}, UnknownNameError, "unknown name in the table of columns: 'q2'"),
        ({"unit": ""}, UnknownNameError, r"unit= of the time column 'stamp': '' \(available: 's',"),
        ({"unit": "min"}, UnknownNameError, "unknown unit= of the time column 'stamp': 'min'"),
        ({"v": "", "window": 4}, ArgumentError, "is an odd number of samples, 3 up to 201; got 4"),
        ({"v": "", "window": 203}, ArgumentError, "3 up to 201; got 203"),
        ({"dt": 0.0}, ArgumentError, "dt= is a time in seconds, up to that of the log, 2; got 0.0"),
        ({"dt": float("nan")}, ArgumentError, "got nan"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_refused(log, change, error, said):
    with pytest.raises(error, match=said):
        vv.Trajectory.from_table(ARM, log, **{**OF_LOG, **change})


@pytest.mark.parametrize(
    ("column", "row", "value", "said"),
    [
        ("q1_pos", 7, np.nan, "'q1_pos' has 1 numbers that are not finite, the first in row 7"),
        ("q2_eff", 0, np.inf, "'q2_eff' has 1 numbers that are not finite, the first in row 0"),
        ("stamp", 5, 0.04, "'stamp', from its first value on in s: times increase, got 0.04 s"),
        ("stamp", 9, np.nan, "column 'stamp', from its first value on in s: times are finite"),
    ],
)  # fmt: skip
def test_rows_that_are_wrong_are_refused(log, column, row, value, said):
    log.loc[row, column] = value
    with pytest.raises(ArgumentError, match=said):
        vv.Trajectory.from_table(ARM, log, **OF_LOG)


def test_other_tables_are_refused(log, tmp_path):
    with pytest.raises(ArgumentError, match="from_table takes a DataFrame or a file, got 3"):
        vv.Trajectory.from_table(ARM, 3, **OF_LOG)
    with pytest.raises(ReadError, match=r"reads \.csv, \.parquet, \.mcap, \.db3 and folders"):
        vv.Trajectory.from_table(ARM, "log.xlsx", **OF_LOG)
    with pytest.raises(ReadError, match=r"log\.csv: cannot be read: .*No such file"):
        vv.Trajectory.from_table(ARM, tmp_path / "log.csv", **OF_LOG)
    dates = pd.to_datetime(log["stamp"], unit="s")
    with pytest.raises(ArgumentError, match="column 'stamp' has dates, whose unit is known"):
        vv.Trajectory.from_table(ARM, log.assign(stamp=dates), **OF_LOG)
    with pytest.raises(ArgumentError, match="column 'q1_pos' is no column of 201 numbers"):
        vv.Trajectory.from_table(ARM, log.assign(q1_pos="left"), **OF_LOG)
    with pytest.raises(ArgumentError, match=r"t has shape \(steps,\), at least one"):
        vv.Trajectory.from_table(ARM, log[:0], **OF_LOG)


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("", UnknownNameError, r"unknown column 'at' \(available: none\)"),
        ("at,q1,q2\n0,1\n", ReadError, "row 0 has 2 entries, the first line 3 names"),
        ("at,q1,q2\n0,1,\n1,1,1\n", ArgumentError, "column 'q2' is no column of 2 numbers"),
        ("at,q1,q2\n0,1,1\nnoon,1,1\n", ArgumentError, "column 'at' is no time"),
        ("at;q1;q2\n0;1;1\n", UnknownNameError, r"unknown column 'at' \(available: 'at;q1;q2'\)"),
        (
            "at,q1,q2\n0,__import__('os'),1\n",
            ArgumentError,
            "column 'q1' is no column of 1 numbers",
        ),
    ],
)
def test_files_that_are_wrong_are_refused(text, error, said, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(error, match=said):
        vv.Trajectory.from_table(ARM, path, time="at", unit="s", window=3)


# ---- Parquet and bags, where their packages are


def test_parquet(log, tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    path = tmp_path / "log.parquet"
    log.to_parquet(path)
    run = vv.Trajectory.from_table(ARM, path, **OF_LOG)
    assert np.array_equal(run.q, path_of(T)[0])
    monkeypatch.setattr("visviva.motion.unpacking.MAX_UNPACKED", 100)
    rows = pd.DataFrame({k: np.zeros(10**6) for k in log})
    rows.to_parquet(path)
    with pytest.raises(ReadError, match="its numbers have 56000000 bytes when unpacked"):
        vv.Trajectory.from_table(ARM, path, **OF_LOG)
    path.write_bytes(b"PAR1 no more than this")
    with pytest.raises(ReadError, match="cannot be read"):
        vv.Trajectory.from_table(ARM, path, **OF_LOG)


def write_bag(path, storage, states, topic="/joint_states"):
    """A bag of joint states (stamp in ns, names, position, velocity, effort)."""
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    kinds = store.types
    kind = "sensor_msgs/msg/JointState"
    with Writer(path, version=9, storage_plugin=StoragePlugin[storage]) as bag:
        connection = bag.add_connection(topic, kind, typestore=store)
        for stamp, names, *values in states:
            at = kinds["builtin_interfaces/msg/Time"](sec=stamp // 10**9, nanosec=stamp % 10**9)
            head = kinds["std_msgs/msg/Header"](stamp=at, frame_id="")
            message = kinds[kind](head, list(names), *(np.array(x, dtype=float) for x in values))
            bag.write(connection, stamp + 5, store.serialize_cdr(message, kind))


def states_of(t, start=1_790_000_000_123_456_789):
    """Joints in another order than the model's, one that it lacks, and a message without q2."""
    q, v, a = path_of(t)
    tau = ARM.inverse_dynamics(q, v, a)
    names = ["gripper", *NAMES[::-1]]
    for k, x in enumerate(t):
        yield (
            start + round(float(x) * 1e9),
            names,
            *([0.5, *rows[k, ::-1]] for rows in (q, v, tau)),
        )
    yield start + int(3e9), ["gripper", "q1"], [0.5, 0.1], [], []


@pytest.mark.parametrize("storage", ["MCAP", "SQLITE3"])
def test_bags(storage, tmp_path):
    """By names, whatever their order; messages that lack a joint are left out, and it is said."""
    pytest.importorskip("rosbags")
    write_bag(tmp_path / "bag", storage, states_of(T))
    (file,) = [x for x in (tmp_path / "bag").iterdir() if x.suffix != ".yaml"]
    for path in (tmp_path / "bag", file):
        run = vv.Trajectory.from_table(ARM, path)
        np.testing.assert_allclose(run.t, T, atol=1e-9)
        assert np.array_equal(run.q, path_of(T)[0])
        assert np.array_equal(run.v, path_of(T)[1])
        np.testing.assert_allclose(run.acceleration, path_of(T)[2], atol=1e-12)
        assert run.notes == (
            "1 of 202 messages have not all joints, and are left out",
            "t = 0 s is 1790000000123456789 ns of 'stamp'",
        )
    late = vv.Trajectory.from_table(ARM, file, time="received", v="", tau="", window=5)
    assert late.tau is None
    assert "1790000000123456794 ns of 'received'" in late.notes[1]
    with pytest.raises(ReadError, match=r"at topic='/states' \(available: '/joint_states' of"):
        vv.Trajectory.from_table(ARM, file, topic="/states")
    with pytest.raises(UnknownNameError, match=r"unknown column 'theta.position'"):
        vv.Trajectory.from_table(vv.catalog.pendulum(n=1), file, q={"theta1": "theta.position"})


def test_bags_that_are_none_are_refused(tmp_path):
    pytest.importorskip("rosbags")
    (tmp_path / "bag").mkdir()
    (tmp_path / "log.mcap").write_bytes(b"\x89MCAP0\r\nand no more")
    for path in (tmp_path / "bag", tmp_path / "log.mcap", tmp_path / "missing.mcap"):
        with pytest.raises(ReadError, match=f"^{path}: rosbags cannot read it"):
            vv.Trajectory.from_table(ARM, path)


@pytest.mark.parametrize(
    ("path", "module"), [("log.mcap", "rosbags.rosbag2"), ("log.parquet", "pyarrow.parquet")]
)
def test_a_package_that_is_missing_is_named(path, module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(BackendError, match=r'pip install "visviva\[logs\]"'):
        vv.Trajectory.from_table(ARM, path, **OF_LOG)


N = 9
EVEN = {"t": np.arange(N) * 0.01, "q1": np.sin(np.arange(N)), "q2": np.cos(np.arange(N))}


@pytest.mark.parametrize(
    "column",
    [
        [0.5],
        0.5,
        EVEN["q1"][:, None],
        EVEN["q1"] + 1j,
        np.ma.array(EVEN["q1"], mask=np.arange(N) == 2),
    ],
    ids=["one", "scalar", "two axes", "complex", "masked"],
)
@pytest.mark.parametrize("name", ["t", "q1"])
def test_a_column_has_a_real_number_in_each_row(name, column):
    with pytest.raises((ArgumentError, ShapeError), match=name):
        vv.Trajectory.from_table(vv.catalog.two_link(), EVEN | {name: column}, time="t", unit="s")


@pytest.mark.parametrize("suffix", ["csv", "parquet", "frame"])
def test_columns_of_one_name_are_refused_where_they_are_asked_for(tmp_path, suffix):
    """The last one counted in files."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    arm, path = vv.catalog.two_link(), tmp_path / f"log.{suffix}"
    columns, names = [*EVEN.values(), EVEN["q1"] + 7.0], ["t", "q1", "q2", "q1"]
    frame = pd.DataFrame(np.transpose(columns), columns=names)
    if suffix == "csv":
        frame.to_csv(path, index=False)
    else:
        parquet.write_table(pyarrow.table([pyarrow.array(x) for x in columns], names=names), path)
    table = frame if suffix == "frame" else path
    with pytest.raises(ArgumentError, match="2 columns have the name 'q1'"):
        vv.Trajectory.from_table(arm, table, time="t", unit="s")
    other = vv.Trajectory.from_table(arm, table, time="t", unit="s", q={"q1": "q2", "q2": "q2"})
    assert np.array_equal(other.q[:, 0], EVEN["q2"])


def test_durations_and_dates_with_a_zone_know_their_unit():
    """Durations as numbers were seconds of 1e9 s."""
    arm, ms = vv.catalog.two_link(), 10 * np.arange(N)
    dates = pd.to_datetime(ms, unit="ms", utc=True).tz_convert("Asia/Tokyo")
    for column in (ms.astype("m8[ms]"), dates, pd.Series(dates)):
        run = vv.Trajectory.from_table(arm, EVEN | {"t": column}, time="t")
        assert np.array_equal(run.t, ms / 1e3)
        with pytest.raises(ArgumentError, match="leave unit= out"):
            vv.Trajectory.from_table(arm, EVEN | {"t": column}, time="t", unit="s")
    for far in ("3000-01-01", "NaT"):
        column = np.array([far, *["2020-01-01"] * (N - 1)], dtype="M8[D]")
        with pytest.raises(ArgumentError, match=f"the first is {far}"):
            vv.Trajectory.from_table(arm, EVEN | {"t": column}, time="t")


def test_a_pattern_or_table_of_columns_is_taken_as_a_whole_or_refused():
    arm, table = vv.catalog.two_link(), EVEN | {"pos": EVEN["q1"]}
    for q, text in (
        ("pos", "write {} where"),
        ({"q1": "q1", "q2": "q2", "q3": "pos"}, "q3"),
        (3, "got 3"),
    ):
        with pytest.raises((ArgumentError, UnknownNameError), match=text):
            vv.Trajectory.from_table(arm, table, time="t", unit="s", q=q)
    whole = np.array([10**18 + k for k in range(N)], dtype=object)
    run = vv.Trajectory.from_table(arm, EVEN | {"t": whole}, time="t", unit="ns")
    assert np.array_equal(run.t, np.arange(N) / 1e9)


def test_angles_that_cover_more_than_a_turn_count_turns_already():
    """A fast turn, sampled coarsely, lost a turn between samples."""
    pendulum, t = vv.catalog.pendulum(1), np.arange(8) * 0.5
    log = {"t": t, "theta1": 10.0 * t}
    run = vv.Trajectory.from_table(pendulum, log, time="t", unit="s", window=3)
    assert np.array_equal(run.q[:, 0], log["theta1"])
    fine = np.arange(400) * 0.02
    log = {"t": fine, "theta1": np.round((10.0 * fine + np.pi) % (2 * np.pi) - np.pi, 4)}
    run = vv.Trajectory.from_table(pendulum, log, time="t", unit="s")
    assert np.allclose(run.q[:, 0], 10.0 * fine, atol=1e-4)
