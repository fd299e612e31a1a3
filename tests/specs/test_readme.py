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
    pattern = (
        r"Of all (\d+), (\d+) are answered .*? (\d+) are refuted .*? (\d+) are shown .*? (\d+) are "
        r"reached, (\d+) say why .*? and (\d+) are open"
    )
    counts = matrix.counts()
    kinds = ("ANSWERED", "REFUTED", "SHOWN", "REACHED", "UNANSWERABLE", "OPEN")
    assert stated(pattern) == [
        len(matrix.requirements),
        *(counts[AnswerKind[kind]] for kind in kinds),
    ]
    kips = {kip.label: kip for kip in matrix.kips}
    for name, number in (
        ("fetch sessions", 227),
        ("KRaft snapshots", 630),
        ("leader discovery", 951),
    ):
        rows, deviations = kips[str(number)].requirements, kips[str(number)].deviations
        pattern = rf"KIP-{number} \({name}\) in (\d+)(?: numbered requirements)? with (\d+)"
        assert stated(pattern) == [len(rows), len(deviations)]
    assert stated(r"over the (\d+) of KIP-595") == [len(kips["595"].requirements)]


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
    assert len(listed) >= 9
    for name, scope, *counts in listed:
        assert load_model_spec(ROOT, name).scope(scope).pins == pins(counts)


def pins(counts: list[str]) -> Pins:
    states, transitions, depth = (int(count.replace(",", "")) for count in counts)
    return Pins("holds", states, transitions, depth)
