// SPDX-License-Identifier: MIT

import { ApiError, type ItemList, type ReadingListClient } from "@reading-list/client/main.ts";
import { findFirst } from "@reading-list/core/domain/binary-search.ts";
import { canonicalForm, digestToId } from "@reading-list/core/domain/canonical-form.ts";
import { withoutTracking } from "@reading-list/core/domain/tracking-parameters.ts";
import { deleteDB, openDB } from "idb";
import { createClient, readAccount } from "./account.ts";

/** The ids of all pages of the list, in ascending order: 8 bytes for each page. */
interface SavedIds {
  /** Address of the service and name of the user. */
  account: string;
  since: number;
  ids: Float64Array;
}

/** The switch in the options. */
const settingName = "showsSaved";
const databaseName = "saved-ids";
const storeName = "ids";
/** Pages of the list that one call of the first sync loads. */
const pageSize = 1000;

/** The ids as this worker has read them last. */
let loaded: Promise<SavedIds | undefined> | undefined;

export async function showsSaved(): Promise<boolean> {
  return (await chrome.storage.local.get<Record<string, boolean>>(settingName))[settingName] === true;
}

/** Sets the switch. The ids are deleted if it is off. */
export async function setShowsSaved(isOn: boolean): Promise<void> {
  await chrome.storage.local.set({ [settingName]: isOn });
  if (!isOn) await forgetIds();
}

export async function forgetIds(): Promise<void> {
  loaded = undefined;
  await deleteDB(databaseName);
}

async function withDatabase<T>(task: (database: Awaited<ReturnType<typeof openDB>>) => Promise<T>): Promise<T> {
  const database = await openDB(databaseName, 1, { upgrade: (created) => void created.createObjectStore(storeName) });
  return task(database).finally(() => database.close());
}

const readIds = (): Promise<SavedIds | undefined> => {
  loaded ??= withDatabase((database) => database.get(storeName, "all"));
  return loaded;
};

/**
 * Loads the ids of pages that were saved or deleted since the last sync, or of all pages at the first. Returns the number
 * of pages; undefined if it is off, or the service does not answer.
 */
export const syncIds = (): Promise<number | undefined> =>
  navigator.locks.request(databaseName, async () => {
    const account = await readAccount();
    if (!account || !(await showsSaved())) return undefined;
    const name = `${account.baseUrl} ${account.username}`;
    loaded = undefined;
    const stored = await readIds();
    const before = stored?.account === name ? stored : undefined;
    try {
      const { ids, since } = await loadIds(createClient(account), before);
      const after = { account: name, since, ids: Float64Array.from(ids).sort() };
      await withDatabase((database) => database.put(storeName, after, "all"));
      loaded = Promise.resolve(after);
      return after.ids.length;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return undefined;
    }
  });

async function loadIds(client: ReadingListClient, before: SavedIds | undefined) {
  const ids = new Set(before?.ids);
  const apply = ({ items, deleted }: ItemList) => {
    for (const { itemId } of items) ids.add(Number(itemId));
    for (const id of Object.keys(deleted)) ids.delete(Number(id));
  };
  if (before) {
    const changes = await client.get({ since: before.since });
    // The answer holds the whole list if the service cannot continue from that time.
    if (changes.isComplete) ids.clear();
    apply(changes);
    return { ids, since: changes.since };
  }
  let since: number | undefined;
  for (let page = 1; ; page++) {
    const part = await client.get({ count: pageSize, page });
    apply(part);
    // The next sync gets all changes since the first page.
    since ??= part.since;
    if (part.items.length < pageSize) return { ids, since };
  }
}

/** Whether a page is in the list, by the ids of this device: no address leaves it. */
export async function isSaved(url: string): Promise<boolean> {
  const account = await readAccount();
  const saved = account && (await readIds());
  if (!saved || saved.account !== `${account.baseUrl} ${account.username}`) return false;
  for (const each of new Set([url, withoutTracking(url)])) if (includes(saved.ids, await toSavedId(each))) return true;
  return false;
}

async function toSavedId(url: string): Promise<number> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonicalForm(url)));
  return Number(digestToId(new Uint8Array(digest)));
}

/** Whether sorted ids include one. */
const includes = (ids: Float64Array, id: number): boolean =>
  ids[findFirst(0, ids.length, (index) => (ids[index] ?? 0) < id)] === id;
