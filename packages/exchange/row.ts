// SPDX-License-Identifier: MIT

import { type HighlightColor, highlightLengths, toColor } from "@reading-list/core/domain/highlight-fields.ts";
import type { Progress } from "@reading-list/core/domain/item.ts";
import {
  countCharacters,
  cutText,
  isLongerThan,
  maxLengths,
  parseWebUrl,
} from "@reading-list/core/domain/page-fields.ts";
import { normaliseTags, starredTag, tagsIn } from "@reading-list/core/domain/tags.ts";
import type { Row } from "./entry.ts";

/** The fields of an entry with the values of the file: any type, or missing. */
export interface RawEntry {
  url: unknown;
  title?: unknown;
  tags?: readonly unknown[] | undefined;
  isRead?: boolean;
  isStarred?: boolean;
  timeAdded?: unknown;
  timeUpdated?: unknown;
  progress?: unknown;
  /** The note on the page. */
  note?: unknown;
  /** See `Entry.lost`. */
  lost?: Record<string, unknown>;
}

/** The fields of a highlight with the values of the file: any type, or missing. */
export interface RawHighlight {
  id?: unknown;
  url?: unknown;
  /** The title of the page. */
  title?: unknown;
  quote?: unknown;
  prefix?: unknown;
  suffix?: unknown;
  position?: unknown;
  color?: unknown;
  note?: unknown;
  timeCreated?: unknown;
}

/**
 * The highlight of a line, or the note on a page if it quotes nothing, its fields cut to the maximum lengths, or the
 * reason why it cannot be imported. `lost` are values that a highlight has no field for.
 */
export function toHighlightRow(raw: RawHighlight, line: number, lost: Record<string, unknown> = {}): Row {
  const { id, url, title, position, color, timeCreated } = raw;
  const [address, quote, note] = [cleanText(url), cleanText(raw.quote), cleanText(raw.note)];
  const pageTitle = cutText(cleanText(title), maxLengths.title);
  const problem = address === "" ? undefined : findProblem(address);
  if (problem) return { problem, line };
  if (address === "" && pageTitle === "") return { problem: "the page has neither a URL nor a title", line };
  const isNote = quote.trim() === "";
  if (isNote && note.trim() === "") return { problem: "the quotation is missing", line };
  const texts = {
    quote: isNote ? "" : cutText(quote, highlightLengths.quote),
    note: cutText(note, highlightLengths.note),
  };
  const created = parseTime(timeCreated);
  const allLost = {
    ...lost,
    ...(texts.quote.length < quote.length && !isNote && { "rest of the quotation": quote }),
    ...(texts.note.length < note.length && { "rest of the note": note }),
    ...(created === undefined && isTime(timeCreated) && { "time in an unknown format": timeCreated }),
  };
  return {
    ...(typeof id === "string" && /^[A-Za-z0-9][\w-]{0,39}$/.test(id) && { id }),
    url: address || undefined,
    title: pageTitle,
    ...texts,
    prefix: cutText(cleanText(raw.prefix), highlightLengths.context),
    suffix: cutText(cleanText(raw.suffix), highlightLengths.context),
    position: Number.isSafeInteger(position) && Number(position) >= 0 ? Number(position) : undefined,
    color: chooseColor(color),
    timeCreated: created,
    ...(Object.keys(allLost).length > 0 && { lost: allLost }),
    line,
  };
}

/** Kindle and Readwise have pink in the place of red. */
function chooseColor(color: unknown): HighlightColor {
  const name = cleanText(color).toLowerCase().replace("pink", "red");
  return toColor(name);
}

/**
 * The entry of a line, its fields cut to the maximum lengths, or the reason why it cannot be imported. `lost` are values
 * that a list has no field for.
 */
export function toRow(raw: RawEntry, line: number, lost: Record<string, unknown> = {}): Row {
  const { url, title, tags = [], isRead = false, isStarred = false, timeAdded, timeUpdated, progress } = raw;
  const address = cleanText(url);
  const problem = findProblem(address);
  if (problem) return { problem, line };
  const fullTitle = cleanText(title);
  const { tags: fitting, rest } = fitTags([
    ...(isStarred ? [starredTag] : []),
    ...tags.slice(0, maxLengths.tags).map(cleanText),
  ]);
  const added = parseTime(timeAdded);
  const updated = parseTime(timeUpdated);
  const place = parseProgress(progress);
  const values = {
    // Without a title, the URL is the title.
    title: title === url ? "" : cutText(fullTitle, maxLengths.title),
    tags: fitting,
  };
  const allLost = {
    ...lost,
    ...raw.lost,
    ...(fullTitle.length > values.title.length &&
      isLongerThan(fullTitle, maxLengths.title) && { "rest of the title": fullTitle }),
    ...rest,
    ...(added === undefined && isTime(timeAdded) && { "time in an unknown format": timeAdded }),
  };
  return {
    url: address,
    ...values,
    state: isRead ? "read" : "unread",
    timeAdded: added,
    ...(updated !== undefined && { timeUpdated: updated }),
    ...(place && { progress: place }),
    ...(Object.keys(allLost).length > 0 && { lost: allLost }),
    line,
  };
}

const isWholeUpTo = (value: unknown, max: number): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max;

