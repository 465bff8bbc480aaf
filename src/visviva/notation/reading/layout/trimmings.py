r"""Boxes, colours, arrows, comments, numbers of equations and words before a colon.

An arrow or a "therefore" ends a statement, a comment goes to the end of its line. A box that has an
equation inside is taken away, one around a factor stays a group: 2\boxed{a + b} is 2(a + b).
"""

from __future__ import annotations

import re
from collections.abc import Container

from visviva.notation.reading.layout.decimals import with_points

COMMENT = re.compile(
    r"(?<!\\)#(?:[0-9]{1,3}[:.)]?(?=\s)|[^\n]*)|(?<![^\s;])%(?=[\s%A-Za-z]|$)[^\n]*"
)
_SHARE = re.compile(
    r"(?<![\w.^)])(?<!\*\*)(?!0*[ \t]*$)[0-9]+(?:\.[0-9]*)?[ \t]*$"
)  # 50 %; r^2 and 0 are none
_ARROWS = "therefore Rightarrow Longrightarrow implies iff Leftrightarrow Longleftrightarrow"
_ARROWS += " rightarrow longrightarrow leadsto"
ARROW = re.compile(
    rf"\\(?:{'|'.join(_ARROWS.split())})(?![A-Za-z])|[∴⇒⟹⇔⟺→⟶]|<?=+>|(?:^|(?<=\n))[ \t]*-+>"
)
# (3) or (pendulum) in letters that are set as text
_NUMBER = re.compile(r"\\(?:text|textrm|textbf|mathrm|mbox)\s*\{\s*\([\w .,-]{1,40}\)\s*\}")
_ENDS = re.compile(r"[✓✔∎■□]|\\(?:checkmark|qed|blacksquare|square|Box)(?![A-Za-z])")
_TITLE = re.compile(r"(?:^|(?<=\n))[ \t]*[A-Za-z][A-Za-z ]{1,30}[A-Za-z]:(?!=)(?=[^\n:]*=)")
_BOX = re.compile(
    r"\\(boxed|Aboxed|fbox|tcboxmath|underbrace|overbrace|underline"
    r"|(?:textcolor|colorbox)\s*\{[^{}]*\})\s*\{"
)
_COLOUR = re.compile(r"\\color\s*\{[^{}]*\}")
_UNDER = re.compile(r"\s*[_^]\s*\{")
_ONE_NAME = re.compile(r"\s*\\?[^\W\d_]+\s*(?:_\s*(?:\w|\{[^{}]*\}))?\s*")
_DEGREES = re.compile(
    r"(?<=[0-9])(?:(?:\\[,;: ]|\s)*(?:\\degree|\^\s*\\circ|\^\s*\{\s*\\circ\s*\})(?![A-Za-z])"
    r"|[ ]*(?:deg|degrees?)(?![A-Za-z0-9_(/]))"
)


def trimmed(text: str, names: Container[str] = ()) -> str:
    """The text without its trimmings; `names` are those of the system, which none of them is."""
    text = COMMENT.sub(_uncommented, text)
    for pattern in (_NUMBER, _ENDS, _COLOUR):
        text = pattern.sub(_blank, text)
    if not any(x in names for x in ("deg", "degree", "degrees")):
        text = _DEGREES.sub(lambda m: "°".ljust(len(m[0])), text)
    text = ARROW.sub(lambda m: ";".rjust(len(m[0])), _TITLE.sub(_blank, text))
    return with_points(_unboxed(text))


def noted_comments(text: str) -> tuple[str, ...]:
    """What is said of comments, as they may be meant otherwise."""
    said = (m[0].strip() for m in COMMENT.finditer(text) if not _is_share(m))
    return tuple(f"{x:.60} is a comment, which is not read" for x in said if len(x) > 4)


def _uncommented(match: re.Match[str]) -> str:
    return match[0] if _is_share(match) else _blank(match)


def _is_share(match: re.Match[str]) -> bool:
    """Whether a single % stands after a number, 50 % I2."""
    single = match[0][0] == "%" and not match[0].startswith("%%")
    before = match.string[: match.start()].rpartition("\n")[2]
    return single and _SHARE.search(before) is not None


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _unboxed(text: str) -> str:
    at = 0
    while box := _BOX.search(text, at):
        opening, at = box.end() - 1, box.end()
        closing = _closing(text, opening)
        if closing is None:
            break  # told where brackets are paired
        inside = text[box.end() : closing]
        if box[1] == "underline" and _ONE_NAME.fullmatch(inside):
            continue
        text = _without(text, box.start(), opening)
        if re.search(r"=|&|\\\\", inside):
            text = _without(_without(text, opening, opening + 1), closing, closing + 1)
        under = _UNDER.match(text, closing + 1)
        end = _closing(text, under.end() - 1) if under and box[1].endswith("brace") else None
        if end is not None:
            text = _without(text, closing + 1, end + 1)
        at = opening
    return text


def _closing(text: str, opening: int) -> int | None:
    """The place of the brace that closes one."""
    depth = 0
    for k in range(opening, len(text)):
        if text[k] in "{}" and text[k - 1] != "\\":
            depth += 1 if text[k] == "{" else -1
            if not depth:
                return k
    return None


def _without(text: str, start: int, stop: int) -> str:
    return text[:start] + " " * (stop - start) + text[stop:]
