"""Another file of tools/ by its name, wherever the one that asks is run from."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def tool(name: str) -> ModuleType:
    """The module, one for all who ask: what it has executed is kept."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
        if spec is None or spec.loader is None:
            raise SystemExit(f"tools/{name}.py cannot be read")
        made = importlib.util.module_from_spec(spec)
        sys.modules[name] = made
        spec.loader.exec_module(made)
    return sys.modules[name]
