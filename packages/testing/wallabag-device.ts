// SPDX-License-Identifier: MIT

import { splitList } from "@reading-list/core/domain/split-list.ts";
import type { Account, Answer, ItemAnswer, ServiceClient } from "./client.ts";

/** An entry as wallabag's clients read it, as far as tests look at it. */
export interface Entry {
  id: number;
  url: string;
  title: string;
  content: string;
  is_archived: number;
  is_starred: number;
  tags: { id: number; label: string; slug: string }[];
  created_at: string;
  updated_at: string;
}

export interface EntryPage {
  page: number;
  pages: number;
  limit: number;
  total: number;
  _embedded: { items: Entry[] };
}

export interface Grant {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  token_type: string;
}

/** Calls wallabag's API for a user as its clients do, and keeps a copy of the list as the Android app does. */
export class WallabagDevice {
  readonly service: ServiceClient;
  readonly account: Account;
  tokens: Grant | undefined;
  /** The copy, by id. */
  readonly entries = new Map<number, Entry>();
  #since = 0;

  constructor(service: ServiceClient, account: Account) {
    this.service = service;
    this.account = account;
  }

  get address(): string {
    return `${this.service.baseUrl}/wallabag`;
  }

  /** A call of a path below `/wallabag`, with fields as JSON. */
  call(method: string, path: string, fields?: Record<string, unknown>): Promise<Answer> {
    const authorization = this.tokens && `Bearer ${this.tokens.access_token}`;
    return this.service.fetch(`${this.address}/${path}`, {
      method,
      headers: { ...(authorization && { authorization }), ...(fields && { "content-type": "application/json" }) },
      ...(fields && { body: JSON.stringify(fields) }),
    });
  }

  /** A call that must succeed; returns its JSON. */
  async ok<T = Entry>(method: string, path: string, fields?: Record<string, unknown>): Promise<T> {
    const { status, body } = await this.call(method, path, fields);
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${body}`);
    return JSON.parse(body) as T;
  }

  async signIn(fields: Record<string, unknown> = {}): Promise<this> {
    this.tokens = undefined;
    const { username, password } = this.account;
    const grant = { grant_type: "password", client_id: "public", client_secret: "public", username, password };
    this.tokens = await this.ok<Grant>("POST", "oauth/v2/token", { ...grant, ...fields });
    return this;
  }

  list(query = ""): Promise<EntryPage> {
    return this.ok<EntryPage>("GET", `api/entries.json?${query}`);
  }

  /** Reads all pages of a query one after the other; `between` runs after each. */
  async walk(query: string, take: (items: Entry[]) => void, between = async () => {}): Promise<void> {
    for (let page = 1; ; page++) {
      const { status, body } = await this.call("GET", `api/entries.json?${query}&page=${page}`);
      if (status === 404 && page > 1) return;
      if (status !== 200) throw new Error(`page ${page}: ${status} ${body}`);
      const read = JSON.parse(body) as EntryPage;
      take(read._embedded.items);
      if (read.page === read.pages) return;
      await between();
    }
  }

  /** Brings the copy up to date: by all pages at first, then by those of the changes. */
  async sync({ perPage = 30, between = async () => {} } = {}): Promise<void> {
    const sort = this.#since === 0 ? "sort=created" : `sort=updated&since=${this.#since}`;
    let newest = this.#since;
    const query = `${sort}&order=asc&perPage=${perPage}&detail=metadata`;
    const take = (items: Entry[]) => {
      for (const entry of items) {
        this.entries.set(entry.id, entry);
        newest = Math.max(newest, Date.parse(entry.updated_at) / 1000);
      }
    };
    await this.walk(query, take, between);
    this.#since = newest;
  }

  /** Drops the entries that were deleted, as the Android app does: by asking for the URLs of all. */
  async sweep(): Promise<void> {
    for (const part of splitList([...this.entries.values()], 50)) {
      const query = part.map(({ url }) => `urls[]=${encodeURIComponent(url)}`).join("&");
      const exist = await this.ok<Record<string, boolean>>("GET", `api/entries/exists?${query}`);
      for (const { id, url } of part) if (!exist[url]) this.entries.delete(id);
    }
  }

  /** The copy as the items of a `get` with tags, as far as both have the same fields, by URL. */
  shown(): Pick<ItemAnswer, "url" | "title" | "state" | "tags">[] {
    const entries = [...this.entries.values()].map(({ url, title, is_archived, tags }) => ({
      url,
      title,
      state: String(is_archived),
      tags: tags.map(({ label }) => label).join(),
    }));
    return entries.sort((a, b) => (a.url < b.url ? -1 : 1));
  }
}

/** The items of a `get` as `shown` shows them. */
export const asShown = (items: readonly ItemAnswer[]): ReturnType<WallabagDevice["shown"]> =>
  items
    .map(({ url, title, state, tags }) => ({ url, title, state, tags }))
    .sort((a, b) => (a.url < b.url ? -1 : 1)) as ReturnType<WallabagDevice["shown"]>;
