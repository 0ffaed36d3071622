// SPDX-License-Identifier: MIT

import { readStoredJson, stateKey, store } from "../kit/browser-storage.ts";
import { Observable } from "../kit/observable.ts";
import { type Filter, filterKey, parseRoute } from "../kit/router.ts";

const maxSaved = 30;

/** The filters and searches that a user has saved on this device; signing out removes them. */
export class SavedFilters {
  readonly all: Observable<readonly Filter[]>;
  readonly #key: string;

  constructor(username: string) {
    this.#key = `${stateKey}.searches.${username}`;
    const stored = readStoredJson<unknown>(this.#key, []);
    this.all = new Observable<readonly Filter[]>(Array.isArray(stored) ? stored.map(parseStored) : []);
  }

  get isFull(): boolean {
    return this.all.value.length >= maxSaved;
  }

  /** Saves a filter, or removes it; returns a function that undoes that. */
  toggle(filter: Filter): () => void {
    const before = this.all.value;
    const others = before.filter((saved) => filterKey(saved) !== filterKey(filter));
    this.#set(others.length < before.length ? others : [...others, parseStored(filterKey(filter))]);
    return () => this.#set(before);
  }

  #set(filters: readonly Filter[]): void {
    this.all.value = filters;
    store(this.#key, JSON.stringify(filters.map(filterKey)));
  }
}

/** Each is the fragment of a route; an earlier version has stored the words of searches. */
function parseStored(stored: unknown): Filter {
  const text = String(stored);
  const { tag, site, length, isUntagged, search }: Filter = text.startsWith("#unread?")
    ? parseRoute(text)
    : { search: text };
  return { tag, site, length, isUntagged, search };
}
