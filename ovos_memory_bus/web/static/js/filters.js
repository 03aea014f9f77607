// Which memories are shown: by day, kind, session and the name of who spoke.

import { byId, h } from "./dom.js";
import { sessions } from "./selection.js";
import { named } from "./texts.js";

const KINDS = ["fact", "turn", "note", "document", "summary"];

/** The chosen filters: `request` for the service, `matches(item)` for what it does not filter by, `kind`. */
export function chosenFilters() {
  const request = {};
  const [day, kind, session, person] = ["day", "kind", "session", "person"].map((name) => byId(`filter-${name}`).value.trim());
  if (day) {
    const [year, month, date] = day.split("-").map(Number);
    request.since = new Date(year, month - 1, date).toISOString();
    request.until = new Date(year, month - 1, date + 1).toISOString();
  }
  if (kind) request.kind = kind;
  if (session) request.session_id = session;
  return { request, kind, matches: (item) => !person || (item.name ?? "").toLowerCase() === person.toLowerCase() };
}

/** Fill in the kinds, and call `onChange` whenever another choice is made. */
export function watchFilters(onChange) {
  const form = byId("filter-fields");
  form.addEventListener("change", onChange);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(onChange)); // the fields are empty only after the event
}

export function nameKinds(everything) {
  const select = byId("filter-kind");
  const chosen = select.value;
  select.replaceChildren(
    h("option", { value: "" }, everything),
    ...KINDS.map((kind) => h("option", { value: kind }, named("kind", kind))),
  );
  select.value = chosen;
}

const names = new Set();

/** Offer the owner's sessions, and the names of who spoke in these items, as choices. */
export function offerNamesOf(items) {
  for (const item of items) if (item.name) names.add(item.name);
  byId("people").replaceChildren(...options([...names].sort()));
  byId("sessions").replaceChildren(...options(sessions()));
}

/** Another owner's sessions have other people. */
export function forgetNames() {
  names.clear();
}

function options(values) {
  return values.map((value) => h("option", { value }));
}
