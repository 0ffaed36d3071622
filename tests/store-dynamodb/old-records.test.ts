// SPDX-License-Identifier: MIT

import { GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { hashApiKey } from "@reading-list/core/domain/applications.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { listApiKeys } from "@reading-list/store-dynamodb/api-key-records.ts";
import { apiKeyKey, itemKey, keyListingKey, userKey } from "@reading-list/store-dynamodb/keys.ts";
import { findUserRecord } from "@reading-list/store-dynamodb/user-records.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

let service: TestService;

beforeAll(async () => {
  service = await startDynamodbService({ USER_LIMIT: "20" });
});

const put = (item: Record<string, unknown>) =>
  service.table.client.send(new PutCommand({ TableName: service.table.tableName, Item: item }));

/** Gives a user the record that an older version wrote. */
async function userWith(attributes: Record<string, unknown>): Promise<TestUser> {
  const user = await service.newUser();
  const { username } = user.credentials;
  const { client, tableName } = service.table;
  const { Item } = await client.send(new GetCommand({ TableName: tableName, Key: userKey(username) }));
  await put({
    ...userKey(username),
    username,
    userId: Item?.userId,
    passwordHash: Item?.passwordHash,
    userSince: 1000,
    ...attributes,
  });
  return user;
}

/** The attributes that version 0.2.0 wrote at a signup. */
const initial = {
  countUnread: 0,
  countRead: 0,
  lastSince: 0,
  changedAt: 0,
  deletedAt: 0,
  revision: 0,
  newestUnread: 0,
  newestRead: 0,
  newestDeleted: 0,
  windowStart: 0,
  calls: 0,
};

const oldRecords: [string, Record<string, unknown>][] = [
  ["the attributes that version 0.2.0 wrote", initial],
  [
    "the progress of one batch, as version 0.2.0 wrote it",
    { ...initial, unfinished: { digest: "d", done: 99, at: 1 } },
  ],
];

describe.each(oldRecords)("a user whose record has %s", (_, attributes) => {
  test.each([
    ["auth", {}],
    ["stats", {}],
    ["get", {}],
    ["get", { count: 5 }],
    ["get", { count: 5, page: 2 }],
    ["get", { since: 5 }],
    ["add", { url: "http://example.com/" }],
    ["send", { new: '[{"url":"http://example.com/"}]', read: '[{"url":"http://example.com/"}]' }],
  ])("can call %s %o first", async (endpoint, parameters) => {
    const user = await userWith(attributes);
    const { headers } = await user.ok(endpoint, parameters);
    expect(headers.get("x-limit-user-remaining")).toBe("19");
    await user.add("http://example.com/1");
    await user.add("http://example.com/2");
    await user.send({ read: [{ url: "http://example.com/1" }] });
    const { count_list, count_unread, user_since } = await user.stats();
    const items = await user.items();
    expect(items.length).toBeGreaterThanOrEqual(2);
    expect([count_list, count_unread]).toEqual([
      String(items.length),
      String(items.filter(({ state }) => state === "0").length),
    ]);
    expect(user_since).toBe("1000");
    expect(await user.items({ count: 1 })).toEqual(items.slice(0, 1));
    expect(await user.items({ count: 1, page: 2 })).toEqual(items.slice(1, 2));
  });

  test("can first call through a public key with its own user limit", async () => {
    const windowStart = service.clock.seconds() - (service.clock.seconds() % 3600);
    const user = await userWith({ ...attributes, windowStart, calls: 7 });
    const apikey = await service.newApiKey({ isPublic: true, userLimit: 5 });
    for (const left of ["4", "3"]) {
      expect((await user.ok("auth", { apikey })).headers.get("x-limit-user-remaining")).toBe(left);
    }
    expect((await user.ok("auth")).headers.get("x-limit-user-remaining")).toBe("10");
  });

  test("is shown to the operator", async () => {
    const user = await userWith(attributes);
    expect(await findUserRecord(service.table, user.credentials.username)).toMatchObject({
      userSince: 1000,
      countUnread: 0,
      calls: 0,
      changedAt: 0,
    });
  });
});

test("an API key whose record has only the application's id is enabled, with the default limits", async () => {
  const apikey = "an old key";
  const keyHash = hashApiKey(apikey);
  await put({ ...apiKeyKey(apikey), applicationId: "old-app" });
  await put({ ...keyListingKey("old-app", keyHash), keyHash });
  const user = await service.newUser();
  const answer = await user.ok("auth", { apikey });
  expect(answer.headers.get("x-limit-user-limit")).toBe("20");
  const listed = (await listApiKeys(service.table)).find(({ applicationId }) => applicationId === "old-app");
  expect(listed).toMatchObject({ name: "old-app", status: "enabled", created: 0 });
});

test("a page that version 0.2 deleted is not in the trash, and is a new item if it is added again", async () => {
  const user = await service.newUser();
  const page = "http://example.com/old";
  await user.add(page, { tags: "a" });
  await user.send({ delete: [{ url: page }] });
  const { client, tableName } = service.table;
  await client.send(
    new UpdateCommand({
      TableName: tableName,
      Key: itemKey(user.credentials.username, toItemId(page)),
      UpdateExpression: "REMOVE trash",
    }),
  );
  expect((await user.ok("trash")).json().list).toEqual({});
  await user.send({ restore: [{ url: page }] });
  expect(await user.items()).toEqual([]);
  await user.add(page);
  expect(await user.items()).toMatchObject([{ url: page, tags: "" }]);
});
