"""Energies typed as on paper are read as claims are; what is not declared is told."""

import re

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("1/2 m l^2 theta'^2", "1/2*m*l^2*theta'^2"),
        ("m g l cos(theta)", "m*g*l*cos(theta)"),
        ("2(m + l)(m - l)", "2*(m + l)*(m - l)"),
        ("m (1 - cos theta)", "m*(1 - cos(theta))"),
        ("m thetadot^2 / 2", "m*theta'^2 / 2"),
        ("m theta_dot^2", "m*theta'^2"),
        ("m*theta.dot**2", "m*theta'^2"),
        ("m thetad^2 + dtheta/dt", "m*theta'^2 + theta'"),
        ("½ m l² θ̇²", "m*l^2*theta'^2/2"),
        (r"\frac12 m l^2 \dot\theta^2", "m*l^2*theta'^2/2"),
        (r"-m g l \cos\theta", "-m*g*l*cos(theta)"),
        ("m g l sin 2θ + mθ", "m*g*l*sin(2*theta) + m*theta"),
        (r"mgl\sin\theta", "m*g*l*sin(theta)"),
        ("√(m l) |θ|", "sqrt(m*l)*abs(theta)"),
        ("1e3 m", "1e3*m"),
        ("exp(-m)*sin(theta)", "exp(-m)*sin(theta)"),
        ("2^3^2*m + m^l^2 + m^-l", "512*m + m^(l^2) + 1/m^l"),
        ("m\n + l", "m + l"),
    ],
)
def test_what_was_meant(typed, meant):
    read, written = (vv.Lagrangian("theta", x, parameters="m g l").kinetic for x in (typed, meant))
    assert sympy.expand(read - written) == 0


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("3 4", "expected an operator before '4': write"),
        ("1/2m", "what is below the / is not clear"),
        ("sin theta m^2 + sin l m", "where the argument of sin ends is not clear"),
        ("l(theta)", "is not clear: a function"),
        ("sine(theta)", "unknown function 'sine'; did you mean 'sin'?"),
        (
            "m*mm*l",
            "unknown name 'mm': declare it, or put blanks or * between the factors of 'm m'",
        ),
        ("theta'' m", "energies and forces have no accelerations"),
        ("m' l", "m is no coordinate and has no rate"),
        ("m = l", "expected a formula, got an equation"),
        ("m; l", "expected one formula, got a second one"),
        ("[m, l]", "expected one formula, got a matrix"),
        ("log(0)", "this gives nan, not a real number"),
        ("1/0", "this gives nan, not a real number"),
        ("(" * 101 + "m" + ")" * 101, "a formula is nested at most 100 deep"),
        ("m^-" * 90 + "l", "a formula is nested at most 100 deep"),
    ],
)
def test_what_can_be_read_in_two_ways_or_none_is_refused_with_the_text(typed, said):
    with pytest.raises(vv.VisvivaError) as caught:
        vv.Lagrangian("theta", typed, parameters="m g l")
    assert said in str(caught.value)
    assert typed[:20] in str(caught.value)


def test_names_that_are_not_declared_are_told_with_the_line_that_does():
    with pytest.raises(vv.VisvivaError) as caught:
        vv.Lagrangian("x", "m k^2 + n x'^2", parameters="k")
    assert 'names are declared, with or without values: parameters="m n"' in str(caught.value)
    assert "m k^2 + n x'^2\n  ^" in str(caught.value)
    with pytest.raises(vv.VisvivaError, match="ml as a product has"):
        vv.Lagrangian("x", "ml x'^2", parameters="m")
    with pytest.raises(vv.VisvivaError) as caught:
        vv.Lagrangian("x", "m " * 3000, parameters="k")
    assert len(str(caught.value)) < 400  # long texts are not printed back


ARM = (  # 004's two links, as the document writes them
    "m1 l1^2 q1'^2/2 + m2 (l1^2 q1'^2 + l2^2 (q1'+q2')^2 + 2 l1 l2 c2 q1' (q1'+q2'))/2",
    "m1 g l1 s1 + m2 g (l1 s1 + l2 s12)",
)
NAMES = "m1 m2 l1 l2 g"
WAVES = {"c": sympy.cos, "s": sympy.sin}


