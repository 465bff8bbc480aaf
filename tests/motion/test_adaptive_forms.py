"""Steps that choose their length: two forms of machine code, one motion."""

import numpy as np
import pytest
from scipy.integrate import DOP853, RK45

import visviva as vv
from visviva.equations.steps import dormand_prince as dp
from visviva.equations.steps.tableaux import tableaux
from visviva.motion.simulation import attempts
from visviva.motion.simulation.integrate import BEGINNING, Integrator
from visviva.motion.simulation.task import task_of
from visviva.motion.steps.staged import rows_of

METHODS = ["dopri5", "dop853"]
PAIRS = {
    "A5": RK45.A, "B5": RK45.B, "C5": RK45.C, "E5": RK45.E, "P5": RK45.P,
    "A8": DOP853.A, "B8": DOP853.B, "C8": DOP853.C, "E8_5": DOP853.E5, "E8_3": DOP853.E3,
    "A8_MORE": DOP853.A_EXTRA, "C8_MORE": DOP853.C_EXTRA, "D8": DOP853.D,
}  # fmt: skip
PID = vv.Controller(
    lambda t, q, v, x: [-40 * q[0] - 9 * v[0] - 5 * x[0], -20 * q[1] - 4 * v[1] - 5 * x[1]],
    start=(0.0, 0.0),
    rate=lambda t, q, v, x: q,
)


def both_forms(system, method, q, v, lengths, tau=None, **given):
    """One attempt from every state with every length: in one pass, and in one for each stage."""
    task = task_of(system, q, v, 10.0, tau, None, given)
    rows, ends = len(lengths), []
    integrator = Integrator(task.flow, method)
    start = {k: np.repeat(x, rows, 0) if len(x) == 1 else x for k, x in task.start.items()}
    more = {k: np.repeat(x, rows, 0) if len(x) == 1 else x for k, x in task.given.items()}
    more |= {"t": np.full(rows, 0.2), "h": np.array(lengths), "end": np.full(rows, 10.2)}
    more |= {"failed": np.zeros(rows), "tolerances": np.array([1e-6, 1e-6])}
    for is_staged in (False, True):
        form = integrator.attempts(is_staged)
        run = form.start({**start, **more})
        run.make_room(2)
        run.advance(form.passes)
        assert (run.passes == form.passes).all()
        ends.append({**run.state, "kept": run.kept.copy()})
    return ends


def agree(one, other):
    """To rounding, and of lengths, which follow from differences of slopes, to a millionth."""
    assert 0 < one["kept"].sum() < len(one["kept"])  # some are rejected
    for name in ("kept", "failed", "t"):
        assert np.array_equal(one[name], other[name])
    np.testing.assert_allclose(one["h"], other["h"], rtol=1e-6)
    for name in "qvx":
        np.testing.assert_allclose(one[name], other[name], rtol=1e-14, atol=1e-14)
    assert not other["sums"].any()
    assert not other["broken"].any()


@pytest.mark.parametrize("name", PAIRS)
def test_the_numbers_of_the_pairs_are_those_of_scipy(name):
    assert np.array_equal(getattr(dp, name), PAIRS[name])


@pytest.mark.parametrize("method", METHODS)
def test_rows_of_passes_have_every_weight_of_the_tableau(method):
    tableau = tableaux()[method]
    rows = rows_of(tableau)
    count, sums = len(rows) - 1, 1 + len(tableau.errors)
    for i, row in enumerate(rows):
        of_stage = row[:count][:i][::-1]
        expected = tableau.b if i == tableau.stages else tableau.A[i, :i]
        assert np.array_equal(of_stage, expected[:i])
        assert not row[i:count].any()
        assert row[-1] == (i == count)
    shown = rows[:, count : count + sums]
    assert np.array_equal(shown[: tableau.stages, 0], tableau.b)
    for k, e in enumerate(tableau.errors):
        assert np.array_equal(shown[:, 1 + k], e[: len(rows)])
        assert not e[len(rows) :].any()


