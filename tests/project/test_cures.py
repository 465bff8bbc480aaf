"""Every cure that an error has is a line of Python that works where the call failed.

A case is code whose last line is refused. What stands in it as a name is there for the cure too.
"""

import ast
import copy
import ctypes
import pickle
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ReadOnlyError, UnknownNameError, VisvivaError
from visviva.foreign import table

SHOWN = ("animate", "play", "show", "study", "view")  # in a browser
SOURCE = Path(vv.__file__).parent
ARM = vv.catalog.two_link()
LOOP = "model = vv.catalog.four_bar()\n"
CAM = """\
build = vv.Builder("cam").body("cam", joint="revolute", axis="z", joint_name="th", mass=1)
build.body("lift", parent="world", joint="prismatic", axis="y", joint_name="y", mass=1)
model = build.build().with_constraint("y = 0.1 + 0.02*cos(th)", name="profile")
"""
BODY = "builder.body('l', joint='revolute', axis='z', "
FORMULAS = "builder = vv.Builder('b', parameters={'m': 1, 'l': 1, 'A': 1, 'C': 1})\n"
NOT_OF_ONE = "many = model.simulate([q, q], t=0.1)\nrun = many\n"

CASES = [
    # what is no function, no list, or stays as it is
    "model.mass_matrix[0, 1]",
    LOOP + "q, v = model.assembled(), model.velocities(model.assembled(), theta1=1.0)\n"
    "tau = np.zeros(model.nv)\nmodel.reactions['C']",
    "model.gravity(q)",
    "model['tool']",
    "'tool' in model",
    "len(model)",
    "model = vv.catalog.bead_on_rotating_wire()\nlen(model)",
    "model.gravity[2] = -1.62",
    "model.gravity = [0, 0, -1.62]",
    "model.m1 = 2.0",
    "model.parameters['m1'] = 2.0",
    "model.parameters.pop('m1')",
    "model.parameters['mm'] = 2.0",
    "lin.q = [0.3, 0.2]",
    "state_matrix = np.zeros((50, 50))\nlin.state_matrix = state_matrix",
    "run('q1')",
    "run(0.25)",
    "run.between(0.0, 0.1)",
    "run[3]",
    "run.q1",
    "run.quantity('frame_pose')",
    "vv.catalog['two_link']",
    "vv.catalog[0]",
    "len(vv.catalog)",
    "'two_link' in vv.catalog",
    "vv.catalog.panda",
    # words of other libraries
    "vv.double_pendulum",
    "vv.generic.min",
    "a, b = 1.0, 2.0\nvv.generic.greater",
    "x, lower, upper = 3.0, 0.0, 1.0\nvv.generic.clip",
    "vv.Model.from_urdf",
    "vv.Controller.pd",
    "q = 'x'\nvv.pencil.lagrangian",
    "model.rnea",
    "model.massMatrix",
    "form.eom",
    "form.M",
    "figure.savefig",
    "model.frame_pose.c_source()",
    # frames, joints, parts
    "model.function('frame_pose')",
    "model.jacobian([0.1, 0.2])",
    "model.jacobian('tool', reference='LOCAL')",
    LOOP + "model.reaction('coupler')",
    "model.frame_pose(q, 'tool')",
    "model.with_gravity(9.81)",
    "payload = vv.Inertia.point(2.0)\nmodel.attached('tool', payload)",
    "model.attached(2.0, 'tool')",
    "payload = vv.Inertia.point(2.0)\nmodel.attached(payload, 'tool', prefix='link1')",
    "other = model\nmodel.attached(other, 'tool', prefix='')",
    "other = model\nmodel.attached(other, 'tool', prefix='second_')",
    "model.with_actuators('q1')",
    "model.with_friction(q1=1.0, stiction=2.0)",
    "model.with_friction(stiction=2.0)",
    "model.with_limits(lower=[-1, -2], upper=[1, 2])",
    "model.with_limits(upper=[1, 2])",
    "model = vv.load('robot.urdf', base='free')\nmodel.q(base=vv.Pose())",
    LOOP + "model.driving_torque('l1')",
    LOOP + "model.assembled(fixed='theta1')",
    # calls of compiled functions
    "model.inverse_dynamics(q, v, a, {'tool': [0] * 6})",
    "model.inverse_dynamics(q, v, a, external=[1])",
    "model.inverse_dynamics(q, v, a, wrenches=[1])",
    "model.inverse_dynamics(q, v, a, parameters=[1.0])",
    "model.gravity_forces({'q1': 0.1})",
    # inertias, poses, frames
    BODY + "mass=1, com=[0.5, 0, 0], I=0.1)",
    BODY + "mass=1, moments=np.ones(3))",
    FORMULAS + BODY + "mass='m', com=[0, 0, 'l'], moments=['A', 'A', 'C'])",
    FORMULAS + BODY + "mass='2*m', I='A')",
    "builder.frame('tip', [1, 0, 0])",
    "vv.Inertia(mass=2.0, com=[0, 0, 0.1], moments=[1, 1, 1])",
    "vv.Inertia(2.0, com=np.zeros(3), I=np.eye(3))",
    "vv.Inertia(2.0, [0, 0, 0], moment=0.1)",
    "vv.Pose.rotation('-y', 0.3)",
    "pose @ [1, 2, 3]",
    "pose @ np.eye(4)",
    "np.eye(4) @ pose",
    "np.eye(3) @ pose",
    "other = pose\npose * other",
    # files
    "vv.load('robot.urdf', fixed=['q1'])",
    "vv.load('robot.urdf', floating=True)",
    "vv.load('robot.urdf', fixed_base=False)",
    "vv.load('robot.urdf', package_dirs='.')",
    "vv.load(Path('panda.urdf').absolute().as_uri())",
    "vv.load('two_link')",
    "vv.load('run.npz')",
    "vv.load('robot.toml', base=pose)",
    # motions
    "other = model.with_friction(damping=0.1)\nother.feasibility(run)",
    NOT_OF_ONE + "model.feasibility(run)",
    "model.feasibility(run, t=1.0)",
    "run.plot(x='q1', y='phi')",
    "run.plot('run.html', 'q1')",
    "run.plot(['run.html'])",
    "run.plot('tau1')",
    "run.plot('phase')",
    # values and formulas
    "model.closed_form(symbols={'m1': 2})",
    "vv.proof()",
    "form.subs({'m1': 2})",
    "form.terms()",
    "form.L",
    "form.J",
    "model.linearize({'q1': 0.1, 'q2': 0.2})",
    "model.view(q)",
    "model.simulate({'q1': 0.1, 'q2': 0.2}, t=0.1)",
    "model = model.with_passive('q1')\nmodel.simulate(q, tau=[1.0, 0.0], t=0.1)",
    "model.simulate(q, t=0.1, tau=model.gravity_forces)",
    CAM + "model.transmission_angle('th')",
    "vv.operation_counts(model)",
    # calls that do not fit
    "vv.Model('robot.urdf')",
    "vv.Trajectory('run.npz')",
    "model.simulate(q1=0.1, q2=0.2, t=0.1)",
    "model = vv.catalog.follower_column()\nmodel.stability_limit(P=(1, 3), q=[0, 0])",
    "model.closed_form(m1=2)",
    "figure = model\nrun.plot('run.svg', wide=True)",
    "run.plot('q1', against='q2')",
    "model.with_loop('c1', 'world', 'tool', joint='spherical')",
    "model.with_frame('tcp', 'tool', [0, 0, 0.1])",
    "model.q(0.1, 0.2)",
    "model.inverse_kinematics(pose)",
    # keywords of other libraries
    "model.workspace('tool', n=500)",
    "x = model.simulate(q, t=0.1).q[-1]\nmodel.simulate(x, duration=0.1)",
    "t = np.linspace(0.0, 0.1, 300)\nt_eval = t\nmodel.simulate(q, t_eval=t_eval)",
    "def f(t, q, v):\n    return 0 * q\nmodel.simulate(q, t=0.1, controller=f)",
    "model.simulate(x0=[0.1, 0.2, 0, 0])",
    "q0, v0 = q, v\nmodel.simulate(q0, v0, steps=10)",
    "q0, v0 = q, v\nmodel.simulate(q0, v0, max_step=0.1)",
    "q0, v0, wrench = q, v, np.zeros(6)\nmodel.simulate(q0, v0, wrenches=wrench)",
    "q0, v0 = q, v\nmodel = vv.catalog.pendulum(n=1)\nq0, v0 = [0.1], [6.0]\n"
    "model.simulate(q0, v0, speed=6)",
    "axis = [0, 0, 1]\nvv.Pose.rotation(axis, degrees=90)",
    "p = [0, 0, 1]\nvv.Pose(p, rpy=[0.1, 0.2, 0.3])",
    "p = [0, 0, 1]\nvv.Pose(p, quaternion=[0, 0, 0, 1])",
    "mass = 2.0\nvv.Inertia.box(mass, size=[0.3, 0.2, 0.1])",
    "mass, com, Ixx, Iyy, Izz = 1.0, [0, 0, 0], 1, 1, 1\n"
    "vv.Inertia.from_moments(mass, com, Ixx=Ixx, Iyy=Iyy, Izz=Izz)",
    "model.inverse_kinematics('tool', position=[1.0, 0.5], task='position')",
    "model.statics(q, load={'tool': [0, 0, 0, 1, 0, 0]})",
    LOOP + "model.coupler_curve('coupler', rpm=60)",
    LOOP + "model.driving_torque(rpm=60)",
    LOOP + "model.driving_torque('theta1', force=[1, 0, 0])",
    LOOP + "q = model.assembled()\nv, a = model.velocities(q, theta1=1.0), np.zeros(3)\n"
    "model.driving_torque('theta1', alpha=2.0)",
    "model = vv.catalog.pendulum(n=1)\nmodel.equilibria(parameter='m1')",
    "model = vv.catalog.pendulum(n=1)\nmodel.equilibria(q0=[0.1])",
    "model.function('pose', frame='tool')",
    "model.frame_pose('tool', q, relative_to='link1')",
    "model = vv.load('robot.toml')\nvv.save(model, format='xml')",
    "path, model = 'run.npz', model\nvv.load_trajectory(path, robot=model)",
    "def law(t, q, v):\n    return 0 * q\nvv.Controller(law, frequency=100)",
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with a robot and a motion."""
    folder = tmp_path_factory.mktemp("files")
    solid = vv.Inertia.sphere(1.0, radius=0.1)  # every file can state it
    ball = vv.Builder("ball").body("ball", joint="revolute", joint_name="q1", inertia=solid)
    for name in ("robot.urdf", "panda.urdf", "robot.toml"):
        vv.save(ball.build(), folder / name)
    ARM.simulate([0.1, 0.2], t=0.1).save(folder / "run.npz")
    return folder


@cache
def made():
    """What is there where a call is made."""
    run = ARM.simulate([0.1, 0.2], [0.0, 0.0], 0.3, tau=np.ones(2))
    return {
        "vv": vv, "np": np, "Path": Path, "model": ARM, "run": run,
        "q": np.array([0.1, 0.2]), "v": np.zeros(2), "a": np.zeros(2), "tau": np.zeros(2), "t": 0.1,
        "function": ARM.mass_matrix, "form": ARM.closed_form(), "figure": run.plot(),
        "lin": ARM.linearize([0.1, 0.2], tau="hold"), "pose": vv.Pose(p=[1, 0, 0]),
        "T": "x'^2", "V": "x^2",
    }  # fmt: skip


def names():
    """The same, with a builder of its own."""
    return made() | {"builder": vv.Builder("b")}


def refused(case):
    """The error of the last line of a case, and what is there besides."""
    there, before = names(), ast.parse(case)
    last = ast.Module([before.body.pop()], [])
    exec(compile(before, "<before>", "exec"), there)
    with pytest.raises(VisvivaError) as caught:
        exec(compile(last, "<call>", "exec"), there)
    return caught.value, there


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES)
def test_a_cure_works_where_the_call_failed(case, files, monkeypatch):
    monkeypatch.chdir(files)
    monkeypatch.setattr("webbrowser.open", lambda *_: False)
    error, there = refused(case)
    assert error.cure
    assert "\n" not in error.cure
    assert str(error).endswith(f": here it is {error.cure}")
    exec(compile(error.cure, "<cure>", "exec"), there)


SYSTEMS = ["two_link", "four_bar", "bead_on_rotating_wire"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("arguments", ["", "*['x'] * 20"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_call_with_nothing_or_too_much_is_cured(system, arguments, files, monkeypatch):
    monkeypatch.chdir(files)
    model = vv.catalog.build(system)
    q = model.assembled() if model.held_by else model.q()
    run, zero = model.simulate(q, t=0.1), np.zeros(model.nv)
    there = {"vv": vv, "np": np, "model": model, "q": q, "v": zero, "a": zero, "tau": zero}
    there |= {"run": run, "form": model.closed_form(), "function": model.mass_matrix}
    cured = 0
    for owner in ("model", "run", "form", "function"):
        for name in [x for x in dir(there[owner]) if x[0] != "_" and x not in SHOWN]:
            try:
                exec(f"{owner}.{name}({arguments})", dict(there))
            except VisvivaError as error:
                if error.cure and "import" not in error.cure:  # of what may not be installed
                    exec(error.cure, dict(there))
                    cured += 1
            except (TypeError, AttributeError, ctypes.ArgumentError):
                continue  # of what is no function of ours, or what another kind has
    assert cured > (5 if arguments else 10)


@pytest.mark.filterwarnings("ignore")
def test_every_place_that_has_a_cure_has_a_case(files, monkeypatch):
    """Where errors get a cure, by file and line, as all cases fail."""
    places, plain = set(), VisvivaError.__init__

    def init(self, *args, cure="", **more):
        frame = sys._getframe(1) if cure else None
        while frame is not None:
            places.add((frame.f_code.co_filename, frame.f_lineno))
            frame = frame.f_back
        plain(self, *args, cure=cure, **more)

    monkeypatch.chdir(files)
    monkeypatch.setattr(VisvivaError, "__init__", init)
    for case in CASES:
        str(refused(case)[0])
    without = []
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        lines = {line for file, line in places if Path(file) == path}
        calls = [x for x in ast.walk(tree) if isinstance(x, ast.Call)]
        for call in (x for x in calls if any(k.arg == "cure" for k in x.keywords)):
            if not lines & {*range(call.lineno, call.end_lineno + 1)}:
                without.append(f"{path.relative_to(SOURCE)}:{call.lineno}")
    assert not without


def test_every_whole_line_for_a_keyword_has_a_case():
    without = []
    for call, rows in table()["keywords"].items():
        for line in {x for x in rows.values() if not x.isidentifier()}:
            words = [k for k, x in rows.items() if x == line]
            called = f"{call.rpartition('.')[2]}("
            if not any(called in x and f"{k}=" in x for k in words for x in CASES):
                without.append(line)
    assert not without


def test_errors_are_sent_and_copied_with_their_cure():
    errors = [
        VisvivaError("no such thing", cure="vv.load('robot.urdf')"),
        UnknownNameError("joint", "elbow", ["q1"], cure="model.q(q1=0.3)"),
        vv.errors.ParseError("a +", 3, "expected a number"),
        vv.errors.OutOfTimeError("long"),
        vv.errors.AssemblyError("open", [0.1], 0.2, "C"),
    ]
    for called in (lambda: ARM.rnea, lambda: setattr(ARM, "gravity", [0, 0, 0])):
        with pytest.raises(VisvivaError) as caught:
            called()
        errors.append(caught.value)
    assert isinstance(errors[-1], ReadOnlyError)
    for error in errors:
        for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert (str(other), other.cure) == (str(error), error.cure)
            assert isinstance(error, type(other))
