"""`Function`: a compiled computation that is called like numpy."""

from __future__ import annotations

import ctypes
import hashlib
import inspect
import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from operator import methodcaller
from os import PathLike
from pathlib import Path
from types import FrameType, MappingProxyType, MethodType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, cast, overload
from weakref import WeakMethod

import numpy as np

from visviva.algebra.arrays import FloatArray, as_array
from visviva.errors import (
    ArgumentError,
    ConstraintForcesWarning,
    DoubtfulWarning,
    NotFiniteWarning,
    ShapeError,
    UnknownNameError,
)
from visviva.extras import require
from visviva.foreign import explained
from visviva.machine import handover, source
from visviva.machine.code.cpu import host
from visviva.machine.code.driver import Driver
from visviva.machine.code.entry import Entry
from visviva.machine.code.module import DRIVERS, module_text
from visviva.machine.code.pointers import Integrand, Pointers
from visviva.machine.drawing import function_figure
from visviva.machine.program import products
from visviva.machine.program.blocks import split
from visviva.machine.program.derivative import PLAIN, Derivative
from visviva.machine.program.interpret import first_not_finite, interpret, violated_conditions
from visviva.machine.program.program import Operations, Port, Program
from visviva.machine.program.trace import (
    Shape,
    holds_expressions,
    input_ports,
    traced,
    without_collection,
)
from visviva.machine.run import cache, entry, jit
from visviva.machine.run.call import Checks, bind, call, plain_values
from visviva.machine.run.kernel import Kernel, cached_kernel, new_kernel
from visviva.machine.run.memory import Code
from visviva.progress import progress

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from visviva.drawing.figure import Figure

    # what a call gives: an array, of several outputs a tuple of them
    Result = TypeVar("Result", default=FloatArray, covariant=True)

    class _Undeclared:
        """What no function gives: only a `Function[Any]` passes for one that does."""

else:
    from typing import TypeVar

    Result = TypeVar("Result")

Key = tuple[Any, ...]  # texts, and tuples of such: who gave the name, and the name
Explanation = Callable[
    [str, Mapping[str, Any]], str
]  # of a condition's reason, or "", and the arguments


@explained
def function(
    f: Callable[..., Any],
    inputs: Mapping[str, Shape],
    *,
    name: str | None = None,
    key: str | None = None,
) -> Function[Any]:
    """Compile a Python function over arrays of scalars.

    `f` is called once with arrays of expressions of the given shapes (a length, a tuple of
    lengths, or `()` for a scalar) and returns an array, a list or a scalar; a tuple or a dict of
    them makes several outputs. Branch with `visviva.generic.where`, not with `if`. Inputs go to
    the parameters of the same names, or by order where the names differ. Type checkers are told
    what it gives by the caller: `norm: vv.Function = vv.function(…)` gives one array.

    `key` names the computation for the disk cache, so that a later process finds the machine code
    without calling `f`; it must change whenever what `f` computes does.

    Examples:
        >>> import numpy as np
        >>> import visviva as vv
        >>> norm = vv.function(lambda x: vv.generic.sqrt(x @ x), {"x": 3}, name="norm")
        >>> norm([3.0, 4.0, 12.0])
        array(13.)
        >>> norm(np.eye(3))
        array([1., 1., 1.])
    """
    if not callable(f):
        raise ArgumentError(f"function takes a Python function to trace, got {f!r}")
    if not isinstance(key, str | None):
        raise ArgumentError(f"key is a string that names the computation, got {key!r}")
    ports = input_ports(inputs)
    if not isinstance(name, str | None):
        raise ArgumentError(f"name is a string, got {name!r}")
    label = name or getattr(f, "__name__", "function").strip("<>")
    new: Function[Any] = Function(
        label, ports, lambda: traced(f, ports), None if key is None else ("user", key)
    )
    if key is None:
        _ = new.program  # errors in f belong here, not to the first call
    return new


