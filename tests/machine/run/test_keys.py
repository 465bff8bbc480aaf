"""A key determines the result: what differs in one bit, name, type or closure has another name."""

import importlib.util
import pickle
import sys
from dataclasses import fields, replace

import numpy as np
import pytest
import sympy
from sympy.utilities.lambdify import implemented_function

import visviva as vv
from tests.support.generators.small_models import lifted, screw
from visviva.describe.joints.axis import Prismatic
from visviva.describe.model.body import Spring
from visviva.describe.values import UnencodableError, digest, digest_of, encoded

X = vv.coordinates("x")
KINETIC = X.diff("t") ** 2 / 2


def slope(potential, **parameters):
    s = vv.Lagrangian("x", KINETIC, potential, parameters=parameters)
    return float(s.gravity_forces([0.5])[0])


class TestEnergies:
    def test_a_symbol_called_as_a_constant_is_not_the_constant(self, home):
        """The slip first, then the corrected script."""
        x = vv.coordinates("x")
        for constant, name in ((sympy.E, "E"), (sympy.pi, "pi_"), (-sympy.E, "E")):
            assert slope(constant * x, **{name: 200.0}) == float(constant)
            assert slope(sympy.Symbol(name) * x, **{name: 200.0}) == 200.0

    def test_a_symbol_called_as_a_product_is_not_the_product(self):
        a, b = sympy.symbols("a b")
        assert digest_of(a * b) != digest_of(sympy.Symbol("a*b"))

    def test_floats_that_print_alike_are_different(self, home):
        """Fifteen digits are not all: these differ in the sixteenth."""
        t = sympy.Symbol("t")

        def force(t0):
            push = sympy.sin(1e6 * (t - sympy.Float(t0)))
            f = vv.Lagrangian("x", KINETIC, 0, forces=[push]).inverse_dynamics
            return f([0.0], [0.0], [0.0], 1731736801.0)[0], f

        one, f = force(1731736800.123456)
        two, g = force(1731736800.123458)
        assert f._name != g._name
        assert one != two
        assert two == pytest.approx(float(g.interpret([0.0], [0.0], [0.0], 1731736801.0)[0]))

    def test_precision_and_assumptions_count(self):
        different = [
            *(sympy.Float("0.1", n) for n in (15, 16, 30)),
            *(sympy.Symbol("x", **{k: v}) for k in ("real", "integer") for v in (True, False)),
            *(sympy.Symbol("x"), sympy.Dummy("x"), sympy.Function("x")(sympy.Symbol("t"))),
            *(sympy.Integer(1), sympy.Float(1), sympy.true, sympy.I, sympy.oo, -sympy.oo),
            *(sympy.Function("f", real=r)(sympy.Symbol("t")) for r in (True, False, None)),
        ]
        assert len({digest_of(x) for x in different}) == len(different)
        assert None not in {digest_of(x) for x in different}

    def test_a_value_put_in_place_of_a_parameter_counts(self, home):
        s = vv.Lagrangian("x", "m*x'^2/2", "m*g*x", parameters={"m": 2, "g": 10})
        assert s.gravity_forces([0.0]) == [20.0]
        assert s.over({"m": 3.0}).gravity_forces([0.0]) == [30.0]

    def test_dummies_are_told_apart_and_found_again(self):
        def pair():
            return sympy.Dummy("m"), sympy.Dummy("m")

        (a, b), (c, d) = pair(), pair()
        assert digest_of(a - b) != digest_of(a + a)
        assert digest_of((a, b, a)) == digest_of((c, d, c))
        assert digest_of((a, b, a)) != digest_of((c, d, d))

    def test_what_is_not_known_is_traced(self, home):
        """A function of somebody's own; integrals; a name that carries code."""
        x = sympy.Symbol("x")
        own = type("own", (sympy.Function,), {"eval": classmethod(lambda cls, a: None)})
        numeric = implemented_function("f", lambda a: a + 1)
        for unknown in (own(x), sympy.Integral(x, x), numeric(x), sympy.Sum(x, (x, 1, 3))):
            assert digest_of(unknown) is None
            with pytest.raises(UnencodableError):
                encoded(unknown)

    def test_a_formula_that_shares_its_parts_is_not_written_out(self):
        x = sympy.Symbol("x")
        for _ in range(200):  # as a tree: 2^200 leaves
            parts = [f(x, evaluate=False) for f in (sympy.sin, sympy.cos)]
            x = sympy.Add(*parts, evaluate=False)
        assert len(encoded(x)) < 200_000


