"""Right claims that were called wrong because they were misread: now read, or refused."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import VisvivaError

PENDULUM = vv.Lagrangian(
    "theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters={"m": 1, "l": 2, "g": 9.81}
)
DRIVEN = vv.Lagrangian(
    "x",
    "m*x'^2/2",
    "k*x^2/2 - A*x*cos(omega*t)",
    parameters={"m": 1, "k": 2, "A": 3, "omega": 4},
)
ARM = vv.catalog.two_link()
PUSH = "m2 L1 r2 sin(q2)"
SPEED = [f"-{PUSH} (2 q1' q2' + q2'^2)", f"{PUSH} q1'^2"]
WEIGHT = [
    "(m1 r1 + m2 L1) a_g cos(q1) + m2 a_g r2 cos(q1 + q2)",
    "m2 a_g r2 cos(q1 + q2)",
]
BIAS = f"[{SPEED[0]} + {WEIGHT[0]}, {SPEED[1]} + {WEIGHT[1]}]"


@pytest.mark.parametrize(
    "claim",
    [
        r"m\ddot x + kx = A\cos\omega t",
        "m x'' + k x = A cos ωt",
        "m x'' + k x = A cosωt",
        "m x''[t] + k x[t] == A Cos[omega t]",
        "m*Derivative(x(t), (t, 2)) + k*x(t) = A*cos(omega*t)",
        r"m\ddot{x}(t) + k x{\left(t \right)} - A \cos{\left(\omega t \right)} = 0",
        r"7. $m\ddot x + kx = A\cos\omega t$",
        r"m\ddot x + kx = A\cos\omega t \qquad (7)",
        r"m\ddot x + kx = A\cos\omega t. (2.7)",
        r"m\ddot x + kx = A\cos\omega t \tag{7}",
    ],
)
def test_a_right_claim_is_read_right(claim):
    assert DRIVEN.check(claim).is_identical


@pytest.mark.parametrize(
    "claim",
    [
        r"m\ddot x + kx = A\cos\omega * t",
        r"2. m\ddot x + kx = A\cos\omega t",
        r"(3) m\ddot x + kx = A\cos\omega t",
        r"(3) \tau_1 = m\ddot x + kx - A\cos\omega t",
        r"m\ddot x + kx = A\cos\omega t (3)",
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(claim):
    with pytest.raises(VisvivaError, match=r"is not clear|may number the equation"):
        DRIVEN.check(claim)


def test_units_of_values():
    right, short = r"M = 0.09\,m, \quad l = 0.3\,\mathrm{m}", PENDULUM.with_parameters(l=0.3)
    assert short.check(right).is_identical
    assert short.check(r"V = -2.943\,m\cos\theta; l = 0.3 \mathrm{m}; g = 9.81").is_identical
    with pytest.raises(VisvivaError, match="may be a unit or a factor"):
        PENDULUM.check("M = 0.09 m; l = 0.3 m")
    with pytest.raises(VisvivaError, match="may be a unit or a factor"):
        PENDULUM.check("V = -9.81 m l cos(theta); g = 9.81 m/s^2")


@pytest.mark.parametrize(
    ("claim", "subject"),
    [
        (f"N(q, q') = {BIAS}", "the bias forces"),
        (f"N(q, qd) = {BIAS}", "the bias forces"),
        (r"N(q, \dot{q}) = " + BIAS, "the bias forces"),
        (f"N = {BIAS}", "the bias forces"),
        (f"h(q, q') = {BIAS}", "the bias forces"),
        (f"N(q, q') = [{WEIGHT[0]}, {WEIGHT[1]}]", "the forces of gravity and springs"),
        (f"N(q) = [{WEIGHT[0]}, {WEIGHT[1]}]", "the forces of gravity and springs"),
        (f"N_1 = {SPEED[0]} + {WEIGHT[0]}", "entry 1 of the bias forces"),
        (f"h(q, q') = [{SPEED[0]}, {SPEED[1]}]", "the velocity terms"),
        (f"b(q, q') = [{SPEED[0]}, {SPEED[1]}]", "the velocity terms"),
    ],
)
def test_letters_that_books_use_for_several_things(claim, subject):
    verdict = ARM.check(claim)
    assert verdict.is_identical
    assert verdict.subject.startswith(subject)


def test_letters_of_books_are_told_where_none_of_the_readings_is_right():
    verdict = ARM.check(f"N(q, q') = [{SPEED[0]}, {SPEED[1]} + {WEIGHT[1]}]")
    assert verdict.status == "differs"
    assert verdict.subject.startswith("the bias forces")
    assert "may be the forces of gravity and springs, or the bias forces" in verdict.notes[-1]
    assert ARM.check(f"N(q) = {BIAS}").status == "differs"
    assert ARM.check(BIAS, of="bias_forces").is_identical


def test_bias_forces_have_friction_in_them():
    s = vv.Lagrangian(
        "x y",
        "m*(x'^2 + x^2*y'^2)/2",
        "k*x^2/2",
        "b*x'^2/2",
        forces=["0", "F0"],
        parameters={"m": 1, "k": 2, "b": 3, "F0": 4},
    )
    assert s.check("N(q, q') = [-m x y'^2 + k x + b x', 2 m x x' y' - F0]").is_identical
    assert s.check("N(q, q') = [k x + b x', 0]").is_identical
    assert s.check("N(q, q') = [k x, 0]").is_identical
    assert s.check("N(q, q') = [-m x y'^2 + k x, 2 m x x' y']").status == "differs"


def test_joints_called_as_functions_are_refused():
    """Otherwise sin(q1) were a product; a claim refuses the word too, whatever built the system."""
    b = vv.Builder("arm", gravity=[0.0, 0.0, -9.81])
    for name in ("sin", "cos"):
        b.body(
            name,
            joint="revolute",
            axis="y",
            joint_name=name,
            inertia=vv.Inertia.point(1, [1, 0, 0]),
        )
    with pytest.raises(VisvivaError, match=r"function (sin|cos)"):
        b.build()


def test_a_parameter_is_no_function():
    with pytest.raises(VisvivaError, match=r"g\(theta\) is not clear: a function"):
        PENDULUM.check("m l^2 theta'' + g(theta) = tau")


DAMPED = vv.Lagrangian("x", "m*x'^2/2", "d*x^2/2", parameters="m d")


@pytest.mark.parametrize(
    "claim",
    [
        "m x'' + xd = tau",
        "m x'' + dx = tau",
        "m x'' + x_d = tau",
        r"m \ddot x + xd = \tau",
        r"m \ddot x + x_d = \tau",
        "m xdd + d x = tau",
    ],
)
def test_a_rate_in_letters_that_are_parameters_is_refused_with_both_readings(claim):
    with pytest.raises(VisvivaError, match=r"can be read as '(\w+)', '(x|d) .*write a rate as x'"):
        DAMPED.check(claim)
    assert DAMPED.check("m x'' + x d = tau").is_identical


def test_a_rate_in_letters_of_another_name_is_refused_too():
    """phi is read as the coordinate x where it has rates."""
    for name in ("phid", "dphi"):
        with pytest.raises(VisvivaError, match=rf"{name} may be the rate phi' or a product with d"):
            DAMPED.check(f"m phi'' + {name} = tau")
    scara = vv.catalog.scara()  # d is a coordinate, d1 is nothing
    assert scara.check("p2 = M21 phid1 + M22 phid2; M21 = 1; M22 = 1").status == "differs"


def test_a_rate_that_can_be_nothing_else_is_read():
    spring = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters="m k")
    moving = vv.Lagrangian("d", "m*d'^2/2", "k*d^2/2", parameters="m k")
    dotted = vv.Lagrangian("x", "m*x'^2/2", "d*o*x^2/2", parameters="m d o")
    assert spring.check("p = m xd").is_identical
    assert spring.check("p = m x_d").is_identical
    assert moving.check("p = m dd").is_identical  # nobody writes d^2 so
    assert DAMPED.check("p = m xdot").is_identical
    with pytest.raises(VisvivaError, match="xdot can be read as 'xdot', 'x d o t'"):
        dotted.check("p = m xdot")


def test_matrices_are_lists_of_rows_and_arrays():
    M = ARM.closed_form().mass_matrix
    for claim in (M.tolist(), np.array(M.tolist()), [[str(x) for x in row] for row in M.tolist()]):
        assert ARM.check(claim, of="M").is_identical
        assert ARM.check({"M": claim}).is_identical
    assert ARM.check({"g": WEIGHT}).is_identical
    assert ARM.check(np.array(WEIGHT), of="g").is_identical
    assert ARM.check(np.ones((2, 2)), of="M").status == "differs"
    for claim in ([[1, 2], [3]], [[]], np.zeros((2, 0))):
        with pytest.raises(VisvivaError, match="a matrix has rows of one length"):
            ARM.check(claim, of="M")


@pytest.mark.parametrize(
    "claim",
    [
        "tau = m x'' + k x(t + 1)",
        "tau = m x'' + k x(2t)",
        "tau = m x''[t - 1] + k x",
        r"\tau = m \ddot x\left(t - 1\right) + k x",
        "V = k x(t - T)^2/2",
        "V = k x^2(t - T)/2",
    ],
)
def test_a_coordinate_at_another_time_is_not_taken_for_a_product(claim):
    s = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters="m k")
    with pytest.raises(
        VisvivaError, match=r"is not clear: x at another time .* write a \* after (\\ddot )?x"
    ):
        s.check(claim)
    assert s.check("tau = m x''(t) + k x(t)").is_identical
    assert s.check("tau = m x'' + k x*(t + 1)").status == "differs"


def test_energies_by_cases_are_refused_as_what_they_are():
    ground = "m*g*h + where(less(h, 0), k*h^2/2, 0)"
    ball = vv.Lagrangian("h", "m*h'^2/2", ground, parameters="m g k", name="ball")
    for claim in ("m h'' + m g + k*h = tau", "V = m g h", "h'' = -g", "tau = m h''"):
        with pytest.raises(VisvivaError, match="energies of this system are stated by cases"):
            ball.check(claim)
    assert ball.check("T = m h'^2/2").is_identical
    assert ball.check("M = m").is_identical
