"""`visviva check`: verdicts on typed equations."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from visviva.cli.common import AsData, check_output, completions, pairs_of, system_of, written
from visviva.cli.output import as_text, one_line, say, say_data, shown
from visviva.describe.quantities import KINDS
from visviva.errors import ArgumentError, VisvivaError

OF = f"What it is about, if no left side says so: {', '.join(KINDS)}."


def check(
    mechanism: Annotated[
        str,
        typer.Argument(
            help="A name of the catalogue, or a file; the claims' file may say it.",
            autocompletion=completions,
        ),
    ] = "",
    claim: Annotated[
        list[str] | None, typer.Argument(help="An equation, plain or LaTeX; or several.")
    ] = None,
    file: Annotated[
        list[Path] | None,
        typer.Option(
            help="Claims: one a line, perhaps `label: claim`; CSV, columns name and claim or one a "
            "question; JSON, LaTeX, Markdown, notebooks, TOML; a folder of such files; - for what "
            "is piped in."
        ),
    ] = None,
    of: Annotated[str, typer.Option(help=OF)] = "",
    symbols: Annotated[str, typer.Option(help="Names: theirs=ours,theirs=ours.")] = "",
    shorthand: Annotated[
        bool | None, typer.Option(help="c12 is cos(q1 + q2), s2 is sin(q2).")
    ] = None,
    frame: Annotated[str, typer.Option(help="Whose pose, Jacobian or inertia.")] = "",
    assume: Annotated[str, typer.Option(help="Forces that are zero: tau2 = 0; tau3 = 0.")] = "",
    save: Annotated[
        Path | None, typer.Option(help="The verdicts as a table, .csv, or .json.")
    ] = None,
    notes: Annotated[bool, typer.Option(help="With all notes below the rows of a table.")] = False,
    as_json: AsData = False,
) -> None:
    """Is your equation right? A verdict, and if it differs the missing and the extra term.

    Ends with 0 only if every claim is identical, so that a repository can run it as a test. One
    that holds only where some force is zero is not, unless --assume says so; nor is one that
    relates quantities to each other, M21 = M12, which is no formula for one of them.

    \b
    Examples:
      visviva check two_link "M22 = I2 + m2 r2^2"
      visviva check two_link "tau2 = (I2 + m2 r2^2) q2'' + m2 a_g r2 cos(q1 + q2)"
      visviva check --file claims.toml --json
      visviva check two_link --file answers.csv --save verdicts.csv
      visviva check two_link --file homework/ --file late.txt
    """
    from visviva.judge.check.answers.pieces import UNJUDGED
    from visviva.judge.check.sheets import sheet
    from visviva.judge.check.verdict import DEFINITION

    said = _said(claim or [], file or [], mechanism)
    check_output(save, (".csv", ".json"))
    if save is not None and save.resolve() in [x.resolve() for x in file or []]:
        raise typer.BadParameter(f"{save} has the claims", param_hint="--save")
    system = said.system
    if system is None:
        raise typer.BadParameter("which mechanism are they about?", param_hint="MECHANISM")
    options = {
        "of": of,
        "shorthand": shorthand,
        "frame": frame,
        "symbols": pairs_of(symbols, "--symbols"),
    }
    options["assume"] = assume
    given = {key: x for key, x in options.items() if x or x is False}
    alone = len(claim or []) == 1 and not as_json
    try:
        found = said.verdicts(system, given, strict=alone)
    except VisvivaError as error:
        raise ArgumentError(_in_options(str(error))) from error
    data = [{"label": label, **v.as_dict()} for label, v in found.items()]
    if save is not None and save.suffix == ".json":
        save.write_text(as_text(data) + "\n", encoding="utf-8")
    elif save is not None:
        save.write_text(sheet(found, said.claims), encoding="utf-8-sig", newline="")
    if save is not None:
        written(save)
    if as_json:
        say_data(data)
    elif said.of_many:
        say(_table(found, notes))
    else:
        typer.echo("\n\n".join(_shown(label, v) for label, v in found.items()))
    judged = [v for v in found.values() if v.status not in (DEFINITION, UNJUDGED)]
    right = sum(v.is_identical and not v.relates for v in judged)
    if sum(v.status != UNJUDGED for v in found.values()) > 1 and not as_json:
        say(f"\n{right} of {len(judged)} claims are identical{_conditional(found)}")
    raise typer.Exit(0 if right == len(judged) else 1)


def _said(claims: list[str], files: list[Path], mechanism: str) -> Any:
    """What is to be judged, and of what: claims of the line, or of files, not both."""
    from visviva.judge.check.files import ClaimFile
    from visviva.judge.check.gather import gathered

    if files and claims:
        listed = ", ".join(map(str, files))
        said_twice = f"a claim and --file {listed} were both given, expected one of them"
        raise typer.BadParameter(said_twice, param_hint="CLAIM")
    if not files and not any(claims):
        raise typer.BadParameter("a claim, or --file with claims", param_hint="CLAIM")
    for claim in filter(_is_file, claims):
        hint = f"is {claim} a file of claims? Write --file {claim}"
        raise typer.BadParameter(hint, param_hint="CLAIM")
    system = system_of(mechanism) if mechanism else None
    if files:
        return gathered(files, system)
    one = len(claims) == 1
    return ClaimFile({"" if one else f"claim {k}": x for k, x in enumerate(claims, 1)}, system)


def _is_file(claim: str) -> bool:
    try:
        return "=" not in claim and Path(claim).is_file()
    except (OSError, ValueError):  # no path can be so long
        return False


def _conditional(found: dict[str, Any]) -> str:
    """How many more are identical under conditions, or say less than a formula."""
    from visviva.judge.check.verdict import DEFINITION, NOT_ASKED, UP_TO_A_CONSTANT

    more = [v for v in found.values() if v.status == "identical if"]
    factor = sum(v.is_multiplied and v.says_conditions for v in more)
    own = sum(v.says_conditions for v in more) - factor
    related = sum(v.is_identical and v.relates for v in found.values())
    counts = {
        "that relate quantities, which is no formula for one": related,
        "if forces that they leave out are zero": len(more) - own - factor,
        "where factors of theirs are not zero": factor,
        "with what they say themselves": own,
        "up to a constant": sum(v.status == UP_TO_A_CONSTANT for v in found.values()),
        "of something that was not asked": sum(v.status == NOT_ASKED for v in found.values()),
    }
    said = "".join(f", {n} more {when}" for when, n in counts.items() if n)
    defined = sum(v.status == DEFINITION for v in found.values())
    return f"{said}; {defined} definition{'s' * (defined > 1)}" if defined else said


def _table(found: dict[str, Any], with_notes: bool) -> str:
    """A line for each name, with its verdict and why; what is not judged has one at the end."""
    from visviva.judge.check.answers.pieces import UNJUDGED
    from visviva.judge.check.sheets import further_notes, in_a_word, why

    aside = [f"{label}: {why(v)}" for label, v in found.items() if v.status == UNJUDGED]
    shown = {label: v for label, v in found.items() if v.status != UNJUDGED}
    wide = max(map(len, shown)), max(len(in_a_word(v)) for v in shown.values())
    lines = []
    for label, v in shown.items():
        reason = _in_options(" ".join(why(v).split()))
        lines.append(f"{one_line(label):<{wide[0]}}  {in_a_word(v):<{wide[1]}}  {reason}".rstrip())
        told = further_notes(v) if with_notes else []
        lines += [f"{'':<{sum(wide) + 4}}note: {_in_options(one_line(x))}" for x in told]
    return "\n".join([*lines, *([""] if aside else []), *map(one_line, aside)])


def _pairs(match: re.Match[str]) -> str:
    return f"--symbols {_word(re.sub(r'[^=,]*', _bare, match[1].replace(': ', '=')))}"


def _bare(match: re.Match[str]) -> str:
    return match[0].strip(" '\"")


def _word(text: str) -> str:
    """As a shell takes it for one."""
    return f'"{text}"' if " " in text else text


_OPTIONS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"symbols=\{([^{}]{1,200})\}", _pairs),
    (r"\b(of|frame|assume)='([^']{1,60})'((?:, '\w{1,60}')*)",
     lambda m: f"--{m[1]} {_word(m[2])}{m[3].replace(chr(39), '')}"),
    (r"\bassume=", lambda m: "--assume "),
    (r"\bshorthand=(True|False)", lambda m: f"--{'' if m[1] == 'True' else 'no-'}shorthand"),
)  # fmt: skip


def _in_options(text: str) -> str:
    """A message with what Python is told by keywords as options of the command line.

    Examples:
        >>> _in_options("say symbols={'theta': 'q1', 'F 1': ...}, of='gravity' or shorthand=True")
        'say --symbols "theta=q1,F 1=...", --of gravity or --shorthand'
        >>> _in_options("of='gravity', 'mass_matrix', ... or assume='tau2 = 0'")
        '--of gravity, mass_matrix, ... or --assume "tau2 = 0"'
    """
    for pattern, option in _OPTIONS:
        text = re.sub(pattern, option, text)
    return text


def _shown(label: str, verdict: Any) -> str:
    colors = {"identical": "green", "differs": "red", "unreadable": "red"}
    head, *rest = _in_options(shown(str(verdict))).split("\n")
    status, colon, about = head.partition(":")
    head = typer.style(status, fg=colors.get(status, "yellow"), bold=True) + colon + about
    return "\n".join(([one_line(f"{label}: {verdict.claim}")] if label else []) + [head, *rest])
