"""The processor that code is made for."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm


@dataclass(frozen=True, slots=True)
class Cpu:
    """A processor: triple, name and features as LLVM spells them, and what follows for us."""

    triple: str
    name: str
    features: str

    def has(self, feature: str) -> bool:
        """Whether it has a feature, "avx2" say."""
        return f"+{feature}" in self.features.split(",")

    @property
    def lanes(self) -> int:
        """How many doubles a vector register holds: rows of a batch that are computed together."""
        return 8 if self.has("avx512f") else 4 if self.has("avx") else 2

    @property
    def has_fma(self) -> bool:
        """Whether it computes a b + c with one rounding."""
        return (
            self.has("fma") or self.has("avx512f") or self.triple.startswith(("aarch64", "arm64"))
        )

    @property
    def spreads_constants(self) -> bool:
        """Whether a constant in all lanes takes it an instruction: with AVX, and before AVX-512."""
        return self.has("avx") and not self.has("avx512f")

    @property
    def has_images(self) -> bool:
        """Whether its objects become images, which `memory` places."""
        return self.triple.startswith("x86_64") and "linux" in self.triple and not is_plain()


@cache
def is_plain() -> bool:
    """Whether `VISVIVA_PLAIN` asks for what is the same on all platforms, however slow."""
    return os.environ.get("VISVIVA_PLAIN", "0") not in ("0", "off", "")


@cache
def lanes_here() -> int:
    """The lanes of this machine."""
    return host().lanes


@cache
def host() -> Cpu:
    """The processor of this machine, asked of LLVM once."""
    features = llvm.get_host_cpu_features().flatten()
    return Cpu(llvm.get_process_triple(), llvm.get_host_cpu_name(), features)
