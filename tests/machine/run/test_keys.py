"""A key determines the result: what differs in one bit, name, type or closure has another name."""

import importlib.util
import itertools
import os
import pickle
import random
import sys
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy.utilities.lambdify import implemented_function

import visviva as vv
from tests.support.counts import count, examples, progress
from tests.support.oracles.oracle import mechanism
from tests.support.readers.decoding import decoded
from visviva.algebra.expr import Graph
from visviva.describe.joints.axis import Prismatic
from visviva.describe.model.body import Spring
from visviva.describe.values import UnencodableError, digest, digest_of, encoded
from visviva.machine.run import cache, fingerprint
from visviva.space.spatial import Array

X = vv.coordinates("x")
KINETIC = X.diff("t") ** 2 / 2


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("VISVIVA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


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


def screw(pitch):
    """A joint class of somebody's own: what it does depends on a closure."""

    @dataclass(frozen=True, eq=False)
    class Screw(Prismatic):
        def transform(self, q: Array):
            return super().transform([x * pitch for x in q])

    return Screw


def lifted(kind):
    b = vv.Builder("lift")
    b.body("load", joint=kind([0.0, 0.0, 1.0]), inertia=vv.Inertia.point(1.0))
    return b.build()


class TestForeignClasses:
    def test_closures_with_the_same_text_give_their_own_numbers(self, home):
        names = set()
        for pitch in (1.0, 2.0, 3.0):
            arm = lifted(screw(pitch))
            assert arm.inverse_dynamics.key is None
            assert arm.potential_energy([0.5]) == pytest.approx(9.81 * 0.5 * pitch)
            names.add(arm.potential_energy._name)
        assert len(names) == 3

    def test_a_module_edited_while_a_process_uses_it(self, home, tmp_path):
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


plain = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**70), 2**70),
        st.floats(allow_nan=False),
        st.text(),
        st.binary(max_size=5),
        st.fractions(),
        st.sampled_from([np.float64(1), np.float32(1), np.int64(1), np.array([1.0, 2.0])]),
        st.sampled_from([*"xyz"]).map(sympy.Symbol),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=2), inner, max_size=3),
    ),
    max_leaves=8,
)


def told(x):
    """What the decoder says of a value, made from the value itself."""
    if x is None or type(x) is bool:
        return {None: "N", True: "T", False: "F"}[x]
    if type(x) in (int, float, str, bytes):
        return x
    if type(x) in (tuple, list):
        return ("(" if type(x) is tuple else "[", *map(told, x))
    if type(x) is dict:
        return ("{", *((told(k), told(v)) for k, v in x.items()))
    if type(x) is Fraction:
        return "q", str(x.numerator), str(x.denominator)
    if isinstance(x, sympy.Symbol):
        return "S", x.name, "commutative", "", ""
    array = np.asarray(x)
    return "a" if type(x) is np.ndarray else "g", array.dtype.str, array.shape, array.tobytes()


@pytest.mark.soak
@examples(200, 20_000)
@given(plain)
def test_an_encoding_can_be_read_back(x):
    assert repr(decoded(encoded(x))) == repr(told(x))


def test_formulas_and_models_can_be_read_back():
    graph = Graph()
    a, b = graph.input("a"), graph.input("b")
    parts = [("e", "input", "a"), ("e", "input", "b")]
    assert decoded(encoded(a * b)) == ("e", "mul", "N", *parts)
    x = sympy.Symbol("x")
    half = ("R", "1/2")
    symbol = ("S", "x", "commutative", "", "")
    assert decoded(encoded(sympy.sin(x / 2))) == ("O", "sin", ("O", "Mul", half, symbol))
    for seed in range(5):
        model = mechanism(np.random.default_rng(seed), 5)
        content = encoded(model)
        decoded(content)
        for body in model.bodies:
            assert body.name.encode() in content
            assert body.placement.p.tobytes() in content


# ---- ten thousand pairs


