"""Compiled batches as custom calls of XLA, in memory."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

from visviva.machine.code.batch import Batch
from visviva.machine.code.cpu import host
from visviva.machine.code.xla import LINE, TABLE_FIELDS, TEXT, XlaCall
from visviva.machine.run import memory
from visviva.machine.run.image import linked
from visviva.machine.run.jit import object_code
from visviva.machine.run.kernel import Kernel, function_object

_DRIVERS = (XlaCall(),)
_never_freed: list[Any] = []  # XLA never unregisters a custom call, so what it calls must stay


def custom_call(kernel: Kernel) -> int:
    """The address of a kernel's custom call; code and kernel stay until the process ends."""
    table = _table(kernel)
    if host().has_images:
        image, places = linked([function_object(TEXT, host())])
        code = memory.placed(image, places, _DRIVERS, table)
    else:
        content = object_code(TEXT, host(), "jitdefault")
        code = memory.loaded_by_llvm(content, _DRIVERS, table)
    _never_freed.append((kernel, table, code))
    return int(code.call(XlaCall.symbol))


def _table(kernel: Kernel) -> ctypes.Array[ctypes.c_int64]:
    """What the code reads of a kernel: `TABLE_FIELDS`, then rank and size of every port."""
    library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
    ports = (*kernel.inputs, *kernel.outputs)
    values = {name: _address(library[name]) for name in ("malloc", "free")}
    values |= {
        "batch": _address(kernel.code.call(Batch.symbol)),
        "buffer_bytes": -(-kernel.buffer_bytes // LINE) * LINE,  # rounded up
        "row_bytes": 8 * sum(port.size for port in ports),
        "inputs": len(kernel.inputs),
        "outputs": len(kernel.outputs),
    }
    ranks_and_sizes = [n for port in ports for n in (len(port.shape), port.size)]
    numbers = [*(values[name] for name in TABLE_FIELDS), *ranks_and_sizes]
    return (ctypes.c_int64 * len(numbers))(*numbers)


def _address(function: Any) -> int:
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)
