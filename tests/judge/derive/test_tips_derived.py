"""Derivations of J and of statics: what they write, and that a wrong line is not written."""

import pytest
import sympy

import visviva as vv
from visviva.errors import ArgumentError, ConstrainedError, DerivationError, UnknownNameError
from visviva.judge.check.compare.tip import Kinematics
from visviva.judge.check.said.tip import Tip
from visviva.judge.derive import chain as chains
from visviva.judge.derive import jacobian as ways
from visviva.judge.derive import statics as written
from visviva.judge.exact.model_forms import ModelForms
from visviva.notation.textbook.writer import textbook

ARM = vv.catalog.two_link()
q1, q2, L1, L2, m1, m2, r1, r2, a_g = sympy.symbols("q1 q2 L1 L2 m1 m2 r1 r2 a_g")
qd1, qd2, v_x, v_y = sympy.symbols("qd1 qd2 v_x v_y")
F1, F2 = sympy.symbols("F1 F2")
s1, c1, s12, c12 = sympy.sin(q1), sympy.cos(q1), sympy.sin(q1 + q2), sympy.cos(q1 + q2)
J = sympy.Matrix([[-L1 * s1 - L2 * s12, -L2 * s12], [L1 * c1 + L2 * c12, L2 * c12]])
G = sympy.Matrix([a_g * ((m1 * r1 + m2 * L1) * c1 + m2 * r2 * c12), a_g * m2 * r2 * c12])
CHAINS = ["two_link", "rp_arm", "pr_arm", "planar_3r", "rpr_arm", "spatial_3r", "scara",
          "spherical", "cartesian", "craig_6_5", "puma560"]  # fmt: skip


def told(steps):
    """Lines by their left sides."""
    return {e.name: str(e) for e in steps.equations}


def same(a, b):
    """Equal by trigonometry."""
    gap = sympy.Matrix([a]) - sympy.Matrix([b])
    return sympy.simplify(gap.applyfunc(sympy.expand_trig)) == sympy.zeros(*gap.shape)


# ---- the Jacobian


def test_the_way_to_the_jacobian_of_two_links():
    steps = ARM.derivation("jacobian")
    assert steps.exact
    assert same(steps["J"], J)
    assert steps["J_ω"] == sympy.Matrix([[1, 1]])
    lines = told(steps)
    assert lines["p_e"] == "p_e = (L₁ c₁ + L₂ c₁₂, L₁ s₁ + L₂ s₁₂)"
    assert lines["J₂"] == "J₂ = ẑ₂ × r_2,e = (-L₂ s₁₂, L₂ c₁₂)"
    assert lines["J"].startswith("J = [J₁, J₂] = ")
    assert lines["v_e"].startswith("v_e = J q̇ = J₁ q̇₁ + J₂ q̇₂ = ")
    assert "when only joint 2 moves" in str(steps)
    assert [s.chapter for s in steps if s.chapter] == [
        "Forward kinematics",
        "The chain rule",
        "The Jacobian, column after column",
        "The Jacobian",
        "Rates for a velocity of the tip",
    ]


def test_places_and_the_chain_rule_term_by_term():
    """As 003 has it, lines 209–246."""
    steps = ARM.derivation("jacobian")
    lines = told(steps)
    assert lines["x_e"] == "x_e = L₁ c₁ + L₂ c₁₂"
    assert lines["φ_e"] == "φ_e = q₁ + q₂"
    assert lines["∂x_e/∂q₁"] == "∂x_e/∂q₁ = -L₁ s₁ - L₂ s₁₂"
    assert lines["ẏ_e"].startswith("ẏ_e = ∂y_e/∂q₁ q̇₁ + ∂y_e/∂q₂ q̇₂ = ")
    for k, name in enumerate(("ẋ_e", "ẏ_e")):
        assert same(steps[name], (J * sympy.Matrix([qd1, qd2]))[k])
    space = told(vv.catalog.spatial_3r().derivation("jacobian"))
    assert space["ż_e"].startswith("ż_e = ∂z_e/∂θ₂ θ̇₂ + ∂z_e/∂θ₃ θ̇₃ = ")  # none by θ₁
    assert "φ_e" not in space
    down = told(vv.catalog.acrobot().derivation("jacobian"))
    assert down["φ_e + π/2"] == "φ_e + π/2 = q₁ + q₂"  # it hangs where both are zero


