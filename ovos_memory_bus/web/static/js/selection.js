// Whose memory is shown, and what is known of that owner: sessions, and which of them are paused.

import { t } from "./texts.js";

export const DEVICE = "session:default";

/** `owners` as `GET /api/v1/owners` lists them; `owner` is the chosen one's name, null before. */
export const selection = { owner: null, owners: [] };

function chosen() {
  return selection.owners.find((one) => one.owner === selection.owner) ?? { sessions: [], paused: [] };
}

/** The owner's sessions, the one last used first. */
export function sessions() {
  return chosen().sessions.length ? chosen().sessions : [sessionOf(selection.owner)];
}

export function pausedSessions() {
  return chosen().paused;
}

function sessionOf(owner) {
  return owner.startsWith("session:") ? owner.slice("session:".length) : "default";
}

/** An owner as people call it: the user's name, or the session's. */
export function ownerName(owner) {
  if (owner.startsWith("user:")) return owner.slice("user:".length);
  return owner === DEVICE ? t("owner.device") : t("owner.session", { name: sessionOf(owner) });
}

/** A session as people call it. */
export function sessionName(session) {
  return session === "default" ? t("session.device") : session;
}