@explained
class Function(Generic[Result]):
    """A computation with named inputs and outputs, compiled on first use.

    Call it with one array per input, by position or name. Leading axes beyond an input's own shape
    are a batch, broadcast as numpy does. `out=` takes an array (or a tuple of arrays) to write to,
    `threads=` shares a large batch among threads. Quaternions off unit length are refused;
    `checked=False` looks at nothing. Results are float64 arrays, several of them in a tuple. Calls
    are thread-safe; a `Function` can be pickled, and called on expressions inside another function
    that is being traced.
    """

    _entry: ClassVar[Callable[..., Any] | None] = None  # `__call__`, where that is machine code

    def __init__(
        self,
        name: str,
        inputs: tuple[Port, ...],
        trace: Callable[[], Program],
        key: Key | None = None,  # names the computation for the cache
        *,
        derivative: Derivative = PLAIN,
        origin: tuple[Any, ...] | None = None,  # a function and its arguments: made again from them
        doc: str = "",
        why: Explanation = lambda reason, arguments: "",  # a result is not finite, or means little
        drivers: Sequence[Driver] = (),  # ways to run the kernel beside calls and batches
        has_entry: bool = True,  # the fast way in, which a repetition compiles for nothing
        may_improve: bool = True,  # whether better code may take the place of quick code, later
        has_gaps: bool = False,  # nan is an answer: what was asked for does not exist
        advice: str = "",  # told to who calls it first from outside of this package
    ) -> None:
        self.name = self.__name__ = name
        self.__signature__ = _signature(inputs)
        self._signature = f"{name}({', '.join(map(str, inputs))})"
        about = [self._signature, doc, inspect.cleandoc(Function.__doc__ or "")]
        self.__doc__ = "\n\n".join(part for part in about if part)
        self.key = key
        self._inputs = inputs
        self._trace = trace
        self._derivative = derivative
        self._origin = origin
        self._why = why
        self._own_drivers, self._has_entry = tuple(drivers), has_entry
        self._may_improve = may_improve
        ways: tuple[Driver, ...] = DRIVERS if has_entry else DRIVERS[:1]
        if has_gaps and has_entry:
            ways = (*DRIVERS[:1], Entry(is_watched=False))
        self._drivers = (*ways, *drivers)
        self._advice = advice
        self._reasons_told = {""} if has_gaps else set()
        self._jacobians: dict[tuple[str, ...], Function[Any]] = {}  # compiled once each
        self._products: dict[tuple[str, tuple[str, ...]], Function[Any]] = {}
        self._codes: dict[tuple[Driver, ...], Code] = {}  # for callers by address, once each
        self._program: Program | None = None
        self._kernel: Kernel | None = None

    def __getitem__(self, key: Any) -> Any:
        """Refused: what a function gives has entries, when it is called."""
        given = ", ".join(self.inputs)
        line = f"function({given})[{key!r}]"
        if isinstance(key, str):
            named = f"model.reaction({key!r})({given})"
            line = named if self.name == "reactions" else f"function({given})"
        raise ArgumentError(f"{self.name} is a function, and no list", cure=line)

    def __call__(
        self, /, *args: Any, out: Any = None, threads: int = 1, checked: bool = True, **named: Any
    ) -> Result:
        if self._advice:
            self._advise()
        result: Result = self._called(
            None, *args, out=out, threads=threads, checked=checked, **named
        )
        return result

    def _advise(self) -> None:
        """Say, once, what whoever calls it should know; it becomes fast then."""
        if _is_called_by_us():
            return
        text, self._advice = self._advice, ""
        if self._kernel is not None:
            self._take_fast_way(self._kernel)
        self._warn_once(ConstraintForcesWarning, text)

    def _warn_once(self, kind: type[Warning], text: str) -> None:
        warning = f"{self.name}: {text} (told once for each function)"
        warnings.warn(warning, kind, stacklevel=_callers())

    def _called(
        self,
        kernel: Kernel | None,
        /,
        *args: Any,
        out: Any = None,
        threads: int = 1,
        checked: bool = True,
        **named: Any,
    ) -> Any:
        """The careful way, with the kernel if there is one already.

        What is almost plain is made plain and comes in by the fast way again.
        """
        if kernel is not None and checked and self._entry is not None:
            plain = plain_values(self._inputs, args, named)
            if plain is not None:
                is_alone = type(threads) is int and threads == 1
                words = {} if is_alone else {"threads": threads}
                words |= {} if out is None else {"out": out}
                return self._entry(*plain, **words)
        values = bind(self.name, self._inputs, args, named)
        if out is None and any(holds_expressions(x) for x in values):
            # inside another traced function: become part of it
            return self._evaluated(values, "inside a traced function")
        is_from_entry = kernel is not None and not named and out is None
        kernel = kernel or self.kernel
        checks = Checks(self._entry, is_from_entry, self._warn_of_doubts) if checked else None
        return call(self.name, kernel, values, out, threads, checks)

    def _warn_of_doubts(self, arguments: Sequence[np.ndarray], is_finite: bool) -> None:
        """Say, once, why finite arguments gave a result that is not finite, or means little.

        What means little is the user's to know of states that are the user's: those of motions are
        as accurate as their tolerance.
        """
        conditions = {reason for reason, _ in self.program.conditions} if is_finite else {""}
        if conditions <= self._reasons_told or (is_finite and _is_called_by_us()):
            return
        values = {port.name: x for port, x in zip(self._inputs, arguments, strict=True)}
        reasons = {*violated_conditions(self.program, arguments)} if is_finite else conditions
        for reason in sorted(reasons - self._reasons_told):
            self._reasons_told.add(reason)
            text = self._why(reason, values)
            if not is_finite:
                text = text or first_not_finite(self.program, arguments)
                text = text and f"a result is not finite: {text}"
            if text:
                self._warn_once(DoubtfulWarning if is_finite else NotFiniteWarning, text)

    @property
    def inputs(self) -> Mapping[str, tuple[int, ...]]:
        """Names and shapes of the inputs, in order, without the axes of a batch; () is a scalar."""
        return MappingProxyType({port.name: port.shape for port in self._inputs})

    @property
    def outputs(self) -> Mapping[str, tuple[int, ...]]:
        """Names and shapes of the outputs, in order, without the axes of a batch."""
        return MappingProxyType({port.name: port.shape for port in self._described.outputs})

    @property
    def operations(self) -> Operations:
        """How often each operation occurs; `.multiplications`, `.additions`, `.total()`."""
        return self._described.operations

    @property
    def program(self) -> Program:
        """The straight-line program; traced now if a cache key spared it so far."""
        if self._program is None:
            # no lock: it is the user's code that runs, and twice gives the same
            with progress(f"tracing {self.name}"), without_collection():
                self._program = self._trace()
        return self._program

    def without_advice(self) -> Function[Result]:
        """The same machine code for who measures it: what users should know is not told."""
        if not self._advice:
            return self
        plain: Function[Result] = Function(
            self.name,
            self._inputs,
            lambda: self.program,
            self.key,
            derivative=self._derivative,
            drivers=self._own_drivers,
            has_entry=self._has_entry,
            may_improve=self._may_improve,
            why=self._why,
        )
        plain._become_fast(self.kernel)
        return plain

    @property
    def kernel(self) -> Kernel:
        """The machine code; found or built now if it was not yet."""
        if self._kernel is None and self.key is not None:
            self._take(lambda: cached_kernel(self._name, self._inputs, self._drivers))
        if self._kernel is None:
            program = self.program  # the user's code runs here, and nothing is locked
            if self.key is None:
                self._take(lambda: cached_kernel(self._name, self._inputs, self._drivers))
            replace = self._replacement() if self._may_improve else None
            self._take(lambda: new_kernel(program, self._name, self._drivers, replace))
        return cast(Kernel, self._kernel)

    def _take(self, get: Callable[[], Kernel | None]) -> None:
        """Become fast with a kernel, if there is none yet: one thread at a time."""
        with jit.LOCK:
            kernel = get() if self._kernel is None else None
            if kernel is not None:
                self._become_fast(kernel)

    def _become_fast(self, kernel: Kernel) -> None:
        """Have a kernel from now on, the first one or a better one; calls under way go on."""
        with jit.LOCK:
            if not self._advice:
                self._take_fast_way(kernel)
            self._kernel = kernel

    def _replacement(self) -> Callable[[Kernel], None]:
        """What takes a better kernel, later; a function that is gone by then needs none."""
        become_fast = WeakMethod(self._become_fast)

        def replace(kernel: Kernel) -> None:
            take = become_fast()
            if take is not None:
                take(kernel)

        return replace

    @property
    def compile_seconds(self) -> float:
        """Seconds that compiling, or loading from the disk cache, took."""
        return self.kernel.seconds

    @property
    def llvm_ir(self) -> str:
        """The LLVM module before optimisation, for this machine: a kernel and its drivers."""
        return module_text(split(self.program), host(), self._drivers)

    @property
    def assembly(self) -> str:
        """The machine code as assembly text, after optimisation."""
        return jit.assembly(self.llvm_ir)

    def __repr__(self) -> str:
        results = ", ".join(map(str, self._described.outputs))
        return f"<Function {self._signature} -> {results}: {self.operations}>"

    @overload
    def jacobian(self: Function[_Undeclared], *names: str) -> Function[Any]: ...

    @overload
    def jacobian(self: Function, name: str, /) -> Function: ...

    @overload
    def jacobian(
        self: Function, name: str, other: str, /, *more: str
    ) -> Function[tuple[FloatArray, ...]]: ...

    @overload
    def jacobian(
        self: Function[tuple[FloatArray, ...]], *names: str
    ) -> Function[tuple[FloatArray, ...]]: ...

    @overload
    def jacobian(self, *names: str) -> Function[Any]: ...

    def jacobian(self, *names: str) -> Function[Any]:
        """Derivatives of every output with respect to the named inputs (all, if none is named).

        The output `dy_dx` has the shape of y followed by that of x. By positions q of a mechanism
        they are derivatives along its motions: their last axis is that of v.
        """
        wanted = self._input_names("jacobian", names)
        if wanted not in self._jacobians:
            self._jacobians[wanted] = self._new_jacobian(wanted)
        return self._jacobians[wanted]

    def _input_names(self, verb: str, names: tuple[str, ...]) -> tuple[str, ...]:
        """The inputs that a derivative is asked for, checked; all, if none is named."""
        for name in names:
            if not isinstance(name, str) or name not in self.inputs:
                raise UnknownNameError(f"input of {self._signature}", name, self.inputs)
        if len(set(names)) < len(names):
            raise ArgumentError(f"{verb} of {self._signature}: an input is named twice: {names}")
        return names or tuple(self.inputs)

    def _new_jacobian(self, wanted: tuple[str, ...]) -> Function[Any]:
        return Function(
            f"{self.name}_jacobian",
            self._inputs,
            lambda: self._derivative.program(lambda: self.program, self._inputs, wanted),
            None if self.key is None else ("jacobian", self.key, wanted),
            derivative=Derivative(self._derivative.charts),
            origin=None if self._origin is None else (methodcaller("jacobian", *wanted), self),
            why=self._why,
        )

    def vjp(self, *names: str) -> Function[Any]:
        """The gradient of a weighted sum of all outputs, by the named inputs (all, if none is).

        It takes the inputs, then `weight_y` for each output y, and gives `gradient_x` for each
        named x: the Jacobian transposed times the weights, without the Jacobian. By positions q of
        a mechanism these are derivatives by the entries of q, as many as q has.

        Examples:
            >>> import visviva as vv
            >>> f = vv.function(lambda x: {"y": x**2}, {"x": 2}, name="f")
            >>> f.vjp("x")([3.0, 4.0], [1.0, 10.0])
            array([ 6., 80.])
        """
        return self._product("vjp", names)

    def jvp(self, *names: str) -> Function[Any]:
        """How fast the outputs change while the named inputs (all, if none is) change at rates.

        It takes the inputs, then `rate_x` for each named x, and gives `rate_y` for each output y:
        the Jacobian times the rates, without the Jacobian. By positions q of a mechanism these are
        rates of the entries of q, as many as q has.

        Examples:
            >>> import visviva as vv
            >>> f = vv.function(lambda x: {"y": x**2}, {"x": 2}, name="f")
            >>> f.jvp("x")([3.0, 4.0], [1.0, 10.0])
            array([ 6., 80.])
        """
        return self._product("jvp", names)

    def _product(self, verb: str, names: tuple[str, ...]) -> Function[Any]:
        if (verb, names) not in self._products:
            inputs = self._input_names(verb, names)
            is_plain = inputs == names
            product = self._new_product(verb, inputs) if is_plain else self._product(verb, inputs)
            self._products[verb, names] = product
        return self._products[verb, names]

    def _new_product(self, verb: str, names: tuple[str, ...]) -> Function[Any]:
        derive, factors_of = products.PRODUCTS[verb]
        factors = factors_of(self._inputs, lambda: self._described.outputs, names)
        return Function(
            f"{self.name}_{verb}",
            (*self._inputs, *factors),
            lambda: derive(self.program, names, factors),
            None if self.key is None else (verb, self.key, names),
            derivative=Derivative(self._derivative.charts),
            origin=None if self._origin is None else (methodcaller(verb, *names), self),
            why=self._why,
        )

    def plot(
        self,
        ranges: Mapping[str, Any] | None = None,
        /,
        *,
        output: Any = None,
        surface: bool = False,
        **named: Any,
    ) -> Figure:
        """A picture over one number of the inputs, or over two: lines, a map or a `surface`.

        Say which by a range: `f.plot(x=(0, 2))`; a number of an array by its place, `x1`, or by the
        system's name of it, `theta`. Numbers, or arrays for whole inputs, are values of the others,
        which are 0 otherwise. `output` chooses a result, "M", or a place in it, ("M", 0, 1). Names
        that mean something else here may be given in a mapping. A plotly figure.

        Examples:
            >>> import visviva as vv
            >>> wave = vv.function(lambda x, k: vv.generic.sin(k * x), {"x": (), "k": ()})
            >>> fig = wave.plot(x=(0, 6), k=2.0)
        """
        return function_figure(self, {**(ranges or {}), **named}, output, surface)

    def interpret(self, *args: Any, **named: Any) -> Any:
        """One evaluation in Python, on scalars of any kind: the slow, obvious reference.

        Examples:
            >>> from fractions import Fraction
            >>> import visviva as vv
            >>> third = vv.function(lambda x: x[0] / x[1], {"x": 2})
            >>> third.interpret([Fraction(1), Fraction(3)])
            array(Fraction(1, 3), dtype=object)
        """
        return self._evaluated(bind(self.name, self._inputs, args, named), "interpret")

    def _evaluated(self, values: list[Any], where: str) -> Any:
        scalars: list[Any] = []
        for port, value in zip(self._inputs, values, strict=True):
            array = np.asarray(value, dtype=object)
            if array.shape != port.shape:
                raise ShapeError(
                    f"{self.name}: argument {port.name!r} has shape {array.shape}; {where} it "
                    f"takes one evaluation at a time, {port.shape}: loop over the rows"
                )
            scalars += array.ravel().tolist()
        flat = iter(interpret(self.program, scalars))
        ports = self.program.outputs
        results = [as_array([*islice(flat, port.size)], port.shape) for port in ports]
        return results[0] if len(results) == 1 else tuple(results)

    def c_source(self, name: str | None = None, *, scalar: str = "double") -> str:
        """A C99 function `void name(const double *input, ..., double *output, ...)`.

        Arrays are row-major, without a batch; every operation is a line. `scalar="float"` computes
        in single precision.
        """
        return source.c_source(self.program, name or self.name, scalar)

    def c_header(self, name: str | None = None, *, scalar: str = "double") -> str:
        """The declaration of that function, for C and C++."""
        return source.c_header(self.program, name or self.name, scalar)

    def save_c(
        self, folder: str | PathLike[str], name: str | None = None, *, scalar: str = "double"
    ) -> None:
        """Write name.h, name.c and a CMakeLists.txt with the library `name`; a folder for each.

        They compile as C99 without a warning, and the header is one of C++ as well.
        """
        source.save_c(self.program, name or self.name, scalar, Path(folder))

    def js_source(self, name: str | None = None) -> str:
        """A JavaScript function from (nested) arrays to (nested) arrays."""
        return source.js_source(self.program, name or self.name)

    def to_jax(self, traced: bool = False) -> Callable[..., Any]:
        """The compiled function over JAX arrays on the processor: jit, vmap, derivatives, scan.

        It computes in double precision; float32 arrays give float32, which is what JAX has unless
        `jax_enable_x64` is set. Derivatives by positions are by the entries of q. With
        `traced=True` the formulas are handed over, and JAX compiles them itself, for a GPU too;
        large functions take it minutes.
        """
        if traced:
            return handover.to_jax(self.program, self.name)
        handover.check_jax()
        from visviva.machine import jax_calls

        return jax_calls.jax_function(self)

    def to_torch(self) -> Callable[..., Any]:
        """The compiled function over torch tensors on the processor, with derivatives.

        It computes in double precision; results have the dtype of the tensors. Derivatives by
        positions are by the entries of q.
        """
        require("to_torch", "torch")
        from visviva.machine import torch_calls

        return torch_calls.torch_function(self)

    def to_casadi(self, name: str | None = None) -> Any:
        """The same computation as a `casadi.Function`; vectors are columns, scalars 1 × 1."""
        return handover.to_casadi(self.program, name or self.name)

    @property
    def address(self) -> int:
        """Where `void f(const double *input, ..., double *output, ...)` stands in memory.

        One evaluation: arrays are contiguous, in the order of `inputs` and `outputs`; an output may
        be an input. It looks at nothing, any thread may call it, and it is there while this
        function is.
        """
        return int(self._code(Pointers()).call(Pointers.symbol))

    @property
    def ctypes(self) -> Any:
        """What stands at `address`, as a function of ctypes; it keeps the machine code.

        Compiled functions of numba call it with `array.ctypes`.

        Examples:
            >>> import numpy as np
            >>> import visviva as vv
            >>> norm = vv.function(lambda x: vv.generic.sqrt(x @ x), {"x": 2}, name="norm")
            >>> x, y = np.array([3.0, 4.0]), np.empty(1)
            >>> norm.ctypes(*map(np.ctypeslib.as_ctypes, (x, y)))
            >>> y
            array([5.])
        """
        count = len(self._inputs) + len(self.outputs)
        kind = ctypes.CFUNCTYPE(None, *[ctypes.POINTER(ctypes.c_double)] * count)
        return handover.caller(self._code(Pointers()), Pointers.symbol, kind)

    def to_scipy(self) -> Any:
        """A `scipy.LowLevelCallable` of one number: `double f(int n, double *x)`.

        The n numbers are those of all inputs, in order: `scipy.integrate.quad` integrates over the
        first, the others are its `args`.
        """
        if [*self.outputs.values()] != [()]:
            given = ", ".join(f"{name}{list(shape)}" for name, shape in self.outputs.items())
            raise ArgumentError(
                f"{self.name} gives {given}, scipy takes a function of one number: state one that "
                "returns an entry, by vv.function"
            )
        return handover.to_scipy(self._code(Pointers(), Integrand()))

    def _code(self, *drivers: Driver) -> Code:
        """Machine code for callers by address, compiled when it is first asked for."""
        if drivers not in self._codes:
            again: Function[Any] = Function(
                self.name,
                self._inputs,
                lambda: self.program,
                self.key,
                drivers=drivers,
                has_entry=False,
                may_improve=False,
            )
            return self._codes.setdefault(drivers, again.kernel.code)  # an address stays
        return self._codes[drivers]

    def __reduce__(self) -> tuple[Any, ...]:
        if self._origin is not None:
            return self._origin[0], self._origin[1:]
        return _restored, (self.name, self.program, self._own_drivers, self._has_entry)

    @property
    def _name(self) -> str | None:
        """What the machine code is called in the cache: by the key, else by the program."""
        drivers = list(map(repr, self._drivers))
        if self.key is None:
            return cache.name_of("program", json.dumps([self.program.digest, drivers]))
        inputs = [[port.name, port.shape, port.units] for port in self._inputs]
        return cache.name_of("key", json.dumps([self.key, inputs, drivers]))

    @property
    def _fingerprint(self) -> str:
        """The computation as a name, the same in every process: of code, never of an address."""
        computation = self._name or self.program.digest
        return hashlib.sha256(computation.encode()).hexdigest()

    @property
    def _described(self) -> Program | Kernel:
        """Whichever knows outputs and operations already; a key can spare the program."""
        if self._program is None and self.key is not None:
            return self.kernel
        return self.program

    def _take_fast_way(self, kernel: Kernel) -> None:
        """Become an object whose `__call__` is machine code.

        CPython looks `__call__` up on the class, so this one function gets a class of its own. The
        entry holds the kernel, through bound methods: the garbage collector takes none of them
        apart, so that the code is there for every finalizer that calls it.
        """
        kind: Any = type(self)
        kind = kind.__base__ if "_entry" in vars(kind) and kind is not Function else kind
        is_plain = kind.__call__ is Function.__call__ and type(kind) is type
        if (
            self._has_entry
            and entry.available()
            and is_plain
            and "__init_subclass__" not in _attributes(kind)
        ):
            careful = MethodType(MethodType(Function._called, self), kernel)
            fast = entry.make(self.name, kernel.code, careful)
            # the class keeps its own __doc__: help() shows an object's only where they differ
            same = {k: getattr(kind, k) for k in ("__doc__", "__module__", "__qualname__")}
            self.__class__ = type(
                kind.__name__, (kind,), {"__call__": fast, "_entry": fast, **same}
            )


