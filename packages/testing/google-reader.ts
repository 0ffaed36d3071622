// SPDX-License-Identifier: MIT

import type { Answer, TestUser } from "./client.ts";
import { newAppPassword } from "./opds-reader.ts";

/** A feed reader on a phone, which signs in as Google Reader's apps do. */
export class GoogleReader {
  readonly #user: TestUser;
  readonly #auth: string;

  constructor(user: TestUser, auth: string) {
    this.#user = user;
    this.#auth = auth;
  }

  static async signIn(user: TestUser, fields: Record<string, string> = {}): Promise<GoogleReader> {
    const { body } = await login(user, { Passwd: await newAppPassword(user, fields) });
    return new GoogleReader(user, /^Auth=(.*)$/m.exec(body)?.[1] ?? "");
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#call(path, { headers });
  }

  post(path: string, fields: [string, string][]): Promise<Answer> {
    return this.#call(path, { method: "POST", body: new URLSearchParams(fields) });
  }

  /** The JSON of an answer. Throws unless the status is 200. */
  async read(path: string) {
    return jsonOf(await this.get(path));
  }

  #call(path: string, init: RequestInit): Promise<Answer> {
    const headers = { authorization: `GoogleLogin auth=${this.#auth}`, ...init.headers };
    return this.#user.service.fetch(`${this.#user.service.baseUrl}/greader/reader/api/0/${path}`, { ...init, headers });
  }
}

export function jsonOf({ status, body }: Answer) {
  if (status !== 200) throw new Error(`${status}: ${body}`);
  return JSON.parse(body);
}

/** A call of ClientLogin. */
export const login = (user: TestUser, fields: Record<string, string>, query = "") =>
  user.service.fetch(`${user.service.baseUrl}/greader/accounts/ClientLogin${query}`, {
    method: "POST",
    body: new URLSearchParams({ Email: user.credentials.username, ...fields }),
  });
