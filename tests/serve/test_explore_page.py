"""The page in a real browser: a walk by hand, as somebody at a desk or with a phone takes it."""

from itertools import pairwise

import pytest
from playwright.sync_api import Browser, Page, expect

from lockstep.serve.server import ExploreServer
from lockstep.verbs.explore import ExploreRequest
from tests.serve.conftest import KAFKA, TURNSTILE, Serve

expect.set_options(timeout=30_000)


def take(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).first.click()
    expect(page.get_by_role("status").first).to_contain_text(f": {name}.")


def step(page: Page) -> str:
    """The button of the step after which the walk stands."""
    return page.locator("#walk [aria-current] button").inner_text()


def test_steps_are_taken_and_taken_back(page: Page, turnstile: ExploreServer) -> None:
    page.goto(turnstile.url)
    expect(page.get_by_role("heading", level=1)).to_have_text("turnstile, scope default")
    take(page, "coin(g=east)")
    changed = page.locator("#state tr.is-changed")
    assert changed.locator("th").all_inner_texts() == ["arm", "coins"]
    expect(changed.first).to_contain_text("arm[east]: LOCKED -> OPEN")
    expect(page.locator("#actions")).to_contain_text("s.arm[g] == Arm.OPEN is false")
    take(page, "push(g=east)")
    expect(page.locator("#properties li").first).to_contain_text("reached somebody_gets_in")
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_role("button", name="Forward")).to_be_enabled()
    expect(page.get_by_role("status").first).to_contain_text("Step 1 of 2")
    page.get_by_role("button", name="Forward").click()
    expect(page.get_by_role("status").first).to_contain_text("Step 2 of 2")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("status").first).to_contain_text("In the initial state")
    assert page.get_by_role("button", name="Back").is_disabled()
    page.go_back()
    expect(page.get_by_role("status").first).to_contain_text("Step 2 of 2: push(g=east)")


def test_a_step_moves_its_list_and_not_the_page(page: Page, turnstile: ExploreServer) -> None:
    page.set_viewport_size({"width": 1280, "height": 500})
    page.goto(turnstile.url)
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
    for name in (
        "coin(g=east)",
        "push(g=east)",
        "coin(g=west)",
        *4 * ("jam(g=east)", "collect(g=east)"),
    ):
        take(page, name)
    listed = page.locator("#walk")
    page.evaluate("scrollTo(0, 0)")
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_role("status").first).to_contain_text("Step 10 of 11")
    assert page.evaluate("scrollY") == 0
    bottom = listed.evaluate("list => list.getBoundingClientRect().bottom")
    here = page.locator("#walk [aria-current]")
    assert here.evaluate("item => item.getBoundingClientRect().bottom") <= bottom + 1


def test_a_link_leads_to_the_same_place_in_another_tab(
    page: Page, turnstile: ExploreServer
) -> None:
    page.goto(turnstile.url)
    for name in ("coin(g=east)", "push(g=east)", "jam(g=west)"):
        take(page, name)
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_role("status").first).to_contain_text("Step 2 of 3")
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.get_by_role("status").first).to_contain_text("Step 2 of 3: push(g=east)")
    assert other.locator("#state").inner_text() == page.locator("#state").inner_text()
    other.reload()
    expect(other.get_by_role("status").first).to_contain_text("Step 2 of 3: push(g=east)")


def test_a_link_is_copied(page: Page, turnstile: ExploreServer) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(turnstile.url)
    take(page, "coin(g=east)")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("status").first).to_contain_text("lockstep explore turnstile")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert page.url.endswith("/#of=turnstile+default&step=coin(g=east)&at=1")


def test_a_link_of_somebody_else_is_followed(page: Page, serve: Serve) -> None:
    """It was made by another run, of the same model in another scope."""
    small = serve(ExploreRequest(model="turnstile", workspace=TURNSTILE, scope="small"))
    default = serve(ExploreRequest(model="turnstile", workspace=TURNSTILE))
    page.goto(small.url)
    take(page, "coin(g=east)")
    link = page.url
    page.goto(default.url)
    page.get_by_text("Go where a link of somebody else leads").click()
    page.get_by_label("A link that was copied").fill(link)
    page.get_by_role("button", name="Follow").click()
    expect(page.get_by_role("status").first).to_contain_text("made for turnstile small")
    expect(page.get_by_role("status").first).to_contain_text("Step 1 of 1: coin(g=east)")


@pytest.mark.parametrize(
    ("address", "reported"),
    [
        ("#at=1&step=push(g%3Deast)", "step 1: push(g=east) is not enabled there"),
        ("#step=coin(g%3Deast)&step=dance()", "step 2: turnstile has no action 'dance'"),
        ("#at=x&step=<b>", "no action '<b>'"),
    ],
)
def test_a_damaged_link_is_reported_so(
    page: Page, turnstile: ExploreServer, address: str, reported: str
) -> None:
    page.goto(turnstile.url + address)
    expect(page.get_by_role("status").first).to_contain_text(reported)
    expect(page.locator("#actions button").first).to_be_visible()


def test_a_jump_goes_to_the_nearest_state(page: Page, turnstile: ExploreServer) -> None:
    page.goto(turnstile.url)
    take(page, "coin(g=east)")
    predicate = page.get_by_label("Go to the nearest state in which")
    predicate.fill("s.entries['west'] == 1")
    predicate.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("2 steps away. Step 3 of 3")
    predicate.fill("s.entries['west'] > s.coins['west']")
    predicate.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("false in every state from here on")
    assert step(page) == "push(g=west)"


