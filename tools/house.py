"""How the source is built, room by room: what makes it hard to read, counted and listed.

python tools/house.py                       # the table by room, of this source
python tools/house.py path/to/src/visviva   # of another one
python tools/house.py --list complexity     # the places of one column: file:line, what is there
python tools/house.py --json                # all counts and places
python tools/house.py --tidy                # take off tests/project/house.toml what is gone

`tools/architecture_page.py` writes the same table into docs/architecture.md. The numbers are looked
at, not obeyed; three of them may not grow, which tests/project/test_house.py holds: complex
functions, compared texts, and names that say little.

`complexity`: functions above 20, which is 1 + branches (if, elif, for, while, conditional
expressions, except, assert, case) + boolean operators (of `a and b and c` two) + comprehensions +
their conditions. Functions inside of a function count with it.

`names`: a name that is one word, and that word a bare participle (found, solved, moving) or a
filler (own, whole, there): it says that something was done, or nothing, and not what a thing is.
Asked are functions, classes, parameters and all that is assigned, each name once in a scope. The
words are data below, and so are words that end as participles do and are none.

`texts`: places at which the text of a message decides what happens, so that rewording it changes an
answer. A message is
- a sentence: a text of two words or more, or a constant of the source that is one, or a table that
  is asked for such texts;
- the text of an error: str(e), e.args, e.problem of what `except … as e` has caught;
- a field that holds messages: x.notes, x.why;
- a name in the function to which one of these is assigned, or which runs through them.
It decides where it is compared by ==, !=, in or a case, looked up in a table, or searched by a
method of texts (startswith, removeprefix, split, …) or of `re`. What has one of a few stated values
(x.status, kind) is no message. Not seen are messages that come in by a parameter, and texts of one
word, which may as well be names.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "visviva"
LISTS = ROOT / "tests" / "project" / "house.toml"

# the plan: a room, or a file beside them, imports only what is to its left
LINE = "errors doors extras hints foreign progress drawing algebra notation space describe".split()
LINE += "equations machine numerics judge solve motion show gym cli __main__".split()
DOORWAYS = {  # may name what lies to their right: in functions, and in texts
    "visviva",
    "visviva.parallel",
    "visviva.pencil",
    "visviva.describe.energies.lagrangian",
    "visviva.describe.model.model",
    "visviva.describe.quantities",
    "visviva.describe.system",
    "visviva.drawing.displayed",
    "visviva.motion.trajectory",
}
IN_NO_ROOM = "(files beside)"  # the room of files that are in none

MOST_COMPLEX = 20
MANY_PARAMETERS = 7
COSTS: dict[type[ast.AST], Callable[..., int]] = {
    **dict.fromkeys((ast.If, ast.For, ast.While, ast.IfExp), lambda node: 1),
    **dict.fromkeys((ast.ExceptHandler, ast.Assert, ast.match_case), lambda node: 1),
    ast.BoolOp: lambda node: len(node.values) - 1,
    ast.comprehension: lambda node: 1 + len(node.ifs),
}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = (*FUNCTIONS, ast.Lambda, ast.ClassDef, ast.Module)

# ---- names that say little, as data
FILLERS = {
    *"own whole way ways there here where when how what which who whose why some more most".split(),
    *"still yet now then again alike alone together once same such both several many few".split(),
    *"thing things stuff mine ours theirs let at of by on off up out over about along".split(),
    *"apart aside around away back beside behind beyond without within until".split(),
}
AS_PARAMETERS = {  # prepositions that read well in a call: check(text, of="M"), on="tool"
    *"at of by on about along around beside beyond without within until".split(),
}
PARTICIPLES = {  # that do not end in -ed or -ing
    *"told held made found said seen given gone done taken known kept left shown written".split(),
    *"chosen drawn begun grown built meant met felt lost got sent spent bent hidden driven".split(),
    *"broken worn thrown borne understood sought brought bought caught taught thought led".split(),
    *"paid laid sold stood slid swung wound spun stuck struck hung fallen risen spoken".split(),
    *"torn become come forgotten gotten proven shaken stolen sunk swum undone woven".split(),
}
NO_PARTICIPLES = {  # words that end in -ed or -ing and are none
    *"speed seed need feed bed shed red embed exceed proceed succeed docstring".split(),
    *"spring string ring king wing thing swing sling bearing damping heading rounding".split(),
    *"winding spelling meaning drawing coupling mapping padding spacing timing warning".split(),
    *"encoding scaling gearing rolling conditioning beginning ending wording ordering".split(),
}

# ---- compared texts, as data
SEARCHES = {
    *"startswith endswith removeprefix removesuffix find rfind index count".split(),
    *"partition rpartition split rsplit replace".split(),
}
FILLS = {"replace", "split"}  # of a constant: a template, a list of words
LOOKUPS = {"get", "pop"}
PATTERNS = {"match", "fullmatch", "search", "findall", "finditer", "sub", "split"}
OF_ERRORS = {"args", "problem", "message", "msg"}
IS_ERROR = re.compile(r"Error\b|Exception\b|Warning\b")
MESSAGES = {"note", "notes", "why", "remark", "remarks"}
COLLECTIONS = {"frozenset", "set", "tuple", "dict", "MappingProxyType"}
CHOICES = {"status", "kind", "method", "order", "acting"}  # have one of a few stated values
WORDS = 2  # in a sentence, at least
COMPARISONS = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)


@dataclass(frozen=True)
class Place:
    """One thing that is counted: where it is, in which function, and what is there."""

    room: str
    file: str
    line: int
    scope: str  # "judge.check.said.claims:claims"
    text: str


Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One file."""

    module: str
    room: str
    file: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        return tuple(ast.walk(self.tree))

    @cached_property
    def functions(self) -> list[tuple[Function, list[ast.AST]]]:
        """All functions, with all that is in them."""
        return [(node, [*ast.walk(node)]) for node in self.nodes if isinstance(node, FUNCTIONS)]

    @cached_property
    def scopes(self) -> dict[int, ast.AST]:
        """By the id of a node: the function, class or module in which it stands."""
        inside: dict[int, ast.AST] = {}
        stack: list[tuple[ast.AST, ast.AST]] = [(self.tree, self.tree)]
        while stack:
            node, scope = stack.pop()
            inside[id(node)] = scope
            inner = node if isinstance(node, SCOPES) else scope
            stack += [(x, inner) for x in ast.iter_child_nodes(node)]
        return inside

    def qualified_name(self, node: ast.AST) -> str:
        """The functions and classes in which a node stands, and it itself, if it is one."""
        scope = self.scopes[id(node)]
        outer = "" if scope is node else self.qualified_name(scope)
        return f"{outer}.{node.name}".lstrip(".") if hasattr(node, "name") else outer

    def place(self, node: ast.AST, text: str) -> Place:
        inside = node if isinstance(node, SCOPES) else self.scopes[id(node)]
        scope = f"{self.module.removeprefix('visviva.')}:{self.qualified_name(inside)}"
        return Place(self.room, self.file, getattr(node, "lineno", 1), scope, text)


