// SPDX-License-Identifier: MIT

/**
 * Asks every route that reads for the largest answer that it gives, from a list whose fields are as long as they may be.
 * Prints the longest turns of the event loop, in processor time. Linux only.
 *
 *   npm run bench -- answers [--minutes 10] [--only PATTERN] [--kept FOLDER]
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { highlightLengths } from "@reading-list/core/domain/highlight-fields.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { maxLengths } from "@reading-list/core/domain/page-fields.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { type BoundedRoute, listAllRoutes } from "@reading-list/protocols/all-routes.ts";
import type { Account, ServiceClient } from "@reading-list/testing/client.ts";
import type { HostileCall } from "@reading-list/testing/hostile-calls.ts";
import { HostileUser } from "@reading-list/testing/hostile-user.ts";
import { rounded, type Subject } from "@reading-list/testing/table-text.ts";
import { send, startMeteredService } from "./metered-service.ts";
import type { Turns } from "./turn-meter.ts";

/** Items with the longest fields, the newest of the list; short ones; and long ones in the trash. */
const longItems = 2000;
const shortItems = 18_000;
const trashedItems = 300;
/** Articles of the first items, which together fill an answer, and the length of some of them. */
const articles = 500;
const articleLength = 8000;
const longArticles = 3;
const longLength = 1_000_000;
/** Highlights with the longest fields: of one item, and of others. */
const highlightsOfFirst = 400;
const highlightsOfOthers = 1600;
/** Milliseconds from which on the turns of a call are measured again, and how often. */
const suspectMs = 15;
const repetitions = 2;
/** Rows of the table. */
const shown = 60;
/** Names of the fields with the size of a page, and the sizes that are asked for. */
const sizeFields = ["count", "limit", "perPage", "n"];
const sizes = [10_000, 500, 250, 100, 50];
/** The tools of MCP that only read. */
const readingTools = ["search", "list", "read", "highlights"];

const account: Account = { username: "answers", password: "correct horse" };

/** A call for a large answer. */
interface Reading {
  name: string;
  host: BoundedRoute["host"];
  call: HostileCall;
}

interface Measured extends Turns {
  name: string;
  status: number | "lost";
  bytes: number;
}

/**
 * Runs the bench for so many minutes at most, over the calls that `only` matches. `kept`: a data folder that stays, so
 * that later runs need not make the list.
 */
export async function measureAnswers(minutes: number, only: RegExp, kept?: string): Promise<Subject> {
  const folder = kept ?? mkdtempSync(path.join(tmpdir(), "reading-list-answers-"));
  const isSeeded = existsSync(path.join(folder, "reading-list.db"));
  const service = await startMeteredService(folder);
  const { client } = service;
  const measured: Measured[] = [];
  const end = performance.now() + 60_000 * minutes;
  const measure = async ({ name, host, call }: Reading): Promise<Measured> => {
    const url = (host === "text" ? client.textUrl : client.baseUrl) + call.path;
    const { result, turns } = await service.measureTurns(() => send(url, call));
    return { name, ...result, ...turns };
  };
  try {
    if (!isSeeded) await seed(client);
    const user = await HostileUser.signIn(client, account);
    for (const reading of listReadings(user, await findNumber(client, user))) {
      if (performance.now() > end) break;
      if (!only.test(reading.name)) continue;
      const calls = [await measure(reading)];
      if ((calls[0]?.longestMs ?? 0) > suspectMs)
        for (let n = 0; n < repetitions; n++) calls.push(await measure(reading));
      // The first call also compiles.
      const sorted = calls.toSorted((one, other) => one.longestWorkMs - other.longestWorkMs);
      measured.push(sorted[(sorted.length - 1) / 2] as Measured);
    }
  } finally {
    await service.stop();
    if (kept === undefined) rmSync(folder, { recursive: true });
  }
  return {
    title: "Longest turns of the event loop of the largest answers, ms of processor time",
    notes: [
      `A list of ${longItems + shortItems} items, ${longItems} of them with the longest fields, ${trashedItems} such in the trash, ${highlightsOfFirst + highlightsOfOthers} longest highlights, ${articles} articles.`,
      `${measured.length} calls. "work": without the collection of garbage. Above ${suspectMs} ms: the median of ${repetitions + 1} calls.`,
    ],
    rows: measured
      .toSorted((one, other) => other.longestWorkMs - one.longestWorkMs)
      .slice(0, shown)
      .map(({ name, status, bytes, longestMs, longestWorkMs }) => ({
        ms: rounded(longestMs),
        work: rounded(longestWorkMs),
        status,
        kB: Math.round(bytes / 1000),
        call: name,
      })),
  };
}

