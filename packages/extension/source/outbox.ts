// SPDX-License-Identifier: MIT

import type { Change } from "@reading-list/client/change.ts";
import { IndexedDbStore } from "@reading-list/client/indexeddb-store.ts";
import { findItem } from "@reading-list/client/local-items.ts";
import {
  ApiError,
  type ApiErrorKind,
  localItems,
  type QueuedChange,
  type ReadingListClient,
  type Store,
} from "@reading-list/client/main.ts";
import { withoutTracking } from "@reading-list/core/domain/tracking-parameters.ts";
import { deleteDB } from "idb";
import { type Account, createClient, readAccount } from "./account.ts";
import { forgetIds } from "./saved-ids.ts";

/** Why pages wait. */
export interface Problem {
  kind: ApiErrorKind | "noAccount";
  /** The service's own words; empty without an account. */
  message: string;
}

/** A page that the service does not accept. */
interface RefusedPage {
  url: string;
  message: string;
}

/** How the last try ended. */
export interface Status {
  /** Absent if every page was sent. */
  problem?: Problem | undefined;
  /** Retries in a row that failed. */
  failures: number;
  /** The newest ones. */
  refused: RefusedPage[];
}

/** The queue of changes. */
const databaseName = "outbox";
const maxRefused = 20;
/** Minutes. Browsers let an alarm ring at most twice a minute. */
const firstDelay = 0.5;
const maxDelay = 60;

/** The alarm that repeats a try. */
export const retryAlarm = "send";

const openStore = () => IndexedDbStore.open(databaseName);

async function withStore<T>(task: (store: IndexedDbStore) => Promise<T>): Promise<T> {
  const store = await openStore();
  return task(store).finally(() => store.close());
}

/** The change that saves a page, without parameters that only track. The service refuses longer titles. */
export const addChange = (url: string, title: string | undefined): Change => ({
  kind: "add",
  url: withoutTracking(url),
  title: title && [...title].slice(0, 1000).join(""),
});

/** Puts pages into the outbox, where they stay until the service has them. */
export const enqueue = (changes: readonly Change[]) => withStore((store) => store.enqueue(changes));

/** Number of changes in the outbox. */
export const countWaiting = () =>
  withStore(async (store) => {
    const { sent } = await store.state();
    return (await store.queue()).filter(({ id }) => id > sent).length;
  });

export async function readStatus(): Promise<Status> {
  const { status } = await chrome.storage.local.get<{ status?: Status }>("status");
  return status ?? { failures: 0, refused: [] };
}

/** Removes account, outbox and status from this computer. */
export const forgetAll = () =>
  locked(async () => {
    await chrome.alarms.clearAll();
    await chrome.storage.local.clear();
    await Promise.all([deleteDB(databaseName), forgetIds()]);
  });

export const clearRefused = () =>
  locked(async () => chrome.storage.local.set({ status: { ...(await readStatus()), refused: [] } }));

/** No two pages of the extension send, undo or forget at the same time. */
const locked = <T>(task: () => Promise<T>): Promise<T> => navigator.locks.request("outbox", task);

interface SendOptions {
  isRetry?: boolean;
  /** URL of a page that is not in the list, as the service has just answered. */
  newPage?: string;
}

/**
 * Sends the outbox. If that fails for a reason that passes, the alarm repeats it with exponential
 * backoff and jitter (30 seconds doubling to an hour), or after the time that the service asks for. Only failed retries
 * lengthen the wait, not the pages that the user saves meanwhile. Returns the pages that the service refused in this try.
 */
export function sendOutbox({ isRetry = false, newPage }: SendOptions = {}): Promise<Status> {
  return locked(async () => {
    const before = await readStatus();
    const refused: RefusedPage[] = [];
    const end = async (failures: number, problem?: Problem): Promise<Status> => {
      await chrome.storage.local.set({
        status: {
          problem,
          failures,
          refused: [...refused, ...before.refused].slice(0, maxRefused),
          // So that pages of the extension notice each change.
          waiting: await countWaiting(),
        },
      });
      return { problem, failures, refused };
    };
    const account = await readAccount();
    if (!account) return end(0, (await countWaiting()) > 0 ? { kind: "noAccount", message: "" } : undefined);

    const backoff = Math.min(maxDelay, firstDelay * 2 ** before.failures) * (1 + Math.random() / 2);
    // Set before the try: the worker may end in the middle of it.
    await chrome.alarms.create(retryAlarm, { delayInMinutes: backoff });
    try {
      for await (const { rejected } of push(account, newPage)) {
        refused.push(...rejected.map(({ change, message }) => ({ url: change.url, message: reasonIn(message) })));
      }
      await chrome.alarms.clear(retryAlarm);
      return await end(0);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { kind, message, retryAfter } = error;
      if (isForUser(kind) || (await countWaiting()) === 0) await chrome.alarms.clear(retryAlarm);
      else if (retryAfter)
        await chrome.alarms.create(retryAlarm, { delayInMinutes: Math.max(backoff, retryAfter / 60) });
      // Without a connection nothing was tried.
      return await end(before.failures + (isRetry && navigator.onLine ? 1 : 0), { kind, message });
    }
  });
}

/** Pages that are asked for before they are sent; a failure half way repeats no more than their calls. */
const atOnce = 20;

/** Sends the outbox. A page that is in the list keeps its title, because the user did not type the title of the tab. */
async function* push(account: Account, newPage: string | undefined) {
  const store = await openStore();
  try {
    const client = createClient(account);
    while ((await store.queue()).length > 0) yield* client.push(withoutKnownTitles(store, client, newPage));
  } finally {
    store.close();
  }
}

function withoutKnownTitles(store: Store, client: ReadingListClient, newPage: string | undefined): Store {
  const known = new Map<number, boolean>();
  const completeChange = async ({ id, change }: QueuedChange): Promise<Change> => {
    if (change.kind !== "add" || !change.title) return change;
    const { url } = change;
    if (!known.has(id)) known.set(id, url !== newPage && (await isInList(client, url)));
    return known.get(id) ? { kind: "add", url } : change;
  };
  return {
    state: () => store.state(),
    items: (ids) => store.items(ids),
    enqueue: (changes) => store.enqueue(changes),
    commit: (step) => store.commit(step),
    async queue() {
      const queued: QueuedChange[] = [];
      for (const each of (await store.queue()).slice(0, atOnce))
        queued.push({ ...each, change: await completeChange(each) });
      return queued;
    },
  };
}

async function isInList(client: ReadingListClient, url: string): Promise<boolean> {
  try {
    return (await client.get({ url })).items.length > 0;
  } catch (error) {
    // `send` says which page is refused.
    if (error instanceof ApiError && error.kind === "invalid") return false;
    throw error;
  }
}

/** The page of the changes that wait; undefined if none adds it. */
export const findWaiting = (url: string) => withStore(async (store) => findItem(await localItems(store), url));

/** Removes the copy of the list that an earlier version has made. */
export const forgetList = () =>
  locked(() =>
    withStore(async (store) => {
      const { since, sent } = await store.state();
      if (since === undefined) return;
      await store.commit({ state: { sent }, remove: (await store.items()).map(({ itemId }) => itemId) });
    }),
  );

/** The reason of a refusal, without the place of the entry in the request. */
const reasonIn = (message: string) => message.replace(/^send: \w+\.\d+\.?/, "");

/** Whether only the user can solve a problem, in the options. */
export const isForUser = (kind: Problem["kind"]) => ["noAccount", "unauthorized", "invalid", "notFound"].includes(kind);
