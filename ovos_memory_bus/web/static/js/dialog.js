// A question in a modal dialog. Escape and the first button say no; the focus goes back to where it was.

import { button, h } from "./dom.js";
import { t } from "./texts.js";

/**
 * Show `body` under `title` until it is answered. `confirm` is the text of the button that says yes, "" for none;
 * `danger` marks what cannot be taken back. Resolves to whether it was yes.
 */
export function question({ title, body, confirm, danger = false }) {
  return new Promise((resolve) => {
    const heading = h("h2", { id: "dialog-title" }, title);
    const no = button(t(confirm ? "dialog.cancel" : "dialog.close"), "quiet", () => close(false));
    const yes = confirm && h("button", { type: "submit", class: danger ? "primary danger" : "primary" }, confirm);
    const form = h("form", { class: "form" }, heading, body, h("div", { class: "buttons" }, no, yes));
    const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, form);

    function close(answer) {
      dialog.close();
      dialog.remove();
      resolve(answer);
    }

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      close(true);
    });
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      close(false);
    });
    document.body.append(dialog);
    dialog.showModal();
    (dialog.querySelector("input, select, textarea") ?? no).focus();
  });
}
