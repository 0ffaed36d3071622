// SPDX-License-Identifier: MIT

/**
 * The date or time that a text names, in ISO 8601: a date, or a date and time in UTC; undefined if it names none, or if
 * day and month could be exchanged. If a time has no zone, only the date is certain.
 */
export function dateIn(text: string): string | undefined {
  return isoDateIn(text) ?? writtenDateIn(text);
}

/** A date or time in ISO 8601 that is the whole text. Year 1 is the default of some programs. */
function isoDateIn(text: string): string | undefined {
  const [, date, zone] =
    /^((?!0001)\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d[\d:.]*\s?(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text.trim()) ?? [];
  const time = Date.parse(zone === undefined ? (date ?? "") : text);
  if (date === undefined || Number.isNaN(time)) return undefined;
  return zone === undefined ? date : new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}

/** "May 1, 2026", "1. Mai 2026", "2026/05/01", "2026年5月1日", "31.5.2026". */
function writtenDateIn(text: string): string | undefined {
  const words = text.toLowerCase().slice(0, maxLength);
  // Most texts have no year, and the patterns below are costly.
  if (!/\d{4}/.test(words)) return undefined;
  const [, year, month, day] = /(?<!\d)(\d{4})\s?[-/.年]\s?(\d\d?)\s?[-/.月]\s?(\d\d?)(?!\d)/.exec(words) ?? [];
  if (year !== undefined) return toIsoDate(year, Number(month), day);
  const [, first, second, lastYear, mark] = /(?<!\d)(\d\d?)([./-])(\d\d?)\2(\d{4})(?!\d)/.exec(words)
    ? (/(?<!\d)(\d\d?)[./-](\d\d?)[./-](\d{4})(?!\d)()/.exec(words) ?? [])
    : [];
  if (lastYear !== undefined && mark !== undefined)
    return numericDate(first ?? "", second ?? "", lastYear, words.includes("."));
  for (const [, dayBefore, name = "", yearAfter] of words.matchAll(dayFirst)) {
    const found = toIsoDate(yearAfter, parseMonth(name), dayBefore);
    if (found !== undefined) return found;
  }
  for (const [, name = "", dayAfter, yearAfter] of words.matchAll(monthFirst)) {
    const found = toIsoDate(yearAfter, parseMonth(name), dayAfter);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Characters. A text that contains a date is longer than the date. */
const maxLength = 200;
const dayFirst =
  // bounded: `maxLength` characters
  /(?<!\d)(\d\d?)(?:st|nd|rd|th|er|º|\.)?\s?(?:de\s|of\s|-)?\s?(\p{L}+)\.?,?\s?-?(?:de\s|del\s)?(\d{4})(?!\d)/gu;
// bounded: `maxLength` characters
const monthFirst = /(\p{L}+)\.?\s(\d\d?)(?:st|nd|rd|th)?,?\s(\d{4})(?!\d)/gu;

/** With full stops the day is first; with other marks only a day above 12 is sure. */
function numericDate(one: string, other: string, year: string, isDayFirst: boolean): string | undefined {
  if (isDayFirst || Number(one) > 12) return toIsoDate(year, Number(other), one);
  return Number(other) > 12 || one === other ? toIsoDate(year, Number(one), other) : undefined;
}

function toIsoDate(year: string | undefined, month: number | undefined, day: string | undefined): string | undefined {
  if (month === undefined || Number(year) < 1990) return undefined;
  return isoDateIn(`${year}-${String(month).padStart(2, "0")}-${day?.padStart(2, "0")}`);
}

const languages = "en de fr es it pt nl pl ru uk cs sv da nb fi tr hu ro el id".split(" ");
let months: Map<string, number> | undefined;
/** Letters of the name of a month. */
const maxNameLength = 12;

/** 1 to 12, by the name or its start. */
function parseMonth(name: string): number | undefined {
  months ??= new Map(languages.flatMap(monthNames));
  // Lines without a space between them make longer words: "ProductJanuary" is not "prosinec", Czech for December.
  return months.get(name) ?? (name.length > maxNameLength ? undefined : months.get(name.slice(0, 3)));
}

/** The names of the months, standalone and as part of a date; in English, also their first three letters. */
function monthNames(language: string): [string, number][] {
  const writer = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: "UTC" });
  const [long, withDay, abbreviated] = [
    writer({ month: "long" }),
    writer({ month: "long", day: "numeric" }),
    writer({ month: "short" }),
  ];
  return Array.from({ length: 12 }, (_, month) => month).flatMap((month) => {
    const date = new Date(Date.UTC(2026, month, 1));
    const alone = long.format(date);
    const inDate = withDay.formatToParts(date).find(({ type }) => type === "month")?.value ?? alone;
    const short = abbreviated.format(date).replace(".", "");
    const names = [alone, inDate, short].map((name) => name.toLowerCase());
    return [...new Set(names)].map((name): [string, number] => [name, month + 1]);
  });
}
