"""Calls that miss something, and what people do with a system, a motion or a builder that is not
so here: no bare error, and a line that runs when it is pasted."""

import re

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, DtypeError, ShapeError, UnknownNameError
from visviva.foreign import table
from visviva.solve.planar.curves import values_of

EXAMPLES = table()["examples"]
CALLS = [x.removeprefix("model.") for x in EXAMPLES if x.startswith("model.")]
CALLS_OF_RUNS = [x.removeprefix("run.") for x in EXAMPLES if x.startswith("run.")]
WORDS_OF_BUILDERS, WORDS_OF_KINDS = table()["attributes"]["Builder"], table()["attributes"]
WORDS_OF_CLASSES = ["from_mjcf", "from_xml", "from_file", "load"]
WORDS_OF_MOTIONS = ["load", "from_file"]

ARM = vv.catalog.two_link()
LINKAGE = vv.catalog.four_bar()
SWING = vv.Lagrangian(
    "theta",
    "m l^2 theta'^2/2",
    "-m g l cos(theta)",
    parameters={"m": 1, "l": 1, "g": 9.81},
    passive="theta",
)
RUN = SWING.simulate([0.1], [0.0], 0.5)
OF_LINKAGES = ("coupler_curve", "with_loop")


def said_by(called, kind=ArgumentError):
    with pytest.raises(kind) as caught:
        called()
    return str(caught.value)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_does_not_fit_has_a_line_that_works(name):
    model = LINKAGE if name == "coupler_curve" else ARM
    said = said_by(lambda: getattr(model, name)(*["x"] * 20))
    if name == "locked":  # whose places are those of joints
        assert said.endswith("; for example model.locked(q1=0.3)")
        said = said_by(lambda: model.locked(["q1"], [0.0, 0.0]))
        assert said.endswith("here it is model.locked(q1=0.0)")
        return
    (line,) = re.findall(r"(?:: here it is|; for example) (.*)$", said)
    if name == "stability_limit":  # not every parameter has one
        assert line == "model.stability_limit('L1', (0.5, 2.0), q)"
        return
    named = {"model": model, "vv": vv, "np": np, "q": [-np.pi / 2, 0.0], "v": np.ones(2)}
    assert eval(line, named) is not None


@pytest.mark.parametrize(
    ("name", "start"),
    [("singularities", "model.singularity("), ("workspace", "model.coupler_curve(")],
)
def test_it_works_on_a_linkage_too(name, start):
    (line,) = re.findall(r": here it is (.*)$", said_by(getattr(LINKAGE, name)))
    assert line.startswith(start)
    assert eval(line, {"model": LINKAGE}) is not None


@pytest.mark.parametrize("name", CALLS_OF_RUNS)
def test_so_have_motions(name, tmp_path, monkeypatch):
    said = said_by(lambda: getattr(RUN, name)(*range(20), no_such_word=1))
    (line,) = re.findall(r"(?:: here it is|; for example) (.*)$", said)
    monkeypatch.chdir(tmp_path)
    assert eval(line, {"run": RUN}) is not None or list(tmp_path.iterdir())


@pytest.mark.parametrize("word", WORDS_OF_BUILDERS)
def test_so_have_builders(word):
    builder = vv.Builder("b").body("link", joint="revolute", mass=1.0)
    with pytest.raises(AttributeError, match="a Builder has no") as caught:
        getattr(builder, word)
    (line,) = re.findall(r"here it is ((?:builder|vv)\..*)$", str(caught.value))
    line = line.replace('"link",', '"link2",')
    assert eval(line, {"builder": builder, "vv": vv}) is not None


@pytest.mark.parametrize("word", [*WORDS_OF_CLASSES, "from_urdf"])
def test_the_class_says_who_reads_files(word):
    if word in WORDS_OF_MOTIONS:
        with pytest.raises(AttributeError, match=r'here it is vv.load_trajectory\("run.npz"\)'):
            getattr(vv.Trajectory, word)
    with pytest.raises(
        AttributeError, match=r'Model has no .*: here it is vv.load\("robot.urdf"\)'
    ):
        getattr(vv.Model, word)
    assert not hasattr(vv.Lagrangian, "no_such_name")


