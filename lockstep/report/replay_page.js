"use strict";
// Shows one step of a behaviour. The page's address says which, so that it can be shared:
// #step=7&show=wire,sessions&changed=1

const data = JSON.parse(document.getElementById("data").textContent);
const last = data.steps.length - 1;
const by = (id) => document.getElementById(id);
const view = { step: 0, show: "", changed: false };

function element(tag, text, style) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (style) made.className = style;
  return made;
}

function read() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const step = Number.parseInt(asked.get("step") ?? String(last), 10);
  view.step = Number.isNaN(step) ? last : Math.min(Math.max(step, 0), last);
  view.show = asked.get("show") ?? "";
  view.changed = asked.get("changed") === "1";
}

function address() {
  const parts = [`step=${view.step}`];
  if (view.show) parts.push(`show=${encodeURIComponent(view.show).replaceAll("%2C", ",")}`);
  if (view.changed) parts.push("changed=1");
  return `#${parts.join("&")}`;
}

// Each step that is gone to can be gone back to; those that are dragged or typed over cannot.
function show(changes) {
  Object.assign(view, changes);
  view.step = Math.min(Math.max(view.step, 0), last);
  draw();
}

function go(changes) {
  show(changes);
  if (address() !== location.hash) history.pushState(null, "", address());
}

function isShown(variable) {
  const parts = view.show.split(/[\s,]+/).filter(Boolean);
  return parts.length === 0 || parts.some((part) => variable.includes(part));
}

function cell(row, text, isMarked) {
  const made = element("td", isMarked ? undefined : text);
  if (isMarked) made.append(element("mark", text));
  else made.className = "same";
  row.append(made);
  return made;
}

function states(step) {
  const isFirst = view.step === 0;
  const table = element("table", undefined, "states");
  table.append(element("caption", isFirst ? "The state" : "The states before and after the step", "announcement"));
  const heads = element("tr");
  for (const name of isFirst ? ["", "Value"] : ["", "Before", "After"]) {
    const head = element("th", name || "Variable");
    head.scope = "col";
    heads.append(head);
  }
  const head = element("thead");
  head.append(heads);
  const body = element("tbody");
  for (const [variable, place, before, after] of step.rows) {
    const isChanged = after !== undefined;
    if (!isShown(variable) || (view.changed && !isFirst && !isChanged)) continue;
    const row = element("tr", undefined, isChanged ? "new" : "");
    const name = element("th", place);
    name.scope = "row";
    row.append(name);
    if (isFirst) cell(row, before, false);
    else if (isChanged) {
      cell(row, before, false);
      cell(row, after, true);
    } else cell(row, before, false).colSpan = 2;
    body.append(row);
  }
  table.append(head, body);
  return body.children.length ? table : element("p", "Nothing to show: no such variable, or nothing of it changes.", "empty");
}

function region(label, inside) {
  const made = element("div", undefined, "scroll");
  made.tabIndex = 0;
  made.setAttribute("role", "region");
  made.setAttribute("aria-label", label);
  made.append(inside);
  return made;
}

function source(part, title) {
  if (!part) return [];
  const lines = element("pre", undefined, "source");
  const width = String(part.first + part.lines.length).length;
  part.lines.forEach((line, index) => {
    lines.append(element("span", `${String(part.first + index).padStart(width)}  `), `${line}\n`);
  });
  const place = `${part.file}:${part.first}`;
  return [element("h3", `${title} ${place}`), region(place, lines)];
}

function ending() {
  const end = data.ending;
  if (!end) return [];
  const parts = [element("h3", end.title, "violated")];
  if (end.doc) parts.push(element("p", end.doc));
  if (end.requirements?.length) {
    const list = element("ul", undefined, "requirements");
    list.append(...end.requirements.map((requirement) => element("li", requirement)));
    parts.push(list);
  }
  if (end.conjunct) {
    parts.push(element("p", `False at ${end.place}:`), element("pre", end.conjunct, "conjunct"));
    const table = element("table", undefined, "states");
    const body = element("tbody");
    for (const [text, value] of end.values) {
      const row = element("tr");
      const name = element("th", text);
      name.scope = "row";
      row.append(name, element("td", value));
      body.append(row);
    }
    table.append(body);
    if (end.values.length) parts.push(table);
  }
  if (end.fairness) parts.push(region("Fairness", element("pre", end.fairness.join("\n"))));
  return [...parts, ...source(end.source, "The property:")];
}

