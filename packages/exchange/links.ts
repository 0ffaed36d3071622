// SPDX-License-Identifier: MIT

import type { Row } from "./entry.ts";
import { namesIn } from "./fields.ts";
import { refuseLongLine, splitLines } from "./lines.ts";
import { noteRows } from "./mapping.ts";
import { type RawEntry, toRow } from "./row.ts";

/** Characters of a line in which a link is looked for. */
const maxLength = 20_000;

/** The marker of an item in a list, with a box. */
// bounded: a file of the person who imports it, in that person's browser or command
const marker = /^\s*(?:(?:[-+]|\*{1,20}|#{1,6}|\d{1,9}[.)])\s+)?(?:\[([ xX-])\]\s+)?(?:(?:TODO|DONE)\s+)?/;
const forms = [
  // `[title](url "title")` and `[title](<url>)`
  // bounded: a file of the person who imports it, in that person's browser or command
  /^\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\(<?(https?:(?:[^()\s<>]|\([^()\s<>]*\))+)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/i,
  // `[[url][title]]` and `[[url]]`
  /^\[\[(?<url>https?:[^\]\s]+)\](?:\[(?<title>[^\]]*)\])?\]/i,
  // `<url>`
  /^<(?<url>https?:[^>\s]+)>/i,
];
/** A bare URL, which only the marker of a list makes a link. */
const bare = /^(?<url>https?:\S+)/i;

/** The link with which a line begins; undefined without one. */
export function linkIn(line: string): (RawEntry & { url: string }) | undefined {
  const text = line.slice(0, maxLength);
  const [mark = "", box] = marker.exec(text) ?? [];
  const start = text.slice(mark.length);
  const found = [...forms, ...(mark.trim() === "" ? [] : [bare])].map((form) => form.exec(start)).find(Boolean);
  if (!found) return undefined;
  const { url = found[2], title = found[1] } = found.groups ?? {};
  if (url === undefined) return undefined;
  const { note: rest, tags } = readRest(start.slice(found[0].length));
  // Text that follows a bare URL is its title, as in a list of URLs.
  const isBare = found[0] === url;
  const [name, note] = isBare ? [rest, ""] : [title ?? "", rest];
  return {
    url,
    title: found.groups ? name : name.replaceAll(/\\(\W)/g, "$1"),
    tags,
    note,
    isRead: /x/i.test(box ?? "") || / DONE\s+$/.test(mark),
  };
}

/** The text after a link: tags as `<!-- TAGS: a,b -->` (buku) or `:a:b:` (Org), and else a note. */
function readRest(rest: string): { note: string; tags: string[] } {
  const comment = /<!-- ?TAGS:([^<>]*)-->/i.exec(rest);
  const org = comment ? null : /\s:([^\s:]+(?::[^\s:]+)*):\s*$/.exec(rest);
  const tags = comment ? namesIn(comment[1]) : (org?.[1]?.split(":") ?? []);
  const text = rest.replace(comment?.[0] ?? org?.[0] ?? "", "");
  return { note: text.replace(/^[\s:–—|-]+/, "").trim(), tags };
}

/** Reads lines that begin with a link of Markdown or Org, also in a list. Other lines are skipped. */
export async function* readLinks(chunks: AsyncIterable<string>): AsyncGenerator<Row> {
  for await (const { text, number, isTooLong } of splitLines(chunks)) {
    if (isTooLong) yield refuseLongLine(number);
    const link = linkIn(text);
    if (!link) continue;
    yield toRow(link, number);
    yield* noteRows(link, number);
  }
}
