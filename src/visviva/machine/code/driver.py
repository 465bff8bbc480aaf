"""A way to run a kernel: a function of the module that moves numbers and calls the blocks.

A kernel is the program's blocks, functions `@vv.block0(ptr %buffer)`, ... over the work buffer that
`Layout` describes. What calls them is a driver: one class for its LLVM text, its symbol and how
Python calls it. A module has a list of drivers; one may use what stands before it in the list.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from visviva.machine.program.blocks import Layout


@dataclass(frozen=True)
class Driver(ABC):
    """One such function; what its text depends on besides the program are fields of it.

    Its `repr` names it in the disk cache.
    """

    symbol: ClassVar[str]  # the function's name in the module, "vv.…"
    asks_conditions: ClassVar[bool] = False  # calls `@vv.watch` after the blocks of its kernel
    prototype: ClassVar[Any] = None  # its type for ctypes; None: callers want the address

    @abstractmethod
    def text(self, layout: Layout, lanes: int) -> str:
        """LLVM text that defines the symbol, for a kernel of `lanes` doubles in a vector."""

    def functions(self, lanes: int) -> Sequence[str]:
        """Definitions that its text relies on, each the same for all programs."""
        return ()

    def kernel_lanes(self, layout: Layout, lanes: int) -> int:
        """How wide the kernel is that it calls; there is one of each width that drivers want."""
        return lanes

    def handed_on(self, layout: Layout) -> Sequence[tuple[int, int]]:
        """Values that the last block stores besides, and the places of the work buffer for them."""
        return ()

    def inlines(self, layout: Layout) -> bool:
        """Whether the kernel runs so often that sines and cosines are worth compiling in place."""
        return False

    def call(self, address: int) -> Any:
        """What Python calls, where the function stands at an address."""
        return address if self.prototype is None else self.prototype(address)


def block_calls(layout: Layout, prefix: str = "vv") -> list[str]:
    """Calls of all blocks of a kernel, in order, on the work buffer `%buffer`."""
    return [f"call void @{prefix}.block{b}(ptr %buffer)" for b, _ in enumerate(layout.blocks)]


def kernel_prefix(lanes: int, widest: int) -> str:
    """What the names of a kernel begin with: the batch's, or another width's."""
    return "vv" if lanes == widest else f"vv.lanes{lanes}"
