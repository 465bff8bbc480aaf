"""What a user sees of closed forms and derivations: printed, in notebooks, in papers, as code."""

import ctypes
import re
import shutil
import subprocess
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy
from hypothesis import example, given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from visviva.errors import ArgumentError
from visviva.notation.names import Names
from visviva.notation.writing.plain import plain_text
from visviva.notation.writing.sentence import sentence
from visviva.notation.writing.write import latex, md

HOSTILE = r"\input{/etc/passwd}", "<script>alert(1)</script>", "![x](http://x) *b* $y$ `c`"


def cart_pole(name="cart_pole", joint_name=""):
    """Default names of joints, default gravity."""
    b = vv.Builder(name, parameters={"M": 2.0, "m": 0.3, "l": 0.5})
    P = b.parameters
    point = vv.Inertia.point
    b.body("cart", joint="prismatic", axis="x", joint_name=joint_name, inertia=point(P["M"]))
    ball = point(P["m"], [0, 0, P["l"]])
    b.body("pole", parent="cart", joint="revolute", axis="y", inertia=ball)
    return b.build()


# ---- what is shown


def test_print_shows_the_equations():
    shown = str(vv.catalog.two_link().closed_form())
    assert shown.startswith("two_link: 2 equations in q1, q2\n  τ₁ = ")
    assert "  τ₂ = I₂ (q̈₁ + q̈₂) + m₂ r₂ (" in shown
    large = vv.catalog.puma560().closed_form()
    assert "they are long: .equations" in str(large)
    assert repr(large) == f"<ClosedForm of puma560: 6 equations in {', '.join(names(large))}>"
    energy = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters={"m": 1, "k": 2})
    assert str(energy.closed_form()) == "lagrangian: 1 equation in x\n  τ₁ = m ẍ + k x"


def names(form):
    return map(str, form.coordinates)


# ---- velocities that are no rates of coordinates


TENSOR = sympy.diag(*sympy.symbols("Ix Iy Iz"))


def rotating(kind, count=1):
    """Bodies on joints that have quaternions, one on the other."""
    values = {"m": 1.0, "Ix": 0.3, "Iy": 0.4, "Iz": 0.5}
    b, parent = vv.Builder("turning", gravity=[0, 0, 0], parameters=values), "world"
    for k in range(count):
        inertia = vv.Inertia(sympy.Symbol("m"), [0, 0, 0], np.array(TENSOR))
        b.body(f"b{k}", parent=parent, joint=kind, joint_name=f"j{k}", inertia=inertia)
        parent = f"b{k}"
    return b.build()


def test_body_rates_are_omega_and_euler_s_equations_those_of_books():
    assert str(rotating("spherical").closed_form()).splitlines()[1:] == [
        "  τ₁ = I_x ω̇_x - ω_y ω_z (I_y - I_z)",
        "  τ₂ = I_y ω̇_y + ω_x ω_z (I_x - I_z)",
        "  τ₃ = I_z ω̇_z - ω_x ω_y (I_x - I_y)",
    ]
    free = Names(rotating("free").coordinate_names)
    assert [free.parts(f"j0_{x}") for x in ("wxd", "wxdd", "vyd", "vydd")] == [
        ("omega", "x", 0), ("omega", "x", 1), ("v", "y", 0), ("v", "y", 1),
    ]  # fmt: skip
    written = str(rotating("spherical").derivation("newton-euler"))
    assert "¹ω₁ = ¹₀R ⁰ω₀ + ¹ω_J1 = (ω_x, ω_y, ω_z)" in written
    two = rotating("spherical", 2)
    assert r"\omega_{\mathrm{j1,x}}" in two.closed_form().latex("kinetic_energy")


@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_what_is_printed_of_body_rates_is_read_as_it_stands(kind):
    model = rotating(kind)
    form = model.closed_form()
    for k, row in enumerate(form.equations):
        shown = plain_text(row, Names(form.rated_names, form.parameter_names))
        assert model.check(f"tau{k + 1} = {shown}").is_identical, shown
        assert not model.check(f"tau{k + 1} = {shown} + Ix ω_x").is_identical