def test_shorthand_is_read_where_it_is_said_and_hints_never_lead_to_another_system():
    written = [
        re.sub(
            r"\b([cs])([12]+)\b", lambda m: f"{WAVES[m[1]]}({'+'.join(f'q{k}' for k in m[2])})", x
        )
        for x in ARM
    ]
    whole = vv.Lagrangian("q1 q2", *written, parameters=NAMES)
    short = vv.Lagrangian("q1 q2", *ARM, parameters=NAMES, shorthand=True)
    assert (short.kinetic, short.potential) == (whole.kinetic, whole.potential)
    assert short.with_parameters(m1=2.0).kinetic == whole.kinetic
    assert whole.notes == short.notes == ()
    declared = vv.Lagrangian("q1 q2", *ARM, parameters=f"{NAMES} c2 s1 s12")
    (note,) = declared.notes
    assert "c2 is not cos(q2), s1 is not sin(q1), s12 is not sin(q1 + q2), but a constant" in note
    assert declared.with_parameters(m1=2.0).notes == (note,)
    with pytest.raises(vv.VisvivaError) as caught:
        vv.Lagrangian("q1 q2", *ARM)
    assert 'parameters="m1 l1 m2 l2 g";' in str(caught.value)
    assert "if c2 is cos(q2), s1 is sin(q1), s12 is sin(q1 + q2), write that" in str(caught.value)
    assert "vv.Lagrangian(…, shorthand=True)" in str(caught.value)


@examples(40, 2000)
@given(
    st.integers(1, 4), st.sampled_from("csCS"), st.lists(st.integers(1, 5), min_size=1, max_size=3)
)
def test_what_may_be_a_sine_is_a_sine_or_declared_or_refused(count, letter, places):
    """Of names like c12: an error prints no line that declares one that may be a sine."""
    q = [f"q{k + 1}" for k in range(count)]
    name = letter + "".join(map(str, places))
    is_sine = places == sorted({*places}) and places[-1] <= count
    own = vv.Lagrangian(q, f"m*{q[0]}'^2/2", f"g*{name}", parameters=f"m g {name}")
    assert own.potential == sympy.Symbol("g") * sympy.Symbol(name)
    assert any("but a constant, as declared" in x for x in own.notes) == is_sine
    with pytest.raises(vv.VisvivaError) as caught:
        vv.Lagrangian(q, f"m*{q[0]}'^2/2", f"g*{name}", parameters="m g")
    assert ("shorthand=True" in str(caught.value)) == is_sine
    assert (f'parameters="{name}"' in str(caught.value)) == (max(places) > count)  # c21 may be one
    if is_sine:
        angle = sympy.Add(*(sympy.Symbol(q[k - 1]) for k in places))
        read = vv.Lagrangian(q, f"m*{q[0]}'^2/2", f"g*{name}", parameters="m g", shorthand=True)
        assert read.potential == sympy.Symbol("g") * WAVES[letter.lower()](angle)
    for parameters, problem in ((f"m g {name}", "give it another name"), ("m g", "no coordinates")):
        if is_sine == (problem == "give it another name"):
            with pytest.raises(vv.VisvivaError, match=problem):
                vv.Lagrangian(q, "m", f"g*{name}", parameters=parameters, shorthand=True)


@pytest.mark.parametrize("shorthand", [False, True])
@pytest.mark.parametrize(
    "typed",
    ["cθ1", "sθ₂", "c θ1", r"c\theta_1", r"s{\theta_1}", "cθ1 sθ2", "Cθ1", "c*theta1", "cθ12",
     "sθ_{12}", "cφ", "c21", "c11", "s211", "S_{21}", "c_{2,1}", "c2 s21"],
)  # fmt: skip
def test_hints_on_hostile_shorthand_declare_no_sine(typed, shorthand):
    try:
        s = vv.Lagrangian(
            "theta1 theta2", "theta1'^2", f"m {typed} + k", parameters="m", shorthand=shorthand
        )
    except vv.VisvivaError as error:
        (declared,) = re.findall(r'parameters="([^"]*)"', str(error)) or [""]
        assert not {*declared.split()} & {"c", "s", "C", "S", "c21", "c11", "s211", "S21"}, typed
    else:
        assert s.potential.has(sympy.sin, sympy.cos)