@dataclass(frozen=True)
class House:
    """All files of a package, by the names of their modules."""

    sources: dict[str, Source]

    @cached_property
    def importers(self) -> dict[str, set[str]]:
        """Who imports a module, for types alone and in functions, too."""
        importers = defaultdict(set)
        for module, source in self.sources.items():
            for node in source.nodes:
                for name in self.imports(node):
                    importers[name] |= {module} - {name}
        return importers

    def imports(self, node: ast.AST) -> set[str]:
        """Our modules that a statement imports."""
        if isinstance(node, ast.Import):
            return {x.name for x in node.names if x.name in self.sources}
        if isinstance(node, ast.ImportFrom) and node.module in self.sources:
            inner = {f"{node.module}.{x.name}" for x in node.names}
            return {x if x in self.sources else node.module for x in inner}
        return set()

    @cached_property
    def sentences(self) -> dict[str, set[str]]:
        """By module: constants that are messages, or tables of them."""
        return {
            module: {
                target.id
                for node in source.tree.body
                for target, value in assignments(node)
                if isinstance(target, ast.Name) and holds_message(value)
            }
            for module, source in self.sources.items()
        }

    def sentences_of(self, source: Source) -> set[str]:
        """Such constants by their names in one file, also those of other modules: texts.OPEN."""
        names = {*self.sentences[source.module]}
        for node in source.nodes:
            for x in node.names if isinstance(node, ast.ImportFrom) else ():
                name = x.asname or x.name
                inside = self.sentences.get(f"{node.module}.{x.name}", ())
                names |= {f"{name}.{inner}" for inner in inside}
                names |= {name} if x.name in self.sentences.get(node.module or "", ()) else set()
        return names


