// The page: a walk is in its address, and all that it shows is asked of lockstep.

import { coverageOf } from "./coverage.js";
import { ask, element } from "./elements.js";
import { Graph } from "./graph.js";
import { actionsOf, propertiesOf, stateOf } from "./here.js";

const at = (id) => document.getElementById(id);

let about = null; // the model and its scope
let here = null; // where the walk stands, as lockstep has reported
let graph = null;
let newest = 0; // the number of the last question: an earlier one is not shown after a later one

/** The part of the address that has the walk. */
function addressOf(walk, position) {
  const parts = [["of", `${about.model} ${about.scope}`], ...walk.map((name) => ["step", name]), ["at", position]];
  return `#${parts.map(([key, value]) => `${key}=${legible(value)}`).join("&")}`;
}

/** A text as a part of an address, with what may stand there as it is. */
function legible(text) {
  return encodeURIComponent(text).replaceAll("%20", "+").replaceAll("%3D", "=").replaceAll("%2C", ",").replaceAll("%3A", ":");
}

/** Where an address leads; `of` is the model and scope that it was made for. */
function readAddress(address) {
  const parts = new URLSearchParams(address.slice(address.indexOf("#") + 1));
  const walk = parts.getAll("step"), position = Number(parts.get("at") ?? walk.length);
  const isNumber = Number.isInteger(position) && position >= 0;
  return { of: parts.get("of"), walk, position: isNumber ? position : walk.length };
}

/** Ask where a walk leads, and show it; `remembered` makes the browser's Back lead here. */
async function go(walk, position, { remembered = true, said = "" } = {}) {
  await show(() => ask("here", { walk, position }), { remembered, said });
}

/** Show what a question is answered with, unless a later one was asked meanwhile. */
async function show(question, { remembered = true, said = "" } = {}) {
  const number = ++newest;
  let answer;
  try {
    answer = await question();
  } catch (error) {
    if (number === newest) tell(error.message);
    return null;
  }
  if (number !== newest || answer.found === false) return answer;
  here = answer;
  const address = addressOf(here.walk, here.position);
  if (remembered && address !== location.hash) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  draw();
  tell(said);
  return answer;
}

/** Say where the walk stands, after what was said of how it came there. */
function tell(said = "") {
  const broken = here ? here.properties.filter((property) => property.is_broken) : [];
  const standing = here === null ? "" : here.position
    ? `Step ${here.position} of ${here.walk.length}: ${here.walk[here.position - 1]}.`
    : "In the initial state.";
  at("status").replaceChildren(
    said ? element("span", { class: "inconclusive" }, `${said} `) : "", standing,
    broken.length ? element("span", { class: "violated" },
      ` ${broken.map((property) => property.name).join(", ")} broken here.`) : "");
}

function draw() {
  const focused = document.activeElement, key = focused?.dataset?.key;
  at("start").disabled = at("back").disabled = here.position === 0;
  at("forward").disabled = here.position === here.walk.length;
  at("walk").replaceChildren(...steps());
  at("actions").replaceChildren(...actionsOf(here.actions, take));
  at("properties").replaceChildren(...propertiesOf(here.properties));
  drawState();
  graph?.stand(here.state_number);
  showInList(at("walk"), at("walk").querySelector("[aria-current]"));
  if (key !== undefined && !focused.isConnected) {
    // What had the focus is gone: what does the same has it now, or the heading above it.
    const same = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
    (same ?? at("actions-heading")).focus({ preventScroll: true });
  }
}

// Moves the list alone: scrollIntoView would move the page as well.
function showInList(list, item) {
  if (item === null) return;
  const around = list.getBoundingClientRect(), inside = item.getBoundingClientRect();
  if (inside.top < around.top) list.scrollTop += inside.top - around.top;
  if (inside.bottom > around.bottom) list.scrollTop += inside.bottom - around.bottom;
}

function drawState() {
  const shown = stateOf(here.state, {
    filter: at("filter").value, changedOnly: at("changed-only").checked, whole: at("whole").checked,
  });
  at("state").replaceChildren(...shown);
}