/** Every route and tool that reads: with each variant of its values, each size of its page, compressed and not. */
function listReadings(user: HostileUser, number: number): Reading[] {
  const routes = listAllRoutes().filter(
    ({ isReading, caller, method }) => isReading && caller === "user" && method !== "HEAD",
  );
  const targets = routes.flatMap((route): { route: BoundedRoute; tool?: string; fields: object }[] => {
    const tools = Object.entries(route.tools).filter(([tool]) => readingTools.includes(tool));
    return tools.length > 0
      ? tools.map(([tool, fields]) => ({ route, tool, fields }))
      : [{ route, fields: route.fields }];
  });
  return targets.flatMap(({ route, tool, fields }) => {
    const size = sizeFields.find((field) => field in fields);
    const pages = [{}, ...(size ? sizes.map((each) => ({ [size]: each })) : [])];
    return listVariants(route, number).flatMap(([variant, values]) =>
      pages.flatMap((page) =>
        ["identity", "br"].map((encoding): Reading => {
          const sent = { ...values, ...page };
          // Tools refuse unknown fields, and their tags are a list.
          const taken = Object.entries(sent).filter(([field]) => !tool || (field in fields && field !== "tags"));
          const created = user.createReading(route, Object.fromEntries(taken), tool);
          const call = { ...created, headers: { ...created.headers, "accept-encoding": encoding } };
          const inPage = Object.entries(page).map((each) => each.join("="));
          const name = [route.method, route.path, tool, variant, ...inPage, encoding].filter(Boolean).join(" ");
          return { name, host: route.host, call };
        }),
      ),
    );
  });
}

/** Values of the fields that a route may require, and of further ones that make its answer larger or read other parts. */
function listVariants(route: BoundedRoute, number: number): [name: string, Record<string, unknown>][] {
  const isV2 = route.api === "v2";
  const stream = "user/-/state/com.google/reading-list";
  const required = {
    id: route.api === "wallabag" || route.api === "linkding" ? number : toItemId(urlOf(0)),
    i: Array.from({ length: 250 }, (_, n) => toItemId(urlOf(n))),
    url: urlOf(0),
    page: route.api === "mcp" ? toItemId(urlOf(0)) : 1,
    s: stream,
    stream,
    label: "tag1",
    name: "tag1",
    words: "word",
    ...(isV2 && { query: "word" }),
    ...(isV2 && { tags: 1, progress: 1, deleted: 1 }),
    ...(!isV2 && { query: "word", term: "word" }),
  };
  const { url: _, ...list } = required;
  const isOneOf = isV2 && "since" in route.fields;
  const base = isOneOf ? list : required;
  const variants: [string, Record<string, unknown>][] = [["", base]];
  const add = (field: string, value: unknown, without?: string) => {
    if (field in route.fields)
      variants.push([`${field}=${value}`, { ...base, ...(without && { [without]: undefined }), [field]: value }]);
  };
  if (isV2) add("format", "xml");
  if (isV2) add("images", 1);
  if (isOneOf) variants.push(["url", required]);
  if (isV2 && "search" in route.fields) variants.push(["state=unread", { ...base, query: undefined, state: "unread" }]);
  add("since", Math.floor(Date.now() / 1000) - 80_000);
  add("annotations", 1);
  add("search", "word");
  add("q", "word");
  return variants.map(([name, values]) => [
    name,
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
  ]);
}

/** The number of the first item in the APIs that have numbers. */
async function findNumber(client: ServiceClient, user: HostileUser): Promise<number> {
  const route = listAllRoutes().find(({ path }) => path === "/wallabag/api/entries/exists");
  if (!route) throw new Error("wallabag has no such route");
  const { path, headers } = user.createReading(route, { url: urlOf(0), return_id: 1 });
  const { body } = await client.fetch(client.baseUrl + path, { headers });
  return Number(Object.values(JSON.parse(body))[0]);
}

