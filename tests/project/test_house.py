"""Three things about the source may not grow: complex functions, compared texts, names that say
little. What there is stands in house.toml, with what its data should become."""

import ast
import tomllib
from collections import Counter

import pytest

from tests.project.test_line import LINE
from tools.house import (
    BESIDE,
    COLUMNS,
    LISTS,
    House,
    Source,
    complex_now,
    complexity,
    counts,
    house,
    listed,
    names_now,
    places,
    says_little,
    texts_now,
    tidied,
)

NOW = house()
LISTED = tomllib.loads(LISTS.read_text(encoding="utf-8"))
TIDY = "python tools/house.py --tidy deletes it from tests/project/house.toml"


def where(column, scopes):
    return "\n" + listed(x for x in places(NOW, column) if x.scope in scopes)


def test_no_other_function_is_complex():
    more = complex_now(NOW) - LISTED["complex"].keys()
    assert not more, (
        "complexity above 20: give the data another shape, or add a line to house.toml that says "
        f"which it should be{where('complexity', more)}"
    )


def test_complex_functions_that_are_gone_are_off_the_list():
    gone = LISTED["complex"].keys() - complex_now(NOW)
    assert not gone, f"no longer complex: {TIDY}: {sorted(gone)}"


def test_no_other_text_of_a_message_decides():
    allowed = Counter({key: entry["places"] for key, entry in LISTED["texts"].items()})
    more = texts_now(NOW) - allowed
    assert not more, (
        "the text of a message is compared or searched: let data decide, or add to house.toml "
        f"which it should be{where('texts', more)}"
    )


def test_texts_that_are_gone_are_off_the_list():
    allowed = Counter({key: entry["places"] for key, entry in LISTED["texts"].items()})
    gone = allowed - texts_now(NOW)
    assert not gone, f"fewer texts decide: {TIDY}: {sorted(gone)}"


def test_names_that_say_little_become_fewer():
    more = names_now(NOW) - Counter(LISTED["names"])
    assert not more, (
        f"new names that say little, by room: {dict(more)}; a name says what a thing is or what "
        "a function does: python tools/house.py --list names"
    )


def test_every_line_says_what_the_data_should_become():
    said = {**LISTED["complex"], **{k: x["becomes"] for k, x in LISTED["texts"].items()}}
    assert not {key: text for key, text in said.items() if len(text.split()) < 3}


def test_rooms_are_counted_in_their_order():
    rooms = [*counts(NOW)]
    assert rooms == [*(x for x in LINE if x in rooms), BESIDE]
    assert set(LISTED["names"]) <= {*rooms}


# ---- what is counted


def one(text, module="visviva.solve.made"):
    source = Source(module, "solve", "solve/made.py", text)
    return House({module: source})


@pytest.mark.parametrize(
    ("more", "text"),
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
def test_what_counts_as_complexity(more, text):
    assert complexity(ast.walk(ast.parse(f"def f(x, y, z):\n {text}"))) == 1 + more


def test_complexity_is_that_of_a_sequence_one_after_the_other():
    both = ast.parse("def f(x):\n if x and x: pass\n return [k for k in x if k]")
    parts = [complexity(ast.walk(x)) - 1 for x in both.body[0].body]
    assert complexity(ast.walk(both)) == 1 + sum(parts)


CAUGHT = "try: g()\n except ValueError as error:\n  "


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
        f"{CAUGHT}return 'many' in str(error)",
        f"{CAUGHT}return error.args[0] == 'many'",
        f"{CAUGHT}raise KeyError(str(error).replace('a', 'b'))",
        f"{CAUGHT}return re.search('[0-9]', str(error))",
        f"{CAUGHT}text = error.problem\n  return text.startswith('many')",
    ],
)
def test_what_counts_as_a_text_that_decides(text):
    said = "OPEN = 'it is open'\nTOLD = {OPEN, 'it is told'}\n"
    assert texts_now(one(f"{said}def f(x, y):\n {text}"))["solve.made:f"] >= 1


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
        f"{CAUGHT}raise KeyError(f'not read: {{error}}') from None",
        f"{CAUGHT}return ' '.join(str(error).split())",
        "x['it is known'] = y\n return x",
    ],
)
def test_what_is_no_text_that_decides(text):
    said = "NAMES = 'one two three'.split()\n"
    assert not texts_now(one(f"{said}def f(x, y):\n {text}"))


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
    of = one(f"{text}return isinstance(x, b)")
    found = {name: len(places(of, name)) for name in COLUMNS}
    assert found == dict.fromkeys(COLUMNS, 0) | {
        **dict.fromkeys(("files", "any", "parameters", "isinstance", "getattr", "imports"), 1)
    }
    assert counts(of)["solve"]["lines"] == 3


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
    assert (place.file, place.what) == ("visviva.solve.a", "only visviva.solve.b imports it")


def test_lists_are_tidied_and_never_grow():
    text = (
        '# why\n[complex]\n"solve.made:f" = "a table"\n"solve.made:g" = "a list"\n'
        '[texts]\n"solve.made:h" = { places = 3, becomes = "an enum" }\n[names]\nsolve = 3\n'
    )
    complicated = "def f(x):\n" + " if x: pass\n" * 20
    compared = "def h(found): return 'it is open' in found\ndef k(x): return 'it is open' in x\n"
    more = "def kept(own, whole, said): pass\n"
    assert tidied(text, one(complicated + compared)) == (
        '# why\n[complex]\n"solve.made:f" = "a table"\n'
        '[texts]\n"solve.made:h" = { places = 1, becomes = "an enum" }\n[names]\nsolve = 1\n'
    )
    assert "solve = 3" in tidied(text, one(complicated + compared + more))
    assert tidied(text, one("")) == "# why\n[complex]\n[texts]\n[names]\n"
