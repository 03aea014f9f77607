// The second tab: what the assistant would be told before it answers a question.

import { ask } from "./api.js";
import { byId, h } from "./dom.js";
import { told } from "./messages.js";
import { selection, sessions } from "./selection.js";
import { clock, counted, date, milliseconds, named, percent, t } from "./texts.js";
import { backendBars, candidateList } from "./trace.js";

/** The view; asking stores nothing. */
export function askingView() {
  const place = byId("told");

  const show = told(async () => {
    const utterance = byId("utterance").value.trim();
    if (!utterance) return place.replaceChildren();
    const request_id = crypto.randomUUID();
    const as = { session: sessions()[0] };
    const answer = await ask("context/request", { utterance, request_id }, as);
    const trace = await ask("explain", { recall_id: request_id }, as);
    place.replaceChildren(h("div", { class: "form" },
      knowledge(answer),
      h("div", { class: "card recall" },
        h("h3", {}, t("ask.how", { time: milliseconds(answer.took) })),
        answer.partial && h("p", { class: "bad" }, t("ask.partial")),
        backendBars(answer.backends),
        candidateList(trace, selection.owner))));
  });

  byId("ask-form").addEventListener("submit", (event) => {
    event.preventDefault();
    show();
  });
  return { show, hide() {} };
}

function knowledge(answer) {
  const facts = answer.facts.map((fact) => h("li", { dir: "auto" }, fact.content));
  const hits = answer.hits.map((hit) => {
    const moment = new Date(hit.created_at);
    return h("li", { class: "item" }, h("p", { class: "content", dir: "auto" }, hit.content),
      h("p", { class: "facts-of" },
        h("span", {}, hit.kind === "turn" ? (hit.name ?? named("role", hit.role)) : named("kind", hit.kind)),
        h("span", {}, `${date(moment)}, ${clock(moment)}`),
        h("span", {}, t("item.score", { share: percent(hit.score) })),
        h("span", {}, hit.backends.join(", "))));
  });
  return h("div", { class: "card form" },
    h("h3", {}, counted("ask.hits", hits.length)),
    hits.length ? h("ol", { class: "plain" }, ...hits) : h("p", { class: "muted" }, t("ask.none")),
    facts.length ? h("div", {}, h("h3", {}, t("ask.facts")), h("ul", {}, ...facts)) : "",
    answer.summary ? h("div", {}, h("h3", {}, t("ask.summary")), h("p", { dir: "auto" }, answer.summary)) : "");
}
