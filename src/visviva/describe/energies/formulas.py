"""What a user may write for an energy, and the plain symbols it becomes.

A formula is a text, a number, or a SymPy expression over coordinates. Coordinates are functions of
time (`vv.coordinates("q1 q2")`, SymPy's `dynamicsymbols`), with velocities `q1.diff("t")`, or plain
symbols, with velocities named as `qd1`. Inside, all of them are plain symbols: q1, qd1, t, m1.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from numbers import Rational, Real
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from visviva.algebra.exact.slopes import slope
from visviva.algebra.ops import OPS
from visviva.describe.energies.admitted import admitted, must_be_short, shown
from visviva.describe.names import check_names
from visviva.errors import ArgumentError, ParseError, UnknownNameError, VisvivaError, check_known
from visviva.foreign import explained
from visviva.notation.evaluate import evaluate
from visviva.notation.formula import CONSTANTS, OPERATIONS, Declared
from visviva.notation.names import acceleration_name, is_name, velocity_name
from visviva.notation.reading.bounds import LARGEST_EXPONENT
from visviva.notation.reading.vocabulary import looks_like_shorthand
from visviva.notation.tree import Name, Node, Sum
from visviva.notation.tree import names as names_in

TIME = sympy.Symbol("t")
WAVES = {"c": "cos", "s": "sin"}  # as books shorten them
SIGNS = "positive negative nonnegative nonpositive nonzero zero integer".split()


@explained
def coordinates(names: str) -> Any:
    """Functions of time to write energies with: `x, y = coordinates("x y")`, ẋ = `x.diff("t")`.

    Examples:
        >>> theta = coordinates("theta")
        >>> theta.diff("t") ** 2 / 2
        Derivative(theta(t), t)**2/2
    """
    functions = [sympy.Function(name)(TIME) for name in listed(names)]
    return functions[0] if len(functions) == 1 else tuple(functions)


@explained
def parameters(names: str, **assumptions: bool) -> Any:
    """Real symbols: `m1, m2 = parameters("m1 m2")`; `positive=True` says more of them.

    Examples:
        >>> m, l = parameters("m l", positive=True)
        >>> sympy.sqrt(m**2 * l**2)
        l*m
    """
    symbols = [sympy.Symbol(name, **{"real": True, **assumptions}) for name in listed(names)]
    return symbols[0] if len(symbols) == 1 else tuple(symbols)


def listed(names: Any) -> tuple[str, ...]:
    """Names from a text, or from a sequence of names, symbols and functions of time."""
    if isinstance(names, (sympy.Symbol, AppliedUndef)):
        names = [names]
    if not isinstance(names, Iterable):
        raise ArgumentError(f'expected names, as in "x y" or ["x", "y"], got {shown(names)}')
    words = names.replace(",", " ").split() if isinstance(names, str) else list(names)
    listed_names = tuple(name_of(x) for x in words)
    for name in listed_names:
        if not is_name(name):
            plain = re.sub(r"[\\{}]", "", str(name))  # of \theta_{1}, as in LaTeX
            way = f"; write {plain!r}" if plain.isidentifier() else ""
            raise ArgumentError(f"expected a name of letters, digits and _, got {name!r}{way}")
        if name in OPERATIONS or name in CONSTANTS or name == TIME.name:
            taken = "the time" if name == TIME.name else "a number" if name in CONSTANTS else ""
            raise ArgumentError(
                f"the name {name!r} can mean two things, this and {taken or 'a function'}: "
                "choose another one"
            )
    if len(set(listed_names)) < len(listed_names) or not listed_names:
        raise ArgumentError(f"expected different names, got {names!r}")
    return listed_names


def name_of(x: Any) -> str:
    """The name of a symbol or of a function of time; a text is one."""
    if isinstance(x, str):
        return x
    if isinstance(x, AppliedUndef) and x.args == (TIME,):
        return str(x.func.__name__)
    if isinstance(x, sympy.Symbol):
        return str(x.name)
    raise ArgumentError(f"expected a name, a symbol or a function of t, got {x!r:.60}")


class Names:
    """The symbols of one system, and how formulas are read with them."""

    def __init__(
        self,
        coordinates: Sequence[str],
        known: Iterable[str],
        texts: Iterable[Any] = (),
        shorthand: bool = False,
    ) -> None:
        self.coordinates = tuple(coordinates)
        self.shorthand = shorthand  # whether c12 is cos(q1 + q2)
        self.texts = tuple(texts)  # of the whole system: what one of them lacks, others may lack
        self.q = tuple(sympy.Symbol(x) for x in coordinates)
        self.v = tuple(sympy.Symbol(velocity_name(x)) for x in coordinates)
        self.a = tuple(sympy.Symbol(acceleration_name(x)) for x in coordinates)
        self.known = tuple(known)  # parameters that a text may use
        self._alone: dict[str, Any] = {}  # what each name was, a dummy or a symbol like any other
        self.assumed: dict[
            Any, None
        ] = {}  # the symbols of formulas, as their assumptions made them
        self.motion = {x.name for x in (*self.q, *self.v, *self.a, TIME)}
        check_names("", self.coordinates, self.coordinates, self.known, joints=False)

    def read(self, what: str, x: Any, of: str = "velocities", *, equations: bool = False) -> Any:
        """A formula over plain symbols, `of` coordinates and the time or of velocities too.

        With `equations`, a text may be one: left minus right side.
        """
        plain = self._plain_formula(what, x, equations)
        if wrong := plain.free_symbols.intersection(self.a):
            raise ArgumentError(f"{what} contains {wrong.pop()}: energies have no accelerations")
        if of == "coordinates" and (wrong := plain.free_symbols.intersection(self.v)):
            raise ArgumentError(f"{what} is of coordinates and t, got the velocity {wrong.pop()}")
        return plain

    def _plain_formula(self, what: str, x: Any, equations: bool) -> Any:
        if isinstance(x, str):
            return admitted(what, self.parsed(x, equations))
        if isinstance(x, sympy.Basic):
            try:
                return self.plain(what, x)
            except VisvivaError:
                raise
            except Exception as error:  # whatever SymPy may raise
                said = f"{what}: SymPy cannot work with {shown(x)}: {shown(error)}"
                raise ArgumentError(said) from None
        if isinstance(x, Real) and (isinstance(x, int) or math.isfinite(x)):
            return admitted(what, exact(x))
        raise ArgumentError(f"{what} is a number, a text or a SymPy expression, got {shown(x)}")

    def rate(self, x: Any, *, steady: bool = False) -> Any:
        """dx/dt of a formula of q, v and t, by the chain rule; `steady`: while v stays."""
        motion = [*zip(self.q, self.v, strict=True), *zip(self.v, self.a, strict=True)]
        parts = motion[: len(self.q)] if steady else motion
        return sympy.Add(*(slope(x, s) * r for s, r in parts), slope(x, TIME))

    def row(self, what: str, x: Any) -> tuple[Any, ...]:
        """One formula for each coordinate: by order, or by name with zeros elsewhere."""
        if isinstance(x, Mapping):
            given = {name_of(k): self.read(what, f) for k, f in x.items()}
            for name in given:
                check_known("coordinate", name, self.coordinates)
            return tuple(given.get(name, sympy.S.Zero) for name in self.coordinates)
        rows = components(x)
        if len(rows) != len(self.q):
            raise ArgumentError(f"{what} has {len(self.q)} entries, got {len(rows)}")
        return tuple(self.read(what, f) for f in rows)

    def parsed(self, text: str, equations: bool = False) -> Any:
        """As claims are read, exactly: 0.1 is a tenth; q1', q1dot, qd1 and \\dot q_1 are rates."""
        return self.declared.value(
            text, lambda node: _Symbols(self, node, text), _not_real, equations
        )

    @cached_property
    def declared(self) -> Declared:
        """What texts may call things; xd is the velocity of x even where d is a parameter."""
        own = {x.name: x for x in (*self.q, *self.v, TIME)}
        values = own | {x: sympy.Symbol(x) for x in self.known}
        return Declared(values, self.coordinates, self.shorthand)

    def plain(self, what: str, x: Any) -> Any:
        """Functions of time and symbols with assumptions become plain symbols, by name."""
        x = admitted(what, x)
        x = x.xreplace({s: TIME for s in x.free_symbols if s.name == TIME.name})
        functions = {
            sympy.Function(c)(TIME): s for c, s in zip(self.coordinates, self.q, strict=True)
        }
        rates = {sympy.Derivative(f, TIME): self.v[i] for i, f in enumerate(functions)}
        x = x.xreplace({d: d.doit() for d in x.atoms(sympy.Derivative)})
        second = [d for d in x.atoms(sympy.Derivative) if d not in rates and d.expr in functions]
        if second:
            raise ArgumentError(f"{what} contains {second[0]}: energies have no accelerations")
        x = x.xreplace(rates).xreplace(functions)
        for f in x.atoms(AppliedUndef):
            if f.args == (TIME,):  # a coordinate that was forgotten, or mistyped
                raise UnknownNameError("coordinate", str(f.func.__name__), self.coordinates)
        for s in x.free_symbols:
            self.assumed[s] = None
            one = s if isinstance(s, sympy.Dummy) else sympy.Symbol(s.name)
            if self._alone.setdefault(s.name, one) != one:
                raise ArgumentError(f"two different symbols of the formulas are called {s.name!r}")
        return x.xreplace({s: sympy.Symbol(s.name) for s in x.free_symbols})


