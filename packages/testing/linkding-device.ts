// SPDX-License-Identifier: MIT

import type { Answer, TestUser } from "./client.ts";
import { newAppPassword } from "./opds-reader.ts";

/** A bookmark as linkding's clients read it. */
export interface LinkdingBookmark {
  id: number;
  url: string;
  title: string;
  description: string;
  notes: string;
  web_archive_snapshot_url: string;
  favicon_url: null;
  preview_image_url: null;
  is_archived: boolean;
  unread: boolean;
  shared: boolean;
  tag_names: string[];
  date_added: string;
  date_modified: string;
  website_title: null;
  website_description: null;
}

/** A page of a list. */
export interface LinkdingPage<Entry = LinkdingBookmark> {
  count: number;
  next: string | null;
  previous: string | null;
  results: Entry[];
}

/** Calls linkding's API for a user, as its clients do. */
export class LinkdingDevice {
  readonly #user: TestUser;
  readonly token: string;

  constructor(user: TestUser, token: string) {
    this.#user = user;
    this.token = token;
  }

  static async signIn(user: TestUser, fields: Record<string, string> = {}): Promise<LinkdingDevice> {
    return new LinkdingDevice(user, `${user.credentials.username}.${await newAppPassword(user, fields)}`);
  }

  /** A call of a path below `/linkding/api`, with fields as JSON. */
  call(method: string, path: string, fields?: object, scheme = "Token"): Promise<Answer> {
    return this.send(method, path, {
      headers: { authorization: `${scheme} ${this.token}`, ...(fields && { "content-type": "application/json" }) },
      ...(fields && { body: JSON.stringify(fields) }),
    });
  }

  /** The same with a body of any kind. */
  send(method: string, path: string, init: RequestInit): Promise<Answer> {
    const { service } = this.#user;
    return service.fetch(`${service.baseUrl}/linkding/api/${path}`, { ...init, method });
  }

  /** The JSON of a call. Throws unless it has the status. */
  async ok<T = LinkdingBookmark>(method: string, path: string, fields?: object, status = 200): Promise<T> {
    const answer = await this.call(method, path, fields);
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return (answer.body === "" ? undefined : JSON.parse(answer.body)) as T;
  }
}
