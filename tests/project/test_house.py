"""Three things about the source may not grow: complex functions, compared texts, names that say
little. What there is stands in house.toml, with what its data should become."""

import ast
import tomllib
from collections import Counter

import pytest

from tests.project.test_line import LINE
from tools.house import (
    COLUMNS,
    IN_NO_ROOM,
    LISTS,
    House,
    Source,
    as_lines,
    complex_now,
    complexity,
    counts,
    house,
    names_now,
    places,
    says_little,
    texts_now,
    tidy,
)

SOURCE = house()
ENTRIES = tomllib.loads(LISTS.read_text(encoding="utf-8"))
TIDY = "python tools/house.py --tidy deletes it from tests/project/house.toml"


def lines_of(column, scopes):
    return "\n" + as_lines(x for x in places(SOURCE, column) if x.scope in scopes)


def texts_on_the_list():
    return Counter({key: entry["places"] for key, entry in ENTRIES["texts"].items()})


def test_complex_functions_are_those_of_the_list_or_fewer():
    now = complex_now(SOURCE)
    new, plain = now - ENTRIES["complex"].keys(), ENTRIES["complex"].keys() - now
    assert not new, (
        "complexity above 20: give the data another shape, or add a line to house.toml that says "
        f"which it should be{lines_of('complexity', new)}"
    )
    assert not plain, f"no longer complex: {TIDY}: {sorted(plain)}"


def test_texts_that_decide_are_those_of_the_list_or_fewer():
    now = texts_now(SOURCE)
    new, absent = now - texts_on_the_list(), texts_on_the_list() - now
    assert not new, (
        "the text of a message is compared or searched: let data decide, or add to house.toml "
        f"which it should be{lines_of('texts', new)}"
    )
    assert not absent, f"fewer texts decide: {TIDY}: {sorted(absent)}"


def test_names_that_say_little_become_no_more():
    new = names_now(SOURCE) - Counter(ENTRIES["names"])
    assert not new, (
        f"new names that say little, by room: {dict(new)}; a name says what a thing is or what "
        "a function does: python tools/house.py --list names"
    )


def test_every_line_says_what_the_data_should_become():
    lines = ENTRIES["complex"] | {k: x["becomes"] for k, x in ENTRIES["texts"].items()}
    assert not {key: text for key, text in lines.items() if len(text.split()) < 3}


def test_rooms_are_counted_in_their_order():
    empty = {m: Source(m, x.room, x.file, "\n") for m, x in SOURCE.sources.items()}
    by_room = counts(House(empty))
    assert [*by_room] == [*(x for x in LINE if x in by_room), IN_NO_ROOM]
    assert sum(row["files"] for row in by_room.values()) == len(empty)
    assert set(ENTRIES["names"]) <= by_room.keys()


# ---- what is counted


def one(text, module="visviva.solve.made"):
    source = Source(module, "solve", "solve/made.py", text)
    return House({module: source})


@pytest.mark.parametrize(
    ("branches", "text"),
    [
        (0, "return x"),
        (1, "if x: pass"),
        (2, "if x: pass\n elif y: pass"),
        (1, "for k in x: pass"),
        (1, "while x: pass"),
        (1, "return x if y else z"),
        (1, "try: pass\n except ValueError: pass"),
        (1, "assert x"),
        (2, "match x:\n  case 1: pass\n  case _: pass"),
        (2, "return x and y and z"),
        (2, "return x or y and z"),
        (1, "return [k for k in x]"),
        (3, "return {k for k in x if y if z}"),
        (2, "return [k for y in x for k in y]"),
        (1, "def g(): return x if y else z"),
        (0, "with x: pass"),
    ],
)
def test_what_counts_as_complexity(branches, text):
    assert complexity(ast.walk(ast.parse(f"def f(x, y, z):\n {text}"))) == 1 + branches


def test_complexity_is_that_of_a_sequence_one_after_the_other():
    function = ast.parse("def f(x):\n if x and x: pass\n return [k for k in x if k]")
    parts = [complexity(ast.walk(x)) - 1 for x in function.body[0].body]
    assert complexity(ast.walk(function)) == 1 + sum(parts)


TRY = "try: g()\n except ValueError as error:\n  "


@pytest.mark.parametrize(
    "text",
    [
        "return 'is not known' in x",
        "return x == 'nothing is known of it'",
        "return x.startswith('too many')",
        "return OPEN in x",
        "return x.endswith(OPEN)",
        "return x.removesuffix(f'; {OPEN}')",
        "return x in TOLD",
        "return REASONS[f'is {x} known']",
        "return REASONS.get(OPEN)",
        "return 'yes' in x.notes",
        "return [y for y in x.notes if y.startswith('not')]",
        "return x.notes == y.notes",
        "match x:\n  case 'it is known': return 1",
        f"{TRY}return 'many' in str(error)",
        f"{TRY}return error.args[0] == 'many'",
        f"{TRY}raise KeyError(str(error).replace('a', 'b'))",
        f"{TRY}return re.search('[0-9]', str(error))",
        f"{TRY}text = error.problem\n  return text.startswith('many')",
    ],
)
def test_what_counts_as_a_text_that_decides(text):
    constants = "OPEN = 'it is open'\nTOLD = {OPEN, 'it is told'}\n"
    assert texts_now(one(f"{constants}def f(x, y):\n {text}"))["solve.made:f"] >= 1


