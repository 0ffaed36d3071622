// SPDX-License-Identifier: MIT

import { CheckedUser } from "@reading-list/testing/checked-user.ts";
import type { ServiceClient } from "@reading-list/testing/client.ts";
import { prose } from "@reading-list/testing/page-server.ts";
import { ReadeckDevice, SyncingReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { SyncedUser } from "@reading-list/testing/synced-user.ts";
import { asShown, WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { expect } from "vitest";
import type { CallLog } from "./call-log.ts";

const devices = 3;
/** Actions of a device between two checks of the whole list. */
const actionsBetweenChecks = 30;
/** Pages that `text` reads; few, so that the text cache does not grow. */
const pageCount = 12;
const password = "correct horse";

/** Answers `/1`, `/2` and so on with a page each, and any other path with 404. */
export const pageAt = (path: string): string | undefined => {
  const number = Number(path.slice(1));
  return number >= 1 && number <= pageCount
    ? `<!doctype html><title>Page ${number}</title><article>${prose}</article>`
    : undefined;
};

/** Invalid calls, with the expected status. */
const malformed: [status: number, endpoint: string, parameters: Record<string, string>][] = [
  [400, "get", { since: "yesterday" }],
  [400, "get", { count: "0" }],
  [400, "add", { url: "ftp://example.com/" }],
  [400, "send", { new: "{" }],
  [400, "auth", { username: "UPPER" }],
  [401, "auth", { apikey: "of nobody" }],
  [401, "signup", {}],
];

/** A user with devices that change one list at the same time and check every answer. */
export class SoakUser {
  readonly #user: CheckedUser;
  readonly #synced: SyncedUser;
  readonly #pageOrigin: string;
  readonly #log: CallLog;
  /** An app for wallabag, of some users. */
  readonly #app: WallabagDevice | undefined;
  readonly #hasApp: boolean;
  /** An app for Readeck, of the same users. */
  #readeck: SyncingReadeckDevice | undefined;
  /** After a fault the expected list is unknown. */
  #hasFault = false;

  constructor(service: ServiceClient, name: string, pageOrigin: string, log: CallLog, { hasApp = false } = {}) {
    this.#user = new CheckedUser(service, { username: name, password }, log);
    this.#synced = new SyncedUser(this.#user, devices, () => Math.random);
    this.#pageOrigin = pageOrigin;
    this.#log = log;
    if (hasApp) this.#app = new WallabagDevice(service, { username: name, password });
    this.#hasApp = hasApp;
  }

  async signUp(): Promise<void> {
    await this.#user.ok("signup");
    await this.#app?.signIn({ client_id: this.#user.service.apiKey });
    if (!this.#hasApp) return;
    const { token } = await ReadeckDevice.signIn(this.#user);
    this.#readeck = new SyncingReadeckDevice(
      new ReadeckDevice(this.#user, `${token}.${this.#user.service.apiKey}`),
      Date.now,
    );
  }

  /** Acts until it `isOver` or a fault is found, with a pause after each action. */
  async live(pause: () => Promise<unknown>, isOver: () => boolean): Promise<void> {
    const use = async (_: unknown, device: number) => {
      for (let i = 0; i < actionsBetweenChecks && !isOver(); i++) {
        await this.#act(device);
        await pause();
      }
    };
    try {
      while (!this.#hasFault && !isOver()) {
        await Promise.all(Array.from({ length: devices }, use));
        await this.#synced.expectWhole();
        await this.#expectSameInApp();
      }
    } catch (error) {
      this.#hasFault = true;
      this.#log.addFault(`${this.#user.credentials.username}: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** Real clients mostly fetch changes. */
  async #act(device: number): Promise<unknown> {
    const drawn = Math.random();
    if (drawn < 0.02 && device === 0) return this.#app?.sync();
    if (drawn < 0.04 && device === 0) return this.#readeck?.sync();
    if (drawn < 0.68) return this.#synced.readers[device]?.sync();
    if (drawn < 0.86) return this.#synced.writers[device]?.change();
    if (drawn < 0.91) return this.#readText();
    if (drawn < 0.93) return this.#user.stats();
    if (drawn < 0.95) return this.#user.ok("api");
    if (drawn < 0.98) return this.#user.ok("auth");
    return this.#callMalformed();
  }

  /** Expects, while no client acts, that the app has the same list. */
  async #expectSameInApp(): Promise<void> {
    if (!this.#app) return;
    // An access token is valid for an hour. The public key of the web reader has a limit.
    await this.#app.signIn({ client_id: this.#user.service.apiKey });
    await this.#app.sync();
    await this.#app.sweep();
    const items = await this.#user.items();
    expect(this.#app.shown()).toEqual(asShown(items));
    await this.#readeck?.sync();
    const shown = [...(this.#readeck?.copy.values() ?? [])].map(({ id, title, is_archived }) => [
      id,
      title,
      is_archived,
    ]);
    expect(shown.sort()).toEqual(items.map(({ item_id, title, state }) => [item_id, title, state === "1"]).sort());
  }

  async #readText(): Promise<void> {
    const number = 1 + Math.floor(Math.random() * (pageCount + 1));
    const answer = await this.#user.insist("text", { url: `${this.#pageOrigin}/${number}` });
    if (number > pageCount) return expect(answer.status).toBe(400);
    expect(answer.headers.get("x-title")).toBe(`Page ${number}`);
    expect(answer.body).toContain("the harbour, which had been closed");
  }

  async #callMalformed(): Promise<void> {
    const [status, endpoint, parameters] = malformed[Math.floor(Math.random() * malformed.length)] ?? [];
    expect((await this.#user.insist(endpoint ?? "", parameters)).status, endpoint).toBe(status);
  }
}

/** Sends wrong passwords of a user until `isOver`; the lockout refuses most of them. */
export async function guessPasswords(
  service: ServiceClient,
  log: CallLog,
  pause: () => Promise<unknown>,
  isOver: () => boolean,
): Promise<void> {
  const user = new CheckedUser(service, { username: "victim", password: "wrong" }, log);
  while (!isOver()) {
    const { status } = await user.call("auth");
    if (![401, 403, 503].includes(status)) log.addFault(`a wrong password was answered with ${status}`);
    await pause();
  }
}
