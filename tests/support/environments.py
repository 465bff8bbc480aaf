"""Environments of their own, without a network: what is installed here, linked there."""

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path


def environment(folder, requirements):
    """A new environment with some distributions and what they need: its Python, its packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (site,) = folder.glob("lib/python3*/site-packages")
    link(site, requirements)
    return folder / "bin" / "python", site


def link(site, requirements):
    """Add distributions, with what they need, to the packages of an environment."""
    for one in _closure([re.match(r"[\w.-]+", x)[0] for x in requirements]):
        for top in {Path(file).parts[0] for file in one.files} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(one.locate_file(top))


def _closure(names):
    """Distributions with all that they need, as this environment has them."""
    seen, todo = {}, list(names)
    while todo:
        name = todo.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in seen:
            continue
        try:
            seen[key] = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # it is for other systems or versions
        lines = [x for x in seen[key].requires or () if "extra ==" not in x]
        todo += [re.match(r"[\w.-]+", x)[0] for x in lines]
    return seen.values()
