"""Write `describe/answers.pyi`, which tells type checkers what the table of quantities has.

python tools/stubs.py
"""

from pathlib import Path

from visviva.describe.quantities import BODIES, ENERGIES, FUNCTIONS

PATH = Path(__file__).parents[1] / "src" / "visviva" / "describe" / "answers.pyi"
HEAD = """# written by tools/stubs.py from the table of quantities
from collections.abc import Sequence
from typing import Any

from visviva.describe.quantities import Quantity
from visviva.machine.function import Function

class Answer:
    row: Quantity
    def __init__(self, row: Quantity) -> None: ...
    def __get__(self, system: Any, owner: type) -> Any: ...
    def described(self) -> Any: ...

def answers(column: str) -> dict[str, Answer]: ...
def take_names(kind: type) -> None: ...
"""
METHODS = {
    "frame": "    def {name}(self, frame: str) -> Function: ...\n",
    "point": (
        "    def {name}(\n"
        '        self, frame: str, reference: str = "world", point: Sequence[float] | Any = None\n'
        "    ) -> Function: ...\n"
    ),
}


def stub() -> str:
    """The text of the stub."""
    text = HEAD
    for kind, column in (("OfBodies", BODIES), ("OfEnergies", ENERGIES)):
        text += f"\nclass {kind}:\n"
        rows = [row for row in FUNCTIONS.values() if getattr(row, column)]
        for row in sorted(rows, key=lambda row: bool(row.about)):
            if row.about:
                text += METHODS[row.about].format(name=row.name)
            else:
                text += f"    @property\n    def {row.name}(self) -> Function: ...\n"
    return text


if __name__ == "__main__":
    PATH.write_text(stub(), encoding="utf-8")
