"""The processor that code is made for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm


@dataclass(frozen=True, slots=True)
class Cpu:
    """Name and features as LLVM spells them, and what follows for us."""

    triple: str
    name: str
    features: str

    def has(self, feature: str) -> bool:
        return f"+{feature}" in self.features.split(",")

    @property
    def lanes(self) -> int:
        """Doubles in a vector register."""
        return 8 if self.has("avx512f") else 4 if self.has("avx") else 2

    @property
    def has_fma(self) -> bool:
        return (
            self.has("fma") or self.has("avx512f") or self.triple.startswith(("aarch64", "arm64"))
        )

    @property
    def has_images(self) -> bool:
        """Whether its objects become images, which `memory` places."""
        return self.triple.startswith("x86_64") and "linux" in self.triple


@cache
def host() -> Cpu:
    """This machine's processor."""
    features = llvm.get_host_cpu_features().flatten()
    return Cpu(llvm.get_process_triple(), llvm.get_host_cpu_name(), features)
