// Starts the page: enters with the token of the address, chooses language and owner, connects the views.

import { enter, read } from "./api.js";
import { askingView } from "./asking.js";
import { byId, h } from "./dom.js";
import { memoriesView } from "./memories.js";
import { told } from "./messages.js";
import { makePausing, showPaused } from "./pausing.js";
import { recallsView } from "./recalls.js";
import { DEVICE, ownerName, selection } from "./selection.js";
import { serviceView } from "./service.js";
import { makeTabs } from "./tabs.js";
import { LANGUAGES, counted, currentLanguage, preferredLanguage, useLanguage } from "./texts.js";

const FIRST = "memories";

/** Trade `#token=…` for a cookie and take it out of the address and the history. */
async function enterByAddress() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  history.replaceState(null, "", location.pathname);
  await enter(token).catch((error) => {
    if (error.code !== "unauthorized") throw error; // a cookie of before may still hold
  });
}

function lock() {
  for (const id of ["tabs", "choices", "paused", "memories", "ask", "recalls", "service"]) byId(id).hidden = true;
  byId("locked").hidden = false;
}

/** The owner chosen before in this tab, else whoever has the newest memory. */
function firstOwner(known) {
  const kept = sessionStorage.getItem("owner");
  return known.includes(kept) ? kept : (known[0] ?? DEVICE);
}

async function loadOwners() {
  selection.owners = (await read("owners")).owners;
  const select = byId("owner");
  const known = selection.owners.map((one) => one.owner);
  selection.owner ??= firstOwner(known);
  // who has nothing left stays chosen: another one's memory is not what was asked for
  const listed = known.includes(selection.owner) ? selection.owners : [{ owner: selection.owner, items: 0 }, ...selection.owners];
  select.replaceChildren(...listed.map((one) =>
    h("option", { value: one.owner }, `${ownerName(one.owner)} (${counted("owner.items", one.items)})`)));
  select.value = selection.owner;
  showPaused(loadOwners);
}

function offerLanguages(onChange) {
  const select = byId("language");
  select.append(...Object.entries(LANGUAGES).map(([tag, name]) => h("option", { value: tag, lang: tag }, name)));
  select.value = currentLanguage();
  select.addEventListener("change", told(async () => {
    await useLanguage(select.value, true);
    await onChange();
  }));
}

function connectViews() {
  const views = {
    memories: memoriesView(told(loadOwners)),
    ask: askingView(),
    recalls: recallsView(),
    service: serviceView(),
  };
  let shown = FIRST;
  let loading = 0;
  const show = async (panel) => {
    if (shown !== panel) views[shown].hide();
    shown = panel;
    loading += 1;
    byId("content").setAttribute("aria-busy", "true");
    await views[panel].show();
    loading -= 1;
    byId("content").setAttribute("aria-busy", String(loading > 0));
  };
  byId("owner").addEventListener("change", (event) => {
    selection.owner = event.target.value;
    sessionStorage.setItem("owner", selection.owner);
    views.memories.reset();
    showPaused(loadOwners);
    show(shown);
  });
  makeTabs(byId("tabs"), show)(FIRST);
  return () => show(shown);
}

async function start() {
  let showAgain = () => {};
  document.addEventListener("locked", lock);
  await useLanguage(preferredLanguage());
  offerLanguages(async () => {
    if (!byId("locked").hidden) return;
    await loadOwners();
    await showAgain();
  });
  await enterByAddress();
  await loadOwners();
  byId("choices").hidden = byId("tabs").hidden = false;
  makePausing(loadOwners);
  showAgain = connectViews();
}

told(start)();
