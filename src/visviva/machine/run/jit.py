"""LLVM at work: text to object code."""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import Any

import llvmlite.binding as llvm
from llvmlite.binding.newpassmanagers import NewPassManager

from visviva.machine.code.cpu import Cpu, host

LEVEL = 1  # of the code generator; straight-line code gains nothing from more, compiles slower

# What the loops around a program gain from: the counts and tables of its ports become constants,
# loops of a few turns are written out. LLVM's own first level runs as fast and takes twice as long.
PASSES = (
    "always_inliner",
    "ipsccp",
    "dead_arg_elimination",
    "global_opt",
    "simplify_cfg",
    "loop_rotate",
    "loop_unroll",
    "instruction_combine",
    "simplify_cfg",
)

# One thread is inside LLVM at a time, from making its objects to disposing of them, and nobody
# forks meanwhile: the child would inherit a lock that no thread of its own can release.
LOCK = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release
    )


def object_code(text: str, cpu: Cpu, model: str, level: int | None = None) -> bytes:
    """Compile a module; the code model says how far it is from what it refers to."""
    with LOCK:
        machine = target_machine(cpu, model, level)
        return bytes(machine.emit_object(_optimised(text, machine)))


def assembly(text: str) -> str:
    """The machine code of a module for this machine, as text for people."""
    with LOCK:
        machine = target_machine(host(), "small" if host().has_images else "jitdefault")
        return str(machine.emit_assembly(_optimised(text, machine)))


class Engine:
    """LLVM's own loader with an object in it, for the platforms where we have none.

    Its code is unmapped by `dispose`, and by nothing else.
    """

    def __init__(self, content: bytes) -> None:
        machine = target_machine(host())
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(content))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Where a function of the object stands."""
        return int(self._engine.get_function_address(name))

    def dispose(self) -> None:
        """Unmap the code; under the lock."""
        self._engine.close()


def _optimised(text: str, machine: Any) -> Any:
    module = llvm.parse_assembly(text)
    # options are for LLVM's own lists of passes, of which none is run
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
    passes = llvm.create_new_module_pass_manager()
    for name in PASSES:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, builder)
    # ObjectRef.close finds the wrong _dispose here and would leak the passes
    NewPassManager._dispose(passes)
    passes.detach()
    return module


@cache
def _initialise() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def target_machine(cpu: Cpu, model: str = "jitdefault", level: int | None = None) -> Any:
    """LLVM's code generator for a processor, at a level (`LEVEL`).

    The code model says how far references reach.
    """
    _initialise()
    target = llvm.Target.from_triple(cpu.triple)
    return target.create_target_machine(
        cpu=cpu.name,
        features=cpu.features,
        opt=LEVEL if level is None else level,
        jit=True,
        reloc="pic",
        codemodel=model,
    )
