"""Names of every kind through every reader: all roads agree, and only clashes are refused.

`make test` draws a few systems, `make soak` many. The truth is the arm of `named_systems`, whose
forces are worked out by hand: no name enters there.
"""

import ctypes
import json
import re
import shutil
import subprocess

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import SOAK, count, tick
from tests.support.generators.named_systems import (
    HOSTILE,
    INJECTED,
    JOINTS_ONLY,
    NO_PARAMETERS,
    READERS,
    WORDS,
    A,
    Q,
    V,
    by_builder,
    by_hand,
)
from tests.support.readers import latex_numbers
from visviva.describe.files.toml.read import loads_toml, to_toml
from visviva.errors import ArgumentError, VisvivaError
from visviva.judge.closed.printed import printed
from visviva.notation.names import is_name
from visviva.notation.writing.write import Names, latex

M22 = {"URDF": 0.18, "MJCF": 0.180000001}  # m l², and what MuJoCo wants for a tensor
COMMANDS = set(
    "begin end frac tfrac left right cos sin dot ddot mathrm text underbrace quad cdot backslash "
    "sim wedge partial times tau hat vec Gamma Omega theta phi psi lambda alpha rho gamma mu pi "
    "documentclass usepackage setlength parindent title date maketitle section subsection small "
    "emph medskip sum omega delta varphi Sigma mathsf sqrt operatorname eta nu xi chi kappa "
    "textbackslash textasciicircum textasciitilde textless textgreater textbar textasciigrave "
    "epsilon beta zeta iota sigma upsilon".split()
)


@st.composite
def systems(draw):
    """A reader with two joints and two parameters that it can take; nothing in it is a clash."""
    reader = draw(st.sampled_from(sorted(READERS)))
    pool = [*WORDS, *HOSTILE, *JOINTS_ONLY]
    pool = [x for x in WORDS if is_name(x)] if reader == "Lagrangian" else pool
    words = draw(st.lists(st.sampled_from(pool), min_size=4, max_size=4, unique=True))
    typed = reader in ("Lagrangian", "TOML")  # where formulas have them
    for k in (2, 3):
        if words[k] in JOINTS_ONLY or (typed and not is_name(words[k])):
            words[k] = f"n{k}"
    return reader, tuple(words[:2]), tuple(words[2:])


@pytest.mark.spread(0)
@pytest.mark.soak
@settings(max_examples=count(4, 600), deadline=None)
@given(systems())
def test_every_road_agrees_under_any_names(tmp_path_factory, drawn):
    reader, joints, parameters = drawn
    tick("names", 100)
    s = READERS[reader](joints, parameters)
    tau = s.inverse_dynamics(Q, V, A)
    assert np.allclose(tau, by_hand(), rtol=0, atol=1e-8 if reader == "MJCF" else 1e-12)
    form = s.closed_form(symbols=["m_link1"]) if reader in NO_PARAMETERS else s.closed_form()
    values = numbers(form)
    assert np.allclose(evaluated(form.equations, values), tau, rtol=0, atol=1e-12)
    assert np.allclose(by_python(form, values), tau, rtol=0, atol=1e-12)
    if shutil.which("cc"):
        made = by_c(form, values, tmp_path_factory.mktemp("c"))
        assert np.allclose(made, tau, rtol=0, atol=1e-12)
    assert np.allclose(by_latex(form, values), tau, rtol=0, atol=1e-12)
    for text in (form.latex("equations"), printed(form, "standard", "md"), form._repr_latex_()):
        well_formed(text)
    assert "<script" not in form._repr_html_()
    assert str(form).count("\n") >= 2
    judged(s, form, reader)
    if reader in ("Builder", "DH", "screws") and all(map(is_name, parameters)):
        again = loads_toml(to_toml(s))
        assert (again.joint_names, again.parameters) == (s.joint_names, s.parameters)


@pytest.mark.soak
@settings(max_examples=count(2, 150), deadline=None)
@given(systems())
def test_derivations_are_well_formed_under_any_names(drawn):
    reader, joints, parameters = drawn
    s = READERS[reader](joints, parameters)
    d = s.derivation(symbols=["m_link1"]) if reader in NO_PARAMETERS else s.derivation()
    well_formed(d.latex())
    well_formed(d.markdown())
    harmless(json.dumps(d.notebook(), ensure_ascii=False))
    assert "<script" not in d.html()


