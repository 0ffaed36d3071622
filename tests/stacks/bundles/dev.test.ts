// SPDX-License-Identifier: MIT

import { apis } from "@reading-list/core/contract/apis.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { completeExample } from "@reading-list/core/contract/openapi-examples.ts";
import { newName } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { articlePage, page } from "@reading-list/testing/page-server.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { type Deployment, deploy } from "./deployment.ts";

describe("sst dev", () => {
  let stage: Deployment;

  beforeAll(async () => {
    stage = await deploy({ WEB_API_KEY: "the-key-of-the-reader", SHARING: "on" }, page(articlePage), { dev: true });
    atEndOfFile(() => stage.stop());
    await stage.operator.createApiKey("the-key-of-the-reader", {
      applicationId: "web",
      name: "Web reader",
      status: "enabled",
      created: 0,
      isPublic: true,
    });
  });

  test.each(endpoints)("runs $name on the developer's machine, with its example", async (endpoint) => {
    const user = await stage.client.newUser();
    await user.add("https://example.com/articles/1");
    const isNew = endpoint.caller === "new-user";
    const example = completeExample(endpoint, isNew ? { ...user.credentials, username: newName() } : user.credentials);
    const readsPages = endpoint.host === "text";
    const parameters = readsPages && "url" in example ? { ...example, url: `${stage.pages}/story` } : example;
    if (readsPages) await user.add(`${stage.pages}/story`);
    const answer = await stage.client.call(endpoint.name, parameters);
    expect([answer.status, answer.headers.get("x-error")]).toEqual([200, null]);
  });

  test("runs the APIs of other services, health and unrouted paths", async () => {
    const get = (path: string) => stage.client.fetch(new URL(path, stage.client.urlOf("get")).href);
    expect((await get("/health")).body).toBe("ok");
    expect((await get("/nothing")).status).toBe(404);
    const open = {
      feeds: ["/ann.secret.atom", 401],
      greader: ["/reader/api/0/token", 401],
      kobo: ["/nothing", 404],
      linkding: ["/api/tags", 401],
      opds: ["/authentication.json", 200],
      mcp: ["", 405],
      readeck: ["/api/info", 200],
      wallabag: ["/api/version", 200],
    } as const;
    for (const { name } of apis) {
      const [path, status] = open[name];
      expect((await get(`/${name}${path}`)).status).toBe(status);
    }
  });
});
