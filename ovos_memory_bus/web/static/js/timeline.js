// Turns and notes by days, newest day first; within a day as they were said.

import { ask } from "./api.js";
import { button, h } from "./dom.js";
import { offerNamesOf } from "./filters.js";
import { itemEntry } from "./item.js";
import { told } from "./messages.js";
import { counted, day, t } from "./texts.js";

const PAGE = 100; // items asked for at once
const ENOUGH = 40; // items shown before "more" is offered

/** Show the newest items that pass the filters, and a button for older ones. Resolves when the first are shown. */
export async function showTimeline(place, filters, actions) {
  const days = h("div", {});
  const more = button(t("timeline.more"), "more", told(() => load()));
  const head = h("div", { class: "section-head" }, h("h2", { tabindex: "-1" }, t("timeline.title")));
  const known = new Set(); // what is stored between two pages moves items to the next one
  let offset = 0;

  async function load() {
    more.disabled = true;
    let shown = 0;
    let total = Infinity;
    while (shown < ENOUGH && offset < total) {
      const page = await ask("item/list", { ...filters.request, limit: PAGE, offset });
      total = page.total;
      offset += PAGE;
      offerNamesOf(page.items);
      const passing = page.items.filter((item) => item.kind !== "fact" && !known.has(item.id) && filters.matches(item));
      passing.forEach((item) => known.add(item.id));
      shown += passing.length;
      addItems(days, passing, actions);
    }
    more.disabled = false;
    more.hidden = offset >= total;
  }

  await load();
  if (!days.childElementCount) days.append(h("p", { class: "empty" }, t("timeline.none")));
  place.replaceChildren(head, days, more);
}

/** Put items, newest first, below the days they belong to. */
function addItems(days, items, actions) {
  for (const item of items) {
    const moment = new Date(item.created_at);
    const key = `${moment.getFullYear()}-${moment.getMonth()}-${moment.getDate()}`;
    let section = days.querySelector(`[data-day="${key}"]`);
    if (!section) {
      section = h("section", { class: "day", "data-day": key },
        h("h3", {}, day(moment)), h("ol", { class: "plain", "aria-label": day(moment) }));
      days.append(section);
    }
    section.querySelector("ol").prepend(itemEntry(item, actions));
  }
}

/** Show what a search found, best first. */
export function showFound(place, query, items, actions) {
  place.replaceChildren(
    h("div", { class: "section-head" }, h("h2", { tabindex: "-1" }, counted("search.found", items.length, { query }))),
    items.length
      ? h("ol", { class: "plain found" }, ...items.map((item) => itemEntry(item, { ...actions, dated: true })))
      : h("p", { class: "empty" }, t("search.none")));
}