@pytest.mark.parametrize("word", WORDS_OF_KINDS["Lagrangian"])
def test_energies_on_paper(word):
    with pytest.raises(AttributeError) as caught:
        getattr(SWING, word)
    (line,) = re.findall(r"here it is ((?:model|vv)\..*)$", str(caught.value))
    state = {"q": SWING.q(), "v": np.zeros(SWING.nv)}
    assert eval(line, {"model": SWING, "vv": vv, **state}) is not None


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("hamiltonian", "model.closed_form().hamiltonian"),
        ("momenta", "model.closed_form().momenta"),
        ("cyclic_coordinates", "model.closed_form().cyclic_coordinates"),
        ("normal_modes", 'model.linearize(q, tau="hold").modes'),
        ("eigenvals", 'model.linearize(q, tau="hold").eigenvalues'),
        ("form_lagranges_equations", "model.closed_form().equations"),
        ("mass_matrix_full", "model.mass_matrix(q)"),
    ],
)
def test_so_are_quantities_of_books(word, line):
    with pytest.raises(AttributeError, match=re.escape(f"here it is {line}")):
        getattr(SWING, word)


def test_freedoms_of_linkages_are_their_mobility():
    with pytest.raises(AttributeError, match=r"here it is model\.mobility\(\)"):
        LINKAGE.dof  # noqa: B018
    with pytest.raises(
        AttributeError, match=r"here it is model\.driving_torque\('theta1', wrenches"
    ):
        LINKAGE.with_wrench({"end": [0, 0, 0, 1, 0, 0]})
    with pytest.raises(AttributeError, match=r"here it is model\.nv"):
        ARM.dof  # noqa: B018
    said = said_by(lambda: LINKAGE.simulate(theta1=0.5, t=1.0))
    assert said.endswith("here it is model.simulate(model.assembled(theta1=0.5), t=1.0)")


def test_a_motion_is_no_function_and_has_entries():
    assert "run.at(0.25)" in said_by(lambda: RUN(0.25))
    with pytest.raises(AttributeError, match=r"here it is run\['theta'\]"):
        RUN.theta  # noqa: B018
    assert "model.closed_form()" in said_by(lambda: ARM.symbolic())


def test_one_over_another():
    assert RUN.plot(x="theta", y="theta'").layout == RUN.plot(x="theta", y="thetad").layout
    said = said_by(lambda: RUN.plot("theta", against="thetad"))
    assert said.endswith("here it is run.plot(x='thetad', y='theta')")
    with pytest.raises(UnknownNameError, match="one over another"):
        RUN.plot(x="theta", y="phi")


def test_words_of_solvers():
    times = np.linspace(0.0, 0.1, 3)
    said = said_by(lambda: SWING.simulate([0.1], [0], t_eval=times))
    assert said.endswith("model.simulate([0.1], [0], t=[0.0, 0.05, 0.1])")
    assert "([0.1, 0][:model.nq], [0.1, 0][model.nq:], t)" in said_by(
        lambda: SWING.simulate(x0=[0.1, 0], t=1.0)
    )
    said = said_by(lambda: SWING.simulate(0.1, 0, 5.0), ShapeError)
    assert said.endswith("of one coordinate it is a list, q0=[0.1]")
    assert "model.q({'theta': 0.1})" in said_by(lambda: SWING.simulate({"theta": 0.1}, t=1.0))
    for theirs, ours in (("RK45", "dopri5"), ("odeint", "lsoda"), ("RADAU", "radau")):
        said = said_by(lambda x=theirs: SWING.simulate([0.1], t=1.0, method=x), UnknownNameError)
        assert f"did you mean {ours!r}?" in said
    said = said_by(lambda: ARM.simulate([0, 0], t=1.0, wrenches={"tool": np.ones(6)}))
    assert "tau=lambda t, q, v: model.jacobian('tool')(q).T @ wrench" in said


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ({"inertia": 0.1}, "vv.Inertia.planar(1, [0.5, 0, 0], 0.1)"),
        ({"I": 0.1, "axis": "-y"}, "vv.Inertia.planar(1, [0.5, 0, 0], 0.1, normal='y')"),
        ({"Izz": 0.1}, "vv.Inertia.planar(1, [0.5, 0, 0], 0.1)"),
        ({"izz": 0.1, "ixx": 0.2, "iyy": 0.2},
         "vv.Inertia.from_moments(1, [0.5, 0, 0], [0.2, 0.2, 0.1])"),
        ({"moments": [0.1, 0.2, 0.2]}, "vv.Inertia.from_moments(1, [0.5, 0, 0], [0.1, 0.2, 0.2])"),
        ({"inertia": np.eye(3)},
         "vv.Inertia(1, [0.5, 0, 0], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])"),
    ],
)  # fmt: skip
def test_moments_beside_a_mass(words, line):
    def called():
        more = {"axis": "z", **words}
        vv.Builder("a").body("l", joint="revolute", mass=1, com=[0.5, 0, 0], **more)

    said = said_by(called)
    assert said.endswith(f"inertia={line}")
    assert eval(line, {"vv": vv}).mass == 1


