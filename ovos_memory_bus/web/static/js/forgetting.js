// Forgetting: what would go is shown first, and only that goes.

import { ask } from "./api.js";
import { question } from "./dialog.js";
import { h } from "./dom.js";
import { say } from "./messages.js";
import { ownerName, selection, sessionName, sessions } from "./selection.js";
import { counted, date, named, t } from "./texts.js";

const SHOWN = 50; // items in the preview
const OF_A_SESSION = ["last", "session"];
const WHOLE = ["session", "owner"]; // these go as a whole; of the others exactly what was shown

/** Show what a request of `memory.forget` would take, and take it when the person says so. Whether something went. */
export async function forget(request, session) {
  const preview = await ask("forget", { ...request, dry_run: true }, { session });
  if (!preview.items.length) {
    await question({ title: t("forget.nothing.title"), body: h("p", {}, t("forget.nothing")), confirm: "" });
    return false;
  }
  const sure = await question({
    title: counted("forget.title", preview.named),
    body: h("div", { class: "form" }, list(preview), h("p", {}, t("forget.drawn")), h("p", {}, t("forget.sure"))),
    confirm: t("forget.confirm"),
    danger: true,
  });
  if (!sure) return false;
  const exact = WHOLE.includes(request.what) ? request : { what: "ids", ids: preview.ids.slice(0, preview.named) };
  const { deleted } = await ask("forget", exact, { session });
  say(counted("forget.done", deleted));
  return true;
}

/** What was named, as much of it as is shown; what was drawn from it goes along unseen. */
function list({ items, named: count }) {
  const rows = items.slice(0, Math.min(SHOWN, count)).map((item) =>
    h("li", {}, h("span", { class: "muted" }, `${date(new Date(item.created_at))} · ${named("kind", item.kind)} `),
      h("span", { class: "content" }, item.content)),
  );
  const rest = count - rows.length;
  return h("div", { class: "preview", tabindex: "0", role: "group", "aria-label": t("forget.preview") },
    h("ul", { class: "plain" }, ...rows, rest > 0 && h("li", { class: "muted" }, counted("forget.more", rest))));
}

/** Ask what to forget, then forget it. Whether something went. */
export async function chooseAndForget() {
  const query = h("input", { type: "text", autocomplete: "off", required: true });
  const session = h("select", {}, ...sessions().map((id) => h("option", { value: id }, sessionName(id))));
  const body = choices(query, session);
  if (!(await question({ title: t("forget.what"), body, confirm: t("forget.preview") }))) return false;
  const what = body.querySelector("input:checked").value;
  return forget(what === "query" ? { what, query: query.value } : { what }, session.value);
}

/** What can be forgotten; of the fields that say more, those that the choice needs. */
function choices(query, session) {
  const about = h("label", {}, t("forget.query.label"), query);
  const where = h("label", { hidden: true }, t("forget.session.label"), session);
  const option = (what, text, checked = false) =>
    h("label", { class: "option" }, h("input", { type: "radio", name: "what", value: what, checked }), text);
  function fit(event) {
    about.hidden = event.target.value !== "query";
    query.required = !about.hidden;
    where.hidden = !OF_A_SESSION.includes(event.target.value);
  }
  return h("div", { class: "form" },
    h("fieldset", { on: { change: fit } }, h("legend", { class: "hidden" }, t("forget.what")),
      option("query", t("forget.query"), true),
      option("last", t("forget.last")),
      option("session", t("forget.session")),
      option("owner", t("forget.owner", { person: ownerName(selection.owner) }))),
    about, where);
}