def test_a_form_writes_its_latex_and_its_sources():
    form = vv.catalog.rp_arm().closed_form()
    assert form.latex().count(r"\[") == 4
    assert form.latex("equations").startswith(r"\[ \tau_{1} = ")
    assert form.markdown("equations").startswith("# rp_arm\n")
    assert form.html().startswith("<!DOCTYPE html>")
    assert "def rp_arm_equations(q, v, a, parameters):" in form.python_source("equations")
    assert "void rp_arm_standard(" in form.c_source()


@pytest.mark.parametrize("name", ["two_link", "puma560", "relativistic_particle"])
def test_a_notebook_shows_a_form_without_a_network(name):
    if name == "relativistic_particle":
        L = vv.Lagrangian("x", "-sqrt(1 - x'^2)", name=name)  # no matrices: equations alone
        shown = L.closed_form()._repr_html_()
    else:
        shown = vv.catalog.build(name).closed_form()._repr_html_()
    assert "<math" in shown or name == "puma560"
    assert not re.search(r"<script|<link|src=|\$\$", shown)
    assert name in shown
    ElementTree.fromstring(f"<div>{shown}</div>")


def test_default_gravity_is_printed_as_a_decimal():
    form = cart_pole().closed_form()
    for text in (form.latex("equations"), form.latex(), form.html(), str(form)):
        assert "9.81" in text
        assert not re.search(r"981|frac\{1\}\{100\}", text.replace("9.81", ""))
    assert form.gravity[1] == -sympy.Rational(981, 100) * sympy.sympify("m*l*sin(pole_joint)")
    derived = cart_pole().derivation()
    assert "981" not in derived.markdown().replace("9.81", "")
    numbers = cart_pole().closed_form(symbols=[]).latex("equations")
    assert r"\frac" not in numbers  # 2.3, not 23/10, beside 1.4715
    half = sympy.Symbol("m") / 2 + sympy.Rational(2, 5)
    assert latex(half) == r"\frac{1}{2} m + \frac{2}{5}"


def test_factors_are_pulled_out_of_decimals_only_where_that_reads_well():
    from visviva.algebra.exact.ring import Ring
    from visviva.notation.textbook.writer import from_textbook, textbook

    ring = Ring(["a", "b", "c", "d"], {})
    a, b, c, d = map(ring.__getitem__, "abcd")
    for p, form in [
        (a + 9.81 * b, "a + 981*b/100"),
        (2 * a + 19.62 * b, "2*a + 981*b/50"),
        (9.81 * a + 9.81 * b, "981*a/100 + 981*b/100"),
        ((a + b) * (c + 9.81 * d), "(a + b)*(c + 981*d/100)"),
        (c * (9.81 * a + 19.62 * b), "981*c*(a + 2*b)/100"),
    ]:
        assert str(textbook(p)) == form
        assert from_textbook(textbook(p), ring) == p


def test_names_of_joints_are_words_and_letters_are_letters():
    form = cart_pole().closed_form()
    assert r"\ddot{\mathrm{cart\_joint}}" in form.latex("equations")
    assert "cart_joint''" in str(form)
    shown = Names(["cart_joint", "joint_6", "theta1", "q_2", "x_cart", "th", "lift3"]).parts
    assert shown("jointd_6") == ("joint", "6", 1)
    assert shown("thetadd1") == ("theta", "1", 2)
    assert shown("qd_2") == ("q", "2", 1)
    assert shown("x_cart") == ("x", "cart", 0)
    assert shown("thd") == ("th", "", 1)
    assert shown("lift3") == ("lift", "3", 0)
    assert Names(["x"], ["kd", "yd"]).parts("yd") == ("y", "d", 0)  # a parameter is no rate


def test_a_mass_called_m_and_the_mass_matrix_are_told_apart():
    assert r"\[ M(q) = " in cart_pole().closed_form().latex()
    assert r"\[ C = " in cart_pole().closed_form().latex()