def test_determinant_singular_positions_and_inverse():
    """003 lines 236–267."""
    steps = ARM.derivation("jacobian")
    assert same(steps["det J"], L1 * L2 * sympy.sin(q2))
    for place, sign in (("q₂ = 0", 1), ("q₂ = π", -1)):
        column = sympy.Matrix([-s1, c1])
        expected = sympy.Matrix.hstack((L1 + sign * L2) * column, sign * L2 * column)
        assert same(steps[f"J ({place})"], expected)
        assert steps[f"det J ({place})"] == 0
    assert same(steps["J⁻¹"] * J, sympy.eye(2))
    lines = told(steps)
    assert lines["q̇₁"] == "q̇₁ = (v_x c₁₂ + v_y s₁₂)/(L₁ s₂)"
    rates = sympy.Matrix([steps["q̇₁"], steps["q̇₂"]])
    assert same(J * rates, sympy.Matrix([v_x, v_y]))
    slide = told(vv.catalog.rp_arm().derivation("jacobian"))
    assert slide["J⁻¹"] == "J⁻¹ = adj J/det J = -1/q₂ [s₁, -c₁; -q₂ c₁, -q₂ s₁]"


def test_inverses_in_numbers_and_of_slides():
    in_numbers = told(vv.catalog.two_link(L1=1.0, L2=0.8).derivation("jacobian", symbols=[]))
    assert in_numbers["q̇₁"] == "q̇₁ = (v_x c₁₂ + v_y s₁₂)/s₂"
    b = vv.Builder("table", parameters={"v_x": 1.0})  # a name that is taken
    b.body("along", joint="prismatic", axis="x", joint_name="x", mass=1)
    b.body("across", parent="along", joint="prismatic", axis="-y", joint_name="y", mass=1)
    lines = told(b.build().derivation("jacobian"))
    assert lines["J⁻¹"] == "J⁻¹ = adj J/det J = -[-1, 0; 0, 1]"
    assert lines["ẏ"] == "ẏ = -v_ye"
    with pytest.raises(UnknownNameError, match="unknown parameter 'v_x'"):
        ARM.derivation("jacobian", symbols=["v_x"])


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("name", "det", "singular", "left"),
    [
        ("planar_3r", "det J = l₁ l₂ s₂", ["θ₂ = 0", "θ₂ = π"], []),
        ("rpr_arm", "det J = -d", ["d = 0"], []),
        ("spherical", "det J = r² c_φ", ["r = 0", "φ = π/2", "φ = -π/2"], []),
        ("spatial_3r", "det J = -l₁ l₂ (l₁ c₂ + l₂ c₂₃) s₃", ["θ₃ = 0", "θ₃ = π"],
         ["l₁ c₂ + l₂ c₂₃ = 0"]),
        ("cartesian", "det J = 1", [], []),
    ],
)  # fmt: skip
def test_determinants_and_their_zeros(name, det, singular, left):
    steps = vv.catalog.build(name).derivation("jacobian")
    lines = told(steps)
    assert lines["det J"] == det
    assert [x for x in lines if x.startswith("J (")] == [f"J ({x})" for x in singular]
    assert [str(e) for s in steps if s.title == "A condition" for e in s.equations] == left
    assert "J adj J = det J · 1, entry by entry" in {c for s in steps for c in s.checks}
    assert ("There are none" in str(steps)) == (name == "cartesian")


@pytest.mark.spread(5)
@pytest.mark.parametrize("name", CHAINS)
def test_tip_and_rows_are_those_of_check(name):
    m = vv.catalog.build(name)
    facts = ModelForms(m).facts
    square = Kinematics(Tip(facts, facts.tip)).square
    steps = m.derivation("jacobian")
    assert f"e is {facts.tip!r}" in str(steps)
    assert same(steps["J"], sympy.Matrix([[textbook(x) for x in row] for row in square]))


def test_the_tip_of_the_puma_is_its_tool_and_others_are_asked_for():
    puma = vv.catalog.puma560()
    assert "e is 'tool'" in str(puma.derivation("jacobian"))
    assert "e is 'dh3'" in str(puma.derivation("jacobian", frame="dh3"))
    assert "singularities(frame) finds" in str(puma.derivation("jacobian"))
    elbow = ARM.derivation("jacobian", frame="link2")
    assert same(elbow["x_e"], L1 * c1)
    short = ARM.derivation("jacobian", frame="link1")
    assert "the joint comes after the tip" in str(short)
    assert short["J₂"] == sympy.zeros(2, 1)
    assert short["det J"] == 0
    assert "never reach all directions" in str(short)
    with pytest.raises(UnknownNameError, match="'hand'"):
        ARM.derivation("jacobian", frame="hand")
    with pytest.raises(ArgumentError, match="no joint of 'two_link' moves 'world'"):
        ARM.derivation("statics", frame="world")
    for system in (ARM, vv.catalog.knife_edge()):
        with pytest.raises(ArgumentError, match="'lagrange' has no frame, got frame='tool'"):
            system.derivation("lagrange", frame="tool")


