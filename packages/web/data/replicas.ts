// SPDX-License-Identifier: MIT

import { ReadingListClient } from "@reading-list/client/main.ts";
import type { ReaderConfig } from "../kit/config.ts";

export interface Credentials {
  username: string;
  password: string;
}

export const clientFor = (config: ReaderConfig, credentials: Credentials) =>
  new ReadingListClient({ ...config, ...credentials, retries: 1 });

/** The databases of this browser with data of a user. */
export const storageNames = (username: string) => ({
  list: `reading-list-of-${username}`,
  texts: `texts-of-${username}`,
  highlights: `highlights-of-${username}`,
  facts: `facts-of-${username}`,
  /** Of an earlier version. */
  marks: `marks-of-${username}`,
});

/** Deletes the list and the cached texts of a user. A tab that has them open must close them first. */
export async function deleteReplica(username: string): Promise<void> {
  await Promise.all(Object.values(storageNames(username)).map((name) => deleteDatabase(name)));
}

/** Deletes the lists and texts of all users but one, unless another tab has them open. */
export async function deleteOtherReplicas(username: string | undefined): Promise<void> {
  const kept = new Set(username === undefined ? [] : Object.values(storageNames(username)));
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  for (const { name: lock = "" } of held)
    for (const name of Object.values(storageNames(lock.replace(/^open /, "")))) kept.add(name);
  const isReplica = (name: string) => /^(reading-list|texts|highlights|facts|marks)-of-/.test(name);
  for (const { name = "" } of await indexedDB.databases()) {
    // Without locks another tab may have it open, and the deletion waits for that tab; this one does not.
    if (isReplica(name) && !kept.has(name)) await deleteDatabase(name, { waits: false });
  }
}

const deleteDatabase = (name: string, { waits = true } = {}) =>
  new Promise<void>((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error);
    if (!waits) request.onblocked = () => resolve();
  });
