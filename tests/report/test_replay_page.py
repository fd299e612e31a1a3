"""The page of a counterexample, in a browser: every way to a step, and what is shown there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from lockstep.language.model import load_model
from lockstep.report.replay import diagram_of
from lockstep.report.replay_page import replay_page
from lockstep.results.search_result import Violation
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.trace.itf import Origin
from lockstep.verbs.replay_result import Replay
from tests.diagram.post import post, walk

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"
NASTY = "</script><img src=x onerror=alert(1)>"


def written(result: Replay, folder: Path) -> str:
    """The address of the page of a behaviour."""
    file = folder / "page.html"
    file.write_text(replay_page(result, diagram_of(result)), encoding="utf-8")
    return file.as_uri()


def turnstile(trace: Trace | None = None) -> Replay:
    """Somebody gets in twice for one coin."""
    model = load_model(TURNSTILE, "turnstile", fault="stays_open")
    trace = trace or walk(model, "coin", "push", "push")
    origin = Origin("turnstile", "entries_are_paid", "small", "stays_open")
    violation = Violation(("entries_are_paid",), ("east",), trace)
    return Replay(model, origin, trace, Verdict.VIOLATED, "it is violated again", violation)


def test_its_head_says_what_is_claimed_and_once_that_it_is_violated() -> None:
    result = turnstile()
    page = replay_page(result, diagram_of(result))
    head = page[page.index("<h1>") : page.index("<form")]
    assert "<h1>turnstile.entries_are_paid</h1>" in head
    assert "Nobody gets in without a coin. 3 steps, scope small, fault stays_open." in head
    assert head.count("violated</strong>") == head.count(">violated") == 1
    assert '<h2 id="heading">Step 3</h2>' in page


@pytest.fixture
def address(tmp_path: Path) -> str:
    return written(turnstile(), tmp_path)


def assert_shows(page: Page, step: int, title: str) -> None:
    expect(page.get_by_role("heading", level=2)).to_have_text(f"Step {step}: {title}")
    expect(page.get_by_role("slider", name="Step")).to_have_value(str(step))
    expect(page.get_by_role("status")).to_contain_text(f"Step {step} of 3: {title}.")
    assert page.locator(".sequence .step.current").count() == (1 if step else 0)


def test_it_opens_where_the_property_is_false(page: Page, address: str) -> None:
    page.goto(address)
    assert_shows(page, 3, "push")
    details = page.locator("#details")
    expect(details).to_contain_text("g=east")
    expect(details).to_contain_text("entries_are_paid(g=east) is false")
    expect(details).to_contain_text("Nobody gets in without a coin.")
    expect(details).to_contain_text("s.entries[g] <= s.coins[g]")
    expect(details).to_contain_text("9-1  Every entry shall be paid for.")
    expect(page.get_by_role("row", name="s.entries[g] 2")).to_be_visible()
    expect(details).to_contain_text("changed by the fault stays_open")
    expect(details.get_by_role("region", name="models/faults/turnstile.py")).to_contain_text(
        "new.entries[g] = s.entries[g] + 1"
    )


def test_the_keyboard_goes_to_every_step(page: Page, address: str) -> None:
    page.goto(address)
    for key, step, title in (
        ("Home", 0, "the initial state"),
        ("ArrowRight", 1, "coin"),
        ("ArrowRight", 2, "push"),
        ("ArrowLeft", 1, "coin"),
        ("ArrowLeft", 0, "the initial state"),
        ("ArrowLeft", 0, "the initial state"),
        ("End", 3, "push"),
        ("ArrowRight", 3, "push"),
    ):
        page.keyboard.press(key)
        assert_shows(page, step, title)


def test_buttons_slider_and_diagram_go_to_steps(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_role("button", name="Step on")).to_be_disabled()
    page.get_by_role("button", name="First state").click()
    assert_shows(page, 0, "the initial state")
    expect(page.get_by_role("button", name="Step back")).to_be_disabled()
    page.get_by_role("button", name="Step on").click()
    assert_shows(page, 1, "coin")
    page.locator("#step-2").click()
    assert_shows(page, 2, "push")
    page.get_by_role("slider", name="Step").fill("1")
    assert_shows(page, 1, "coin")
    page.get_by_role("slider", name="Step").focus()
    page.keyboard.press("ArrowRight")
    assert_shows(page, 2, "push")


def test_the_address_holds_step_and_filter(page: Page, address: str) -> None:
    page.goto(f"{address}#step=1&show=arm,coi")
    assert_shows(page, 1, "coin")
    search = page.get_by_role("searchbox", name="Variables")
    expect(search).to_have_value("arm,coi")
    rows = page.locator(".states tbody tr")
    expect(rows).to_have_text(
        ["arm[east]LOCKEDOPEN", "arm[west]LOCKED", "coins[east]01", "coins[west]0"]
    )
    page.get_by_label("only what changes").check()
    expect(rows).to_have_text(["arm[east]LOCKEDOPEN", "coins[east]01"])
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(f"{address}#step=2&show=arm,coi&changed=1")
    page.reload()
    assert_shows(page, 2, "push")
    expect(page.locator("#details")).to_contain_text("Nothing to show")
    search.fill("")
    expect(rows).to_have_text(["entries[east]01"])
    search.press("Enter")
    expect(page).to_have_url(f"{address}#step=2&changed=1")


def test_back_and_forward(page: Page, address: str) -> None:
    page.goto(f"{address}#step=0")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    page.go_back()
    assert_shows(page, 1, "coin")
    page.go_back()
    assert_shows(page, 0, "the initial state")
    page.go_forward()
    assert_shows(page, 1, "coin")


@pytest.mark.parametrize(
    ("fragment", "step"), [("step=99", 3), ("step=-1", 0), ("step=x", 3), ("show=%E0%A4%A", 3)]
)
def test_any_address_shows_something(page: Page, address: str, fragment: str, step: int) -> None:
    page.goto(f"{address}#{fragment}")
    expect(page.get_by_role("slider", name="Step")).to_have_value(str(step))


def test_what_changed_is_marked(page: Page, address: str) -> None:
    page.goto(f"{address}#step=1")
    expect(page.locator(".states mark")).to_have_text(["OPEN", "1"])
    page.keyboard.press("Home")
    expect(page.locator(".states mark")).to_have_count(0)


def test_no_request_leaves_the_page(page: Page, address: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.keyboard.press("Home")
    assert asked == [address]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_light_and_dark_and_as_narrow_as_a_phone(
    page: Page, address: str, scheme: str
) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(address)
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", colour)[:3]))
    assert (brightness < 300) == (scheme == "dark")
    box = page.evaluate("getComputedStyle(document.querySelector('.sequence rect')).fill")
    assert (sum(map(int, re.findall(r"\d+", box)[:3])) < 300) == (scheme == "dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_diagram_shows_the_step(page: Page, tmp_path: Path) -> None:
    model = post(tmp_path)
    steps = "write", "open_letter", "visit", ("visit", "bo"), ("write", "bo"), "close"
    result = Replay(model, Origin("post", None), walk(model, *steps), Verdict.HOLDS, "it goes so")
    page.set_viewport_size({"width": 390, "height": 500})
    page.goto(written(result, tmp_path))
    for key in ("Home", *["ArrowRight"] * len(steps)):
        page.keyboard.press(key)
        expect(page.locator(".sequence .step.current .note rect")).to_have_count(int(key != "Home"))
        if key != "Home":
            frame = page.locator(".drawing").bounding_box()
            note = page.locator(".sequence .step.current .note rect").bounding_box()
            assert frame is not None
            assert note is not None
            assert frame["x"] - 1 <= note["x"]
            assert note["x"] + note["width"] <= frame["x"] + frame["width"] + 1
            assert frame["y"] - 1 <= note["y"]
            assert note["y"] + note["height"] <= frame["y"] + frame["height"] + 1


def test_messages_are_reported(page: Page, tmp_path: Path) -> None:
    model = post(tmp_path)
    result = Replay(
        model, Origin("post", None), walk(model, "write", "burn"), Verdict.HOLDS, "it goes so"
    )
    page.goto(written(result, tmp_path))
    expect(page.locator("#details")).to_contain_text("ann to office: letter 1 (lost)")
    expect(page.locator("#details")).to_contain_text("The environment does this.")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#details")).to_contain_text("ann to office: letter 1 (sent)")


def test_a_lasso_says_so(page: Page, tmp_path: Path) -> None:
    model = post(tmp_path)
    origin = Origin("post", None)
    trace = walk(model, "visit", "close", "visit", loop=1)
    page.goto(written(Replay(model, origin, trace, Verdict.HOLDS, "it goes so"), tmp_path))
    expect(page.locator("#details")).to_contain_text("steps 2 to 3 are taken for ever")
    expect(page.locator("#details")).to_contain_text("After it everything is as after step 1.")
    expect(page.locator(".sequence .loop")).to_have_text("loop for ever")
    page.keyboard.press("Home")
    expect(page.locator("#details")).not_to_contain_text("for ever")


def test_no_text_of_a_model_is_markup(page: Page, tmp_path: Path) -> None:
    post(tmp_path)
    model = load_model(tmp_path, "post", {"CLIENTS": (NASTY, "bo")})
    origin = Origin("post", None)
    result = Replay(model, origin, walk(model, "write", "burn"), Verdict.HOLDS, NASTY)
    page.goto(written(result, tmp_path))
    expect(page.locator("img")).to_have_count(0)
    expect(page.locator(".lead")).to_contain_text(NASTY)
    expect(page.locator("#details")).to_contain_text(NASTY)


def test_nothing_but_its_own_script_may_run(browser: Browser, address: str, tmp_path: Path) -> None:
    page = browser.new_page()
    text = (tmp_path / "page.html").read_text("utf-8")
    (tmp_path / "page.html").write_text(
        text.replace("</body>", "<script>document.title = 'run'</script></body>"), "utf-8"
    )
    refused: list[str] = []
    page.on("console", lambda line: refused.append(line.text))
    page.goto(address)
    assert page.title() == "turnstile: entries_are_paid is violated"
    assert "Content Security Policy" in refused.pop()
    page.close()
