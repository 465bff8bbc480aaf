"""Equations as people write them: found in public lecture notes, papers, forums and programs.

`wild_claims.json` has each text as it was found, the system that it is about, and whether it is
true of that system by a derivation of its own at 40 digits. Reading all of them is not asked here,
but what is said of those that are read has to be right.
"""

import json
from functools import cache
from pathlib import Path

import pytest

import visviva as vv
from visviva.errors import VisvivaError

FOUND = json.loads(Path(__file__).with_name("wild_claims.json").read_text(encoding="utf-8"))
CLAIMS = {claim["id"]: claim for claim in FOUND["claims"]}
TRUE, FALSE = ("identical", "identical if"), ("differs",)


@cache
def system(name):
    stated = dict(FOUND["systems"][name])
    if "catalog" in stated:
        return vv.catalog.build(stated["catalog"])
    names = stated.pop("parameters")
    values = {name: 1.5 + k / 8 for k, name in enumerate(names)}
    return vv.Lagrangian(**stated, parameters=values, name=name)


def status(claim):
    """The status of a claim; None for one that is not read."""
    try:
        return system(claim["system"]).check(claim["claim"]).status
    except VisvivaError:
        return None


@pytest.mark.parametrize("name", CLAIMS)
def test_what_is_said_of_a_claim_is_right(name):
    claim = CLAIMS[name]
    said = status(claim)
    if name in FOUND["read"]:
        assert said is not None, "this one was read before"
    if said is not None:
        assert said in (TRUE if claim["true"] else FALSE)


def test_the_claims_are_all_there():
    assert len(CLAIMS) == len(FOUND["claims"]) == 84
    assert len(FOUND["read"]) == len(set(FOUND["read"])) == 29
    assert set(FOUND["read"]) <= set(CLAIMS)