def test_frames_by_place():
    b = vv.Builder("a").body("l", joint="revolute", mass=1)
    assert "tool" in b.frame("tool", "l", [1, 0, 0]).build().frame_names
    said = said_by(lambda: b.frame("tip", [1, 0, 0]))
    assert said.endswith("here it is builder.frame('tip', body='l', at=[1, 0, 0])")
    assert "vv.Builder('arm')" in said_by(vv.Builder)


def test_inputs_of_functions_by_other_words():
    q, z = np.array([0.3, 0.2]), np.zeros(2)
    said = said_by(lambda: ARM.inverse_dynamics(q, qd=z, qdd=z), UnknownNameError)
    assert "'qd': did you mean 'v'?" in said
    said = said_by(lambda: ARM.inverse_dynamics(q, z, z, f_ext=[1]), UnknownNameError)
    assert "wrenches={model.frame_names[-1]: 'world'}" in said
    pushed = ARM.function("inverse_dynamics", wrenches=["tool"])
    said = said_by(lambda: pushed(q, z, z, {"tool": [0, 0, 0, 0, 0, 1.0]}), DtypeError)
    assert said.endswith("wrenches is an array, without names: [[0, 0, 0, 0, 0, 1.0]]")
    assert "model.jacobian('link1')(q)" in said_by(lambda: ARM.jacobian("link1", q))
    assert "locked(q2=-1.5)" in said_by(lambda: ARM.locked("q2"))
    assert "here it is model.with_actuators([vv.Actuator.motor('motor', 'q1')])" in said_by(
        lambda: ARM.with_actuators("q1")
    )
    said = said_by(lambda: vv.load("x.urdf", fixed=["elbow"]))
    assert said.endswith("here it is vv.load('x.urdf').locked({'elbow': 0.0})")
    said = said_by(lambda: ARM.with_frame("target", at=[0.05, 0.35, 0]))
    (line,) = re.findall("here it is (.*)$", said)
    assert "target" in eval(line, {"model": ARM}).frame_names


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ({"inertia": np.eye(3)}, "vv.Inertia(2.0, [0, 0, 0.1], [[1.0, 0.0, 0.0], "),
        ({"moments": [1, 1, 1]}, "vv.Inertia.from_moments(2.0, [0, 0, 0.1], [1, 1, 1])"),
        ({"moment": 0.1}, "vv.Inertia.planar(2.0, [0, 0, 0.1], 0.1)"),
    ],
)
def test_an_inertia_by_other_words(words, line):
    said = said_by(lambda: vv.Inertia(mass=2.0, com=[0, 0, 0.1], **words))
    assert f"here it is {line}" in said
    assert eval(re.findall("here it is (.*)$", said)[0], {"vv": vv}).mass == 2.0


CAM = vv.Builder("cam").body("cam", joint="revolute", axis="z", joint_name="th", mass=1)
CAM = CAM.body("lift", parent="world", joint="prismatic", axis="y", joint_name="y", mass=1).build()
FOLLOWER = CAM.with_constraint("y = 0.1 + 0.02*cos(th)", name="profile")
OPEN = LINKAGE.without_constraints()
LENGTHS = {"rb": 0.2, "rp": 0.05, "L": 0.3, "l": 0.7}


