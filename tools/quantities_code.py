"""Write the methods of quantities into `System`, `Model` and `Lagrangian`, from their table.

    python tools/quantities_code.py            # write them
    python tools/quantities_code.py --check    # exit code 1 if a file is not as it would be written

A quantity of bodies and of energies becomes a method of `System`, one of bodies alone of `Model`,
one of energies alone of `Lagrangian`.
"""

import argparse
import ast
import sys
import textwrap
from pathlib import Path

from visviva.describe.quantities import FUNCTIONS, Quantity

DESCRIBE = Path(__file__).parents[1] / "src" / "visviva" / "describe"
START = "    # ---- quantities: written by tools/quantities_code.py from quantities.py\n"
END = "    # ---- end of quantities\n"
FILES = {  # (is it stated for bodies, and for energies): the file of its method
    (True, True): "system.py",
    (True, False): "model/model.py",
    (False, True): "energies/lagrangian.py",
}
OF_SYSTEM = """
    @cached_property
    def {name}(self) -> {result}:
{doc}
        return self.function("{name}")
"""
OF_SYSTEM_SEVERAL = """
    @cached_property
    def {name}(self) -> {result}:
{doc}
        {name}: Function[Any] = self.function("{name}")
        return {name}
"""
OF_FRAME = """
    def {name}(self, frame: str) -> {result}:
{doc}
        return self.function_of_frame("{name}", frame)
"""
OF_POINT = """
    def {name}(
        self, frame: str, reference: str = "world", point: ArrayLike | None = None
    ) -> {result}:
{doc}
        return self.function_of_frame("{name}", frame, reference, point)
"""
METHODS = {"": OF_SYSTEM, "frame": OF_FRAME, "point": OF_POINT}  # by what a row is about


def method(row: Quantity) -> str:
    """The method of one row."""
    text = OF_SYSTEM_SEVERAL if " " in row.symbol and not row.about else METHODS[row.about]
    return text.format(name=row.name, result=result(row), doc=docstring(row))


def result(row: Quantity) -> str:
    """The type of the function: it gives one array, or a tuple of several."""
    count = len(row.symbol.split())
    several = ", ".join(["FloatArray"] * count)
    return "Function" if count == 1 else f"Function[tuple[{several}]]"


def docstring(row: Quantity) -> str:
    """One line if all of it fits, else the first line, what follows, and the inputs."""
    inputs = "" if row.about else f"A function of {', '.join(row.inputs.split())}."
    first, _, rest = row.doc.strip().partition("\n\n")
    line = f'"""{first} {inputs}'.rstrip() + '"""'
    if not rest and len(line) <= 92:
        return textwrap.indent(line, " " * 8)
    paragraphs = [x for x in (f'"""{first}', textwrap.fill(rest, 92), inputs) if x]
    return textwrap.indent("\n\n".join(paragraphs) + '\n"""', " " * 8)


def names_by_hand() -> dict[str, str]:
    """What the classes define outside of the marks: the name, and the file."""
    names = {}
    for file in FILES.values():
        before, _, behind = divided(file)
        classes = [x for x in ast.parse(before + behind).body if isinstance(x, ast.ClassDef)]
        for x in (x for kind in classes for x in kind.body):
            if isinstance(x, ast.FunctionDef):
                names[x.name] = file
            elif isinstance(x, ast.Assign | ast.AnnAssign):
                targets = [x.target] if isinstance(x, ast.AnnAssign) else x.targets
                names |= {t.id: file for t in targets if isinstance(t, ast.Name)}
    return names


def divided(file: str) -> tuple[str, str, str]:
    """The text of a file before the methods, these, and behind them."""
    before, _, rest = (DESCRIBE / file).read_text(encoding="utf-8").partition(START)
    methods, _, behind = rest.partition(END)
    return before, methods, behind


def written(file: str) -> str:
    """The text of a file with the methods of its rows between the marks."""
    before, _, behind = divided(file)
    rows = [x for x in FUNCTIONS.values() if FILES[bool(x.bodies), bool(x.energies)] == file]
    return f"{before}{START}{''.join(map(method, rows))}\n{END}{behind}"


def main() -> int:
    """Write or check; the exit code."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("--check", action="store_true", help="write nothing")
    is_check = parser.parse_args().check
    for name, file in names_by_hand().items():
        if name in FUNCTIONS:
            parser.error(f"{file} has {name!r} by hand: the row needs another name")
    stale = [x for x in FILES.values() if written(x) != (DESCRIBE / x).read_text(encoding="utf-8")]
    for file in stale:
        print(f"{file}: {'is not as it would be written' if is_check else 'written'}")
        if not is_check:
            (DESCRIBE / file).write_text(written(file), encoding="utf-8")
    return int(is_check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
