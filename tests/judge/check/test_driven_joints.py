"""Claims that leave out the force of a joint that can be driven, and labels of claims in files."""

import sympy
from typer.testing import CliRunner

import visviva as vv
from visviva.cli import app
from visviva.judge.check.files import load_claims

CART = vv.catalog.cart_pole()  # nothing drives the pole


def zero(*names):
    return tuple(sympy.Eq(sympy.Symbol(x), 0) for x in names)


def test_lines_may_have_labels(tmp_path):
    lines = tmp_path / "students.txt"
    lines.write_text(
        "Ada: M22 = I2 + m2 r2^2\n# remark: none\nM22 := I2\nAda: M22 = I2\n"
        "M_{22}\\: = I2 + m2 r2^2\nBob:= 3\n"
    )
    claims = load_claims(lines).claims
    assert [*claims] == ["Ada", "line 3", "Ada, line 4", "line 5", "line 6"]
    assert claims["Ada"] == "M22 = I2 + m2 r2^2"
    assert claims["line 3"] == "M22 := I2"
    answer = CliRunner().invoke(app, ["check", "two_link", "--file", str(lines)])
    assert "Ada: M22 = I2 + m2 r2^2\nidentical" in answer.output
    assert "2 of 5 claims are identical" in answer.output
    mistaken = CliRunner().invoke(app, ["check", "two_link", str(lines)])
    assert mistaken.exit_code == 2
    assert "--file" in mistaken.output


def test_a_system_that_says_what_is_passive_is_driven_elsewhere():
    """A forgotten force of the cart is not taken as zero, that of the pole is."""
    one, two = CART.closed_form().equations
    cart = CART.check(f"{one} = 0")
    assert (cart.status, cart.conditions) == ("identical if", zero("tau1"))
    twice = CART.check(f"{one} = 0; M*({one}) = 0")
    assert twice.status == "identical if"  # one does not vouch for the other
    pole = CART.check(f"{two} = 0")
    assert pole.is_identical
    assert not any("driven" in x for x in pole.notes)
    assert CART.check(f"{one} = 0", assume="tau1 = 0").is_identical
    assert CART.check(f"tau1 = 0; {one} = 0").is_identical
    assert CART.check(f"{one} = tau1").is_identical