function steps() {
  const first = element("li", here.position === 0 ? { "aria-current": "step" } : {},
    element("button", { type: "button", "data-key": "step 0", onclick: () => go(here.walk, 0) }, "initial state"));
  return [first, ...here.walk.map((name, index) => {
    const number = index + 1;
    return element("li", {
      class: number > here.position ? "later" : null,
      "aria-current": number === here.position ? "step" : null,
    }, element("button", {
      type: "button", "data-key": `step ${number}`, onclick: () => go(here.walk, number),
    }, name));
  })];
}

function take(name) {
  return go([...here.walk.slice(0, here.position), name], here.position + 1);
}

/** Go where an address leads that somebody gave. */
async function follow(address, options) {
  const given = readAddress(address);
  const own = `${about.model} ${about.scope}`;
  const said = given.of !== null && given.of !== own
    ? `This link was made for ${given.of}, and this page shows ${own}: the same steps may mean something else.` : "";
  await go(given.walk, given.position, { ...options, said });
  if (here?.problem) tell(`${here.problem} The walk ends before it.`);
}

async function jump() {
  const predicate = at("predicate").value, { walk, position } = here;
  refuse("");
  tell(`Looking, for up to ${about.seconds} s...`);
  const button = at("jump").querySelector("button");
  button.disabled = true;
  const number = ++newest;
  try {
    const answer = await ask("jump", { walk, position, predicate });
    if (number !== newest) return;
    if (answer.found) await show(async () => answer, { said: `${answer.because}.` });
    else tell(answer.because ? `${answer.because}.` : "");
    refuse(answer.refused ?? "");
  } catch (error) {
    if (number !== newest) return;
    refuse(error.message);
    tell("");
  } finally {
    button.disabled = false;
  }
}

/** Show why a predicate is refused. */
function refuse(text) {
  at("refusal-region").hidden = !text;
  at("refusal").textContent = text;
  if (text) at("predicate").setAttribute("aria-invalid", "true");
  else at("predicate").removeAttribute("aria-invalid");
}

async function cover() {
  at("cover").disabled = true;
  at("coverage").replaceChildren(element("p", { role: "status" }, `Searching, for up to ${about.seconds} s...`));
  try {
    at("coverage").replaceChildren(...coverageOf(await ask("coverage"), (walk) => go(walk, walk.length)));
  } catch (error) {
    at("coverage").replaceChildren(element("p", { class: "violated", role: "alert" }, error.message));
  } finally {
    at("cover").disabled = false;
  }
}

async function drawGraph() {
  const answer = await ask("graph");
  if (answer.problem) {
    at("graph").replaceChildren(...answer.problem.split("\n").map((line) => element("p", { class: "dim" }, line)));
    return;
  }
  graph = new Graph(answer, (number) => show(() => ask("state", { state: number })));
  at("graph").replaceChildren(...graph.elements());
  graph.stand(here.state_number);
}

async function copy() {
  try {
    await navigator.clipboard.writeText(location.href);
    tell(`The link is copied. It leads here for whoever runs \`${about.command}\` as well.`);
  } catch {
    tell("The browser does not let a page copy: copy the address of the page.");
  }
}

async function begin() {
  about = await ask("about");
  document.title = `${about.model} (${about.scope}): lockstep explore`;
  at("title").textContent = `${about.model}, scope ${about.scope}`;
  at("lead").textContent = about.doc.split("\n\n")[0].replaceAll("\n", " ");
  await follow(location.hash, { remembered: false });
}

// Whoever is quicker than that waits for it.
const ready = begin().catch((error) => tell(error.message));

function on(id, kind, act) {
  at(id).addEventListener(kind, async (event) => {
    if (kind === "submit") event.preventDefault();
    await ready;
    if (here !== null) await act(event);
  });
}

on("start", "click", () => go(here.walk, 0));
on("back", "click", () => go(here.walk, here.position - 1));
on("forward", "click", () => go(here.walk, here.position + 1));
on("copy", "click", copy);
on("jump", "submit", jump);
on("follow", "submit", () => follow(at("link").value, {}));
on("cover", "click", cover);
on("predicate", "input", () => refuse(""));
on("filter", "input", drawState);
on("changed-only", "change", drawState);
on("whole", "change", drawState);
window.addEventListener("popstate", () => here && follow(location.hash, { remembered: false }));
ready.then(() => here && drawGraph()).catch((error) => tell(error.message));
