"""Claims with what stands around them: what was asked, and what the text beside them defines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

from visviva.errors import ArgumentError, UnusedNameError, VisvivaError
from visviva.judge.check.answers.definitions import Definition
from visviva.judge.check.answers.pieces import Passage
from visviva.judge.check.check import check
from visviva.judge.check.said.laws import zero_force
from visviva.judge.check.said.names import must_be_one_letter
from visviva.judge.check.said.runs import defined_in
from visviva.judge.check.said.statements import (
    SQUARE,
    Statement,
    is_named,
    must_be_new,
    read_statements,
)
from visviva.judge.check.said.values import assumes, is_gravity, with_coordinates
from visviva.judge.check.said.vocabulary import given, matches, vocabulary
from visviva.judge.check.verdict import (
    DEFINITION,
    DIFFERS,
    NOT_ASKED,
    UP_TO_A_CONSTANT,
    WORST,
    Verdict,
    in_company,
    is_backed,
    together,
)
from visviva.judge.exact.forms import Facts
from visviva.judge.exact.systems import facts
from visviva.notation.reading.read import canonical
from visviva.notation.reading.vocabulary import Vocabulary
from visviva.notation.tree import Equation, Name, Node, names

BACKED = "formulas for these, which are right, stand beside it"
UNUSED = "a value: no claim after it needs it"
UNDRIVEN = (
    "is it an answer, or does it say that nothing acts there? no equation of motion is beside it: "
    "leave it out, or write the whole equation"
)
_NOT_PUT_IN = "is not put in: give coordinates a value for what holds there alone, q2 = 0"
AS_DEFINED = "is used as it is defined"  # noted of a quantity, see `said.used`


class Judge:
    """Verdicts on the claims of a file; `several` if none needs to have all names that are said."""

    def __init__(self, system: Any, options: Mapping[str, Any], several: bool) -> None:
        self.system, self.options, self.several = system, options, several
        self._used: dict[tuple[int, str], list[Passage]] = {}  # definitions, and what has them
        self._read: dict[int, list[Statement]] = {}
        self._ways: dict[int, list[tuple[list[Node], dict[str, str]]]] = {}
        self._texts: dict[int, dict[str, list[tuple[int, Definition]]]] = {}
        self._special: dict[int, list[Definition]] = {}  # s2 = 0 where s2 = sin(q2), by passages

    def verdict(self, claim: Any) -> Verdict:
        """The verdict on a claim, with what its text defines put in."""
        if not isinstance(claim, Passage):
            return self._checked(claim)
        if self._is_value(claim) and any(not self._is_value(x) for x in claim.among):
            if self._is_undriven(claim) and not any(map(self._moves, claim.among)):
                raise ArgumentError(f"{claim}: {UNDRIVEN}")
            return Verdict(DEFINITION, str(claim), "a value", self.system.name, notes=(UNUSED,))
        if special := self._is_special(claim):
            return Verdict(DEFINITION, str(claim), "a value", self.system.name, notes=(special,))
        verdict = self._with_values(claim)
        if verdict.status == DIFFERS:
            verdict = _noted(verdict, self._specials_before(claim))
        self._must_be_clear(claim, verdict)
        return self._as_asked(claim, verdict)

    def definition(self, claim: Any, claims: Mapping[str, Any]) -> Verdict | None:
        """In the place of a verdict on what says nothing but how others of the claims are read."""
        stated = self._read.get(id(claim), [])
        found = [self._used.get((id(claim), x.text), []) for x in stated]
        if not found or not all(found):
            return None
        users = {id(x) for used in found for x in used}
        note = f"put into {', '.join(k for k, x in claims.items() if id(x) in users)}"
        left = ", ".join(x.node.left.text or x.node.left.key for x in stated if is_named(x.node))
        return Verdict(DEFINITION, str(claim), left, self.system.name, notes=(note,))

    def in_its_text(
        self, label: str, claims: Mapping[str, Any], found: Mapping[str, Verdict]
    ) -> Verdict:
        """A verdict with what the others on its text say.

        A relation, L = T - V, may have right formulas beside it for what it relates; a coordinate
        that they have in its right meaning has no other one here.
        """
        claim, verdict = claims[label], found[label]
        among = {id(x) for x in claim.among} if isinstance(claim, Passage) else set()
        others = [found[k] for k, x in claims.items() if id(x) in among and k != label]
        if verdict.relates and verdict.is_identical and is_backed(verdict, others):
            return replace(verdict, relates=False, notes=(*verdict.notes, BACKED))
        return in_company(verdict, others)

    def _is_value(self, passage: Passage) -> bool:
        """Whether a passage only says what is given: q2 = 0, r2 = L2/2, beside others tau2 = 0."""
        stated = with_coordinates(self._statements(passage), self._facts)
        several = len(passage.among) > 1
        given = (
            assumes(x.node, self._facts)
            or (several and (zero_force(x.node) is not None or is_gravity(x.node, self._facts)))
            for x in stated
        )
        return bool(stated) and all(given)

    def _is_special(self, passage: Passage) -> str:
        """A note, if a passage only says what names are somewhere that others define: s2 = 0."""
        stated, found = self._statements(passage), self._special.get(id(passage), [])
        if not found or len(found) < len(stated):
            return ""
        defined = self._defined_in(passage.among)
        said = ", ".join(defined[x.key][0][1].text for x in found)
        return f"a special value, put into no claim: the text says {said}"

    def _specials_before(self, claim: Passage) -> tuple[str, ...]:
        """Notes that such values, under which a claim may be meant, are not put into it."""
        found = [y for x in claim.among[: claim.at] for y in self._special.get(id(x), [])]
        return tuple(f"{x.text}, as the text says before it, {_NOT_PUT_IN}" for x in found)

    def _is_undriven(self, passage: Passage) -> bool:
        return any(zero_force(x.node) is not None for x in self._statements(passage))

    def _moves(self, passage: Passage) -> bool:
        """Whether a passage has accelerations, as an equation of motion has."""
        return any(n.dots == 2 for x in self._statements(passage) for n in names(x.node))

    def _with_values(self, claim: Passage) -> Verdict:
        """The verdict; on a claim that needs them, with values that the text gives before it."""
        verdict, refused = None, None
        try:
            verdict = self._defined(claim)
        except VisvivaError as error:
            refused = error
        values = [x for x in claim.among[: claim.at] if self._is_value(x)]
        worst = len(WORST) if verdict is None else WORST.index(verdict.status)
        if values and worst > WORST.index(UP_TO_A_CONSTANT):
            other = self._defined_at(claim, values)
            for x in values if other is not None else ():
                rest = [y for y in values if y is not x]
                fewer = self._defined_at(claim, rest) if rest else None
                if fewer and other and WORST.index(fewer.status) <= WORST.index(other.status):
                    other, values = fewer, rest
            if other is not None and WORST.index(other.status) < worst:
                for x in values:
                    for said in self._statements(x):
                        self._used.setdefault((id(x), said.text), []).append(claim)
                return _noted(other, tuple(f"with {x}, as the text says" for x in values))
        if verdict is None:
            raise refused or ArgumentError(str(claim))
        if values and verdict.status == DIFFERS:
            return _noted(
                verdict, (f"nor does it hold with {'; '.join(values)}, as the text says",)
            )
        return verdict

    def _defined_at(self, claim: Passage, values: Sequence[Passage]) -> Verdict | None:
        """A verdict with values put in that is better than that it differs, or none."""
        with suppress(VisvivaError):
            verdict = self._defined(claim, [*map(str, values)])
            return None if verdict.status == DIFFERS else verdict
        return None

    def _checked(self, claim: Any, asked: str = "") -> Verdict:
        try:
            return check(self.system, claim, asked=asked, **self.options)
        except UnusedNameError as error:
            if not self.several:
                raise
            pairs, absent = self.options["symbols"].items(), {*error.names}
            kept = {k: x for k, x in pairs if absent.isdisjoint(map(canonical, (k, x)))}
            return check(self.system, claim, asked=asked, **{**self.options, "symbols": kept})

    def _defined(self, claim: Passage, values: Sequence[str] = ()) -> Verdict:
        """With the definitions that it needs before it, and with values.

        What is a quantity of the mechanism is judged where it stands, and is its own elsewhere.
        """
        needed = self._definitions(claim)
        if not needed:
            return self._checked([*values, str(claim)] if values else str(claim), claim.asked)
        own = {x.text for x in self._statements(claim)}
        try:
            verdict = self._checked([*values, *(x.text for x in needed), str(claim)], claim.asked)
        except VisvivaError as error:
            needed = [x for x in needed if not x.is_quantity]
            verdict = self._by_itself(claim, values, needed, error)
        parts = verdict.parts or (verdict,)
        judged = {x.claim for x in parts} - own
        notes = [note for x in parts for note in x.notes]
        kept = [x for x in needed if x.text not in judged]
        kept = [x for x in kept if not any(n.startswith(f"{x.name} {AS_DEFINED}") for n in notes)]
        if len(kept) < len(needed):
            verdict = together([x for x in parts if x.claim not in judged] or parts)
            with suppress(VisvivaError):
                said = [*values, *(x.text for x in kept), str(claim)]
                verdict = self._checked(said if len(said) > 1 else str(claim), claim.asked)
        for x in kept:
            self._used.setdefault((id(x.where), x.text), []).append(claim)
        return _noted(verdict, tuple(self._with(x, claim) for x in kept))

    def _by_itself(
        self,
        claim: Passage,
        values: Sequence[str],
        needed: Sequence[Definition],
        error: VisvivaError,
    ) -> Verdict:
        """Without what the text says quantities are, 2 M22 = ... beside M22 = ..., if it is right.

        Of one that differs it is not clear then whether the text means something else by them.
        """
        dropped = [x for x in self._definitions(claim) if x not in needed]
        if dropped:
            with suppress(VisvivaError):
                said = [*values, *(x.text for x in needed), str(claim)]
                verdict = self._checked(said if len(said) > 1 else str(claim), claim.asked)
                if verdict.status != DIFFERS or all(self._checked(x.text) for x in dropped):
                    return verdict
        else:
            said = [*values, *(f"{x.name} = 1" for x in needed), str(claim)]
            if isinstance(error, UnusedNameError) or self._is_refused(said, claim.asked, error):
                raise error  # whatever the definitions are
        said = [x.text for x in self._definitions(claim)]
        raise ArgumentError(f"with {'; '.join(said):.200}, as the text says: {error}") from error

    def _is_refused(self, said: list[str], asked: str, error: VisvivaError) -> bool:
        """Whether this is refused in the same words."""
        try:
            self._checked(said, asked)
        except VisvivaError as other:
            return (type(other), str(other)) == (type(error), str(error))
        return False

    def _with(self, used: Definition, claim: Passage) -> str:
        """A note of a definition that was put in, and of others for the same name."""
        others = [x.text for _, x in self._defined_in(claim.among)[used.key]]
        too = [x for x in dict.fromkeys(others) if x != used.text]
        more = f"; it says {' and '.join(too)} too" if too else ""
        return f"with {used.text}, as the text says{more}"

    def _definitions(self, claim: Passage) -> list[Definition]:
        """What defines the names in a claim, and those in these, the innermost first."""
        found: dict[str, Definition] = {}
        waiting, order = [(claim, str(claim))], list[str]()
        while waiting:
            where, text = waiting.pop(0)
            for key in self._names(where, text):
                definition = None if key in found else self._nearest(key, where)
                if definition is not None and definition.where is not claim:
                    found[key] = definition
                    order.append(key)
                    waiting.append((definition.where, definition.text))
        return [*{found[key].text: found[key] for key in reversed(order)}.values()]

    def _names(self, where: Passage, text: str) -> list[str]:
        """Names in a statement of a passage, or in all of it, that are none of the system's."""
        stated = self._statements(where)
        nodes = [x.node for x in stated if x.text == text] or [x.node for x in stated]
        left = {node.left for node in nodes if isinstance(node, Equation)}
        own = {x.key for x in left if isinstance(x, Name) and not x.dots}
        keys = (n.key for node in nodes for n in names(node))
        return [key for key in dict.fromkeys(keys) if key not in own | self._official]

    def _nearest(self, key: str, where: Passage) -> Definition | None:
        """The last definition before a passage, else the first one after it."""
        found = self._defined_in(where.among).get(key, [])
        before = [x for k, x in found if k < where.at]
        after = [x for k, x in found if k > where.at]
        return before[-1] if before else after[0] if after else None

    def _defined_in(self, text: Sequence[Passage]) -> dict[str, list[tuple[int, Definition]]]:
        """Names that a text says what they are, none of them the system's, and where."""
        if id(text) in self._texts:
            return self._texts[id(text)]
        found: dict[str, list[tuple[int, Definition]]] = {}
        self._texts[id(text)] = found
        near = self._words.near | defined_in([*map(str, text)])
        for k, passage in enumerate(text):
            for x in self._said(passage, near):
                if is_named(x.node) and (key := self._new_name(x)) is not None:
                    defines = Definition(passage, x.text, key, x.node)
                    found.setdefault(key, []).append((k, defines))
        for key, said in found.items():
            special = [x for _, x in said if not names(x.node.right)]
            if 0 < len(special) < len(said) and not any(map(self._is_claim, special)):
                found[key] = [(k, x) for k, x in said if x not in special]
                for value in special:
                    self._special.setdefault(id(value.where), []).append(value)
        return found

    def _is_claim(self, said: Definition) -> bool:
        """Whether what looks like a value can be judged by itself: M12 = 0, and not s2 = 0."""
        with suppress(VisvivaError):
            return bool(self._checked(said.text).status)
        return said.is_quantity

    def _new_name(self, stated: Statement) -> str | None:
        """The name that a statement says what it is, or its square, if it is none of the system."""
        node = stated.node
        if not isinstance(node, Equation) or not isinstance(node.left, Name) or node.left.dots:
            return None
        key = node.left.key.removeprefix(SQUARE)
        if key in self._official or any(n.key == key for n in names(node.right)):
            return None
        try:
            must_be_new({key: node.right}, self._facts)
        except VisvivaError:  # it says what a parameter is
            return None
        return key

    def _statements(self, passage: Passage) -> list[Statement]:
        """What a passage says; nothing if it cannot be read."""
        self._defined_in(passage.among)
        known = self._read.get(id(passage))
        return self._said(passage, self._words.near) if known is None else known

    def _said(self, passage: Passage, near: frozenset[str]) -> list[Statement]:
        """What a passage says; `near` are names that others define."""
        stated = list[Statement]()
        with suppress(VisvivaError):
            stated, _ = read_statements(str(passage), replace(self._words, near=near))
        self._read[id(passage)] = stated
        return stated

    @cached_property
    def _facts(self) -> Facts:
        return facts(self.system)

    @cached_property
    def _words(self) -> Vocabulary:
        said = given(self.options.get("symbols"), self._facts)
        return vocabulary(self._facts, bool(self.options.get("shorthand")), said)

    @cached_property
    def _official(self) -> set[str]:
        return {x for x, _ in self._words.known.values()}

    def _must_be_clear(self, claim: Passage, verdict: Verdict) -> None:
        """Refuses names that other passages of the text say are something else, or leave open."""
        guessed = {own for x in (verdict, *verdict.parts) for own in x.symbols}
        if not guessed or len(claim.among) < 2:
            return
        key = id(claim.among)
        if key not in self._ways:
            said = [[x.node for x in self._statements(y)] for y in claim.among]
            whole = [x for nodes in said for x in nodes]
            self._ways[key] = [(nodes, self._guesses(nodes)) for nodes in (*said, whole)]
        for nodes, way in self._ways[key]:
            for node in nodes:
                value = is_gravity(node, self._facts)
                if not value and is_named(node) and not node.left.dots and node.left.key in guessed:
                    must_be_new({node.left.key: node.right}, self._facts)
            must_be_one_letter(nodes, way, self._facts, guessed)

    def _guesses(self, nodes: Sequence[Node]) -> dict[str, str]:
        """What each strange name would mean, were it the only one."""
        there = {n.key: n for node in nodes for n in names(node)}
        way: dict[str, str] = {}
        for n in (x for key, x in there.items() if key not in self._official):
            with suppress(VisvivaError):
                way |= matches([n], self._facts, there)
        return way

    def _as_asked(self, claim: Passage, verdict: Verdict) -> Verdict:
        """The verdict, or that a true claim is about something else than what was asked."""
        if not claim.asked or verdict.status == DIFFERS or self.options.get("of"):
            return verdict
        subjects = {x.subject for x in (verdict, *verdict.parts)}
        right, n = claim.rpartition("=")[2], len(self._facts.rates)
        zeros = ("0", f"[{', '.join(['0'] * n)}]", f"[{'; '.join([', '.join(['0'] * n)] * n)}]")
        is_quantity = False
        for value in (right, *zeros):
            with suppress(VisvivaError):
                asked = self._checked(f"{claim.asked} = {value}")
                if asked.subject in subjects or (value is right and asked.is_identical):
                    return verdict
                is_quantity = True
        if not is_quantity:
            return verdict
        note = f"{claim.asked} was asked, the answer is about {verdict.subject} ({verdict.status})"
        return Verdict(NOT_ASKED, verdict.claim, verdict.subject, verdict.system, notes=(note,))


def _noted(verdict: Verdict, notes: tuple[str, ...]) -> Verdict:
    if verdict.parts:
        return replace(verdict, parts=tuple(_noted(x, notes) for x in verdict.parts))
    return replace(verdict, notes=(*verdict.notes, *notes))