def test_a_predicate_outside_of_the_notation_is_shown_with_its_place(
    page: Page, turnstile: ExploreServer
) -> None:
    page.goto(turnstile.url)
    predicate = page.get_by_label("Go to the nearest state in which")
    predicate.fill("s.enters['east'] == 1 or True")
    predicate.press("Enter")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("did you mean entries?")
    expect(alert).to_contain_text("\n  | ^^^^^^^^\n")
    assert predicate.get_attribute("aria-invalid") == "true"
    predicate.fill("s.coins['east'] == 1")
    expect(alert).to_be_hidden()


def test_a_state_of_the_graph_is_gone_to(page: Page, turnstile: ExploreServer) -> None:
    page.goto(turnstile.url)
    states = page.locator("#graph .state")
    expect(states).to_have_count(64)
    expect(page.locator("#graph .state.here")).to_have_attribute("data-state", "0")
    states.nth(20).click()
    expect(page.locator("#graph .state.here")).to_have_attribute("data-state", "20")
    expect(page.get_by_role("status").first).to_contain_text("Step 4 of 4")
    states.nth(20).focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Step 3 of 3")


def test_coverage_is_shown_with_bars(page: Page, turnstile: ExploreServer) -> None:
    page.goto(turnstile.url)
    page.get_by_role("button", name="Search all states").click()
    coverage = page.locator("#coverage")
    expect(coverage).to_contain_text("holds. 64 states, 208 transitions, 10 steps deep")
    assert coverage.locator("tr").count() == 4
    widths = [
        float(bar.get_attribute("width") or 0)
        for bar in coverage.locator("tr rect:not(.room)").all()
    ]
    assert max(widths) == widths[3] == 200
    expect(coverage).to_contain_text("true somewhere: 2 of 2")


def test_what_is_broken_is_said_with_its_conjunct(page: Page, serve: Serve) -> None:
    request = ExploreRequest(
        model="turnstile", workspace=TURNSTILE, fault="stays_open", scope="default"
    )
    page.goto(serve(request).url)
    page.get_by_role("button", name="Search all states").click()
    page.get_by_role("button", name="Go where that is").click()
    expect(page.get_by_role("status").first).to_contain_text("entries_are_paid broken here")
    broken = page.locator("#properties li", has_text="entries_are_paid")
    expect(broken).to_contain_text("s.entries[g] <= s.coins[g] is false")
    expect(page.locator("#graph .state.here")).to_have_class("state broken here")


def test_variables_are_filtered(page: Page, turnstile: ExploreServer) -> None:
    page.goto(turnstile.url)
    take(page, "coin(g=east)")
    names = page.locator("#state th")
    page.get_by_label("Variables").fill("Ent")
    assert names.all_inner_texts() == ["entries"]
    page.get_by_label("Variables").fill("")
    page.get_by_label("changed only").check()
    assert names.all_inner_texts() == ["arm", "coins"]
    page.get_by_label("whole values").check()
    expect(page.locator("#state pre").first).to_have_text("{east: OPEN, west: LOCKED}")


def test_it_works_by_the_keyboard(page: Page, turnstile: ExploreServer) -> None:
    page.goto(turnstile.url)
    page.get_by_role("button", name="collect(g=west)", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Step 1 of 1: collect(g=west)")
    # The same instance is enabled again: its button, another element now, keeps the focus.
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Step 2 of 2: collect(g=west)")
    page.get_by_role("button", name="coin(g=west)", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#actions-heading")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_can_be_read(
    browser: Browser, turnstile: ExploreServer, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 800},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page = context.new_page()
    page.goto(turnstile.url)
    take(page, "coin(g=east)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(h => +h.tagName[1])")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    unnamed = page.evaluate(
        "[...document.querySelectorAll('button,input')].filter(e => !e.labels?.length"
        " && !e.getAttribute('aria-label') && !e.textContent.trim()).length"
    )
    assert unnamed == 0
    context.close()


def test_a_real_model_is_walked(page: Page, serve: Serve) -> None:
    """`fetch_session` with a fault: large values, many actions, and no graph to draw."""
    request = ExploreRequest(
        model="fetch_session", workspace=KAFKA, fault="throttled_response_without_session"
    )
    server = serve(request)
    page.goto(server.url)
    page.locator("[aria-label^='send_full(']").first.click()
    expect(page.locator("#state tr.is-changed")).to_contain_text(["request[c1]: None -> Request("])
    predicate = page.get_by_label("Go to the nearest state in which")
    predicate.fill("any(s.response[f] is not None for f in Fetcher)")
    predicate.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("1 step away", timeout=60_000)
    expect(page.locator("#graph")).to_contain_text("of up to 150 states is drawn")
    page.get_by_text("actions not enabled here, and why").click()
    expect(page.locator("#actions")).to_contain_text("TOPIC_IDS is false")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.get_by_role("status").first).to_contain_text("Step 2 of 2")
    page.get_by_role("button", name="Search all states").click()
    page.get_by_role("button", name="Go where that is").click(timeout=60_000)
    expect(page.get_by_role("status").first).to_contain_text("answered_with_its_session broken")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
