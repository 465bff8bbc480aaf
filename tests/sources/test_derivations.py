"""Derivations of the sources, as they should have been printed."""

import numpy as np
import sympy

import visviva as vv
from visviva import Builder, Inertia

L1, L2, M1, M2, V1, V2, g = sympy.symbols("L1 L2 M1 M2 V1 V2 g")
q2, D1, D2, A1, A2 = sympy.symbols("theta2 thetad1 thetad2 thetadd1 thetadd2")
C1, S1 = sympy.cos(sympy.Symbol("theta1")), sympy.sin(sympy.Symbol("theta1"))
C2, S2 = sympy.cos(q2), sympy.sin(q2)
R = L1 + L2 * C2

# every quantity of the exercise, with the corrections of the audit
CRAIG_6_5 = {
    "⁰₁T": [[C1, -S1, 0, 0], [S1, C1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    "¹₂T": [[C2, -S2, 0, L1], [0, 0, -1, 0], [S2, C2, 0, 0], [0, 0, 0, 1]],
    "²₃T": [[1, 0, 0, L2], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    "⁰P₁": [0, 0, 0],
    "¹P₂": [L1, 0, 0],
    "²P₃": [L2, 0, 0],
    "¹P_C1": [L1, 0, 0],
    "²P_C2": [L2, 0, 0],
    "⁰v̇₀": [0, 0, g],
    "⁰ω₀": [0, 0, 0],
    "⁰ω̇₀": [0, 0, 0],
    "³f₃": [0, 0, 0],
    "³n₃": [0, 0, 0],
    "¹ω₁": [0, 0, D1],
    "¹ω̇₁": [0, 0, A1],
    "¹v̇₁": [0, 0, g],
    "¹v̇_C1": [-L1 * D1**2, L1 * A1, g],
    "²ω₂": [S2 * D1, C2 * D1, D2],
    "²ω̇₂": [S2 * A1 + C2 * D1 * D2, C2 * A1 - S2 * D1 * D2, A2],
    "²v̇₂": [-L1 * C2 * D1**2 + S2 * g, L1 * S2 * D1**2 + C2 * g, -L1 * A1],
    "²v̇_C2": [
        -R * C2 * D1**2 - L2 * D2**2 + S2 * g,
        R * S2 * D1**2 + L2 * A2 + C2 * g,
        2 * L2 * S2 * D1 * D2 - R * A1,
    ],
    "¹F₁": [-M1 * L1 * D1**2, M1 * L1 * A1, M1 * g],
    "¹N₁": [0, 0, 0],
    "²F₂": [
        -M2 * R * C2 * D1**2 - M2 * L2 * D2**2 + M2 * S2 * g,
        M2 * R * S2 * D1**2 + M2 * L2 * A2 + M2 * C2 * g,
        2 * M2 * L2 * S2 * D1 * D2 - M2 * R * A1,
    ],
    "²N₂": [0, 0, 0],
    "²n₂": [
        0,
        M2 * L2 * R * A1 - 2 * M2 * L2**2 * S2 * D1 * D2,
        M2 * L2 * R * S2 * D1**2 + M2 * L2 * g * C2 + M2 * L2**2 * A2,
    ],
    "¹P_C1 × ¹F₁": [0, -M1 * g * L1, M1 * L1**2 * A1],
}
CRAIG_6_5["²f₂"] = CRAIG_6_5["²F₂"]
THIRD = {  # the components along z or y that the exercise needs
    ("¹₂R ²n₂", 2): M2 * L2 * C2 * (R * A1 - 2 * L2 * S2 * D1 * D2),
    ("¹₂R ²f₂", 1): M2 * R * A1 - 2 * M2 * L2 * S2 * D1 * D2,
    ("¹P₂ × ¹₂R ²f₂", 2): M2 * L1 * (R * A1 - 2 * L2 * S2 * D1 * D2),
    ("¹n₁", 2): (M1 * L1**2 + M2 * R**2) * A1 - 2 * R * M2 * L2 * S2 * D1 * D2,
}
TAU = [
    (M1 * L1**2 + M2 * R**2) * A1 - 2 * R * M2 * L2 * S2 * D1 * D2 + V1 * D1,
    M2 * L2**2 * A2 + R * M2 * L2 * S2 * D1**2 + M2 * g * L2 * C2 + V2 * D2,
]


def zero(x):
    """Decided: no sine occurs squared in the remainder."""
    s, c = sympy.symbols("s c")
    p = sympy.expand(sympy.sympify(x).subs({sympy.sin(q2): s, sympy.cos(q2): c}))
    return sympy.expand(sympy.rem(p, s**2 + c**2 - 1, s)) == 0 if p.has(s) else p == 0


def test_S67_C102_every_quantity_of_the_exercise():
    made = vv.catalog.craig_6_5().derivation("newton-euler")
    for name, wanted in CRAIG_6_5.items():
        gap = made[name] - sympy.Matrix(wanted)
        assert all(zero(x) for x in gap), name
    for (name, k), wanted in THIRD.items():
        assert zero(made[name][k] - wanted), name
    assert made["ᶜ¹I₁"] == made["ᶜ²I₂"] == 0
    assert zero(made["τ₁"] - TAU[0])
    assert zero(made["τ₂"] - TAU[1])
    assert made["M"] == sympy.diag(L1**2 * M1 + M2 * R**2, L2**2 * M2)
    assert all(zero(x) for x in made["G"] - sympy.Matrix([0, M2 * g * L2 * C2]))
    assert all(zero(x) for x in made["b"] - sympy.Matrix([V1 * D1, V2 * D2]))


def test_S67_the_printed_errors_are_not_there():
    """E54, E55, E56, E58: what the document has instead differs."""
    made = vv.catalog.craig_6_5().derivation("newton-euler")
    assert not zero(made["²ω̇₂"][1] - (C2 * D1 - S2 * D1 * D2))
    assert not zero(made["²n₂"][2] - (M2 * L2 * R * S2 * D1**2 - M2 * g * C2 + M2 * L2**2 * A2))
    assert not zero(made["¹P_C1 × ¹F₁"][1] + M1 * g * C1)
    short = M1 * L1**2 + M2 * L1**2 + M2 * L2**2 * C2 + 2 * M2 * L1 * L2 * C2
    assert not zero(made["¹n₁"][2].coeff(A1) - short)


def planar_points():
    """Craig 6.7: two links, their masses at their ends."""
    b = Builder("craig_6_7", parameters={"m1": 2.0, "m2": 1.5, "l1": 0.5, "l2": 0.4, "g": 9.81})
    p = b.parameters
    b.gravity = (0.0, -p["g"], 0.0)
    first, second = (Inertia.point(p[f"m{k}"], [p[f"l{k}"], 0, 0]) for k in (1, 2))
    b.body("link1", joint="revolute", joint_name="theta1", inertia=first)
    at = [p["l1"], 0, 0]
    b.body("link2", parent="link1", joint="revolute", joint_name="theta2", at=at, inertia=second)
    return b.build()


def test_S68_planar_arm_by_lagrange_with_all_partial_derivatives():
    made = planar_points().derivation("lagrange")
    m1, m2, l1, l2 = sympy.symbols("m1 m2 l1 l2")
    q1 = sympy.Symbol("theta1")
    c1, c12 = sympy.cos(q1), sympy.cos(q1 + q2)
    a11 = (m1 + m2) * l1**2 + m2 * (l2**2 + 2 * l1 * l2 * C2)
    a12 = m2 * (l2**2 + l1 * l2 * C2)
    push = m2 * l1 * l2 * S2
    wanted = {
        "K": (a11 * D1**2 + m2 * l2**2 * D2**2) / 2 + a12 * D1 * D2,
        "V": m1 * g * l1 * sympy.sin(q1) + m2 * g * (l1 * sympy.sin(q1) + l2 * sympy.sin(q1 + q2)),
        "∂L/∂θ̇₁": a11 * D1 + a12 * D2,
        "∂L/∂θ̇₂": m2 * l2**2 * D2 + a12 * D1,
        "d/dt ∂L/∂θ̇₁": a11 * A1 + a12 * A2 - push * (2 * D1 * D2 + D2**2),
        "d/dt ∂L/∂θ̇₂": m2 * l2**2 * A2 + a12 * A1 - push * D1 * D2,
        "∂L/∂θ₁": -(m1 + m2) * g * l1 * c1 - m2 * g * l2 * c12,
        "∂L/∂θ₂": -push * (D1**2 + D1 * D2) - m2 * g * l2 * c12,
        "τ₁": a11 * A1
        + a12 * A2
        - push * (2 * D1 * D2 + D2**2)
        + (m1 + m2) * g * l1 * c1
        + m2 * g * l2 * c12,
        "τ₂": m2 * l2**2 * A2 + a12 * A1 + push * D1**2 + m2 * g * l2 * c12,
    }
    for name, value in wanted.items():
        assert sympy.expand(sympy.expand_trig(made[name] - value)) == 0, name
    assert made["M"].has(C2)
    assert not made["M"].has(q1)


def test_S66_lagrange_from_the_principle_of_d_alembert():
    """∂v/∂q̇ = ∂p/∂q and d/dt ∂p/∂q = ∂v/∂q, of the printed positions of a chain of points."""
    made = planar_points().derivation("d-alembert")
    bridge = next(s for s in made if s.title == "The bridge to Lagrange")
    assert "the same polynomials" in bridge.checks[0]
    q, v = sympy.symbols("theta1 theta2"), (D1, D2)
    for k in (1, 2):
        p, speed = made[f"p_C{k}"], made[f"v_C{k}"]
        for x, y in zip(q, v, strict=True):
            assert sympy.expand(speed.diff(y) - p.diff(x)) == sympy.zeros(2, 1)
            partial = p.diff(x)
            rate = sum((partial.diff(z) * w for z, w in zip(q, v, strict=True)), sympy.zeros(2, 1))
            assert sympy.expand(rate - speed.diff(x)) == sympy.zeros(2, 1)
    energies = planar_points().derivation("lagrange")
    for k in "₁₂":
        inertial = made[f"∑ m p̈ · ∂p/∂θ{k}"]
        whole = energies[f"d/dt ∂L/∂θ̇{k}"] - energies["K"].diff(q["₁₂".index(k)])
        assert sympy.expand(sympy.expand_trig(inertial - whole)) == 0


def test_S69_the_symmetric_sum_gives_the_same_forces():
    made = vv.catalog.planar_3r().derivation("lagrange")
    step = next(s for s in made if s.title == "Christoffel symbols")
    assert "symmetric in j and k" in step.checks[0]
    M = made["M"]
    q, v = sympy.symbols("theta1:4"), sympy.symbols("thetad1:4")
    n = range(3)
    for k in n:
        plain = sum(M[k, j].diff(q[i]) * v[i] * v[j] for i in n for j in n)
        half = sum(
            (M[k, j].diff(q[i]) + M[k, i].diff(q[j])) / 2 * v[i] * v[j] for i in n for j in n
        )
        assert sympy.expand(plain - half) == 0
    turned = sum(M[0, j].diff(q[1]) * v[1] * v[j] for j in n)
    assert sympy.expand(turned) != 0
    gamma = {e.name: e.rhs for e in step.equations}
    C = made["C"]
    assert C[1, 0].expand() == sum(gamma.get(f"Γ_2,1{k + 1}", 0) * v[k] for k in n).expand()


def test_C99_energies_against_balance():
    table = vv.catalog.craig_6_5().crosscheck()
    row = next(r for r in table.rows if (r.first, r.second) == ("Newton–Euler", "Lagrange"))
    assert row.verdict == "identical (proved)"
    roads = [vv.catalog.craig_6_5().derivation(m) for m in ("lagrange", "newton-euler")]
    assert roads[0]["τ₁"] == roads[1]["τ₁"]
    assert roads[0]["τ₂"] == roads[1]["τ₂"]


def test_C100_effective_forces_do_no_work():
    """Σ (f - m a) · δp + τ δq = 0 for every δq, at numbers."""
    made = planar_points().derivation("d-alembert")
    symbols = sorted(made["τ₁"].free_symbols | made["τ₂"].free_symbols, key=str)
    rng = np.random.default_rng(3)
    at = dict(zip(symbols, rng.uniform(0.3, 1.5, len(symbols)), strict=True))
    for j in "₁₂":
        work = made[f"τ{j}"]
        for k in (1, 2):
            if (k, j) != (1, "₂"):  # link 1 does not move with θ₂
                work = work + made[f"F{'₁₂'[k - 1]}"].dot(made[f"∂p_C{k}/∂θ{j}"])
        assert abs(float(work.subs(at))) < 1e-12


def test_C112_formulas_are_exported():
    """As SymPy, and as text for documents."""
    made = vv.catalog.rp_arm().derivation("lagrange")
    names = {e.name for e in made.equations}
    assert {"K", "V", "L", "τ₁", "τ₂", "M", "C"} <= names
    assert all(isinstance(e.rhs, (sympy.Expr, sympy.MatrixBase)) for e in made.equations)
    assert r"\ddot{q}_{1}" in made.latex()
    assert "<math" in made.html()
    assert made.notebook()["cells"][0]["source"][0].startswith("# ")
