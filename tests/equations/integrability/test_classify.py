"""What `classify` says: laws on random rows, witnesses by numbers, models, names, sentences."""

import pickle

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from visviva.describe.names import motion
from visviva.equations.integrability.flag import flag
from visviva.equations.integrability.functions import Functions
from visviva.errors import ArgumentError, UnknownNameError

X = sympy.symbols("x y z w")
PARTS = [X[0], X[1], X[2], X[3], X[0] * X[1], X[2] ** 2, sympy.sin(X[0]), sympy.cos(X[1] - X[3])]


def flag_of(forms):
    by = Functions([e for form in forms for e in form], X)
    return flag(by, [by.row(form) for form in forms])


def combination(rng, parts):
    return sum(
        (int(rng.integers(-3, 4)) * p for p in parts), sympy.Integer(int(rng.integers(1, 5)))
    )


@examples(4, 400)
@given(st.integers(0, 2**32 - 1), st.integers(1, 2))
def test_combinations_of_differentials_integrate(seed, count):
    """Rows that span df₁, …, dfₖ are holonomic, whatever functions they are combined with."""
    rng = np.random.default_rng(seed)
    functions = [combination(rng, rng.permutation(PARTS)[:2]) for _ in range(count)]
    slopes = [[f.diff(x) for x in X] for f in functions]
    forms = []
    for _ in range(count):
        factors = [combination(rng, rng.permutation(PARTS)[:1]) for _ in slopes]
        forms.append(
            [sum(a * s[j] for a, s in zip(factors, slopes, strict=True)) for j in range(4)]
        )
    assert flag_of(forms).is_involutive


