"""What the sources say of linear systems and of rest: S34, S42, C107, C108, C109, E39g."""

import mpmath
import numpy as np
import pytest
import sympy

import visviva as vv
from tests.support.generators.bodies import close

I2, Z, J = np.eye(2), np.zeros((2, 2)), np.array([[0.0, 1.0], [-1.0, 0.0]])
SPRINGS = np.diag([1.0, 4.0])
CLASSES = {  # A2, A3, kind, eigenvalues above the real axis, verdict
    "conservative": (Z, SPRINGS, "conservative", [1j, 2j], "stable"),
    "gyroscopic": (3 * J, -I2, "gyroscopic conservative", [0.381966j, 2.618034j], "stable"),
    "damped": (0.2 * I2, SPRINGS, "damped", [-0.1 + 0.994987j, -0.1 + 1.997498j],
               "asymptotically stable"),
    "circulatory": (Z, I2 + 0.3 * J, "circulatory", [0.148376 + 1.010948j, -0.148376 + 1.010948j],
                    "unstable"),
    "general": (0.2 * I2 + 3 * J, SPRINGS + 0.1 * J, "general", None, None),
}  # fmt: skip


def exact_eigenvalues(A1, A2, A3):
    """By mpmath, with 40 digits."""
    with mpmath.workdps(40):
        n = len(A1)
        inverse = mpmath.inverse(mpmath.matrix(A1.tolist()))
        F = mpmath.zeros(2 * n)
        F[:n, n:] = mpmath.eye(n)
        F[n:, :n] = -inverse * mpmath.matrix(A3.tolist())
        F[n:, n:] = -inverse * mpmath.matrix(A2.tolist())
        return np.array([complex(x) for x in mpmath.eig(F, left=False, right=False)])


def apart(found, exact):
    """The largest distance between two sets of eigenvalues, paired as they are nearest."""
    left = list(exact)
    worst = 0.0
    for z in found:
        k = int(np.argmin([abs(z - x) for x in left]))
        worst = max(worst, abs(z - left.pop(k)))
    return worst


@pytest.mark.parametrize("name", CLASSES)
def test_S42_C109_linear_systems_in_five_classes(name):
    A2, A3, kind, values, verdict = CLASSES[name]
    linear = vv.Linearization.of(I2, A2, A3)
    assert linear.kind == kind
    assert apart(linear.eigenvalues, exact_eigenvalues(I2, A2, A3)) < 1e-12
    if values is not None:
        above = [z for z in linear.eigenvalues if z.imag > 0]
        assert apart(above, values) < 1e-6
        assert linear.stability.status == verdict
    assert linear.is_passive == (name in ("conservative", "damped"))


def test_S42_the_same_classes_as_mechanisms():
    """Stated by energies and forces: the matrices are found again."""
    G, H = 3.0, 0.3
    s = vv.Lagrangian("x y", "(x'^2 + y'^2)/2", "(x^2 + 4*y^2)/2",
                      dissipation="(x'^2 + y'^2)/10",
                      forces=["-3*y' - 3*y/10", "3*x' + 3*x/10"])  # fmt: skip
    linear = s.linearize([0.0, 0.0])
    close(linear.M, I2)
    close(linear.D, 0.2 * I2)
    close(linear.G, G * J)
    close(linear.K, SPRINGS)
    close(linear.H, H * J)
    assert linear.kind == "general"


def test_S42_flutter_begins_at_three_halves():
    """K = diag(1, 4) with a circulatory h: stable for 1.4, flutter for 1.6, from 1.5 on."""
    s = vv.Lagrangian("x y", "(x'^2 + y'^2)/2", "(x^2 + 4*y^2)/2", forces=["-h*y", "h*x"],
                      parameters={"h": 1.4})  # fmt: skip
    assert s.linearize([0, 0]).stability.status == "stable"
    assert s.linearize([0, 0], parameters={"h": 1.6}).stability.status == "unstable"
    assert abs(s.stability_limit("h", (1.4, 1.6), [0, 0]) - 1.5) < 1e-9


def test_C108_symmetric_and_skew_parts():
    rng = np.random.default_rng(3)
    A2, A3 = rng.normal(size=(2, 3, 3))
    linear = vv.Linearization.of(np.eye(3), A2, A3)
    for whole, even, odd in ((A2, linear.D, linear.G), (A3, linear.K, linear.H)):
        close(even, (whole + whole.T) / 2)
        close(odd, (whole - whole.T) / 2)
        close(even + odd, whole)