function loop() {
  if (data.loop === null) return [];
  if (data.loop === last) {
    return view.step === last ? [element("p", "From here on nothing happens any more.", "inconclusive")] : [];
  }
  if (view.step <= data.loop) return [];
  const back = view.step === last ? ` After it everything is as after step ${data.loop}.` : "";
  return [element("p", `In the loop: steps ${data.loop + 1} to ${last} are taken for ever.${back}`, "inconclusive")];
}

function changesOf(step) {
  return view.step === 0 ? [] : step.rows.filter((row) => row.length === 4);
}

function announcement(step) {
  const changes = changesOf(step).map(([, place, before, after]) => `${place}: ${before} to ${after}`);
  const end = view.step === last && data.ending ? ` ${data.ending.title}.` : "";
  const what = view.step === 0 ? "" : ` ${changes.length ? changes.join("; ") : "nothing changes"}.`;
  return `Step ${view.step} of ${last}: ${step.title}.${what}${end}`;
}

function drawing() {
  for (const group of document.querySelectorAll(".sequence .step")) {
    group.classList.toggle("current", group.id === `step-${view.step}`);
  }
  const group = by(`step-${view.step}`);
  const frame = document.querySelector(".drawing");
  if (!group) return frame.scrollTo(0, 0);
  const place = group.getBoundingClientRect();
  const room = frame.getBoundingClientRect();
  if (place.top < room.top || place.bottom > room.bottom) {
    frame.scrollTop += place.top - room.top - (room.height - place.height) / 2;
  }
  const note = group.querySelector(".note").getBoundingClientRect();
  if (note.left < room.left || note.right > room.right) {
    frame.scrollLeft += note.left - room.left - (room.width - note.width) / 2;
  }
}

function draw() {
  const step = data.steps[view.step];
  by("step").value = String(view.step);
  by("step").setAttribute("aria-valuetext", `${view.step} of ${last}: ${step.title}`);
  by("number").textContent = `${view.step} of ${last}`;
  if (by("show").value !== view.show) by("show").value = view.show;
  by("changed").checked = view.changed;
  by("first").disabled = by("back").disabled = view.step === 0;
  by("last").disabled = by("on").disabled = view.step === last;
  by("heading").textContent = `Step ${view.step}: ${step.title}`;
  const parts = [];
  if (step.parameters) parts.push(element("p", step.parameters, "parameters"));
  if (step.doc) parts.push(element("p", step.doc));
  if (step.environment) parts.push(element("p", "The environment does this.", "dim"));
  if (step.fault) parts.push(element("p", step.fault, "violated"));
  parts.push(...loop());
  for (const message of step.messages ?? []) parts.push(element("p", message, "changed"));
  parts.push(states(step));
  if (view.step === last) parts.push(...ending());
  parts.push(...source(step.source, "The action:"), ...source(step.fault_source, "The fault:"));
  by("details").replaceChildren(...parts);
  const said = announcement(step);
  if (by("announcement").textContent !== said) by("announcement").textContent = said;
  drawing();
}

by("first").addEventListener("click", () => go({ step: 0 }));
by("back").addEventListener("click", () => go({ step: view.step - 1 }));
by("on").addEventListener("click", () => go({ step: view.step + 1 }));
by("last").addEventListener("click", () => go({ step: last }));
by("step").addEventListener("input", (event) => show({ step: Number(event.target.value) }));
by("step").addEventListener("change", () => go({}));
by("show").addEventListener("input", (event) => show({ show: event.target.value }));
by("show").addEventListener("change", (event) => go({ show: event.target.value.trim() }));
by("changed").addEventListener("change", (event) => go({ changed: event.target.checked }));
document.querySelector(".controls").addEventListener("submit", (event) => event.preventDefault());
for (const group of document.querySelectorAll(".sequence .step")) {
  group.addEventListener("click", () => go({ step: Number(group.id.slice("step-".length)) }));
}
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input[type=search]")) return;
  if (event.target.matches(".scroll") && event.target.scrollWidth > event.target.clientWidth) return;
  const step = { ArrowLeft: view.step - 1, ArrowRight: view.step + 1, Home: 0, End: last }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  go({ step });
});
for (const name of ["popstate", "hashchange"]) {
  addEventListener(name, () => {
    read();
    draw();
  });
}
read();
draw();
