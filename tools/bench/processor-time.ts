// SPDX-License-Identifier: MIT

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Parameters, ServiceClient } from "@reading-list/testing/client.ts";
import { rounded, type Subject } from "@reading-list/testing/table-text.ts";
import { type ChildServer, startChild } from "./child.ts";
import { applyLoad, type Load } from "./load.ts";
import {
  itemsIn,
  newAccount,
  newHighlight,
  newPage,
  newPages,
  seedList,
  startMeasuredService,
} from "./measured-service.ts";

const connections = 8;
const itemsOfList = 300;
/** Highlights, and pages in the trash. */
const marksOfUser = 100;
const rounds = 3;

/** Calls that the smallest service answers, too. */
const minimalCalls = new Set(["auth", "get, nothing new", "get of 30", "get of 300", "add, a new page", "send of 99"]);

/** A server, and its calls by name. */
interface Target {
  child: ChildServer;
  client: ServiceClient;
  kinds: ReadonlyMap<string, Kind>;
}

/**
 * Processor time of each call in ms, and in units of an empty Node server, of the smallest service that could answer it and,
 * if `releaseFolder` has it, of the last release, all measured in turns.
 */
export async function measureProcessorTime(
  calls: number,
  startService = startMeasuredService,
  releaseFolder?: string,
): Promise<Subject> {
  const service = await startService();
  const release = releaseFolder === undefined ? undefined : await startMeasuredService({}, releaseFolder);
  const empty = await startChild(import.meta.resolve("./empty-server.ts"));
  const folder = mkdtempSync(path.join(tmpdir(), "reading-list-bench-"));
  const minimal = await startChild(import.meta.resolve("./minimal-server.ts"), {}, { args: [path.join(folder, "db")] });
  try {
    const own = await targetOf(service.process, service.client, service.pageUrl);
    const others: [column: string, target: Target][] = [];
    const [baseUrl = ""] = minimal.urls;
    const minimalClient = new ServiceClient({ baseUrl, textUrl: baseUrl, apiKey: "bench-key" });
    others.push(["x smallest", await targetOf(minimal, minimalClient)]);
    if (release) others.push(["x release", await targetOf(release.process, release.client, release.pageUrl)]);
    const rows: Subject["rows"] = [];
    for (const [name, kind] of own.kinds) {
      const times = Math.ceil((kind.share ?? 1) * calls);
      const form = own.client.formOf(kind.parameters(0)).toString();
      const floor = { url: empty.urls[0] ?? "", connections, nextForm: () => form, isRight: isOk };
      const able = others.filter(([, { kinds }]) => kinds.has(name));
      for (const target of [own, ...able.map(([, each]) => each)]) await msOfKind(target, name, Math.ceil(times / 4));
      const measured: Record<string, number>[] = [];
      for (let round = 0; round < rounds; round++) {
        const ms = await msOfKind(own, name, times);
        const one: Record<string, number> = { ms, units: ms / (await msOfCalls(empty, floor, 10 * calls)) };
        for (const [column, target] of able) one[column] = ms / (await msOfKind(target, name, times));
        measured.push(one);
      }
      const row: Record<string, string | number> = { call: name };
      for (const column of ["ms", "units", ...others.map(([each]) => each)]) {
        const [, middle] = measured.map((one) => one[column] ?? Number.NaN).sort((a, b) => a - b);
        row[column] = middle === undefined || Number.isNaN(middle) ? "-" : rounded(middle);
      }
      rows.push(row);
    }
    return {
      title: "Processor time of a call",
      notes: [
        `Service and database, all threads. ${connections} connections, each of a user with ${itemsOfList} items; the median of ${rounds} rounds.`,
        "Units: an empty Node server that reads and answers the same POST. x smallest: tools/bench/minimal-server.ts, on",
        "node:http and node:sqlite. x release: the last release. All are measured in turns.",
      ],
      rows,
    };
  } finally {
    await Promise.all([service.stop(), release?.stop(), empty.stop(), minimal.stop()]);
    rmSync(folder, { recursive: true });
  }
}

const isOk = (body: string) => body === "200 OK";