# ---- Christoffel symbols, closed forms of energies


def test_listings_of_christoffel_symbols_show_both_of_each_pair():
    form = vv.catalog.two_link().closed_form()
    gamma = form.nonzero_christoffel
    assert gamma.keys() == {(1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 1, 1)}
    assert gamma[1, 1, 2] == gamma[1, 2, 1] == form.christoffel[0, 1, 0]
    assert r"\Gamma_{112} = \Gamma_{121} = " in form.latex("christoffel")
    assert form.latex("christoffel").count(r"\[") == 3
    assert "Γᵢⱼₖ = Γᵢₖⱼ" in form.markdown("christoffel")
    assert form.html("christoffel").count("<mi>121</mi>") + form.html("christoffel").count(
        "<mn>121</mn>"
    )


def test_the_closed_form_of_a_lagrangian_has_what_a_models_has_or_names_it():
    T = "(M + m)*x'^2/2 + m*l*cos(theta)*x'*theta' + m*l^2*theta'^2/2"
    system = vv.Lagrangian("x theta", T, "9.81*m*l*cos(theta)", parameters={"M": 1, "m": 2, "l": 3})
    form, model = system.closed_form(), vv.catalog.two_link().closed_form()
    assert form.nonzero_christoffel == {(1, 2, 2): form.christoffel[0, 1, 1]}
    assert (form.mass_determinant - form.mass_matrix.det()).expand().trigsimp() == 0
    public = [x for x in dir(model) if not x.startswith("_")]
    lacking = [x for x in public if not hasattr(form, x)]
    assert lacking
    for name in lacking:
        with pytest.raises(AttributeError, match=f"of a Lagrangian has no '{name}', that of a Mod"):
            getattr(form, name)
    with pytest.raises(AttributeError, match=r"of a Lagrangian has no 'masss'$"):
        _ = form.masss


# ---- code


@pytest.mark.spread(3)
@pytest.mark.parametrize("what", ["standard", "christoffel", "equations"])
@pytest.mark.parametrize("stated", ["model", "energies"])
def test_exported_code_without_parameters_runs(stated, what, tmp_path):
    if stated == "model":
        form = vv.catalog.rp_arm().closed_form(symbols=[])
    else:
        T = "(x'^2 + y'^2)/2 + 0.3*cos(y)*x'*y'"
        form = vv.Lagrangian("x y", T, "9.81*x", name="rp_arm").closed_form()
    assert not form.parameters
    given = {"q": np.array([0.3, 0.4]), "v": np.array([1.0, -2.0]), "a": np.array([0.5, 0.6])}
    given = {k: given[k] for k in {"standard": "qv", "christoffel": "q", "equations": "qva"}[what]}
    space = {}
    exec(compile(form.python_source(what), "exported", "exec"), space)
    made = space[f"rp_arm_{what}"](*given.values())
    made = made if isinstance(made, tuple) else (made,)
    assert all(np.isfinite(x).all() for x in made)
    if not shutil.which("cc"):
        return
    (tmp_path / "f.c").write_text(form.c_source(what))
    flags = "-std=c99 -Wall -Wextra -Werror -pedantic-errors -shared -fPIC".split()
    subprocess.run(["cc", *flags, "f.c", "-o", "f.so", "-lm"], cwd=tmp_path, check=True)
    results = [np.zeros_like(x) for x in made]
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (*given.values(), *results)]
    getattr(ctypes.CDLL(str(tmp_path / "f.so")), f"rp_arm_{what}")(*pointers)
    for x, y in zip(made, results, strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-14, atol=1e-14)


def test_a_system_that_does_not_move_has_no_code():
    still = vv.Builder("rock").body("stone", inertia=vv.Inertia.point(1.0)).build()
    with pytest.raises(ArgumentError, match="a function has outputs with entries, got none"):
        still.closed_form().python_source("equations")


# ---- names are no markup


