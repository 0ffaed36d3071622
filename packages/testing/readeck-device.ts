// SPDX-License-Identifier: MIT

import { splitList } from "@reading-list/core/domain/split-list.ts";
import type { Answer, TestUser } from "./client.ts";

/** A bookmark as Readeck's clients read it, as far as tests look at it. */
export interface Bookmark {
  id: string;
  href: string;
  created: string;
  updated: string;
  url: string;
  title: string;
  site: string;
  is_archived: boolean;
  is_marked: boolean;
  labels: string[];
}

/** Calls Readeck's API for a user, as its clients do. */
export class ReadeckDevice {
  readonly #user: TestUser;
  readonly token: string;

  constructor(user: TestUser, token: string) {
    this.#user = user;
    this.token = token;
  }

  /** Signs in as an app does, with the password of the account or of an app. */
  static async signIn(user: TestUser, credentials = user.credentials, application = "test"): Promise<ReadeckDevice> {
    const { service } = user;
    const { status, body } = await service.fetch(`${service.baseUrl}/readeck/api/auth`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ application, ...credentials }),
    });
    if (status !== 201) throw new Error(`auth: ${status} ${body}`);
    return new ReadeckDevice(user, JSON.parse(body).token);
  }

  /** A call of a path below `/readeck/api`, with fields as JSON. */
  call(method: string, path: string, fields?: Record<string, unknown>): Promise<Answer> {
    return this.send(method, path, {
      ...(fields && { headers: { "content-type": "application/json" }, body: JSON.stringify(fields) }),
    });
  }

  /** The same with a body of any kind. */
  send(method: string, path: string, { headers, ...init }: RequestInit): Promise<Answer> {
    const { service } = this.#user;
    const authorization = `Bearer ${this.token}`;
    return service.fetch(`${service.baseUrl}/readeck/api/${path}`, {
      ...init,
      method,
      headers: { authorization, ...headers },
    });
  }

  async bookmarks(query = ""): Promise<Bookmark[]> {
    const { body } = await this.call("GET", `bookmarks?${query}`);
    return JSON.parse(body) as Bookmark[];
  }
}

interface SyncEntry {
  id: string;
  type: "update" | "delete";
}

/** Ids of one call: a request line has 10,240 bytes at most. */
const idsOfCall = 100;

/** Keeps a copy of the list as Readeck's Android app does: its `since` is the time of its own clock, in ms. */
export class SyncingReadeckDevice {
  readonly copy = new Map<string, Bookmark>();
  readonly #device: ReadeckDevice;
  readonly #now: () => number;
  #since = "";

  constructor(device: ReadeckDevice, now: () => number) {
    this.#device = device;
    this.#now = now;
  }

  async sync(): Promise<void> {
    const since = new Date(this.#now()).toISOString();
    const { status, body } = await this.#device.call("GET", `bookmarks/sync${this.#since && `?since=${this.#since}`}`);
    if (status !== 200) throw new Error(`bookmarks/sync: ${status} ${body}`);
    const entries = JSON.parse(body) as SyncEntry[];
    for (const { id, type } of entries) if (type === "delete") this.copy.delete(id);
    const changed = entries.filter(({ type }) => type === "update").map(({ id }) => id);
    for (const ids of splitList(changed, idsOfCall)) {
      const bookmarks = await this.#device.bookmarks(`limit=${idsOfCall}&${ids.map((id) => `id=${id}`).join("&")}`);
      for (const bookmark of bookmarks) this.copy.set(bookmark.id, bookmark);
    }
    this.#since = since;
  }
}
