// SPDX-License-Identifier: MIT

import { readStoredJson, stateKey, store } from "../kit/browser-storage.ts";
import { Observable } from "../kit/observable.ts";

const maxSaved = 30;

/** The searches that a user has saved on this device, in alphabetical order; signing out removes them. */
export class SavedSearches {
  readonly all: Observable<readonly string[]>;
  readonly #key: string;

  constructor(username: string) {
    this.#key = `${stateKey}.searches.${username}`;
    const stored = readStoredJson<unknown>(this.#key, []);
    this.all = new Observable<readonly string[]>(Array.isArray(stored) ? stored.map(String) : []);
  }

  get isFull(): boolean {
    return this.all.value.length >= maxSaved;
  }

  /** Saves a search, or removes it; returns a function that undoes that. */
  toggle(search: string): () => void {
    const before = this.all.value;
    const others = before.filter((saved) => saved !== search);
    this.#set(others.length < before.length ? others : [...others, search].sort((a, b) => a.localeCompare(b)));
    return () => this.#set(before);
  }

  #set(searches: readonly string[]): void {
    this.all.value = searches;
    store(this.#key, JSON.stringify(searches));
  }
}
