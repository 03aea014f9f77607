// The third tab: recalls as they happen, whoever asks.

import { address, read } from "./api.js";
import { byId, h } from "./dom.js";
import { told } from "./messages.js";
import { ownerName } from "./selection.js";
import { clock, counted, date, milliseconds, t } from "./texts.js";
import { backendBars, candidateList } from "./trace.js";

const SHOWN = 50;

/** The view; it listens while it is shown. */
export function recallsView() {
  const list = byId("recall-list");
  let stream = null;

  function mark(on) {
    byId("live").classList.toggle("on", on);
    byId("live").textContent = t(on ? "recalls.live" : "recalls.away");
  }

  function add(trace) {
    if (list.querySelector(".empty")) list.replaceChildren();
    list.prepend(recallEntry(trace));
    while (list.childElementCount > SHOWN) list.lastElementChild.remove();
  }

  function listen() {
    stream?.close();
    stream = new EventSource(address("recalls/live"));
    let lost = false;
    stream.addEventListener("open", () => {
      mark(true);
      if (lost) load(); // what happened meanwhile
      lost = false;
    });
    stream.addEventListener("error", () => {
      mark(false);
      lost = true;
    });
    stream.addEventListener("message", (event) => add(JSON.parse(event.data)));
  }

  const load = told(async () => {
    const { recalls } = await read("recalls", { limit: SHOWN });
    list.replaceChildren(...recalls.map(recallEntry));
    if (!recalls.length) list.append(h("li", { class: "empty" }, t("recalls.none")));
  });

  return {
    async show() {
      mark(false);
      await load();
      listen();
    },
    hide() {
      stream?.close();
      stream = null;
    },
  };
}

function recallEntry(trace) {
  const moment = new Date(trace.at);
  const { owner } = trace;
  const kept = trace.candidates.filter((candidate) => candidate.kept).length;
  return h("li", { class: "card recall" },
    h("div", { class: "recall-head" },
      h("h3", { class: "utterance", dir: "auto" }, trace.utterance),
      h("p", { class: "muted" }, `${ownerName(owner)} · ${date(moment)}, ${clock(moment)}`)),
    h("p", {}, counted("recalls.kept", kept, { time: milliseconds(trace.took), of: trace.candidates.length })),
    backendBars(trace.backends),
    candidateList(trace, owner));
}
