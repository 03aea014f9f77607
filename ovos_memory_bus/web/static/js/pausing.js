// "Don't remember this": nothing of a session is stored for a while.

import { ask } from "./api.js";
import { question } from "./dialog.js";
import { button, byId, h } from "./dom.js";
import { say, told } from "./messages.js";
import { pausedSessions, sessionName, sessions } from "./selection.js";
import { clock, t } from "./texts.js";

const CHOICES = [["600", "pause.minutes"], ["3600", "pause.hour"], ["86400", "pause.day"], ["", "pause.open_end"]];

/** Make the button work. `onChange()` must load anew which sessions are paused. */
export function makePausing(onChange) {
  byId("pause").addEventListener("click", told(async () => {
    const session = h("select", {}, ...sessions().map((id) => h("option", { value: id }, sessionName(id))));
    const time = h("select", {}, ...CHOICES.map(([seconds, key]) => h("option", { value: seconds }, t(key))));
    const body = h("div", { class: "form" }, h("p", {}, t("pause.lead")),
      h("label", {}, t("pause.session"), session), h("label", {}, t("pause.time"), time));
    if (!(await question({ title: t("pause.title"), body, confirm: t("pause.go") }))) return;
    const answer = await ask("pause", time.value ? { duration: Number(time.value) } : {}, { session: session.value });
    await onChange();
    byId("paused").querySelector("button")?.focus();
    const name = sessionName(session.value);
    say(answer.until ? t("pause.until", { session: name, time: clock(new Date(answer.until)) }) : t("pause.now", { session: name }));
  }));
}

/** Show which of the owner's sessions are paused, each with a button that ends it. */
export function showPaused(onChange) {
  const banner = byId("paused");
  banner.replaceChildren(...pausedSessions().map((session) => {
    const resume = told(async () => {
      await ask("resume", {}, { session });
      await onChange();
      byId("pause").focus();
      say(t("pause.over"));
    });
    return h("div", { class: "banner" }, h("p", {}, t("pause.now", { session: sessionName(session) })),
      button(t("pause.resume"), "primary", resume));
  }));
}
