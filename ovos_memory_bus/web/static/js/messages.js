// Says what happened, to eyes and to screen readers.

import { byId } from "./dom.js";
import { t } from "./texts.js";

const SHOWN = 6000; // milliseconds
const timers = new Map();

function show(id, text) {
  const place = byId(id);
  clearTimeout(timers.get(id));
  place.textContent = text;
  timers.set(id, setTimeout(() => (place.textContent = ""), SHOWN));
}

/** Something went well. */
export function say(text) {
  show("said", text);
}

/** Something did not. */
export function warn(error) {
  show("warned", error.code ? t("error.refused", { message: error.message }) : t("error.unreachable"));
}

/** A listener that tells when what it starts goes wrong. */
export function told(action) {
  return async (...given) => {
    try {
      await action(...given);
    } catch (error) {
      if (error.code === "unauthorized") document.dispatchEvent(new CustomEvent("locked"));
      else warn(error);
    }
  };
}
