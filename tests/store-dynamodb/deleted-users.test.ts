// SPDX-License-Identifier: MIT

import { TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { deleteUser as deleteRecords, finishDeletions } from "@reading-list/core/use-cases/accounts/delete-user.ts";
import { walkDeletedUsers } from "@reading-list/store-dynamodb/deletion.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeEach, describe, expect, test } from "vitest";

let service: TestService;
/** The next command for which it is true is sent after `meanwhile` has run. */
let isHeld: (command: unknown) => boolean = () => false;
let meanwhile = async () => {};

beforeEach(async () => {
  service = await startDynamodbService(
    {},
    {
      wrapClient: (client) =>
        interceptCommands(client, async (command, send) => {
          if (isHeld(command)) {
            isHeld = () => false;
            await meanwhile();
          }
          return send(command);
        }),
    },
  );
});

async function deleteUser({ credentials: { username } }: TestUser): Promise<void> {
  const { operator, clock } = service;
  const found = await operator.findUser(username);
  if (found) await deleteRecords(operator, operator.articles, { username, userId: found.userId }, clock.seconds());
}

/** Deletes a user and registers the name again with another password. */
async function replaceUser(user: TestUser): Promise<void> {
  await deleteUser(user);
  expect((await user.call("signup", { password: "another" })).status).toBe(200);
}

describe("after a user was deleted and the name registered again", () => {
  test("a write under way is 401 and does not reach the new list", async () => {
    const user = await service.newUser();
    await user.add("http://example.com/old");
    isHeld = (command) => command instanceof TransactWriteCommand;
    meanwhile = () => replaceUser(user);
    expect((await user.call("add", { url: "http://example.com/private" })).status).toBe(401);
    expect((await user.call("get", { password: "another" })).json().list).toEqual({});
    expect((await user.call("stats", { password: "another" })).json()).toMatchObject({ count_list: "0" });
  });

  test("a later transaction of a large send under way does not reach the new list", async () => {
    const user = await service.newUser();
    let steps = 0;
    isHeld = (command) => command instanceof TransactWriteCommand && ++steps === 2;
    meanwhile = () => replaceUser(user);
    const entries = Array.from({ length: 150 }, (_, i) => ({ url: `http://example.com/${i}` }));
    expect((await user.send({ new: entries })).status).toBe(401);
    expect((await user.call("get", { password: "another" })).json().list).toEqual({});
  });
});

describe("delete_account", () => {
  /** The next transaction that deletes something, after `passed` others. */
  const deletionAfter = (passed: number) => (command: unknown) =>
    command instanceof TransactWriteCommand &&
    (command.input.TransactItems ?? []).some((item) => item.Delete) &&
    passed-- === 0;
  const finish = () => finishDeletions(service.operator, service.operator.articles, service.clock.seconds());
  const entries = Array.from({ length: 250 }, (_, i) => ({ url: `http://example.com/${i}` }));

  test("is 200 once the account is closed, even if the database fails then, and is continued", async () => {
    const user = await service.newUser();
    await user.send({ new: entries });
    isHeld = deletionAfter(1);
    meanwhile = () => Promise.reject(new Error("the database failed"));
    await user.ok("delete_account", { confirm: user.credentials.username });
    expect([(await user.call("auth")).status, (await user.call("signup")).status]).toEqual([401, 401]);
    await finish();
    await user.ok("signup");
    expect(await user.items()).toEqual([]);
  });

  test("spares the next user with the same name, if another process has finished the deletion", async () => {
    const user = await service.newUser();
    await user.send({ new: entries });
    isHeld = deletionAfter(1);
    meanwhile = async () => {
      await finish();
      await user.ok("signup");
      await user.send({ new: entries });
    };
    await user.ok("delete_account", { confirm: user.credentials.username });
    expect(await user.items()).toHaveLength(250);
  });

  test("fails for one user and continues with the others", async () => {
    const users = [await service.newUser(), await service.newUser()];
    for (const user of users) {
      await user.send({ new: entries });
      isHeld = deletionAfter(0);
      meanwhile = () => Promise.reject(new Error("the database failed"));
      await user.ok("delete_account", { confirm: user.credentials.username });
    }
    isHeld = deletionAfter(0);
    await expect(finish()).rejects.toThrow("the database failed");
    const names = users.map(({ credentials }) => service.operator.findUser(credentials.username));
    expect((await Promise.all(names)).filter((user) => user !== undefined)).toHaveLength(1);
    await finish();
    for (const user of users) await user.ok("signup");
  });
});

test("a deleted user is listed for restores by a random id, until a move brings the account back", async () => {
  const listed = async () => {
    const ids: string[] = [];
    for await (const id of walkDeletedUsers(service.table, service.clock.seconds())) ids.push(id);
    return ids;
  };
  const [user, leaving] = [await service.newUser(), await service.newUser()];
  const { username } = user.credentials;
  const record = await service.operator.findUser(username);
  if (!record) throw new Error("the user has no record");
  const { userId = "" } = (await service.operator.findUser(leaving.credentials.username)) ?? {};
  expect(await listed()).toEqual([]);
  // One deletion has ended, the other one has begun.
  await deleteUser(user);
  await service.operator.beginDeletion({ username: leaving.credentials.username, userId }, service.clock.seconds());
  expect((await listed()).sort()).toEqual([record.userId, userId].sort());
  expect(JSON.stringify(await service.records())).not.toContain(username);
  expect(await service.operator.replaceUser(undefined, record)).toBe(true);
  expect(await listed()).toEqual([userId]);
});

test("a write under way succeeds if the user's password is changed", async () => {
  const user = await service.newUser();
  isHeld = (command) => command instanceof TransactWriteCommand;
  meanwhile = async () => {
    const { client, tableName } = service.table;
    await client.send(
      new UpdateCommand({
        TableName: tableName,
        Key: { pk: `USER#${user.credentials.username}`, sk: "USER" },
        UpdateExpression: "SET passwordHash = :other",
        ExpressionAttributeValues: { ":other": "another hash" },
      }),
    );
  };
  expect((await user.call("add", { url: "http://example.com/" })).status).toBe(200);
});