def test_damping_is_declared_though_it_is_called_c():
    with pytest.raises(vv.VisvivaError, match='parameters="m c"'):
        vv.Lagrangian("theta", "m*theta'^2/2", dissipation="c*theta'^2/2")


@pytest.mark.parametrize(
    ("q", "read", "unread"),
    [
        ("q1 q2", {"c1": "q1", "c2": "q2"}, ["c21", "c3"]),
        ("x y", {"c1": "x", "c2": "y"}, ["c3"]),
        ("x theta", {"c2": "theta"}, []),
        ("theta1 d theta3", {"c1": "theta1", "c3": "theta3"}, []),
        ("q2 q1", {}, ["c1", "c2", "c12"]),
        ("theta0 theta1", {}, ["c1", "c2"]),
        ("x theta1 theta2", {}, ["c1", "c2", "c3"]),
        ("theta1 q1", {}, ["c1", "c2"]),
        ("d1 theta1", {}, ["c1"]),
    ],
)
def test_a_number_means_the_coordinate_at_its_place_if_no_name_says_otherwise(q, read, unread):
    def potential(name):
        return vv.Lagrangian(q, f"{q.split()[0]}'^2", name, shorthand=True).potential

    for name, angle in read.items():
        assert potential(name) == sympy.cos(sympy.Symbol(angle))
    for name in unread:
        with pytest.raises(vv.VisvivaError, match="no coordinates are meant"):
            potential(name)


def test_a_velocity_is_itself_and_names_that_read_the_same_are_written_as_declared():
    assert str(vv.Lagrangian("x", "xd^2", parameters="d").kinetic) == "xd**2"
    assert str(vv.Lagrangian("q1 q_1", "q1'^2 + q_1").kinetic) == "q_1 + qd1**2"
    with pytest.raises(vv.VisvivaError, match="q₁ can be read as 'q1', 'q_1'"):
        vv.Lagrangian("q1 q_1", "q₁^2")


def test_names_without_values_are_enough_for_formulas():
    for names in ("m k", ["m", "k"], {"m": None, "k": 2.0}, vv.parameters("m k")):
        s = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters=names)
        assert str(s.closed_form().equations[0]) == "k*x + m*xdd"
        assert s.check("m x'' + k x = tau").is_identical
        with pytest.raises(vv.VisvivaError, match=r"no value for .*m: give parameters="):
            s.inverse_dynamics([0.0], [0.0], [0.0])
        whole = s.with_parameters(m=1.0, k=2.0)
        assert whole.inverse_dynamics([1.0], [0.0], [1.0]) == 3.0
    polar = vv.Lagrangian("x y", "m*(x'^2 + y'^2)/2", parameters="m").in_coordinates(
        "r phi", {"x": "r*cos(phi)", "y": "r*sin(phi)"}
    )
    assert str(polar.closed_form().mass_matrix[1, 1]) == "m*r**2"


def test_energies_first_are_refused_with_the_right_order():
    x = vv.coordinates("x")
    energy = x.diff("t") ** 2 / 2
    with pytest.raises(vv.VisvivaError, match=r"vv\.Lagrangian\(\[x\], T, V\)"):
        vv.Lagrangian(energy, [x])
    with pytest.raises(vv.VisvivaError, match=r"coordinates come first"):
        vv.Lagrangian(energy, x)
    assert vv.Lagrangian(x, energy).nv == 1


def test_other_words_for_the_energies_are_told_ours():
    for named in ({"T": "x'^2/2", "V": "x"}, {"L": "x'^2/2 - x"}):
        with pytest.raises(vv.VisvivaError) as caught:
            vv.Lagrangian("x", **named)
        line = "vv.Lagrangian(coordinates, kinetic=T, potential=V)"
        assert line in str(caught.value)
    coordinates, T, V = "x", "x'^2/2", "x"
    assert vv.Lagrangian(coordinates, kinetic=T, potential=V).nv == 1
    with pytest.raises(vv.VisvivaError, match=r"vv\.Lagrangian\(\[q1, q2\], T, V\)"):
        vv.Lagrangian("q1'^2/2 + q2'^2/2 - q1*q2", ["q1", "q2"])