@pytest.mark.parametrize(
    "text",
    [
        "return x == 'name'",
        "return x.status == 'true up to a constant'",
        "return x.notes == ()",
        "return x.why is None",
        "return 'a b c'.split()",
        "return x in NAMES",
        "return 'Give {name} here.'.replace('{name}', x)",
        "raise ValueError(f'{x} is not known')",
        "return '\\n' in x.notes",
        f"{TRY}raise KeyError(f'not read: {{error}}') from None",
        f"{TRY}return ' '.join(str(error).split())",
        "x['it is known'] = y\n return x",
    ],
)
def test_what_is_no_text_that_decides(text):
    constants = "NAMES = 'one two three'.split()\n"
    assert not texts_now(one(f"{constants}def f(x, y):\n {text}"))


def test_constants_of_other_modules_are_messages_too():
    texts = Source("visviva.solve.texts", "solve", "solve/texts.py", "OPEN = 'it is open'")
    for text in (
        "from visviva.solve.texts import OPEN\ndef f(x): return OPEN in x",
        "from visviva.solve.texts import OPEN as K\ndef f(x): return x == K",
        "from visviva.solve import texts\ndef f(x): return texts.OPEN in x",
    ):
        user = Source("visviva.solve.made", "solve", "solve/made.py", text)
        assert len(texts_now(House({x.module: x for x in (texts, user)}))) == 1, text


@pytest.mark.parametrize(
    "text",
    [
        "def found(x): pass",
        "def _solved(x): pass",
        "class Held: pass",
        "def f(given): pass",
        "def f(*, own): pass",
        "f = lambda known: 1",
        "def f(x):\n said = x",
        "def f(x):\n for there in x: pass",
        "def f(x): return [whole for whole in x]",
        "def f(x):\n if (left := x): pass",
        "def f(x):\n with x as moving: pass",
        "TRIED = 8",
        "class A:\n kept: int = 1",
    ],
)
def test_what_counts_as_a_name_that_says_little(text):
    assert names_now(one(text)) == {"solve": 1}


@pytest.mark.parametrize(
    "text",
    [
        "def mass_matrix(model): pass",
        "def is_found(x): pass",
        "def with_frame(pose, on='tool', at=None): pass",
        "def f(speed, damping, spring, seed, ring): pass",
        "class A:\n def __missing__(self, key): pass",
        "x.found = 1",
        "x.solved()",
    ],
)
def test_what_is_a_name_that_says_something(text):
    assert not names_now(one(text))


def test_a_name_counts_once_in_a_scope():
    assert names_now(one("def f(x):\n found = x\n found = [found for found in x]")) == {"solve": 1}
    assert names_now(one("def f(x):\n found = x\ndef g(x):\n found = x")) == {"solve": 2}
    assert says_little("found2")
    assert not says_little("found_by")


def test_the_other_columns():
    text = "def f(self, a, b, c, d, e, x: Any):\n from os import path\n getattr(x, a)\n "
    source = one(f"{text}return isinstance(x, b)")
    numbers = {name: len(places(source, name)) for name in COLUMNS}
    assert numbers == dict.fromkeys(COLUMNS, 0) | {
        **dict.fromkeys(("files", "any", "parameters", "isinstance", "getattr", "imports"), 1)
    }
    assert counts(source)["solve"]["lines"] == 3


def test_who_has_one_importer():
    texts = {
        "visviva.solve.a": "",
        "visviva.solve.b": "from visviva.solve import a",
        "visviva.solve.c": "def f():\n from visviva.solve.b import x",
        "visviva.solve.d": "import visviva.solve.b",
    }
    sources = {m: Source(m, "solve", m, text) for m, text in texts.items()}
    sources["visviva.solve"] = Source("visviva.solve", "solve", "solve", "")
    (place,) = places(House(sources), "importers")
    assert (place.file, place.text) == ("visviva.solve.a", "only visviva.solve.b imports it")


def test_lists_are_tidied_and_never_grow():
    text = (
        '# why\n[complex]\n"solve.made:f" = "a table"\n"solve.made:g" = "a list"\n'
        '[texts]\n"solve.made:h" = { places = 3, becomes = "an enum" }\n[names]\nsolve = 3\n'
    )
    complexity = "def f(x):\n" + " if x: pass\n" * 20
    texts = "def h(found): return 'it is open' in found\ndef k(x): return 'it is open' in x\n"
    names = "def kept(own, whole, said): pass\n"
    assert tidy(text, one(complexity + texts)) == (
        '# why\n[complex]\n"solve.made:f" = "a table"\n'
        '[texts]\n"solve.made:h" = { places = 1, becomes = "an enum" }\n[names]\nsolve = 1\n'
    )
    assert "solve = 3" in tidy(text, one(complexity + texts + names))
    assert tidy(text, one("")) == "# why\n[complex]\n[texts]\n[names]\n"