def leaves(x, path=()):
    """Places of every number of a system, by attribute and index."""
    if is_dataclass(x):
        for item in fields(x):
            if item.name not in ("limits", "visuals", "notes", "error", "base_visuals"):
                yield from leaves(getattr(x, item.name), (*path, item.name))
    elif isinstance(x, tuple):
        for k, item in enumerate(x):
            yield from leaves(item, (*path, k))
    elif isinstance(x, np.ndarray):
        for k in range(x.size):
            yield (*path, k), x.flat[k]
    elif type(x) is float:
        yield path, x


def flipped(x, path, bit):
    """A copy with one bit of one number turned over, checked by nobody."""
    if not path:
        bits = np.array([x]).view(np.uint64)
        return float((bits ^ np.uint64(1 << bit)).view(np.float64)[0])
    first, rest = path[0], path[1:]
    if is_dataclass(x):
        made = object.__new__(type(x))
        for item in fields(x):
            object.__setattr__(made, item.name, getattr(x, item.name))
        object.__setattr__(made, first, flipped(getattr(x, first), rest, bit))
        return made
    if isinstance(x, tuple):
        return (*x[:first], flipped(x[first], rest, bit), *x[first + 1 :])
    made = x.copy()
    made.flat[first] = flipped(x.flat[first], rest, bit)
    return made


def pairs_of_models(rng):
    for seed in itertools.count():
        model = mechanism(np.random.default_rng(seed), 1 + seed % 7)
        places = [path for path, x in leaves(model) if np.isfinite(x)]
        for _ in range(40):
            other = flipped(model, rng.choice(places), rng.randrange(52))
            yield "one bit", digest(model), digest(other)
        frames = [*model.frames]
        k = rng.randrange(len(frames))
        object.__setattr__(frames[k], "name", frames[k].name + rng.choice("aé_关"))
        yield (
            "name of a frame",
            digest(mechanism(np.random.default_rng(seed), 1 + seed % 7)),
            digest(model),
        )


def formula(rng, depth=4):
    """Some expression over x and parameters, with numbers of every kind."""
    x, a, b = sympy.symbols("x a b")
    if depth == 0 or rng.random() < 0.2:
        small, large = rng.randrange(1, 9), rng.randrange(1, 10**20)
        return rng.choice(
            [
                *(x, a, b, x, x, sympy.pi, sympy.E, sympy.Integer(small)),
                *(sympy.Rational(large, 7), sympy.Float(rng.random())),
                sympy.Float(rng.random(), rng.choice([15, 17, 40])),
            ]
        )
    one, two = formula(rng, depth - 1), formula(rng, depth - 1)
    function = rng.choice([sympy.sin, sympy.cos, sympy.exp])
    made = [(sympy.Add, one, two), (sympy.Mul, one, two), (function, one), (sympy.Pow, one, two)]
    kind, *parts = rng.choice(made)
    return kind(*parts, evaluate=False)  # SymPy would compute powers of large numbers for ever


def altered(rng, x):
    """The formula with one node made another: a bit, a name, a type."""
    nodes = list(sympy.preorder_traversal(x))
    node = rng.choice(nodes)
    if isinstance(node, sympy.Float):
        sign, mantissa, exponent, _ = node._mpf_
        other = sympy.Float((sign, int(mantissa) ^ 2, exponent, 0), precision=node._prec)
    elif isinstance(node, sympy.Rational):
        other = rng.choice([sympy.Float(node), node + sympy.Rational(1, 10**30)])
    elif isinstance(node, sympy.Symbol):
        other = rng.choice([sympy.Symbol(node.name + "1"), sympy.Symbol(node.name, real=True)])
    elif node in (sympy.pi, sympy.E):
        other = rng.choice([sympy.Symbol(str(node)), sympy.Float(node)])
    elif isinstance(node, sympy.sin):
        other = sympy.cos(*node.args, evaluate=False)
    elif isinstance(node, sympy.Add):
        other = sympy.Mul(*node.args, evaluate=False)
    else:
        other = sympy.Symbol("something else")
    return exchanged(x, node, other)


def exchanged(x, node, other):
    if x is node:
        return other
    return x.func(*(exchanged(a, node, other) for a in x.args), evaluate=False) if x.args else x


def pairs_of_formulas(rng):
    while True:
        x = formula(rng)
        for _ in range(5):
            yield "formula", digest_of(x), digest_of(altered(rng, x))


