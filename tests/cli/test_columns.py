"""Columns of a class's sheet: what their heads ask for, what their cells claim, what is told."""

import csv
import json

import pytest

import visviva as vv
from tests.cli.asking import ask
from visviva.judge.check.answers.heads import head_of
from visviva.judge.check.files import load_claims, verdicts
from visviva.judge.check.sheets import answer


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


GOOD = "I2 + m2 r2^2"


@pytest.mark.parametrize(
    ("header", "asked"),
    [
        ("Question 2: M12", "M12"),
        ("Q2 - M12", "M12"),
        ("Response 2: M12 (2 points)", "M12"),
        ("M12 = ?", "M12"),
        ("What is M12?", "M12"),
        ("M12 (2 points)", "M12"),
        ("b) M12 [kg m^2]", "M12"),
        ("$M_{12}$", "M_{12}"),
        ("M₁₂", "M₁₂"),
        ("mass matrix", "mass_matrix"),
        ("Mass matrix M", "mass_matrix"),
        ("mass matrix entry M12", "M12"),
        ("torque 2", "tau2"),
        ("Joint torque τ2", "τ2"),
        ("claim: M12", "M12"),
        ("Q2", ""),
        ("2", ""),
        ("part b", ""),
        ("answer 2", ""),
        ("Your answer", ""),
        ("weight of link 2", ""),
    ],
)
def test_no_column_of_answers_vanishes(tmp_path, header, asked):
    """Whatever is in the cells: its head says what a column is."""
    for cell in ("I2", "M12 = I2", ""):
        text = f"name,M22,{header}\nAda,{GOOD},{cell}\n"
        claims = load_claims(written(tmp_path / "a.csv", text)).claims
        own = f"{asked} = {cell}" if asked and cell == "I2" else cell
        assert claims == {"Ada, M22": f"M22 = {GOOD}", f"Ada, {header}": own}
        assert ask("check", "two_link", "--file", tmp_path / "a.csv").code == 1


@pytest.mark.parametrize("head", ["-M12", "M11, M12", "sport", "Question"])
def test_a_head_that_names_no_quantity_is_none(tmp_path, head):
    assert head_of(head).asked == ""
    text = f'name,M22,"{head}"\nAda,{GOOD},M12 = I2\n'
    claims = load_claims(written(tmp_path / "a.csv", text)).claims
    assert f"Ada, {head}" not in claims


def test_columns_that_are_not_judged_are_told(tmp_path):
    """One that looks like answers is no silence; others stand in a line, and in what is saved."""
    text = f"name,M22,sport,Group,colour\nAda,{GOOD},M12 = I2,1,red\n"
    saved = tmp_path / "v.json"
    answer = ask("check", "two_link", "--file", written(tmp_path / "a.csv", text), "--save", saved)
    assert answer.code == 1
    assert "column sport  unreadable  this column is not judged, and looks like" in answer.out
    assert "columns not judged: Group, colour" in answer.out.splitlines()
    data = json.loads(saved.read_text(encoding="utf-8"))
    assert [x["status"] for x in data] == ["identical", "unreadable", "not judged"]
    assert data[2]["notes"] == ["Group, colour"]
    others = f"name,M22,Comment,Right answer\nAda,{GOOD},M12 = I2,M12 = 0\n"  # not the students'
    assert ask("check", "two_link", "--file", written(tmp_path / "c.csv", others)).code == 0
    text_in = others.replace("Comment", "Online text")
    assert ask("check", "two_link", "--file", written(tmp_path / "d.csv", text_in)).code == 1
    harmless = written(tmp_path / "b.csv", text.replace("M12 = I2", "chess"))
    answer = ask("check", "two_link", "--file", harmless)
    assert (answer.code, answer.out) == (
        0,
        "Ada  identical\n\ncolumns not judged: sport, Group, colour\n",
    )


@pytest.mark.parametrize(
    ("cell", "status"),
    [
        ("h = m2 r2^2; I2 + h", "identical"),
        ("h = m2 r2^2; I2 - h", "differs"),
        ("m2 = 0; I2", "identical if"),
        ('"I2 + h, h = m2 r2^2"', "identical"),
        ("I2 + h with h = m2 r2^2", "identical"),
        ("=I2+m2*r2^2", "identical"),
        ("'=I2+m2*r2^2", "identical"),
        ("= I2 = I2 + m2 r2^2", "differs"),
        ("=I2", "differs"),
        ('"M22 = I2\n + m2 r2^2"', "identical"),
        ('"I2\n + m2 r2^2"', "identical"),
        ('"M22 = I2 +\n m2 r2^2"', "identical"),
        ('"I2 +\n m2 r2^2"', "identical"),
        ('"h = m2 r2^2\nI2\n + h"', "identical"),
        ('"h = m2\n * r2^2; I2 + h"', "identical"),
        ('"M22 =\n I2 + m2 r2^2"', "identical"),
        ('"M22\n = I2 + m2 r2^2"', "identical"),
        ('"I2 + m2 r2^2\n = I2 + r2^2 m2"', "identical"),
        ('"I2\n + m2 r2^2 = M22"', "identical"),
        ('"M22 = I2\n - m2 r2^2"', "differs"),
        (r"M_{22} &= I_2 \\ &+ m_2 r_2^2", "identical"),
        (r"M_{22} = I_2 \; + \; m_2 r_2^2", "identical"),
        (r"I_2 \\ &\quad + m_2 r_2^2", "identical"),
        ("I2 + m2 r2^2 # with h = 3", "identical"),
        ("M22 = I2 + m2 r2^2 with r2 as in class", "unreadable"),
        ("I2; I2 + m2 r2^2", "unreadable"),
        ('"I2 + m2 r2^2\nI2"', "unreadable"),
        ('"h + m2\n + 1 = 3"', "unreadable"),
    ],
)
def test_under_a_head_a_left_side_may_be_left_out(tmp_path, cell, status):
    claims = load_claims(written(tmp_path / "a.csv", f"name,M22\nAda,{cell}\n")).claims
    assert verdicts(vv.catalog.two_link(), claims, {})["Ada"].status == status
    said = cell.strip('"')
    data = written(tmp_path / "a.json", json.dumps({"M22": said}))
    found = verdicts(vv.catalog.two_link(), load_claims(data).claims, {})
    assert [x.status for x in found.values()] == [status]


