"""How to get everything of a study again: lines of Python, versions, the mechanism as a file."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory

from visviva.describe.load import save
from visviva.describe.values import digest
from visviva.errors import VisvivaError
from visviva.show.page.parts import code, fold, table
from visviva.show.study.part import Part, paragraph
from visviva.show.study.sections.speed import where_measured
from visviva.show.study.studied import Studied

_PACKAGES = ("visviva", "numpy", "scipy", "sympy", "python-flint", "llvmlite", "plotly")
_LARGEST = 300_000  # characters of a file in the page


def again(s: Studied, before: Sequence[Part]) -> Part:
    """All lines of the sections together, what they were run with, and the mechanism itself."""
    program = list(s.opening)
    for part in before:
        if part.lines:
            program += ["", f"# {part.heading}", *part.lines]
    html = code("\n".join(program))
    own = _file(s)
    if own:
        called = f"{s.file_name}.toml"
        html += fold(
            f"The mechanism as a file, {called}",
            paragraph(f"vv.load({called!r}) reads it; so does the command visviva study {called}.")
            + code(own, "TOML"),
        )
    rows = [[name, _version(name)] for name in _PACKAGES]
    rows += [["Python", platform.python_version()], ["machine", where_measured()]]
    mark = digest(s.system)
    if mark:
        rows.append(["digest of the mechanism", mark])
    html += fold("Versions", table(["", ""], rows))
    lead = "Every number of this page comes from these lines; run them, change them."
    return Part(lead, html, data={"digest": mark or "", "program": program})


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed as a package"


def _file(s: Studied) -> str:
    """The mechanism in TOML; nothing if that cannot state it, or only at great length."""
    try:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "mechanism.toml"
            save(s.system, path)
            text = path.read_text(encoding="utf-8")
    except (VisvivaError, OSError):
        return ""
    return text if len(text) <= _LARGEST else ""
