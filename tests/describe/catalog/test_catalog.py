"""The catalogue: every model is sound, and survives what can be done to it."""

import pickle

import numpy as np
import pytest

import visviva as vv
from tests.support.oracles.by_definition import mass_matrix
from tests.support.tools import ROOT
from visviva.describe import catalog
from visviva.describe.bodies.validity import impossibility
from visviva.describe.by_hand.dh import to_dh
from visviva.describe.by_hand.screws import to_screws
from visviva.describe.catalog.kinds import python_line, sentence
from visviva.describe.load import load, save
from visviva.describe.model.compare import differences
from visviva.equations.constraints.rows import constraint_error
from visviva.errors import ArgumentError, InertiaError, UnknownNameError

NAMES = """cart_pole acrobot
planar_body rp_arm rp_arm_thrusters two_link pr_arm planar_3r rpr_arm spatial_3r
craig_6_5 human_arm
cartesian cylindrical spherical scara articulated puma560 stanford pendulum tumbling_body
mobile_manipulator polar_point""".split()
ENERGIES = """bead_on_rotating_wire charged_particle euler_body point_on_circle
relativistic_particle rotating_frame_particle spherical_pendulum heavy_top
follower_column gyroscope rotor_on_springs
point_on_sphere knife_edge chaplygin_sleigh rolling_disc unicycle differential_drive""".split()
CLOSED = """andrews bennett bicycle bird_leg bricard delta five_bar flyball_governor four_bar
n_four_bar parallel_cranks slider_crank spatial_slider_crank stewart""".split()
SERIAL = [name for name in NAMES if name != "tumbling_body"]


def test_the_names():
    assert {*NAMES, *ENERGIES, *CLOSED} == set(catalog.names())
    assert list(catalog.names()) == sorted(catalog.names())
    for name in [*NAMES, *ENERGIES, *CLOSED]:
        assert name in catalog.__all__
        assert catalog.build(name).name == name


def test_the_page_names_all():
    page = (ROOT / "docs" / "catalog.md").read_text(encoding="utf-8")
    assert [name for name in catalog.names() if f"`{name}" not in page] == []


@pytest.mark.spread(15)
@pytest.mark.parametrize("name", [*NAMES, *CLOSED])
def test_every_model_is_sound(name):
    model = getattr(catalog, name)()
    assert model.is_symbolic
    assert not model.numeric.is_symbolic
    assert model.numeric.parameters == {}
    assert name in repr(model)
    assert repr(model.numeric)
    text = catalog.describe(name)
    assert text.startswith(f"{name}: ")
    assert "source: " in text
    doc = getattr(catalog, name).__doc__
    assert "Source: " in doc
    for b in model.numeric.bodies:
        if (name, b.name) != ("puma560", "link3"):  # measured so, see its notes
            assert not impossibility(b.inertia.mass, b.inertia.com, b.inertia.tensor)
        assert b.inertia.tensor.dtype == float


@pytest.mark.spread(12)
@pytest.mark.parametrize("name", [*NAMES, *CLOSED])
def test_every_model_pickles(name):
    model = catalog.build(name)
    again = pickle.loads(pickle.dumps(model))
    assert differences(model, again) == []
    assert again.held_by == model.held_by
    assert dict(again.parameters) == dict(model.parameters)


@pytest.mark.spread(4)
@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_has_an_effect(name):
    """By keyword, and the same as changing it afterwards."""
    model = catalog.build(name)
    for key, value in model.parameters.items():
        changed = value * 1.001
        try:
            other = catalog.build(name, **{key: changed})
        except InertiaError:  # laminas have no room above
            changed = value * 0.999
            other = catalog.build(name, **{key: changed})
        assert differences(model, other, samples=1), key
        assert differences(model.with_parameters(**{key: changed}), other, samples=1) == [], key


@pytest.mark.spread(4)
@pytest.mark.parametrize("name", SERIAL)
def test_mass_matrices_are_positive_and_survive_other_descriptions(name):
    model = catalog.build(name)
    q = np.random.default_rng(1).uniform(0.2, 1.0, model.nq)
    M = mass_matrix(model, q)
    assert np.allclose(M, M.T, rtol=1e-12, atol=1e-14)
    assert np.linalg.eigvalsh(M).min() > 0
    frames = [f.name for f in model.frames if f.name == "tool"]
    for other in (to_screws(model).model(), *(to_dh(model, c).model() for c in CONVENTIONS)):
        assert differences(model, other, names=False, frames=frames) == []


CONVENTIONS = ("standard", "modified")


@pytest.mark.parametrize("name", CLOSED)
def test_every_closed_mechanism_has_a_position_in_which_it_is_closed(name):
    model = catalog.build(name)
    assert model.loops
    q = model.keyframes["assembled"]
    error = np.asarray(constraint_error(model.numeric, q), dtype=float)
    assert np.abs(error).max() < 1e-14
    assert name in repr(model)
    assert model.symbolic.held_by == model.held_by


