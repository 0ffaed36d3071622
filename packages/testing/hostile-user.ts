// SPDX-License-Identifier: MIT

import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { completeExample } from "@reading-list/core/contract/openapi-examples.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import type { BoundedRoute } from "@reading-list/protocols/all-routes.ts";
import { type Account, newName, type ServiceClient } from "./client.ts";
import { createCall, createHostileCall, type HostileCall, type HostileField, urlOfPage } from "./hostile-calls.ts";

/** A registered user who calls every route of every API with values that cost as much as values may. */
export class HostileUser {
  readonly #client: ServiceClient;
  readonly #account: Account;
  /** Sign-ins of the user: for all but feeds, and for feeds. */
  readonly #secrets: { app: string; feed: string };

  private constructor(client: ServiceClient, account: Account, secrets: { app: string; feed: string }) {
    this.#client = client;
    this.#account = account;
    this.#secrets = secrets;
  }

  /** Makes the sign-ins of an account that exists, instead of all earlier ones: it may have 50. */
  static async signIn(client: ServiceClient, account: Account): Promise<HostileUser> {
    const { list } = JSON.parse((await client.ok("app_passwords", { ...account })).body);
    for (const revoke of Object.keys(list)) await client.ok("app_passwords", { ...account, revoke });
    const create = async (scope: string) => {
      const { body } = await client.ok("app_passwords", { ...account, create: "hostile", scope });
      return `${account.username}.${JSON.parse(body).password}`;
    };
    return new HostileUser(client, account, { app: await create("full"), feed: await create("feed") });
  }

  /** Some routes end the sign-in that calls them. */
  async isSignedIn(): Promise<boolean> {
    const { baseUrl } = this.#client;
    return (await this.#client.fetch(`${baseUrl}/opds`, { headers: this.#headersOf("opds") })).status === 200;
  }

  /** The call that has the largest value of a shape in a field. */
  createCall(field: HostileField, part: string): HostileCall {
    const call = createHostileCall(field, part, this.#samplesOf(field), isUrl(field));
    return { ...call, headers: { ...call.headers, ...this.#headersOf(field.route.api) } };
  }

  /** The call with these values in a route, or in a tool of MCP, besides the names and secrets of the user. */
  createReading(route: BoundedRoute, values: Readonly<Record<string, unknown>>, tool?: string): HostileCall {
    const owner =
      route.api === "v2"
        ? { ...this.#account, apikey: this.#client.apiKey }
        : { secret: this.#secrets.feed, access_token: this.#secrets.app };
    const isTaken = ([name]: [string, unknown]) => name in route.fields || route.path.includes(`{${name}`);
    const known = Object.entries({ ...owner, ...values }).filter(isTaken);
    const call = createCall(route, tool === undefined ? Object.fromEntries(known) : values, tool);
    return { ...call, headers: { ...call.headers, ...this.#headersOf(route.api) } };
  }

  #headersOf(api: string): Record<string, string> {
    const { app } = this.#secrets;
    if (api === "opds") return { authorization: `Basic ${Buffer.from(app.replace(".", ":")).toString("base64")}` };
    if (api === "greader") return { authorization: `GoogleLogin auth=${app}` };
    if (api === "linkding") return { authorization: `Token ${app}` };
    return ["mcp", "readeck", "wallabag"].includes(api) ? { authorization: `Bearer ${app}` } : {};
  }

  /** Valid values of the other fields. A hostile credential belongs to nobody, and nobody deletes the account. */
  #samplesOf(field: HostileField): Record<string, unknown> {
    const { route, parameter, entryField } = field;
    const endpoint = endpoints.find(({ name }) => route.path === `/v2/${name}`);
    const isOwn = endpoint && !isCredential(field) && !["delete_account", "password"].includes(endpoint.name);
    const owner = isOwn ? this.#account : { username: newName(), password: "nobody" };
    if (route.api === "v2") {
      const example = endpoint && entryField === undefined ? completeExample(endpoint, owner) : {};
      return { ...example, ...owner, apikey: this.#client.apiKey };
    }
    const values: Record<string, unknown> = {
      id: route.api === "wallabag" ? 1 : toItemId(urlOfPage(0)),
      url: urlOfPage(1),
      annotation: "mark-0",
      secret: this.#secrets.feed,
      access_token: this.#secrets.app,
      ...owner,
    };
    const names = Object.keys(route.fields).filter((name) => name !== parameter && name in values);
    return Object.fromEntries(names.map((name) => [name, values[name]]));
  }
}

const isCredential = ({ parameter }: HostileField) =>
  ["username", "password", "apikey", "secret", "access_token", "token"].includes(parameter);

const isUrl = ({ parameter, entryField }: HostileField) => /url|uri|resource/i.test(entryField || parameter);
