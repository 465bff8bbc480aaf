"""tools/errata.py for the tests: what the data of docs/errata/ claim."""

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
_spec = importlib.util.spec_from_file_location("errata", ROOT / "tools" / "errata.py")
errata = importlib.util.module_from_spec(_spec)
sys.modules["errata"] = errata  # dataclasses look their module up
_spec.loader.exec_module(errata)


def of_row(row):
    """The erratum of a row."""
    return next(e for e in errata.errata() if e.row == row)


def gap(row, k=0):
    """truth - claim, by the verdict on the kth case that was made from a general formula."""
    case = [c for c in of_row(row).cases if c.general][k]
    verdict = case.verdict()
    return verdict.missing - verdict.extra