/** Seeds the lists of the calls of a server. Without `pageUrl` it is the smallest service. */
async function targetOf(child: ChildServer, client: ServiceClient, pageUrl?: string): Promise<Target> {
  const lists = await Promise.all(Array.from({ length: connections }, () => seedList(client, itemsOfList)));
  const reader = (connection: number) => ({ ...lists[connection % connections]?.account });
  const writers = lists.map(newAccount);
  for (const account of writers) await client.ok("signup", { ...account });
  const writer = (connection: number) => ({ ...writers[connection % connections] });
  const since = (connection: number) => lists[connection % connections]?.since ?? 0;
  const kinds = new Map<string, Kind>();
  const add = (name: string, endpoint: string, parameters: Kind["parameters"], isRight: Kind["isRight"], share = 1) => {
    if (pageUrl !== undefined || minimalCalls.has(name)) kinds.set(name, { endpoint, parameters, isRight, share });
  };
  add("auth", "auth", reader, isOk);
  add("stats", "stats", reader, (body) => body.includes(`"count_list":"${itemsOfList}"`));
  add(
    "get, nothing new",
    "get",
    (c) => ({ ...reader(c), since: since(c) }),
    (body) => body.includes('"status":"2"'),
  );
  add(
    "get of 30",
    "get",
    (c) => ({ ...reader(c), count: 30 }),
    (body) => itemsIn(body) === 30,
  );
  add("get of 300", "get", reader, (body) => itemsIn(body) === itemsOfList, 0.1);
  add("add, a new page", "add", (c) => ({ ...writer(c), ...newPage() }), isOk);
  add("send of 99", "send", (c) => ({ ...writer(c), ...newPages(99) }), isOk, 0.05);
  if (pageUrl === undefined) return { child, client, kinds };
  const marks = await seedMarks(client);
  for (const account of writers) await client.ok("add", { ...account, ...marks.marked });
  const marker = (connection: number) => ({ ...marks.accounts[connection % connections] });
  add("send, progress of one", "send", (c) => ({ ...marker(c), update_progress: marks.newProgress() }), isOk);
  add("send, restore and delete one", "send", (c) => ({ ...marker(c), ...marks.restoreAndDelete }), isOk, 0.5);
  add("trash of 100", "trash", marker, (body) => itemsIn(body) > marksOfUser, 0.3);
  add(
    "highlights, nothing new",
    "highlights",
    (c) => ({ ...marker(c), since: marks.since }),
    (body) => body.includes('"status":"2"'),
  );
  add("highlights of 100", "highlights", marker, (body) => itemsIn(body) === marksOfUser, 0.3);
  add("highlights, save one", "highlights", (c) => ({ ...marker(c), save: marks.newSave(1) }), isOk, 0.2);
  add("highlights, save 99", "highlights", (c) => ({ ...writer(c), save: marks.newSave(99) }), isOk, 0.003);
  add("signup", "signup", () => ({ ...newAccount() }), isOk, 0.05);
  await client.ok("text", { url: pageUrl });
  add(
    "text, cached",
    "text",
    () => ({ url: pageUrl }),
    (body) => body.includes("the harbour"),
  );
  return { child, client, kinds };
}

/** A user for each connection, with highlights and a full trash. */
async function seedMarks(client: ServiceClient) {
  const accounts = Array.from({ length: connections }, newAccount);
  const [marked, removed] = [newPage(), newPage()];
  const newSave = (count: number) => JSON.stringify(Array.from({ length: count }, () => newHighlight(marked.url)));
  let since = 0;
  for (const account of accounts) {
    await client.ok("signup", { ...account });
    const { new: trashed } = newPages(marksOfUser);
    await client.ok("send", { ...account, new: trashed });
    await client.ok("send", { ...account, new: JSON.stringify([marked, removed]), delete: trashed });
    await client.ok("highlights", { ...account, save: newSave(marksOfUser) });
    await client.ok("send", { ...account, delete: JSON.stringify([removed]) });
    const { highlights_updated: updated } = JSON.parse((await client.ok("get", { ...account, progress: 1 })).body);
    since = Math.max(since, Number(updated));
  }
  const entries = JSON.stringify([removed]);
  return {
    accounts,
    marked,
    since,
    newSave,
    restoreAndDelete: { restore: entries, delete: entries },
    newProgress: () =>
      JSON.stringify([{ url: marked.url, progress: Math.floor(101 * Math.random()), anchor: "a place" }]),
  };
}

interface Kind {
  endpoint: string;
  parameters: (connection: number) => Parameters;
  isRight: (body: string) => boolean;
  /** The share of the calls to make; 1 if absent. */
  share?: number;
}

function msOfKind({ child, client, kinds }: Target, name: string, calls: number): Promise<number> {
  const kind = kinds.get(name);
  if (!kind) throw new Error(`this server has no ${name}`);
  const nextForm = (connection: number) => client.formOf(kind.parameters(connection)).toString();
  return msOfCalls(child, { url: client.urlOf(kind.endpoint), connections, nextForm, isRight: kind.isRight }, calls);
}

async function msOfCalls(child: ChildServer, load: Load, calls: number): Promise<number> {
  const before = child.processorMs();
  await applyLoad(load, calls);
  return (child.processorMs() - before) / calls;
}
