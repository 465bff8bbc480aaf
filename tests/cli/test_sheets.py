"""Answers of a class as CSV in, verdicts as a table and as CSV out."""

import csv
import io
import json

import pytest

import visviva as vv
from tests.cli.asking import ask, is_told
from visviva.errors import ClaimFileError, MechanismFileError
from visviva.judge.check.files import load_claims, verdicts
from visviva.judge.check.sheets import answer
from visviva.show.study.sections.verdicts import counted

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
        "not judged",
    ]
    assert [row["name"] for row in rows[2:5]] == ["Cy, junior", "Dee", "Ada, line 6"]
    assert (rows[5]["name"], rows[5]["why"]) == ("columns not judged", "Group")
    assert "columns not judged: Group" in answer.out.splitlines()
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
        (
            "Ada,M22 = I2\n",
            r"columns name and claim, or name and one for each question .* got 'Ada', 'M22",
        ),
        ("", r"columns name and claim, .* got nothing"),
        ("name,claim\n", "expected a row for each claim"),
        ('name,"claim" x\nAda,M22 = I2\n', "line 1: ',' expected after"),
    ],
)
def test_sheets_that_cannot_be_read(tmp_path, text, problem):
    with pytest.raises(ClaimFileError, match=problem):
        load_claims(written(tmp_path / "answers.csv", text))


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("Ada,g = [1, 2]", "line 2 has 3 fields, expected 2: put a claim with ',' in it in quotes"),
        ('Ada,"M22" = I2', "line 2: ',' expected after"),
        ('Ada,"M22 = I2', "line 2: "),
    ],
)
def test_a_row_that_cannot_be_read_does_not_stop_the_others(tmp_path, row, why):
    text = f'name,claim\n{row}\nBob,"M22 = I2\n + m2 r2^2"\nCy,M22 = I2 + m2 r2^2\n'
    answer = ask("check", "two_link", "--file", written(tmp_path / "a.csv", text))
    assert answer.code == 1
    ada, bob, cy, *_ = answer.out.splitlines()
    assert ada.startswith(f"Ada  unreadable  {why}")
    assert (bob, cy) == ("Bob  identical", "Cy   identical")


RIGHT = "I2 + m2 r2^2"


def test_what_was_asked(tmp_path):
    """A right formula for something else is no answer; another name or the same value is one."""
    cells = {
        "Ada": RIGHT,
        "Ben": f"M_{{22}} = {RIGHT}",
        "Cy": f"D22 = {RIGHT}",
        "Dan": "M12 = I2 + m2 r2^2 + m2 L1 r2 cos q2",
        "Eve": "V = a_g (m2 r2 sin(q1 + q2) + (m1 r1 + m2 L1) sin(q1))",
        "Fay": f"h = m2 r2^2; M22 = I2 + h; M12 = {RIGHT} + m2 L1 r2 cos q2",
        "Gus": "M12 = I2",
    }
    rows = "".join(f"{name},{x}\n" for name, x in cells.items())
    answer = ask("check", "two_link", "--file", written(tmp_path / "a.csv", f"name,M22\n{rows}"))
    assert answer.code == 1
    found = dict(line.split(maxsplit=1) for line in answer.out.splitlines()[:7])
    assert all(found[x] == "identical" for x in ("Ada", "Ben", "Cy", "Fay"))
    entry = "M22 was asked, the answer is about entry (1, 2) of the mass matrix (identical)"
    assert found["Dan"] == f"not asked  {entry}"
    assert found["Eve"].startswith("not asked  M22 was asked, the answer is about the potential")
    assert found["Gus"].startswith("differs")
    last = answer.out.splitlines()[-1]
    assert last == "4 of 7 claims are identical, 2 more of something that was not asked"


