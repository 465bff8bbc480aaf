"""The project's address: one value, `Homepage` in pyproject.toml, and the lines made from it.

python tools/address.py           writes them anew
python tools/address.py --check   names those that differ, and ends with 1
"""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
MADE = {  # by file: lines that begin as it says before {}, and are as it says
    "pyproject.toml": (
        'Source = "{}"',
        'Issues = "{}/issues"',
        'Changelog = "{}/blob/main/CHANGELOG.md"',
    ),
    "mkdocs.yml": ("repo_url: {}",),
    "CITATION.cff": ("repository-code: {}",),
    "recipe/recipe.yaml": (
        "  url: {}/archive/refs/tags/v${{{{ version }}}}.tar.gz",
        "  homepage: {}",
        "  repository: {}",
    ),
}


def address() -> str:
    """The one value."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        text: str = tomllib.load(file)["project"]["urls"]["Homepage"]
    return text


def rewritten(name: str, value: str) -> str:
    """A file with its lines as they follow from an address."""
    lines = (ROOT / name).read_text(encoding="utf-8").split("\n")
    for pattern in MADE[name]:
        start = pattern.partition("{}")[0]
        (k,) = (k for k, line in enumerate(lines) if line.startswith(start))
        lines[k] = pattern.format(value)
    return "\n".join(lines)


def main() -> int:
    """Write, or compare."""
    texts = {name: rewritten(name, address()) for name in MADE}
    old = [x for x in MADE if texts[x] != (ROOT / x).read_text(encoding="utf-8")]
    for name in old:
        print(name)
        if "--check" not in sys.argv:
            (ROOT / name).write_text(texts[name], encoding="utf-8")
    return int(bool(old) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