def test_what_is_under_a_head_is_asked_for_where_its_left_side_is_left_out(tmp_path):
    """As where it is written: nothing is a law of it. A line end is a blank in LaTeX."""
    cell = '"I_2 + m_2 r_2^{2}\n \\frac{L_1}{L_1}"'
    claims = load_claims(written(tmp_path / "a.csv", f"name,M22\nA,{cell}\n")).claims
    assert verdicts(vv.catalog.two_link(), claims, {})["A"].status == "identical"
    for cell in ("h = I2; h", "=I2", "I2"):
        assert answer("M22", cell).asked == "M22"
    text = "name,tau2\nA,tau2 = 3 q2; tau2 = 5\nB,h = 3 q2; h = 5\nC,h = 3 q2; h = tau1; h\n"
    found = verdicts(
        vv.catalog.two_link(), load_claims(written(tmp_path / "b.csv", text)).claims, {}
    )
    assert all(not x.is_identical for x in found.values())


def test_of_several_statements_without_a_left_side_both_are_named(tmp_path):
    claims = load_claims(written(tmp_path / "a.csv", "name,M22\nA,I2; I2 + m2 r2^2\n")).claims
    (note,) = verdicts(vv.catalog.two_link(), claims, {})["A"].notes
    assert note.startswith("'I2' and 'I2 + m2 r2^2' have no left side: which is M22?")


def test_notes_that_limit_a_verdict_are_in_its_row(tmp_path):
    motion = "I2 (q1'' + q2'') + m2 r2 (L1 (cos(q2) q1'' + sin(q2) q1'^2) + r2 (q1'' + q2'')"
    rows = f"A,tau2 = 3 q2; {motion} + a_g cos(q1 + q2)) = tau2\nB,M22 = {GOOD} # as in class\n"
    answers, saved = written(tmp_path / "a.csv", f"name,claim\n{rows}"), tmp_path / "v.csv"
    table = ask("check", "two_link", "--file", answers, "--save", saved).out
    limit = "it holds for any tau2, and so for the one that is said"
    assert table.splitlines()[0] == f"A  identical  {limit}"
    with saved.open(encoding="utf-8-sig", newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["why"], second["why"]) == (limit, "")
    assert "as in class" in second["notes"]
    shown = ask("check", "two_link", "--file", answers, "--notes").out.splitlines()
    assert shown[2].strip() == f"note: {second['notes']}"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("name,det J,M_22\nA,L1 L2 sin(q2),I2 + m2 r2^2\n", ["identical"] * 2),
        ("name,\\tau_1,det M\nA,0,1\n", ["differs"] * 2),
        ("name,det J\nA,det J_v = L1 L2 sin(q2)\n", ["identical"]),
        ("name,M22\nA,I2 + m2 r2^2 = M22\nB,I2 = M22\n", ["identical", "differs"]),
        ("name,M22\nA,I2 + m2 r2^2 == M22\nB,I2 := M22\n", ["identical", "differs"]),
        ("name,M22\nA,x <= M22\nB,= M22\nC,x >= M22\n", ["unreadable"] * 3),
        ("name,det J\nA,det J\nB,det J = det J\n", ["unreadable"] * 2),
        # labels of exercises, as nobody answers so
        ("name,C,G1\nA,M22 = I2 + m2 r2^2,M22 = I2\n", ["identical", "differs"]),
        ("student,question,answer\nA,M22,I2 + m2 r2^2\n", ["identical"]),
        ("student,question,answer\nA,M12,M22 = I2 + m2 r2^2\n", ["not asked"]),
        ('{"M12": "M22 = I2 + m2 r2^2"}', ["not asked"]),
        ('{"inertia": "M22 = I2 + m2 r2^2"}', ["identical"]),
    ],
)
def test_heads_of_columns(tmp_path, text, status):
    kind = "json" if text.startswith("{") else "csv"
    claims = load_claims(written(tmp_path / f"a.{kind}", text)).claims
    found = [x.status for x in verdicts(vv.catalog.two_link(), claims, {}).values()]
    assert found == status


def test_formulas_alone_under_heads_without_a_quantity_are_told_how_to_head_them(tmp_path):
    text = "name,Q1,Q2\nAda,I2 + m2 r2^2,M12 = I2\n"
    answer = ask("check", "two_link", "--file", written(tmp_path / "a.csv", text))
    assert "Q1: what their formulas alone are, the head says: 'Q1: M22'" in answer.out
    named = text.replace("Q1", "Q1: M22")
    answer = ask("check", "two_link", "--file", written(tmp_path / "b.csv", named))
    assert "Ada, Q1: M22  identical" in answer.out
    assert "heads without" not in answer.out
