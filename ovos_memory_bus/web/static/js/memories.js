// The first tab: facts, timeline, search, filters, export and forgetting of the selected owner.

import { address, ask } from "./api.js";
import { byId } from "./dom.js";
import { showFacts } from "./facts.js";
import { chosenFilters, forgetNames, nameKinds, watchFilters } from "./filters.js";
import { chooseAndForget } from "./forgetting.js";
import { told } from "./messages.js";
import { selection } from "./selection.js";
import { t } from "./texts.js";
import { showFound, showTimeline } from "./timeline.js";

const FACTS = 1000; // asked for at most
const FOUND = 50;
const LOOKS = 20; // at the facts after an edit, until no background work is left
const PAUSE = 500; // milliseconds between two of them
const TYPED = 250; // milliseconds after the last key until a search field that was emptied shows everything again

/** The view; `show()` loads it anew. `onGone()` is called when something was forgotten. */
export function memoriesView(onGone) {
  let turn = 0; // answers of an older show() must not replace those of a newer one
  const actions = { onChanged: drawAgain, onForgotten: afterForgetting };

  const show = told(async () => {
    const mine = ++turn;
    nameKinds(t("filter.every"));
    byId("export").href = address("export", { owner: selection.owner });
    const filters = chosenFilters();
    const query = byId("query").value.trim();
    const places = Object.fromEntries(["found", "facts", "timeline"].map((id) => [id, document.createElement("div")]));
    if (query) {
      const { items } = await ask("item/search", { ...filters.request, query, limit: FOUND });
      showFound(places.found, query, items.filter(filters.matches), actions);
    } else {
      if (!filters.kind || filters.kind === "fact") await putFacts(places.facts, filters);
      if (filters.kind !== "fact") await showTimeline(places.timeline, filters, actions);
    }
    if (mine !== turn) return;
    for (const [id, place] of Object.entries(places)) byId(id).replaceChildren(...place.childNodes);
  });

  async function putFacts(place, filters) {
    const { items } = await ask("item/list", { ...filters.request, kind: "fact", limit: FACTS });
    showFacts(place, items.filter(filters.matches), actions);
  }

  /** After an edit: the facts drawn from the old text are gone at once, those from the new come in the background. */
  async function drawAgain(item) {
    if (item.kind === "fact" || !byId("facts").childElementCount) return;
    const mine = turn;
    for (let look = 0; look < LOOKS && mine === turn; look += 1) {
      const { queue } = await ask("status");
      await putFacts(byId("facts"), chosenFilters());
      if (!queue.pending) return;
      await new Promise((done) => setTimeout(done, PAUSE));
    }
  }

  async function afterForgetting(entry) {
    const next = entry?.nextElementSibling ?? entry?.previousElementSibling;
    const id = next?.dataset.id;
    await Promise.all([show(), onGone()]);
    const again = id && document.querySelector(`[data-id="${CSS.escape(id)}"] button`);
    (again || document.querySelector("#memories h2"))?.focus();
  }

  byId("search").addEventListener("submit", (event) => {
    event.preventDefault();
    show();
  });
  let waiting;
  byId("query").addEventListener("input", (event) => {
    clearTimeout(waiting);
    if (!event.target.value) waiting = setTimeout(show, TYPED);
  });
  byId("forget").addEventListener("click", told(async () => (await chooseAndForget()) && afterForgetting()));
  watchFilters(show);

  return { show, hide() {}, reset: forgetNames };
}
