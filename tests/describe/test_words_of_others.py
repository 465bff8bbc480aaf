"""Words of other libraries: the error has the line that does the same here."""

import copy
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.errors import UnknownNameError
from visviva.foreign import lines_of_class, table

NAMES = table()["attributes"]
WORDS = lines_of_class("attributes", vv.Model)
WORDS_OF_CURVES = {**NAMES["CouplerCurve"], **NAMES["TransmissionAngle"]}
WORDS_OF_FORMS, WORDS_OF_RUNS = NAMES["ClosedForm"], NAMES["Trajectory"]
WORDS_OF_EQUILIBRIA, WORDS_OF_FUNCTIONS = NAMES["Equilibria"], NAMES["Function"]
WORDS_OF_LINEAR, WORDS_OF_STATICS = NAMES["Linearization"], NAMES["Statics"]
WORDS_OF_VERDICTS, WORDS_OF_KINDS = NAMES["Verdict"], NAMES
WORDS_AT_THE_DOOR, WORDS_ON_PAPER = table()["package"], table()["pencil"]

ARM = vv.catalog.puma560()
LINKAGE = vv.catalog.four_bar()
TWO_LINK = vv.catalog.two_link()  # whose formulas are short
OPENED = ("animate", "view()", "show(q)", "to_torch()")  # in a browser; wants a large package
BALL = (  # every file can state it
    vv.Builder("ball")
    .body("ball", joint="revolute", inertia=vv.Inertia.sphere(1.0, radius=0.1))
    .build()
)
CART = vv.catalog.cart_pole()
STATE = {"q": ARM.q(joint2=0.3), "v": np.ones(6), "a": np.ones(6), "tau": np.ones(6)}


@pytest.mark.spread(50)
@pytest.mark.parametrize("word", [*WORDS, "RNEA", "getFrameId", "computeForwardKinematics"])
def test_the_error_has_the_line_that_works(word, tmp_path, monkeypatch):
    said = WORDS.get(word, "").removeprefix("model.")
    short = said.startswith(("closed_form", "with_parameters(", "stability_limit"))
    linkage = "dead_points" in said or "driving_torque" in said
    model = LINKAGE if linkage else TWO_LINK if short else ARM
    with pytest.raises(AttributeError) as caught:
        getattr(model, word)
    (line,) = re.findall(
        r"here it is ((?:model\b|vv\.|len\(|np\.|str\(|\[|').*)$", str(caught.value)
    )
    monkeypatch.chdir(tmp_path)
    if "stability_limit" in line:  # not every parameter has one
        assert line == f"model.stability_limit({model.parameter_names[0]!r}, (0.5, 2.0), q)"
        return
    if line.endswith(OPENED) or "animate" in line:
        assert callable(getattr(model, re.split(r"\W", line)[1]))
        return
    state = {"model": model, **{x: STATE[x][: model.nv] for x in STATE}, "t": 0.01}
    if line.startswith("vv."):
        state = {"model": BALL, "t": np.linspace(0.0, 1.0, 3)}
        state |= {"q": np.zeros((3, 1)), "v": np.zeros((3, 1))}
    made = eval(line, {"vv": vv, "np": np, **state})
    assert made is not None or len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("word", [*WORDS_AT_THE_DOOR, "URDF", "DHRobot", "LagrangesMethod"])
def test_so_has_the_door(word, tmp_path, monkeypatch):
    with pytest.raises(AttributeError) as caught:
        getattr(vv, word)
    (line,) = re.findall(r"^visviva has no .*: here it is (vv\..*)$", str(caught.value))
    monkeypatch.chdir(tmp_path)
    vv.save(BALL, "robot.xml" if "xml" in line else "robot.urdf")
    still = vv.Trajectory(BALL, [0.0, 1.0], np.zeros((2, 1)), np.zeros((2, 1)))
    if "run.npz" in line:
        still.save("run.npz")
    rows, angles = [[0.5, 0.0, 0.0, "theta1"]], [0.1, 0.2, 0.3]
    named = {"rows": rows, "R": np.eye(3), "p": [1, 0, 0], "rpy": angles, "angles": angles}
    named |= {"order": "xyz", "axis": "z", "angle": 0.3, "q": "x", "T": "x'^2", "V": "x^2"}
    if "Trajectory" in line:
        named |= {"model": BALL, "t": [0.0, 1.0], "q": np.zeros((2, 1)), "v": np.zeros((2, 1))}
    assert eval(line, {"vv": vv, **named, "axis": [0, 0, 1]}) is not None


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("two_link", "vv.catalog.two_link()"),
        ("FourBar", "vv.catalog.four_bar()"),
        ("skew", "vv.space.skew"),
        ("sin", "vv.generic.sin"),
    ],
)
def test_the_door_knows_mechanisms_and_functions(word, line):
    with pytest.raises(AttributeError) as caught:
        getattr(vv, word)
    assert str(caught.value) == f"visviva has no {word!r}: here it is {line}"
    assert eval(caught.value.cure, {"vv": vv})


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("fkine", "model.frame_pose(frame, q)"),
        ("reduced", "model.locked({joint: 0.3})"),
        ("inverseKinematics", "model.inverse_kinematics"),
        ("mj_step", "model.step"),
        ("simulate", "model.simulate"),
    ],
)
def test_the_door_has_in_words_what_models_do(word, line):
    """There is no model whose joints and frames a line could name."""
    with pytest.raises(AttributeError) as caught:
        getattr(vv, word)
    assert str(caught.value) == f"visviva has no {word!r}; a model has it: {line}"
    assert not caught.value.cure