/** The progress of our own format; undefined if it is absent or faulty. */
function parseProgress(value: unknown): Progress | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { percent, anchor, selector, time } = value as Record<keyof Progress, unknown>;
  if (!isWholeUpTo(percent, 100) || !isWholeUpTo(time, latestSeconds)) return undefined;
  const named = cutText(cleanText(selector), 256);
  return { percent, anchor: cutText(cleanText(anchor), 500), ...(named && { selector: named }), time };
}

function findProblem(url: string): string | undefined {
  if (url === "") return "the URL is missing";
  if (isLongerThan(url, maxLengths.url)) return `the URL has more than ${maxLengths.url} characters`;
  return parseWebUrl(url) ? undefined : "not an http(s) URL";
}

/** Without characters that a list refuses: NUL and unpaired surrogates. */
const cleanText = (value: unknown): string =>
  typeof value === "string" ? value.replaceAll("\0", "").toWellFormed() : "";

/**
 * As many tags as a list holds, each once, and in `rest` all of them if some are lost. The comma separates tags, so a tag
 * with commas is several.
 */
export function fitTags(tags: readonly string[]): { tags: string[]; rest?: Record<string, string> } {
  const all = normaliseTags(tags.join(","));
  const kept: string[] = [];
  let left = maxLengths.tags;
  for (const tag of tagsIn(all)) {
    left -= countCharacters(tag) + 1;
    if (left < -1) return { tags: kept, rest: { "rest of the tags": all } };
    kept.push(tag);
  }
  return { tags: kept };
}

const isTime = (value: unknown) => !["", "0", "undefined", "null"].includes(String(value).trim());

/**
 * Unix seconds of a time in the notations of other services: seconds, ms, µs or ns since 1970, µs since 1601 (Chrome),
 * ISO 8601 and forms like it, or a date whose order of day and month is certain. 0 stands for no time.
 */
export function parseTime(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : cleanText(value).slice(0, 200).replaceAll(/\s/g, " ").trim();
  if (/^\d+(\.\d+)?$/.test(text)) {
    const number = Number(text);
    if (number >= 1e16 && number < 1e17) return Math.floor(number / 1e6) - secondsBefore1970;
    let seconds = number;
    while (seconds > latestSeconds) seconds /= 1000;
    return Math.floor(seconds) || undefined;
  }
  const [, day, time = "", half = "", zone = ""] =
    /^(.+?)(?:(?:[T :]|, |,? at )(\d?\d:?\d\d(?::?\d\d(?:\.\d+)?)?))?(?: ?([ap])\.?m\.?)? ?(z|utc|gmt|[+-]\d\d:?\d\d)?$/i.exec(
      text,
    ) ?? [];
  const date = day && parseDate(day, half !== "" || time === "");
  if (!date) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = (
    /^\d{4,6}$/.test(time) ? (time.match(/../g) ?? []) : time.split(":")
  ).map(Number);
  const hour = half === "" ? hours : (hours % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  if (hour > 23 || minutes > 59 || seconds >= 61) return undefined;
  // A time without a zone is taken as UTC, so that a file gives the same list on every machine.
  const [, sign, offsetHours = 0, offsetMinutes = 0] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  const offset = 60 * (60 * Number(offsetHours) + Number(offsetMinutes)) * (sign === "-" ? -1 : 1);
  const total = Math.floor(date.getTime() / 1000 + 3600 * hour + 60 * minutes + seconds - offset);
  return total > 0 ? total : undefined;
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/**
 * `2024-04-07`, `20240407`, `7/Apr/2024`, `7 April 2024`, `April 7, 2024`, `7.4.2024`, `17/4/2024`, `4/17/2024`. If both
 * of two numbers may be the month, it is the first one where `isMonthFirst` (a clock of 12 hours), and the second one
 * beside a clock of 24 hours.
 */
function parseDate(text: string, isMonthFirst: boolean): Date | undefined {
  const [, year, month, day] = /^(\d{4})([-/.]?)(\d\d)\2(\d\d)$/.exec(text)?.toSpliced(2, 1) ?? [];
  if (year) return makeDate(year, month, day);
  const words = text.replace(/^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i, "").split(/[\s/.,-]+/);
  const [a = "", b = "", c = "", ...rest] = words;
  if (!/^\d{4}$/.test(c) || rest.length > 0) return undefined;
  const [monthOfA, monthOfB] = [a, b].map((word) => 1 + months.indexOf(word.slice(0, 3).toLowerCase()));
  if (monthOfB) return makeDate(c, monthOfB, a);
  if (monthOfA) return makeDate(c, monthOfA, b);
  if (text.includes(".") || Number(a) > 12) return makeDate(c, b, a);
  if (Number(b) > 12) return makeDate(c, a, b);
  return isMonthFirst ? makeDate(c, a, b) : makeDate(c, b, a);
}

function makeDate(year: unknown, month: unknown, day: unknown): Date | undefined {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCDate() === Number(day) && date.getUTCMonth() === Number(month) - 1 ? date : undefined;
}

/** From 1601-01-01 to 1970-01-01. */
const secondsBefore1970 = 11_644_473_600;
/** The year 2286: a greater number of seconds counts ms, µs or ns. */
const latestSeconds = 9_999_999_999;
