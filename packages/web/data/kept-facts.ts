// SPDX-License-Identifier: MIT

import { ApiError, type KeptPage, type ReadingListClient } from "@reading-list/client/main.ts";
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { toMinutes } from "../kit/plain-text.ts";
import type { TextFacts } from "./cached-text.ts";

interface StoredFacts extends TextFacts {
  url: string;
}

interface Schema extends DBSchema {
  facts: { key: string; value: StoredFacts };
  /** The `since` to continue from, and when the first answer was read. */
  state: { key: "state"; value: { since: number; startedAt: Date } };
}

/** Pages of one answer: some 500 KB. */
const atOnce = 1000;
/** Milliseconds, because the addresses of pictures work for a week. */
const untilRenewed = 6 * 86_400_000;

/**
 * Brings the facts of all texts that the service keeps for the user up to date on this device (docs/api.md 4.16), and
 * returns them by URL. Without a connection, and on a service without them, it returns the facts of the last time.
 */
export async function readKeptFacts(
  name: string,
  client: ReadingListClient,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, TextFacts>> {
  const database = await openDB<Schema>(name, 1, {
    upgrade(created) {
      created.createObjectStore("facts", { keyPath: "url" });
      created.createObjectStore("state");
    },
  });
  try {
    await pull(database, client, signal).catch((error) => {
      if (!(error instanceof ApiError)) throw error;
    });
    return new Map((await database.getAll("facts")).map(({ url, ...facts }) => [url, facts]));
  } finally {
    database.close();
  }
}

/** The `since` comes from the first page: changes made while the others are read come with the next call. */
async function pull(
  database: IDBPDatabase<Schema>,
  client: ReadingListClient,
  signal: AbortSignal,
  isFirst = false,
): Promise<void> {
  const state = isFirst ? undefined : await database.get("state", "state");
  const isRenewed = !state || Date.now() - state.startedAt.getTime() > untilRenewed;
  const since = isRenewed ? undefined : state.since;
  let next: number | undefined;
  for (let page = 1, isOver = false; !isOver; page++) {
    const answer = await client.kept({ since, count: atOnce, page }, { signal });
    next ??= answer.since;
    isOver = answer.pages.length < atOnce;
    // So many changes, or a restored service that starts over.
    if (!isRenewed && !isOver) return pull(database, client, signal, true);
    const step = database.transaction(["facts", "state"], "readwrite");
    if ((isRenewed && page === 1) || answer.isComplete) void step.objectStore("facts").clear();
    for (const kept of answer.pages) if (kept.state === "kept") void step.objectStore("facts").put(factsToStore(kept));
    const startedAt = isRenewed ? new Date() : state.startedAt;
    if (isOver) void step.objectStore("state").put({ since: next, startedAt }, "state");
    await step.done;
  }
}

const factsToStore = ({ url, words = 0, excerpt, imageUrl }: KeptPage): StoredFacts => ({
  url,
  minutes: toMinutes(words),
  excerpt,
  imageUrl,
  author: undefined,
});
