"""Tables of a mechanism file: formulas with values, and where things went wrong."""

import math

import pytest

from visviva.describe.files.toml.tables import Formulas, Table
from visviva.errors import ArgumentError, VisvivaError


def test_formulas_have_values_and_stay_symbolic():
    f = Formulas({"m": 2.0, "l": 0.5})
    f.define("I", "m*l^2/12")
    assert f.number("2*3") == 6.0
    node = f.number("I + 1")
    assert node is f.names["m"] * (f.names["l"] * f.names["l"]) / 12 + 1
    assert f.value(node) == 2.0 * 0.25 / 12 + 1
    assert f.value(3) == 3.0
    assert f.array([[1, "l"]], (1, 2))[0, 1] is f.names["l"]
    for name in ("I", "m", "sin", "pi", "2x", ""):
        with pytest.raises(ArgumentError, match="expected a new name"):
            f.define(name, 1.0)
    for wrong, message in [
        (True, "expected a number or a formula in quotes, got True"),
        (None, "expected a number"),
        (math.nan, "expected a finite number, got nan"),
        (-math.inf, "expected a finite number"),
        ("1/(m - 2)", "with the value inf"),
        (10**400, "expected a number or a formula"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            f.number(wrong)
    assert f.number(-math.inf, infinite=True) == -math.inf
    with pytest.raises(ArgumentError, match="expected an array of 3 numbers, got 1"):
        f.array(1, (3,))
    with pytest.raises(ArgumentError, match="expected an array of 2 arrays"):
        f.array([[1]], (2, 1))


def test_tables_say_where_things_went_wrong():
    class PlaceError(VisvivaError):
        pass

    data = {"name": "a", "mass": "m + k", "part": [{"name": "lid", "size": 1}], "on": True}
    top = Table(Formulas({"m": 1.0}), PlaceError, "a file", data, "name mass part on")
    assert top.get("name", str) == "a"
    assert top.get("absent", str, "default") == "default"
    with pytest.raises(PlaceError, match=r"^a file: needs the key 'absent'"):
        top.get("absent", str)
    with pytest.raises(PlaceError, match=r"^a file: key 'on': expected text in quotes, got True"):
        top.get("on", str)
    with pytest.raises(PlaceError, match=r"^a file: key 'mass': unknown name 'k'"):
        top.array("mass", ())
    with pytest.raises(
        PlaceError, match=r"^a file: part 1 \('lid'\): unknown key 'size' \(available: 'name'\)"
    ):
        top.tables("part", "name")
    with pytest.raises(PlaceError, match=r"^a file: name: expected a table, got 'a'"):
        top.tables("name", "")
