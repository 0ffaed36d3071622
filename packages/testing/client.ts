// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import type { FakeClock } from "./fake-clock.ts";

/** Where a service listens, and an API key for it. */
interface ServiceAddress {
  baseUrl: string;
  textUrl: string;
  apiKey: string;
}

export interface Account {
  username: string;
  password: string;
}

export type Parameters = Record<string, string | number>;

export interface Answer {
  status: number;
  headers: Headers;
  body: string;
  json: () => ListAnswer & StatsAnswer;
}

export interface ListAnswer {
  status: string;
  since: string;
  complete?: "1";
  list: Record<string, ItemAnswer>;
  deleted?: Record<string, string>;
}

export interface ItemAnswer {
  item_id: string;
  url: string;
  title: string;
  time_updated: string;
  time_added: string;
  tags?: string;
  state: string;
  progress?: string;
  anchor?: string;
}

export interface StatsAnswer {
  user_since: string;
  count_list: string;
  count_unread: string;
  count_read: string;
}

/** Calls the endpoints of a service as client apps do. */
export class ServiceClient implements ServiceAddress {
  readonly baseUrl: string;
  readonly textUrl: string;
  readonly apiKey: string;
  /** The clock of a service that a test started with one. */
  readonly clock?: FakeClock;

  constructor({ baseUrl, textUrl, apiKey }: ServiceAddress) {
    this.baseUrl = baseUrl;
    this.textUrl = textUrl;
    this.apiKey = apiKey;
  }

  urlOf(endpoint: string): string {
    const isOnText = endpoints.some(({ name, host }) => name === endpoint && host === "text");
    return `${isOnText ? this.textUrl : this.baseUrl}/v2/${endpoint}`;
  }

  /** The body of a POST to an endpoint, with this client's API key unless another one is given. */
  formOf(parameters: Parameters): string {
    return form({ apikey: this.apiKey, ...parameters }).toString();
  }

  /** Calls an endpoint by POST, with this client's API key unless another one is given. Accepts compressed answers. */
  async call(endpoint: string, parameters: Parameters = {}): Promise<Answer> {
    const headers = { "content-type": "application/x-www-form-urlencoded", "accept-encoding": "br, gzip" };
    return this.fetch(this.urlOf(endpoint), { method: "POST", headers, body: this.formOf(parameters) });
  }

  /** Calls an endpoint as `call` does. Throws unless the status is 200. */
  async ok(endpoint: string, parameters: Parameters = {}): Promise<Answer> {
    return requireOk(endpoint, await this.call(endpoint, parameters));
  }

  async fetch(url: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(url, init);
    const body = await response.text();
    return { status: response.status, headers: response.headers, body, json: () => JSON.parse(body) };
  }

  /** Registers a user under a new name, and calls endpoints for them. */
  async newUser(name = newName()): Promise<TestUser> {
    const user = new TestUser(this, name, "correct horse");
    await user.ok("signup");
    return user;
  }
}

/** Calls the endpoints of a service for one user. */
export class TestUser {
  readonly service: ServiceClient;
  readonly credentials: Account;

  constructor(service: ServiceClient, username: string, password: string) {
    this.service = service;
    this.credentials = { username, password };
  }

  get username(): string {
    return this.credentials.username;
  }

  call(endpoint: string, parameters: Parameters = {}): Promise<Answer> {
    return this.service.call(endpoint, { ...this.credentials, ...parameters });
  }

  /** A call that must succeed. */
  async ok(endpoint: string, parameters: Parameters = {}): Promise<Answer> {
    return requireOk(endpoint, await this.call(endpoint, parameters));
  }

  add(url: string, parameters: Parameters = {}): Promise<Answer> {
    return this.ok("add", { url, ...parameters });
  }

  send(changes: Record<string, unknown>): Promise<Answer> {
    return this.call("send", Object.fromEntries(Object.entries(changes).map(([k, v]) => [k, JSON.stringify(v)])));
  }

  async get(parameters: Parameters = {}): Promise<ListAnswer> {
    return (await this.ok("get", parameters)).json();
  }

  /** The items of a `get`, in the order of the response. */
  async items(parameters: Parameters = {}): Promise<ItemAnswer[]> {
    const { body } = await this.ok("get", { tags: 1, progress: 1, ...parameters });
    return itemsInOrder(body);
  }

  async stats(): Promise<StatsAnswer> {
    return (await this.ok("stats")).json();
  }
}

/** Throws unless the status is 200. */
export function requireOk(endpoint: string, answer: Answer): Answer {
  if (answer.status !== 200) throw new Error(`${endpoint}: ${answer.status} ${answer.headers.get("x-error")}`);
  return answer;
}

/** The items of a list as JSON, in the order in which they are written. */
export function itemsInOrder(body: string): ItemAnswer[] {
  const { list } = JSON.parse(body) as ListAnswer;
  // A quote inside a title is escaped, so this finds only fields.
  const ids = [...body.matchAll(/"item_id":"(\d+)"/g)].map(([, id]) => id ?? "");
  return ids.map((id) => list[id] as ItemAnswer);
}

/** Parameters as the body of a POST. */
export const form = (parameters: Parameters) =>
  new URLSearchParams(Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]));

/** A username that nobody has. */
export const newName = () => `u${randomUUID().replaceAll("-", "").slice(0, 15)}`;