# ---- statics


def test_the_way_to_the_torques_of_two_links():
    steps = ARM.derivation("statics")
    torques = J.T * sympy.Matrix([F1, F2]) + G
    for k, name in enumerate(("τ₁", "τ₂")):
        assert same(steps[name], torques[k])
        assert same(steps[f"G{'₁₂'[k]}"], G[k])
    assert same(steps["τ"], torques)
    lines = told(steps)
    assert lines["F"] == "F = (F₁, F₂)"
    assert lines["N_2,3"] == "N_2,3 = 0"
    assert lines["f_0,1"].startswith("f_0,1 = f_1,2 - m₁ g⃗ = ")
    assert lines["N_0,1"].startswith("N_0,1 = N_1,2 + r_C1,1 × f_1,2 - r_C1,0 × f_0,1 = ")
    assert lines["G₁"].startswith("G₁ = -m₁ g⃗ · ∂p_C1/∂q₁ - m₂ g⃗ · ∂p_C2/∂q₁ = ")
    assert lines["τ"].startswith("τ = Jᵀ F + G = [-L₁ s₁ - L₂ s₁₂, L₁ c₁ + L₂ c₁₂; ")


def test_balances_and_the_principle_stand_as_in_the_source():
    """003 lines 317–325 and 346–377."""
    every = [str(e) for e in ARM.derivation("statics").equations]
    assert "f_1,2 - f_2,3 + m₂ g⃗ = 0" in every
    assert "N_1,2 - N_2,3 + r_C2,1 × f_1,2 - r_C2,2 × f_2,3 = 0" in every
    assert "N_0,1 - N_1,2 + r_C1,0 × f_0,1 - r_C1,1 × f_1,2 = 0" in every
    assert "δ W = τᵀ δ q - Fᵀ δ p + ∑ m_i g⃗ · δ p_Ci = (τ - Jᵀ F - G)ᵀ δ q = 0" in every
    space = [str(e) for e in vv.catalog.craig_6_5().derivation("statics").equations]
    assert any("- Fᵀ δ p - Nᵀ δ ψ + " in x for x in space)
    assert any(x.startswith("τ = Jᵀ F + J_ωᵀ N + G = ") for x in space)


def test_loads_are_those_of_the_rows_of_the_jacobian():
    """A moment only where the tip has a row of φ, or in space."""
    names = {"planar_3r": "(F₁, F₂, M_z)", "rp_arm": "(F₁, F₂)", "spatial_3r": "(F₁, F₂, F₃)"}
    for name, load in names.items():
        assert told(vv.catalog.build(name).derivation("statics"))["F"] == f"F = {load}"
    assert told(vv.catalog.scara().derivation("statics"))["N"] == "N = (M_x, M_y, M_z)"


@pytest.mark.parametrize("name", ["rp_arm", "craig_6_5", "scara"])
def test_arms_with_slides_and_in_space_are_written_too(name):
    """The forms of the closed form: exact, whatever moves."""
    m = vv.catalog.build(name)
    steps = m.derivation("statics")
    assert steps.exact
    none = dict.fromkeys(sympy.symbols(written.LOAD_SYMBOLS), 0)
    form = m.closed_form()
    for k in range(m.nv):
        torque = steps[f"τ{'₁₂₃'[k]}"]
        assert sympy.simplify(torque.xreplace(none) - form.gravity[k]) == 0
    assert m.derivation("jacobian").checks > 100


def test_a_model_in_numbers_names_them_and_keeps_names_apart():
    b = vv.Builder("arm", gravity=[0, 0, -9.81], parameters={"F1": 2.0})
    mass = b.parameters["F1"]
    b.body("link", joint="revolute", axis="y", joint_name="q", mass=mass, com=[0.5, 0, 0])
    b.frame("tip", body="link", at=[1, 0, 0]).frame("other", body="link", at=[2, 0, 0])
    arm = b.spring("k", 3.0, 0.1, joint="q").build()
    steps = arm.derivation("statics", frame="tip")
    assert "F1e" in str(steps["F"])
    assert "springs at joints add to it" in str(steps)
    assert told(steps)["τ"].startswith("τ = Jᵀ F + G + S = ")
    assert sympy.simplify(steps["p_e"][0] - sympy.cos(sympy.Symbol("q"))) == 0
    assert "e is 'other'" in str(arm.derivation("statics"))  # the last, as in `check`
    chain = vv.from_screws(
        vv.space.Pose.translation([1, 0, 0]), [[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, -0.5, 0]],
        inertias=[vv.Inertia.point(1.0, [0.2, 0, 0])] * 2, gravity=[0, -9.81, 0],
    )  # fmt: skip
    weights = chain.derivation("statics")["G₂"].free_symbols
    assert {x.name for x in weights} >= {"m_link2", "cx_link2"}
    down = vv.Builder("down", gravity=[0, 0, -9.81])
    down.body("boom", joint="revolute", axis="-y", joint_name="lift", mass=2, com=[1, 0, 0])
    boom = down.build().derivation("statics", symbols=[])
    assert told(boom)["τ₁"].startswith("τ₁ = -N_0,1 = ")  # x and z are written, the hinge along -y
    assert "moments about y." in str(boom)


