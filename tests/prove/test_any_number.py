"""What is proved for any number of names is true with more of them than it was proved with.

`LOCKSTEP_PROFILE=wide` looks at thousands of random models.
"""

from pathlib import Path

import pytest
from hypothesis import given, note, reject
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from lockstep.errors import LockstepError
from lockstep.language.model import Model, load_model
from lockstep.language.notation import Kind, State
from lockstep.language.source import ModelError
from lockstep.language.symmetry import Name
from lockstep.plain.run import PlainEngine
from lockstep.prove.any_number import Load, enough_names, names_for, prove_for_any
from lockstep.prove.proofs import MEANING
from lockstep.prove.values import NotProvable
from lockstep.results.search_result import EvaluationError
from tests.day import drawn_daily

HEAD = """
from lockstep import Constant, Map, OneOf, Range, Record, Sequence, Set, State, action, require

NODES: Constant = ("n1", "n2")
NEVER: Constant = False
Node = OneOf(NODES, interchangeable=True)
Number = Range(0, 1)


class Sample(State):
    here: Map[Node, Number] = {n: 0 for n in Node}
    there: Map[Node, Number] = {n: 0 for n in Node}
    some: Set[Node] = set()
    one: Node | None = None
    flag: Number = 0

"""
CLAIMS = """
from lockstep import invariant, step_invariant, when
from models.sample import NEVER, Node

"""
MOST_STATES = 2_000
WRITTEN = ("here", "there", "some", "one", "flag")


class Texts:
    """Draws conditions about nodes, quantifiers in one another and all."""

    def __init__(self, draw: DrawFn, state: str = "s") -> None:
        self._draw = draw
        self.state = state
        self._names = 0

    def pick(self, *texts: str) -> str:
        return self._draw(st.sampled_from(texts))

    def fresh(self) -> str:
        self._names += 1
        return f"x{self._names}"

    def atom(self, nodes: list[str]) -> str:
        s = self.state
        choices = [
            f"{s}.flag == 1",
            f"{s}.one is None",
            f"{s}.here == {s}.there",
            f"len({s}.some) {self.pick('>', '==', '<=', '!=')} {self.pick('0', '1', '2')}",
            f"{s}.some == {{n for n in Node if {s}.here[n] == 1}}",
            f"{s}.some <= {{n for n in Node if {s}.there[n] == 0}}",
        ]
        for node in nodes:
            choices += [
                f"{node} in {s}.some",
                f"{s}.here[{node}] == 1",
                f"{s}.there[{node}] <= {s}.here[{node}]",
                f"{s}.one == {node}",
                f"{node} == {self.pick(*nodes)}",
            ]
        return self.pick(*choices)

    def condition(self, nodes: list[str], depth: int) -> str:
        kind = self._draw(st.integers(0, 9)) if depth else 0
        if kind <= 2:
            return self.atom(nodes)
        if kind <= 4:
            word = self.pick("and", "or")
            parts = (self.condition(nodes, depth - 1), self.condition(nodes, depth - 1))
            return f"({parts[0]} {word} {parts[1]})"
        if kind == 5:
            return f"not ({self.condition(nodes, depth - 1)})"
        new = self.fresh()
        source = self.pick("Node", "Node", f"{self.state}.some")
        body = self.condition([*nodes, new], depth - 1)
        if kind <= 7:
            filtered = self.pick("", f" if {self.atom([*nodes, new])}")
            return f"{self.pick('all', 'any')}({body} for {new} in {source}{filtered})"
        if kind == 8:
            compared = f"{self.pick('==', '<', '>=')} {self.pick('1', '2')}"
            return f"sum(1 for {new} in {source} if {body}) {compared}"
        largest = f"{self.pick('min', 'max')}({self.state}.here[{new}] for {new} in Node if {body}"
        return (
            f"{largest}, default={self.pick('0', '1')}) == 1".replace(
                f" in Node if {body}, default", f" in Node if {body}), default"
            )
            .replace("max(", "max((")
            .replace("min(", "min((")
        )

    def write(self, nodes: list[str], variable: str) -> str:
        if variable == "flag":
            return f"new.flag = 1 if {self.condition(nodes, 2)} else s.flag"
        if variable == "one":
            return f"new.one = {self.pick('None', *nodes)}"
        if variable == "some":
            chosen = f"{{n for n in Node if {self.condition([*nodes, 'n'], 1)}}}"
            return f"new.some = s.some {self.pick('|', '-', '&')} {chosen}"
        if nodes and self.pick("one", "all") == "one":
            return f"new.{variable}[{self.pick(*nodes)}] = {self.pick('0', '1')}"
        chosen = f"1 if {self.condition([*nodes, 'n'], 1)} else s.{variable}[n]"
        return f"new.{variable} = {{n: {chosen} for n in Node}}"


