// The page's language: its texts, and how dates, numbers and durations are written.

export const LANGUAGES = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  it: "Italiano",
  pt: "Português",
};
const KEPT = "language";

let language = "en";
let locale = "en"; // the language as the browser's user writes it, en-GB say: for dates and numbers
let texts = {};

/** The language chosen here before, else the first of the browser's that there is. */
export function preferredLanguage() {
  const kept = localStorage.getItem(KEPT);
  const wanted = [kept, ...navigator.languages].filter(Boolean).map((tag) => tag.toLowerCase().split("-")[0]);
  return wanted.find((tag) => tag in LANGUAGES) ?? "en";
}

export function currentLanguage() {
  return language;
}

/** Load a language's texts and write them where the page's markup names them. */
export async function useLanguage(wanted, keep = false) {
  const answer = await fetch(`/static/i18n/${wanted}.json`);
  texts = await answer.json();
  language = wanted;
  locale = navigator.languages.find((tag) => tag.toLowerCase().split("-")[0] === wanted) ?? wanted;
  if (keep) localStorage.setItem(KEPT, wanted);
  document.documentElement.lang = wanted;
  document.title = t("page.title");
  for (const element of document.querySelectorAll("[data-text]")) element.textContent = t(element.dataset.text);
  for (const element of document.querySelectorAll("[data-placeholder]")) element.placeholder = t(element.dataset.placeholder);
  for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", t(element.dataset.label));
}

/** The text of a key with `{name}` replaced by values. */
export function t(key, values = {}) {
  return (texts[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** The text of a word that the service said, such as a kind or a reason; the word itself where it is unknown. */
export function named(family, word) {
  return texts[`${family}.${word.replaceAll(" ", "_")}`] ?? word;
}

/** The text of `key.one` or `key.other`, as the language counts. */
export function counted(key, count, values = {}) {
  const form = new Intl.PluralRules(language).select(count) === "one" ? "one" : "other";
  return t(`${key}.${form}`, { count: number(count), ...values });
}

export function number(value, digits = 0) {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value);
}

export function percent(share) {
  return new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 }).format(share);
}

export function milliseconds(seconds) {
  const value = seconds * 1000;
  return `${number(value, value < 10 ? 1 : 0)} ms`;
}

export function bytes(count) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(count, 1)) / 3)));
  return new Intl.NumberFormat(locale, { style: "unit", unit: units[step], maximumFractionDigits: 1 }).format(
    count / 1000 ** step,
  );
}

/** Seconds as the two units that matter, e.g. "3 hr, 12 min". */
export function duration(seconds) {
  const parts = [
    ["day", Math.floor(seconds / 86400)],
    ["hour", Math.floor(seconds / 3600) % 24],
    ["minute", Math.floor(seconds / 60) % 60],
    ["second", Math.floor(seconds) % 60],
  ];
  const first = Math.max(0, parts.findIndex(([, count]) => count > 0));
  const shown = parts.slice(seconds < 1 ? 3 : first).slice(0, 2).filter(([, count], place) => count > 0 || place === 0);
  const written = shown.map(([unit, count]) =>
    new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short" }).format(count),
  );
  return new Intl.ListFormat(locale, { style: "short", type: "unit" }).format(written);
}

export function clock(moment) {
  return new Intl.DateTimeFormat(locale, { timeStyle: "short" }).format(moment);
}

export function date(moment) {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium" }).format(moment);
}

/** A day as a title: today, yesterday, else with its weekday. */
export function day(moment) {
  const midnight = (when) => new Date(when.getFullYear(), when.getMonth(), when.getDate());
  const ago = Math.round((midnight(new Date()) - midnight(moment)) / 86400000);
  const full = new Intl.DateTimeFormat(locale, { dateStyle: "full" }).format(moment);
  if (ago !== 0 && ago !== 1) return full;
  const near = new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(-ago, "day");
  return `${near.charAt(0).toLocaleUpperCase(locale)}${near.slice(1)} · ${full}`;
}
