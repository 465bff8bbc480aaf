"""What F, u and tau are said to be: names for terms, laws that drive, or forces of any size."""

from itertools import permutations

import pytest

import visviva as vv
from visviva.errors import ArgumentError
from visviva.judge.check.gather import gathered

VALUES = {"m": 1, "k": 4, "c": 0.1}
ENERGIES = ("x", "m x'^2/2", "k x^2/2")
PASSIVE = vv.Lagrangian(*ENERGIES, dissipation="c x'^2/2", parameters=VALUES, passive="x")
DRIVEN = vv.Lagrangian(*ENERGIES, dissipation="c x'^2/2", parameters=VALUES)
ARM = vv.Lagrangian(
    "theta",
    "m l^2 theta'^2/2",
    "-m g l cos(theta)",
    parameters={"m": 1, "l": 1, "g": 9.81, "kp": 10, "kd": 2},
)
PD = "m g l sin(theta) - kp theta - kd theta'"
LOOP = "m l^2 theta'' + kd theta' + kp theta = 0"
NAMES = ["F", "f", "tau", "Q1", "Q", "u", "F_x"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("system", [PASSIVE, DRIVEN])
def test_a_name_for_a_term(system, name):
    assert system.check(f"{name} = -k x - c x'; m x'' = {name}").is_identical
    assert system.check(f"{name} = -k x + c x'; m x'' = {name}").status == "differs"


@pytest.mark.parametrize("name", NAMES)
def test_nothing_drives_what_is_passive(name):
    assert PASSIVE.check(f"{name} = 3 k x; m x'' + c x' + k x = {name}").status == "differs"
    assert PASSIVE.check(f"m x'' + c x' + k x = {name} where {name} = 3 k x").status == "differs"


@pytest.mark.parametrize("name", ["u", "tau"])
def test_no_law_drives_what_is_passive(name):
    assert PASSIVE.check(f"{name} = -3 x; m x'' + c x' + (k + 3) x = 0").status == "differs"


@pytest.mark.parametrize("name", NAMES)
def test_what_holds_for_any_force(name):
    verdict = DRIVEN.check(f"{name} = 3 k x; m x'' + c x' + k x = {name}")
    assert verdict.is_identical
    assert any("it holds for any" in x for x in verdict.notes)


def test_newton():
    assert DRIVEN.check("F = -k x - c x'; F = m x''").is_identical
    assert PASSIVE.check("F = -dV/dx - c x'; m x'' = F").is_identical
    assert ARM.check("F = m g sin(theta); m l^2 theta'' = tau - F l").is_identical


@pytest.mark.spread(1)
@pytest.mark.parametrize("name", ["tau", "u"])
def test_a_loop_that_is_closed(name):
    verdict = ARM.check(f"{name} = {PD}; {LOOP}")
    assert verdict.status == "identical if"
    assert str(verdict.conditions[0].lhs) == name
    assert ARM.check(f"{name} = {PD}; {LOOP.replace('kp', '2 kp')}").status == "differs"
    plant = f"m l^2 theta'' + m g l sin(theta) = {name}"
    assert ARM.check(f"{name} = {PD}; {plant}; {LOOP}").status == "identical if"
    free = "m l^2 theta'' + m g l sin(theta) = 0"
    assert ARM.check(f"{name} = {PD}; {plant}; {free}").status == "differs"


def test_a_wrong_force_is_no_law_for_what_does_not_need_it():
    cart = vv.catalog.cart_pole()
    second = "l theta'' + x'' cos(theta) = -g sin(theta)"
    verdict = cart.check(f"tau1 = (M + m) g; {second}")
    assert [x.status for x in verdict.parts] == ["differs", "identical"]


def test_applied_forces():
    forced = vv.Lagrangian(
        *ENERGIES,
        parameters={"m": 1, "k": 4, "F0": 1, "w": 1.5},
        forces="F0 cos(w t)",
        passive="x",
    )
    assert forced.check("F(t) = F0 cos(w t); m x'' + k x = F(t)").is_identical
    assert forced.check("F = F0 sin(w t); m x'' + k x = F").status == "differs"
    kepler = vv.Lagrangian(
        "r phi",
        "mu (r'^2 + r^2 phi'^2)/2",
        "-k/r",
        parameters={"mu": 1.0, "k": 1.0},
        passive="r phi",
    )
    assert kepler.check("F_r = -k/r^2; mu (r'' - r phi'^2) = F_r").is_identical
    assert kepler.check("F_r = 17/r^5; mu (r'' - r phi'^2) + k/r^2 = F_r").status == "differs"


CART = "(M + m) x'' + m l cos(theta) theta'' - m l theta'^2 sin(theta) = "


@pytest.mark.parametrize(
    ("system", "law", "left", "right", "wrong"),
    [
        ("cart_pole", "F = -kp x - kd x'", CART, "-kp x - kd x'", "-kp x + kd x'"),
        ("two_link", "tau2 = g2 - kp q2", "M21 q1'' + M22 q2'' + C21 q1' = ", "-kp q2", "kp q2"),
    ],
)
def test_gains_of_a_controller(system, law, left, right, wrong):
    """F of a cart, and quantities of the mechanism in laws: compensated gravity."""
    model = vv.catalog.build(system)
    verdict = model.check(f"{law}; {left}{right}")
    assert verdict.status == "identical if"
    assert str(verdict.conditions[0].lhs) == law.partition(" =")[0]
    assert not any("= 0, as was said" in x for x in verdict.notes)
    assert model.check(f"{law}; {left}{wrong}").status == "differs"
    with pytest.raises(ArgumentError, match="gains of a controller are read in laws"):
        model.check(law)


TWO = vv.catalog.two_link()
R = (
    "(I2 + m2 r2^2) (q1'' + q2'') + m2 L1 r2 (cos(q2) q1'' + sin(q2) q1'^2)"
    " + m2 a_g r2 cos(q1 + q2)"
)
PLANT = "m l^2 theta'' + m g l sin(theta)"


@pytest.mark.parametrize("other", ["m2 a_g r2 sin(q1 + q2)", "5", "tau1", "m2 a_g r2 cos(q1 + q2)"])
@pytest.mark.parametrize("chain", ["tau2 = {0} = {1}", "u2 = {1} = {0}", "{0} = tau2 = {1}"])
def test_a_side_of_a_chain_is_no_law(chain, other):
    """A wrong step of a chain is wrong, wherever it stands."""
    verdict = TWO.check(chain.format(R, other))
    assert sorted(x.status for x in verdict.parts) == ["differs", "identical"]


def test_chains_of_one_coordinate():
    assert ARM.check(f"tau = {PLANT} = m g l").status == "differs"
    assert ARM.check(f"tau = {PLANT} = l ({PLANT})/l").is_identical
    with pytest.raises(ArgumentError, match="gains of a controller are read in laws"):
        ARM.check(f"tau = {PLANT} = -k1 theta")
    for name in NAMES:  # Newton's, of all forces together
        assert DRIVEN.check(f"{name} = m x'' = -k x - c x'").is_identical
        assert DRIVEN.check(f"{name} = m x'' = -k x + c x'").status == "differs"


@pytest.mark.parametrize("chain", [" = ".join(x) for x in permutations(["{0}", "{1}", "0"])])
def test_a_chain_with_zero_is_one_statement(chain):
    plain, verdict = TWO.check(f"{R} = 0"), TWO.check(chain.format("tau2", R))
    assert (verdict.status, verdict.notes) == (plain.status, plain.notes)
    assert "the claim says τ₂ = 0: two_link can be driven there" in verdict.notes
    assert TWO.check(chain.format("tau1", R)).status == "differs"  # it is of another force
    assert ARM.check(chain.format("tau", PLANT)).is_identical
    cart = vv.catalog.cart_pole()
    one, _ = cart.closed_form().equations
    assert cart.check(chain.format("tau1", one)).status == "identical if"


@pytest.mark.parametrize("order", [*permutations(["tau", "M q'' + C q' + g", "0"])])
def test_a_chain_of_vectors_with_zero_is_one_statement(order):
    plain, verdict = TWO.check("M q'' + C q' + g = 0"), TWO.check(" = ".join(order))
    assert (verdict.status, verdict.notes) == (plain.status, plain.notes)
    assert "the claim says τ₁ = 0: two_link can be driven there" in verdict.notes
    wrong = [x.replace("0", "[5, 0]") for x in order]
    assert TWO.check(" = ".join(wrong)).status == "differs"


def test_what_was_asked_for_is_no_law(tmp_path):
    """Under tau2, every right side is an answer."""
    wrong = "m2 a_g r2 sin(q1 + q2)"
    rows = [R, f"tau2 = {R}; tau2 = {wrong}", f"u2 = {wrong}; {R} = u2", f"tau2 = {R} = {wrong}"]
    sheet = tmp_path / "class.csv"
    sheet.write_text("name,tau2\n" + "".join(f'{k},"{x}"\n' for k, x in enumerate(rows)))
    found = gathered([sheet], TWO).verdicts(TWO, {})
    assert [x.status for x in found.values()] == ["identical", "differs", "differs", "differs"]
    assert TWO.check(rows[2]).is_identical  # as a law beside an equation it may be any force
