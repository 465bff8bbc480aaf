"""`visviva bench`: that it measures what it says, beside others that have the same result."""

import numpy as np
import pytest

import visviva as vv
from tests.cli.asking import ask, is_told
from visviva.show.speed import timing
from visviva.show.speed.peers import Peer, peers_of

NAMES = ["inverse dynamics", "∂(inverse dynamics)/∂(q, v)", "forward dynamics"]
NAMES += ["∂(forward dynamics)/∂(q, v)", "mass matrix"]


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(timing, "REPEATS", 1)
    monkeypatch.setattr("visviva.show.speed.measure.LARGE_BATCH", 64)


def test_all_functions_are_measured():
    data = ask("bench", "craig_6_5", "--json").data
    assert [f["name"] for f in data["functions"]] == NAMES
    assert data["machine"]["numpy"] == np.__version__
    arm = vv.catalog.craig_6_5()
    counts = [arm.inverse_dynamics, arm.inverse_dynamics.jacobian("q", "v")]
    assert [f["operations"] for f in data["functions"][:2]] == [
        f.operations.total() for f in counts
    ]
    for f in data["functions"]:
        assert min(f["one_call"], f["in_batch"], f["ready_seconds"]) > 0
    pytest.importorskip("pinocchio")
    (beside,) = data["functions"][0]["batch_compared"]
    assert beside["peer"] == "pin.rneaInParallel"
    assert "compared without damping and friction" in data["notes"][-1]


@pytest.mark.parametrize("name", ["heavy_top"])
def test_what_others_do_not_have_is_measured_alone(name):
    said = ask("bench", name)
    assert said.code == 0, said.err
    assert all(x in said.out for x in NAMES)
    assert "pin." not in said.out.rpartition("processor")[0]


def test_who_has_another_result_is_not_compared(monkeypatch):
    def wrong(*state):
        return np.zeros(2)

    def fails(*state):
        raise RuntimeError("no")

    never = {"tau": Peer("wrong", wrong, None, wrong), "M": Peer("fails", fails, None, fails)}
    monkeypatch.setattr(
        "visviva.show.speed.measure.peers_of", lambda model: ({"Wrong": never}, ["Other: absent"])
    )
    data = ask("bench", "two_link", "--json").data
    assert not any(f["batch_compared"] for f in data["functions"])
    assert data["notes"][0] == "Other: absent"
    assert "inverse dynamics: Wrong has another result, by" in data["notes"][1]
    assert "mass matrix: Wrong fails: RuntimeError" in data["notes"][2]


def test_the_trees_of_others_have_our_results():
    """Turns and slides about axes of all kinds, branches, rotors, on a tilted base."""
    pytest.importorskip("pinocchio")
    pytest.importorskip("mujoco")
    rng = np.random.default_rng(0)
    b = vv.Builder("tree", gravity=[1.0, 2.0, -9.0])
    solid = vv.Inertia.box(2.0, x=0.4, y=0.1, z=0.2).moved(p=[0.2, 0.1, 0.05])
    for i, (kind, axis) in enumerate(
        [("revolute", "z"), ("prismatic", "x"), ("revolute", [1, 2, 3]), ("prismatic", [0, -1, 1])]
    ):
        where = {"parent": f"b{i - 1}"} if i in (1, 2) else {}
        more = {"armature": 0.1 * i, "at": rng.normal(size=3), "inertia": solid}
        b.body(f"b{i}", joint=kind, axis=axis, **where, **more)
    model = b.build()
    found, reasons = peers_of(model)
    assert reasons == []
    q, v, a = rng.normal(size=(3, 4))
    for peers in found.values():
        np.testing.assert_allclose(peers["tau"].value(q, v, a), model.inverse_dynamics(q, v, a))
    pin = found["Pinocchio"]
    np.testing.assert_allclose(pin["M"].value(q), model.mass_matrix(q), atol=1e-12)
    np.testing.assert_allclose(pin["a"].value(q, v, a), model.forward_dynamics(q, v, a))


def test_what_is_not_installed_is_said(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr("visviva.show.speed.peers.import_module", absent)
    assert peers_of(vv.catalog.planar_body().numeric) == (
        {},
        ["Pinocchio is not installed", "MuJoCo is not installed"],
    )


def test_the_shortest_time_counts():
    calls = []
    seconds = timing.shortest(lambda: calls.append(1), lambda: None, seconds=1e-4)
    assert len(seconds) == 2
    assert all(0 < x < 1 for x in seconds)
    assert len(calls) > 2
    counted = []
    timing.repeated(counted.append, 1)()
    assert len(counted) == timing.TIMES


def test_what_is_no_mechanism_is_refused():
    assert is_told(ask("bench", "nothing"))
