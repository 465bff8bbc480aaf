"""`visviva study`: a page, its facts as data, claims judged; mistakes before the work."""

import json
from time import perf_counter

import pytest

from tests.cli.asking import ask


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("study")


def test_a_page_is_written_and_its_facts_are_data(folder, monkeypatch):
    monkeypatch.chdir(folder)
    claims = folder / "claims.txt"
    claims.write_text("tau2 = m r'' - m r theta'^2\ntau2 = m r''\n", encoding="utf-8")
    began = perf_counter()
    said = ask("study", "polar_point", "--claims", str(claims), "--json")
    assert said.code == 1, said  # a claim is wrong, as check has it
    facts = json.loads(said.out)
    sections = sum(x["seconds"] for x in facts["sections"])
    assert sections < facts["seconds"] <= perf_counter() - began  # all that passed
    assert facts["page"] == "polar_point-study.html"
    assert {"laboratory", "equations", "proof", "verdicts"} <= {x["id"] for x in facts["sections"]}
    page = (folder / "polar_point-study.html").read_text(encoding="utf-8")
    assert "connect-src 'none'" in page
    assert "Of 2 claims: 1 right, 1 wrong" in page


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("rp_arm", "-o", "report.pdf"), ".html"),
        (("rp_arm", "-o", "nowhere/report.html"), "there is no folder"),
        (("rp_arm", "--claims", "nowhere.toml"), "nowhere.toml"),
        (("rp_amr",), "rp_arm"),
        (("missing.urdf",), "missing.urdf"),
    ],
)
def test_mistakes_are_told_before_the_work(arguments, says, folder, monkeypatch):
    monkeypatch.chdir(folder)
    said = ask("study", *arguments)
    assert said.code in (1, 2)
    assert says in said.err
    assert len(said.err.strip().splitlines()) <= 2


def test_the_start_is_told_and_must_be_one(folder):
    said = ask("study", "rp_arm", "-o", str(folder / "arm.html"), "--start", "q3=1")
    assert said.code
    assert "q3" in said.err
