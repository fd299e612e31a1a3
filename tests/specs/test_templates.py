"""Texts with places: what a path leads to, and what is no path."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.language.domains import Range
from lockstep.specs.templates import NoTemplate, NoValue, parse_template
from tests.diagram.post import post, walk


@pytest.fixture
def names(tmp_path: Path) -> dict[str, object]:
    model = post(tmp_path)
    trace = walk(model, "write")
    return {"s": trace.initial, "new": trace.last, "c": "ann", "queue": (4, 5)}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("c", "ann"),
        ("new.letter[c].number", 1),
        ("new . letter [ c ] . number", 1),
        ("s.letter[c]", None),
        ("queue[1]", 5),
        ("queue[-1]", 5),
    ],
)
def test_a_path_leads_to_a_value(names: dict[str, object], path: str, value: object) -> None:
    (place,) = parse_template(f"it is {{{path}}}!").paths
    assert place.value(names) == value


@pytest.mark.parametrize("path", ["x", "s.letter[c].number", "queue[9]", "c.number", "c[0]"])
def test_a_path_may_lead_to_nothing(names: dict[str, object], path: str) -> None:
    (place,) = parse_template(f"{{{path}}}").paths
    with pytest.raises(NoValue):
        place.value(names)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "a brace stands alone"),
        ("a}b", "a brace stands alone"),
        ("{}", "{} is no path: write fields and keys"),
        ("{s.}", "{s.} is no path"),
        ("{s[c}", "{s[c} is no path"),
        ("{f(s)}", "is no path"),
        ("{s.a + 1}", "is no path"),
        ("{s t}", "{s t} is no path"),
        ("{1}", "{1} is no path"),
        ("{__import__('os')}", "is no path"),
    ],
)
def test_what_is_no_template_is_refused(text: str, problem: str) -> None:
    with pytest.raises(NoTemplate) as raised:
        parse_template(text)
    assert problem in str(raised.value)


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("x", "there is no x here; there are: s, c"),
        ("s.post", "s has no field 'post'; its fields are: letter"),
        ("s.letter[x]", "there is no x here"),
        ("s.letter[c].weight", "has no field 'weight'; its fields are: number"),
        ("c[0]", "c is neither a map nor a sequence"),
        ("c.number", "c has no field 'number'; its fields are: none"),
    ],
)
def test_a_path_that_fits_no_state_is_refused(tmp_path: Path, path: str, problem: str) -> None:
    model = post(tmp_path)
    (place,) = parse_template(f"{{{path}}}").paths
    with pytest.raises(NoTemplate) as raised:
        place.shape({"s": model.state, "c": Range(0, 3)})
    assert problem in str(raised.value)


@given(st.text(alphabet="{}[].sc1 x"))
def test_any_text_is_a_template_or_refused(text: str) -> None:
    try:
        template = parse_template(text)
    except NoTemplate:
        return
    assert len(template.paths) == text.count("{")
