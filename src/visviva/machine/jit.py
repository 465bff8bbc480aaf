"""LLVM at work: text to object code, object code to callable addresses."""

from __future__ import annotations

import ctypes
import os
import threading
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from visviva.machine import table
from visviva.machine.cpu import Cpu, host

LEVEL = 1  # of optimisation; straight-line code gains nothing from more, and compiles slower

# One thread compiles at a time, and nobody forks while it does: the child would inherit a lock
# that no thread of its own can release.
LOCK = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release
    )


def object_code(text: str, cpu: Cpu | None = None) -> bytes:
    """Compile a module."""
    with LOCK:
        machine = target_machine(cpu or host())
        return bytes(machine.emit_object(_optimised(text, machine)))


def assembly(text: str) -> str:
    """The same as text for people."""
    with LOCK:
        machine = target_machine(host())
        return str(machine.emit_assembly(_optimised(text, machine)))


class Loaded:
    """Object code in memory, with the addresses of its functions; unloaded with this object."""

    def __init__(self, code: bytes) -> None:
        with LOCK:
            _initialise()
            machine = target_machine(host())
            self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            self._engine.finalize_object()
            bind = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.address("vv.bind"))
        bind(ctypes.addressof(table.addresses()))

    def address(self, name: str) -> int:
        return int(self._engine.get_function_address(name))


def _optimised(text: str, machine: Any) -> Any:
    module = llvm.parse_assembly(text)
    options = llvm.create_pipeline_tuning_options(speed_level=LEVEL)
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return module


@cache
def _initialise() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def target_machine(cpu: Cpu) -> Any:
    _initialise()
    target = llvm.Target.from_triple(cpu.triple)
    return target.create_target_machine(
        cpu=cpu.name,
        features=cpu.features,
        opt=LEVEL,
        jit=True,
        reloc="pic",
        codemodel="jitdefault",
    )
