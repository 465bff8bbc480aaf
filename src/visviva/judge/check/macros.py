r"""LaTeX as it is read: what is not seen is blanked, commands that the text defines are put in.

Every line stays where it is.

Examples:
    >>> readable(r"\newcommand{\qd}[1]{\dot q_{#1}} $T = m \qd2^2$")
    ' $T = m \\dot q_{2}^2$'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from visviva.errors import ArgumentError

_UNPRINTED = re.compile(
    r"(?P<kept>\\[\\%]|\\newif\s{0,9}\\[A-Za-z]+|\\ifthenelse(?![A-Za-z]))"
    r"|%.*|\\verb\*?(?P<mark>[^\w\s*]).*?(?P=mark)|\\end\{document\}[\s\S]*"
    r"|\\begin\{(?P<kind>comment|[vV]erbatim\*?|lstlisting|minted)\}[\s\S]*?(?:\\end\{(?P=kind)\}|\Z)"
    r"|\\(?P<switch>if(?!f(?![A-Za-z]))[A-Za-z]*|else|fi)(?![A-Za-z])"
)
_REMARK = re.compile(r"<!--[\s\S]*?(?:-->|\Z)")
_UNSEEN = re.compile(r"\\[hv]?phantom(?![A-Za-z])\s*(?=\{)")
_DEFINES = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand)\*?\s*(?:\{\s*\\(?P<braced>[A-Za-z]+)\s*\}"
    r"|\\(?P<bare>[A-Za-z]+))\s*(?:\[(?P<count>\d)\])?\s*(?:\[(?P<default>[^\]]*)\])?\s*(?=\{)"
    r"|\\def\s*\\(?P<plain>[A-Za-z]+)\s*(?P<marks>(?:#\d)*)\s*(?=\{)"
    r"|\\DeclareMathOperator\*?\s*\{\s*\\(?P<operator>[A-Za-z]+)\s*\}\s*(?=\{)"
)
_ARGUMENT = re.compile(r"#(\d)")
_TOKEN = re.compile(r"\s*(\\[A-Za-z]+|\\.|[^\s{}])")
_DEEPEST = 20  # commands inside commands
_LONGEST = 2_000_000  # characters with all commands put in


class _Command(NamedTuple):
    """What a command stands for, its number of arguments, and the first one if it is left out."""

    body: str
    takes: int
    default: str | None


def seen_on_the_page(text: str) -> str:
    """LaTeX without what no page shows as a formula: remarks, branches not taken, verbatim text.

    Of switches whose value is not known both branches stay.
    """
    pieces, at = list[str](), 0
    branches, left_out = list[bool | None](), 0  # of the switches that are open
    for found in _UNPRINTED.finditer(text):
        before, switch = text[at : found.start()], found["switch"] or ""
        pieces.append(_lines_of(before) if left_out else before)
        at = found.end()
        if switch.startswith("if"):
            branches.append({"iffalse": True, "iftrue": False}.get(switch))
            left_out += branches[-1] is True
        elif switch == "else" and branches and branches[-1] is not None:
            branches[-1] = not branches[-1]
            left_out += 1 if branches[-1] else -1
        elif switch == "fi" and branches:
            left_out -= branches.pop() is True
        kept = found["kept"] and not left_out
        pieces.append(found[0] if kept else _lines_of(found[0]))
    if left_out:
        raise ArgumentError(r"a branch that is not printed, \iffalse or \else, has no end: \fi")
    return "".join([*pieces, text[at:]])


def without_remarks(text: str) -> str:
    """Markdown without <!-- remarks -->, every line where it is."""
    return _REMARK.sub(lambda x: _lines_of(x[0]), text)


def readable(text: str) -> str:
    """A text without phantoms, with its own commands put in."""
    if "\\" not in text:
        return text
    commands: dict[str, _Command] = {}
    pieces, at = list[str](), 0
    while found := _DEFINES.search(text, at):
        stop = group_end(text, found.end())
        if stop is None:
            break
        pieces += [
            _put_in(text[at : found.start()], commands),
            _lines_of(text[found.start() : stop]),
        ]
        body = " ".join(text[found.end() + 1 : stop - 1].split())
        name = found["braced"] or found["bare"] or found["plain"] or found["operator"]
        if found["operator"]:
            body = rf"\operatorname{{{body}}}"
        count = int(found["count"] or 0) or (found["marks"] or "").count("#")
        commands.pop(name, None)
        if not re.search(rf"\\{name}(?![A-Za-z])", body):
            commands[name] = _Command(body, count, found["default"])
        at = stop
    return _seen("".join([*pieces, _put_in(text[at:], commands)]))


def group_end(text: str, at: int) -> int | None:
    """Where the group ends whose brace is at a place; None if it does not."""
    depth = 0
    for mark in re.finditer(r"\\.|[{}]", text[at:], re.DOTALL):
        depth += (mark[0] == "{") - (mark[0] == "}")
        if depth == 0 and mark[0] == "}":
            return at + mark.end()
    return None


def _lines_of(text: str) -> str:
    return "\n" * text.count("\n")


def _seen(text: str) -> str:
    """Without \\phantom{...}, which takes room and says nothing."""
    while found := _UNSEEN.search(text):
        stop = group_end(text, found.end()) or found.end()
        text = f"{text[: found.start()]} {_lines_of(text[found.start() : stop])}{text[stop:]}"
    return text


def _put_in(text: str, commands: Mapping[str, _Command]) -> str:
    """With commands in the place of which their bodies stand; those in a circle stay."""
    if not commands:
        return text
    pattern = re.compile(rf"\\({'|'.join(commands)})(?![A-Za-z])")
    for _ in range(_DEEPEST):
        pieces, at = list[str](), 0
        while found := pattern.search(text, at):
            body, stop = _written_out(commands[found[1]], text, found.end())
            pieces += [text[at : found.start()], body]
            at = stop
        longer = "".join([*pieces, text[at:]])
        if not pieces or len(longer) > _LONGEST:
            break
        text = longer
    return text


def _written_out(command: _Command, text: str, at: int) -> tuple[str, int]:
    """The body with the arguments that stand at a place, and where these end."""
    arguments, start = list[str](), at
    if command.default is not None:
        given = re.compile(r"\s*\[([^\]]*)\]").match(text, at)
        arguments.append(given[1] if given else command.default)
        at = given.end() if given else at
    while len(arguments) < command.takes:
        brace = re.compile(r"\s*(?=\{)").match(text, at)
        stop = group_end(text, brace.end()) if brace else None
        token = _TOKEN.match(text, at)
        if brace and stop is not None:
            arguments.append(text[brace.end() + 1 : stop - 1])
            at = stop
        elif token:
            arguments.append(token[1])
            at = token.end()
        else:
            arguments.append("")

    def argument(mark: re.Match[str]) -> str:
        k = int(mark[1])
        return arguments[k - 1] if 0 < k <= len(arguments) else mark[0]

    body = _ARGUMENT.sub(argument, command.body)
    kept = text[start:at].count("\n") - body.count("\n")  # line ends between arguments
    return body + "\n" * kept, at