def house(path: Path = SOURCE) -> House:
    """The source in a folder, which is the package."""
    sources = {}
    for file in sorted(path.rglob("*.py")):
        inner = file.relative_to(path)
        module = ".".join(["visviva", *inner.with_suffix("").parts]).removesuffix(".__init__")
        room = inner.parts[0] if len(inner.parts) > 1 else IN_NO_ROOM
        text = file.read_text(encoding="utf-8")
        sources[module] = Source(module, room, str(inner), text)
    return House(sources)


# ---- what is counted


def files(source: Source, all_of: House) -> Iterator[Place]:
    yield source.place(source.tree, source.module)


def single_importers(source: Source, all_of: House) -> Iterator[Place]:
    importers = all_of.importers[source.module]
    if len(importers) == 1:
        yield source.place(source.tree, f"only {min(importers)} imports it")


def named_any(source: Source, all_of: House) -> Iterator[Place]:
    for node in source.nodes:
        if isinstance(node, ast.Name) and node.id == "Any":
            yield source.place(node, "Any")


def complexity(inside: Iterable[ast.AST]) -> int:
    """1 + branches + boolean operators + comprehensions + their conditions."""
    return 1 + sum(COSTS[type(x)](x) for x in inside if type(x) in COSTS)


def complex_functions(source: Source, all_of: House) -> Iterator[Place]:
    for node, inside in source.functions:
        if (count := complexity(inside)) > MOST_COMPLEX:
            yield source.place(node, f"{node.name} has complexity {count}")


def long_signatures(source: Source, all_of: House) -> Iterator[Place]:
    for node, _ in source.functions:
        count = len([*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs])
        if count >= MANY_PARAMETERS:
            yield source.place(node, f"{node.name} has {count} parameters")


def calls_of(name: str) -> Callable[[Source, House], Iterator[Place]]:
    def calls(source: Source, all_of: House) -> Iterator[Place]:
        for node in source.nodes:
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == name:
                yield source.place(node, ast.unparse(node))

    return calls


def lazy_imports(source: Source, all_of: House) -> Iterator[Place]:
    if source.module in DOORWAYS:
        return
    lazily = {id(x) for _, inside in source.functions for x in inside}
    for node in source.nodes:
        if isinstance(node, ast.Import | ast.ImportFrom) and id(node) in lazily:
            yield source.place(node, ast.unparse(node))


# ---- names that say little


def says_little(name: str, is_parameter: bool = False) -> bool:
    """Whether a name is one word, a participle or a filler."""
    word = name.strip("_").rstrip("0123456789").lower()
    is_method_of_python = name.startswith("__") and name.endswith("__")
    if "_" in word or is_method_of_python or (is_parameter and word in AS_PARAMETERS):
        return False
    regular = re.fullmatch(r"[a-z]{2,}(?:ed|ing)", word) and word not in NO_PARTICIPLES
    return bool(regular) or word in PARTICIPLES or word in FILLERS


def defined_name(node: ast.AST) -> str:
    """The name that a node defines: a function, class, parameter, or what is assigned."""
    if isinstance(node, ast.Name):
        return node.id if isinstance(node.ctx, ast.Store) else ""
    if isinstance(node, ast.arg):
        return node.arg
    return node.name if isinstance(node, (*FUNCTIONS, ast.ClassDef)) else ""


