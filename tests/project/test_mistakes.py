"""Deliberate mistakes: each stands where it says, and turns its test red."""

import ast
from collections import Counter

import pytest

from tests.project.test_soak import TESTS
from tests.support.counts import SOAK
from tools.architecture_page import ROOMS
from tools.mistakes import MISTAKES, SOURCE, Mistake, outcome, with_mistake


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda x: x.what)
def test_a_mistake_can_be_made(mistake):
    text = (SOURCE / mistake.path).read_text(encoding="utf-8")
    wrong = ast.dump(ast.parse(with_mistake(mistake, text)))
    assert wrong != ast.dump(ast.parse(text))
    path, _, name = mistake.test.partition("::")
    assert f"def {name}" in (TESTS / path).read_text(encoding="utf-8")


def test_there_are_two_in_every_room():
    assert set(ROOMS) == {room for room, n in Counter(x.room for x in MISTAKES).items() if n > 1}


def test_a_text_that_is_gone_is_said():
    with pytest.raises(ValueError, match=r"'b' stands 0 times in src/visviva/x.py"):
        with_mistake(Mistake("a is c", "x.py", "b", "c", ""), "a")


@pytest.mark.soak
@pytest.mark.parametrize("mistake", MISTAKES if SOAK else [], ids=lambda x: x.what)
def test_a_mistake_turns_a_test_red(mistake):
    done = outcome(mistake)
    assert done.returncode == 1, f"not seen: {mistake.what}\n{done.stdout[-1000:]}{done.stderr}"