def pairs_of_requests(rng):
    while True:
        seed = rng.randrange(10**6)
        arm = mechanism(np.random.default_rng(seed), 3)
        asked = [
            *(arm.inverse_dynamics, arm.forward_dynamics, arm.mass_matrix),
            *(arm.jacobian(name) for name in arm.frame_names[:3]),
            *(arm.jacobian(arm.frame_names[0], reference=r) for r in ("body", "space")),
            arm.jacobian(arm.frame_names[0], point=(0.0, 0.0, 1e-300)),
            arm.function("inverse_dynamics", wrenches=[arm.frame_names[0]]),
            arm.function("inverse_dynamics", wrenches={arm.frame_names[0]: "world"}),
            arm.function("inverse_dynamics", parameters=["m_body0"]),
            arm.function("inverse_dynamics", inputs=["v", "q", "a"]),
            *(arm.inverse_dynamics.jacobian(x) for x in "qva"),
            *(arm.inverse_dynamics.jacobian(x).jacobian(y) for x in "qv" for y in "qv"),
            arm.inverse_dynamics.jacobian("q", "v"),
            arm.inverse_dynamics.jacobian("v", "q"),
        ]
        for f, g in itertools.combinations(asked, 2):
            yield "request", f._name, g._name


def pairs_of_closures(rng):
    while True:
        pitch = rng.uniform(0.5, 3.0)
        kinds = screw(pitch), screw(float(np.nextafter(pitch, 9)))
        yield "closure", *(lifted(kind).potential_energy._name for kind in kinds)


@pytest.mark.soak
def test_systems_that_differ_in_one_bit_name_type_or_closure_never_share_a_key():
    rng = random.Random(0)
    shares = [
        (pairs_of_models, count(160, 4000)),
        (pairs_of_formulas, count(300, 4500)),
        (pairs_of_requests, count(150, 1450)),
        (pairs_of_closures, count(2, 50)),
    ]
    for make, total in shares:
        for what, one, two in itertools.islice(make(rng), total):
            assert one is not None, what
            assert two is not None, what
            assert one != two, what
        progress(f"  {total} pairs, {make.__name__}")


# ---- what else the code depends on


@pytest.fixture
def sources(tmp_path):
    folder = tmp_path / "package"
    (folder / "inner").mkdir(parents=True)
    (folder / "a.py").write_text("-vector(gravity)")
    (folder / "inner" / "b.py").write_text("b")
    return folder


def test_an_edit_of_the_same_size_and_time_is_seen(sources):
    before = fingerprint._sources(str(sources))
    status = (sources / "a.py").stat()
    (sources / "a.py").write_text("+vector(gravity)")
    os.utime(sources / "a.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert fingerprint._sources(str(sources)) != before
    (sources / "a.py").write_text("-vector(gravity)")
    assert fingerprint._sources(str(sources)) == before
    (sources / "a.py").rename(sources / "c.py")
    assert fingerprint._sources(str(sources)) != before


def test_sources_that_cannot_be_read_keep_nothing(tmp_path, monkeypatch):
    assert fingerprint._sources(str(tmp_path / "archive.zip" / "visviva")) is None
    monkeypatch.setattr(fingerprint, "fingerprint", lambda: None)
    assert cache.name_of("key", "k") is None
    f = vv.function(lambda x: x * 11.0, {"x": ()}, key="k")
    assert f(2.0) == 22.0
    assert not f.kernel.from_cache


def test_sources_edited_while_a_process_runs_keep_nothing(home, monkeypatch, sources):
    monkeypatch.setattr(fingerprint, "ROOT", str(sources))
    monkeypatch.setattr(fingerprint, "BEGAN", 0)  # all of them are newer
    assert fingerprint.is_edited()
    f = vv.function(lambda x: x * 13.0, {"x": ()})
    assert f(2.0) == 26.0
    assert not list(home.glob("*")) if home.exists() else True


def test_versions_of_what_derives_are_part_of_the_name():
    text = " ".join(fingerprint.fingerprint())
    assert np.__version__ in text
    assert sys.version in text
    assert len(list(fingerprint._libraries())) == 3  # numpy and llvmlite, SymPy, FLINT
