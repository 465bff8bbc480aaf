"""Write the methods of quantities into `System`, `Model` and `Lagrangian`, from their table.

python tools/quantities_code.py            # rewrite the blocks
python tools/quantities_code.py --check    # exit code 1 if one is not what would be written
"""

import re
import sys
import textwrap
from pathlib import Path

from visviva.describe.quantities import FUNCTIONS, Quantity

DESCRIBE = Path(__file__).parents[1] / "src" / "visviva" / "describe"
START = "    # ---- quantities: written by tools/quantities_code.py from quantities.py\n"
END = "    # ---- end of quantities\n"
OWNERS = {  # file: whether a row is its own
    "system.py": lambda row: bool(row.bodies) and bool(row.energies),
    "model/model.py": lambda row: bool(row.bodies) and not row.energies,
    "energies/lagrangian.py": lambda row: bool(row.energies) and not row.bodies,
}
PLAIN = """    @cached_property
    def {name}(self) -> Function:
        {doc}
        return self.function("{name}")
"""
OF_FRAME = """    def {name}(self, frame: str) -> Function:
        {doc}
        return self.function_of_frame("{name}", frame)
"""
OF_POINT = """    def {name}(
        self, frame: str, reference: str = "world", point: Sequence[float] | Any = None
    ) -> Function:
        {doc}
        return self.function_of_frame("{name}", frame, reference, point)
"""


def method(row: Quantity) -> str:
    """The method of one row."""
    shape = {"": PLAIN, "frame": OF_FRAME, "point": OF_POINT}[row.about]
    takes = "" if row.about else f" A function of {', '.join(row.inputs.split())}."
    return shape.format(name=row.name, doc=docstring(row.doc.strip(), takes))


def docstring(doc: str, takes: str) -> str:
    """One line if it fits, else the first sentence, the others wrapped, and what it takes."""
    if "\n" not in doc and len(doc + takes) <= 86:
        return f'"""{doc}{takes}"""'
    first, _, rest = doc.partition("\n") if "\n" in doc else re.sub(
        r"(?<=[.;]) ", "\n", doc, count=1
    ).partition("\n")  # fmt: skip
    if first.endswith(";"):
        first, rest = first[:-1] + ".", rest[:1].upper() + rest[1:]
    body = [*textwrap.wrap(" ".join(rest.split()), 92)]
    end = [takes.strip()] if takes else []
    lines = [first, "", *body, *([""] if body and end else []), *end]
    indented = [f"        {x}" if x else "" for x in lines[1:]]
    return '"""' + "\n".join([first, *indented, '        """'])


def block(file: str) -> str:
    """All methods of a file."""
    rows = [row for row in FUNCTIONS.values() if OWNERS[file](row)]
    return START + "\n" + "\n".join(map(method, rows)) + "\n" + END


def main() -> int:
    """Write or check."""
    stale = 0
    for file in OWNERS:
        path = DESCRIBE / file
        text = path.read_text(encoding="utf-8")
        start, end = text.index(START), text.index(END) + len(END)
        new = text[:start] + block(file) + text[end:]
        stale += new != text
        if "--check" not in sys.argv:
            path.write_text(new, encoding="utf-8")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