@examples(4, 400)
@given(st.integers(0, 2**32 - 1))
def test_a_row_integrates_where_its_curl_and_itself_say_so(seed):
    """Of one form: ω ∧ dω = 0, by numbers at a point."""
    rng = np.random.default_rng(seed)
    form = [combination(rng, rng.permutation(PARTS)[:1]) for _ in X]
    d = [[form[k].diff(X[j]) - form[j].diff(X[k]) for k in range(4)] for j in range(4)]
    wedge = [
        form[i] * d[j][k] + form[j] * d[k][i] + form[k] * d[i][j]
        for i, j, k in [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    ]
    at = dict(zip(X, rng.uniform(0.5, 2.0, 4), strict=True))
    largest = max(abs(float(e.subs(at))) for e in wedge)
    assert flag_of([form]).is_involutive == (largest < 1e-9)


def planar(constraints, parameters=""):
    T = "x'^2 + y'^2 + z'^2"
    return vv.Lagrangian("x y z", T, constraints=constraints, parameters=parameters)


def test_formulas_without_exact_rank_have_witnesses():
    c = planar("z' = sqrt(1 + y^2) x'").constraints.classify()
    assert (c.kind, c.proof, c.growth, c.degree) == ("nonholonomic", "witness", None, None)
    w = c.certificate
    y = w.q[1]
    curl = np.zeros((3, 3))  # of ω = dz - √(1 + y²) dx
    curl[1, 0], curl[0, 1] = -y / np.sqrt(1 + y**2), y / np.sqrt(1 + y**2)
    np.testing.assert_allclose(np.array(w.first) @ curl @ np.array(w.second), w.value, rtol=1e-12)
    for g in (w.first, w.second):
        assert abs(g[2] - np.sqrt(1 + y**2) * g[0]) < 1e-12
    assert abs(w.value) > 1e6 * w.error
    assert "sqrt(y**2 + 1) is no rational function" in repr(c)


def test_no_witness_is_no_proof():
    c = planar("z' sqrt(1 + z^2) = sqrt(1 + x^2) x'").constraints.classify()
    assert (c.kind, c.proof, c.certificate) == ("no witness found", "no witness found", ())
    assert [row.kind for row in c.rows] == ["no witness found"]
    assert "no witness found is no proof that rows integrate" in repr(c)


def test_a_witness_is_where_positions_hold():
    held = planar(["x^4 + z^4 = 1", "y' = z x'"]).constraints.classify()
    assert held.kind == "holonomic"  # one row of a surface always integrates
    T = "x'^2 + y'^2 + z'^2 + w'^2"
    more = vv.Lagrangian("x y z w", T, constraints=["x^4 + w^4 = 1", "y' = z x'"])
    c = more.constraints.classify()
    assert (c.kind, c.proof) == ("mixed", "witness")
    assert [row.proof for row in c.rows] == ["by statement", "witness"]
    x, _, _, w = c.certificate.q
    assert abs(x**4 + w**4 - 1) < 1e-9


def test_values_of_parameters_decide_where_they_matter():
    general = planar("z' = a y x'", "a").constraints.classify()
    here = planar("z' = a y x'", {"a": 0.0}).constraints.classify()
    assert (general.kind, here.kind) == ("nonholonomic", "holonomic")
    assert "with other values of the parameters it is nonholonomic" in repr(here)
    usual = planar("x' = a y'", {"a": 2.0}).constraints.classify()
    assert usual.integrals == (-sympy.Symbol("a") * sympy.Symbol("y") + sympy.Symbol("x"),)


def test_redundant_rows_are_told():
    c = planar(["x' = y'", "2 x' = 2 y'"]).constraints.classify()
    assert (c.kind, c.growth) == ("holonomic", (2,))
    assert "1 of the rows follow from the others" in repr(c)


def test_a_system_without_constraints():
    c = planar(()).constraints.classify()
    assert (c.kind, c.rows, c.growth) == ("holonomic", (), (3,))


def test_names_and_equations():
    x, y = vv.coordinates("x y")
    s = planar({"wire": "z = k*x^2", "row": sympy.Eq(x.diff("t"), y.diff("t"))}, "k")
    assert s.constraints.names == ("wire", "row")
    assert s.constraints.named("wire") == sympy.sympify("z - k*x**2")
    with pytest.raises(UnknownNameError, match="'wire', 'row'"):
        s.constraints.named("wires")
    assert [row.name for row in s.constraints.classify().rows] == ["'wire'", "'row'"]
    again = pickle.loads(pickle.dumps(s))
    assert (again.constraints, again.constraints.names) == (s.constraints, s.constraints.names)
    assert again.constraints.classify() == s.constraints.classify()
    assert s.with_parameters(k=2.0).constraints.names == ("wire", "row")
    moved = s.in_coordinates("u y z", {"x": "2*u"})
    assert moved.constraints.names == ("wire", "row")
    assert planar(["x = y"]).constraints.names == ("1",)


@pytest.mark.parametrize(
    ("constraints", "said"),
    [
        ("1 = 2", "formula of coordinates that stays zero"),
        (sympy.Eq(1, 2, evaluate=True), "equation that is False for all"),
        ({"": "x = y"}, "called by texts"),
        ({3: "x = y"}, "called by texts"),
    ],
)
def test_what_is_no_constraint(constraints, said):
    with pytest.raises(ArgumentError, match=said):
        planar(constraints)


def test_constraints_of_no_system():
    from visviva.describe.constraints.constraint import Constraints

    with pytest.raises(ArgumentError, match="belong to no system"):
        Constraints(["x"]).classify()


def test_sentences():
    c = planar({"row": "z' = y x'"}).constraints.classify()
    assert repr(c).splitlines() == [
        "1 row: nonholonomic, proved; scleronomic (time does not stand in them)",
        "  2 of 3 directions in (x, y, z) are free; with brackets 2, 3, degree of nonholonomy 2",
        "  'row': nonholonomic, proved",
        "  g₁ = (1, 0, y) and g₂ = (0, 1, 0) are admitted, [g₁, g₂] = (0, 0, -1) is not: "
        "the row 'row' is -1 there",
    ]


# ---- models


def body(joint):
    b = vv.Builder("car")
    solid = vv.Inertia(1.0, [0, 0, 0], np.diag([0.1, 0.1, 0.1]))
    b.body("base", joint=joint, inertia=solid)
    b.body("wheel", parent="base", joint="revolute", axis="y", inertia=solid)
    model = b.build()
    return model, motion(model.bodies)


def test_a_wheel_on_a_plane_is_a_rolling_disc():
    model, names = body("planar")
    _, forward, side = names.rated[:3]
    model = model.with_constraint(f"{side} = 0", name="side")
    model = model.with_constraint(f"{forward} = 0.1*wheel_joint'", name="roll")
    c = model.constraints.classify()
    assert (c.kind, c.proof, c.growth) == ("nonholonomic", "proved", (2, 3, 4))


def test_witnesses_know_that_velocities_need_not_be_rates():
    """A knife edge, times a function without exact rank: only the turning of its axes is felt."""
    model, names = body("planar")
    side, angle = names.rated[2], names.q[0]
    edge = model.with_constraint(f"{side}*sqrt(1 + {angle}^2) = 0", name="edge")
    c = edge.constraints.classify()
    assert (c.kind, c.proof) == ("nonholonomic", "witness")
    assert "is no polynomial" in repr(c)


def test_gears_of_a_model_integrate():
    model, _ = body("revolute")
    c = model.with_constraint("wheel_joint' = 3*base_joint'", name="gear").constraints.classify()
    assert (c.kind, c.proof) == ("holonomic", "proved")
    (f,) = c.integrals
    wheel, base = sympy.symbols("wheel_joint base_joint")
    assert sympy.expand(f / f.coeff(wheel) - wheel + 3 * base) == 0


def test_a_ball_that_rolls():
    """Five coordinates, two rows: growth 3, 5; without spin 2, 3, 5."""
    b = vv.Builder("ball")
    b.body("ball", joint="free", inertia=vv.Inertia(1.0, [0, 0, 0], np.diag([0.1, 0.1, 0.1])))
    model = b.build()
    x, y, z, w, px, py, pz = motion(model.bodies).q
    spin = [  # 2 q̇ q⁻¹: in axes of the world
        f"2*(-{w}'*{a} + {a}'*{w} - {b}'*{c} + {c}'*{b})"
        for a, b, c in ((x, y, z), (y, z, x), (z, x, y))
    ]
    model = model.with_constraint(f"{pz} = 0.3", name="height")
    model = model.with_constraint(f"{px}' = 0.3*({spin[1]})", name="along")
    model = model.with_constraint(f"{py}' = -0.3*({spin[0]})", name="across")
    c = model.constraints.classify()
    assert (c.kind, c.proof, c.growth) == ("mixed", "proved", (3, 5))
    assert [row.kind for row in c.rows] == ["holonomic", "nonholonomic", "nonholonomic"]
    c = model.with_constraint(f"{spin[2]} = 0", name="spin").constraints.classify()
    assert (c.kind, c.growth, c.degree) == ("mixed", (2, 3, 5), 3)
