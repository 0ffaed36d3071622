// SPDX-License-Identifier: MIT

import { protocols } from "@reading-list/protocols/protocols.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
let secrets: Record<string, string>;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
  user = await service.newUser();
  await user.add("https://example.com/a", { title: "A" });
  const create = async (scope: string) =>
    JSON.parse((await user.ok("app_passwords", { create: scope, scope })).body).password;
  secrets = { full: await create("full"), feed: await create("feed") };
});

const routes = protocols.flatMap(({ contract, routes }) =>
  routes.map(({ route }): [string, string] => [contract.name, route]),
);

/** A path of a route; metadata paths are not below an API. */
const pathOf = (name: string, path: string, secret: string) => {
  const filled = path.replaceAll("{secret}", secret).replaceAll(/{\w+\+?}/g, "1");
  return filled.startsWith("/.well-known/") ? filled : `/${name}${filled}`;
};

test.each(routes)("no answer of %s %s runs or is sniffed as a page of this host", async (name, route) => {
  const [anyMethod = "", path = ""] = route.split(" ");
  const method = anyMethod === "ANY" ? "GET" : anyMethod;
  const { username } = user.credentials;
  const { full, feed } = secrets;
  const authorization =
    name === "opds" ? `Basic ${Buffer.from(`${username}:${full}`).toString("base64")}` : `Bearer ${username}.${full}`;
  const hasBody = !["GET", "HEAD", "DELETE"].includes(method);
  for (const [headers, secret] of [
    [{ authorization }, `${username}.${feed}`],
    [{}, "x"],
    [{ authorization, origin: "https://evil.example" }, `${username}.${feed}`],
  ] as [Record<string, string>, string][]) {
    const answer = await service.fetch(`${service.baseUrl}${pathOf(name, path, secret)}`, {
      method,
      redirect: "manual",
      headers: { ...headers, ...(hasBody && { "content-type": "application/json" }) },
      ...(hasBody && { body: JSON.stringify({ url: "https://example.com/a", jsonrpc: "2.0", id: 1, method: "ping" }) }),
    });
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  }
});

test.each(protocols.map(({ contract }) => contract.name))(
  "nor does the answer to a path that %s does not have",
  async (name) => {
    const { status, headers } = await service.fetch(`${service.baseUrl}/${name}/no/such/path/at/all`);
    expect([status, headers.get("x-content-type-options")]).toEqual([404, "nosniff"]);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  },
);
