// What a search of all states came by, as bars and lists.

import { drawn, element, plural } from "./elements.js";

const WIDTH = 200;

/** The coverage as elements. `go` is given the steps to where something is wrong. */
export function coverageOf(answer, go) {
  const most = Math.max(1, ...answer.actions.map((action) => action.fired));
  const idle = answer.actions.filter((action) => !action.fired);
  const goals = answer.goals.filter((goal) => !goal.met);
  const vacuous = answer.premises.filter((premise) => !premise.met);
  return [
    element("p", {},
      element("strong", { class: answer.verdict }, answer.verdict),
      `. ${plural(answer.states, "state")}, ${plural(answer.transitions, "transition")}, ` +
      `${plural(answer.depth, "step")} deep, in ${answer.seconds.toFixed(1)} s.`,
      answer.because ? ` ${answer.because}.` : "",
      answer.is_whole ? "" : " Not everything was searched: what did not happen may happen elsewhere."),
    answer.trace ? element("button", { type: "button", onclick: () => go(answer.trace) }, "Go where that is") : "",
    element("h3", {}, "Actions"),
    element("p", { class: "dim" },
      `${answer.actions.length - idle.length} of ${answer.actions.length} can be taken somewhere. ` +
      "Bars are on a logarithmic scale."),
    scrolling("Actions", element("table", {}, ...answer.actions.map((action) => row(action, most)))),
    ...list("Premises", answer.premises, vacuous, "true somewhere", "never true"),
    ...list("Goals", answer.goals, goals, "reached", "never reached"),
  ];
}

function row(action, most) {
  const share = action.fired ? (1 + Math.log10(action.fired)) / (1 + Math.log10(most)) : 0;
  const bar = drawn("svg", { viewBox: `0 0 ${WIDTH} 10`, preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("rect", { class: "room", width: WIDTH, height: 10 }),
    drawn("rect", { width: share * WIDTH, height: 10 }));
  return element("tr", {},
    element("th", { scope: "row" }, action.name),
    element("td", {}, bar),
    element("td", { class: "count" }, action.fired ? action.fired.toLocaleString("en")
      : element("span", { class: action.reason ? "dim" : "inconclusive" }, "never")),
    element("td", { class: "dim" }, action.fired ? "" : action.reason));
}

function list(title, all, missing, met, never) {
  if (!all.length) return [];
  const share = (all.length - missing.length) / all.length;
  const bar = drawn("svg", {
    viewBox: `0 0 ${WIDTH} 10`, preserveAspectRatio: "none", role: "img",
    "aria-label": `${title}: ${all.length - missing.length} of ${all.length}`,
  },
  drawn("rect", { class: "room", width: WIDTH, height: 10 }),
  drawn("rect", { width: share * WIDTH, height: 10 }));
  return [
    element("h3", {}, title),
    element("p", {}, bar, ` ${met}: ${all.length - missing.length} of ${all.length}`),
    missing.length ? element("ul", {}, ...missing.map((one) => element("li", {},
      element("code", {}, one.name), ` ${never}`, one.reason ? `: ${one.reason}` : ""))) : "",
  ];
}

function scrolling(label, child) {
  return element("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" }, child);
}
