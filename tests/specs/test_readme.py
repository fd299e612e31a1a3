"""The numbers in README.md are those of `specs/` and of the models."""

import re
from pathlib import Path

from lockstep.language.faults import fault_marks
from lockstep.language.model import load_model, model_names
from lockstep.language.notation import Kind
from lockstep.specs.matrix import AnswerKind, build_matrix
from lockstep.specs.scopes import Pins, load_model_spec

ROOT = Path(__file__).parents[2]
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
NAMES = model_names(ROOT)


def stated(pattern: str) -> list[int]:
    """The numbers in the one sentence of that form."""
    (numbers,) = re.findall(pattern, README)
    return [int(number) for number in ([numbers] if isinstance(numbers, str) else numbers)]


def test_requirements_and_deviations() -> None:
    matrix = build_matrix(ROOT, NAMES, every_file=True)
    counts = matrix.counts()
    kinds = ("ANSWERED", "REFUTED", "SHOWN", "REACHED", "UNANSWERABLE", "OPEN")
    pattern = (
        r"Of all (\d+) requirements, (\d+) are answered .*? (\d+) are refuted .*? (\d+) are shown "
        r".*? (\d+) are reached, (\d+) say why .*? and (\d+) are open"
    )
    assert stated(pattern) == [
        len(matrix.requirements),
        *(counts[AnswerKind[kind]] for kind in kinds),
    ]
    listed = re.findall(r"\| (KIP-\d+|its earlier draft) (?:\(.*?\) )?\| (\d+) \| (\d+) \|", README)
    labels = {"its earlier draft": "227d"}
    assert {
        labels.get(text, text.removeprefix("KIP-")): (int(rows), int(deviations))
        for text, rows, deviations in listed
    } == {kip.label: (len(kip.requirements), len(kip.deviations)) for kip in matrix.kips}


def test_faults_and_invariants() -> None:
    claims = [
        prop
        for name in NAMES
        for prop in load_model(ROOT, name).properties
        if prop.kind is not Kind.SOMETIMES
    ]
    faults = sum(len(fault_marks(ROOT, name)) for name in NAMES)
    assert stated(r"each of (\d+) small mistakes .*? of the (\d+) invariants") == [
        faults,
        len(claims),
    ]


def test_tables() -> None:
    number = r"([\d,]+)"
    names = "|".join(NAMES)
    printed = re.findall(rf"({names}) +holds +(\d+) +{number} +{number} +{number}", README)
    assert {name for name, *_ in printed} == set(NAMES)
    for name, properties, *counts in printed:
        assert load_model_spec(ROOT, name).scope("default").pins == pins(counts)
        assert int(properties) == len(load_model(ROOT, name).properties)
    listed = re.findall(rf"\| ({names}) \| (\w+) \| {number} \| {number} \| {number} \|", README)
    assert len(listed) >= 4
    for name, scope, *counts in listed:
        assert load_model_spec(ROOT, name).scope(scope).pins == pins(counts)


def pins(counts: list[str]) -> Pins:
    states, transitions, depth = (int(count.replace(",", "")) for count in counts)
    return Pins("holds", states, transitions, depth)
