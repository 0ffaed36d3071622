// SPDX-License-Identifier: MIT

import type { Answer, Parameters, TestUser } from "./client.ts";

/** The result of a tool as an assistant reads it. */
export interface ToolAnswer {
  isError: boolean;
  /** The first content: JSON, or the text of an error. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at the fields of each tool.
  json: any;
  /** The text of a page. */
  page: string | undefined;
}

/** Calls `/mcp` with a sign-in of a user, without a client of the protocol: a call for each message. */
export class Assistant {
  readonly #user: TestUser;
  readonly token: string;

  constructor(user: TestUser, token: string) {
    this.#user = user;
    this.token = token;
  }

  /** Makes a sign-in for an assistant. */
  static async of(user: TestUser, limits: Parameters = {}): Promise<Assistant> {
    const { body } = await user.ok("app_passwords", { create: "Assistant", ...limits });
    return new Assistant(user, `${user.credentials.username}.${JSON.parse(body).password}`);
  }

  /** A POST with any body. */
  send(body: string, headers: Record<string, string> = {}): Promise<Answer> {
    const { service } = this.#user;
    const authorization = `Bearer ${this.token}`;
    return service.fetch(`${service.baseUrl}/mcp`, {
      method: "POST",
      body,
      headers: { authorization, "content-type": "application/json", ...headers },
    });
  }

  request(method: string, params: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), headers);
  }

  /** Calls a tool. */
  async use(name: string, given: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const { status, body } = await this.request("tools/call", { name, arguments: given });
    if (status !== 200) throw new Error(`${name}: ${status} ${body}`);
    const { isError = false, content } = JSON.parse(body).result;
    const [{ text }, page] = content;
    return { isError, text, json: isError ? undefined : JSON.parse(text), page: page?.text };
  }

  async toolNames(): Promise<string[]> {
    const { body } = await this.request("tools/list");
    return JSON.parse(body).result.tools.map(({ name }: { name: string }) => name);
  }
}