LENGTHS = [0.02, 0.1, 0.3, 0.6, 1.5]  # the last are too long for 1e-6


@pytest.mark.parametrize("method", METHODS)
def test_both_forms_of_an_attempt(method):
    arm = vv.catalog.two_link()
    agree(*both_forms(arm, method, [2.0, 1.0], [0.3, 0.0], LENGTHS, tau=[0.1, 0.0]))


def test_both_forms_with_quaternions():
    body = vv.catalog.tumbling_body()
    v = np.zeros(body.nv)
    v[:3] = [0.02, 3.0, 0.01]
    agree(*both_forms(body, "dop853", body.neutral(), v, LENGTHS))


def test_both_forms_with_a_controller_that_remembers():
    arm = vv.catalog.two_link()
    agree(*both_forms(arm, "dop853", [0.3, -0.4], [0.2, 0.5], [0.002, 0.01, 0.5], tau=PID))


def test_both_forms_with_parameters_of_the_rows():
    arm, masses = vv.catalog.two_link(), np.linspace(0.5, 2.0, 5)
    agree(*both_forms(arm, "dopri5", [2.0, 1.0], [0.3, 0.0], LENGTHS, m2=masses))


def test_a_slope_that_is_no_number_spoils_no_later_step(monkeypatch):
    """√x is nan where a stage goes beyond zero; shorter steps stay where it is a number."""
    monkeypatch.setattr("visviva.motion.simulation.integrate.STAGED", 1)
    wall = vv.Lagrangian("x", "x'^2/2", "-x*sqrt(x)", parameters={})
    both = [wall.simulate([0.1], [-0.2], 1.0, method=m, rtol=1e-10) for m in METHODS]
    np.testing.assert_allclose(both[0].q[-1], both[1].q[-1], rtol=1e-8)
    one, other = both_forms(wall, "dop853", [0.1], [-0.2], [0.01, 9.0])
    agree(one, other)
    task = task_of(wall, [0.1], [-0.2], 1.0, None, None, {})
    form = Integrator(task.flow, "dop853").attempts(is_staged=True)
    more = {"h": [9.0], "t": [0.0], "end": [9.0], "failed": [0.0], "tolerances": [1e-6, 1e-6]}
    run = form.start({**task.start, **task.given, **more})
    run.make_room(100)
    run.advance(12)
    assert run.kept[0] == 0
    assert run.state["h"][0] == pytest.approx(9.0 * 0.2)
    assert np.isfinite(run.state["slopes"]).all()
    run.advance(12 * 20)
    assert run.kept[0] > 0


def test_forces_that_are_never_numbers_end_a_motion_of_stages(monkeypatch):
    monkeypatch.setattr("visviva.motion.simulation.integrate.STAGED", 1)
    wall = vv.Lagrangian("x", "x'^2/2", "-sqrt(x)", parameters={})
    with pytest.raises(vv.errors.MotionError, match="no step however short is accurate"):
        wall.simulate([-0.5], [0.0], 0.5)


def test_a_motion_of_stages_is_the_motion(monkeypatch):
    """A batch too, with threads, whose rows take steps of their own; and its statistics."""
    arm = vv.catalog.two_link()
    starts = np.linspace(0.1, 2.0, 6)[:, None] * [1.0, -0.5]
    whole = arm.simulate(starts, [0.0, 0.0], 1.0)
    monkeypatch.setattr("visviva.motion.simulation.integrate.STAGED", 1)
    again = vv.catalog.two_link()
    staged = again.simulate(starts, [0.0, 0.0], 1.0, threads=2)
    assert again.__dict__["_integrators"].popitem()[1].adaptive.passes == 12
    np.testing.assert_allclose(staged.q, whole.q, atol=1e-8)
    assert np.abs(staged.statistics["steps"] - whole.statistics["steps"]).max() <= 2
    assert (staged.statistics["rejected"] <= staged.statistics["steps"]).all()


