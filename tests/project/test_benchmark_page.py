"""The page on speed is what the last figures say; a part of the benchmarks replaces its rows."""

import importlib.util
import json
from pathlib import Path

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location(
    "benchmark_page", ROOT / "tools" / "benchmark_page.py"
)
tool = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tool)


def run(day, *benchmarks, ratio=2.0):
    rows = [
        {"what": name, "ours": 1e-6, "peer": "peer", "theirs": 1e-6 * ratio, "ratio": ratio}
        | {"meaning": "peer / ours", "wanted": ">= 1.5", "benchmark": name, "title": f"Of {name}."}
        for name in benchmarks
    ]
    return {"machine": {"processor": "P", "jax": "absent"}, "day": day, "rows": rows}


def test_the_page_shows_the_figures_that_are_kept():
    runs = json.loads((ROOT / "docs" / "benchmarks.json").read_text(encoding="utf-8"))["runs"]
    page = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8")
    assert tool.PLACE.search(page)[0].strip() == tool.tables(runs).strip()


def test_a_part_replaces_its_own_rows_and_a_whole_run_all():
    old = [run("2026-01-01", "loading", "check")]
    part = tool.merged(old, run("2026-02-02", "check"), whole=False)
    assert [[row["benchmark"] for row in r["rows"]] for r in part] == [["check"], ["loading"]]
    assert tool.merged(old, run("2026-02-02", "check"), whole=True) == [run("2026-02-02", "check")]


def test_what_falls_short_is_said():
    text = tool.tables([run("2026-01-01", "loading"), run("2026-01-02", "check", ratio=1.0)])
    assert "1 of 2 floors and ceilings are met" in text
    assert "Short of it: check." in text
    assert "### loading, 2026-01-01\n\nprocessor P.\n\n**Of loading.**" in text


def test_the_summary_is_of_what_was_measured():
    runs = json.loads((ROOT / "docs" / "benchmarks.json").read_text(encoding="utf-8"))["runs"]
    for path, headlines in (
        (ROOT / "docs" / "speed.md", tool.HEADLINES),
        (ROOT / "README.md", tool.HEADLINES[: tool.README_ROWS]),
    ):
        shown = tool.SUMMARY.search(path.read_text(encoding="utf-8"))[0]
        assert shown.strip() == tool.summary(runs, headlines).strip()