@pytest.mark.spread(6)
@pytest.mark.parametrize("name", CLOSED)
def test_every_closed_mechanism_is_written_to_a_file_and_read(name, tmp_path):
    model = catalog.build(name)
    save(model, tmp_path / "m.toml")
    again = load(tmp_path / "m.toml")
    assert differences(model, again, samples=1) == []
    assert again.held_by == model.held_by
    np.testing.assert_array_equal(again.keyframes["assembled"], model.keyframes["assembled"])


def test_mechanisms_that_cannot_be_put_together_are_refused():
    with pytest.raises(ArgumentError, match=r"four_bar cannot be put together: links of 0.9"):
        catalog.four_bar(l0=5.0)
    with pytest.raises(ArgumentError, match=r"a rod of 0.35 does not reach from 0.866"):
        catalog.slider_crank(l1=1.0)
    with pytest.raises(ArgumentError, match=r"delta: arms of 0.3 and rods of 0.7 do not reach"):
        catalog.delta(depth=2.0)
    with pytest.raises(ArgumentError, match=r"a rod of 0.1 does not reach the crank"):
        catalog.spatial_slider_crank(l2=0.1)
    with pytest.raises(ArgumentError, match="twists are different and between 0 and pi"):
        catalog.bennett(alpha=1.1)
    with pytest.raises(UnknownNameError, match=r"kind of legs of stewart 'PUS'.*'UPS', 'SPS'"):
        catalog.stewart(legs="PUS")
    with pytest.raises(ArgumentError, match=r"n = 1, 2, … linkages, got 0"):
        catalog.n_four_bar(n=0)
    with pytest.raises(UnknownNameError, match="parameter of parallel_cranks 'l3'"):
        catalog.parallel_cranks(l3=0.7)
    assert catalog.parallel_cranks(generic=True, l3=0.7).parameters["l3"] == 0.7


def test_unknown_names_and_bad_values():
    with pytest.raises(UnknownNameError, match="mechanism 'rp_amr'; did you mean 'rp_arm'"):
        catalog.describe("rp_amr")
    with pytest.raises(UnknownNameError, match="did you mean 'puma560'"):
        catalog.build("puma56")
    with pytest.raises(AttributeError, match="did you mean 'scara'"):
        _ = catalog.scarra
    assert not hasattr(catalog, "nothing_like_it")
    with pytest.raises(UnknownNameError, match=r"parameter of rp_arm 'm3'.*'m1', 'm2', 'r1'"):
        catalog.rp_arm(m3=1.0)
    with pytest.raises(ArgumentError, match=r"'m1' is a finite number, or a formula of"):
        catalog.rp_arm(m1="heavy")
    with pytest.raises(InertiaError, match="a mass cannot be negative"):
        catalog.rp_arm(m1=-1.0)
    with pytest.raises(ArgumentError, match="point_on_circle is True or False, got 1"):
        catalog.point_on_circle(constrained=1)
    with pytest.raises(ArgumentError, match="ahead of knife_edge is a finite number, got 'far'"):
        catalog.knife_edge(ahead="far")
    with pytest.raises(UnknownNameError, match="parameter of knife_edge 'g'"):
        catalog.knife_edge(g=1.62)  # on level ground it would be ignored
    with pytest.raises(ArgumentError, match=r"n = 1, 2, … links, got 0"):
        catalog.pendulum(0)


def test_the_call_that_makes_a_system_and_what_it_is():
    for made in (catalog.pendulum(n=3, m3=2.0), catalog.n_four_bar(n=3), catalog.heavy_top(M=2.0)):
        again = eval(python_line(made), {"vv": vv})
        assert (again.parameters, again.nv) == (made.parameters, made.nv)
    assert python_line(catalog.two_link(r1="L1/2")) == ""
    assert sentence(catalog.pendulum()).startswith("2 point masses m1, m2 on massless rods l1, l2")
    assert sentence(catalog.pendulum(n=3)).startswith("3 point masses m1 … m3 on")
    assert "4 rods stand on the ground, 3 rods lie" in sentence(catalog.n_four_bar(n=3))
    assert sentence(catalog.pendulum(n=1)) == ""


@pytest.mark.parametrize("name", catalog.names())
def test_what_is_not_finite_is_refused_by_every_mechanism(name):
    """An arm with a link of infinite length said that no joint of it moves its tool."""
    entry = catalog.entry.ENTRIES[name]
    numbers = [k for k, x in entry.options.items() if type(x) in (int, float)]
    for key in [*entry.parameters, *numbers]:
        for x in (np.inf, -np.inf, np.nan, np.float32("inf")):
            with pytest.raises(ArgumentError, match=f"{key}.* is a |a {name} has n = "):
                catalog.build(name, **{key: x})


def test_parameters_are_finite_however_they_are_stated():
    for make in (
        lambda x: vv.Builder("b", parameters={"L": x}),
        lambda x: vv.Lagrangian("x", "L*x'^2/2", parameters={"L": x}),
        lambda x: vv.catalog.two_link(L1=1.0).with_parameters(L1=x),
    ):
        make(2.0)
        for bad in (np.inf, np.nan, 1e400):
            with pytest.raises(ArgumentError, match="is a finite number, got"):
                make(bad)
