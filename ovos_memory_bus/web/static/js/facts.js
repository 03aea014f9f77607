// What the assistant holds for true about a person, grouped by what it is about.

import { h } from "./dom.js";
import { itemEntry } from "./item.js";
import { counted, named, t } from "./texts.js";

const ORDER = [
  "name", "nickname", "birthday", "age", "home", "origin", "family", "pet", "job", "workplace", "contact",
  "language_spoken", "like", "dislike", "diet", "health", "habit", "goal", "possession", "preference_assistant",
];

/** Show facts below their headings; those that no longer hold are folded away. */
export function showFacts(place, facts, actions) {
  const current = facts.filter((fact) => !fact.metadata.valid_to);
  const past = facts.filter((fact) => fact.metadata.valid_to);
  const head = h("div", { class: "section-head" }, h("h2", { tabindex: "-1" }, t("facts.title")),
    h("span", { class: "muted" }, counted("facts.count", current.length)));
  place.replaceChildren(head,
    current.length ? h("div", { class: "fact-groups" }, ...groups(current, actions)) : h("p", { class: "empty" }, t("facts.none")),
    past.length ? pastFacts(past, actions) : "");
}

function groups(facts, actions) {
  const byCategory = new Map();
  for (const fact of facts) {
    const category = fact.metadata.category ?? "other";
    byCategory.set(category, [...(byCategory.get(category) ?? []), fact]);
  }
  const place = (category) => (ORDER.includes(category) ? ORDER.indexOf(category) : ORDER.length);
  return [...byCategory]
    .sort(([one], [other]) => place(one) - place(other))
    .map(([category, members]) => h("div", { class: "card fact-group" }, h("h3", {}, named("category", category)),
      h("ul", { class: "plain" }, ...members.map((fact) => itemEntry(fact, { ...actions, plain: true })))));
}

function pastFacts(facts, actions) {
  return h("details", { class: "filters past" }, h("summary", {}, counted("facts.past", facts.length)),
    h("ul", { class: "plain" }, ...facts.map((fact) => itemEntry(fact, { ...actions, plain: true }))));
}
