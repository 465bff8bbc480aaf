"""Folders of answers: a file for each person, of which none speaks for another."""

import csv
import json

import pytest

from tests.cli.asking import ask
from visviva.errors import ClaimFileError
from visviva.judge.check.gather import gathered


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_files_and_folders(tmp_path):
    folder = tmp_path / "answers"
    folder.mkdir()
    with pytest.raises(ClaimFileError, match="expected files of claims in it"):
        gathered([folder])
    script = written(folder / "eve.m", "M22 = 1\n")
    with pytest.raises(ClaimFileError, match=r"\.ipynb\); got eve\.m, which are not read"):
        gathered([folder])
    script.unlink()
    written(folder / "ada.md", "1. Mass: $M_{22} = I_2$\n2. Weight: g2 = 0\n")
    written(folder / "bob.txt", "M22 = I2 + m2 r2^2\n")
    written(folder / "cy.png", "no claims")
    late = written(
        tmp_path / "late.toml", '[mechanism]\ncatalog = "two_link"\n[claims]\nM22 = "0"\n'
    )
    said = gathered([folder, late])
    assert list(said.claims) == ["ada: 1. Mass", "ada: 2. Weight", "bob", "cy", "late: M22"]
    assert said.claims["ada: 1. Mass"] == "M_{22} = I_2"
    assert said.system.name == "two_link"
    answer = ask("check", "--file", folder, "--file", late, "--save", tmp_path / "out.json")
    assert answer.out.splitlines()[-1] == "1 of 5 claims are identical"
    saved = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [x["label"] for x in saved] == list(said.claims)
    other = '[mechanism]\ncatalog = "pendulum"\n[claims]\nM11 = "0"\n'
    with pytest.raises(ClaimFileError, match="expected one mechanism"):
        gathered([late, written(tmp_path / "other.toml", other)])
    given = said.system
    (refused,) = gathered([tmp_path / "other.toml"], given).claims.values()
    assert "about 'pendulum', as its table [mechanism] says, not 'two_link'" in refused.why
    assert gathered([late], given.with_parameters(m1=7.0)).claims == gathered([late]).claims
    (refused,) = gathered([late], given.with_gravity([0, 0, 0])).claims.values()
    assert "states another 'two_link' than the one given" in refused.why


def test_a_file_of_a_folder_speaks_for_itself(tmp_path):
    """Its tables, its mistakes, its name: none reaches the rows of others."""
    folder = tmp_path / "answers"
    folder.mkdir()
    right, lead = "M22 = I2 + m2 r2^2", '[claims]\nM22 = "I2 + m2 k^2"\n[symbols]\nk = '
    for name, text in {
        "ada.toml": f'{lead}"r2"\n',
        "ben.toml": f'{lead}"L2"\n[options]\nshorthand = true\n',
        "cy.txt": "M22 = I2 + m2 k^2\n",
        "dan.txt": f"{right}\n",
        "eve.json": "{broken",
        "fay.json": '{"M22": 3}',
        "gus.toml": "[claims\n",
        "hal.toml": f'[claim]\nM22 = "{right}"\n',
        "ida.toml": '[mechanism]\ncatalog = "pendulum"\n[claims]\nM22 = "0"\n',
        "jo\nkim  identical.txt": "M22 = I2\n",
        ".h.txt": f"{right}\n",
        "._dan.txt": "left behind",
    }.items():
        written(folder / name, text)
    answer = ask("check", "two_link", "--file", folder)
    rows = answer.out.splitlines()[:-2]
    assert [x.partition("  ")[0] for x in rows] == [
        *(".h", "ada: M22", "ben: M22", "cy", "dan", "eve", "fay", "gus", "hal", "ida: M22"),
        "jo\ufffdkim",
    ]
    said = [x.partition("  ")[2].strip().partition("  ") for x in rows]
    kinds = "unreadable identical differs unreadable identical".split() + ["unreadable"] * 5
    assert [x for x, _, _ in said[:-1]] == kinds
    reasons = ("expected JSON", "claims: M22: expected a text", "gus.toml", "unknown table 'claim'")
    assert all(
        x in y for x, (_, _, y) in zip((*reasons, "about 'pendulum'"), said[5:], strict=False)
    )
    ruled = ask("check", "two_link", "--file", folder, "--symbols", "k=r2").out.splitlines()
    assert [x.split()[-1] for x in ruled[1:4]] == ["identical"] * 3


