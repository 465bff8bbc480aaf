"""The one table of addresses that compiled code calls out through: libm, CPython, numpy.

Compiled objects hold positions in this table, never addresses, so that they can be kept on disk.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from functools import cache

from visviva.algebra.ops import OPS
from visviva.errors import BackendError, check_known

# the operations that call our runtime, which calls the C library's function of that name
LIBM = tuple(op for op, row in OPS.items() if op in row.calls or "{sincos}" in row.llvm)
CPYTHON = (
    "Py_IncRef",
    "Py_DecRef",
    "PyTuple_New",
    "PyTuple_SetItem",
    "PyObject_Vectorcall",
    "PyMem_RawMalloc",
    "PyMem_RawFree",
    "PyErr_NoMemory",
    "PyErr_CheckSignals",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
    "PyLong_AsLongLongAndOverflow",
)
# addresses that `entry` fills in
OBJECTS = ("ndarray", "float64", "new_array", "numpy_float", "float", "int", "tuple")
WORDS = ("out", "threads")  # names of arguments, as interpreters keep them: each once
NAMES = (*LIBM, *CPYTHON, *OBJECTS, *WORDS)


def position(name: str) -> int:
    """The index of a function or object in the table."""
    check_known("function that compiled code calls", name, NAMES)
    return NAMES.index(name)


def load(name: str, register: str) -> str:
    """LLVM text that loads an entry into a register."""
    return (
        f"{register}.t = load ptr, ptr @vv.table\n"
        f"  {register}.p = getelementptr ptr, ptr {register}.t, i64 {position(name)}\n"
        f"  {register} = load ptr, ptr {register}.p"
    )


# Every module owns a pointer to the table and a function that sets it after loading; it is there
# even where nothing is called, since whoever loads the module sets it.
DEFINITIONS = """
@vv.table = internal global ptr null
@llvm.compiler.used = appending global [1 x ptr] [ptr @vv.table], section "llvm.metadata"
define void @vv.bind(ptr %table) {
  store ptr %table, ptr @vv.table
  ret void
}
"""
DECLARATION = "@vv.table = external hidden global ptr\n"  # for modules beside it


@cache
def addresses() -> ctypes.Array[ctypes.c_void_p]:
    """The table of this process; the numpy part stays empty where `entry` does not fit."""
    table = (ctypes.c_void_p * len(NAMES))()
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(table))  # code may be called until the very end
    for name in CPYTHON:
        table[position(name)] = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p)
    libm = ctypes.CDLL(_libm_name())
    for name in LIBM:
        try:
            table[position(name)] = ctypes.cast(libm[name], ctypes.c_void_p)
        except AttributeError:
            text = f"operation {name!r}: the C library has no function of this name"
            raise BackendError(text) from None
    return table


def _libm_name() -> str | None:
    if sys.platform == "win32":
        return "ucrtbase"
    return ctypes.util.find_library("m") if sys.platform == "darwin" else "libm.so.6"
