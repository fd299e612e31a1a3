"""A diagram as SVG: well-formed, with every step in it, and no text as markup."""

import random
import re
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lockstep.diagram.diagram import WIDTH, Diagram, DrawnStep, Fate, Message, note_of
from lockstep.diagram.mermaid import to_mermaid
from lockstep.diagram.sequence import sequence
from lockstep.diagram.svg import to_svg
from lockstep.language.model import Model
from lockstep.language.source import ModelError
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import EvaluationError
from lockstep.results.trace import Step, Trace
from tests.diagram.post import post, walk
from tests.diagram.test_mermaid import assert_is_grammatical
from tests.random_models.random_models import RandomModel, random_models

NAMESPACE = "{http://www.w3.org/2000/svg}"


def steps_of(root: Element) -> list[str]:
    return [group.get("id", "") for group in root.iter(f"{NAMESPACE}g") if "step" in kinds(group)]


def kinds(group: Element) -> list[str]:
    return group.get("class", "").split()


def test_a_picture_for_readers_who_see_it_and_who_do_not(tmp_path: Path) -> None:
    model = post(tmp_path)
    trace = walk(model, "write", "copy", "burn", "open_spare", "visit", loop=3)
    root = fromstring(to_svg(sequence(model, trace, violated="gone")))
    assert root.tag == f"{NAMESPACE}svg"
    assert root.get("role") == "img"
    assert root.get("aria-label") == "post: 5 steps, gone is violated"
    assert root.findtext(f"{NAMESPACE}title") == root.get("aria-label")
    description = root.findtext(f"{NAMESPACE}desc", "")
    assert "ann to office: letter 1 (lost). Step 3: burn. For ever:" in description
    assert steps_of(root) == [f"step-{number}" for number in range(1, 6)]
    assert {"lost", "copy", "received"} <= {
        kind for group in root.iter(f"{NAMESPACE}g") for kind in kinds(group)
    }
    (frame,) = root.findall(f"{NAMESPACE}g[@class='loop']")
    assert frame.find(f"{NAMESPACE}rect") is not None


def test_everything_is_within_the_picture(tmp_path: Path) -> None:
    model = post(tmp_path)
    steps = "write", "put_aside", "write", ("visit", "bo"), "open_spare", "open_letter", "write"
    root = fromstring(to_svg(sequence(model, walk(model, *steps), violated="gone")))
    width, height = (float(root.get(name, "0")) for name in ("width", "height"))
    for box in root.iter(f"{NAMESPACE}rect"):
        x, y, wide, high = (float(box.get(name, "0")) for name in ("x", "y", "width", "height"))
        assert 0 <= x <= x + wide <= width
        assert 0 <= y <= y + high <= height


@pytest.mark.parametrize(
    "nasty", ["</svg><script>", "]]>", "&amp;", "\x00\x1b", "\ud800", "a" * 999]
)
def test_no_text_is_markup(nasty: str) -> None:
    step = DrawnStep(1, nasty, (nasty,), 0, (nasty,) * 9, fault=nasty)
    message = Message(nasty[:9], 0, 1, 0, 1, Fate.LOST)
    drawn = Diagram(nasty, (nasty[:9], "b"), (step,), (message,), None, nasty)
    root = fromstring(to_svg(drawn))
    assert not [part for part in root.iter() if part.tag.endswith("script")]
    assert len(note_of(step).lines) == 6
    assert all(len(line) <= WIDTH for line in note_of(step).lines[:-1])


@st.composite
def behaviours(draw: st.DrawFn) -> tuple[RandomModel, random.Random]:
    return draw(random_models()), draw(st.randoms(use_true_random=False))


@settings(suppress_health_check=list(HealthCheck))
@given(behaviours())
def test_every_behaviour_has_a_diagram(
    tmp_path_factory: pytest.TempPathFactory, drawn: tuple[RandomModel, random.Random]
) -> None:
    text, chance = drawn
    try:
        model = text.accepted(tmp_path_factory.mktemp("random"))
    except ModelError:
        return
    trace = taken(model, chance)
    diagram = sequence(model, trace)
    assert [step.action for step in diagram.steps] == [step.action for step in trace.steps]
    assert all(step.lane is None or step.lane < len(diagram.lanes) for step in diagram.steps)
    assert steps_of(fromstring(to_svg(diagram))) == [
        f"step-{number}" for number in range(1, len(trace.steps) + 1)
    ]
    mermaid = to_mermaid(diagram)
    assert_is_grammatical(mermaid)
    assert len(re.findall(r"Note over", mermaid)) - (trace.loop == len(trace.steps)) == len(
        trace.steps
    )


def taken(model: Model, chance: random.Random) -> Trace:
    """A few steps of a model, perhaps with a loop at their end."""
    engine, state, steps = PlainEngine(model), model.initial, []
    try:
        for _ in range(chance.randint(0, 6)):
            found = list(engine.successors(state))
            if not found:
                break
            step = chance.choice(found)
            steps.append(Step(step.action, step.parameters, step.state))
            state = step.state
    except EvaluationError:
        pass  # a risky model has no meaning there
    loop = chance.choice([None, chance.randint(0, len(steps))])
    return Trace(model.initial, tuple(steps), loop)