def test_what_a_folder_has_that_is_not_read_has_a_row(tmp_path):
    folder = tmp_path / "answers"
    mailed = folder / "Eve Adams_4711_assignsubmission_file"
    for x in (mailed, folder / "Fay_12_assignsubmission_file", folder / "Gus" / "deeper"):
        x.mkdir(parents=True)
    written(folder / "ada.txt", "M22 = I2 + m2 r2^2\n")
    written(folder / "bob", "M22 = I2\n")
    written(folder / "cy.csv", "Cy,M22\n")
    written(folder / "dan.m", "M22 = I2\n")
    written(folder / "hal.ipynb", "{}")
    written(folder / ".DS_Store", "")
    written(mailed / "answer.txt", "M22 = I2\n")
    written(folder / "Gus" / "answer.md", "M22 = I2 + m2 r2^2\n")
    written(folder / "Gus" / "deeper" / "answer.md", "M22 = I2\n")
    answer = ask("check", "two_link", "--file", folder)
    assert answer.code == 1
    rows = dict(line.split(maxsplit=1) for line in answer.out.splitlines()[:-2] if "  " in line)
    read = "is not read, .txt, .md, .tex, .csv, .tsv, .json, .toml and .ipynb are"
    assert rows["dan"] == f"unreadable  .m {read}"
    assert rows["bob"] == f"unreadable  a file without an ending {read}"
    assert rows["hal"].endswith("hal.ipynb: expected a notebook, with cells")
    assert "expected a first row with the columns name and claim" in rows["cy"]
    assert rows["Gus/deeper"] == "unreadable  a folder in a person's folder is not read"
    assert rows["Gus/answer"] == rows["ada"] == "identical"
    assert any(line.split()[:3] == ["Eve", "Adams", "differs"] for line in answer.out.splitlines())
    assert rows["Fay"] == "unreadable  an empty folder"
    assert answer.out.splitlines()[-1] == "2 of 9 claims are identical"
    saved = tmp_path / "v.csv"
    ask("check", "two_link", "--file", folder, "--save", saved)
    with saved.open(encoding="utf-8-sig", newline="") as file:
        found = {row["name"]: row for row in csv.DictReader(file)}
    assert (found["dan"]["verdict"], found["dan"]["claim"]) == ("unreadable", "")


def test_a_folder_with_one_file_has_its_name(tmp_path):
    folder = tmp_path / "answers"
    folder.mkdir()
    one = written(folder / "ada.txt", "M22 = I2 + m2 r2^2\n")
    assert ask("check", "two_link", "--file", folder).out == "ada  identical\n"
    one.unlink()
    written(folder / "class.csv", "name,claim\nAda,M22 = I2 + m2 r2^2\n")
    assert ask("check", "two_link", "--file", folder).out == "Ada  identical\n"


def test_links_out_of_a_folder_are_not_followed(tmp_path):
    """A folder that somebody handed in names what it likes; what is elsewhere stays unread."""
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "answers"
    for place in (elsewhere, folder, folder / "bob"):
        place.mkdir()
    secret = written(elsewhere / "secret.txt", "M22 = 1\n")
    sheet = written(elsewhere / "sheet.csv", "name,claim\nAda,M22 = 1\n")
    written(folder / "ada.txt", "M22 = I2\n")
    written(folder / "bob" / "own.txt", "M22 = 0\n")
    (folder / "own.txt").symlink_to(folder / "ada.txt")
    (folder / "secret.txt").symlink_to(secret)
    (folder / "up.txt").symlink_to("../elsewhere/secret.txt")
    (folder / "bob" / "secret.txt").symlink_to(secret)
    (folder / "cy").symlink_to(elsewhere, target_is_directory=True)
    (folder / "round").symlink_to(folder / "round")
    (tmp_path / "link").symlink_to(folder, target_is_directory=True)  # it is what was asked for
    for asked in (folder, tmp_path / "link"):
        said = gathered([asked]).claims
        outside = ["bob/secret", "cy", "secret", "up"]
        assert {k: said[k] for k in ("ada", "bob/own", "own")} == {
            "ada": "M22 = I2", "bob/own": "M22 = 0", "own": "M22 = I2"
        }  # fmt: skip
        for label in outside:
            assert said[label].why == (
                f"a link out of {asked} is not followed: put the file itself there"
            )
        assert not any("M22 = 1" in str(x) for x in said.values())
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "sheet.csv").symlink_to(sheet)
    assert "is not followed" in gathered([alone]).claims["sheet"].why
    assert gathered([alone / "sheet.csv"]).claims  # a file that is named is read
    table = ask("check", "two_link", "--file", folder)
    assert "is not followed" in table.out
