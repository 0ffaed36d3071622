// SPDX-License-Identifier: MIT

/** Prefix of the names of all data of a user in `localStorage`. */
export const stateKey = "reading-list.state";

/** In place of a `localStorage` that the browser refuses. */
const memory = new Map<string, string>();

/** A stored value; undefined if the key is not stored. */
export function readStored(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return memory.get(name);
  }
}

/** A stored JSON value; `fallback` if it is missing or not JSON. */
export function readStoredJson<T>(name: string, fallback: T): T {
  try {
    return JSON.parse(readStored(name) ?? "null") ?? fallback;
  } catch {
    return fallback;
  }
}

/** Stores a value; without storage, until the tab is closed. */
export function store(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    memory.set(name, value);
  }
}

/** Stores a value until the tab is closed. */
export function storeForTab(name: string, value: string): void {
  try {
    sessionStorage.setItem(name, value);
  } catch {
    memory.set(name, value);
  }
}

/** A JSON value that is stored for this tab; `fallback` if it is missing or not JSON. */
export function readTabJson<T>(name: string, fallback: T): T {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null") ?? fallback;
  } catch {
    return fallback;
  }
}

/** Deletes all that is stored of a user. */
export function deleteState(): void {
  memory.clear();
  try {
    for (const storage of [localStorage, sessionStorage]) {
      for (const name of Object.keys(storage).filter((name) => name.startsWith(stateKey))) storage.removeItem(name);
    }
  } catch {
    // Nothing was stored.
  }
}

/**
 * - `full`: no space is left on the disk, or for this site
 * - `refused`: the browser stores nothing for this site
 * - `closed`: the browser has deleted or closed the database while the page was open
 */
export type StorageProblem = "full" | "refused" | "closed";

/** Why the browser's database has failed; undefined for an error of another kind. */
export function findStorageProblem(error: unknown): StorageProblem | undefined {
  if (!(error instanceof DOMException)) return undefined;
  if (error.name === "QuotaExceededError") return "full";
  return ["SecurityError", "NotAllowedError", "UnknownError"].includes(error.name) ? "refused" : "closed";
}
