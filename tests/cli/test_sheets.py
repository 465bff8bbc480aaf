"""Answers of a class as CSV in, verdicts as a table and as CSV out."""

import csv

import pytest

from tests.cli.asking import ask, is_told
from visviva.errors import ClaimFileError
from visviva.judge.check.files import load_claims

ANSWERS = """\
Name,Group,Claim
Ada,1,M22 = I2 + m2 r2^2
Bob,1,M22 = I2
"Cy, junior",2,"g = [(m1 r1 + m2 L1) a_g cos(q1) + m2 a_g r2 cos(q1 + q2), m2 a_g r2 cos(q1 + q2)]"
Dee,2,
Ada,2,=HYPERLINK()
"""


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_a_class(tmp_path):
    answers, saved = written(tmp_path / "answers.csv", ANSWERS), tmp_path / "verdicts.csv"
    answer = ask("check", "two_link", "--file", answers, "--save", saved)
    assert answer.code == 1
    table = [line.split(maxsplit=1) for line in answer.out.splitlines()]
    assert ["Bob", "differs     The parallel-axis term m r² of link2 was forgotten."] in table
    assert answer.out.splitlines()[-1] == "2 of 5 claims are identical"
    with saved.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["verdict"] for row in rows] == [
        "identical",
        "differs",
        "identical",
        "unreadable",
        "unreadable",
    ]
    assert [row["name"] for row in rows[2:]] == ["Cy, junior", "Dee", "Ada, line 6"]
    assert rows[4]["claim"] == "'=HYPERLINK()"  # a sheet would compute it
    data = ask("check", "two_link", "--file", answers, "--json").data
    assert [x["label"] for x in data] == [row["name"] for row in rows]


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_other_sheets(tmp_path, delimiter):
    text = f'\ufeffstudent{delimiter}answer\r\nAda{delimiter}"M22 = I2; M12 = 0"\r\n\r\n'
    claims = load_claims(written(tmp_path / "answers.csv", text)).claims
    assert claims == {"Ada": "M22 = I2; M12 = 0"}
    alone = written(tmp_path / "alone.CSV", "claim\nM22 = I2\n")
    assert load_claims(alone).claims == {"line 2": "M22 = I2"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Ada,M22 = I2\n", "expected a first row with the columns name and claim, got 'Ada', 'M22"),
        ("", "columns name and claim, got nothing"),
        ("name,claim\n", "expected a row for each claim"),
        ("name,claim\nAda,g = [1, 2]\n", r"line 2 has 3 fields, expected 2: put a claim with ','"),
        ('name,claim\nAda,"M22" = I2\n', "expected after"),
    ],
)
def test_sheets_that_cannot_be_read(tmp_path, text, problem):
    with pytest.raises(ClaimFileError, match=problem):
        load_claims(written(tmp_path / "answers.csv", text))


def test_claims_are_not_written_over(tmp_path):
    answers = written(tmp_path / "answers.csv", ANSWERS)
    assert ask("check", "two_link", "--file", answers, "--save", answers).code == 2
    assert answers.read_text(encoding="utf-8") == ANSWERS
    assert is_told(ask("check", "two_link", "--file", answers, "--save", tmp_path / "x.txt"))