def test_claims_are_not_written_over(tmp_path):
    answers = written(tmp_path / "answers.csv", ANSWERS)
    assert ask("check", "two_link", "--file", answers, "--save", answers).code == 2
    assert answers.read_text(encoding="utf-8") == ANSWERS
    assert is_told(ask("check", "two_link", "--file", answers, "--save", tmp_path / "x.txt"))


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "name;Q1;Q2\nAda;M22 = I2;M12 = 0\nBob;;I2\n",
            {"Ada, Q1": "M22 = I2", "Ada, Q2": "M12 = 0", "Bob, Q1": "", "Bob, Q2": "I2"},
        ),
        (
            "Name,Group,M22,weight of link 2\nAda,1,I2,g2 = 0\n",
            {"Ada, M22": "M22 = I2", "Ada, weight of link 2": "g2 = 0"},
        ),
        (
            'Surname,First name,"State",Question 1,Response 1,Right answer 1,Response 2\n'
            "Lovelace,Ada,Finished,a = ?,M22 = I2,M22 = 1,\n",
            {"Ada Lovelace, Response 1": "M22 = I2", "Ada Lovelace, Response 2": ""},
        ),
        (
            "Nachname;Vorname;Status;Frage 1;Antwort 1\nLovelace;Ada;Beendet;M22?;M22 = I2\n",
            {"Ada Lovelace": "M22 = I2"},
        ),
        (
            "student,question,answer\nAda,1,M22 = I2\nAda,weight,g2 = 0\n,2,M12 = 0\n",
            {
                "Ada, question 1": "M22 = I2",
                "Ada, weight": "g2 = 0",
                "line 4, question 2": "M12 = 0",
            },
        ),
    ],
)
def test_columns_of_questions(tmp_path, text, claims):
    found = load_claims(written(tmp_path / "answers.csv", text)).claims
    assert {k: x for k, x in found.items() if k != "columns not judged"} == claims


def test_an_empty_cell_is_no_answer(tmp_path):
    answers = written(tmp_path / "answers.csv", "name,Q1\nAda,\n")
    assert ask("check", "two_link", "--file", answers).out == "Ada  unreadable  no answer\n"


ROWS = [{"name": "Ada", "claim": "M22 = I2"}, {"name": "Bob", "claim": None}]
DATA = [
    (ROWS, {"Ada": "M22 = I2", "Bob": ""}),
    (["M22 = I2"], {"claim 1": "M22 = I2"}),
    ({"Ada": "M22 = I2"}, {"Ada": {"Ada": "M22 = I2"}}),
    ({"Ada": {"M22": "I2"}}, {"Ada, M22": {"M22": "I2"}}),
    ({"claims": {"M22": "I2"}, "symbols": {"J": "I2"}}, {"M22": {"M22": "I2"}}),
    ({"Ada": ["h = I2", "M22 = h"]}, {"Ada": {"Ada": "h = I2; M22 = h"}}),
    ([{"name": "Ada", "claim": ["M22 = I2"]}], {"Ada": "M22 = I2"}),
    ({"Question 2: M22": "I2"}, {"Question 2: M22": "M22 = I2"}),
    (
        [{"name": "Ada", "claim": "M12 = 0"}, {"name": "Bo", "M22": "I2"}, {"name": "Cy"}],
        {"Ada, claim": "M12 = 0", "Bo, M22": "M22 = I2", "Cy, M22": ""},
    ),
]


@pytest.mark.parametrize(("data", "claims"), DATA)
def test_claims_as_json(tmp_path, data, claims):
    assert load_claims(written(tmp_path / "a.json", json.dumps(data))).claims == claims


def test_what_is_no_text_does_not_stop_the_others(tmp_path):
    right = f"M22 = {RIGHT}"
    rows = [{"name": "Ada", "claim": right}, 3]
    for data in ({"Ada": right, "Ben": 3}, [right, 3], {"Ada": right, "Ben": {}}, rows):
        said = written(tmp_path / "a.json", json.dumps(data))
        found = verdicts(vv.catalog.two_link(), load_claims(said).claims, {})
        assert [x.status for x in found.values()] == ["identical", "unreadable"]
        assert "expected" in [*found.values()][1].notes[0]


@pytest.mark.parametrize("text", ["{", "[]", "{}", "3", '[{"name": "Ada"}]', '{"Ada": 3}'])
def test_json_that_has_no_claims(tmp_path, text):
    with pytest.raises(ClaimFileError, match="expected"):
        load_claims(written(tmp_path / "a.json", text))


