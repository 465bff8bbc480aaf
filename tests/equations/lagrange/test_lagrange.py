"""The equation of Lagrange: laws that hold for every Lagrangian, and other roads to its numbers."""

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import close
from visviva.algebra.exact.ring import Ring
from visviva.algebra.expr import Graph, evaluated
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.energies.normal_form import Reader
from visviva.equations.lagrange import evaluation as lagrange
from visviva.equations.lagrange.nodes import FromPoly, FromSympy, cost
from visviva.equations.lagrange.terms import exact_terms, sympy_terms
from visviva.equations.pencil.theory import equations, formula

VERBS = """inverse_dynamics forward_dynamics mass_matrix mass_matrix_inverse coriolis_matrix
coriolis_transpose_product christoffel gravity_forces bias_forces kinetic_energy
potential_energy""".split()


def two_link():
    """The 2R arm of the catalog by its energies, as a person would write them."""
    K = "m1*r1^2*q1'^2/2 + I1*q1'^2/2 + I2*(q1' + q2')^2/2"
    vx, vy = ("L1*q1'*F(q1) + r2*(q1' + q2')*F(q1 + q2)".replace("F", f) for f in ("sin", "cos"))
    K += f" + m2*(({vx})^2 + ({vy})^2)/2"
    V = "a_g*(m1*r1*sin(q1) + m2*(L1*sin(q1) + r2*sin(q1 + q2)))"
    model = vv.catalog.two_link()
    return Lagrangian("q1 q2", K, V, parameters=dict(model.parameters), name="two_link"), model


SYSTEMS = {
    "two_link": two_link()[0],
    "euler": vv.catalog.euler_body(),
    "rotating": vv.catalog.rotating_frame_particle(),
    "bead": vv.catalog.bead_on_rotating_wire(),
    "charged": vv.catalog.charged_particle(e=0.7, Bx=0.3, By=-0.4, c=2.0),
    "half angles": Lagrangian("x y", "(2 + cos(x/2))*x'^2 + x'*y'*sin(y - x/3) + y'^2", "sin(x/2)"),
    "timed": Lagrangian("x y", "(2 + t^2)*x'^2/2 + (y' + x*t)^2", "x*y*t"),
    "roots": Lagrangian("x y", "sqrt(2 + x^2)*x'^2 + y'^2*exp(x)", "log(2 + y^2) + sqrt(1 + x'^2)"),
    "fast": vv.catalog.relativistic_particle(),
}
QUADRATIC = [k for k in SYSTEMS if k not in ("roots", "fast")]
seeds = st.integers(0, 10**6)


def state(s, seed):
    rng = np.random.default_rng(seed)
    q, v, a = rng.uniform(-0.5, 0.5, (3, s.nq))
    return q, v, a, float(rng.uniform(-1, 1))


def args(f, q, v, a, t):
    """What a function takes, of all there is."""
    known = {"q": q, "v": v, "a": a, "tau": a, "t": t}
    return [known[k] for k in f.inputs]


def value(s, name, *x):
    f = s.function(name)
    return f(*args(f, *x))


# ---- the 2R arm by two roads


@pytest.mark.spread(5)
@pytest.mark.parametrize("name", VERBS)
def test_energies_and_bodies_agree_and_cost_the_same(name):
    s, model = two_link()
    f, reference = s.function(name), model.function(name)
    rng = np.random.default_rng(1)
    x = [rng.normal(size=(100, 2)) for _ in f.inputs]
    assert list(f.inputs) == list(reference.inputs)
    exact = reference(*x)
    np.testing.assert_allclose(f(*x), exact, rtol=0, atol=1e-13 * max(1.0, np.abs(exact).max()))
    assert f.operations.total() <= 1.3 * reference.operations.total()


def test_energies_of_a_chain_cost_little_more_than_its_bodies():
    model = vv.catalog.planar_3r()
    form = model.closed_form()
    s = Lagrangian(
        model.joint_names, form.kinetic_energy, form.potential_energy, parameters=model.parameters
    )
    rng = np.random.default_rng(4)
    for name in ("inverse_dynamics", "bias_forces", "forward_dynamics"):
        f, reference = s.function(name), model.function(name)
        x = [rng.normal(size=(50, 3)) for _ in f.inputs]
        np.testing.assert_allclose(f(*x), reference(*x), rtol=1e-12, atol=1e-12)
        assert f.operations.total() <= 1.4 * reference.operations.total()


def test_what_is_kept_as_input_is_not_folded():
    s, model = two_link()
    names = ["m2", "L1", "a_g"]
    f, reference = (x.function("inverse_dynamics", parameters=names) for x in (s, model))
    rng = np.random.default_rng(2)
    q, v, a = rng.normal(size=(3, 50, 2))
    p = rng.uniform(0.5, 2.0, (50, 3))
    close(f(q, v, a, p), reference(q, v, a, p), 1e-13)
    everything = s.function("inverse_dynamics", inputs=["q", "v", "a", "parameters"])
    values = np.array([s.parameters[k] for k in s.parameter_names])
    close(everything(q, v, a, values), s.inverse_dynamics(q, v, a), 1e-13)