def little_names(source: Source, all_of: House) -> Iterator[Place]:
    names: dict[tuple[int, str], ast.AST] = {}
    for node in source.nodes:
        name = defined_name(node)
        if name and says_little(name, isinstance(node, ast.arg)):
            names.setdefault((id(source.scopes[id(node)]), name), node)
    yield from (source.place(node, name) for (_, name), node in names.items())


# ---- compared texts


def is_sentence(text: object) -> bool:
    """Two words or more, as people write them: no code, no address, no formula."""
    if not isinstance(text, str):
        return False
    return len(re.findall(r"(?:^|(?<=\s))[A-Za-z][a-z']+(?=[\s,.:;!?]|$)", text)) >= WORDS


def with_gaps(node: ast.JoinedStr) -> str:
    """An f-string with "…" where values are put in."""
    return "".join(str(x.value) if isinstance(x, ast.Constant) else "…" for x in node.values)


def holds_message(node: ast.AST | None) -> bool:
    """Whether a value is a sentence, or a table of them: what is in it, or its keys."""
    if isinstance(node, ast.Constant):
        return is_sentence(node.value)
    if isinstance(node, ast.JoinedStr):
        return is_sentence(with_gaps(node))
    if isinstance(node, ast.BinOp):
        return holds_message(node.left) or holds_message(node.right)
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(holds_message, node.elts))
    if isinstance(node, ast.Dict):
        return any(map(holds_message, node.keys))
    if isinstance(node, ast.Call) and ast.unparse(node.func) in COLLECTIONS:
        return any(map(holds_message, node.args))
    return False


