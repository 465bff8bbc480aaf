"""LLVM at work: text to object code, object code to callable addresses."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from functools import cache
from typing import Any

import llvmlite.binding as llvm
from llvmlite.binding.newpassmanagers import NewPassManager

from visviva.machine import table
from visviva.machine.cpu import Cpu, host

LEVEL = 1  # of optimisation; straight-line code gains nothing from more, and compiles slower

# One thread is inside LLVM at a time, from making its objects to disposing of them, and nobody
# forks meanwhile: the child would inherit a lock that no thread of its own can release.
LOCK = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release
    )


def object_code(text: str, cpu: Cpu) -> bytes:
    """Compile a module."""
    with LOCK:
        return bytes(_emitted(text, cpu, "emit_object"))


def assembly(text: str) -> str:
    """The same as text for people."""
    with LOCK:
        return str(_emitted(text, host(), "emit_assembly"))


class Loaded:
    """Object code in memory, with the addresses of its functions; unloaded with this object."""

    def __init__(self, code: bytes) -> None:
        with LOCK:
            self._engine = _engine(code)
            self.batch = self._address("vv.batch")
            self.entry = self._address("vv.entry")
            bind = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._address("vv.bind"))
        bind(ctypes.addressof(table.addresses()))

    def _address(self, name: str) -> int:
        return int(self._engine.get_function_address(name))

    def __del__(self) -> None:
        engine = getattr(self, "_engine", None)
        if engine is not None and not sys.is_finalizing():
            with LOCK:
                engine.close()


def _engine(code: bytes) -> Any:
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine(host()))
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def _emitted(text: str, cpu: Cpu, emit: str) -> Any:
    machine = target_machine(cpu)
    return getattr(machine, emit)(_optimised(text, machine))


def _optimised(text: str, machine: Any) -> Any:
    module = llvm.parse_assembly(text)
    options = llvm.create_pipeline_tuning_options(speed_level=LEVEL)
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
    builder = llvm.create_pass_builder(machine, options)
    passes = builder.getModulePassManager()
    passes.run(module, builder)
    # ObjectRef.close finds the wrong _dispose here and would leak the passes
    NewPassManager._dispose(passes)
    passes.detach()
    return module


@cache
def _initialise() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def target_machine(cpu: Cpu) -> Any:
    """LLVM's code generator for a processor."""
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