def test_derivatives_of_functions():
    s, model = two_link()
    q, v, a = np.random.default_rng(3).normal(size=(3, 2))
    for name in ("inverse_dynamics", "forward_dynamics"):
        made, reference = (x.function(name).jacobian("q", "v")(q, v, a) for x in (s, model))
        for x, y in zip(made, reference, strict=True):
            close(x, y, 1e-12)


# ---- laws


def action_residual(s, name, q, v, a, t):
    """d/dt ∂L/∂v - ∂L/∂q along a motion, by central differences of 50 digits."""
    with mpmath.workdps(50):
        h = mpmath.mpf(10) ** -12

        def energy(q, v, t):
            K = lagrange.kinetic_energy(s, q, v, t)
            return K - lagrange.potential_energy(s, q, v, t)

        q, v, a = (np.array([mpmath.mpf(float(y)) for y in x], dtype=object) for x in (q, v, a))
        unit = np.array([[mpmath.mpf(int(i == j)) for j in range(len(q))] for i in range(len(q))])

        def p(q, v, t):
            return np.array(
                [(energy(q, v + h * e, t) - energy(q, v - h * e, t)) / (2 * h) for e in unit]
            )

        def along(k):
            return p(q + k * h * v + (k * h) ** 2 * a / 2, v + k * h * a, t + k * h)

        rate = (along(1) - along(-1)) / (2 * h)
        slope = np.array(
            [(energy(q + h * e, v, t) - energy(q - h * e, v, t)) / (2 * h) for e in unit]
        )
        return (rate - slope).astype(float)


@pytest.mark.spread(5)
@pytest.mark.parametrize("name", SYSTEMS)
def test_the_equation_of_lagrange(name):
    """From the energies alone, with nothing but the definition of a derivative."""
    s = SYSTEMS[name]
    for seed in range(3):
        x = state(s, seed)
        close(value(s, "inverse_dynamics", *x), action_residual(s, name, *x), 1e-12)


@pytest.mark.spread(4)
@pytest.mark.parametrize("name", SYSTEMS)
def test_all_roads_derive_the_same(name):
    """SymPy, derivatives on the graph, and the normal form where L is in its class."""
    s, x = SYSTEMS[name], state(SYSTEMS[name], 5)
    exact = exact_terms(s)
    assert (exact is None) == (name in ("roots", "fast"))
    q, v, a, t = x
    values = {**s.parameters, "t": t}
    values |= {k.name: y for k, y in zip((*s.names.q, *s.names.v), (*q, *v), strict=True)}
    for part in ("mass_matrix", "drift", "gravity", "momentum", "jacobi_integral"):
        entries = np.array(getattr(sympy_terms(s), part), dtype=object)
        plain = np.array([float(e.subs(values)) for e in entries.ravel()]).reshape(entries.shape)
        for nodes, shape in lagrange._roads(s, part):
            close(np.reshape(evaluated(nodes, values), shape), plain)
    tau = sum(np.array(sympy_terms(s).mass_matrix)[:, j] * a[j] for j in range(s.nv))
    tau = [float(x.subs(values)) for x in tau + np.array(sympy_terms(s).drift)]
    values |= {k.name: y for k, y in zip(s.names.a, a, strict=True)}
    for nodes, _ in lagrange._inverse(s):
        close(evaluated(nodes, values), tau)


@pytest.mark.spread(4)
@pytest.mark.parametrize("name", SYSTEMS)
@examples(11, 1000)
@given(seed=seeds)
def test_forward_undoes_inverse(name, seed):
    s = SYSTEMS[name]
    q, v, a, t = state(s, seed)
    if name == "euler" and abs(np.sin(q[2])) < 0.2:
        return  # the angles' own singularity
    tau = value(s, "inverse_dynamics", q, v, a, t)
    close(value(s, "forward_dynamics", q, v, tau, t), a, 1e-11)  # condition numbers of 100
    M = value(s, "mass_matrix", q, v, a, t)
    close(M, M.T, 0)
    close(M @ value(s, "mass_matrix_inverse", q, v, a, t), np.eye(s.nv), 1e-11)
    close(tau - M @ a, value(s, "bias_forces", q, v, a, t), 1e-12)


@pytest.mark.spread(4)
@pytest.mark.parametrize("name", QUADRATIC)
@examples(11, 1000)
@given(seed=seeds)
def test_standard_form(name, seed):
    """C v + g + b = bias, Christoffel's C is in C, Ṁ - 2C is skew unless M depends on time."""
    s = SYSTEMS[name]
    x = state(s, seed)
    v = x[1]
    C, bias = value(s, "coriolis_matrix", *x), value(s, "bias_forces", *x)
    close(C @ v + value(s, "gravity_forces", *x), bias)
    close(value(s, "coriolis_transpose_product", *x), C.T @ v)
    gamma = value(s, "christoffel", *x)
    close(gamma, gamma.transpose(0, 2, 1), 0)
    M = s.mass_matrix
    if "t" not in M.inputs:
        rate = np.einsum("ijk,k->ij", M.jacobian("q")(*args(M, *x)), v)
        N = rate - 2 * C
        close(N, -N.T)


