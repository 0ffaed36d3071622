import { randomUUID } from "node:crypto";
import { type Service, type Substitutes, startService } from "@reading-list/local/service.ts";
import type { Table } from "@reading-list/store/client.ts";
import { afterAll, inject } from "vitest";

/** A clock that stands still until it is told to go on; it starts at the present, at a whole second. */
export class FakeClock {
  private milliseconds: number;
  constructor(startSeconds = Math.floor(Date.now() / 3_600_000) * 3600 + 60) {
    this.milliseconds = startSeconds * 1000;
  }
  now = () => this.milliseconds;
  seconds = () => this.milliseconds / 1000;
  advance(seconds: number): void {
    this.milliseconds += seconds * 1000;
  }
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
  list: Record<string, ItemAnswer>;
}

export interface ItemAnswer {
  item_id: string;
  url: string;
  title: string;
  time_updated: string;
  time_added: string;
  tags?: string;
  state: string;
}

export interface StatsAnswer {
  user_since: string;
  count_list: string;
  count_unread: string;
  count_read: string;
}

/** A service that runs for the tests of one file, and ways to call it as client apps do. */
export class TestService {
  readonly baseUrl: string;
  readonly textUrl: string;
  readonly apiKey: string;
  readonly clock: FakeClock;
  readonly table: Table;
  readonly stop: () => Promise<void>;

  constructor(service: Service, clock: FakeClock, table: Table) {
    this.baseUrl = service.baseUrl;
    this.textUrl = service.textUrl;
    this.apiKey = service.apiKey;
    this.stop = service.stop;
    this.clock = clock;
    this.table = table;
  }

  urlOf(endpoint: string): string {
    return `${endpoint === "text" ? this.textUrl : this.baseUrl}/v2/${endpoint}`;
  }

  /** Calls an endpoint by POST, with the API key unless another is given. */
  async call(endpoint: string, parameters: Parameters = {}): Promise<Answer> {
    return this.fetch(this.urlOf(endpoint), { method: "POST", body: form({ apikey: this.apiKey, ...parameters }) });
  }

  async fetch(url: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(url, init);
    const body = await response.text();
    return { status: response.status, headers: response.headers, body, json: () => JSON.parse(body) };
  }

  /** Registers a user under a new name, and calls endpoints for them. */
  async newUser(name = newName()): Promise<TestUser> {
    const user = new TestUser(this, name, "correct horse");
    const answer = await this.call("signup", user.credentials);
    if (answer.status !== 200) throw new Error(`signup: ${answer.status} ${answer.headers.get("x-error")}`);
    return user;
  }
}

export class TestUser {
  readonly service: TestService;
  readonly credentials: { username: string; password: string };

  constructor(service: TestService, username: string, password: string) {
    this.service = service;
    this.credentials = { username, password };
  }

  call(endpoint: string, parameters: Parameters = {}): Promise<Answer> {
    return this.service.call(endpoint, { ...this.credentials, ...parameters });
  }

  /** A call that must succeed. */
  async ok(endpoint: string, parameters: Parameters = {}): Promise<Answer> {
    const answer = await this.call(endpoint, parameters);
    if (answer.status !== 200) throw new Error(`${endpoint}: ${answer.status} ${answer.headers.get("x-error")}`);
    return answer;
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
    const { body } = await this.ok("get", { tags: 1, ...parameters });
    return itemsInOrder(body);
  }

  async stats(): Promise<StatsAnswer> {
    return (await this.ok("stats")).json();
  }
}

/** The items of a list as JSON, in the order in which they are written. */
export function itemsInOrder(body: string): ItemAnswer[] {
  const { list } = JSON.parse(body) as ListAnswer;
  // A quote inside a title is escaped, so this finds the fields alone.
  const ids = [...body.matchAll(/"item_id":"(\d+)"/g)].map(([, id]) => id ?? "");
  return ids.map((id) => list[id] as ItemAnswer);
}

export const form = (parameters: Parameters) =>
  new URLSearchParams(Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]));

export const newName = () => `u${randomUUID().replaceAll("-", "").slice(0, 15)}`;

/** Starts a service on an empty table, with a clock that stands still; it stops after the file's tests. */
export async function startTestService(
  env: Record<string, string> = {},
  substitutes: Omit<Substitutes, "clock"> & { clock?: FakeClock } = {},
): Promise<TestService> {
  const { clock = new FakeClock(), wrapClient = (client) => client, ...others } = substitutes;
  const tableName = `test-${randomUUID()}`;
  let table: Table | undefined;
  const shared = inject("dynamodbEndpoint");
  const service = await startService(
    {
      PORT: "0",
      TEXT_PORT: "0",
      DATA_DIR: ":memory:",
      POWERTOOLS_LOG_LEVEL: "SILENT",
      TABLE_NAME: tableName,
      USER_LIMIT: "100000",
      KEY_LIMIT: "1000000",
      ...(shared && { DYNAMODB_ENDPOINT: shared }),
      ...env,
    },
    {
      ...others,
      clock,
      wrapClient: (client) => {
        table = { client, tableName };
        return wrapClient(client);
      },
    },
  );
  afterAll(service.stop);
  if (!table) throw new Error("the service has made no database client");
  return new TestService(service, clock, table);
}
