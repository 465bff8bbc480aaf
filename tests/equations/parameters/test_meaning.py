"""Units of parameters: energies change with the units of everything as energies do."""

import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.describe import catalog
from visviva.equations.parameters.dimensions import UNIT_WORDS, Dimensions, unit
from visviva.equations.parameters.meaning import meanings
from visviva.machine.program.interpret import interpret

EXPONENTS = {word: np.array(exponents) for exponents, word in UNIT_WORDS.items()} | {
    "rad": np.zeros(3)
}
SYSTEMS = "rp_arm two_link cart_pole knife_edge bead_on_rotating_wire heavy_top rotor_on_springs"
SYSTEMS += " rotating_frame_particle spherical_pendulum craig_6_5 planar_3r chaplygin_sleigh"
SCALE = np.array([2.0, 3.0, 5.0])  # how many old units of mass, length and time a new one has


def size(word):
    """How large a unit is, measured in the old ones."""
    return float(np.prod(SCALE ** EXPONENTS[word]))


def value(system, energy, state):
    """Without compiling."""
    program = getattr(system, energy).program
    columns = np.concatenate([np.atleast_1d(state[port.name]) for port in program.inputs])
    return float(interpret(program, list(columns), lambda x: x)[0])


@pytest.mark.spread(5)
@pytest.mark.parametrize("name", SYSTEMS.split())
def test_energies_scale_as_the_units_of_parameters_say(name):
    system = catalog.build(name)
    found = meanings(system)
    assert all(x.unit for x in found.values()), found
    other = system.with_parameters(
        **{k: system.parameters[k] * size(x.unit) for k, x in found.items()}
    )
    small_turns = {"a", "b"} if name == "rotor_on_springs" else set()
    lengths = np.array([
        1.0 if unit == "rad" or x in small_turns else SCALE[1]
        for x, unit in zip(system.coordinate_names, system.coordinate_units, strict=True)
    ])  # fmt: skip
    rng = np.random.default_rng(1)
    q, v = rng.uniform(0.3, 0.8, size=(2, system.nv))
    known = {"q": q, "v": v, "t": 0.2}
    new = {"q": q * lengths, "v": v * lengths / SCALE[2], "t": 0.2 * SCALE[2]}
    for energy in ("kinetic_energy", "potential_energy"):
        before, after = value(system, energy, known), value(other, energy, new)
        assert after == pytest.approx(before * size("N m"), rel=1e-12, abs=1e-12)


def test_every_parameter_of_the_catalogue_has_words():
    for name in catalog.names():
        system = catalog.build(name)
        found = meanings(system)
        assert list(found) == list(system.parameters)
        assert all(x.text for x in found.values()), name


def test_what_is_not_settled_stays_open():
    a, b = sympy.symbols("a b")
    found = Dimensions()
    found.add(a * b, (1, 0, 0))
    assert found.of("a") is None
    assert unit(found.of("a")) == ""
    found.add(a, (0, 1, 0))
    assert unit(found.of("b")) == "kg m⁻¹"
    found.add(b, (1, 0, 0))  # contradicts, and is left out
    assert unit(found.of("b")) == "kg m⁻¹"


def test_names_that_are_markup_stay_what_they_are():
    b = vv.Builder("<script>")
    b.body("<b>", joint="revolute", axis="z", mass=1.0)
    assert meanings(b.build()) == {}