@st.composite
def open_models(draw: DrawFn) -> tuple[str, str]:
    """Models, and claims about them, that hardly ever say how many nodes there are."""
    texts = Texts(draw)
    model, claims = HEAD, CLAIMS
    for number in range(draw(st.integers(1, 3))):
        nodes = ["p", "q"][: draw(st.integers(0, 2))]
        given_ = "".join(f", {node}: Node" for node in nodes)
        guard = f"    require({texts.condition(nodes, 2)})\n" if draw(st.booleans()) else ""
        written = draw(st.lists(st.sampled_from(WRITTEN), min_size=1, max_size=2, unique=True))
        writes = "".join(f"    {texts.write(nodes, variable)}\n" for variable in written)
        model += f"\n@action\ndef act{number}(s, new{given_}):\n{guard}{writes}\n"
    for number in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(("invariant", "invariant", "step_invariant")))
        nodes = ["p", "q"][: draw(st.integers(0, 2))]
        given_ = ", new" * (kind == "step_invariant")
        given_ += "".join(f", {node}: Node" for node in nodes)
        after = Texts(draw, "new" if kind == "step_invariant" else "s")
        when = f"    when({texts.condition(nodes, 1)})\n" if draw(st.booleans()) else ""
        claim = f"    return {after.condition(nodes, 2)}\n"
        claims += f"\n@{kind}()\ndef claim{number}(s{given_}):\n{when}{claim}\n"
    return model, claims


def loader(root: Path, model: str, claims: str) -> Load:
    for folder, text in (("models", model), ("invariants", claims)):
        (root / folder).mkdir(exist_ok=True)
        (root / folder / "sample.py").write_text(text, encoding="utf-8")
    return lambda names: load_model(root, "sample", {"NODES": names})


def numbered(count: int) -> tuple[Name, ...]:
    return tuple(f"n{number + 1}" for number in range(count))


def broken_in(model: Model, proved: set[str]) -> str | None:
    """What of that is broken in some reachable state or step, as far as the search goes."""
    if not proved:
        return None
    engine = PlainEngine(model)
    properties = [prop for prop in model.properties if prop.name in proved]
    reached: list[State] = [model.initial]
    known = set(reached)
    for state in reached:
        for prop in properties:
            if (
                prop.kind is Kind.INVARIANT
                and engine.evaluate(prop, state, None).failing is not None
            ):
                return prop.name
        for action in model.actions:
            for step in engine.instances(action, state):
                for prop in properties:
                    if prop.kind is Kind.STEP_INVARIANT:
                        outcome = engine.evaluate(prop, state, step.state)
                        if outcome.failing is not None:
                            return prop.name
                if step.state not in known and len(known) < MOST_STATES:
                    known.add(step.state)
                    reached.append(step.state)
    return None


