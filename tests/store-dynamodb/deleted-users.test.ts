import { TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { deleteUser as deleteRecords } from "@reading-list/core/use-cases/delete-user.ts";
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
