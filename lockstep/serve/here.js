// Where a walk stands, as elements: what can be done, the state, and what is claimed.

import { element, plural } from "./elements.js";

const MOST_BUTTONS = 24; // instances of an action that are shown at once
const MOST_OPEN = 8; // actions that are not enabled, up to which the reasons are not folded away

const open = new Set(); // what the reader has unfolded
const folded = new Set(); // and folded away

/** The actions: those that can be taken with a button an instance, the others with why not. */
export function actionsOf(actions, take) {
  const enabled = actions.filter((action) => action.instances.length || action.error);
  const others = actions.filter((action) => !action.instances.length && !action.error);
  const shown = enabled.map((action) => element("section", { "aria-label": action.name },
    heading(action),
    action.doc ? element("p", { class: "doc" }, firstSentence(action.doc)) : "",
    action.error ? element("p", { class: "error" }, action.error) : "",
    ...buttons(action, take),
    action.refusals.length ? foldable(`why ${action.name}`, "Not enabled for every parameter, and why", false, reasons(action)) : ""));
  if (!enabled.length) shown.push(element("p", {}, "Nothing: no action is enabled."));
  if (others.length) {
    shown.push(foldable("others", `${plural(others.length, "action")} not enabled here, and why`,
      others.length <= MOST_OPEN, ...others.flatMap((action) => [heading(action), reasons(action)])));
  }
  return shown;
}

function heading(action) {
  return element("h3", { title: action.doc }, action.name, " ", element("span", { class: "dim" }, action.place));
}

function firstSentence(doc) {
  return /^.*?[.!?](?=\s|$)|^.*/s.exec(doc)[0].replaceAll("\n", " ");
}

function buttons(action, take) {
  const made = action.instances.map((name, number) => element("button", {
    type: "button", title: name, "aria-label": name, "data-key": `take ${name}`, onclick: () => take(name),
  }, action.labels[number]));
  const first = element("div", { class: "instances" }, ...made.slice(0, MOST_BUTTONS));
  if (made.length <= MOST_BUTTONS) return [first];
  const rest = element("div", { class: "instances" }, ...made.slice(MOST_BUTTONS));
  return [first, foldable(`more ${action.name}`, `${made.length - MOST_BUTTONS} more`, false, rest)];
}

function reasons(action) {
  const listed = action.refusals.map((refusal) => element("li", {},
    element("code", {}, refusal.text), " is false",
    refusal.instances > 1 ? ` for ${refusal.instances} instances, first ` : refusal.binding ? " for " : "",
    refusal.binding ? element("code", {}, refusal.binding) : "",
    ...valuesOf(refusal.values), " ", element("span", { class: "dim" }, refusal.place)));
  return element("ul", { class: "reasons" }, ...listed,
    action.is_cut ? element("li", { class: "dim" }, "More instances were not asked.") : "",
    listed.length || action.is_cut ? "" : element("li", { class: "dim" }, "There are no instances to ask."));
}

function valuesOf(values) {
  if (!values.length) return [];
  return [": ", ...values.flatMap(({ name, value }, index) => [index ? ", " : "", element("code", {}, `${name} = ${value}`)])];
}

/** The rows of the state, the variables that the last step changed marked. */
export function stateOf(variables, { filter, changedOnly, whole }) {
  const wanted = filter.trim().toLowerCase();
  const rows = variables.filter((variable) => variable.name.toLowerCase().includes(wanted) &&
    (!changedOnly || variable.changes.length));
  if (!rows.length) return [element("tbody", {}, element("tr", {}, element("td", { class: "dim" }, "No such variable.")))];
  return [element("tbody", {}, ...rows.map((variable) => element("tr", { class: variable.changes.length ? "is-changed" : null },
    element("th", { scope: "row" }, variable.name),
    element("td", {}, element("pre", {}, whole ? variable.whole : variable.folded),
      ...variable.changes.map((change) => element("div", { class: "changed" },
        element("span", { class: "label" }, "changed "), element("code", {}, change)))))))];
}

/** What each property says: first what is broken, and folded away what says nothing here. */
export function propertiesOf(properties) {
  const rank = ["false", "error", "owed", "reached", "true", "not here", "silent"];
  const sorted = properties.toSorted((one, other) => rank.indexOf(one.standing) - rank.indexOf(other.standing));
  const isQuiet = (property) => property.standing === "silent" || property.standing === "not here";
  const quiet = sorted.filter(isQuiet), others = sorted.filter((property) => !isQuiet(property));
  return [
    element("ul", { class: "claims" }, ...others.map(claim)),
    quiet.length ? foldable("quiet", `${plural(quiet.length, "property").replace("propertys", "properties")} ` +
      "of which nothing is to be said here", quiet.length <= MOST_OPEN, element("ul", { class: "claims" }, ...quiet.map(claim))) : "",
  ];
}

function claim(property) {
  const said = property.why ? [property.why] : [];
  if (property.binding) said.push(property.why ? " (" : "for ", element("code", {}, property.binding), property.why ? ")" : ": ");
  if (property.conjunct) {
    said.push(element("code", {}, property.conjunct.text), " is false", ...valuesOf(property.conjunct.values),
      " ", element("span", { class: "dim" }, property.conjunct.place));
  }
  const states = property.requirements.length ? ` States ${property.requirements.join(", ")}.` : "";
  return element("li", { title: property.doc },
    element("span", { class: property.standing.replace(" ", "-") }, property.standing), " ",
    element("div", {}, element("code", {}, property.name), " ", element("span", { class: "dim" }, property.kind),
      said.length ? element("div", {}, ...said) : "",
      property.is_broken && property.doc ? element("p", { class: "doc" }, firstSentence(property.doc), states) : ""));
}

/** What can be folded away, and stays as the reader has left it. */
function foldable(key, title, isOpen, ...children) {
  const made = element("details", { open: open.has(key) || (isOpen && !folded.has(key)) },
    element("summary", { "data-key": `fold ${key}` }, title), ...children);
  made.addEventListener("toggle", () => {
    const [into, from] = made.open ? [open, folded] : [folded, open];
    into.add(key);
    from.delete(key);
  });
  return made;
}
