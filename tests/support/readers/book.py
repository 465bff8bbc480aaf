"""tools/book_pages.py and tools/book.py for the tests: the pages of docs/book/ and their data."""

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def _tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made  # one of each: what was executed is kept
    spec.loader.exec_module(made)
    return made


pages = _tool("book_pages")
book = _tool("book")