@dataclass(frozen=True)
class Messages:
    """What is a message in one function: constants of the file, caught errors, and own names."""

    constants: set[str]
    errors: set[str]
    locals: set[str]

    def is_message(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Constant):
            return is_sentence(node.value)
        if isinstance(node, ast.JoinedStr):
            return is_sentence(with_gaps(node)) or any(map(self.is_message, node.values))
        if isinstance(node, ast.FormattedValue):
            return self.is_error(node.value) or self.is_message(node.value)
        if isinstance(node, ast.Name):
            return node.id in self.constants | self.locals
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            return any(map(self.is_message, node.elts))
        return self.is_field(node) or self.is_error_text(node)

    def is_field(self, node: ast.AST) -> bool:
        is_attribute = isinstance(node, ast.Attribute)
        return is_attribute and (node.attr in MESSAGES or ast.unparse(node) in self.constants)

    def is_error(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id in self.errors

    def is_error_text(self, node: ast.AST) -> bool:
        """str(e), e.problem, e.args[0], and what methods of texts make of these."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return node.func.id in ("str", "repr") and any(map(self.is_error, node.args))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return self.is_error_text(node.func.value)
        if isinstance(node, ast.Subscript):
            return self.is_error_text(node.value)
        is_attribute = isinstance(node, ast.Attribute)
        return is_attribute and node.attr in OF_ERRORS and self.is_error(node.value)

    def decides(self, node: ast.AST) -> bool:
        """Whether this compares or searches a message."""
        rule = RULES.get(type(node))
        return rule is not None and rule(self, node)

    def compares(self, node: ast.Compare) -> bool:
        operands = [x for x in (node.left, *node.comparators) if not is_layout(x)]
        is_asked = all(isinstance(x, COMPARISONS) for x in node.ops)
        is_asked = is_asked and len(operands) > 1 and not any(map(is_choice, operands))
        return is_asked and any(map(self.is_message, operands))

    def searches(self, node: ast.Call) -> bool:
        if not isinstance(node.func, ast.Attribute):
            return False
        text, method = node.func.value, node.func.attr
        if isinstance(text, ast.Name) and text.id == "re" and method in PATTERNS:
            return any(map(self.is_message, node.args))
        if method in LOOKUPS:
            return any(map(self.is_message, node.args[:1]))
        if method not in SEARCHES or all(map(is_layout, node.args[:1])):
            return False
        is_template = isinstance(text, ast.JoinedStr | ast.Constant) or self.is_constant(text)
        is_filled = is_template and method in FILLS
        return any(map(self.is_message, [*node.args[:1], *([] if is_filled else [text])]))

    def is_constant(self, node: ast.AST) -> bool:
        return ast.unparse(node) in self.constants

    def looks_up(self, node: ast.Subscript) -> bool:
        is_read = isinstance(node.ctx, ast.Load) and not isinstance(node.slice, ast.Constant)
        return is_read and self.is_message(node.slice)

    def matches(self, node: ast.MatchValue) -> bool:
        return self.is_message(node.value)


RULES: dict[type[ast.AST], Callable[..., bool]] = {
    ast.Compare: Messages.compares,
    ast.Call: Messages.searches,
    ast.Subscript: Messages.looks_up,
    ast.MatchValue: Messages.matches,
}


def is_layout(node: ast.AST) -> bool:
    """None, a number, "", a line break: whether there is a message may be asked, and it is set."""
    if isinstance(node, ast.Tuple | ast.List):
        return all(map(is_layout, node.elts))
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return isinstance(node, ast.Constant) and not (is_text and node.value.strip())


def is_choice(node: ast.AST) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name in CHOICES


def messages(inside: Sequence[ast.AST], constants: set[str]) -> Messages:
    """The messages of a function: errors by their names first, then what is made of them."""
    errors = {x.name for x in inside if isinstance(x, ast.ExceptHandler) and x.name}
    errors |= {x.arg for x in inside if isinstance(x, ast.arg) and is_for_errors(x.annotation)}
    of_errors = Messages(constants, errors, set())
    names = {
        target.id
        for x in inside
        for target, value in assignments(x)
        if isinstance(target, ast.Name)
        and (of_errors.is_error_text(value) or of_errors.is_field(value))
    }
    return Messages(constants, errors, names)


def is_for_errors(annotation: ast.AST | None) -> bool:
    return annotation is not None and bool(IS_ERROR.search(ast.unparse(annotation)))


def assignments(node: ast.AST) -> list[tuple[ast.AST, ast.AST | None]]:
    """What gets which value by a statement or a loop."""
    if isinstance(node, ast.Assign):
        return [(target, node.value) for target in node.targets]
    if isinstance(node, ast.NamedExpr | ast.AnnAssign):
        return [(node.target, node.value)]
    if isinstance(node, ast.For | ast.comprehension):
        return [(node.target, node.iter)]
    return []


def compared_texts(source: Source, all_of: House) -> Iterator[Place]:
    constants = all_of.sentences_of(source)
    inner: set[int] = set()
    for function, inside in source.functions:  # outer ones come first
        if id(function) in inner:
            continue
        inner |= {id(x) for x in inside if isinstance(x, FUNCTIONS)}
        texts = messages(inside, constants)
        yield from (source.place(x, ast.unparse(x)) for x in inside if texts.decides(x))


# ---- the table


@dataclass(frozen=True)
class Column:
    """What is counted: its heading, and where it is in a file."""

    heading: str
    places: Callable[[Source, House], Iterator[Place]]


COLUMNS = {
    "files": Column("files", files),
    "importers": Column("one importer", single_importers),
    "any": Column("`Any`", named_any),
    "complexity": Column("complexity > 20", complex_functions),
    "parameters": Column("parameters ≥ 7", long_signatures),
    "isinstance": Column("`isinstance`", calls_of("isinstance")),
    "getattr": Column("`getattr`", calls_of("getattr")),
    "imports": Column("lazy imports", lazy_imports),
    "names": Column("names that say little", little_names),
    "texts": Column("compared texts", compared_texts),
}
LINES = "lines"


def places(of: House, column: str) -> list[Place]:
    """All places of a column, room by room."""
    places_in = COLUMNS[column].places
    return [x for source in of.sources.values() for x in places_in(source, of)]


def counts(of: House) -> dict[str, dict[str, int]]:
    """By room, in their order: lines, and how many places of each column there are."""
    lines = Counter[str]()
    for source in of.sources.values():
        lines[source.room] += source.text.count("\n")
    by_column = {name: Counter(x.room for x in places(of, name)) for name in COLUMNS}
    rooms = sorted(lines, key=lambda room: (room not in LINE, [*LINE, room].index(room)))
    return {
        room: {LINES: lines[room]} | {name: n[room] for name, n in by_column.items()}
        for room in rooms
    }


def headings() -> list[str]:
    return ["room", LINES, *(x.heading for x in COLUMNS.values())]


def table(by_room: dict[str, dict[str, int]]) -> list[list[str]]:
    """Rows of texts: headings, rooms, sum."""
    total = {k: sum(row[k] for row in by_room.values()) for k in (LINES, *COLUMNS)}
    rows = [*by_room.items(), ("sum", total)]
    return [headings(), *([room, *(f"{n:,}" for n in row.values())] for room, row in rows)]


def as_columns(rows: Sequence[Sequence[str]]) -> str:
    """A table for a terminal."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    )


def markdown(by_room: dict[str, dict[str, int]]) -> str:
    """The same for a page."""
    first, *rest = [f"| {' | '.join(row)} |" for row in table(by_room)]
    return "\n".join([first, "|---" + "|--:" * (1 + len(COLUMNS)) + "|", *rest]) + "\n"


# ---- the lists of what may not grow


def complex_now(of: House) -> set[str]:
    return {x.scope for x in places(of, "complexity")}


def texts_now(of: House) -> Counter[str]:
    return Counter(x.scope for x in places(of, "texts"))


def names_now(of: House) -> Counter[str]:
    return Counter(x.room for x in places(of, "names"))


def tidy(text: str, of: House) -> str:
    """The file of lists without what is gone, with counts that fell; nothing is added."""
    lists = tomllib.loads(text)
    counts_now = {
        "complex": Counter(complex_now(of)),
        "texts": texts_now(of),
        "names": names_now(of),
    }
    lines, section = [], ""
    for line in text.splitlines():
        section = line.strip("[]") if line.startswith("[") else section
        key = line.partition(" = ")[0].strip('"')
        if key not in lists.get(section, {}):
            lines.append(line)
        elif count := counts_now[section][key]:
            lines.append(with_count(line, count))
    return "\n".join(lines) + "\n"


def with_count(line: str, count: int) -> str:
    """A line of the file with its number, if it has one, no larger than a count."""
    return NUMBER.sub(lambda x: f"{x[1]}{min(int(x[2]), count)}", line)


NUMBER = re.compile(r"((?:\{ places|^\S+|^\"[^\"]*\") = )(\d+)")


# ---- the command


def as_lines(of_column: Iterable[Place]) -> str:
    lines = (f"{x.file}:{x.line}: {x.scope.partition(':')[2]}: {x.text}" for x in of_column)
    return "\n".join(lines)


def main() -> None:
    """Print the table, places, or all as JSON; or shorten the lists."""
    lines = (__doc__ or "").splitlines()
    parser = argparse.ArgumentParser(
        description=lines[0],
        epilog="\n".join(lines[2:7]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", nargs="?", type=Path, default=SOURCE, help="folder of the package")
    parser.add_argument("--list", choices=COLUMNS, help="the places of one column")
    parser.add_argument("--json", action="store_true", help="all counts and places")
    parser.add_argument("--tidy", action="store_true", help="shorten tests/project/house.toml")
    options = parser.parse_args()
    source = house(options.path)
    if options.list:
        print(as_lines(places(source, options.list)))
    elif options.json:
        lists = {name: [asdict(x) for x in places(source, name)] for name in COLUMNS}
        print(json.dumps({"rooms": counts(source), "places": lists}, indent=1, ensure_ascii=False))
    elif options.tidy:
        LISTS.write_text(tidy(LISTS.read_text(encoding="utf-8"), source), encoding="utf-8")
    else:
        print(as_columns(table(counts(source))))


if __name__ == "__main__":
    main()
