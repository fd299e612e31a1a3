// Elements of a page, made so that no text becomes markup.

/** An element with attributes and children; a child that is a text stays one. */
export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same of a drawing. */
export function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** "1 state", "1,000 states". */
export function plural(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** Ask the server; an error has its message. */
export async function ask(question, body = {}) {
  let answer;
  try {
    answer = await fetch(`api/${question}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Error("lockstep explore does not answer: has it ended?");
  }
  const isJson = (answer.headers.get("Content-Type") ?? "").startsWith("application/json");
  const content = isJson ? await answer.json() : { problem: await answer.text() };
  if (!answer.ok) throw new Error(content.problem);
  return content;
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") made.addEventListener("click", value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
}
