"""Every term of the equations has a kind, bodies and a sentence, and none is lost."""

import numpy as np
import pytest
import sympy

from tests.support.counts import SOAK
from visviva.describe import catalog
from visviva.errors import VisvivaError
from visviva.judge.closed.explained import KINDS_OF_TERMS

SMALL = "rp_arm two_link cart_pole knife_edge bead_on_rotating_wire tumbling_body four_bar".split()
NO_POLYNOMIALS = "andrews bicycle bird_leg relativistic_particle".split()
SMALL += "charged_particle rotor_on_springs".split()


def everything(system):
    form = system.closed_form()
    return form, [form.terms(row) for row in range(system.nv)]


@pytest.mark.spread(5)
@pytest.mark.soak
@pytest.mark.parametrize("name", catalog.names() if SOAK else SMALL)
def test_the_terms_of_an_equation_are_all_of_it(name):
    system = catalog.build(name)
    if name in NO_POLYNOMIALS:
        with pytest.raises(VisvivaError):
            everything(system)
        return
    form, rows = everything(system)
    point = dict(form.parameters)
    rng = np.random.default_rng(0)
    for equation, terms in zip(form.equations, rows, strict=True):
        total = sum((x.formula for x in terms), sympy.S.Zero)
        symbols = equation.free_symbols | total.free_symbols
        at = {x: point.get(x, float(rng.uniform(0.2, 0.9))) for x in symbols}
        assert abs(sympy.N((equation - total).xreplace(at))) < 1e-9
        for x in terms:
            assert x.kind in KINDS_OF_TERMS
            assert len(x.sentence) > 15


def test_bodies_are_those_whose_masses_stand_in_the_term():
    system = catalog.planar_3r()
    _, rows = everything(system)
    owners = {"m1": "link1", "m2": "link2", "m3": "link3"}
    for terms in rows:
        for x in terms:
            if x.bodies:
                masses = {owners[str(s)] for s in x.coefficient.free_symbols if str(s) in owners}
                assert masses == {*x.bodies}


def test_sentences_name_joint_body_and_cause():
    _, rows = everything(catalog.rp_arm())
    coriolis = next(x for x in rows[0] if x.kind == "Coriolis")
    assert "sliding q₂ takes link2" in coriolis.sentence
    pulled = next(x for x in rows[1] if x.kind == "centrifugal")
    assert pulled.sentence.endswith("q₂ has to pull it inward")


def test_what_does_no_work_is_not_called_friction():
    _, rows = everything(catalog.rotating_frame_particle())
    kinds = {x.kind for terms in rows for x in terms}
    assert "gyroscopic" in kinds
    assert "dissipative" not in kinds
    _, rows = everything(catalog.rotor_on_springs())
    for x in (x for terms in rows for x in terms):
        assert (x.kind == "dissipative") == ({"de", "di"} <= {*map(str, x.formula.free_symbols)})
