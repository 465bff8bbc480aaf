"""`visviva derive --proof`: what it prints, and how it says no."""

import json

import pytest

from tests.cli.asking import ask


def test_a_proof_is_printed_in_every_language():
    assert ask("derive", "--proof", "koenig").out.startswith("# König's theorems")
    assert r"\documentclass" in ask("derive", "--proof", "koenig", "--to", "latex").out
    assert "<math" in ask("derive", "--proof", "moment-of-force", "--to", "html").out
    book = json.loads(ask("derive", "--proof", "moment-of-force", "--to", "ipynb").out)
    assert book["nbformat"] == 4


def test_a_proof_is_written_to_a_file(tmp_path):
    page = tmp_path / "proof.html"
    ask("derive", "--proof", "koenig", "--to", "html", "--output", page)
    assert "<math" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("", "a mechanism, or for --proof and a name; got neither"),
        ("--proof steiner", "unknown proof 'steiner': did you mean 'parallel-axes'?"),
        ("two_link --proof koenig", "a proof is of no mechanism, got 'two_link' beside it"),
        ("--proof koenig --method lagrange", "got 'lagrange' beside it"),
        ("--proof koenig --to c", "unknown language of a proof 'c'"),
    ],
)
def test_what_is_no_proof_is_refused(options, said):
    answer = ask("derive", *options.split())
    assert answer.code != 0
    assert said in " ".join(answer.err.split())
