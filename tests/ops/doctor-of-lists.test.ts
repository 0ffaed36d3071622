// SPDX-License-Identifier: MIT

import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { articleKey, highlightKey, itemKey, userKey } from "@reading-list/store-dynamodb/keys.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { commandsFor } from "@reading-list/testing/command-line.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, inject, onTestFinished, test } from "vitest";

let service: TestService;
let commands: ReturnType<typeof commandsFor>;
let user: TestUser;

const url = "https://example.com/1";
const itemId = toItemId(url);
const daysAgo = 40;

beforeAll(async () => {
  // Commands use the machine's clock, so pages deleted here were deleted 40 days ago.
  service = await startTestService({}, { clock: new FakeClock(Math.floor(Date.now() / 1000) - daysAgo * 86_400) });
  commands = commandsFor(service);
  await commands.ok("clock", "confirm");
});

/** A user with two pages. One has a highlight, reading progress and a saved copy. */
beforeEach(async () => {
  user = await service.newUser();
  await user.send({ new: [{ url }, { url: "https://example.com/2" }], update_progress: [{ url, progress: 40 }] });
  await user.ok("highlights", { save: JSON.stringify([{ id: "a", url, quote: "q" }]) });
  const owner = await service.operator.findUser(user.username);
  const timeAdded = Number((await user.items()).find((item) => item.item_id === itemId)?.time_added);
  const view = { less: "<p>x</p>", more: "", title: "One", resolvedUrl: url, nextUrl: undefined, loginFound: false };
  const others = { imageUrl: undefined, author: undefined, publishedAt: undefined, notice: undefined, keptAt: 1 };
  if (owner) await service.operator.articles.keep(owner, itemId, { ...view, ...others, timeAdded }, 1e9);
  // The other tests do not expect lists with faults.
  onTestFinished(() => service.beginDeletion(user));
});

/** Changes the database behind the back of the service: by a statement of SQL, or by a command to DynamoDB. */
async function damage(sql: string, command: DeleteCommand | UpdateCommand): Promise<void> {
  if (inject("isOnDynamodb")) return void (await service.table.client.send(command as DeleteCommand));
  const database = new DatabaseSync(path.join(service.env.DATA_DIR, "reading-list.db"));
  const { changes } = database
    .prepare(sql.replace(":user", "(SELECT id FROM users WHERE username = :name)"))
    .run({ name: user.username });
  database.close();
  expect(changes).toBe(1);
}

const deletion = (Key: Record<string, string>) => new DeleteCommand({ TableName: tableName(), Key });
const tableName = () => service.env.TABLE_NAME;

/** The findings of doctor by check, and the names of the failed checks. */
async function examine() {
  const { code, out } = await commands.run("doctor", "--json");
  const { checks } = JSON.parse(out) as { checks: { check: string; ok: boolean; finding: string }[] };
  const faults = checks.filter(({ ok }) => !ok).map(({ check }) => check);
  expect(code).toBe(faults.length > 0 ? 1 : 0);
  return { faults, findings: Object.fromEntries(checks.map(({ check, finding }) => [check, finding])) };
}

/** The counts of the user's record that `users recount` has changed: before and after. */
async function recount() {
  const [{ before, after } = { before: {}, after: {} }] = (await commands.ok(
    "users",
    "recount",
    user.username,
  )) as unknown as Record<"before" | "after", Record<string, number>>[];
  return Object.fromEntries(
    Object.entries(before)
      .filter(([name, count]) => count !== after[name])
      .map(([name, count]) => [name, [count, after[name]]]),
  );
}

test("doctor finds no fault in a correct list, and counts its content", async () => {
  const { faults, findings } = await examine();
  expect(faults).toEqual([]);
  expect(findings).toMatchObject({
    highlights: "1 highlight, all on existing pages",
    progress: "1 page with reading progress, all from 0 to 100 %",
    trash: "0 pages, none older than 30 days",
  });
});

test("a highlight that was lost is named until users recount corrects the count", async () => {
  await damage("DELETE FROM highlights WHERE user = :user", deletion(highlightKey(user.username, "a")));
  const { faults, findings } = await examine();
  expect(faults).toEqual(["counts"]);
  expect(findings.counts).toBe(
    `1 list with wrong counts (${user.username}: highlights); run readinglist users recount --all`,
  );
  expect(await recount()).toEqual({ highlights: [1, 0] });
  expect((await examine()).faults).toEqual([]);
});

test("an article that was lost is named until users recount gives the quota its bytes back", async () => {
  await damage(
    "DELETE FROM articles WHERE user = (SELECT user_id FROM users WHERE username = :name)",
    deletion(articleKey(user.username, itemId)),
  );
  const { findings } = await examine();
  expect(findings.counts).toContain(`${user.username}: saved copies and bytes of saved copies`);
  expect(await recount()).toEqual({ articles: [1, 0], articleBytes: [expect.any(Number), 0] });
  expect((await examine()).faults).toEqual([]);
});

test("a quota with a wrong count of bytes is reported", async () => {
  const update = { UpdateExpression: "SET articleBytes = :bytes", ExpressionAttributeValues: { ":bytes": 999_999 } };
  await damage(
    "UPDATE users SET article_bytes = 999999 WHERE username = :name",
    new UpdateCommand({ TableName: tableName(), Key: userKey(user.username), ...update }),
  );
  expect((await examine()).findings.counts).toContain(`${user.username}: bytes of saved copies`);
  expect(await recount()).toEqual({ articleBytes: [999_999, expect.any(Number)] });
  expect((await examine()).faults).toEqual([]);
});

test("a highlight whose page was lost is named", async () => {
  await damage(
    `DELETE FROM items WHERE user = :user AND item_id = ${itemId}`,
    deletion(itemKey(user.username, itemId)),
  );
  const { faults, findings } = await examine();
  expect(faults).toEqual(["counts", "highlights"]);
  expect(findings.highlights).toBe(
    `1 page with highlights missing (${user.username}: 1 highlight); restore a backup that has them`,
  );
});

test("an invalid reading progress is named", async () => {
  const [item] = (await service.operator.items.find(user.username, [itemId])).values();
  const place = JSON.stringify({ ...item?.progress, percent: 400 });
  const record = (await service.records()).find((each) => (each as { sk?: string }).sk === `ITEM#${itemId}`);
  const page = (record as { page?: string } | undefined)?.page?.replace('"percent":40', '"percent":400');
  await damage(
    `UPDATE items SET progress = '${place}' WHERE user = :user AND item_id = ${itemId}`,
    new UpdateCommand({
      TableName: tableName(),
      Key: itemKey(user.username, itemId),
      UpdateExpression: "SET page = :page",
      ExpressionAttributeValues: { ":page": page },
    }),
  );
  const { faults, findings } = await examine();
  expect(faults).toEqual(["progress"]);
  expect(findings.progress).toContain(`1 page with invalid reading progress (${user.username}: ${url})`);
  await user.send({ update_progress: [{ url, progress: 41 }] });
  expect((await examine()).faults).toEqual([]);
});

test("a trash that was not erased after 30 days is named until trash purge erases it", async () => {
  await user.send({ delete: [{ url }] });
  const { faults, findings } = await examine();
  expect(faults).toEqual(["trash"]);
  expect(findings.trash).toContain(`1 trash not erased after 30 days (${user.username}: 1 page)`);
  await commands.ok("trash", "purge", user.username, "--all");
  expect((await examine()).faults).toEqual([]);
  expect(Object.keys((await user.ok("trash")).json().list)).toEqual([]);
});