def test_names_of_pinocchio_are_answered():
    """Those of the page for its users, as attributes of the package and of a model."""
    page = Path(__file__).parents[2] / "docs/coming-from/pinocchio.md"
    names = {*re.findall(r"\bpin\.([a-zA-Z]\w+)", page.read_text(encoding="utf-8"))}
    names -= {"Force", "JointModelFreeFlyer", "Quaternion", "SE3", "rpy", "buildModelFromUrdf"}
    assert len(names) > 30
    for name in names - {*dir(ARM)}:
        for where in (vv, ARM):
            with pytest.raises(AttributeError, match=r"(here it is|a model has it:) (model|vv|np)"):
                getattr(where, name)


@pytest.mark.spread(8)
@pytest.mark.parametrize("word", WORDS_OF_CURVES)
def test_so_have_errors_of_curves(word, tmp_path, monkeypatch):
    values = np.linspace(0.0, 1.0, 3)
    curves = [
        LINKAGE.coupler_curve("coupler", "theta1", values),
        LINKAGE.transmission_angle("theta1", values),
        LINKAGE.driving_torque("theta1", values),
    ]
    monkeypatch.chdir(tmp_path)
    tried = 0
    for curve in curves:
        with pytest.raises(AttributeError) as caught:
            getattr(curve, word)
        for line in re.findall(r"here it is (curve\..*)$", str(caught.value)):
            if "dxf" in line and curve is not curves[0]:
                continue  # only a path is one
            made = eval(line, {"curve": curve, "np": np})
            assert made is not None or list(tmp_path.iterdir())
            tried += 1
    assert tried
    with pytest.raises(vv.VisvivaError, match=r"here it is curve\.plot\(\)\.save\('x\.svg'\)"):
        curves[0].plot("x.svg")


@pytest.mark.parametrize("word", sorted({*NAMES["DrivingTorque"]} - {*NAMES["CouplerCurve"]}))
def test_so_have_errors_of_driving_torques(word):
    curve = LINKAGE.driving_torque("theta1", np.linspace(0.0, 6.0, 20), speed=2.0)
    with pytest.raises(AttributeError) as caught:
        getattr(curve, word)
    (line,) = re.findall(r"here it is ((?:curve|np|vv)\..*)$", str(caught.value))
    made = eval(line.removesuffix(".animate()"), {"curve": curve, "np": np, "vv": vv})
    if word == "animate":  # in a browser
        assert callable(made.animate)
        return
    assert np.isfinite(made).all()
    if word in ("peak", "flywheel"):
        assert made > 0


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        (TWO_LINK.bodies["link1"], "Body"),
        (TWO_LINK.frames["tool"], "Frame"),
        (TWO_LINK.bodies[1].inertia, "Inertia"),
    ],
)
def test_so_have_parts_of_models(part, kind):
    for word in WORDS_OF_KINDS[kind]:
        with pytest.raises(AttributeError) as caught:
            getattr(part, word)
        (line,) = re.findall(rf"an? {kind} has no .*: here it is (.*)$", str(caught.value))
        assert eval(line, {kind.lower(): part}) is not None
    assert not hasattr(object.__new__(type(part)), "anything")
    assert type(copy.deepcopy(part)) is type(part)


