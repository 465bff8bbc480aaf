"""Style, types, the wheel, and the promises of the repository's files."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command):
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_lint():
    run("ruff", "check", ".")


def test_format():
    run("ruff", "format", "--check", ".")


def test_types():
    run("mypy")


def test_the_wheel_is_pure_python(tmp_path):
    pip = ["pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    run(*pip, "--no-build-isolation", "-w", str(tmp_path), ".")
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "visviva/__init__.py" in names
    assert all(n.startswith("visviva") for n in names)


def test_the_constraints_pin_versions_and_name_no_registry():
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert re.fullmatch(r"#.*|[A-Za-z0-9_.-]+==[A-Za-z0-9_.+!-]+", line), line


@pytest.mark.parametrize("target", ["study", "test", "soak", "bench", "docs"])
def test_make_has_the_targets(target):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M)