def test_gravity_across_the_plane_and_joints_without_motors_are_told():
    b = vv.Builder("table", gravity=[0, 0, -9.81])
    b.body("link", joint="revolute", axis="z", joint_name="q", mass=2.0, com=[0.5, 0, 0])
    steps = b.frame("tip", body="link", at=[1, 0, 0]).build().derivation("statics", symbols=[])
    assert "Gravity is across the plane: the hinges carry it." in str(steps)
    assert steps["G₁"] == 0
    assert "g⃗" not in told(steps)
    acrobot = str(vv.catalog.acrobot().derivation("statics"))
    assert "no motor at joint 1: at rest what is written for it must be zero." in acrobot
    assert "no motor" not in str(steps)


def test_they_become_documents():
    steps = ARM.derivation("statics")
    assert "\\tau_{1}" in steps.latex()
    assert "<math" in steps.html()
    assert steps.markdown().startswith("# Statics for two_link")
    assert "\\frac{\\mathrm{adj} J}{\\mathrm{det} J}" in ARM.derivation("jacobian").latex()


# ---- what is wrong, or not written


def test_a_wrong_line_is_not_written(monkeypatch):
    right = written.reaction_wrenches

    def wrong(*args):
        found = right(*args)
        found[1][2] = found[1][2] * 2
        return found

    monkeypatch.setattr(written, "reaction_wrenches", wrong)
    with pytest.raises(DerivationError, match="the balance of a link"):
        ARM.derivation("statics")


def test_a_wrong_determinant_or_column_is_not_written(monkeypatch):
    with monkeypatch.context() as m:
        m.setattr(ways, "determinant", lambda rows: -chains_determinant(rows))
        with pytest.raises(DerivationError, match="J adj J = det J"):
            ARM.derivation("jacobian")
    monkeypatch.setattr(chains.Chain, "axis", lambda self, i: self.all([0, 0, -1]))
    with pytest.raises(DerivationError, match="derivatives of the tip's place"):
        ARM.derivation("jacobian")


chains_determinant = ways.determinant


def test_what_is_no_chain_is_refused():
    with pytest.raises(ArgumentError, match="'theta3' of 'four_bar' is a branch"):
        vv.catalog.four_bar().without_constraints().derivation("statics")
    with pytest.raises(ArgumentError, match=r"needs coordinates whose rates are the velocities"):
        vv.catalog.tumbling_body().derivation("jacobian")
    b = vv.Builder("screw")
    b.body("nut", joint="helical", axis="z", pitch=0.1, mass=1)
    with pytest.raises(ArgumentError, match="turns and slides at once"):
        b.build().derivation("jacobian")
    with pytest.raises(ArgumentError, match="a Lagrangian has the method 'lagrange'"):
        vv.catalog.knife_edge().derivation("jacobian")


@pytest.mark.parametrize("name", ["four_bar", "bennett", "stewart", "delta"])
def test_loops_are_refused_as_loops(name):
    for method in ("jacobian", "statics"):
        with pytest.raises(ConstrainedError, match=rf"'{name}' is held by .*without_constraints"):
            vv.catalog.build(name).derivation(method)
    with pytest.raises(ConstrainedError, match=r"statics\(q\) finds torques"):
        vv.catalog.build(name).derivation("statics")


def test_rotations_in_rounded_decimals_are_refused():
    with pytest.raises(ArgumentError, match="'q2' of 'bennett' is placed by a rotation in rounded"):
        vv.catalog.bennett().without_constraints().derivation("jacobian")


def test_springs_between_frames_are_refused():
    b = vv.Builder("arm", gravity=[0, 0, -9.81])
    b.body("link", joint="revolute", axis="y", joint_name="q", mass=1, com=[0.5, 0, 0])
    b.frame("tip", body="link", at=[1, 0, 0]).spring("line", 2.0, between=("tip", "world"))
    arm = b.build()
    with pytest.raises(ArgumentError, match=r"springs between frames, 'line', .*statics\(q\)"):
        arm.derivation("statics")
    assert arm.derivation("jacobian").exact  # which has nothing to do with them
