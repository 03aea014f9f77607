// Builds elements. Text becomes text nodes, never markup: what is remembered may read like a script.

/** An element: `h("p", {class: "muted", on: {click}}, "text", otherElement)`. `null` and `false` children are left out. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function byId(id) {
  return document.getElementById(id);
}

/** A button that does something; `kinds` are its classes. */
export function button(text, kinds, onClick, properties = {}) {
  return h("button", { type: "button", class: kinds, on: { click: onClick }, ...properties }, text);
}

/** Pairs of a name and a value, as a description list; pairs without a value are left out. */
export function pairs(entries) {
  const shown = entries.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return h("dl", {}, ...shown.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}
