"""`Loop`: a step that is repeated inside machine code, and `repeat`, which does so at once."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.errors import ArgumentError, ShapeError, UnknownNameError, check_known
from visviva.machine import source
from visviva.machine.code.repeat import Repeat
from visviva.machine.function import Function
from visviva.machine.program.interpret import interpret
from visviva.machine.program.program import Program
from visviva.machine.program.trace import traced
from visviva.machine.run.call import Array, real_array, thread_count
from visviva.machine.run.kernel import Kernel
from visviva.machine.run.passes import Running

DONE, FLAG = "break", "yield"  # outputs that are no state: no input is called as a keyword is
IDLE, IDLE_NUMBERS = 4, 500_000  # runs that wait to be used again, numbers that each may hold


@dataclass(frozen=True)
class Repeated:
    """What a repetition gave: arrays by the names of the state."""

    state: Mapping[str, Array]  # at the end, (..., shape)
    saved: Mapping[str, Array]  # on the way, the start first: (..., saves, shape); or empty
    passes: np.ndarray  # (...,) whole numbers, how many each row did
    done: np.ndarray  # (...,) whether `until` ended it


def repeat(
    step: Function[Any],
    state: Any,
    *,
    times: int | None = None,
    until: Function[Any] | None = None,
    at_most: int | None = None,
    each: Mapping[str, Any] | None = None,
    save: int | None = None,
    threads: int = 1,
) -> Repeated:
    """A step state → state, again and again, inside machine code.

    Outputs of `step` that have the name of an input are its state; the only output of a step may
    have any name and is its first input then. `state` maps inputs to their values at the start;
    those that are no state stay as they are. Leading axes are a batch, as in calls. Pass i gets row
    i of the tables in `each`, (..., rows, shape), which begin again when they end.

    Either `times` says how often, or a row rests as soon as `until` of its state is not zero, after
    `at_most` passes in any case; it is asked after every pass. `save=k` keeps the state after every
    k passes.

    Examples:
        >>> import visviva as vv
        >>> newton = vv.function(lambda x, a: (x + a / x) / 2, {"x": (), "a": ()}, name="newton")
        >>> vv.repeat(newton, {"x": 1.0, "a": [2.0, 9.0]}, times=6).state["x"]
        array([1.41421356, 3.        ])
    """
    loop = Loop(step, until=until, each=() if each is None else each)
    return loop(state, times=times, at_most=at_most, each=each, save=save, threads=threads)


class Loop:
    """A step and its repetition as machine code: compiled once, run as often as wanted.

    `until` is a function of some of the step's inputs; `each` names inputs that get a row of a
    table for every pass; `flag` is a scalar output of the step: where it is not zero the state is
    kept, `keep` are the states that are (all). `outputs` are the shapes of the step's outputs, if
    they are known without tracing it, and `formulas` the Python function that the step is traced
    from, if it returns them by name: then it runs once, and not the program it leaves as well.
    """

    def __init__(
        self,
        step: Function[Any],
        *,
        until: Function[Any] | None = None,
        each: Iterable[str] = (),
        keep: Iterable[str] | None = None,
        flag: str = "",
        outputs: Mapping[str, tuple[int, ...]] | None = None,
        formulas: Callable[..., Mapping[str, Any]] | None = None,
    ) -> None:
        if not isinstance(step, Function):
            raise ArgumentError(
                f"repeat takes a Function; got {type(step).__name__}: vv.function(f, inputs) is one"
            )
        each, keep = _names("each", each), None if keep is None else _names("keep", keep)
        self.step, self.until, self._formulas = step, until, formulas
        self.inputs = step._inputs
        names = [port.name for port in self.inputs]
        for name in each:
            check_known(f"input of {step.name}", name, names)
        outputs = _outputs(step) if outputs is None else dict(outputs)
        self._only = len(outputs) == 1 and not set(outputs) & set(names)
        if self._only and names:
            outputs = {names[0]: next(iter(outputs.values()))}
        self.states = tuple(k for k in outputs if k in names and k not in each)
        self._check(outputs, names, each, flag)
        self._idle: list[Running] = []
        self._first = names.index(self.states[0])
        self.keep = self.states if keep is None else keep
        for name in self.keep:
            check_known(f"state of {step.name}", name, self.states)
        if flag and not self.keep:
            raise ArgumentError(
                f"repeat: {flag!r} says when states are kept, and keep= names none; states are "
                f"{', '.join(self.states)}"
            )
        self.tables, self.flag = each, flag
        driver = Repeat(self.tables, self.keep, DONE if until else "", FLAG if flag else "")
        key = self._key()
        self.function = Function(
            f"{step.name}_repeated",
            self.inputs,
            self._traced,
            key,
            drivers=(driver,),
            has_entry=False,
        )

    def _check(self, outputs: Any, names: Sequence[str], each: Sequence[str], flag: str) -> None:
        step = self.step
        shapes = step.inputs
        for name in self.states:
            if outputs[name] != shapes[name]:
                raise ShapeError(
                    f"repeat: {step.name} takes {name!r} of shape {shapes[name]} and returns "
                    f"{outputs[name]}: what is handed on keeps its shape"
                )
        if flag != "" and (not isinstance(flag, str) or outputs.get(flag) != ()):
            scalars = ", ".join(k for k, shape in outputs.items() if shape == ())
            raise ArgumentError(
                f"repeat: flag is a scalar output of {step.name}, got {flag!r}; there are: "
                f"{scalars or 'none'}"
            )
        handed = [k for k in outputs if k in each]
        if handed:
            raise ArgumentError(
                f"repeat: {step.name} returns {handed[0]!r}, and each= gives a row of it to every "
                "pass: it is handed on, or comes from a table"
            )
        if not self.states:
            raise ArgumentError(
                f"repeat: no output of {step!r} has the name of an input: nothing is handed on; "
                "return a dict with names of inputs"
            )
        strange = [k for k in outputs if k not in self.states and k != flag]
        if strange:
            raise ArgumentError(
                f"repeat: output {strange[0]!r} of {step.name} is no input, so that nothing would "
                f"become of it; inputs are {', '.join(names)}"
            )
        if self.until is None:
            return
        if not isinstance(self.until, Function):
            raise ArgumentError(f"repeat: until is a Function, got {type(self.until).__name__}")
        for name, shape in self.until.inputs.items():
            if name in each or name not in names:
                known = [k for k in names if k not in each]
                raise UnknownNameError(f"input of {step.name} for until", name, known)
            if shape != shapes[name]:
                raise ShapeError(
                    f"repeat: until takes {name!r} of shape {shape}, the step {shapes[name]}"
                )
        returned = _outputs(self.until)
        if list(returned.values()) != [()]:
            got = ", ".join(f"{k}: {shape}" for k, shape in returned.items())
            raise ArgumentError(
                f"repeat: until returns one scalar, not zero where a row is done; got {got}"
            )

    def __getstate__(self) -> dict[str, Any]:
        """Without runs, which hold machine code, and formulas, which the step has as a program."""
        return {**self.__dict__, "_idle": [], "_formulas": None}

    def _key(self) -> Any:
        """With inputs and drivers, which know tables and what is kept, the name of the code."""
        if self.step.key is None or (self.until is not None and self.until.key is None):
            return None
        until = () if self.until is None else (self.until.key, *self.until.inputs)
        return ("repeat", self.step.key, until, self.flag)

    def _traced(self) -> Program:
        return traced(self._one_pass, self.inputs)

    def _one_pass(self, *values: Any) -> dict[str, Any]:
        """The step, and what ends or keeps it, of inputs of any scalar."""
        named = dict(zip([port.name for port in self.inputs], values, strict=True))
        results = self._results(list(values))
        if self._only:
            results = dict(zip(self.states, results.values(), strict=True))
        outputs = {k: results[k] for k in self.states}
        if self.until is not None:
            after = {**named, **outputs}
            outputs[DONE] = self.until._evaluated([after[k] for k in self.until.inputs], "until")
        if self.flag:
            outputs[FLAG] = results[self.flag]
        return outputs

    def _results(self, values: list[Any]) -> dict[str, Any]:
        """What the step returns, by name."""
        if self._formulas is not None:
            return dict(self._formulas(*values))
        returned = self.step._evaluated(values, "repeat")
        several = returned if isinstance(returned, tuple) else (returned,)
        return dict(zip(self.step.outputs, several, strict=True))

    def __call__(
        self,
        state: Any,
        *,
        times: int | None = None,
        at_most: int | None = None,
        each: Mapping[str, Any] | None = None,
        save: int | None = None,
        threads: int = 1,
    ) -> Repeated:
        """Run it; see `repeat`."""
        last = self._length(times, at_most)
        period = None if save is None else _count("save", save, 1)
        if period is not None and self.flag:
            raise ArgumentError("repeat: this loop keeps states where its step says so; no save=")
        threads = thread_count("repeat", threads)
        run = self.start(state, each=each)
        saves = 0 if period is None else last // period + 1
        if saves:
            run.keep_every(period or 1, saves)
        run.advance(last, threads)
        history = {} if not saves else {k: run.unrolled(x) for k, x in run.history.items()}
        counts = run.passes if self.until else np.full(run.rows, last)
        return Repeated(
            run.state,
            history,
            counts.reshape(run.batch),
            (run.resting != 0).reshape(run.batch),
        )

    def start(self, state: Any, each: Mapping[str, Any] | None = None) -> Running:
        """A repetition that has not begun."""
        names = self.states, self.tables, self.keep, bool(self.flag)
        return Running(self._code, *names, self._values(state), self._tables(each))

    def begin(
        self, values: Mapping[str, Array], tables: Mapping[str, Array] | None = None
    ) -> Running:
        """The same of values and tables that are known to be right: (..., shape) of float64.

        What was handed back by `over` is used again: to make room takes longer than a short run.
        Every run of such a loop has the same tables.
        """
        first, run = values[self.states[0]], None
        with suppress(IndexError):  # none is idle
            run = self._idle.pop()
        if run is not None and first.shape == run.batch + self.inputs[self._first].shape:
            run.begin_again(values)
            return run
        names = self.states, self.tables, self.keep, bool(self.flag)
        return Running(self._code, *names, values, tables or {})

    def over(self, run: Running) -> None:
        """A run is no longer needed, nor is anything that it has kept."""
        room = sum(x.size for x in run.history.values())
        if len(self._idle) < IDLE and room <= IDLE_NUMBERS:
            self._idle.append(run)

    @property
    def _code(self) -> Callable[[], Kernel]:
        function = self.function  # runs that wait hold it, and not this loop
        return lambda: function.kernel

    def _length(self, times: Any, at_most: Any) -> int:
        if self.until is None:
            if times is None or at_most is not None:
                raise ArgumentError("repeat takes times=n, or until=f with at_most=n")
            return _count("times", times, 0)
        if at_most is None or times is not None:
            raise ArgumentError("repeat with until= takes at_most=n: every repetition is bounded")
        return _count("at_most", at_most, 0)

    def _values(self, state: Any) -> dict[str, Array]:
        given = self._given(state)
        wanted = [port for port in self.inputs if port.name not in self.tables]
        return {port.name: real_array("repeat", port, given[port.name]) for port in wanted}

    def _given(self, state: Any) -> Mapping[str, Any]:
        """Values at the start by name, all of them and no others."""
        wanted = [port for port in self.inputs if port.name not in self.tables]
        if not isinstance(state, Mapping):
            if len(wanted) != 1:
                names = ", ".join(port.name for port in wanted)
                raise ArgumentError(f"repeat: state maps {names} to their values at the start")
            state = {wanted[0].name: state}
        for name in state:
            check_known(f"input of {self.step.name} at the start", name, [p.name for p in wanted])
        missing = [port.name for port in wanted if port.name not in state]
        if missing:
            raise ArgumentError(f"repeat: state lacks {', '.join(missing)} of {self.step.name}")
        return dict(state)

    def _tables(self, each: Mapping[str, Any] | None) -> dict[str, Array]:
        given, tables, rows = self._given_tables(each), {}, set()
        for port in self.inputs:
            if port.name not in self.tables:
                continue
            table = real_array("repeat", port, given[port.name])
            if table.ndim == len(port.shape) or not table.shape[-len(port.shape) - 1]:
                wanted = ", ".join(map(str, ("...", "rows", *port.shape)))
                raise ShapeError(
                    f"repeat: each[{port.name!r}] has shape {table.shape}; expected ({wanted}), "
                    "with a row at least"
                )
            rows.add(table.shape[table.ndim - len(port.shape) - 1])
            tables[port.name] = table
        if len(rows) > 1:
            raise ShapeError(f"repeat: tables in each have {sorted(rows)} rows; they go together")
        return tables

    def _given_tables(self, each: Mapping[str, Any] | None) -> Mapping[str, Any]:
        given = {} if each is None else each
        if not isinstance(given, Mapping):
            raise ArgumentError(
                f"repeat: each maps names to tables, a row for every pass; got {given!r:.60}"
            )
        for name in given:
            check_known(f"table of {self.step.name}", name, self.tables)
        missing = [name for name in self.tables if name not in given]
        if missing:
            raise ArgumentError(f"repeat: each lacks {missing[0]!r}, which changes at every pass")
        return given

    def interpret(
        self,
        state: Mapping[str, Any],
        *,
        passes: int,
        each: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """One row, at most `passes` times, in Python and on scalars of any kind: the reference."""
        program, now = self.function.program, dict(self._given(state))
        tables = self._given_tables(each)
        for i in range(_count("passes", passes, 0)):
            now |= {name: rows[i % len(rows)] for name, rows in tables.items()}
            scalars: list[Any] = []
            for port in self.inputs:
                own = np.asarray(now[port.name], dtype=object)
                if own.shape != port.shape:
                    raise ShapeError(
                        f"repeat: {port.name!r} has shape {own.shape}; interpret takes one row, "
                        f"{port.shape}"
                    )
                scalars += own.ravel().tolist()
            flat = interpret(program, scalars)
            position = 0
            for port in program.outputs:
                own = np.array([*flat[position : position + port.size], None], dtype=object)[:-1]
                position += port.size
                now[port.name] = own.reshape(port.shape)
            if self.until and now[DONE][()] != 0:
                break
        return {k: now[k] for k in self.states}

    def c_source(self, name: str | None = None) -> str:
        """C99: the step, and `long name_repeat(long passes, …)`, which repeats it in place.

        It returns how many passes there were; tables come with `long cycle`, their rows.
        """
        name = name or self.step.name
        return source.c_loop(self.function.program, name, self.states, self.tables, DONE)

    def js_source(self, name: str | None = None) -> str:
        """JavaScript: the step, and `name_repeat(passes, …)`, which returns {state, passes}."""
        name = name or self.step.name
        return source.js_loop(self.function.program, name, self.states, self.tables, DONE)


def _names(what: str, names: Any) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ArgumentError(f"repeat: {what} is a list of names, got {names!r}")
    return tuple(dict.fromkeys(names))


def _count(name: str, value: Any, least: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, bool):
        raise ArgumentError(f"repeat: {name} is a whole number from {least} on, got {value!r}")
    return number


def _outputs(f: Function[Any]) -> dict[str, tuple[int, ...]]:
    """By tracing: the code of the function itself is not wanted here."""
    return {port.name: port.shape for port in f.program.outputs}
