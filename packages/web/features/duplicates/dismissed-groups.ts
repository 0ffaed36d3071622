// SPDX-License-Identifier: MIT

import { readStoredJson, stateKey, store } from "../../kit/browser-storage.ts";
import { Observable } from "../../kit/observable.ts";
import type { Duplicates } from "./find-duplicates.ts";

/** The oldest ones make room for new ones. */
const maxDismissed = 1000;

/**
 * The groups that a user has marked as no duplicates, on this device; signing out removes them. A group with another
 * page, or another title, is another group.
 */
export class DismissedGroups {
  static readonly #opened = new Map<string, DismissedGroups>();

  /** Their keys. */
  readonly all: Observable<ReadonlySet<string>>;
  readonly #key: string;

  /** The same object for the same user, because an action can be undone after its page was left. */
  static of(username: string): DismissedGroups {
    const opened = DismissedGroups.#opened.get(username) ?? new DismissedGroups(username);
    DismissedGroups.#opened.set(username, opened);
    opened.all.value = opened.#stored();
    return opened;
  }

  private constructor(username: string) {
    this.#key = `${stateKey}.duplicates.${username}`;
    this.all = new Observable<ReadonlySet<string>>(new Set());
  }

  /** Dismisses a group; returns a function that undoes that. */
  add({ key }: Duplicates): () => void {
    const others = () => [...this.#stored()].filter((other) => other !== key);
    this.#set([...others(), key]);
    return () => this.#set(others());
  }

  /** Another tab may have stored others meanwhile. */
  #stored(): ReadonlySet<string> {
    const stored = readStoredJson<unknown>(this.#key, []);
    return new Set(Array.isArray(stored) ? stored.map(String) : []);
  }

  #set(keys: readonly string[]): void {
    const kept = keys.slice(-maxDismissed);
    store(this.#key, JSON.stringify(kept));
    this.all.value = new Set(kept);
  }
}
