"""The numbers in README.md are those of `specs/` and of the models."""

import re
from pathlib import Path

from lockstep.language.model import fault_marks, load_model, model_names
from lockstep.language.notation import Kind
from lockstep.specs.kip import load_kip
from lockstep.specs.scopes import Pins, load_model_spec

ROOT = Path(__file__).parents[2]
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
NAMES = model_names(ROOT)


def stated(pattern: str) -> list[int]:
    """The numbers in the one sentence of that form."""
    (numbers,) = re.findall(pattern, README)
    return [int(number) for number in ([numbers] if isinstance(numbers, str) else numbers)]


def test_requirements_and_deviations() -> None:
    kips = {n: load_kip(ROOT / "specs" / f"kip_{n}.toml") for n in (227, 595, 630, 951)}
    sessions = kips[227]
    answered = sum(bool(row.references) for row in sessions.requirements)
    everything = len(sessions.requirements)
    pattern = r"(\d+) numbered requirements, of which (\d+) are answered .*? and (\d+) say why"
    assert stated(pattern) == [everything, answered, everything - answered]
    assert stated(r"with (\d+) deviations where") == [len(sessions.deviations)]
    snapshots = kips[630]
    pattern = r"in (\d+) requirements with (\d+) deviations, over the (\d+) of KIP-595"
    assert stated(pattern) == [
        len(snapshots.requirements),
        len(snapshots.deviations),
        len(kips[595].requirements),
    ]
    discovery = kips[951]
    assert stated(r"KIP-951 \(leader discovery\) in (\d+) with (\d+)") == [
        len(discovery.requirements),
        len(discovery.deviations),
    ]


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