def possible_waves(coordinates: Sequence[str], parameters: Iterable[str]) -> dict[str, Any]:
    """Parameters that are called as books shorten sines and cosines, and what those would be."""
    names = Names(coordinates, ())
    short = Declared(names.declared.values, coordinates, shorthand=True).vocabulary
    nodes = {x: short.short(x, x, 0) for x in parameters}
    return {x: evaluate(y, _Symbols(names, y, x)) for x, y in nodes.items() if y is not None}


def components(x: Any) -> tuple[Any, ...]:
    """A vector's entries; a scalar is a vector of one."""
    if isinstance(x, (str, sympy.Expr, type)) or not isinstance(x, Iterable):
        return (x,)
    return tuple(x)


def says_more(symbol: Any) -> bool:
    """Whether something is assumed of a symbol that its value has to fulfil."""
    return any(symbol.assumptions0.get(x) for x in SIGNS)


def contradiction(symbol: Any, value: float) -> str:
    """What is assumed of a symbol and not true of a value, or nothing."""
    number, facts = exact(value), symbol.assumptions0
    return next((x for x in SIGNS if facts.get(x) and not getattr(number, f"is_{x}")), "")


def exact(x: Any) -> Any:
    """A number as SymPy's rational; a float is the decimal it prints as."""
    if isinstance(x, Rational):
        return sympy.Rational(int(x.numerator), int(x.denominator))
    value = float(x)
    known = dict.fromkeys(CONSTANTS.values(), sympy.pi)
    return known.get(value, sympy.Rational(repr(value)))


