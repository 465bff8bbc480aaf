"""Write the tables of docs/speed.md, and the one of the README, from what `make bench` measured.

python tools/benchmark_page.py [benchmarks/results/latest.json]

Figures are kept in docs/benchmarks.json, run by run with its machine. A whole run takes the place
of all others; a part (`python -m benchmarks loading`, only-loading.json) of what it measured anew.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DATA, PAGE = ROOT / "docs" / "benchmarks.json", ROOT / "docs" / "speed.md"
README = ROOT / "README.md"
LATEST = ROOT / "benchmarks" / "results" / "latest.json"
PLACE = re.compile(r"(?<=<!-- measured -->\n).*?(?=<!-- end -->)", re.S)
SUMMARY = re.compile(r"(?<=<!-- summary -->\n).*?(?=<!-- end -->)", re.S)

Run = Mapping[str, Any]


@dataclass(frozen=True)
class Headline:
    """A row of the summary: what a reader calls it, and the measured row that it is."""

    label: str
    what: str
    peer: str


HEADLINES = (
    Headline(
        "inverse dynamics, UR5, a batch", "inverse dynamics, UR5", "pin.rneaInParallel, 1 thread"
    ),
    Headline(
        "forward dynamics, Solo12, a batch",
        "forward dynamics, Solo12",
        "pin.abaInParallel, 1 thread",
    ),
    Headline(
        "its derivatives, Talos",
        "∂(forward dynamics)/∂(q, v), Talos",
        "pin.computeABADerivatives, looped",
    ),
    Headline("inverse dynamics, UR5, one call", "inverse dynamics, UR5, one call", "pin.rnea"),
    Headline("one step, UR5, one call", "one step, UR5", "mj_step"),
    Headline("all inverse kinematics, UR5", "UR5, all branches", "EAIK"),
    Headline("one step of 4096 robots, UR5", "4096 rows, UR5", "mujoco.rollout"),
    Headline(
        "a step of 64 cart-poles to learn from",
        "a step of 64 cart-poles",
        "CartPole-v1, vectorised",
    ),
    Headline(
        "a four-bar linkage",
        "accelerations, four-bar closed by a revolute joint",
        "pin.constraintDynamics, looped",
    ),
    Headline(
        "M, C and g of a planar 3R, as formulas",
        "M, C and g of a planar 3R",
        "LagrangesMethod, simplify",
    ),
)
README_ROWS = 6  # of these: the README is short


def merged(runs: Sequence[Run], new: Run, whole: bool) -> list[Run]:
    """All runs, the new one first, without what it measured anew."""
    again = {row["benchmark"] for row in new["rows"]}
    kept = []
    for run in () if whole else runs:
        rows = [row for row in run["rows"] if row["benchmark"] not in again]
        kept += [{**run, "rows": rows}] if rows else []
    return [new, *kept]


def summary(runs: Sequence[Run], headlines: Sequence[Headline]) -> str:
    """Those rows that were measured, and on which machine."""
    from benchmarks.harness import in_words

    measured = {
        (row["what"], row["peer"]): (row, run) for run in reversed(runs) for row in run["rows"]
    }
    lines = ["| | visviva | peer | | faster |", "|---|--:|---|--:|--:|"]
    processors: dict[str, None] = {}
    for x in headlines:
        row, run = measured.get((x.what, x.peer), (None, None))
        if row is None or not row["ratio"]:
            continue
        ours, theirs = in_words(row["ours"]), in_words(row["theirs"])
        lines += [f"| {x.label} | {ours} | {x.peer} | {theirs} | {_times(row['ratio'])} |"]
        processors[run["machine"]["processor"]] = None
    return "\n".join([*lines, "", f"One core of {' and '.join(processors)}.", ""])


def tables(runs: Sequence[Run]) -> str:
    """What stands on the page: floors met, then a table for every benchmark of every run."""
    from benchmarks.harness import Row, markdown

    rows = [row for run in runs for row in run["rows"]]
    verdicts = [(row["what"], _row(Row, row).verdict) for row in rows]
    wanted = [(what, verdict) for what, verdict in verdicts if verdict]
    short = list(dict.fromkeys(what for what, verdict in wanted if verdict != "yes"))
    met = sum(verdict == "yes" for _, verdict in wanted)
    lines = [
        f"{met} of {len(wanted)} floors and ceilings are met; ratios are those of one run each."
    ]
    lines += [f"Short of it: {'; '.join(short)}."] if short else []
    for run in runs:
        lines += ["", "### " + _heading(run), "", _machine(run), ""]
        for title, part in groupby(run["rows"], key=lambda row: row["title"]):
            lines += [f"**{title}**", ""] if title else []
            lines += [markdown([_row(Row, row) for row in part])]
    return "\n".join(lines) + "\n"


def _times(ratio: float) -> str:
    return f"{float(f'{ratio:.2g}'):g}×"


def _row(kind: Any, row: Mapping[str, Any]) -> Any:
    return kind(
        **{name: value for name, value in row.items() if name not in ("benchmark", "title")}
    )


def _heading(run: Run) -> str:
    names = list(dict.fromkeys(row["benchmark"] for row in run["rows"] if row["benchmark"]))
    day = f", {run['day']}" if run["day"] else ""
    return (f"{', '.join(names)}" if 0 < len(names) < 4 else "One run") + day


def _machine(run: Run) -> str:
    return ", ".join(_words(run["machine"])) + "."


def _words(machine: Mapping[str, str]) -> Iterator[str]:
    for name, value in machine.items():
        if value != "absent":
            yield f"{name} {value}"


def main(path: str | Path = LATEST) -> None:
    """Take figures over, and write the page."""
    sys.path.insert(0, str(ROOT))
    runs = json.loads(DATA.read_text(encoding="utf-8"))["runs"]
    if Path(path).exists():
        new = json.loads(Path(path).read_text(encoding="utf-8"))
        runs = merged(runs, new, whole=not Path(path).stem.startswith("only-"))
        text = json.dumps({"runs": runs}, indent=1, ensure_ascii=False) + "\n"
        DATA.write_text(text, encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    page = PLACE.sub(lambda _: "\n" + tables(runs) + "\n", page)
    page = SUMMARY.sub(lambda _: "\n" + summary(runs, HEADLINES) + "\n", page, count=1)
    PAGE.write_text(page, encoding="utf-8")
    text = README.read_text(encoding="utf-8")
    text = SUMMARY.sub(lambda _: summary(runs, HEADLINES[:README_ROWS]), text, count=1)
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:2])
