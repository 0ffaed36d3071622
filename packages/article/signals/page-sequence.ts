// SPDX-License-Identifier: MIT

import { withoutWww } from "@reading-list/core/domain/hosts.ts";
/**
 * Whether `target` is the page after `current` in a numbered sequence: the same URL with a page number that is one higher,
 * or the URL of the first page with the number 2 added. Numbers of items (`/story-14847624`, `?id=7`, `/2019/11`) are not a
 * sequence. The result is "bare" if the number may belong to an item: `/12` and `/13`, or `/?p=12`.
 */
export function findSequence(target: URL, current: URL): "named" | "bare" | undefined {
  if (withoutWww(target.host) !== withoutWww(current.host) || isCommentsPage(target)) return undefined;
  const path = normalPath(target.pathname);
  const before = normalPath(current.pathname);
  if (path === before) {
    if (!continuesQuery(target.searchParams, current.searchParams)) return undefined;
    return path === "" && target.searchParams.has("p") ? "bare" : "named";
  }
  const isNext = (form: RegExp) => isNextNumber(form, path, before);
  if (!isNext(namedNumber) && (month.test(path) || !bareNumbers.some(isNext))) return undefined;
  return !namedNumber.test(before) && /\/\d{1,3}$/.test(before) ? "bare" : "named";
}

function isCommentsPage(url: URL): boolean {
  return (
    /comment-page-|\/comments?\//i.test(url.pathname) || url.searchParams.has("cpage") || /comment/i.test(url.hash)
  );
}

const pageParameter =
  /^(?:p|pg|pn|page|paged|seite|pagina|side|sida|strona|str|pagen_\d+|(?:current_?)?page(?:_?no|_?num|_?number)?)$/i;
const offsetParameter = /^(?:start|from|offset|skip|first|limitstart|begin|page_?offset)$/i;

/** A sequence starts at 0 or 1, so the page after the first is 1 or 2. */
const secondPages = [1, 2];

function continuesQuery(target: URLSearchParams, current: URLSearchParams): boolean {
  const changed = [...new Set([...target.keys(), ...current.keys()])].filter(
    (name) => target.get(name) !== current.get(name),
  );
  const isCount = (name: string) => isNextCount(name, target.get(name) ?? "", current.get(name) ?? "");
  // A session token, which links may omit.
  const isSession = (name: string) => !target.has(name) && (current.get(name) ?? "").length >= minTokenLength;
  return changed.some(isCount) && changed.every((name) => !current.has(name) || isCount(name) || isSession(name));
}

/** Characters. */
const minTokenLength = 16;

function isNextCount(name: string, value: string, valueBefore: string): boolean {
  const next = wholeNumber(value);
  const before = wholeNumber(valueBefore);
  if (next === undefined) return false;
  if (pageParameter.test(name)) return before === undefined ? secondPages.includes(next) : next === before + 1;
  return offsetParameter.test(name) && next > (before ?? 0);
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

/** A path without index file, extension and trailing slash. */
function normalPath(path: string): string {
  return path
    .replace(/\/index\.\w+$/i, "/")
    .replace(/\.\w{2,5}$/, "")
    .replace(/(?<!\/)\/+$/, "")
    .toLowerCase();
}

/** Paths with a named page number, such as `/page/2`; the number is the second group. */
const namedNumber = /^(.*)\/(?:page|seite|pagina|side|sida|strona|p)[-_/]?(\d{1,4})$/;
/** Paths that end in a number, which may have another meaning. */
const bareNumbers = [/^(.*)[-_](?:page[-_]?|p)?(\d{1,3})$/, /^(.*)\/(\d{1,3})$/];
/** `/2019/11` or `/2019/11/02`. */
const month = /[/-](?:19|20)\d\d(?:[/-]\d\d?){1,2}$/;

function isNextNumber(form: RegExp, target: string, current: string): boolean {
  const [, base, number] = form.exec(target) ?? [];
  if (base === undefined) return false;
  if (base === current) return Number(number) === 2;
  const [, currentBase, currentNumber] = form.exec(current) ?? [];
  return base === currentBase && Number(number) === Number(currentNumber) + 1;
}
