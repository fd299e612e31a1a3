// The graph of all states, in layers: one is gone to by a click, or by the arrow keys and Enter.

import { drawn, element, plural } from "./elements.js";

const RADIUS = 13;
const ACROSS = 58;
const DOWN = 68;

/** A drawing of a graph. `go` is given the number of a state. */
export class Graph {
  constructor(answer, go) {
    this.answer = answer;
    const places = answer.states.map((state) => state.place);
    const left = Math.min(...places);
    this.points = answer.states.map((state) => ({
      x: (state.place - left) * ACROSS + 2 * RADIUS + 20,
      y: state.depth * DOWN + 2 * RADIUS,
    }));
    const width = Math.max(...this.points.map((point) => point.x)) + 2 * RADIUS + 20;
    const height = Math.max(...this.points.map((point) => point.y)) + 2 * RADIUS;
    this.states = answer.states.map((state, number) => this.#state(state, number, go));
    this.edges = answer.edges.map((edge) => this.#edge(edge));
    this.drawing = drawn("svg", {
      width, height, viewBox: `0 0 ${width} ${height}`, role: "group",
      "aria-label": "States: the arrow keys move among them, Enter goes to one",
    },
    drawn("defs", {}, arrowhead("arrow", ""), arrowhead("arrow-out", "out")),
    ...this.edges, ...this.states);
    this.#focusable = 0;
    this.states[0].setAttribute("tabindex", "0");
    this.drawing.addEventListener("keydown", (event) => this.#move(event, go));
  }

  #focusable;

  /** The drawing with what is to be known of it. */
  elements() {
    const broken = this.answer.states.filter((state) => state.broken).length;
    return [
      element("p", { class: "dim" },
        `${plural(this.answer.states.length, "state")}; each layer is one step further away. ` +
        `${broken ? `A broken ring is that of a state that violates an invariant: ${broken} do. ` : ""}` +
        "Click one to go there by a shortest way."),
      element("div", { class: "scroll", role: "region", "aria-label": "Drawing of all states" }, this.drawing),
    ];
  }

  /** Mark the state in which the walk stands; null is none of them. */
  stand(here) {
    this.states.forEach((state, number) => {
      state.classList.toggle("here", number === here);
      if (number === here) state.setAttribute("aria-current", "true");
      else state.removeAttribute("aria-current");
    });
    this.answer.edges.forEach((edge, number) => {
      const isOut = edge.source === here;
      this.edges[number].classList.toggle("out", isOut);
      this.edges[number].setAttribute("marker-end", `url(#${isOut ? "arrow-out" : "arrow"})`);
    });
    if (here !== null) {
      this.#let(here);
      this.#show(here);
    }
  }

  /** Scroll the drawing, and not the page, to a state. */
  #show(number) {
    const region = this.drawing.parentElement, { x, y } = this.points[number];
    if (region === null) return;
    const left = this.drawing.getBoundingClientRect().left - region.getBoundingClientRect().left + region.scrollLeft;
    region.scrollTo(left + x - region.clientWidth / 2, y - region.clientHeight / 2);
  }

  #state(state, number, go) {
    const { x, y } = this.points[number];
    const what = `State ${number}, ${plural(state.depth, "step")} away` +
      (state.broken ? ", violates an invariant" : "");
    return drawn("g", {
      class: `state${state.broken ? " broken" : ""}`, role: "button", tabindex: "-1",
      "aria-label": what, "data-state": number, onclick: () => go(number),
    },
    drawn("title", {}, what),
    drawn("circle", { cx: x, cy: y, r: RADIUS }),
    drawn("text", { x, y }, String(number)));
  }

  #edge(edge) {
    const from = this.points[edge.source], to = this.points[edge.target];
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const along = { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
    // A step up or to the side is bent, so that it differs from one down.
    const bend = to.y > from.y ? 0 : Math.min(40, length / 4);
    const middle = {
      x: (from.x + to.x) / 2 - along.y * bend * 2, y: (from.y + to.y) / 2 + along.x * bend * 2,
    };
    const begin = towards(from, middle, RADIUS), end = towards(to, middle, RADIUS + 3);
    return drawn("path", {
      class: "edge", "marker-end": "url(#arrow)",
      d: `M ${begin.x} ${begin.y} Q ${middle.x} ${middle.y} ${end.x} ${end.y}`,
    }, drawn("title", {}, `${edge.instances.join("\n")}: state ${edge.source} to ${edge.target}`));
  }

  #move(event, go) {
    const current = this.#focusable, at = this.points[current];
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      go(current);
    } else if (way) {
      event.preventDefault();
      const [x, y] = way;
      let best = null, least = Infinity;
      this.points.forEach((point, number) => {
        const ahead = (point.x - at.x) * x + (point.y - at.y) * y;
        const aside = Math.abs((point.x - at.x) * y) + Math.abs((point.y - at.y) * x);
        if (ahead <= 0 || (x && aside > 1)) return;
        const distance = ahead * 4 + aside;
        if (distance < least) [best, least] = [number, distance];
      });
      if (best !== null) {
        this.#let(best);
        this.states[best].focus();
      }
    }
  }

  /** Let the tabulator come to one state, and no other. */
  #let(number) {
    this.states[this.#focusable].setAttribute("tabindex", "-1");
    this.#focusable = number;
    this.states[number].setAttribute("tabindex", "0");
  }
}

function towards(from, to, distance) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: from.x + ((to.x - from.x) / length) * distance, y: from.y + ((to.y - from.y) / length) * distance };
}

function arrowhead(id, style) {
  return drawn("marker", {
    id, class: style, viewBox: "0 0 6 6", refX: 5, refY: 3, markerWidth: 6, markerHeight: 6,
    orient: "auto-start-reverse", markerUnits: "userSpaceOnUse",
  }, drawn("path", { d: "M 0 0 L 6 3 L 0 6 z" }));
}
