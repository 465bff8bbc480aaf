"""The floor plan: imports go one way along the line, and every folder says what is in it."""

import ast
import re
from collections import defaultdict
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import visviva
from tools.architecture_page import PAGE, TABLE, page
from tools.house import DOORWAYS, IN_NO_ROOM, LINE, headings
from visviva.describe.quantities import QUANTITIES

ROOT = Path(visviva.__file__).parent

# names that files of one room share by design, by room, and why
SHARED = {
    "notation": {
        # nodes of a page are called as those of a formula, and written page.Sum
        *"Call Mark Name Number Power Product Quotient Sum".split(),
        "aligned",  # relations under each other, by every writer
    },
    "space": {"exp", "log", "exp_derivative", "log_derivative"},  # of rotations and of poses
    "equations": {
        # what the table says of a quantity is computed for bodies and for energies
        *(row.name for row in QUANTITIES),
        *"inputs parameter_names parameter_values with_symbols check_inertia".split(),
        *"row_slices position_rows constraint_conditions".split(),  # likewise
        # what asks for the kind of constraints, of bodies and of energies
        *"pfaffian row_names position_rows structure_constants with_numbers".split(),
        "newton_euler",  # of a tree, and of one body with pencil and paper
        "may_give_energy",  # likewise, of bodies and of energies
        "possibly_massless",  # asked of a system, and stated for bodies and for energies
    },
    "judge": {"mistakes"},  # that a family of mistakes tries
}


def module_name(path):
    parts = ["visviva", *path.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}
FOLDERS = {name: path.parent for name, path in MODULES.items() if path.name == "__init__.py"}
DIVIDED = {name.rpartition(".")[0] for name in FOLDERS} - {"", "visviva"}  # with folders in them


@cache
def tree(module):
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


@cache
def nodes(module):
    """All nodes of a file, walked once for all who look through them."""
    return tuple(ast.walk(tree(module)))


def inside(module, is_one):
    """All that is inside of such nodes of a file."""
    outer = (node for node in nodes(module) if is_one(node))
    return {id(inner) for node in outer for inner in ast.walk(node)}


def is_for_types(node):
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def is_function(node):
    return isinstance(node, ast.FunctionDef)


@cache
def imported(module, lazily=True):
    """Modules of ours that a file imports at run time; without `lazily`, those of its top alone."""
    skipped = inside(module, is_for_types) | (set() if lazily else inside(module, is_function))
    names = set()
    for node in nodes(module):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names if alias.name in MODULES}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("visviva"):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                names.add(inner if inner in MODULES else node.module)
    return names - {module, "visviva"}


def room(module):
    return module.split(".")[1] if "." in module else None


def is_ahead(other, module):
    return room(other) is not None and LINE.index(room(other)) > LINE.index(room(module))


def needed_imports(module):
    """Modules without which a file is nothing: all that it imports but what a doorway leads to.

    What a doorway imports in functions it needs only when it is asked: it may lie ahead, in
    another room or in a folder of its own that builds on the doorway.
    """
    return imported(module, lazily=module not in DOORWAYS)


def test_imports_go_one_way():
    outside = [m for m in MODULES.keys() - DOORWAYS if room(m) not in LINE]
    assert not outside, f"in no room of the line {LINE}: {outside}"
    rooms = [m for m in MODULES if room(m) in LINE]
    back = [f"{m} imports {x}" for m in rooms for x in needed_imports(m) if is_ahead(x, m)]
    assert not back, f"downstream lies what {back}"


def test_only_doorways_lead_downstream():
    """A door that leads nowhere is closed."""
    for door in DOORWAYS:
        modules = {text.partition(":")[0] for text in named_in_strings(door)}
        modules |= imported(door) - needed_imports(door)
        assert room(door) not in LINE or any(is_ahead(x, door) for x in modules), door


