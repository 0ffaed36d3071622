// SPDX-License-Identifier: MIT

import { newVerifier, OAuthApp, parametersOf } from "@reading-list/testing/oauth-app.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { expect, test } from "vitest";

const metadataOf = async (service: TestService, init?: RequestInit) =>
  JSON.parse((await service.fetch(`${service.baseUrl}/.well-known/oauth-authorization-server/readeck`, init)).body);

test("the metadata contain the addresses below the called one, and the supported features", async () => {
  const service = await startTestService();
  const address = `${service.baseUrl}/readeck`;
  expect(await metadataOf(service)).toEqual({
    issuer: address,
    authorization_endpoint: `${address}/authorize`,
    token_endpoint: `${address}/api/oauth/token`,
    registration_endpoint: `${address}/api/oauth/client`,
    device_authorization_endpoint: `${address}/api/oauth/device`,
    revocation_endpoint: `${address}/api/oauth/revoke`,
    protected_resources: [`${service.baseUrl}/mcp`, address],
    scopes_supported: ["bookmarks:read", "bookmarks:write", "profile:read"],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  });
  const { issuer } = await metadataOf(service, { headers: { "x-forwarded-proto": "https" } });
  expect(issuer).toBe(address.replace("http:", "https:"));
});

test("with BASE_URL all addresses are below it, and its pages may send the password", async () => {
  const service = await startTestService({ BASE_URL: "https://list.example.com/" });
  const address = "https://list.example.com/readeck";
  expect((await metadataOf(service)).issuer).toBe(address);
  const app = await OAuthApp.register(service);
  expect(app.registered.registration_client_uri).toBe(`${address}/api/oauth/client/${app.clientId}`);
  expect(JSON.parse((await app.requestDevice()).body).verification_uri).toBe(`${address}/device`);
  const { credentials } = await service.newUser();
  const fields = { ...credentials, decision: "allow" };
  const { headers } = await app.answerPage(app.authorizeUrl(newVerifier()), fields, {
    origin: "https://list.example.com",
  });
  expect(parametersOf(headers.get("location"))).toMatchObject({ iss: address, code: expect.any(String) });
});
