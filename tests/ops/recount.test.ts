// SPDX-License-Identifier: MIT

import { DeleteCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { itemKey } from "@reading-list/store-dynamodb/keys.ts";
import { recountList } from "@reading-list/store-dynamodb/list-recount.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { commandsFor } from "@reading-list/testing/command-line.ts";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";

let service: TestService;
let commands: Awaited<ReturnType<typeof commandsFor>>;

beforeAll(async () => {
  service = await startDynamodbService();
  commands = await commandsFor(service);
});

const urlOf = (i: number) => `http://example.com/${i}`;

/** A user with 5 unread items, 2 read items and a deleted one. */
async function newList(): Promise<TestUser> {
  const user = await service.newUser();
  await user.send({ new: Array.from({ length: 8 }, (_, i) => ({ url: urlOf(i) })) });
  service.clock.advance(60);
  await user.send({ read: [{ url: urlOf(0) }, { url: urlOf(1) }], delete: [{ url: urlOf(7) }] });
  return user;
}

/** Removes an item without updating the user's record, as a torn restore does. */
async function loseItem(user: TestUser, url: string): Promise<void> {
  const { client, tableName } = service.table;
  await client.send(new DeleteCommand({ TableName: tableName, Key: itemKey(user.username, toItemId(url)) }));
}

interface Shown {
  countUnread: number;
  countRead: number;
}

const show = async (user: TestUser) => (await commands.ok("users", "show", user.username)) as unknown as Shown;

interface Check {
  check: string;
  ok: boolean;
  finding: string;
}

async function countsInDoctor(): Promise<Check | undefined> {
  const { out } = await commands.run("doctor", "--json");
  return (JSON.parse(out) as { checks: Check[] }).checks.find(({ check }) => check === "counts");
}

describe("a list that lost items", () => {
  let user: TestUser;
  let intact: TestUser;
  beforeEach(async () => {
    user = await newList();
    intact = await newList();
    await loseItem(user, urlOf(1));
    await loseItem(user, urlOf(5));
    // The other tests do not expect users who are being deleted.
    onTestFinished(() => service.beginDeletion(user));
  });

  test("is reported by doctor until users recount corrects its counts", async () => {
    for (const each of [intact, user]) expect(await show(each)).toMatchObject({ countUnread: 5, countRead: 2 });
    const fault = await countsInDoctor();
    expect(fault).toMatchObject({
      ok: false,
      finding: expect.stringMatching(/^1 list with wrong counts .*: unread items and read items.*users recount --all$/),
    });
    expect(fault?.finding).toContain(user.username);

    const change = {
      username: user.username,
      before: { countUnread: 5, countRead: 2, highlights: 0, articles: 0, articleBytes: 0 },
      after: { countUnread: 4, countRead: 1, highlights: 0, articles: 0, articleBytes: 0 },
    };
    expect(await commands.ok("users", "recount", user.username)).toEqual([change]);
    expect(await show(user)).toMatchObject({ countUnread: 4, countRead: 1 });
    expect(await countsInDoctor()).toMatchObject({ ok: true });
    expect(await commands.ok("users", "recount", user.username)).toEqual([]);
    const { count_list, count_unread, count_read } = await user.stats();
    expect([count_list, count_unread, count_read]).toEqual(["5", "4", "1"]);
    expect(await user.get()).toMatchObject({ complete: "1" });
  });

  test("is corrected by users recount --all, which does not change other lists", async () => {
    const before = await show(intact);
    const { code, out } = await commands.run("users", "recount", "--all");
    expect(code).toBe(0);
    expect(out).toMatch(
      new RegExp(
        `^USERNAME +COUNT +BEFORE +NOW\n${user.username} +unread items +5 +4\n${user.username} +read items +2 +1\n$`,
      ),
    );
    expect(await show(intact)).toEqual(before);
    expect((await commands.run("users", "recount", "--all")).out).toBe("All counts are right.\n");
  });

  test("is counted again if it changes while it is counted", async () => {
    const { tableName } = service.table;
    const client = createDocumentClient(await endpointOf(service));
    onTestFinished(() => client.destroy());
    let changes = 0;
    interceptCommands(client, async (command, send) => {
      // Between the count and the correction.
      if (command instanceof UpdateCommand && changes < 3) {
        changes += 1;
        await user.add(`http://example.com/new/${changes}`);
      }
      return send(command);
    });
    const examined = await recountList({ client, tableName }, user.username);
    expect([changes, examined?.counts.countUnread]).toEqual([3, 7]);
    expect(await show(user)).toMatchObject({ countUnread: 7, countRead: 1 });
  });

  test("has exact counts after further writes", async () => {
    await commands.ok("users", "recount", user.username);
    const { since } = await user.get();
    await user.send({ new: [{ url: urlOf(5) }], read: [{ url: urlOf(2) }], delete: [{ url: urlOf(3) }] });
    expect(await user.items({ since, deleted: 1 })).toHaveLength(2);
    expect(await show(user)).toMatchObject({ countUnread: 3, countRead: 2 });
  });
});

const endpointOf = async ({ table }: TestService) => {
  const { hostname, port } = (await table.client.config.endpoint?.()) ?? {};
  return `http://${hostname}:${port}`;
};

test("an expired tombstone is not reported as drift", async () => {
  const user = await newList();
  await loseItem(user, urlOf(7));
  expect(await commands.ok("users", "recount", user.username)).toEqual([]);
});

describe("users recount refuses", () => {
  test("a call without a username and --all, or with both", async () => {
    for (const args of [[], ["ann", "--all"]]) {
      const { code, err } = await commands.run("users", "recount", ...args);
      expect([code, err]).toEqual([2, "readinglist: give a username, or --all\n"]);
    }
  });

  test("an unknown user, and one who is being deleted", async () => {
    const unknown = await commands.run("users", "recount", "nobody-here");
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("there is no user nobody-here")]);
    const user = await newList();
    await service.beginDeletion(user);
    await loseItem(user, urlOf(1));
    const deleted = await commands.run("users", "recount", user.username);
    expect([deleted.code, deleted.err]).toEqual([1, expect.stringContaining("is being deleted")]);
    expect(await commands.ok("users", "recount", "--all")).toEqual([]);
    const { client, tableName } = service.table;
    const { Count } = await client.send(
      new QueryCommand({
        TableName: tableName,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": `USER#${user.username}` },
      }),
    );
    expect(Count).toBe(8);
  });
});
