// SPDX-License-Identifier: MIT

import type { Answer, TestUser } from "./client.ts";
import { form } from "./client.ts";

/** An item as a Kobo reads it, as far as tests look at it. */
export interface KoboItem {
  item_id: string;
  given_url: string;
  given_title: string;
  status: "0" | "1" | "2";
  favorite: string;
  tags: Record<string, { item_id: string; tag: string }>;
}

export interface KoboList {
  status: number;
  list: Record<string, KoboItem>;
  total: number;
  since: number;
}

export interface KoboArticle {
  article: string;
  images: Record<string, { image_id: string; item_id: string; src: string }>;
}

/** Calls the article sync for a user as a Kobo does, and keeps a copy of the list. */
export class KoboDevice {
  readonly user: TestUser;
  readonly token: string;
  /** By id. */
  readonly copy = new Map<string, KoboItem>();
  #since = 0;

  constructor(user: TestUser, token: string) {
    this.user = user;
    this.token = token;
  }

  /** A device with a sign-in of its own. */
  static async of(user: TestUser): Promise<KoboDevice> {
    const { body } = await user.ok("app_passwords", { create: "Kobo" });
    return new KoboDevice(user, `${user.credentials.username}.${JSON.parse(body).password}`);
  }

  /** A call of a path below `/kobo`, with fields as JSON. */
  call(path: string, fields: Record<string, unknown>): Promise<Answer> {
    return this.#post(path, "application/json", JSON.stringify(this.#complete(fields)));
  }

  /** The same as a form. */
  callByForm(path: string, fields: Record<string, string>): Promise<Answer> {
    return this.#post(path, "application/x-www-form-urlencoded", form(this.#complete(fields)).toString());
  }

  #complete = <Fields>(fields: Fields) => ({ access_token: this.token, consumer_key: "1", ...fields });

  #post(path: string, type: string, body: string): Promise<Answer> {
    const { service } = this.user;
    return service.fetch(`${service.baseUrl}/kobo/${path}`, {
      method: "POST",
      headers: { "content-type": type },
      body,
    });
  }

  async #ok<T>(path: string, fields: Record<string, unknown>): Promise<T> {
    const { status, body } = await this.call(path, fields);
    if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
    return JSON.parse(body) as T;
  }

  /** Numbers as text, as the device sends all but `since`. */
  get(fields: Record<string, unknown> = {}): Promise<KoboList> {
    const all = { contentType: "article", count: "100", detailType: "complete", offset: "0", state: "all", total: "1" };
    return this.#ok("api/kobo/get", { ...all, ...fields });
  }

  send(actions: unknown[]): Promise<{ status: boolean; action_results: boolean[] }> {
    return this.#ok("api/kobo/send", { actions });
  }

  download(url: string): Promise<KoboArticle> {
    return this.#ok("api/kobo/download", { url, images: 1, refresh: 0, output: "json" });
  }

  /** All pages of the unread items; `between` runs after each. */
  async walk(count: number, between = async () => {}): Promise<KoboItem[]> {
    const items: KoboItem[] = [];
    for (let offset = 0, total = 1; offset < total; offset += count) {
      const page = await this.get({ count: String(count), offset: String(offset) });
      items.push(...Object.values(page.list));
      total = page.total;
      await between();
    }
    return items;
  }

  /**
   * Brings the copy up to date: by all pages at first, then by the changes. `now`: the clock of the device, in seconds, whose
   * time at the start of a sync is the next `since`; without it the service's own `since` is.
   */
  async sync({ now, between }: { now?: () => number; between?: () => Promise<void> } = {}): Promise<void> {
    const startedAt = now?.();
    if (this.#since === 0) {
      const first = await this.get({ count: "1" });
      for (const item of await this.walk(4, between)) this.copy.set(item.item_id, item);
      this.#since = startedAt ?? first.since;
    } else {
      const { list, since } = await this.get({ since: this.#since });
      for (const [id, item] of Object.entries(list)) {
        if (item.status === "2") this.copy.delete(id);
        else this.copy.set(id, item);
      }
      this.#since = startedAt ?? since;
    }
  }
}
