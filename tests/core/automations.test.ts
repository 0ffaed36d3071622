// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { newAppPassword } from "@reading-list/testing/opds-reader.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
let fields: Record<string, string>;

beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  user = await service.newUser();
  const password = await newAppPassword(user);
  const { username } = user.credentials;
  fields = {
    apikey: service.apiKey,
    username,
    password,
    url: "https://example.com/a?b=c&d=é",
    title: "A & B",
    tags: "x,y",
  };
});

const urlEncoded = () => new URLSearchParams(fields).toString();

function multipart(): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

/** Requests as the services in docs/apps.md send them, by the user's settings there. */
const requests: Record<string, () => RequestInit> = {
  "IFTTT: Webhooks, Make a web request, POST, application/x-www-form-urlencoded": () => ({
    body: urlEncoded(),
    headers: { "content-type": "application/x-www-form-urlencoded", "user-agent": "IFTTT-Protocol/v1" },
  }),
  "Zapier: Webhooks by Zapier, POST, payload type Form": () => ({
    body: urlEncoded(),
    headers: {
      "content-type": "application/x-www-form-urlencoded; charset=utf-8",
      "user-agent": "Zapier",
      accept: "*/*",
    },
  }),
  "n8n: HTTP Request, POST, Form Urlencoded": () => ({
    body: urlEncoded(),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "user-agent": "axios/1.8.3",
      accept: "application/json,text/html,application/xhtml+xml,application/xml,text/*;q=0.9, image/*;q=0.8, */*;q=0.7",
    },
  }),
  "n8n: HTTP Request, POST, Form-Data": () => ({ body: multipart() }),
  "Shortcuts: Get Contents of URL, POST, Form": () => ({
    body: multipart(),
    headers: { "user-agent": "BackgroundShortcutRunner/2607.1.3 CFNetwork/1568.200.51 Darwin/24.1.0" },
  }),
};

test.each(Object.entries(requests))("a page is saved by a form to /v2/add: %s", async (_, request) => {
  const { status, body } = await service.fetch(`${service.baseUrl}/v2/add`, { method: "POST", ...request() });
  expect([status, body]).toEqual([200, "200 OK"]);
  expect(await user.items({ tags: "1" })).toMatchObject([{ url: fields.url, title: "A & B", tags: "x,y" }]);
});