def numbers(form):
    rows = ((form.coordinates, Q), (form.velocities, V), (form.accelerations, A))
    made = {x: float(y) for row, numbers in rows for x, y in zip(row, numbers, strict=True)}
    return made | {x: float(y) for x, y in form.parameters.items()}


def evaluated(equations, values):
    point = {k: sympy.Float(y, 30) for k, y in values.items()}
    return [float(x.xreplace(point)) for x in equations]


def arguments(form, values):
    parts = [form.coordinates, form.velocities, form.accelerations, tuple(form.parameters)]
    return [np.array([values[x] for x in part]) for part in parts if part]


def by_python(form, values):
    space = {}
    exec(compile(printed(form, "equations", "python"), "exported", "exec"), space)
    return space["arm_equations"](*arguments(form, values))


def by_c(form, values, folder):
    (folder / "f.c").write_text(printed(form, "equations", "c"))
    flags = "-std=gnu99 -Wall -Wextra -Werror -pedantic -shared -fPIC -O0".split()
    command = ["cc", *flags, "f.c", "-o", "f.so", "-lm"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    tau = np.zeros(2)
    given = [*arguments(form, values), tau]
    ctypes.CDLL(str(folder / "f.so")).arm_equations(
        *(ctypes.c_void_p(x.ctypes.data) for x in given)
    )
    return tau


def by_latex(form, values):
    names = Names(map(str, form.coordinates), map(str, form.parameters))
    known = {latex(x, names): y for x, y in values.items()}
    assert len(known) == len(values)  # each is printed in a way of its own
    return latex_numbers.equations(form.latex("equations"), known)


def well_formed(text):
    """LaTeX whose braces pair up and whose commands are ours, and Markdown without tags."""
    plain = re.sub(r"\\[{}\\%$#&_]", "", text)
    assert plain.count("{") == plain.count("}"), text
    assert set(re.findall(r"\\([A-Za-z]+)", plain)) <= COMMANDS
    assert not re.search(r"<[A-Za-z/!]", text)
    harmless(text)


def harmless(text):
    assert not any(name in text for name in INJECTED)
    assert "<script" not in text


def judged(s, form, reader):
    """A right claim is identical, a wrong one differs, in the system's own names."""
    if reader in NO_PARAMETERS:
        assert s.check("M22 = 0.19").status == "differs"
        assert s.check(f"M22 = {M22[reader]}").status == "identical"
    right, wrong = form.equations[0], form.mass_matrix[1, 1] + form.coordinates[1]
    for name, claim, status in (("tau1", right, "identical"), ("M22", wrong, "differs")):
        assert s.check(sympy.Eq(sympy.Symbol(name), claim)).status == status
    names = [*map(str, form.coordinates), *map(str, form.parameters)]
    typed = all(is_name(x) and x.strip("_") for x in names)
    plain = typed and not any(x[0] == "_" or "ü" in x for x in names)  # ü may be a rate of u
    for text, is_read in ((form.latex("equations"), typed), (in_text(form), plain)):
        status = read_back(s, text)
        assert status == "identical" or (status is None and not is_read), text


def in_text(form):
    return str(form).partition("\n")[2]


def read_back(s, text):
    """The status of what was printed, as a claim; None where such names cannot be typed."""
    try:
        return s.check(text).status
    except VisvivaError:
        return None


@pytest.mark.spread(4)
@pytest.mark.parametrize(
    ("joints", "parameters"),
    [
        ("x y", "m l"),
        ("cart_joint pole_joint", "m l"),
        ("joint_1 left_hip_pitch", "M L1"),
        ("θ φ₁", "m l"),
        ("关节1 腕", "m l"),
        ("für ü", "épaule ñ"),
        ("lambda class", "double int"),
        ("u1 Q2", "g I1"),
    ],
)
def test_what_is_printed_is_read_back(joints, parameters):
    s = by_builder(joints.split(), parameters.split())
    form = s.closed_form()
    assert read_back(s, form.latex("equations")) == "identical"
    assert read_back(s, in_text(form)) == "identical"


CLASHES = [
    (("x", "xd"), (), "the joint 'xd' and the velocity of the joint 'x'"),
    (("xd", "x"), (), "the joint 'xd' and the velocity of the joint 'x'"),
    (("q1", "qd1"), (), "the velocity of the joint 'q1'"),
    (("thetad1", "theta1"), (), "the velocity of the joint 'theta1'"),
    (("q1", "qdd1"), (), "the acceleration of the joint 'q1'"),
    (("x", "x'"), (), "a rate of the joint 'x'"),
    (("u", "ü"), (), "a rate of the joint 'u'"),
    (("sin", "y"), (), "the function sin"),
    (("y", "cos"), (), "the function cos"),
    (("pi", "y"), (), "the number π"),
    (("π", "y"), (), "the number π"),
    (("tau2", "y"), (), "the generalized force 2"),
    (("é", "e\u0301"), (), "one name in two encodings"),
    (("⟨force⟩1", "y"), (), "a name that visviva makes"),
    (("x", "y"), ("x", "l"), "a parameter and the joint 'x'"),
    (("x", "y"), ("m", "y"), "a parameter and the joint 'y'"),
    (("x", "y"), ("xd", "l"), "a parameter and the velocity of the joint 'x'"),
    (("x", "y"), ("x_dot", "l"), "a parameter and the velocity of the joint 'x'"),
    (("x", "y"), ("m", "ydd"), "a parameter and the acceleration of the joint 'y'"),
    (("θ", "y"), ("theta", "l"), "a parameter and the joint 'θ'"),
    (("x", "y"), ("х", "l"), "a parameter and the joint 'x'"),  # Cyrillic
    (("x", "y"), ("q2", "l"), "a parameter and coordinate 2"),
    (("x", "y"), ("tau_x", "l"), "a parameter and the generalized force of the joint 'x'"),
    (("x", "y"), ("m", "τ2"), "a parameter and the generalized force 2"),
    (("x", "y"), ("m", "pi"), "a parameter and the number π"),
    (("x", "y"), ("sqrt", "l"), "a parameter and the function sqrt"),
    (("x", "y"), ("m1", "m_1"), "a parameter and the parameter 'm1'"),
]
KINDS = ("velocity of", "the function", "generalized force", "two encodings", "visviva makes")
RESERVED = {"pi", "π", "sqrt", "sin", "cos"}  # formulas in files know these by themselves
OWN_WORDS = ("expected a new name", "can mean two things")


def clashes(reader):
    """All of them; of MuJoCo's files, which take long to read, one of each kind in `make test`."""
    if reader != "MJCF" or SOAK:
        return CLASHES
    return [next(c for c in CLASHES if kind in c[2]) for kind in KINDS]


@pytest.mark.soak
@pytest.mark.parametrize("reader", READERS)
def test_a_name_that_means_two_things_is_refused_where_the_model_is_built(reader):
    for joints, parameters, both in clashes(reader):
        if parameters and reader in NO_PARAMETERS:
            continue
        if reader == "Lagrangian" and not all(map(is_name, joints)):
            continue  # refused as no names
        with pytest.raises((ArgumentError, ValueError)) as caught:
            READERS[reader](joints, parameters or ("m", "l"))
        said = str(caught.value)
        own = reader in ("TOML", "Lagrangian") and {*parameters, *joints} & RESERVED
        both = both.replace("joint", "coordinate") if reader == "Lagrangian" else both
        assert both in said or (own and any(x in said for x in OWN_WORDS)), said


def test_a_torque_may_be_called_tau_where_forces_are_several():
    """tau alone is the force of one coordinate; of several it is a vector, which no torque is."""
    energies = {"theta": "m*theta'^2/2", "theta phi": "m*theta'^2/2 + J*(theta' + phi')^2/2"}
    one, two = energies
    wheel = vv.Lagrangian(
        two, energies[two], forces=["-tau", "tau"], parameters={"m": 1, "J": 2, "tau": 3}
    )
    assert wheel.check("m theta'' + J (theta'' + phi'') = -tau").is_identical
    with pytest.raises(ArgumentError, match="'tau' can mean two things"):
        vv.Lagrangian(one, energies[one], forces=["tau"], parameters={"m": 1, "tau": 3})


def test_a_proof_of_a_false_statement_is_refused_with_its_model():
    """A parameter called as a joint: M11 = 4 m x² was a proof, the truth is m (x₀ + x)²."""
    with pytest.raises(ArgumentError, match="'x' can mean two things, a parameter and the joint"):
        by_builder(("th", "x"), ("m", "x"))


def test_names_that_we_use_inside_are_free_for_everybody():
    """A parameter called fixed_0 took the value of what does not move: a wrong number."""
    values = {"m": 2.0, "k": 3.0, "fixed_0": 7.0}
    force = "fixed_0*cosh(x) + (k + m)*exp(x)"
    s = vv.Lagrangian("x", "m*x'^2/2", forces=[force], parameters=values)
    expected = -(7 * np.cosh(0.4) + 5 * np.exp(0.4))
    assert s.inverse_dynamics([0.4], [0.0], [0.0]) == pytest.approx([expected], rel=1e-14)


def test_two_symbols_of_one_name_are_refused():
    one, other = sympy.Dummy("m"), sympy.Dummy("m")
    x = vv.coordinates("x")
    with pytest.raises(ArgumentError, match=r"two different symbols .* called 'm'"):
        vv.Lagrangian(x, one * x.diff("t") ** 2, other * x)
    with pytest.raises(ArgumentError, match=r"two different symbols .* called 'm'"):
        vv.Lagrangian(x, one * x.diff("t") ** 2 + sympy.Symbol("m") * x)
    same = sympy.Symbol("m", positive=True) * x.diff("t") ** 2
    assert vv.Lagrangian(x, same, sympy.Symbol("m") * x).parameter_names == ("m",)
    with pytest.raises(ArgumentError, match="the parameter 'm' has two values"):
        vv.Lagrangian(x, same, parameters={"m": 1, sympy.Symbol("m"): 2})


@pytest.mark.spread(5)
@pytest.mark.parametrize("name", ["7", "_", "~", "\\", "½", "²", "a b", "p + a", "\\sin"])
def test_a_name_that_is_something_else_in_a_formula_is_not_taken_for_it(name):
    """A parameter called 7 was printed as the number: read back, the equations were others."""
    for joints, parameters in ((("x", name), ("a", "b")), (("x", "y"), (name, "b"))):
        s = by_builder(joints, parameters)
        form = s.closed_form()
        known = numbers(form)
        assert np.allclose(by_latex(form, known), by_hand(), rtol=0, atol=1e-12)
        for text in (form.latex("equations"), in_text(form)):
            assert read_back(s, text) in (None, "identical"), text
        assert name == "a b" or f"“{name}”" in in_text(form)


@pytest.mark.parametrize(
    ("joints", "parameters", "said"),
    [
        (("$$", "x"), ("_", "phi2"), ""),
        (("x", "y"), ("_", "__"), ""),
        (("_", "d"), ("m", "l"), ""),
        (("_", "y"), ("d", "l"), "d may be _' or d of 'arm'"),
    ],
)
def test_names_of_signs_alone_are_told_apart_in_claims(joints, parameters, said):
    """The joint $$ was taken for the parameter _: its own equation differed."""
    s = by_builder(joints, parameters)
    claim = sympy.Eq(sympy.Symbol("tau1"), s.closed_form().equations[0])
    if said:
        with pytest.raises(ArgumentError, match=re.escape(said)):
            s.check(claim)
    else:
        assert s.check(claim).is_identical


def test_look_alikes_are_told_apart_or_refused_by_name():
    """q1 and q_1: the closed form is right, printed they differ, claims say what is unclear."""
    s = by_builder(("q1", "q_1"), ("m", "l"))
    form = s.closed_form()
    assert np.allclose(evaluated(form.equations, numbers(form)), by_hand(), rtol=0, atol=1e-12)
    assert r"\mathrm{q1}" in form.latex("equations")
    assert r"\mathrm{q\_1}" in form.latex("equations")
    with pytest.raises(ArgumentError, match="q1 may be q1 or q_1 of 'arm'"):
        s.check("M12 = m l^2 (1 + cos(q1))")
    assert s.check("M22 = m l^2").is_identical


def test_made_up_names_give_way():
    """Names of masses, and of the parts of a free joint, are ours to choose."""
    b = vv.Builder("arm")
    solid = vv.Inertia.sphere(1.0, radius=0.1)
    b.body("base", joint="free", joint_name="base", inertia=solid)
    b.body("arm", parent="base", joint="revolute", joint_name="base_x", axis="z", inertia=solid)
    b.body("tip", parent="arm", joint="revolute", joint_name="m_arm", axis="x", inertia=solid)
    s = b.build()
    form = s.closed_form()
    every = [*form.coordinates, *form.velocities, *form.accelerations, *form.parameters]
    assert len({*map(str, every)}) == len(every)
    assert {"base_x", "base__x", "m_arm", "m_arm_"} <= {*map(str, every)}
    assert "m_arm_" in s.parameter_names
    light = s.function("mass_matrix", parameters=["m_arm_"])
    assert light(s.neutral(), [1.0])[-1, -1] == pytest.approx(s.mass_matrix(s.neutral())[-1, -1])