class _Symbols:
    """What the words of one text are in SymPy."""

    def __init__(self, names: Names, node: Node, text: str) -> None:
        self.names, self.node, self.text = names, node, text
        self.plain = names.declared.values

    def number(self, value: Fraction) -> Any:
        """Exactly; only the digits of π as a float are π."""
        if value.denominator > 1 and float(value) == math.pi:
            return sympy.pi
        return sympy.Rational(value.numerator, value.denominator)

    def name(self, name: Name) -> Any:
        """A coordinate, a velocity, the time, a parameter, or π."""
        key = self.names.declared.spelled(name, self.text)
        if key in {x.name for x in self.names.v} and "_" in name.text and "_" not in key:
            problem = f"{name.text} can be read as the velocity {key} or as a parameter"
            raise ParseError(self.text, name.column, f"{problem}: write {key}, or another name")
        if name.dots == 0 and key in self.plain:
            return self.plain[key]
        if key in self.names.coordinates and name.dots == 1:
            return self.names.v[self.names.coordinates.index(key)]
        if key in self.names.motion and key != TIME.name:
            raise ArgumentError(f"{self.text!r:.60}: energies and forces have no accelerations")
        if key in CONSTANTS and not name.dots:
            return sympy.pi
        if key in self.plain:
            raise ParseError(self.text, name.column, f"{key} is no coordinate and has no rate")
        raise ParseError(self.text, name.column, self.unknown(name))

    def unknown(self, name: Name) -> str:
        """The sentence on a name that is not declared, and the line that declares all of them.

        That never declares what may be a sine or cosine of coordinates.
        """
        texts, declared = [self.text, *self.names.texts], self.names.declared
        absent = declared.missing(texts)
        short = Declared(declared.values, self.names.coordinates, shorthand=True)
        read = {x: node for x in absent if (node := short.vocabulary.short(x, x, 0))}
        factors = {*absent} - {*short.missing(texts), *read}  # c of cθ1
        wavy = [x for x in absent if x not in read and self._may_be_wave(x)]
        others = {*self.names.coordinates, *absent}
        before = [x for x in absent if x in factors or self._stands_before(x, others, texts)]
        parts = [str(declared.unknown(name))]
        if names := " ".join(x for x in absent if x not in (*read, *wavy, *before)):
            line = f'names are declared, with or without values: parameters="{names}"'
            if name.key == "e":  # as books write it
                line = f"e^x is written exp(x); as names of parameters, {line.partition(': ')[2]}"
            parts.append(line)
            parts += [f"{name.key} as a product has * or blanks"] if len(name.key) > 1 else []
        if read:
            readings = ", ".join(f"{x} is {evaluate(node, self)}" for x, node in read.items())
            hint = " or say vv.Lagrangian(…, shorthand=True)" if self.names.texts else ""
            parts.append(f"if {readings}, write that{hint}; parameters are declared")
        if before:
            waves = ", ".join(f"{x} θ may be {WAVES[x.lower()]}(θ)" for x in before)
            parts.append(f"before an angle {waves}: write that; parameters are declared")
        if wavy:
            parts.append(f"no coordinates are meant by {', '.join(wavy)}: write sines and cosines")
        return "; ".join(parts)

    def _may_be_wave(self, key: str) -> bool:
        """Whether it looks like a sine or cosine of coordinates that there are, c21, c11."""
        places = map(str, range(1, len(self.names.q) + 1))
        is_index = self.names.shorthand or {*key[1:]} <= {*places}
        return looks_like_shorthand(key) and is_index

    def _stands_before(self, key: str, others: Collection[str], texts: Iterable[Any]) -> bool:
        """Whether c or s stands before what may be an angle, as its factor: c θ1, c θ12."""
        if key.lower() not in WAVES:
            return False
        products = self.names.declared.products(texts)
        pairs = (pair for x in products for pair in pairwise(x.factors))
        factors_after = [b for a, b in pairs if isinstance(a, Name) and a.key == key]
        sums = (b for b in factors_after if isinstance(b, (Name, Sum)))
        return any(n.key in others and not n.dots for b in sums for n in names_in(b))

    def call(self, function: str, *arguments: Any) -> Any:
        """The operation of that name, or SymPy's function."""
        if function not in OPERATIONS:
            return getattr(sympy, function)(*arguments)
        value = OPS[OPERATIONS[function]].value
        result = value(*arguments[: OPS[OPERATIONS[function]].arity])
        for more in arguments[OPS[OPERATIONS[function]].arity :]:  # of min and max
            result = value(result, more)
        return sympy.sympify(result)

    def power(self, base: Any, exponent: Any) -> Any:
        """A power whose digits can be written down."""
        n = self.number(exponent) if isinstance(exponent, Fraction) else exponent
        if n.is_number and not abs(n) <= LARGEST_EXPONENT:
            raise ArgumentError(f"an exponent is at most {LARGEST_EXPONENT}: {shown(self.text)}")
        if base.is_Rational and n.is_Integer:
            must_be_short(base, int(n))
        return base**n