@pytest.mark.spread(5)
@pytest.mark.parametrize("name", SYSTEMS)
def test_jacobi_integral(name):
    """dh/dt = τ · v - ∂L/∂t, along any motion."""
    s = SYSTEMS[name]
    q, v, a, t = state(s, 7)
    f = s.jacobi_integral
    slopes = f.jacobian()(*args(f, q, v, a, t))
    slopes = dict(zip(f.inputs, slopes if isinstance(slopes, tuple) else (slopes,), strict=True))
    rate = slopes["q"] @ v + slopes["v"] @ a + slopes.get("t", 0.0)
    L_t = s.lagrangian.diff("t")
    values = {**s.parameters, "t": t}
    values |= {k.name: y for k, y in zip((*s.names.q, *s.names.v), (*q, *v), strict=True)}
    explicit = float(L_t.subs(values))
    close(rate, value(s, "inverse_dynamics", q, v, a, t) @ v - explicit)


def test_over_any_scalar():
    """The verbs run on mpmath, on fractions where nothing turns, and on exact polynomials."""
    s, model = two_link()
    with mpmath.workdps(40):
        x = [[mpmath.mpf("0.3"), mpmath.mpf(1)]] * 3
        tau = lagrange.inverse_dynamics(s, *x)
        close(tau.astype(float), model.inverse_dynamics(*np.array(x, dtype=float)), 1e-14)
    ring = Ring(["q1", "q2", "m2"], {"q1": {"q1": 1}, "q2": {"q2": 1}})
    M = lagrange.mass_matrix(s.over({"m2": ring["m2"]}), [ring["q1"], ring["q2"]])
    c2 = ring["q2"].cos()
    assert M[0, 1] == ring["m2"] * (0.16 + 0.4 * c2) + 0.06


# ---- the form that is compiled


def test_sums_cost_no_more_than_the_recursion_of_a_person():
    """h v2 (2 v1 + v2): the velocity terms of the 2R arm as one would factor them."""
    graph = Graph()
    ring = Ring(["q", "v", "w", "h"], {"q": {"q": 1}})
    s, v, w, h = ring["q"].sin(), ring["v"], ring["w"], ring["h"]
    nodes = FromPoly(graph, ["q", "v", "w"], {})
    assert cost([nodes.node(h * s * (2 * v * w + w * w))], ["q", "v", "w"]) - 9 <= 5
    assert evaluated([nodes.node(ring.number(0))], {}) == [0.0]


def test_what_does_not_move_is_one_number():
    x, a, b = sympy.symbols("x a b")
    graph = Graph()
    node = FromSympy(graph, [x]).node(a * b * x / 3 + sympy.sin(a) + x**2 + b)
    assert cost([node], ["x"]) == 4
    close(evaluated([node], {"x": 2.0, "a": 0.5, "b": 3.0}), [8 + np.sin(0.5)], 1e-15)


def test_the_equations_in_sympy():
    s = vv.catalog.bead_on_rotating_wire()
    m, k, W, g, x, xd, xdd = sympy.symbols("m k Omega g x xd xdd")
    true = m * ((1 + 4 * k**2 * x**2) * xdd + 4 * k**2 * x * xd**2 - W**2 * x + 2 * g * k * x)
    assert sympy.expand(equations(s)[0] - true) == 0


def test_unknown_functions_are_derived_and_not_compiled():
    x, m = sympy.symbols("x m")
    P = sympy.Function("P")(x)
    s = Lagrangian("x", m * sympy.Symbol("xd") ** 2 / 2, P, parameters={"m": 1})
    assert sympy_terms(s).gravity == [P.diff(x)]
    with pytest.raises(TypeError, match="has no counterpart here"):
        s.gravity_forces([0.0])


def test_formulas_in_normal_form():
    """r̈ - r φ̇² after a change of coordinates, with no sin² + cos² left; constants come back."""
    point = Lagrangian("x y", "(x'^2 + y'^2)/(2*w)", parameters={"w": 2.0})
    polar = point.in_coordinates("r phi", {"x": "r*cos(phi)", "y": "r*sin(phi)"})
    r, rd, phid, rdd, phidd, w = sympy.symbols("r rd phid rdd phidd w")
    radial, around = equations(polar)
    assert radial == rdd / w - phid**2 * r / w
    assert around == phidd * r**2 / w + 2 * phid * r * rd / w
    assert formula(polar, "mass_matrix") == sympy.diag(1 / w, r**2 / w)
    half = SYSTEMS["half angles"]
    for part in ("momentum", "drift"):
        for x, y in zip(formula(half, part), getattr(sympy_terms(half), part), strict=True):
            assert Reader([x, y], half.names.q).poly(x - y).is_zero  # SymPy cannot tell
