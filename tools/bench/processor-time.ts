// SPDX-License-Identifier: MIT

import type { Parameters, ServiceClient } from "@reading-list/testing/client.ts";
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

/** Processor time of each call in ms, and in units of an empty Node server that answers the same POST in the same run. */
export async function measureProcessorTime(calls: number, startService = startMeasuredService): Promise<Subject> {
  const service = await startService();
  const empty = await startChild(import.meta.resolve("./empty-server.ts"));
  try {
    const { client, pageUrl } = service;
    const lists = await Promise.all(Array.from({ length: connections }, () => seedList(client, itemsOfList)));
    const reader = (connection: number) => ({ ...lists[connection % connections]?.account });
    const writers = lists.map(newAccount);
    for (const account of writers) await client.ok("signup", { ...account });
    const writer = (connection: number) => ({ ...writers[connection % connections] });
    const marks = await seedMarks(client);
    for (const account of writers) await client.ok("add", { ...account, ...marks.marked });
    const marker = (connection: number) => ({ ...marks.accounts[connection % connections] });
    const since = (connection: number) => lists[connection % connections]?.since ?? 0;
    const isOk = (body: string) => body === "200 OK";
    const kinds: [name: string, endpoint: string, Kind["parameters"], Kind["isRight"], share?: number][] = [
      ["auth", "auth", reader, isOk],
      ["stats", "stats", reader, (body) => body.includes(`"count_list":"${itemsOfList}"`)],
      ["get, nothing new", "get", (c) => ({ ...reader(c), since: since(c) }), (body) => body.includes('"status":"2"')],
      ["get of 30", "get", (c) => ({ ...reader(c), count: 30 }), (body) => itemsIn(body) === 30],
      ["get of 300", "get", reader, (body) => itemsIn(body) === itemsOfList, 0.1],
      ["add, a new page", "add", (c) => ({ ...writer(c), ...newPage() }), isOk],
      ["send of 99", "send", (c) => ({ ...writer(c), ...newPages(99) }), isOk, 0.05],
      ["send, progress of one", "send", (c) => ({ ...marker(c), update_progress: marks.newProgress() }), isOk],
      ["send, restore and delete one", "send", (c) => ({ ...marker(c), ...marks.restoreAndDelete }), isOk, 0.5],
      ["trash of 100", "trash", marker, (body) => itemsIn(body) > marksOfUser, 0.3],
      [
        "highlights, nothing new",
        "highlights",
        (c) => ({ ...marker(c), since: marks.since }),
        (body) => body.includes('"status":"2"'),
      ],
      ["highlights of 100", "highlights", marker, (body) => itemsIn(body) === marksOfUser, 0.3],
      ["highlights, save one", "highlights", (c) => ({ ...marker(c), save: marks.newSave(1) }), isOk, 0.2],
      ["highlights, save 99", "highlights", (c) => ({ ...writer(c), save: marks.newSave(99) }), isOk, 0.003],
      ["signup", "signup", () => ({ ...newAccount() }), isOk, 0.05],
      ["text, cached", "text", () => ({ url: pageUrl }), (body) => body.includes("the harbour")],
    ];
    await client.ok("text", { url: pageUrl });
    const rows: Subject["rows"] = [];
    for (const [name, endpoint, parameters, isRight, share = 1] of kinds) {
      const nextForm = (connection: number) => client.formOf(parameters(connection));
      const url = client.urlOf(endpoint);
      const measured = { child: service.process, load: { url, connections, nextForm, isRight } };
      const floor = {
        child: empty,
        load: { url: empty.urls[0] ?? "", connections, nextForm: () => nextForm(0), isRight: isOk },
      };
      const pairs: { ms: number; units: number }[] = [];
      await msOfCalls(measured, Math.ceil((share * calls) / 4));
      for (let round = 0; round < rounds; round++) {
        const ms = await msOfCalls(measured, Math.ceil(share * calls));
        pairs.push({ ms, units: ms / (await msOfCalls(floor, 10 * calls)) });
      }
      const [, middle] = pairs.sort((a, b) => a.units - b.units);
      rows.push({ call: name, ms: rounded(middle?.ms ?? 0), units: rounded(middle?.units ?? 0) });
    }
    return {
      title: "Processor time of a call",
      notes: [
        `Service and database, all threads. ${connections} connections, each of a user with ${itemsOfList} items; the median of ${rounds} rounds.`,
        "Units: an empty Node server that reads and answers the same POST, measured in turns with the call.",
      ],
      rows,
    };
  } finally {
    await service.stop();
    await empty.stop();
  }
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
  parameters: (connection: number) => Parameters;
  isRight: (body: string) => boolean;
}

async function msOfCalls({ child, load }: { child: ChildServer; load: Load }, calls: number): Promise<number> {
  const before = child.processorMs();
  await applyLoad(load, calls);
  return (child.processorMs() - before) / calls;
}