def test_tables_of_persons(tmp_path):
    text = '[claims.Ada]\nM22 = "I2"\n[claims.Bob]\nM22 = "0"\n'
    claims = load_claims(written(tmp_path / "a.toml", text)).claims
    assert claims == {"Ada, M22": {"M22": "I2"}, "Bob, M22": {"M22": "0"}}


PAPER = r"""We find % x = 3
\begin{align}
  M_{22} &= I_2 + m_2 r_2^2, \label{eq:inertia} \\
  g_2 &= m_2 g r_2 \nonumber \\
      & \quad \cos(q_1 + q_2).
\end{align}
with $l = 1$, and \[ M = \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}. \]
"""


def test_a_paper(tmp_path):
    assert load_claims(written(tmp_path / "a.tex", PAPER)).claims == {
        "eq:inertia": "M_{22} = I_2 + m_2 r_2^2",
        "line 2, row 2": r"g_2 = m_2 g r_2 \quad \cos(q_1 + q_2)",
        "line 7": "l = 1",
        "line 7, formula 2": r"M = \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
    }
    inline = written(tmp_path / "b.tex", "So $M_{22} = I_2$, where $I_2$ is known.")
    assert load_claims(inline).claims == {"line 1": "M_{22} = I_2"}
    plain = written(tmp_path / "c.tex", "M_{22} = I_2")
    assert load_claims(plain).claims == {"line 1": "M_{22} = I_2"}


def test_a_name_makes_no_row(tmp_path):
    text = 'name,claim\n"Ada  identical\nBob",M22 = I2\n'
    assert (
        len(ask("check", "two_link", "--file", written(tmp_path / "a.csv", text)).out.splitlines())
        == 1
    )


def test_a_document_is_refused_with_the_way(tmp_path):
    told = ask("check", "two_link", "--file", written(tmp_path / "dan.docx", ""))
    assert is_told(told)
    assert ".docx is not read: write its claims into a text file" in " ".join(told.err.split())


def test_a_study_counts_what_is_right_under_a_condition():
    arm = vv.catalog.two_link()
    found = verdicts(arm, {"a": "m2 = 0; M22 = I2", "b": "M22 = I2"}, {})
    assert counted(found).startswith("Of 2 claims: 1 wrong, 1 right under a condition")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Ada: M22 = I2\n", ["Ada"]),
        ("name,claim\nAda,M22 = I2\n", ["Ada"]),
        (json.dumps(ROWS, indent=1), ["Ada", "Bob"]),
        ('[claims]\nM22 = "I2"\n', ["M22"]),
        ("[[1, 2], [3, 4]] = M\n", ["line 1"]),
    ],
)
def test_what_is_piped_in(monkeypatch, text, labels):
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    data = ask("check", "two_link", "--file", "-", "--json").data
    assert [x["label"] for x in data] == labels


def test_several_claims_in_a_line():
    answer = ask("check", "two_link", "M22 = I2 + m2 r2^2", "M22 = I2")
    assert answer.code == 1
    assert answer.out.startswith("claim 1: M22 = I2 + m2 r2^2\nidentical")
    assert answer.out.splitlines()[-1] == "1 of 2 claims are identical"


def test_a_relation_is_no_answer():
    """The number that is told and the exit code say the same."""
    answer = ask("check", "cart_pole", "M12 = m l cos(theta)", "M21 = M12")
    assert answer.out.splitlines()[-1].startswith("1 of 2 claims are identical, 1 more that relate")
    assert answer.code == ask("check", "cart_pole", "M21 = M12").code == 1
    assert "which is no formula for one of them" in " ".join(ask("check", "--help").out.split())


def test_terms_are_told_as_in_a_terminal(tmp_path):
    text = "name,claim\nA,tau2 = (I2 + m2 r2^2) q2''\nB,\"M = [I1, 0; 0, I2 + m2 r2^2]\"\n"
    table = ask("check", "two_link", "--file", written(tmp_path / "a.csv", text)).out
    assert "missing m₂ L₁ r₂ sin(q₂) q̇₁² (centrifugal)" in table
    assert "in entry (1, 1)" in table
    assert "**" not in table
    assert "Matrix" not in table


