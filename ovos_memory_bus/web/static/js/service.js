// The fourth tab: how the service is, its backends, background work, model and disk.

import { ask, read } from "./api.js";
import { byId, h, pairs } from "./dom.js";
import { told } from "./messages.js";
import { bytes, duration, named, number, t } from "./texts.js";

const EVERY = 5000; // milliseconds between two looks
const TOLD_ELSEWHERE = ["kind", "status", "restarts", "model"];

/** The view; it looks again while it is shown. */
export function serviceView() {
  let timer = null;
  const load = told(async () => {
    const [status, disk] = await Promise.all([ask("status"), read("disk")]);
    byId("figures").replaceChildren(figures(status, disk));
  });
  return {
    async show() {
      clearInterval(timer);
      timer = setInterval(load, EVERY);
      await load();
    },
    hide() {
      clearInterval(timer);
    },
  };
}

function figures(status, disk) {
  const { queue, counts } = status;
  return h("div", { class: "figures" },
    card(t("service.state"), [
      [t("service.ready"), t(status.ready ? "answer.yes" : "answer.no")],
      [t("service.version"), status.version],
      [t("service.uptime"), duration(status.uptime)],
      [t("service.model"), status.model?.split("@")[0] ?? t("service.no_model")],
    ]),
    card(t("service.counts"), Object.entries(counts).map(([kind, count]) => [named("kind", kind), number(count)])),
    card(t("service.queue"), [
      [t("service.pending"), number(queue.pending)],
      [t("service.waiting"), number(queue.waiting ?? 0)],
      [t("service.failed"), number(queue.failed)],
      [t("service.oldest"), queue.pending ? duration(queue.oldest) : null],
    ]),
    card(t("service.disk"), [
      [t("service.used"), bytes(disk.used)],
      [t("service.free"), bytes(disk.free)],
    ]),
    ...Object.entries(status.backends).map(([name, one]) => backendCard(name, one)));
}

function card(title, entries) {
  return h("section", { class: "card" }, h("h3", {}, title), pairs(entries));
}

function backendCard(name, one) {
  const more = Object.entries(one)
    .filter(([key, value]) => !TOLD_ELSEWHERE.includes(key) && value !== null && typeof value !== "object")
    .map(([key, value]) => [named("figure", key), typeof value === "number" ? number(value) : t(value === true ? "answer.yes" : value === false ? "answer.no" : String(value))]);
  const figures = card(`${name} · ${named("backend", name)}`, [
    [t("service.status"), named("status", one.status)],
    [t("service.restarts"), one.restarts ? number(one.restarts) : null],
    [t("service.problem"), one.problem?.message],
    ...more,
  ]);
  if (one.status !== "running" || one.problem) figures.classList.add("bad");
  return figures;
}
