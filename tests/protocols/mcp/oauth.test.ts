// SPDX-License-Identifier: MIT

import {
  Client,
  type OAuthClientInformationFull,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { tools } from "@reading-list/protocols/mcp/tools.ts";
import { form } from "@reading-list/testing/client.ts";
import { startTestService } from "@reading-list/testing/test-service.ts";
import { expect, onTestFinished, test } from "vitest";

/** An assistant's memory of one server, with the page that it has opened for the user. */
function newProvider(scope: string) {
  const stored: { client?: OAuthClientInformationFull; tokens?: OAuthTokens; verifier?: string; opened?: URL } = {};
  const redirectUrl = "http://127.0.0.1:9/callback";
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: "Assistant", redirect_uris: [redirectUrl], scope },
    state: () => "a state",
    clientInformation: () => stored.client,
    saveClientInformation: (client) => {
      stored.client = client as OAuthClientInformationFull;
    },
    tokens: () => stored.tokens,
    saveTokens: (tokens) => {
      stored.tokens = tokens;
    },
    redirectToAuthorization: (opened) => {
      stored.opened = opened;
    },
    saveCodeVerifier: (verifier) => {
      stored.verifier = verifier;
    },
    codeVerifier: () => stored.verifier ?? "",
  };
  return { provider, stored };
}

test("the protocol's own client finds the authorization server, registers, and signs in once the user has agreed", async () => {
  const service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
  const user = await service.newUser();
  const { provider, stored } = newProvider("bookmarks:read bookmarks:write");
  const connect = async () => {
    const client = new Client({ name: "test", version: "1" });
    onTestFinished(() => client.close());
    const transport = new StreamableHTTPClientTransport(new URL(`${service.baseUrl}/mcp`), { authProvider: provider });
    return { client, transport, connected: client.connect(transport) };
  };
  const first = await connect();
  await expect(first.connected).rejects.toThrow("Unauthorized");
  const agreed = await service.fetch(String(stored.opened), {
    method: "POST",
    redirect: "manual",
    body: form({ ...user.credentials, decision: "allow" }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", origin: service.baseUrl },
  });
  await first.transport.finishAuth(new URL(agreed.headers.get("location") ?? "").searchParams);
  const { client, connected } = await connect();
  await connected;
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  const { list } = JSON.parse((await user.ok("app_passwords")).body);
  expect(Object.values(list)).toMatchObject([{ name: expect.stringContaining("Assistant"), scope: "full" }]);
});