def _signature(inputs: Sequence[Port]) -> inspect.Signature:
    """How it is called, for help() and editors."""
    kinds = inspect.Parameter
    ports = [kinds(port.name, kinds.POSITIONAL_OR_KEYWORD) for port in inputs]
    out = kinds("out", kinds.KEYWORD_ONLY, default=None)
    threads = kinds("threads", kinds.KEYWORD_ONLY, default=1)
    checked = kinds("checked", kinds.KEYWORD_ONLY, default=True)
    return inspect.Signature([*ports, out, threads, checked])


def _callers() -> int:
    """How many frames to go up from a function of this package to whoever called it."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and _is_ours(frame):
        level, frame = level + 1, frame.f_back
    return level - 1


def _is_called_by_us() -> bool:
    """Whether it is this package that calls a function, behind the modules that make calls."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__") in (__name__, call.__module__):
        frame = frame.f_back
    return frame is None or _is_ours(frame)


def _is_ours(frame: FrameType) -> bool:
    """Whether a frame is of this package."""
    return str(frame.f_globals.get("__name__", "")).startswith("visviva.")


def _attributes(kind: type) -> set[str]:
    """What a subclass of `Function` and its bases define."""
    own = kind.__mro__[: kind.__mro__.index(Function)]
    return {name for owner in own for name in vars(owner)}


def _restored(
    name: str, program: Program, drivers: Sequence[Driver] = (), has_entry: bool = True
) -> Function[Any]:
    """The program names its code: a key may mean another one where it is unpickled."""
    new: Function[Any] = Function(
        name, program.inputs, lambda: program, drivers=drivers, has_entry=has_entry
    )
    new._program = program
    return new
