// SPDX-License-Identifier: MIT

/**
 * Sends the largest legal value of each field of each route in each of some shapes that are slow to read, against a list of
 * 20,000 items with kept articles and highlights. Prints the longest turns of the event loop, in processor time, and the
 * largest growth of memory. Linux only.
 *
 *   npm run bench -- bounds [--minutes 10] [--only PATTERN]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { measureLargest } from "@reading-list/core/contract/bounded.ts";
import { listAllRoutes } from "@reading-list/protocols/all-routes.ts";
import type { ServiceClient } from "@reading-list/testing/client.ts";
import { type HostileField, listHostileFields, shapes, urlOfPage } from "@reading-list/testing/hostile-calls.ts";
import { HostileUser } from "@reading-list/testing/hostile-user.ts";
import { rounded, type Subject } from "@reading-list/testing/table-text.ts";
import { send, startMeteredService } from "./metered-service.ts";
import type { Turns } from "./turn-meter.ts";

const itemsOfList = 20_000;
const highlightsOfList = 10_000;
const articlesOfList = 12;
/** Rows of each table. */
const shown = 20;
/** Bytes of a value that takes long in no shape: each is sent in one of them. */
const shortValue = 1000;
const isShort = ({ bound }: HostileField) => measureLargest(bound) <= shortValue;

interface Measured extends Turns {
  field: HostileField;
  shape: string;
  bytes: number;
  status: number | "lost";
}

/** Runs the bench for so many minutes at most: one shape after the other, each over all fields that `only` matches. */
export async function measureBounds(minutes: number, only: RegExp): Promise<Subject[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "reading-list-bounds-"));
  const service = await startMeteredService(folder);
  const { client } = service;
  const fields = listAllRoutes()
    .flatMap(listHostileFields)
    .filter(({ route, name }) => only.test(`${route.method} ${route.path} ${name}`));
  const measured: Measured[] = [];
  const end = performance.now() + 60_000 * minutes;
  try {
    await seed(client);
    let user = await HostileUser.signIn(client, account);
    for (const [nth, [shape, part]] of Object.entries(shapes).entries()) {
      for (const [place, field] of fields.entries()) {
        if (performance.now() > end) break;
        if (isShort(field) && place % Object.keys(shapes).length !== nth) continue;
        const call = user.createCall(field, part);
        const url = (field.route.host === "text" ? client.textUrl : client.baseUrl) + call.path;
        const { result, turns } = await service.measureTurns(() => send(url, call));
        const bytes = (call.body?.length ?? 0) + call.path.length;
        measured.push({ field, shape, bytes, status: result.status, ...turns });
        if (result.status === 401 && !(await user.isSignedIn())) user = await HostileUser.signIn(client, account);
      }
    }
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
  return tablesOf(measured, fields.length);
}

const account = { username: "bounds", password: "correct horse" };

/** A list as large as a list may be in ordinary use, with articles of long repeated text. */
async function seed(client: ServiceClient): Promise<void> {
  await client.ok("signup", { ...account });
  for (let from = 0; from < itemsOfList; from += 5000) {
    const pages = Array.from({ length: 5000 }, (_, i) => from + i).map((n) => ({
      url: urlOfPage(n),
      title: `A title of the page number ${n}`,
      tags: `tag${n % 3000},other${n % 7},x${n % 20}`,
    }));
    await client.ok("send", { ...account, new: JSON.stringify(pages) });
  }
  for (let from = 0; from < highlightsOfList; from += 2500) {
    const marks = Array.from({ length: 2500 }, (_, i) => from + i).map((n) => ({
      id: `mark-${n}`,
      url: urlOfPage(n % 5000),
      quote: `${"q".repeat(150)} ${n}`,
      note: "n".repeat(60),
    }));
    await client.ok("highlights", { ...account, save: JSON.stringify(marks) });
  }
  const texts = ["ab ", "a", "a ", "The quick brown fox jumps over the lazy dog. "];
  for (let n = 0; n < articlesOfList; n++) {
    const text = (texts[n % texts.length] ?? "").repeat(20_000);
    await client.ok("article", {
      ...account,
      url: urlOfPage(n),
      html: `<article><h1>Page ${n}</h1><p>${text}</p></article>`,
    });
  }
  await client.ok("search", { ...account, query: "title" });
}

function tablesOf(measured: readonly Measured[], fields: number): Subject[] {
  const rowsBy = (figure: (one: Measured) => number, column: string) =>
    measured
      .toSorted((one, other) => figure(other) - figure(one))
      .slice(0, shown)
      .map((one) => ({
        [column]: rounded(figure(one)),
        call: `${one.field.route.method} ${one.field.route.path}`,
        field: one.field.name,
        shape: one.shape,
        bytes: one.bytes,
        status: one.status,
      }));
  const notes = [
    `${measured.length} calls: ${fields} fields that take texts, each at its maximum, those above ${shortValue.toLocaleString("en")} bytes in ${new Set(measured.map(({ shape }) => shape)).size} of ${Object.keys(shapes).length} shapes.`,
    `A list of ${itemsOfList.toLocaleString("en")} items, ${highlightsOfList.toLocaleString("en")} highlights, ${articlesOfList} kept articles.`,
  ];
  return [
    {
      title: "Longest turns of the event loop, ms of processor time",
      notes,
      rows: rowsBy(({ longestMs }) => longestMs, "ms"),
    },
    {
      title: "Largest growth of memory during a call",
      notes: ["Resident memory, MB."],
      rows: rowsBy(({ peakMb, restMb }) => peakMb - restMb, "MB"),
    },
  ];
}
