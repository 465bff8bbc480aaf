"""Real URDF files with random edits load, or are refused by name."""

import cProfile
import random
import re

import numpy as np
import pytest
from lxml import etree

from tests.support.counts import count, progress
from tests.support.oracles.robots import ROBOTS, all_poses
from visviva.describe.files.urdf.read import load_urdf, loads_urdf
from visviva.describe.files.urdf.write import to_urdf
from visviva.errors import ReadError

CALLS_A_BYTE = 20  # of a file; real ones take two to six, and nothing may grow with its square
VALUES = ["", "nan", "inf", "1e400", "-1", "1e308", "1e29", "0 0 0", "${x}", "0", "1 2", "é"]
VALUES += ["a" * 5000, "..", "package://../../x", "base_link", "floating", "planar", "fixed"]


def mutated(data, rng):
    """A file with one to three random edits of bytes, attributes or elements."""
    for _ in range(rng.randint(1, 3)):
        kind = rng.choice(["bytes", *["attribute", "swap", "element"] * 3])
        if kind == "bytes":
            at = rng.randrange(len(data) + 1)
            new = bytes(rng.randrange(256) for _ in range(rng.randint(0, 3)))
            data = data[:at] + new + data[at + rng.choice([0, 1, 1, 50]) :]
        elif kind in ("attribute", "swap"):
            places = list(re.finditer(rb'(\w+)="([^"]*)"', data))
            if places:
                place = rng.choice(places)
                alike = [p[2] for p in places if p[1] == place[1]]
                new = rng.choice(VALUES).encode() if kind == "attribute" else rng.choice(alike)
                data = data[: place.start(2)] + new + data[place.end(2) :]
        else:
            data = with_other_elements(data, rng)
    return data


def with_other_elements(data, rng):
    try:
        root = etree.fromstring(data)
    except (etree.XMLSyntaxError, ValueError):
        return data
    elements = list(root.iter("{*}*"))[1:]
    if not elements:
        return data
    one, other = rng.choice(elements), rng.choice(elements)
    kind = rng.choice(["remove", "double", "rename", "move"])
    if kind == "remove":
        one.getparent().remove(one)
    elif kind == "double":
        one.addnext(etree.fromstring(etree.tostring(one, with_tail=False)))
    elif kind == "rename":
        one.tag = other.tag
    elif other not in one.iter():
        other.append(one)
    return etree.tostring(root)


def check_valid(model):
    """All that a model must answer."""
    q = model.random(0)
    assert q.shape == (model.nq,)
    for X in all_poses(model, q).values():
        assert np.isfinite(X).all()
    for b in model.bodies:
        assert np.isfinite(b.inertia.spatial()).all()
    assert repr(model)
    again = loads_urdf(to_urdf(model, lossy=True), mimic="couple")
    assert set(again.joint_names) == set(model.joint_names)


def attempt(path, options):
    """Whether it loads; if not, the message names the file."""
    try:
        model = load_urdf(path, **options)
    except ReadError as error:
        if path.name in str(error):
            return False
        raise
    check_valid(model)
    return True


def calls_made(profile):
    """How often anything was called: work that is the same on every machine."""
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.soak
def test_mutated_robots_load_or_are_refused(tmp_path):
    total = count(20, 5000)
    sources = [p.read_bytes() for p in ROBOTS]
    loaded, most = 0, 0.0
    path = tmp_path / "m.urdf"
    for seed in range(total):
        rng = random.Random(seed)
        data = mutated(rng.choice(sources), rng)
        path.write_bytes(data)
        base, mimic = rng.choice(["fixed", "free"]), rng.choice(["couple", "expand"])
        profile = cProfile.Profile()
        try:
            with profile:
                loaded += attempt(path, {"base": base, "mimic": mimic})
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error!r}") from error
        most = max(most, calls_made(profile) / (len(data) + 1000))
        assert most < CALLS_A_BYTE, f"seed {seed}: {most:.0f} calls for each byte"
        if seed % 500 == 499:
            progress(f"{seed + 1} of {total} mutations, {loaded} loaded, {most:.1f} calls a byte")
    assert 0.2 * total < loaded < 0.9 * total  # both outcomes are exercised
