// SPDX-License-Identifier: MIT

import type { Parameters } from "@reading-list/testing/client.ts";
import { rounded, type Subject } from "@reading-list/testing/table-text.ts";
import { type ChildServer, startChild } from "./child.ts";
import { applyLoad, type Load } from "./load.ts";
import { itemsIn, newAccount, newPage, newPages, seedList, startMeasuredService } from "./measured-service.ts";

const connections = 8;
const itemsOfList = 300;
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

interface Kind {
  parameters: (connection: number) => Parameters;
  isRight: (body: string) => boolean;
}

async function msOfCalls({ child, load }: { child: ChildServer; load: Load }, calls: number): Promise<number> {
  const before = child.processorMs();
  await applyLoad(load, calls);
  return (child.processorMs() - before) / calls;
}
