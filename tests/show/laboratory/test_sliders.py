"""Which numbers become sliders, between which bounds, and what a laboratory says of itself."""

import json

import numpy as np
import pytest

import visviva as vv
from tests.support.oracles.robots import robot
from visviva.errors import UnknownNameError
from visviva.show.laboratory.javascript import SCRATCH
from visviva.show.laboratory.laboratory import laboratory_of
from visviva.show.laboratory.sliders import sliders_of
from visviva.show.laboratory.subject import subject_of


def sliders(system, names=None):
    return {x.name: x for x in sliders_of(subject_of(system), names)}


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", ["rp_arm", "four_bar", "tumbling_body", "stanford", "heavy_top"])
def test_every_value_of_a_slider_is_possible(name):
    system = vv.catalog.build(name)
    found = sliders(system)
    assert 0 < len(found) <= 20
    for x in found.values():
        assert x.lower < x.upper
        assert x.lower <= x.value <= x.upper
        assert x.value == system.parameters[x.name]
        for end in (x.lower, x.upper):
            _ = system.with_parameters(**{x.name: end}).numeric


def test_gravity_comes_first_with_its_unit():
    for system, name in ((vv.catalog.rp_arm(), "a_g"), (vv.catalog.heavy_top(), "g")):
        first = next(iter(sliders(system).values()))
        assert (first.name, first.kind, first.unit, first.lower) == (name, "gravity", "m/s²", 0.0)
    assert "gravity" not in {x.kind for x in sliders(vv.catalog.polar_point()).values()}


def test_gravity_that_leans_keeps_its_direction():
    b = vv.Builder("leaning", gravity=(3.0, 0.0, -4.0))
    b.body("link", joint="revolute", axis="y", mass=1.0, com=[0.5, 0.0, 0.0])
    subject = subject_of(b.build())
    assert subject.is_added
    assert subject.smooth.parameters[subject.gravity] == 5.0
    twice = subject.smooth.with_parameters(**{subject.gravity: 10.0}).numeric
    np.testing.assert_allclose(np.asarray(twice.gravity, dtype=float), [6.0, 0.0, -8.0], rtol=1e-15)


def test_a_robot_of_a_file_has_its_heaviest_masses():
    arm = vv.load(robot("panda.urdf"))
    found = sliders(arm)
    assert next(iter(found)) == "gravity"
    assert {x.kind for x in found.values()} == {"gravity", "mass"}
    assert len(found) == 7
    assert found["m_panda_link1"].meaning == "mass of panda_link1"
    assert found["gravity"].value == pytest.approx(9.81)


def test_asked_for_by_name():
    lab = laboratory_of(vv.catalog.two_link(), parameters=["I2", "a_g"])
    assert lab.parameters == ("I2", "a_g")
    with pytest.raises(UnknownNameError, match="mass9"):
        laboratory_of(vv.catalog.two_link(), parameters=["mass9"])


def test_data_are_plain_and_the_script_is_small():
    lab = laboratory_of(vv.catalog.puma560())
    told = json.loads(json.dumps(lab.as_dict()))
    assert told["dt"] == 1e-3
    assert len(told["q"]) == told["nq"] == 6
    assert len(lab.script) < 40_000
    assert lab.script.count(f"const {SCRATCH} = ") == 1
    assert "kB of JavaScript" in repr(lab)


def test_what_is_fast_gets_shorter_steps():
    b = vv.Builder("stiff", gravity=(0.0, 0.0, 0.0))
    b.body("mass", joint="prismatic", axis="x", mass=0.001)
    b.spring("spring", 200.0, joint="mass_joint")  # 447 rad/s
    lab = laboratory_of(b.build())
    assert lab.dt == 1e-3 / 8