def _not_real(x: Any) -> str:
    """What is wrong with a value that is a number, but none on the real line."""
    if not x.is_number:
        return ""
    try:
        value = float(x)
    except (TypeError, OverflowError):  # complex or too large
        value = math.nan
    return "" if math.isfinite(value) else f"this gives {value:g}, not a real number"


# ---- parameters: values, names alone, and what symbols declare


def stated_parameters(parameters: Any) -> dict[Any, Any]:
    """Values by name; names without values are a text, or a list of names and symbols."""
    if isinstance(parameters, Mapping):
        return dict(parameters)
    return dict.fromkeys(listed(parameters) if parameters else ())


def declared_symbols(
    symbols: list[Any], given: Mapping[str, float], motion: set[str]
) -> tuple[Any, ...]:
    """The symbols that say more than formulas and values; refused where a value contradicts."""
    for s in symbols:
        if s.name in given and (fact := contradiction(s, given[s.name])):
            raise ArgumentError(f"parameter {s.name!r} is {fact}, got {given[s.name]:g}")
    kept = {
        sympy.Symbol(s.name, **s.assumptions0)  # of a dummy too
        for s in symbols
        if s.name not in motion and (s.name not in given or says_more(s))
    }
    return tuple(sorted(kept, key=sympy.default_sort_key))


def parameter_value(name: Any, x: Any) -> float:
    """A finite number, or an error that names the parameter."""
    try:
        value = float(x) if isinstance(x, (Real, sympy.Number)) else math.nan
    except (OverflowError, TypeError):  # too large, or not real
        value = math.nan
    if not math.isfinite(value):
        raise ArgumentError(f"parameter {name_of(name)!r} is a finite number, got {shown(repr(x))}")
    return value
