// One recall explained: what each backend brought in which time, and what fusion made of it.

import { ask } from "./api.js";
import { h } from "./dom.js";
import { counted, milliseconds, named, number, percent, t } from "./texts.js";

const TEXTS = 25; // candidates whose text is fetched

/** Bars of the backends' times. `backends` as in an answer of `memory.context.request` or in a trace. */
export function backendBars(backends) {
  const entries = Object.entries(backends);
  const longest = Math.max(...entries.map(([, one]) => one.took), 1e-9);
  return h("ul", { class: "bars", "aria-label": t("trace.backends") }, ...entries.map(([name, one]) => {
    const bar = h("span", {});
    bar.style.setProperty("--share", String(one.took / longest));
    const outcome = one.status === "ok" ? counted("trace.hits", one.hits ?? 0) : named("status", one.status);
    return h("li", { class: one.status === "ok" ? null : "bad" },
      h("span", {}, name, " ", h("span", { class: "muted" }, named("backend", name))),
      h("span", { class: "track", "aria-hidden": "true" }, bar),
      h("span", { class: "outcome" }, `${milliseconds(one.took)} · ${outcome}`, one.error ? `: ${one.error.message}` : ""));
  }));
}

/** The candidates in the fused order, folded away; their texts are fetched when it is opened. */
export function candidateList(trace, owner) {
  const list = h("ol", { class: "candidates" });
  const details = h("details", { class: "filters" }, h("summary", {}, t("trace.ranking")), list);
  details.addEventListener("toggle", () => {
    if (details.open && !list.childElementCount) fill(list, trace, owner);
  });
  return details;
}

function fill(list, trace, owner) {
  if (!trace.candidates.length) list.append(h("li", {}, t("trace.nothing")));
  trace.candidates.forEach((candidate, place) => {
    const text = h("p", { dir: "auto" }, place < TEXTS ? "…" : candidate.id);
    list.append(h("li", { class: candidate.kept ? null : "left-out" }, text,
      h("p", { class: "facts-of" },
        h("span", {}, candidate.kept ? t("trace.kept") : t("trace.left_out", { why: named("why", candidate.why) })),
        h("span", {}, t("item.score", { share: percent(candidate.score) })),
        h("span", {}, t("trace.fused", { score: number(candidate.fusion_score, 4) })),
        ...ranksOf(trace, candidate.id))));
    if (place < TEXTS) putText(text, candidate.id, owner);
  });
}

function ranksOf(trace, id) {
  return Object.entries(trace.backends).flatMap(([name, one]) => {
    const found = (one.ranked ?? []).find((entry) => entry.id === id);
    return found ? [h("span", {}, t("trace.rank", { backend: name, rank: number(found.rank) }))] : [];
  });
}

async function putText(place, id, owner) {
  try {
    const { item } = await ask("item/get", { id }, { owner });
    place.textContent = item.content;
  } catch (error) {
    place.textContent = error.code === "not_found" ? t("trace.gone") : error.message;
  }
}