class TestForeignClasses:
    def test_closures_with_the_same_text_give_their_own_numbers(self, home):
        names = set()
        for pitch in (1.0, 2.0, 3.0):
            arm = lifted(screw(pitch))
            assert arm.inverse_dynamics.key is None
            assert arm.potential_energy([0.5]) == pytest.approx(9.81 * 0.5 * pitch)
            names.add(arm.potential_energy._name)
        assert len(names) == 3

    def test_a_module_edited_while_a_process_uses_it(self, home, tmp_path, monkeypatch):
        monkeypatch.setattr(sys, "dont_write_bytecode", True)  # or the first text is found again
        text = """
from visviva.describe.joints.axis import Prismatic
from visviva.describe.model.body import Spring
class Screw(Prismatic):
    def transform(self, q):
        return super().transform([x * PITCH for x in q])
"""
        path = tmp_path / "screws.py"

        def imported(pitch):
            path.write_text(text.replace("PITCH", pitch))
            spec = importlib.util.spec_from_file_location("screws", path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module

        before = imported("1.0")
        path.write_text(text.replace("PITCH", "2.0"))
        assert lifted(before.Screw).potential_energy([1.0]) == pytest.approx(9.81)
        after = imported("2.0")
        assert lifted(after.Screw).potential_energy([1.0]) == pytest.approx(2 * 9.81)

    def test_a_subclass_of_a_model_is_asked_itself(self, home):
        arm = vv.catalog.two_link()

        class Heavier(type(arm)):
            @property
            def numeric(self):
                return arm.with_gravity([0, -20.0, 0]).numeric

        own = Heavier(**{item.name: getattr(arm, item.name) for item in fields(arm)})
        q = np.array([0.1, 0.3])
        assert own.inverse_dynamics.key is None
        assert np.abs(own.gravity_forces(q) - arm.gravity_forces(q)).max() > 1

    def test_a_class_that_only_says_it_is_ours(self):
        impostor = type("Revolute", (Prismatic,), {"__module__": "visviva.describe.joints.axis"})
        assert digest_of(impostor([0.0, 0.0, 1.0])) is None
        assert digest_of(Prismatic([0.0, 0.0, 1.0])) is not None

    def test_numbers_of_other_kinds_have_no_encoding(self):
        class Float(float):
            def __mul__(self, other):
                return 7.0

        for x in (Float(2.0), lambda: 1, {1, 2}, object, type("A", (np.ndarray,), {})):
            assert digest_of(x) is None


class TestKeys:
    def test_a_jacobian_by_an_input_called_jacobian(self, home):
        def f():
            return vv.function(
                lambda x, jacobian, y: x * x * y * y + jacobian,
                {"x": (), "jacobian": (), "y": ()},
                key="k",
            )

        assert [float(y) for y in f().jacobian("x", "jacobian", "y")(2.0, 0.0, 3.0)] == [36, 1, 24]
        assert f().jacobian("x").jacobian("y")(2.0, 0.0, 3.0) == 24.0

    def test_a_key_cannot_pretend_to_be_another_kind(self):
        plain = vv.function(lambda x: x, {"x": ()}, key="k")
        arm = vv.catalog.two_link()
        keys = [plain.key, plain.jacobian("x").key, arm.inverse_dynamics.key]
        for key in (str(keys[1]), str(keys[2]), keys[2][1]):
            keys.append(vv.function(lambda x: x, {"x": ()}, key=key).key)
        assert len(set(keys)) == len(keys)

    @pytest.mark.parametrize("name", vv.catalog.names())
    def test_every_system_of_the_catalog_has_one(self, name):
        """A later run finds its code without tracing."""
        assert digest(getattr(vv.catalog, name)()) is not None

    def test_an_unpickled_function_is_what_was_pickled(self, home):
        """Whatever its key means where it comes to."""
        old = vv.function(lambda x: x * 2.0, {"x": ()}, key="twice")
        text = pickle.dumps(old)
        assert vv.function(lambda x: x * 3.0, {"x": ()}, key="twice")(1.0) == 3.0
        assert pickle.loads(text)(1.0) == 2.0

    def test_names_of_springs_are_asked_for(self):
        """Parameters are named after them."""
        arm = vv.catalog.two_link()
        for joints in (arm.joint_names, arm.joint_names[::-1]):
            springs = [Spring(n, 2.0, 0.0, joint=j) for n, j in zip("st", joints, strict=True)]
            held = replace(arm, springs=tuple(springs))
            swapped = replace(held, springs=tuple(map(replace_name, springs)))
            assert digest(held) != digest(swapped)


def replace_name(spring):
    return replace(spring, name={"s": "t", "t": "s"}[spring.name])
