"""Write docs/coverage.md: how much of the source the tests run, from the data of `make coverage`.

python tools/coverage_page.py [file.json]    # as `coverage json` writes it
"""

import json
import sys
from collections import Counter
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "coverage.md"
ROOMS = "algebra notation space describe equations machine judge solve".split()  # others follow
LEAST = 10  # files that are listed

HEAD = """# Coverage

`make coverage` runs the tests of `make test`, counts which statements of the source they run, and
writes this page. Programs that tests start (the command line, the reader of MJCF, what is killed on
purpose) are not counted.
"""


def page(report: Mapping[str, Any], day: str) -> str:
    statements: Counter[str] = Counter()
    covered: Counter[str] = Counter()
    shares = {}
    for path, said in report["files"].items():
        name = path.partition("src/visviva/")[2]
        room = name.partition("/")[0] if "/" in name else "doors"
        total = said["summary"]["num_statements"]
        for key in (room, ""):
            statements[key] += total
            covered[key] += said["summary"]["covered_lines"]
        if total:
            shares[name] = said["summary"]["covered_lines"] / total
    lines = [HEAD, f"**{covered[''] / statements['']:.1%}** of the statements on {day}:", ""]
    lines += ["| room | statements | run |", "|---|---|---|"]
    for room in dict.fromkeys([*ROOMS, *sorted(set(statements) - {"", "doors"}), "doors"]):
        if statements[room]:
            share = covered[room] / statements[room]
            lines.append(f"| {room} | {statements[room]} | {share:.1%} |")
    lines += ["", "The files of which least is run:", "", "| file | run |", "|---|---|"]
    least = sorted(shares.items(), key=lambda item: item[1])[:LEAST]
    lines += [f"| `{name}` | {share:.0%} |" for name, share in least]
    return "\n".join(lines) + "\n"


def main() -> None:
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "coverage.json"
    report = json.loads(where.read_text(encoding="utf-8"))
    PAGE.write_text(page(report, date.today().isoformat()), encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