def named_in_strings(module):
    """What a file names by text: "visviva.space.poses:Pose", and "dynamics:bias_forces"."""
    for node in nodes(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
            if re.fullmatch(r"visviva(\.\w+)+(:\w*)?", text) and not text.endswith("worker"):
                yield text
            elif re.fullmatch(r"[a-z_]+(\.[a-z_]+)*:[a-z]\w*", text):
                yield f"visviva.equations.{text}"


def test_names_in_strings_exist_and_lie_upstream():
    for module, text in ((m, text) for m in MODULES for text in named_in_strings(m)):
        where, _, name = text.partition(":")
        assert where in MODULES, f"{module} names {text}, and there is no {where}"
        assert not name or hasattr(import_module(where), name), f"{module}: no {text}"
        if module not in DOORWAYS:
            assert not is_ahead(where, module), f"{module} names {where}, which lies downstream"


def assert_no_circles(graph):
    done, path = set(), []

    def visit(node):
        if node in done:
            return
        assert node not in path, " -> ".join([*path[path.index(node) :], node])
        path.append(node)
        for other in sorted(graph.get(node, ())):
            visit(other)
        path.pop()
        done.add(node)

    for node in sorted(graph):
        visit(node)


def test_no_circles_of_files():
    assert_no_circles({m: needed_imports(m) for m in MODULES})


def folder(module):
    return module if module in FOLDERS else module.rpartition(".")[0]


def reaches_below(module, seen):
    """Whether a file needs a folder below its own, perhaps by way of its neighbours."""
    seen.add(module)
    near = [other for other in needed_imports(module) if folder(other) == folder(module)]
    below = any(folder(other).startswith(f"{folder(module)}.") for other in needed_imports(module))
    return below or any(reaches_below(other, seen) for other in near if other not in seen)


def place(module):
    """The folder of a file; files at its base, which what lies below may use, stand apart."""
    if folder(module) == "visviva":
        return module
    base = folder(module) in DIVIDED and not reaches_below(module, set())
    return f"{folder(module)} (base)" if base else folder(module)


def test_no_circles_of_folders():
    graph = defaultdict(set)
    for module in sorted(MODULES):
        graph[place(module)] |= {place(other) for other in needed_imports(module)} - {place(module)}
    assert_no_circles(graph)


def defined(module):
    """The public names that a file defines at its top."""
    names = set()
    for node in tree(module).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            inside = [x for target in targets for x in ast.walk(target)]
            names |= {x.id for x in inside if isinstance(x, ast.Name)}
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("name", sorted(x for x in LINE if f"visviva.{x}" in FOLDERS))
def test_a_public_name_is_defined_once_per_room(name):
    where = defaultdict(list)
    for module in MODULES:
        for x in defined(module) if room(module) == name else ():
            where[x].append(module)
    twice = {x: files for x, files in where.items() if len(files) > 1}
    for x in SHARED.get(name, set()):
        twice.pop(x, None)
    assert not twice


def described(node):
    return len((ast.get_docstring(node) or "").split()) > 1


@cache
def answers():
    """Each class by name: the names of its bases, and of its methods that are described."""
    classes = defaultdict(lambda: (set(), set()))
    for module in MODULES:
        for node in nodes(module):
            if isinstance(node, ast.ClassDef):
                bases, methods = classes[node.name]
                bases |= {re.match(r"[\w.]*", ast.unparse(base))[0] for base in node.bases}
                methods |= {x.name for x in node.body if hasattr(x, "name") and described(x)}
    return classes


def inherits(base, method):
    """Whether a class, or what it comes from, describes a method."""
    bases, methods = answers().get(base, (set(), set()))
    return method in methods or any(inherits(other, method) for other in bases)


def test_public_functions_say_what_they_are():
    for module, node in ((m, node) for m in MODULES for node in tree(m).body):
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        bases = answers()[node.name][0] if isinstance(node, ast.ClassDef) else ()
        for f in inside:
            if not isinstance(f, ast.FunctionDef) or f"{node.name} {f.name}".startswith("_"):
                continue
            if any(ast.unparse(d) == "overload" for d in f.decorator_list):
                continue
            told = f.name.startswith("_") or any(inherits(base, f.name) for base in bases)
            assert told or described(f), f"{module}: {node.name} {f.name}"


def contents(name):
    """The files that a folder's docstring lists, in its order; folders end in a slash."""
    text = ast.get_docstring(tree(name), clean=False).partition("\nExamples:")[0]
    return re.findall(r"^(?: {4})?(\w+/?) {2,}\S", text, re.MULTILINE)


@pytest.mark.parametrize("name", sorted(FOLDERS.keys() - {"visviva"}))
def test_a_folder_tells_its_contents_in_reading_order(name):
    files = [path.stem for path in FOLDERS[name].glob("*.py") if path.name != "__init__.py"]
    inner = [f"{x.rpartition('.')[2]}/" for x in FOLDERS if x.rpartition(".")[0] == name]
    listed = contents(name)
    assert sorted(listed) == sorted([*files, *inner])
    for k, first in enumerate(listed):
        later = {f"{name}.{x}" for x in listed[k + 1 :]}
        module = f"{name}.{first}"
        if module in MODULES:
            assert not needed_imports(module) & later, (
                f"{name} tells of {first} before what it needs"
            )


TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "door", sorted(TESTS.glob("support/**/__init__.py")), ids=lambda x: x.parent.name
)
def test_what_tests_share_is_listed(door):
    listed = re.findall(r"^(\w+/?) {2,}\S", door.read_text(encoding="utf-8"), re.MULTILINE)
    files = [path.stem for path in door.parent.glob("*.py") if path != door]
    inner = [f"{path.parent.name}/" for path in door.parent.glob("*/__init__.py")]
    assert sorted(listed) == sorted([*files, *inner])


def test_what_tests_share_is_imported_from_one_root():
    """A file under two names is two modules, with two sets of caches and classes."""
    assert find_spec("tests.support") is not None
    assert find_spec("support") is None


def test_the_page_of_the_architecture_is_up_to_date():
    """All of it but the numbers of its table, which every commit would change."""
    text = PAGE.read_text(encoding="utf-8")
    (table,) = TABLE.findall(text)
    assert text == page(table), "run tools/architecture_page.py"
    cells = [line.split("|")[1:-1] for line in table.splitlines() if line.startswith("|")]
    first, _, *rows = [[x.strip() for x in row] for row in cells]
    assert first == headings(), "run tools/architecture_page.py"
    folders = [room for room in LINE if f"visviva.{room}" in FOLDERS]
    rooms = [*folders, IN_NO_ROOM, "sum"]
    assert [row[0] for row in rows] == rooms, "run tools/architecture_page.py"
    numbers = [[int(x.replace(",", "")) for x in row[1:]] for row in rows]
    assert [sum(column) for column in zip(*numbers[:-1], strict=True)] == numbers[-1]