@pytest.mark.slow
@drawn_daily(15)
@given(text=open_models())
def test_it_is_true_of_more_names(
    text: tuple[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    note("\n".join(text))
    load = loader(tmp_path_factory.mktemp("open"), *text)
    try:
        induction, enough = prove_for_any(load, "NODES", numbered, max_seconds=20)
    except (ModelError, NotProvable):
        reject()
    note(f"{enough}")
    proved = {proof.name for proof in induction.proofs if proof.proved}
    assert not proved & set(enough.left_out)
    for count in range(1, 5):
        try:
            assert broken_in(load(numbered(count)), proved) is None
        except EvaluationError:
            assert MEANING not in proved


ADDS = HEAD + "\n@action\ndef add(s, new, p: Node):\n    new.some = s.some | {p}\n"


@pytest.mark.parametrize(
    ("claim", "names", "holds"),
    [
        ("s.flag == 0", 2, True),
        ("s.one is None", 2, True),
        ("s.here == s.there", 3, True),
        ("len(s.some) <= 2", 5, False),  # with one name and with two it holds
        ("len(s.some) < 4", 6, False),
        ("all(s.here[p] == 0 for p in Node)", 3, True),
        ("all(any(s.here[q] == s.there[p] for q in Node) for p in Node)", None, False),
        ("sum(s.here[p] for p in Node) == 0", None, False),
        # What a constant leaves out of the model needs no names.
        ("sum(s.here[p] for p in Node) == 0 if NEVER else s.one is None", 2, True),
    ],
)
def test_how_many_names_are_enough(
    claim: str, names: int | None, holds: bool, tmp_path: Path
) -> None:
    """One that the state may hold in `one`, one that is added, and those that break the claim."""
    load = loader(tmp_path, ADDS, f"{CLAIMS}\n@invariant()\ndef claimed(s):\n    return {claim}\n")
    induction, enough = prove_for_any(load, "NODES", numbered)
    assert [proof.proved for proof in induction.proofs if proof.name == "claimed"] == [holds]
    if names is None:
        assert "claimed" in enough.left_out
    else:
        assert (enough.names, enough.left_out) == (names, {})


def test_a_name_that_each_name_leads_to_has_no_limit(tmp_path: Path) -> None:
    text = ADDS.replace(
        "flag: Number = 0", "next: Map[Node, Node | None] = {n: None for n in Node}"
    )
    with pytest.raises(NotProvable, match="leads from each of the names to another"):
        enough_names(loader(tmp_path, text, ""), "NODES", numbered)


def test_names_go_on_where_a_constant_ends(tmp_path: Path) -> None:
    load = loader(tmp_path, ADDS, "")
    assert names_for("NODES", load(("a7", "b1")))(4) == ("a7", "b1", "b2", "b3")
    assert names_for("NODES", load((5, 2)))(4) == (5, 2, 1, 3)
    assert names_for("NODES", load(("a", "b")))(1) == ("a",)
    with pytest.raises(LockstepError, match="no constant EDGES that lists names"):
        names_for("EDGES", load(("a",)))


def test_variables_that_nothing_reads_are_left_out(tmp_path: Path) -> None:
    """Their domain may say how many names there are."""
    text = ADDS.replace("flag: Number", "count: Range(0, 3 * len(NODES)) = 0\n    flag: Number")
    text += "\n\n@action\ndef tally(s, new):\n    new.count = s.count + 1\n"
    load = loader(tmp_path, text, f"{CLAIMS}\n@invariant()\ndef c(s):\n    return s.flag == 0\n")
    enough = enough_names(load, "NODES", numbered)
    assert "count" in enough.unread
    reading = text.replace("new.count = ", "require(s.count < 2)\n    new.count = ")
    with pytest.raises(NotProvable, match="depends on how many there are"):
        enough_names(loader(tmp_path, reading, ""), "NODES", numbered)


def test_what_is_named_for_them_alone_is_left_out(tmp_path: Path) -> None:
    names = "Number = Range(0, 1)\nCount = Range(0, len(NODES))\nSOME = len(NODES) > 0"
    text = ADDS.replace("Number = Range(0, 1)", names)
    text = text.replace("flag: Number", "count: Count = 0\n    flag: Number")
    text += "\n\n@action\ndef tally(s, new):\n    new.count = s.count + 1\n"
    assert "count" in enough_names(loader(tmp_path, text, ""), "NODES", numbered).unread
    reading = text.replace("new.some =", "require(SOME)\n    new.some =")
    with pytest.raises(NotProvable, match="it says more than which there are"):
        enough_names(loader(tmp_path, reading, ""), "NODES", numbered)
