"""Readings of closed forms: kinds of terms, symmetries."""

import sympy

import visviva as vv
from visviva.judge.closed.closed_form import ClosedForm, terms
from visviva.judge.exact.forms import cyclic_coordinates, invariant_coordinates, is_flat
from visviva.judge.exact.model_forms import ModelForms


def test_C9_C113_terms_are_labelled_and_read():
    forms = ModelForms(vv.catalog.two_link())
    found = [(t.kind, str(t.factor)) for t in terms(forms, 0)]
    assert found == [
        ("inertial", "qdd1"),
        ("inertial", "qdd2"),
        ("centrifugal", "qd2**2"),
        ("Coriolis", "qd1*qd2"),
        ("gravitational", "1"),
    ]
    total = sum(t.formula for t in terms(forms, 0))
    printed = ClosedForm("2R", forms).equations[0]
    assert sympy.simplify(total - printed) == 0
    assert "constant speed" in terms(forms, 1)[2].reading


def test_C4_C13_symmetries_are_found():
    table = ModelForms(vv.catalog.cartesian())
    assert is_flat(table)
    assert cyclic_coordinates(table) == ["x", "y"]
    arm = ModelForms(vv.catalog.two_link())
    assert not is_flat(arm)
    assert invariant_coordinates(arm) == ["q1"]