@pytest.mark.parametrize(
    ("called", "said"),
    [
        (lambda: LINKAGE.with_gear("theta1", "theta1", 2), "'theta1' cannot turn with itself"),
        (
            lambda: OPEN.with_loop("coupler_end", "rocker_end", "distance", length="l9"),
            "length of 'distance' is a finite number, or a formula of parameters of 'four_bar' (",
        ),
        (
            lambda: LINKAGE.driving_torque("theta1", speed="60 rpm"),
            "speeds in rad/s: 60 rpm is 6.28318530718",
        ),
        (lambda: LINKAGE.reactions["C"], "no list: here it is model.reaction('C')(q, v, tau)"),
        (lambda: LINKAGE.mass_matrix[0, 1], "no list: here it is function(q)[(0, 1)]"),
        (lambda: FOLLOWER.reaction("profile"), "model.constraint_forces(q, v, tau)"),
        (
            lambda: FOLLOWER.transmission_angle("th"),
            "there is how fast others move with the joint: here it is "
            "model.driving_torque('th', speed=1.0).v",
        ),
        (
            lambda: CAM.with_constraint("y = where(th<3, 0.1, 0.2)"),
            "it is less(a, b), as in y = where(less(a, b), h, r)",
        ),
        (lambda: CAM.with_constraint("y = where(3>th, 1, 2)"), "y = where(less(b, a), h, r)"),
        (lambda: LINKAGE.workspace("coupler_end"), "coupler_curve(frame, joint) at the places"),
        (
            lambda: LINKAGE.instant_centres(v=[1, 0, 0]),
            "velocities(q, theta1=1) keeps that of theta1",
        ),
        (
            lambda: vv.parallel.delta_angles([0, 0, -0.7], **LENGTHS),
            "delta_angles([0, 0, -0.7], rb=0.2, rp=0.05, arm=0.3, rod=0.7)",
        ),
        (lambda: vv.parallel.delta_tips([0.1] * 3, **LENGTHS), "arm=0.3, rod=0.7)"),
        (
            lambda: LINKAGE.statics(LINKAGE.assembled(), drives=["theta1"]),
            ", actuated=['theta1'])",
        ),
        (
            lambda: LINKAGE.statics(LINKAGE.assembled(), load={}),
            'model.statics(q, {}, acting="on robot")  # without acting= they are those',
        ),
        (lambda: LINKAGE.statics(), "here it is model.statics(model.assembled())"),
        (lambda: LINKAGE.simulate(), "here it is model.simulate(model.assembled(), t=5.0)"),
        (lambda: ARM.simulate([0, 0], t=1.0, controller=lambda t, q, v: 0 * q), "t=1.0, tau=f)"),
        (
            lambda: LINKAGE.driving_torque("l1", [1.0, 2.0]),
            "here it is [model.with_parameters(l1=x) for",
        ),
        (lambda: vv.load("run.npz"), "here it is vv.load_trajectory('run.npz')"),
        (lambda: vv.Trajectory("run.nc"), "here it is vv.load_trajectory('run.nc')"),
        (
            lambda: ARM.inverse_dynamics([0, 0], [0, 0], [0, 0], {"tool": [0] * 6}),
            "here it is model.function('inverse_dynamics', wrenches={'tool': 'world'})",
        ),
        (lambda: CAM.with_limits({"y": (0, 0.04)}).locked("y"), "locked(y=0.02)"),
        (
            lambda: ARM.stability_limit(L1=(1, 5), q=[0.0, 0.0]),
            "here it is model.stability_limit('L1', between=(1, 5), q=[0.0, 0.0])",
        ),
    ],
)
def test_first_tries_with_linkages(called, said):
    with pytest.raises(vv.errors.VisvivaError) as caught:
        called()
    assert said in str(caught.value)


def test_what_linkages_take():
    with pytest.warns(UserWarning, match=r"are 14.3 turns; degrees are np.radians\(values\)"):
        values_of(CAM, "th", [0, 90])
    held = CAM.with_limits({"y": (0, 0.04)}).locked(y=-1.5)
    assert held.notes[-1] == "joint 'y' is held at -1.5, outside of its limits 0 to 0.04"
    assert CAM.with_constraint("y = where(less(th, 3), 0.1, 0.2)").constraint_error([1, 0.1]) == 0
    closed = OPEN.with_loop("coupler_end", "rocker_end", "distance", length="2*l1")
    for rod in (closed, closed.with_parameters(l1=0.5)):
        q = rod.assembled()
        ends = [rod.frame_pose(x, q).p for x in ("coupler_end", "rocker_end")]
        assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(2 * rod.parameters["l1"])
    values, at = [0.3, 0.4], "rocker_end"
    torques = [
        LINKAGE.driving_torque("theta1", values, wrenches={at: wrench}).torque
        for wrench in ([0, 0, 0, -50, 0, 0], {"force": [-50, 0, 0]})
    ]
    np.testing.assert_array_equal(*torques)
    with pytest.raises(ArgumentError, match="driving_torque: the wrench at 'rocker_end' acts at"):
        LINKAGE.driving_torque(
            "theta1", values, wrenches={at: {"force": [1, 0, 0], "point": [1, 0, 0]}}
        )
    assert len(LINKAGE.instant_centres()) == 6
    model = vv.catalog.five_bar()
    with pytest.raises(vv.errors.ConstrainedError) as caught:
        model.inverse_kinematics("rod1_end", [0.1, 0.5, 0])
    line = str(caught.value).partition("somewhere by ")[2].partition(", near")[0]
    q = eval(line, {"model": model, "x": 0.1, "y": 0.5, "z": 0.0})
    cranks = vv.parallel.five_bar_cranks([0.1, 0.5], l0=0.3, l1=0.3, l2=0.45)
    assert np.abs(np.sin(0.5 * (cranks - q[[0, 2]]))).max(axis=1).min() < 1e-12
