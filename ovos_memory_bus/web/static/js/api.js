// Asks the memory over HTTP: `ask("item/list", {limit: 5})` is the bus's `memory.item.list`.

import { selection } from "./selection.js";

const ROOT = "/api/v1/";

/** What the service answered instead; `code` is one of docs/bus-messages.md, or `unauthorized`. */
export class Refused extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

async function answered(response) {
  if (response.status === 204) return {};
  const data = await response.json().catch(() => ({}));
  if (response.ok && !data.error) return data;
  throw new Refused(data.error?.code ?? `http_${response.status}`, data.error?.message ?? response.statusText);
}

/** Trade the token of the address for a cookie. */
export async function enter(token) {
  await answered(
    await fetch(`${ROOT}session`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token }),
    }),
  );
}

/** The answer to a request for the selected owner (in headers, which are ASCII alone, so percent-encoded); `as` may name another `owner` or a `session`. Throws `Refused`. */
export async function ask(path, data = {}, as = {}) {
  const headers = { "Content-Type": "application/json", "X-Memory-Owner": encodeURIComponent(as.owner ?? selection.owner) };
  if (as.session) headers["X-Memory-Session"] = encodeURIComponent(as.session);
  return answered(await fetch(ROOT + path, { method: "POST", headers, body: JSON.stringify(data) }));
}

/** The answer to a GET. Throws `Refused`. */
export async function read(path, values = {}) {
  return answered(await fetch(address(path, values)));
}

export function address(path, values = {}) {
  const query = new URLSearchParams(values).toString();
  return ROOT + path + (query ? `?${query}` : "");
}
