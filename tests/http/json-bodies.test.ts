// SPDX-License-Identifier: MIT

import { readeck } from "@reading-list/protocols/readeck/api.ts";
import { wallabag } from "@reading-list/protocols/wallabag/api.ts";
import { newName, TestUser } from "@reading-list/testing/client.ts";
import { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { beforeAll, describe, expect, test } from "vitest";

let service: TestService;
let tokens: Record<string, string>;

beforeAll(async () => {
  service = await startTestService();
  const user = new TestUser(service, newName(), "secret");
  await user.ok("signup");
  const app = new WallabagDevice(service, user.credentials);
  await app.signIn({ client_id: service.apiKey });
  const { token } = await ReadeckDevice.signIn(user);
  tokens = { wallabag: app.tokens?.access_token ?? "", readeck: `${token}.${service.apiKey}` };
});

/** Texts of values or levels that take memory and time to parse, with more of them than a body may hold. */
const bombs: Record<string, string> = {
  members: `{${Array.from({ length: 1001 }, (_, i) => `"k${i}":1`).join()}}`,
  elements: `{"tags":[${"1,".repeat(1000)}1]}`,
  "escaped texts": `{"tags":[${'"\\u0041",'.repeat(1000)}""]}`,
  objects: `{"tags":[${"{},".repeat(1000)}{}]}`,
  levels: `{"tags":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
};

/** Routes with a form of errors of their own, as OAuth's, refuse with 400. */
const routes = [wallabag, readeck].flatMap(({ contract, routes }) =>
  routes
    .filter(({ route }) => !route.startsWith("GET "))
    .map(({ route, answerError }): [string, string, string, number] => {
      const [method = "", path = ""] = route.split(" ");
      return [method, contract.name, path, contract.name === "readeck" && !answerError ? 422 : 400];
    }),
);

describe.each(routes)("%s /%s%s", (method, api, path, status) => {
  test.each(Object.entries(bombs))("refuses a JSON body with too many %s", async (_, body) => {
    const url = `${service.baseUrl}/${api}${path.replace(/\{\w+\}/g, "1")}`;
    for (const type of ["application/json", "application/x-www-form-urlencoded", "text/plain", ""]) {
      const headers = { authorization: `Bearer ${tokens[api]}`, "content-type": type };
      const answer = await service.fetch(url, { method, body, headers });
      expect(answer.status).toBe(status);
      expect(answer.body).toMatch(/contains more than 1000 values|is nested deeper than 32 levels/);
    }
  });
});