def test_parameters_of_the_mechanism(tmp_path):
    text = '[mechanism]\ncatalog = "two_link"\nparameters = {r2 = "L2/2", I2 = "0"}\n'
    said = written(tmp_path / "a.toml", text + '[claims]\nM22 = "m2 L2^2/4"\n')
    assert ask("check", "--file", said).code == 0
    bad = written(tmp_path / "b.toml", text.replace("{", "3 #") + '[claims]\nM22 = "0"\n')
    assert "parameters: expected a table, got 3" in ask("check", "--file", bad).err


def test_energies_of_a_file_of_claims(tmp_path):
    """Their parameters stand in a table beside them, which is told; a name is not needed."""
    energies = "[mechanism.lagrangian]\ncoordinates = ['x']\nkinetic = \"m x'^2/2\"\n"
    claims = '[claims]\nT = "m x\'^2/2"\n'
    within = written(tmp_path / "a.toml", f"{energies}parameters = {{m = 1}}\n{claims}")
    assert "[mechanism.parameters]" in ask("check", "--file", within).err
    named = written(tmp_path / "b.toml", f"{energies}name = 'mass'\n{claims}")
    assert "name = ... in [mechanism]" in " ".join(ask("check", "--file", named).err.split())
    beside = f"{energies}[mechanism.parameters]\nm = 1\n{claims}"
    assert ask("check", "--file", written(tmp_path / "c.toml", beside)).code == 0


def test_what_says_little_is_no_plain_right_answer(tmp_path):
    """An entry by itself is refused, m2 = 0 is a condition; what is assumed stands beside it."""
    claims = ("M22 = M22", "m2 = 0; M22 = I2", "r2 = L2/2; M22 = I2 + m2 L2^2/4", "M12 = M21")
    rows = "".join(f"{name},{x}\n" for name, x in zip("ABCD", claims, strict=True))
    answers, saved = written(tmp_path / "a.csv", f"name,claim\n{rows}"), tmp_path / "v.csv"
    answer = ask("check", "two_link", "--file", answers, "--save", saved)
    assert answer.out.splitlines()[-1] == (
        "1 of 4 claims are identical, 1 more that relate quantities, which is no formula for one, "
        "1 more with what they say themselves"
    )
    with saved.open(encoding="utf-8-sig", newline="") as file:
        found = [(row["verdict"], row["why"]) for row in csv.DictReader(file)]
    assert [x for x, _ in found] == ["unreadable", "identical if", "identical", "relation"]
    assert "M22 = M22 says nothing" in found[0][1]
    assert [x for _, x in found[1:3]] == ["m₂ = 0", "with r₂ = 1/2 L₂"]
    assert "M21 stands for the mechanism's own" in found[3][1]


def test_reasons_are_short(tmp_path):
    """Three words for of=, not all."""
    answers, saved = (
        written(tmp_path / "a.csv", "name,claim\nA,zoo = 3\nB,m2 + 1\n"),
        tmp_path / "v.csv",
    )
    ask("check", "two_link", "--file", answers, "--save", saved)
    with saved.open(encoding="utf-8-sig", newline="") as file:
        reasons = [row["why"] for row in csv.DictReader(file)]
    assert all(len(x) < 220 and "(all: visviva check --help)" in x for x in reasons)


def test_a_file_in_another_encoding_names_the_way(tmp_path):
    (tmp_path / "a.csv").write_bytes("name,claim\nJörg,M22 = I2\n".encode("latin-1"))
    with pytest.raises(MechanismFileError, match="line 2 is not text in UTF-8: save it as UTF-8"):
        load_claims(tmp_path / "a.csv")


@pytest.mark.parametrize("said", ["x <= M22", "M22 =", "x => M22", "a = 1; a = M22"])
def test_what_is_no_equation_backwards_stays_as_it_was_typed(said):
    assert answer("M22", said) == said
    assert answer("M22", "I2 = M22") == "M22 = I2"
