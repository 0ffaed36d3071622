import { countCharacters, longest, parseWebUrl } from "@reading-list/core/domain/page-fields.ts";
import { normaliseTags } from "@reading-list/core/domain/tags.ts";
import type { Row } from "./entry.ts";

/** The fields of an entry as a file has them: any type, perhaps missing. */
export interface RawEntry {
  url: unknown;
  title?: unknown;
  tags?: readonly unknown[];
  isRead?: boolean;
  timeAdded?: unknown;
  timeUpdated?: unknown;
}

/** The entry of a line, cut to what a list can hold, or why it is none. */
export function rowOf({ url, title, tags = [], isRead = false, timeAdded, timeUpdated }: RawEntry, line: number): Row {
  const address = textOf(url);
  const problem = problemOf(address);
  if (problem) return { problem, line };
  const updated = timeOf(timeUpdated);
  return {
    url: address,
    // Without a title, the URL is the title.
    title: title === url ? "" : cut(textOf(title), longest.title),
    tags: cutTags(tags),
    state: isRead ? "read" : "unread",
    timeAdded: timeOf(timeAdded),
    ...(updated !== undefined && { timeUpdated: updated }),
    line,
  };
}

function problemOf(url: string): string | undefined {
  if (url === "") return "the URL is missing";
  if (countCharacters(url) > longest.url) return `the URL has more than ${longest.url} characters`;
  return parseWebUrl(url) ? undefined : "not an http(s) URL";
}

/** Without what a list refuses: NUL characters and unpaired surrogates. */
const textOf = (value: unknown): string => (typeof value === "string" ? value.replaceAll("\0", "").toWellFormed() : "");

const cut = (text: string, length: number): string =>
  text.length <= length ? text : [...text].slice(0, length).join("").trimEnd();

/** As many tags as fit. The comma separates tags, so a tag with commas is several. */
function cutTags(tags: readonly unknown[]): string[] {
  const kept: string[] = [];
  let left = longest.tags;
  for (const tag of normaliseTags(tags.map(textOf).join(",")).split(",")) {
    left -= countCharacters(tag) + 1;
    if (left < -1) break;
    if (tag !== "") kept.push(tag);
  }
  return kept;
}

/** Unix seconds of a time as services write it: seconds, ms or µs since 1970, or ISO 8601. 0 stands for no time. */
function timeOf(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : textOf(value).trim();
  if (/^\d+(\.\d+)?$/.test(text)) {
    let seconds = Number(text);
    while (seconds > latestSeconds) seconds /= 1000;
    return Math.floor(seconds) || undefined;
  }
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return undefined;
  // A time without a zone is taken as UTC, so that a file gives the same list on every machine.
  const iso = /^.{10}$|(?:z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`;
  const milliseconds = Date.parse(iso.replace(" ", "T"));
  return milliseconds > 0 ? Math.floor(milliseconds / 1000) : undefined;
}

/** The year 2286: a greater number of seconds counts ms or µs. */
const latestSeconds = 9_999_999_999;
