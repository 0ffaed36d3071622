import { IndexedDbStore } from "@reading-list/client/indexeddb-store.ts";
import { ApiError, type ApiErrorKind } from "@reading-list/client/main.ts";
import { clientOf, readAccount } from "./account.ts";

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
  /** Tries in a row that failed. */
  failures: number;
  /** The newest ones. */
  refused: RefusedPage[];
}

const databaseName = "outbox";
const mostRefused = 20;
/** Minutes. Browsers let an alarm ring at most twice a minute. */
const firstDelay = 0.5;
const longestDelay = 60;

/** The alarm that repeats a try. */
export const retryAlarm = "send";

const openOutbox = () => IndexedDbStore.open(databaseName);

/** Puts a page into the outbox, where it stays until the service has it. */
export async function enqueuePage(url: string, title: string | undefined): Promise<void> {
  const outbox = await openOutbox();
  // The service refuses longer titles.
  await outbox.enqueue([{ kind: "add", url, title: title && [...title].slice(0, 1000).join("") }]);
  outbox.close();
}

/** Number of pages in the outbox. */
export async function countWaiting(): Promise<number> {
  const outbox = await openOutbox();
  const { sent } = await outbox.state();
  const waiting = (await outbox.queue()).filter(({ id }) => id > sent).length;
  outbox.close();
  return waiting;
}

export async function readStatus(): Promise<Status> {
  const { status } = await chrome.storage.local.get<{ status?: Status }>("status");
  return status ?? { failures: 0, refused: [] };
}

/** Removes account, outbox and status from this computer. */
export async function forgetAll(): Promise<void> {
  await locked(async () => {
    await chrome.alarms.clearAll();
    await chrome.storage.local.clear();
    await new Promise<void>((resolve, reject) => {
      const request = indexedDB.deleteDatabase(databaseName);
      request.onsuccess = () => resolve();
      request.onerror = () => reject(request.error);
    });
  });
}

export const clearRefused = () =>
  locked(async () => chrome.storage.local.set({ status: { ...(await readStatus()), refused: [] } }));

/** The worker and the options page never send at the same time. */
const locked = <T>(task: () => Promise<T>): Promise<T> => navigator.locks.request("outbox", task);

/**
 * Sends the outbox. If that fails for a reason that passes, the alarm repeats it with exponential backoff and jitter
 * (30 seconds doubling to an hour), or after the time that the service asks for. Returns what the service refused in
 * this try.
 */
export function sendOutbox(): Promise<Status> {
  return locked(async () => {
    const before = await readStatus();
    const refused: RefusedPage[] = [];
    const end = async (failures: number, problem?: Problem): Promise<Status> => {
      await chrome.storage.local.set({
        status: { problem, failures, refused: [...refused, ...before.refused].slice(0, mostRefused) },
      });
      return { problem, failures, refused };
    };
    if ((await countWaiting()) === 0) return end(0);
    const account = await readAccount();
    if (!account) return end(0, { kind: "noAccount", message: "" });

    const failures = before.failures + 1;
    const backoff = Math.min(longestDelay, firstDelay * 2 ** before.failures) * (1 + Math.random() / 2);
    // Set before the try: the worker may end in the middle of it.
    await chrome.alarms.create(retryAlarm, { delayInMinutes: backoff });
    const outbox = await openOutbox();
    try {
      for await (const { rejected } of clientOf(account).push(outbox)) {
        refused.push(...rejected.map(({ change, message }) => ({ url: change.url, message: wordsOf(message) })));
      }
      await chrome.alarms.clear(retryAlarm);
      return await end(0);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { kind, message, retryAfter } = error;
      if (isForUser(kind)) await chrome.alarms.clear(retryAlarm);
      else if (retryAfter)
        await chrome.alarms.create(retryAlarm, { delayInMinutes: Math.max(backoff, retryAfter / 60) });
      return await end(failures, { kind, message });
    } finally {
      outbox.close();
    }
  });
}

/** What the service says about an entry, without the place of the entry in the request. */
const wordsOf = (message: string) => message.replace(/^send: new\.\d+\.?/, "");

/** Whether only the user can solve a problem, in the options. */
export const isForUser = (kind: Problem["kind"]) => ["noAccount", "unauthorized", "invalid", "notFound"].includes(kind);