def test_names_of_coordinates_as_latex_writes_them():
    with pytest.raises(vv.VisvivaError, match=r"got '\\\\theta_\{1\}'; write 'theta_1'$"):
        vv.Lagrangian([r"\theta_{1}"], "0")
    with pytest.raises(
        vv.VisvivaError, match=r"; of L = T - V, V is what has no velocities, with the other sign$"
    ):
        vv.Lagrangian("x", L="x'^2/2 - x")


def test_numbers_of_a_system_without_values_name_the_parameters():
    s = vv.Lagrangian("x", "m1*x'^2/2", "m2*g*x", parameters="m1 m2 g")
    assert "no value   g, m1, m2" in repr(s)
    with pytest.raises(vv.VisvivaError) as caught:
        s.inverse_dynamics([1.0], [1.0], [1.0])
    assert "no value for g, m1, m2" in str(caught.value)
    assert "with_parameters(g=..., m1=..., m2=...)" in str(caught.value)
    assert s.with_parameters(g=3, m1=1, m2=2).inverse_dynamics([1.0], [1.0], [1.0]) == 7.0


@pytest.mark.parametrize("rest", ["- k*x^2/2", "+ k*cos(x)", "- k*x"])
def test_a_kinetic_energy_that_is_l_is_noted(rest):
    whole = vv.Lagrangian("x", f"m*x'^2/2 {rest}", parameters={"m": 1.0, "k": 4.0})
    (said,) = whole.notes
    assert said.startswith("kinetic has terms without velocities, ")
    assert "vv.Lagrangian(q, T, V)" in said
    apart = vv.Lagrangian("x", "m*x'^2/2", f"-({rest})", parameters={"m": 1.0, "k": 4.0})
    assert apart.notes == ()
    assert apart.check("E = const", assume="tau1 = 0")
    assert whole.with_parameters(k=2.0).notes == (said,)  # once


def test_energies_of_a_rotating_frame_are_kinetic():
    bead = vv.Lagrangian("r", "m*(r'^2 + omega^2*r^2)/2", parameters="m omega")
    assert bead.notes == ()
    assert vv.catalog.bead_on_rotating_wire().notes == ()


def test_the_exponential_function_is_told():
    with pytest.raises(vv.VisvivaError, match=r"'e'.*e\^x is written exp\(x\)"):
        vv.Lagrangian("x", "m x'^2/2", "D (1 - e^(-a x))^2", parameters="m D a")
    assert vv.Lagrangian("x", "m x'^2/2", "D (1 - exp(-a x))^2", parameters="m D a").nv == 1


def test_an_action_of_what_is_held_is_that_of_independent_coordinates():
    values = {"m": 1.0, "I": 0.5, "R": 0.5}
    T = "m x'^2/2 + I phi'^2/2"
    s = vv.Lagrangian("x phi", T, "-m*x", constraints="x = R phi", parameters=values)
    with pytest.raises(vv.VisvivaError, match=r"reduce\(\)\.system\.least_action\(…\)"):
        s.least_action([0.0, 0.0], [0.5, 1.0], 1.0)
    assert s.reduce().system.least_action([0.0], [1.0], 1.0).action == pytest.approx(0.611111458)


def test_linear_systems_of_names_alone_are_formulas():
    T, V = "m*(r'^2 + r^2*theta'^2)/2", "k*(r - l_0)^2/2 - m*g*r*cos(theta)"
    s = vv.Lagrangian("r theta", T, V, parameters="m k l_0 g")
    with pytest.raises(vv.VisvivaError, match=r"closed_form\(\)\.linearized\(q\)"):
        s.linearize([0, 0])
    form = s.closed_form().linearized(["l_0 + m*g/k", 0])
    m, k, l0, g = sympy.symbols("m k l_0 g")
    assert form.K == s.closed_form().linearized({"r": l0 + m * g / k}).K
    with pytest.raises(AttributeError, match="has no 'frequencies': here it is sympy") as told:
        _ = form.frequencies
    squares = eval(str(told.value).partition("here it is ")[2].partition("#")[0])
    wanted = [k / m, g * k / (g * m + k * l0)]
    assert all(any(sympy.simplify(x - y) == 0 for y in squares) for x in wanted)
    with pytest.raises(vv.VisvivaError, match="unknown name 'z'"):
        s.closed_form().linearized({"r": "z"})