@pytest.mark.parametrize("name", HOSTILE)
def test_names_and_titles_reach_no_document_as_commands(name):
    b = vv.Builder(name, parameters={name + " p": 2.0})
    ball = vv.Inertia.point(b.parameters[name + " p"], [0.3, 0, 0])
    b.body(name, joint="revolute", axis="y", joint_name=name, inertia=ball)
    b.body("last", parent=name, joint="prismatic", axis="x", inertia=vv.Inertia.point(1.0))
    model = b.build()
    form = model.closed_form()
    documents = [form.latex(), form.latex("equations"), form.markdown(), form._repr_latex_()]
    for method in ("lagrange", "newton-euler", "d-alembert", "virtual-work"):
        d = model.derivation(method)
        documents += [d.latex(), d.markdown(), str(d.notebook())]
        assert "<script" not in d.html()
    assert "<script" not in form._repr_html_()
    documents.append(model.crosscheck()._repr_markdown_())
    for text in documents:
        assert name not in text
        assert "<script" not in text
        assert r"\input" not in text


@given(st.text())
@example("\\\\input{x}")
@example("$$\\begin{x}")
@example("&#60;b&#62;")
@examples(8, 5000)
def test_no_text_is_markup_once_it_is_escaped(text):
    escaped = md(text)
    assert not re.search(r"[\\`*\[\]<>$|~]", escaped)
    assert not re.search(r"&(?!#\d+;)", escaped)
    assert "\n" not in escaped
    in_latex = re.sub(r"\\[&%_#$\\{}]|\\text[a-z]+\{\}", "", sentence(text))
    in_latex = re.sub(r"\$[^$]*\$", "", in_latex)
    assert not re.search(r"[\\{}%#&_^~$]", in_latex)
    name = latex(sympy.Symbol(text or "x"))
    assert plain(name).count("{") == plain(name).count("}")


def plain(text):
    return re.sub(r"\\[{}\\%$#&_ ]", "", text)


# ---- names are words


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("yaw", ("yaw", "")),
        ("arm", ("arm", "")),
        ("质量", ("质量", "")),
        ("größe", ("größe", "")),
        ("yaw_j2", ("yaw", "j2")),
        ("rod1", ("rod", "1")),
        ("lc2", ("l", "c2")),
        ("rcm", ("r", "cm")),
        ("Ixz_b", ("I", "xz,b")),
        ("l1a", ("l", "1a")),
        ("θa", ("θ", "a")),
    ],
)
def test_words_are_whole_and_letters_have_subscripts(name, parts):
    assert Names().parts(name) == (*parts, 0)


def test_angles_of_a_file_that_are_zero_are_no_parameters(tmp_path):
    link = """<link name="{0}"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
      <inertia ixx="0.1" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
    joint = """<joint name="j{0}" type="continuous"><parent link="{1}"/><child link="{2}"/>
      <origin xyz="1 0 0" rpy="{3}"/><axis xyz="0 0 1"/></joint>"""
    parts = [link.format("a"), link.format("b"), '<link name="base"/>']
    parts += [joint.format(1, "base", "a", "0 0 0"), joint.format(2, "a", "b", "0 0 0.7")]
    file = tmp_path / "planar.urdf"
    file.write_text(f'<robot name="planar">{"".join(parts)}</robot>')
    form = vv.load(file).closed_form()
    turns = [str(x) for x in form.parameters if "_j2" in str(x)]
    assert turns == ["yaw_j2"]
    assert r"\cos(j_{2} + \mathrm{yaw}_{j2})" in form.latex()
    values = {**form.parameters, form.coordinates[1]: 0.3}
    expected = vv.load(file).mass_matrix([0.0, 0.3])
    np.testing.assert_allclose(np.array(form.mass_matrix.subs(values), float), expected, rtol=1e-12)


def test_symbols_that_are_zero_are_told_with_the_way_out():
    arm = vv.catalog.two_link(I1=0, I2=0)
    assert "model.with_parameters(I1='0', I2='0') leaves them out" in str(arm.closed_form())
    assert "0 here" not in str(arm.with_parameters(I1="0", I2="0").closed_form())