def test_C107_equilibria_and_the_matrices_there():
    """A double pendulum on springs: all equilibria, and A1, A2, A3 at each by differences."""
    arm = vv.Lagrangian(
        "a b",
        "a'^2 + b'^2/2 + a'*b'*cos(a - b)",
        "k*a^2/2 + k*(b - a)^2/2 + 2*g*cos(a) + g*cos(b)",
        dissipation="d*(a'^2 + b'^2)/2",
        parameters={"k": 4.0, "g": 9.81, "d": 0.1},
    )
    found = arm.equilibria(within={"a": (-3, 3), "b": (-3, 3)})
    assert found.proved
    assert [0.0, 0.0] in found.q.tolist()
    # a count beside it: sign changes of the second row along the curve of the first
    a = np.linspace(-3, 3, 600_001)
    b = a + (4 * a - 2 * 9.81 * np.sin(a)) / 4  # from the first row
    left = 4 * (b - a) - 9.81 * np.sin(b)
    inside = np.abs(b) < 3
    crossed = (np.sign(left[1:]) != np.sign(left[:-1])) & inside[1:] & inside[:-1]
    on_grid = np.count_nonzero(left[inside] == 0)
    assert len(found) == np.count_nonzero(crossed) - on_grid * (on_grid > 0)
    for q in found:
        linear = arm.linearize(q)
        step = 1e-5 * np.eye(2)
        K = [(arm.bias_forces(q + h, [0, 0]) - arm.bias_forces(q - h, [0, 0])) / 2e-5 for h in step]
        close(linear.A3, np.array(K).T, 1e-7)
        close(linear.A1, arm.mass_matrix(q))
        close(linear.A2, 0.1 * np.eye(2))


def test_C107_in_formulas():
    g, k, m, W = sympy.symbols("g k m Omega")
    form = vv.catalog.bead_on_rotating_wire().closed_form().linearized()
    assert sympy.simplify(form.A3[0] - m * (2 * g * k - W**2)) == 0
    assert form.A1[0] == m
    assert form.A2[0] == 0


def test_C109_energy_argument_and_passivity():
    """K > 0 and H = 0: energy bounds the motion; D > 0 besides: it decays."""
    still = vv.catalog.pendulum().linearize([0.0, 0.0])
    assert still.kind == "conservative"
    assert still.is_passive
    assert "K > 0" in still.stability.argument
    for mode in still.modes:
        assert mode.eigenvalue.real == pytest.approx(0.0, abs=1e-12)
    over = vv.catalog.pendulum().linearize([np.pi, 0.0])
    assert over.stability.status == "unstable"
    assert not over.is_passive


def test_E39g_class_five_has_gyroscopic_forces_and_class_one_needs_positive_stiffness():
    """The general form without G misses systems that are of no other class; K < 0 runs away."""
    general = vv.Linearization.of(I2, 0.2 * I2 + 3 * J, SPRINGS + 0.1 * J)
    assert general.kind == "general"
    assert np.abs(general.G).max() > 0
    unstable = vv.Linearization.of(I2, Z, np.diag([1.0, -4.0]))
    assert unstable.kind == "conservative"
    assert unstable.stability.status == "unstable"


def test_S34_satellite():
    """Where gravity balances centrifugal force: ω² = G M / r³, an equilibrium of -C0 + P."""
    satellite = vv.Lagrangian(
        "r phi", "m*(r'^2 + r^2*phi'^2)/2", "-G*M*m/r",
        parameters={"m": 3.0, "G": 0.5, "M": 8.0},
    )  # fmt: skip
    w = 0.7
    r = (0.5 * 8.0 / w**2) ** (1 / 3)
    found = satellite.equilibria([0.0, w], within={"r": (0.1, 10.0)})
    assert found.proved
    close(found.q[:, 0], [r], 1e-12)
    linear = satellite.linearize([r, 0.0], [0.0, w])
    assert linear.kind == "gyroscopic conservative"
    turning = sorted(abs(z.imag) for z in linear.eigenvalues)
    close(turning, [0, 0, w, w], 1e-9)  # a radial disturbance comes back once a revolution
    C0 = vv.Lagrangian("r", "m*r'^2/2", "-G*M*m/r - m*r^2*w^2/2",
                       parameters={"m": 3.0, "G": 0.5, "M": 8.0, "w": w})  # fmt: skip
    close(C0.equilibria(within={"r": (0.1, 10.0)}).q, [[r]], 1e-12)