def test_long_dynamics_are_there_once():
    """A chain of fourteen links: the form of stages, unless many rows repay the other."""
    n = attempts.STAGED
    names = [f"q{i}" for i in range(n)]
    kinetic = " + ".join(f"{x}'^2/2" for x in names)
    springs = " + ".join(f"(1 - cos({x}))" for x in names)
    chain = vv.Lagrangian(" ".join(names), kinetic, springs, parameters={})
    task = task_of(chain, np.full(n, 0.3), np.zeros(n), 1.0, None, None, {})
    integrator = task.integrator("dop853")
    staged = integrator.adaptive
    assert staged.passes == 12
    assert integrator.adaptive_for(attempts.ROWS_WORTH_COPIES - 1) is staged
    whole = integrator.adaptive_for(attempts.ROWS_WORTH_COPIES)
    assert whole.passes == 1
    sines = [x.loop.function.program.operations["sin"] for x in (staged, whole)]
    assert sines == [n, 12 * n]


def test_constraints_are_met_once_an_attempt():
    """What brings a state back to its constraints is too long for every stage."""
    linkage = vv.catalog.four_bar()
    q = linkage.assembled(fixed={"theta1": 0.4})
    task = task_of(linkage, q, np.zeros(linkage.nv), 1.0, None, None, {})
    assert task.integrator("dop853").adaptive.passes == 1


def test_the_first_step_is_short_and_grows_tenfold():
    pendulum = vv.Lagrangian("q", "q'^2/2", "-cos(q)", parameters={})
    run = pendulum.simulate([1.0], [0.0], 10.0)
    lengths = np.diff(run.t)
    assert lengths[0] == pytest.approx(10.0 * BEGINNING)
    assert lengths[1] == pytest.approx(10.0 * lengths[0])
    assert np.argmax(lengths > 0.01) <= 6


def test_a_run_is_used_again_and_earlier_motions_stay_as_they_were():
    arm = vv.catalog.two_link()
    first = arm.simulate([0.3, -0.4], [0.2, 0.5], 1.0)
    kept = first.q.copy(), first.at(0.5)[0].copy()
    again = [arm.simulate([0.1 * k, 0.2], [0.0, 0.5], 2.0) for k in range(3)]
    assert np.array_equal(first.q, kept[0])
    assert np.array_equal(first.at(0.5)[0], kept[1])
    new = vv.catalog.two_link()
    for k, run in enumerate(again):
        own = new.simulate([0.1 * k, 0.2], [0.0, 0.5], 2.0)
        assert np.array_equal(run.q, own.q)
    integrator = task_of(arm, [0.0, 0.0], [0.0, 0.0], 1.0, None, None, {}).integrator("dop853")
    assert isinstance(integrator, Integrator)
    assert len(integrator.adaptive.loop._idle) == 1


@pytest.mark.parametrize("method", METHODS)
def test_polynomials_inside_steps_are_the_same_stage_by_stage(method):
    """Long dynamics are in no program once for every stage: that takes long to compile."""
    arm = vv.catalog.planar_3r()
    q, v = np.random.default_rng(1).normal(size=(2, 4, 3))
    task = task_of(arm, q, v, 10.0, lambda t, q, v: -0.3 * v, None, {})
    integrator = Integrator(task.flow, method)
    values = {"q": q, "v": v, "x": np.zeros((4, 0)), "t": np.zeros(4), "h": np.full(4, 0.05)}
    with pytest.MonkeyPatch.context() as patch:
        forms = []
        for few in (100, 0):  # velocities that count as many
            patch.setattr("visviva.motion.simulation.integrate.LONG", few)
            forms.append(integrator.polynomials(values))
    size = np.abs(forms[0]).max()
    # of order 8 slopes are weighed by up to 528, and what is left is small
    assert np.abs(forms[0] - forms[1]).max() <= 528 * 1e-14 * size


def test_the_account_of_an_arm_compiles_no_program_of_all_stages():
    arm = vv.catalog.puma560()
    run = arm.simulate(arm.q(joint2=0.4), np.zeros(6), 0.1)
    assert run.account.closes
    assert "polynomial" not in vars(run.dense.__self__.integrator)