/** Letters in one byte and in two units of UTF-16 each, in turns. */
const lettersOf = (n: number) => (n % 2 === 0 ? "word " : "\u{1f600} ");
const fill = (length: number, n: number) => {
  const letters = lettersOf(n);
  return letters.repeat(Math.ceil(length / [...letters].length));
};
const cut = (text: string, length: number) => [...text].slice(0, length).join("");

const urlOf = (n: number) => {
  const start = `http://s${n % 500}.example.com/${n}/`;
  return start + "path/".repeat(1000).slice(0, maxLengths.url - start.length);
};

const longItem = (n: number) => ({
  url: urlOf(n),
  title: cut(`Title ${n} ${fill(maxLengths.title, n)}`, maxLengths.title),
  tags: Array.from({ length: 200 }, (_, i) => `tag${(n * i) % 3000}`)
    .join()
    .slice(0, maxLengths.tags)
    .replace(/,?[^,]*$/, ""),
  ref_id: cut(fill(maxLengths.refId, n), maxLengths.refId),
});

async function seed(client: ServiceClient): Promise<void> {
  const post = async (endpoint: string, fields: Record<string, string>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ apikey: client.apiKey, ...account, ...fields }))
      body.append(name, value);
    const { status, body: text } = await client.fetch(client.urlOf(endpoint), { method: "POST", body });
    if (status !== 200) throw new Error(`${endpoint}: ${status} ${text.slice(0, 200)}`);
  };
  const inParts = async <T>(values: T[], most: number, work: (part: T[]) => Promise<void>) => {
    for (const part of splitList(values, most)) await work(part);
  };
  const range = (from: number, length: number) => Array.from({ length }, (_, i) => from + i);
  await client.ok("signup", { ...account });
  const short = range(longItems, shortItems).map((n) => ({
    url: `http://s${n % 500}.example.com/short/${n}`,
    tags: `tag${n % 3000}`,
  }));
  await inParts(short, 5000, (part) => post("send", { new: JSON.stringify(part) }));
  await inParts(short.slice(0, 5000), 2500, (part) =>
    post("send", { delete: JSON.stringify(part.map(({ url }) => ({ url }))) }),
  );
  const trashed = range(100_000, trashedItems).map(longItem);
  await inParts(trashed, 300, (part) => post("send", { new: JSON.stringify(part) }));
  await inParts(trashed, 300, (part) => post("send", { delete: JSON.stringify(part.map(({ url }) => ({ url }))) }));
  await inParts(range(0, longItems).reverse(), 400, (part) =>
    post("send", { new: JSON.stringify(part.map(longItem)) }),
  );
  const progress = range(0, longItems).map((n) => ({
    url: urlOf(n),
    progress: 50,
    anchor: cut(fill(maxLengths.anchor, n), maxLengths.anchor),
  }));
  await inParts(progress, 400, (part) => post("send", { update_progress: JSON.stringify(part) }));
  for (const n of range(0, articles)) {
    const length = n < longArticles ? longLength : articleLength;
    const text = Array.from({ length: length / 500 }, (_, i) => `<p>${i} ${fill(480, n)}</p>`).join("");
    await post("article", {
      url: urlOf(n),
      html: `<html><body><article><h1>Page ${n}</h1>${text}</article></body></html>`,
    });
  }
  const { quote, context, note } = highlightLengths;
  const marks = range(0, highlightsOfFirst + highlightsOfOthers).map((n) => ({
    id: `mark-${n}`,
    url: urlOf(n < highlightsOfFirst ? 0 : 1 + (n % 100)),
    quote: cut(`${n} ${fill(quote, n)}`, quote),
    prefix: cut(fill(context, n), context),
    suffix: cut(fill(context, n), context),
    note: cut(fill(note, n), note),
  }));
  await inParts(marks, 15, (part) => post("highlights", { save: JSON.stringify(part) }));
  await client.ok("search", { ...account, query: "word" });
}
