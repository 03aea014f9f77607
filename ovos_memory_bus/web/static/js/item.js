// One item: who said it and when, its text, and what can be done with it.

import { ask } from "./api.js";
import { button, h } from "./dom.js";
import { forget } from "./forgetting.js";
import { say, told } from "./messages.js";
import { ownerName, selection, sessionName } from "./selection.js";
import { clock, date, named, percent, t } from "./texts.js";

const SNIPPET = 40; // letters of an item's text that name its buttons to screen readers

function whoSaid(item) {
  if (item.kind !== "turn") return null;
  if (item.name) return item.name;
  return item.role === "user" && selection.owner.startsWith("user:")
    ? ownerName(selection.owner)
    : named("role", item.role);
}

function headOf(item, withDate, buttons) {
  const moment = new Date(item.created_at);
  const time = withDate ? `${date(moment)}, ${clock(moment)}` : clock(moment);
  const who = whoSaid(item);
  return h("div", { class: "item-head" },
    who && h("span", { class: "who" }, who),
    item.kind !== "turn" && h("span", { class: "badge" }, named("kind", item.kind)),
    h("time", { datetime: item.created_at }, time),
    item.session_id !== "default" && h("span", {}, sessionName(item.session_id)),
    item.score !== undefined && h("span", {}, t("item.score", { share: percent(item.score) })),
    buttons);
}

function footOf(item, buttons) {
  const since = new Date(item.metadata.valid_from ?? item.created_at);
  return h("div", { class: "item-head" }, t("item.since", { day: date(since) }), buttons);
}

/**
 * A list entry for an item. `onChanged(item)` is called after an edit, since facts are drawn anew from it, `onForgotten()`
 * after it went. `plain` leaves out who and when, `dated` writes the day beside the time.
 */
export function itemEntry(item, { onChanged, onForgotten, plain = false, dated = false }) {
  const name = item.content.slice(0, SNIPPET);
  const content = h("p", { class: "content", dir: "auto", lang: item.lang || null }, item.content);
  const edit = button(t("item.edit"), "small", () => startEditing(), { "aria-label": t("item.edit.of", { name }) });
  const go = button(t("item.forget"), "small danger",
    told(async () => (await forget({ what: "ids", ids: [item.id] })) && onForgotten(entry)),
    { "aria-label": t("item.forget.of", { name }) });
  const buttons = h("span", { class: "item-buttons" }, edit, go);
  const entry = h("li", { class: `item ${item.kind} ${item.role}`, "data-id": item.id },
    !plain && headOf(item, dated, buttons), content, plain && footOf(item, buttons));

  function startEditing() {
    const form = editForm(item, (changed) => {
      form.replaceWith(content);
      buttons.hidden = false;
      edit.focus();
      if (changed) {
        item = changed;
        content.textContent = changed.content;
        onChanged(item);
      }
    });
    content.replaceWith(form);
    buttons.hidden = true;
    form.querySelector("textarea").focus();
  }

  return entry;
}

/** The form that stands in the place of a text; `done(item)` with what was kept, `done(null)` where nothing was. */
function editForm(item, done) {
  const text = h("textarea", { "aria-label": t("item.text"), dir: "auto" });
  text.value = item.content;
  const save = told(async (event) => {
    event.preventDefault();
    if (text.value === item.content) return done(null);
    const answer = await ask("item/update", { id: item.id, content: text.value });
    say(t("item.saved"));
    done(answer.item);
  });
  function onKey(event) {
    if (event.key === "Escape") done(null);
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save(event);
  }
  return h("form", { class: "form", on: { submit: save, keydown: onKey } }, text,
    h("p", { class: "muted" }, t("item.edit.hint")),
    h("div", { class: "buttons" },
      button(t("dialog.cancel"), "quiet", () => done(null)),
      h("button", { type: "submit", class: "primary" }, t("item.save"))));
}