@pytest.mark.parametrize(
    ("table", "value", "called"),
    [
        (WORDS_OF_FORMS, BALL.closed_form(), "form"),
        (WORDS_OF_EQUILIBRIA, vv.catalog.pendulum(n=1).equilibria(), "found"),
        (WORDS_ON_PAPER, vv.pencil, "pencil"),
        (WORDS_OF_STATICS, TWO_LINK.statics([0.1, 0.2]), "statics"),
    ],
)
def test_so_have_forms_equilibria_and_the_pencil(table, value, called, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bead = vv.catalog.bead_on_rotating_wire()
    named = {called: value, "system": bead, "Path": Path, "vv": vv, "q": "x", "T": "x'^2", "V": "x"}
    for word in table.keys() - {*dir(value)}:
        with pytest.raises(AttributeError) as caught:
            getattr(value, word)
        (line,) = re.findall(r"has no .*: here it is (.*)$", str(caught.value))
        assert eval(line, named) is not None, word


@pytest.mark.parametrize("word", WORDS_OF_FUNCTIONS)
def test_so_have_errors_of_compiled_functions(word, tmp_path, monkeypatch):
    function, q = TWO_LINK.mass_matrix, np.array([0.1, 0.2])
    with pytest.raises(AttributeError) as caught:
        getattr(function, word)
    (line,) = re.findall(r"a Function has no .* here it is (\w.*)$", str(caught.value))
    monkeypatch.chdir(tmp_path)
    if line.startswith("function.to_"):
        assert callable(eval(line.removesuffix("()"), {"function": function}))
        return
    made = eval(line, {"function": function, "np": np, "q": q})
    assert made is not None or len(list(tmp_path.iterdir())) == 1
    if word == "inverse":
        np.testing.assert_allclose(made, TWO_LINK.mass_matrix_inverse(q), rtol=1e-12)
    assert line.startswith("function.save_c") == bool(list(tmp_path.iterdir()))


def test_compiled_functions_are_copied_as_before():
    function = TWO_LINK.mass_matrix
    for f in (copy.copy(function), pickle.loads(pickle.dumps(function))):
        np.testing.assert_array_equal(f([0.1, 0.2]), function([0.1, 0.2]))
    with pytest.raises(AttributeError, match="no 'jacobain'; did you mean 'jacobian'"):
        _ = function.jacobain


def test_the_relative_jacobian_is_the_motion_between_two_frames():
    q, v, h = STATE["q"], np.arange(1.0, 7.0), 1e-6
    with pytest.raises(AttributeError) as caught:
        _ = ARM.relative_jacobian
    line = str(caught.value).partition("here it is ")[2].replace("'link1'", "'link2'")
    J = eval(line, {"model": ARM, "q": q})

    def seen(q):
        return ARM.frame_pose("link2", q).inverse() @ ARM.frame_pose("tool", q)

    rate = (seen(q + h * v).p - seen(q - h * v).p) / (2 * h)
    np.testing.assert_allclose(ARM.frame_pose("link2", q).R @ rate, (J @ v)[3:], atol=1e-8)
    with pytest.raises(UnknownNameError, match=r"model\.frame_pose\('link2', q\)\.R"):
        ARM.velocity("tool", reference="link2")


def test_forces_of_springs_alone_are_without_gravity():
    b = vv.Builder("swing").body("bar", joint="revolute", joint_name="x", axis="y", mass=1.0)
    hung = b.spring("coil", 100.0, joint="x", rest=0.1).build()
    with pytest.raises(AttributeError) as caught:
        _ = hung.spring_forces
    line = str(caught.value).partition("here it is ")[2]
    np.testing.assert_allclose(eval(line, {"model": hung, "q": [0.3]}), [20.0], rtol=1e-14)


def test_a_model_without_joints_says_the_same():
    """Whether it has an attribute may be asked of every model."""
    build = vv.Builder("block")
    build.body("block", joint="fixed", inertia=vv.Inertia.point(1.0))
    block = build.build()
    assert not any(hasattr(block, word) for word in WORDS)
    with pytest.raises(AttributeError, match=r"here it is model\.dead_points\('joint'\)"):
        _ = block.toggles


@pytest.mark.spread(30)
@pytest.mark.parametrize("word", WORDS_OF_RUNS)
def test_so_have_errors_of_trajectories(word, tmp_path, monkeypatch):
    pendulum = vv.catalog.pendulum()
    t = np.linspace(0.0, 1.0, 3)
    run = vv.Trajectory(pendulum, t, np.zeros((3, pendulum.nq)), np.zeros((3, pendulum.nv)))
    with pytest.raises(AttributeError) as caught:
        getattr(run, word)
    (line,) = re.findall(r"^a Trajectory has no .* here it is ((?:run|np)\..*)$", str(caught.value))
    monkeypatch.chdir(tmp_path)
    made = eval(line, {"run": run, "np": np})
    assert (made is not None) or list(tmp_path.iterdir())


def test_forces_of_actuators_along_a_run_are_those_that_drive_it():
    motors = [vv.Actuator.motor(n, n, gear=10.0) for n in TWO_LINK.joint_names]
    run = TWO_LINK.with_actuators(motors).simulate([0.1, 0.2], t=0.1, u=[0.3, -0.2])
    with pytest.raises(AttributeError) as caught:
        _ = run.u
    u = eval(caught.value.cure, {"run": run})
    np.testing.assert_allclose(u, np.broadcast_to([0.3, -0.2], u.shape), atol=1e-12)


@pytest.mark.parametrize("word", WORDS_OF_LINEAR)
def test_so_have_errors_of_linear_systems(word):
    lin, model = CART.linearize([0.0, np.pi]), CART
    with pytest.raises(AttributeError) as caught:
        getattr(lin, word)
    (line,) = re.findall(r"^a Linearization has no .* here it is ([^;]*)", str(caught.value))
    assert eval(line, {"lin": lin, "sympy": sympy}) is not None
    if word == "latex":
        (other,) = re.findall(r"; formulas are (.*)$", str(caught.value))
        assert eval(other, {"model": model}).A1.shape == (2, 2)


@pytest.mark.parametrize("word", WORDS_OF_VERDICTS)
def test_so_have_errors_of_verdicts(word):
    verdict = vv.catalog.two_link().check("M22 = I2")
    with pytest.raises(AttributeError) as caught:
        getattr(verdict, word)
    (line,) = re.findall(r"^a Verdict has no .* here it is (.*)$", str(caught.value))
    assert eval(line, {"verdict": verdict, "sympy": sympy}) is not None
    assert pickle.loads(pickle.dumps(verdict)).status == copy.copy(verdict).status == "differs"


def test_trajectories_and_forms_say_what_was_meant():
    pendulum = vv.catalog.pendulum()
    t = np.linspace(0.0, 1.0, 3)
    run = vv.Trajectory(pendulum, t, np.zeros((3, pendulum.nq)), np.zeros((3, pendulum.nv)))
    with pytest.raises(AttributeError, match="a Trajectory has no 'enrgy'; did you mean 'energy'"):
        _ = run.enrgy
    np.testing.assert_array_equal(copy.copy(run).t, run.t)
    assert not hasattr(object.__new__(vv.Trajectory), "q")
    with pytest.raises(vv.VisvivaError, match=r"got Trajectory; it has save\(path\) itself"):
        vv.save(run, "run.toml")
    with pytest.raises(vv.VisvivaError, match=r"model\.inverse_dynamics\.operations"):
        vv.operation_counts(pendulum)
    with pytest.raises(AttributeError, match="no 'christoffel_symbols'; did you mean 'christof"):
        _ = pendulum.closed_form().christoffel_symbols


def test_misspelt_verbs_say_which_was_meant():
    with pytest.raises(AttributeError, match="a Model has no 'mass_matrx'; did you mean 'mass_mat"):
        _ = ARM.mass_matrx
    bead = vv.catalog.bead_on_rotating_wire()
    with pytest.raises(AttributeError, match="a Lagrangian has no 'forces_of_gravity'"):
        _ = bead.forces_of_gravity
    with pytest.raises(AttributeError, match=r"here it is model\.mass_matrix"):
        _ = bead.crba
    assert not hasattr(bead, "forward_kinematics")
    with pytest.raises(AttributeError, match="a Lagrangian has no 'fkine'"):
        _ = bead.fkine  # it has no frames


def test_errors_of_attributes_that_exist_are_their_own():
    with pytest.raises(vv.VisvivaError, match="without_constraints"):
        _ = vv.catalog.four_bar().reaction_wrenches


def test_models_are_copied_as_before():
    for arm in (copy.copy(ARM), copy.deepcopy(ARM), pickle.loads(pickle.dumps(ARM))):
        assert arm.joint_names == ARM.joint_names
    assert not hasattr(object.__new__(vv.Model), "anything")


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [("local", "body"), ("LOCAL", "body"), ("LOCAL_WORLD_ALIGNED", "world"), ("WORLD", "space")],
)
def test_references_of_pinocchio(theirs, ours):
    with pytest.raises(vv.VisvivaError) as caught:
        ARM.jacobian("tool", reference=theirs)
    line = f"model.jacobian('tool', reference={ours!r})"
    assert line in str(caught.value)
    assert eval(line, {"model": ARM})(STATE["q"]).shape == (6, 6)


def test_wrenches_in_a_call_say_how_they_become_an_input():
    q, v, a = (STATE[x] for x in "qva")
    with pytest.raises(vv.VisvivaError) as caught:
        ARM.inverse_dynamics(q, v, a, wrenches={"tool": np.ones(6)})
    line = "model.function('inverse_dynamics', wrenches=['tool'])"
    assert line in str(caught.value)
    f = eval(line, {"model": ARM})
    moved = f(q, v, a, [np.ones(6)]) - ARM.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(moved, -ARM.jacobian("tool", "body")(q).T @ np.ones(6), atol=1e-12)
    with pytest.raises(vv.VisvivaError, match=r"parameters=model\.parameter_names\)$"):
        ARM.inverse_dynamics(q, v, a, parameters=[1.0])
