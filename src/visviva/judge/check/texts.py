"""Plain text, Markdown and notebooks: one claim a line, where a line may go on in the next."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise

from visviva.errors import ClaimFileError
from visviva.judge.check.answers.pieces import Passage, Piece, Unread, passages
from visviva.judge.check.macros import readable, without_remarks
from visviva.judge.check.papers import (
    DISPLAYED,
    INLINE,
    begins,
    inside_of,
    is_claim,
    is_equation,
    of_match,
)
from visviva.notation.names import GREEK
from visviva.notation.tree import FUNCTIONS

_LABEL = re.compile(r"([^:=\\]{1,60}):(?!=)\s*(?=\S)")  # no \\: of LaTeX, no :=
_BEFORE = re.compile(r"([^:=\\]{1,60}):\s*\Z")
_MATH = re.compile(r"\$[^$]+\$|\$\$[^$]+\$\$|`[^`=]*=[^`]*`")
_CODE = re.compile(r"(?<!`)`(?P<code>[^`\n]+)`(?!`)")
_RULE = re.compile(r"```.*|~~~.*|[-*_=]{3,}")  # of Markdown: fences, lines across the page
_FENCE = re.compile(r"\s*(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[^\s`]*)[^`]*")
_FORMULAS = ("", *"text txt plain math latex tex katex asciimath md markdown".split())  # are read
_PROGRAM = "code is not read: write what it claims as text, or in a block without a language"
_BULLET = re.compile(r"[*•▪◦‣]\s+(?=\S)")  # with which no formula begins
_SIGN = re.compile(r"([-+–])\s+(?=\S)")  # a bullet too, or the sign of a formula
_NEGATED = re.compile(r"[-–]\s+\$?\\?\w+(?:_?\{\w+\})?\s*=")  # of a name alone
_TWO_WAYS = "- may be a sign or the mark of a list: leave it out, or write it without a blank"
_TASK = re.compile(r"(?P<item>[-+*]\s+)?\[[ xX]\]\s+(?=\S)")  # done, or to be done
_REMARK = re.compile(r"(?<=\s)%.*")  # after a claim
_QUOTED = re.compile(r"\A\s{0,3}(?:>(?!=)\s?)+")  # no >= of a line that goes on
_ACROSS = re.compile(r":?-+:?")  # below the heads of a table, in every cell
_CELL = re.compile(r"(?:\\.|\$[^$]*\$|`[^`]*`|[^|])+")
_NO_EQUATION = "a row of a table is read where it has an equation: write M22 = ... in a cell"
_NUMBER = re.compile(r"\(?(\d{1,3})[.)]\s+(?=\S)")
_CLOSED = re.compile(r"\d{1,3}\)\s+(?=\S)")  # 3) is no factor
_ENDS = re.compile(r"[-+*/=^−·×(\[{,;&]\s*\Z|\\(?:cdot|times)\s*\Z")
_BRACKET = re.compile(r"\\begin\{|\\end\{|\\left\s*[.|]|\\right\s*[.|]|\\[{}]|[(\[{)\]}]")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_OPENS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def text_claims(text: str, markdown: bool = False) -> dict[str, Passage | Unread]:
    """Claims by the label before a colon, `Ada: M22 = ...`, or by the line they begin in."""
    return passages(_pieces(text, markdown))


def notebook_claims(text: str, source: str) -> dict[str, Passage | Unread]:
    """Claims of the cells that are text; code is not read, and never run."""
    try:
        data = json.loads(text)
        sheets = data.get("worksheets") or [data]
        cells = [cell for sheet in sheets for cell in sheet["cells"]]
        said = [(str(x["cell_type"]), _source(x.get("source", ""))) for x in cells]
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        raise ClaimFileError(f"{source}: expected a notebook, with cells") from None
    pieces, code = list[Piece](), list[str]()
    for k, (kind, inside) in enumerate(said, 1):
        if kind == "code":
            code += [str(k)] if inside.strip() else []
            continue
        pieces += [x._replace(cell=f"cell {k}, ") for x in _pieces(inside, kind != "raw")]
    claims = passages(pieces)
    if not (claims or code):
        raise ClaimFileError(f"{source}: expected claims in cells of text, M22 = ..., got none")
    if code:
        one = len(code) == 1
        claims[f"code in cell{'s' * (not one)} {', '.join(code)}"] = Unread(
            "code is not read: write what it claims into a cell of text"
        )
    return claims


def _source(said: object) -> str:
    return "".join(map(str, said)) if isinstance(said, list) else str(said)


def _pieces(text: str, markdown: bool) -> Iterator[Piece]:
    lines = readable(without_remarks(text) if markdown else text).splitlines()
    lines = [_QUOTED.sub("", x) if markdown else _REMARK.sub("", x) for x in lines]
    code = _programs(lines) if markdown else {}
    tables = _tables(lines) if markdown else {}
    listed = [] if markdown else _listed(lines)
    k = 0
    while k < len(lines):
        if k in code:
            yield Piece(code[k], k + 1, why=_PROGRAM)
        for cell in tables.get(k, ()):
            yield from _of_cell(cell, k + 1)
        line = _unlisted(lines[k].strip(), markdown, listed)
        if _is_none(line, markdown):
            k += 1
            continue
        if (block := _block(lines, k)) is not None:
            before = _BEFORE.search(lines[k][: block.start()])
            yield from of_match(block, k + 1, before[1].strip() if before else "")
            rest = block.string[block.end() :].partition("\n")[0]
            k += block[0].count("\n")
            lines[k] = rest.strip(" .,;")
            continue
        first, k = k + 1, k + 1
        while k < len(lines) and (more := _goes_on(line, lines, k, markdown)):
            for x in filter(None, map(str.strip, lines[k : k + more])):
                line = _joined(line, x)
            k += more
        yield from _of_line(line, first, markdown)


def _programs(lines: list[str]) -> dict[int, str]:
    """Blocks of code in a language of programs, by their first lines; they are empty then."""
    found: dict[int, str] = {}
    k = 0
    while k < len(lines):
        fence = _FENCE.fullmatch(lines[k])
        if fence is None:
            k += 1
            continue
        end = re.compile(rf"\s*{fence['mark'][0]}{{{len(fence['mark'])},}}\s*")
        stop = next((j for j in range(k + 1, len(lines)) if end.fullmatch(lines[j])), len(lines))
        inside = lines[k + 1 : stop]
        if fence["language"].lower().strip("{}.") not in _FORMULAS:
            if any(map(str.strip, inside)):
                found[k] = next(x.strip() for x in inside if x.strip())
            lines[k + 1 : stop] = [""] * len(inside)
        k = stop + 1
    return found


def _tables(lines: list[str]) -> dict[int, list[str]]:
    """The cells of tables by their lines, which are empty then; heads are no claims."""
    found: dict[int, list[str]] = {}
    for k in range(1, len(lines)):
        if "|" not in lines[k] or "|" not in lines[k - 1]:
            continue
        if not all(_ACROSS.fullmatch(x.strip()) for x in lines[k].strip().strip("|").split("|")):
            continue
        stop = next((j for j, x in enumerate(lines[k:], k) if "|" not in x), len(lines))
        for j in (k - 1, *range(k + 1, stop)):
            cells = [x.strip() for x in _CELL.findall(lines[j].strip().strip("|"))]
            claims = [x for x in cells if is_equation(x)]
            found[j] = claims or ([" | ".join(cells)] if j > k and _has_formula(cells) else [])
        lines[k - 1 : stop] = [""] * (stop - k + 1)
    return found


def _has_formula(cells: list[str]) -> bool:
    return any(re.search(r"[$`^\\]|\w\s*[-+*/]\s*\w", x) for x in cells)


def _of_cell(cell: str, k: int) -> Iterator[Piece]:
    """The claims of a cell, or that a row has formulas and no equation."""
    if is_equation(cell):
        yield from _of_line(cell.replace(r"\|", "|"), k, True)
    else:
        yield Piece(cell, k, why=_NO_EQUATION)


def _is_none(line: str, markdown: bool) -> bool:
    """Whether a line is empty, a remark, or in Markdown a rule."""
    rule = markdown and _RULE.fullmatch(line) is not None
    return not line or line.startswith("#") or rule


def _of_line(line: str, k: int, markdown: bool) -> Iterator[Piece]:
    """The claims of a line; formulas within words are claims where they are equations."""
    match = _LABEL.match(line)
    label = match[1].strip() if match else ""
    claim = line[match.end() :] if match else line
    if display := DISPLAYED.fullmatch(claim.rstrip(" .,;")):
        yield from of_match(display, k, label)
        return
    if _MATH.fullmatch(claim):
        yield Piece(claim.strip("$`").strip(), k, label)
        return
    marks = [*INLINE.finditer(claim), *(_CODE.finditer(claim) if markdown else ())]
    found = [x for x in marks if is_claim(inside_of(x))]
    outside = claim
    for x in marks:
        outside = outside.replace(x[0], " ")
    within = found and "=" not in outside and _WORDS.search(outside)
    if within:
        for x in sorted(found, key=re.Match.start):
            yield Piece(inside_of(x).strip(" .,;"), k, label)
    elif not (markdown and not label and _is_prose(outside if marks else claim)):
        yield Piece(claim, k, label, why=_TWO_WAYS if _NEGATED.match(claim) else "")


def _is_prose(text: str) -> bool:
    """Whether a text is one of words, without an = sign, and no sentence that is a claim."""
    if "=" in text or re.search("symm?etri", text):
        return False
    words = [x.lower() for x in _WORDS.findall(text)]
    spoken = [x for x in words if x not in FUNCTIONS and x not in GREEK]
    return len(spoken) > 1 or text.rstrip().endswith(":")


def _block(lines: list[str], k: int) -> re.Match[str] | None:
    """A displayed formula over several lines that begins in one of them."""
    if not re.search(r"\$\$|\\\[|\\begin\{", lines[k]):
        return None
    found = DISPLAYED.search("\n".join(lines[k:]))
    if found is None or found.start() > len(lines[k]) or "\n" not in found[0]:
        return None
    return None if "=" in lines[k][: found.start()] else found


def _goes_on(line: str, lines: list[str], k: int, markdown: bool) -> int:
    """How many of the lines from one on belong to the claim before them."""
    if (depth := _depth(line)) > 0:
        for count, x in enumerate(lines[k:], 1):
            if _is_none(x.strip(), markdown) or is_equation(x) or _LABEL.match(x):
                break
            depth += _depth(x)
            if depth <= 0:
                return count
        return 0
    at = next((j for j, x in enumerate(lines[k:], k) if x.strip()), k)
    more, over = lines[at].strip(), at - k
    if _is_none(more, markdown) or _LABEL.match(more) or (markdown and _is_prose(more)):
        return 0
    first = begins(more)
    if over:  # in Markdown - after an empty line begins a list
        signs = ("=", "+") if markdown else (first,)
        own = first != "=" and is_equation(more)
        return over + 1 if first and first in signs and not own else 0
    if first == "=":
        return 1
    if is_equation(more):
        alone = not is_equation(line) and not _is_prose(line)
        return int(bool(first) and alone)
    return int(bool(first) or _ENDS.search(line) is not None)


def _joined(line: str, more: str) -> str:
    """Two lines as one; in [ ] of plain text the end of a line is that of a row."""
    inside = list[str]()
    for mark in _BRACKET.findall(line):
        if _OPENS.get(mark) == 1:
            inside.append(mark)
        elif _OPENS.get(mark) == -1 and inside:
            inside.pop()
    apart = not (_ENDS.search(line) or begins(more) or more[0] in ",;&)]}")
    row = inside[-1:] == ["["] and "\\" not in line + more and apart
    return f"{line}; {more}" if row else f"{line} {more}"


def _depth(line: str) -> int:
    """How many brackets and environments a line opens and does not close."""
    return sum(
        1 if x == r"\begin{" else -1 if x == r"\end{" else _OPENS.get(x, 0)
        for x in _BRACKET.findall(re.sub(r"(\\(?:begin|end)\{)[^}]*\}", r"\1", line))
    )


def _listed(lines: list[str]) -> list[str]:
    """The signs, - or +, and numbers that every equation of a text begins with: those of a list.

    The equation of a number may end in the line after it, with an operator first.
    """
    bare = [x.strip() for x in lines if not x.strip().startswith("#")]
    said = [x for x in bare if is_equation(x)]
    signs = {sign[1] if (sign := _SIGN.match(x)) else "" for x in said}
    ends = {y for x, y in pairwise(bare) if _NUMBER.match(x) and begins(y) and not is_equation(x)}
    firsts = [x for x in bare if x not in ends and (is_equation(x) or _NUMBER.match(x))]
    numbers = [int(number[1]) if (number := _NUMBER.match(x)) else 0 for x in firsts]
    found = [*signs] if len(said) > 1 and len(signs) == 1 and "" not in signs else []
    return [*found, "1"] if len(firsts) > 1 and numbers == [*range(1, len(firsts) + 1)] else found


def _unlisted(line: str, markdown: bool, listed: list[str]) -> str:
    """A line without the mark that says that it is one of a list."""
    if (task := _TASK.match(line)) and (markdown or task["item"]):
        return line[task.end() :]
    line = _BULLET.sub("", line, count=1) if _BULLET.match(line) else line
    sign, number = _SIGN.match(line), _NUMBER.match(line)
    if sign and (markdown or sign[1] in listed):
        line = line[sign.end() :]
    elif number and (markdown or "1" in listed or _CLOSED.match(line)) and not _LABEL.match(line):
        line = line[number.end() :]
        task = _TASK.match(line)
        line = line[task.end() :] if task else line
    return line
