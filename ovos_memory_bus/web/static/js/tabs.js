// Tabs by mouse and by keyboard, as the ARIA pattern has them: arrows, Home and End move and choose.

/** Makes the tabs of `list` work. `onChosen(panelId)` is called at each choice. Returns `choose(panelId)`. */
export function makeTabs(list, onChosen) {
  const tabs = [...list.querySelectorAll('[role="tab"]')];
  const panelOf = (tab) => tab.getAttribute("aria-controls");

  function choose(panel, focus = false) {
    for (const tab of tabs) {
      const chosen = panelOf(tab) === panel;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      document.getElementById(panelOf(tab)).hidden = !chosen;
      if (chosen && focus) tab.focus();
      if (chosen) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    onChosen(panel);
  }

  function move(event) {
    const place = tabs.indexOf(event.target);
    const to = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined || place < 0) return;
    event.preventDefault();
    choose(panelOf(tabs[(to + tabs.length) % tabs.length]), true);
  }

  for (const tab of tabs) tab.addEventListener("click", () => choose(panelOf(tab)));
  list.addEventListener("keydown", move);
  return choose;
}
