"""The fast way in: a CPython function in machine code.

It takes the arguments as CPython passes them (METH_FASTCALL), checks that each is a plain,
contiguous float64 array of exactly the expected shape, or with one more axis in front, of one
length for all that have it, or a float for a number; makes the result through numpy's C API, or
takes the arrays of `out=`, and runs the kernel. Anything else (lists, other batches, keywords,
other dtypes) goes to the careful Python path. Where CPython or numpy are not
laid out as expected, `available` is False and the careful path is the only one.
"""

from __future__ import annotations

import ctypes
import importlib
import struct
import sys
import sysconfig
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from visviva.machine.code import imports
from visviva.machine.code.cpu import is_plain
from visviva.machine.code.entry import (
    DATA,
    DESCR,
    FLAGS,
    ITEMS,
    LENGTH,
    NDIM,
    NUMBER,
    SHAPE,
    TYPE,
    WRITABLE_FLAGS,
    Entry,
)
from visviva.machine.run.memory import Code, when_gone

_CORES = {1: "numpy.core", 2: "numpy._core"}  # what holds numpy's table of C functions
API_NDARRAY, API_NEW_FROM_DESCR = 2, 94  # positions in that table
FASTCALL_KEYWORDS = 0x80 | 0x02


class MethodDefinition(ctypes.Structure):
    """CPython's PyMethodDef: name, address, how it is called, docstring."""

    _fields_ = (
        ("name", ctypes.c_void_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


# prototypes of our own: those of ctypes.pythonapi belong to everybody
_allocate = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)
_free = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)


@cache
def available() -> bool:
    """Whether this interpreter and this numpy are the ones the code below is written for."""
    if is_plain() or sys.implementation.name != "cpython" or struct.calcsize("P") != 8:
        return False
    config = sysconfig.get_config_var
    if config("Py_GIL_DISABLED") or config("Py_TRACE_REFS") or not _fields_fit():
        return False
    addresses = imports.addresses()
    api = _numpy_api()
    objects = {"ndarray": np.ndarray, "float64": np.dtype(np.float64), "numpy_float": np.float64}
    objects |= {"float": float, "int": int, "tuple": tuple}
    for name, x in (objects | {word: sys.intern(word) for word in imports.WORDS}).items():
        addresses[imports.position(name)] = id(x)
    addresses[imports.position("new_array")] = api[API_NEW_FROM_DESCR]
    return api[API_NDARRAY] == id(np.ndarray) and _makes_arrays(api[API_NEW_FROM_DESCR])


def make(name: str, code: Code, careful: Callable[..., Any]) -> Callable[..., Any]:
    """A Python callable that runs the code and falls back on `careful`, which must hold it."""
    text = name.encode(errors="replace") + b"\0"
    size = ctypes.sizeof(MethodDefinition)
    # Raw memory, freed after the code: no Python object could promise to live until then.
    address = _allocate(("PyMem_RawMalloc", ctypes.pythonapi))(size + len(text))
    if not address:
        raise MemoryError
    when_gone(code, _free(("PyMem_RawFree", ctypes.pythonapi)), address)
    ctypes.memmove(address + size, text, len(text))
    definition = MethodDefinition(address + size, code.call(Entry.symbol), FASTCALL_KEYWORDS, None)
    ctypes.memmove(address, ctypes.addressof(definition), size)
    new = _new(("PyCFunction_NewEx", ctypes.pythonapi))
    function: Callable[..., Any] = new(address, careful, None)
    return function


def _version() -> int:
    return int(np.__version__.partition(".")[0])


def _numpy_api() -> Any:
    core = importlib.import_module(f"{_CORES[_version()]}._multiarray_umath")
    address = _pointer(("PyCapsule_GetPointer", ctypes.pythonapi))(core._ARRAY_API, None)
    return ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))


def _fields_fit() -> bool:
    """Read a known array, a number and a tuple through the offsets above."""
    sample, pair = np.zeros((2, 3)), (0.1, np.float64(0.2))
    if _version() not in _CORES or not sample.flags.c_contiguous:
        return False

    def field(kind: Any, offset: int, x: Any = sample) -> Any:
        return kind.from_address(id(x) + offset).value

    shape = field(ctypes.c_void_p, SHAPE)
    return (
        field(ctypes.c_void_p, TYPE) == id(np.ndarray)
        and field(ctypes.c_void_p, DATA) == sample.ctypes.data
        and field(ctypes.c_int, NDIM) == 2
        and tuple((ctypes.c_int64 * 2).from_address(shape)) == (2, 3)
        and field(ctypes.c_void_p, DESCR) == id(sample.dtype) == id(np.dtype(np.float64))
        and field(ctypes.c_int, FLAGS) & WRITABLE_FLAGS == WRITABLE_FLAGS
        and all(field(ctypes.c_double, NUMBER, x) == x for x in pair)
        and field(ctypes.c_ssize_t, LENGTH, pair) == 2
        and field(ctypes.c_void_p, ITEMS + 8, pair) == id(pair[1])
        and np.zeros((2, 3))[:, ::2].flags.c_contiguous is False
    )


def _makes_arrays(address: int) -> bool:
    """Make one array the way the machine code does."""
    pointers = [ctypes.c_void_p] * 2 + [ctypes.c_int] + [ctypes.c_void_p] * 3
    kind = ctypes.PYFUNCTYPE(ctypes.py_object, *pointers, ctypes.c_int, ctypes.c_void_p)
    dtype, shape = np.dtype(np.float64), (ctypes.c_int64 * 1)(4)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(dtype))  # the call takes over a reference
    array = kind(address)(
        id(np.ndarray), id(dtype), 1, ctypes.addressof(shape), None, None, 0, None
    )
    return isinstance(array, np.ndarray) and array.shape == (4,) and array.dtype == dtype
