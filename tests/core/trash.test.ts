// SPDX-License-Identifier: MIT

import { randomBytes } from "node:crypto";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import type { ArticleOwner } from "@reading-list/core/ports/articles.ts";
import { eraseOldTrash } from "@reading-list/core/use-cases/lists/erase-trash.ts";
import { itemsInOrder, TestUser } from "@reading-list/testing/client.ts";
import { runCommand } from "@reading-list/testing/command-line.ts";
import { HighlightReplica } from "@reading-list/testing/highlight-replica.ts";
import { articlePage } from "@reading-list/testing/page-server.ts";
import { permitAt } from "@reading-list/testing/permit-at.ts";
import { startDynamodbService, startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, inject, test } from "vitest";

let service: TestService;
let user: TestUser;
/** In the titles, to find their remains. */
let secret: string;

beforeAll(async () => {
  service = await startTestService({ ARTICLE_QUOTA_MB: "1" });
});
beforeEach(async () => {
  user = await service.newUser();
  secret = randomBytes(9).toString("hex");
  for (const i of [0, 1, 2, 3]) {
    await user.add(url(i), { tags: `tag ${i}`, title: `Title ${i} ${secret}` });
    service.clock.advance(1);
  }
  await user.send({ read: [{ url: url(3) }] });
});

const url = (i: number) => `http://example.com/${i}`;
const entries = (...pages: number[]) => pages.map((i) => ({ url: url(i) }));
const deleted = (...pages: number[]) => user.send({ delete: entries(...pages) });
const restored = (...pages: number[]) => user.send({ restore: entries(...pages) });
const purged = async (...pages: number[]) => (await user.ok("trash", { purge: JSON.stringify(pages.map(url)) })).body;
const listed = async (parameters = {}) => itemsInOrder((await user.ok("trash", parameters)).body);
const trashed = async (parameters = {}) => (await listed(parameters)).map((item) => item.url);
const urls = async () => (await user.items()).map((item) => item.url);
const item = async (i: number) => (await user.items()).find((each) => each.url === url(i));
const days = (count: number) => count * 86_400;
const eraseOld = () => eraseOldTrash(service.operator, permitAt(service.clock.seconds()));
const recordOf = async (of = user) => {
  const record = await service.operator.findUser(of.credentials.username);
  if (!record) throw new Error("there is no such user");
  return record;
};
const keep = (i: number, topic = "foxes") =>
  user.ok("article", { url: url(i), html: articlePage.replaceAll("harbour", topic) });
const articleIsKept = async (i: number) =>
  (await service.operator.articles.find(await recordOf(), toItemId(url(i)))) !== undefined;

describe("the trash", () => {
  test("lists deleted items as they were, the one deleted last first", async () => {
    const before = [await item(3), await item(1)];
    await deleted(1);
    service.clock.advance(5);
    await deleted(3);
    const time = String(service.clock.seconds());
    const { time_updated: _, ...three } = before[0] ?? {};
    const [first, second, ...others] = await listed();
    expect(first).toEqual({ ...three, time_updated: time, time_deleted: time, state: "1" });
    expect(second).toMatchObject({ url: url(1), tags: "tag 1", title: `Title 1 ${secret}`, state: "0" });
    expect(others).toEqual([]);
    expect(second?.time_added).toBe(before[1]?.time_added);
  });

  test("is empty for a new user, and has pages, and XML", async () => {
    expect((await user.ok("trash")).body).toBe('{"status":"1","list":{}}');
    await deleted(0, 1, 2, 3);
    const pages = [1, 2, 3].map((page) => trashed({ count: 2, page }));
    const [first = [], second = [], third = []] = await Promise.all(pages);
    expect([first.length, second.length, third.length]).toEqual([2, 2, 0]);
    expect([...first, ...second]).toEqual(await trashed());
    expect((await user.ok("trash", { format: "xml" })).body.match(/<time_deleted>/g)).toHaveLength(4);
  });

  test("has an item for 30 days; then its content is erased, and its deletion is reported until the 90th", async () => {
    await keep(1);
    const { since } = await user.get();
    await deleted(1, 2);
    service.clock.advance(days(29));
    await eraseOld();
    expect(await trashed()).toHaveLength(2);
    await restored(2);
    service.clock.advance(days(1) + 5);
    expect(await trashed()).toEqual([]);
    await restored(1);
    expect(await urls()).not.toContain(url(1));
    expect(await articleIsKept(1)).toBe(true);
    service.clock.advance(days(1));
    await eraseOld();
    await eraseOld();
    expect(await articleIsKept(1)).toBe(false);
    const records = JSON.stringify(await service.records());
    expect(records).toContain(url(1));
    expect(records).not.toContain(`Title 1 ${secret}`);
    expect(Object.keys((await user.get({ since, deleted: 1 })).deleted ?? {})).toEqual([toItemId(url(1))]);
    expect(await item(2)).toMatchObject({ tags: "tag 2" });
  });

  test("is erased with the account", async () => {
    await keep(1);
    await deleted(1);
    const { username } = user.credentials;
    const former = await recordOf();
    await user.ok("delete_account", { confirm: username });
    expect(JSON.stringify(await service.records())).not.toContain(username);
    expect(await service.operator.articles.find(former, toItemId(url(1)))).toBeUndefined();
  });

  test.skipIf(inject("isOnDynamodb")).each([
    ["a data folder", startTestService],
    ["DynamoDB", startDynamodbService],
  ])("moves to %s with its articles, is restored there, and erased after 30 days", async (_, start) => {
    await keep(1);
    await user.send({ update_progress: [{ url: url(1), progress: 40, anchor: "The harbour" }] });
    const marks = [0, 1, 2, 3, 3].map((i, place) => ({ id: `m${place}`, url: url(i), quote: `${secret} ${place}` }));
    await user.ok("highlights", { save: JSON.stringify(marks), delete: '["m4"]' });
    await deleted(0, 1, 2);
    await purged(2);
    const replica = new HighlightReplica(user);
    await replica.sync();
    const target = await start({}, { clock: service.clock });
    const { username, password } = user.credentials;
    const { DATA_DIR, DYNAMODB_ENDPOINT, TABLE_NAME } = target.env;
    const to = DYNAMODB_ENDPOINT ? [DYNAMODB_ENDPOINT, "--to-table", TABLE_NAME] : [DATA_DIR];
    const moving = await runCommand(["move", username, "--from", service.env.DATA_DIR, "--to", ...to], { DATA_DIR });
    expect(moving.code, moving.err).toBe(0);
    const moved = new TestUser(target, username, password);
    expect(itemsInOrder((await moved.ok("trash")).body)).toEqual(await listed());
    const movedReplica = new HighlightReplica(moved);
    await movedReplica.sync();
    expect(movedReplica.highlights).toEqual(replica.highlights);
    expect([...replica.highlights.keys()]).toEqual(["m3"]);
    await moved.send({ restore: entries(1) });
    await movedReplica.sync();
    expect([...movedReplica.highlights.keys()].sort()).toEqual(["m1", "m3"]);
    // Deleted ids stay deleted there.
    await moved.ok("highlights", { save: JSON.stringify(marks.slice(3)) });
    await movedReplica.sync();
    await movedReplica.expectSame();
    expect([...movedReplica.highlights.keys()].sort()).toEqual(["m1", "m3"]);
    const record = await target.operator.findUser(username);
    const article = await target.operator.articles.find(record as ArticleOwner, toItemId(url(1)));
    expect(article?.less).toContain("foxes");
    expect((await moved.items())[0]).toMatchObject({ url: url(1), progress: "40", anchor: "The harbour" });
    service.clock.advance(days(32));
    await eraseOldTrash(target.operator, permitAt(service.clock.seconds()));
    const records = JSON.stringify(await target.records());
    expect(records.includes(`Title 0 ${secret}`)).toBe(false);
    expect([0, 1, 2, 3, 4].filter((place) => records.includes(`${secret} ${place}`))).toEqual([1, 3]);
  });
});

describe("restore in send", () => {
  test("brings an item back as it was, as one change", async () => {
    const before = [await item(1), await item(3)];
    await keep(1);
    await deleted(1, 3);
    const { since } = await user.get();
    service.clock.advance(100);
    expect((await restored(1, 3)).status).toBe(200);
    const sync = await user.get({ since, tags: 1, deleted: 1 });
    for (const each of before) {
      const { time_updated, ...content } = each ?? { item_id: "" };
      expect(sync.list[content.item_id]).toEqual({ ...content, time_updated: String(service.clock.seconds()) });
    }
    expect([Object.keys(sync.list).length, sync.deleted]).toEqual([2, {}]);
    expect(await user.get({ since: sync.since })).toMatchObject({ status: "2" });
    expect(await user.stats()).toMatchObject({ count_list: "4", count_unread: "3", count_read: "1" });
    expect(await trashed()).toEqual([]);
    expect((await user.ok("article", { url: url(1) })).body).toContain("foxes");
    expect(await urls()).toEqual(await user.items({ myAppOnly: 1 }).then((items) => items.map((each) => each.url)));
  });

  test("of a page that is not in the trash is ignored, so a repeated request is harmless", async () => {
    await deleted(1, 2);
    await restored(1);
    await purged(2);
    const { since } = await user.get();
    service.clock.advance(1);
    expect((await restored(0, 1, 2, 77)).status).toBe(200);
    expect(await user.get({ since })).toMatchObject({ status: "2" });
    expect(await urls()).not.toContain(url(2));
  });

  test("applies before all else", async () => {
    await deleted(1, 2);
    await user.send({
      restore: entries(1, 2),
      update_tags: [{ url: url(1), tags: "new" }],
      read: entries(1),
      delete: entries(2),
    });
    expect(await item(1)).toMatchObject({ tags: "new", state: "1", title: `Title 1 ${secret}` });
    expect(await trashed()).toEqual([url(2)]);
  });

  test("of 250 pages brings all of them back", async () => {
    const many = Array.from({ length: 250 }, (_, i) => 1000 + i);
    await user.send({ new: entries(...many) });
    await deleted(...many);
    expect((await restored(...many)).status).toBe(200);
    expect((await user.stats()).count_list).toBe("254");
  });

  test("and a purge at the same time leave an item with all of its content, or nothing", async () => {
    for (let round = 0; round < 8; round++) {
      await deleted(1);
      await Promise.all([restored(1), purged(1)]);
      const back = await item(1);
      expect(await trashed()).toEqual([]);
      if (back) expect(back).toMatchObject({ tags: "tag 1", title: `Title 1 ${secret}` });
      else await user.add(url(1), { tags: "tag 1", title: `Title 1 ${secret}` });
    }
  });
});

describe("a deleted page that is added again", () => {
  test("is a new item, to which article and progress pass, and no longer in the trash", async () => {
    await keep(1);
    await user.send({ update_progress: [{ url: url(1), progress: 40 }] });
    await deleted(1);
    service.clock.advance(50);
    await user.add(url(1));
    expect(await trashed()).toEqual([]);
    const [added] = await user.items();
    expect(added).toMatchObject({ url: url(1), title: url(1), tags: "", progress: "40" });
    expect(added?.time_added).toBe(String(service.clock.seconds()));
    expect((await user.ok("article", { url: url(1) })).body).toContain("foxes");
    await deleted(1);
    await restored(1);
    expect((await user.ok("article", { url: url(1) })).body).toContain("foxes");
  });

  test("keeps the progress of the trash if the same request has an earlier progress", async () => {
    const now = service.clock.seconds();
    const [later, earlier] = [now - 50, now - 100];
    await user.add(url(1));
    await user.send({ update_progress: [{ url: url(1), progress: 90, anchor: "far", time: later }] });
    await deleted(1);
    await user.send({ new: entries(1), update_progress: [{ url: url(1), progress: 10, time: earlier }] });
    expect((await user.items())[0]).toMatchObject({ progress: "90", anchor: "far" });
    await deleted(1);
    await user.send({ new: entries(1), update_progress: [{ url: url(1), progress: 10, time: now }] });
    expect((await user.items())[0]).toMatchObject({ progress: "10" });
  });

  test("after 30 days, or a purge, has neither", async () => {
    await keep(1);
    await user.send({ update_progress: [...entries(1, 2)].map((each) => ({ ...each, progress: 40 })) });
    await deleted(1, 2);
    await purged(1);
    service.clock.advance(days(30));
    await user.send({ new: entries(1, 2) });
    for (const each of await user.items()) expect(each).not.toHaveProperty("progress");
    expect(await articleIsKept(1)).toBe(false);
  });
});

describe("purge", () => {
  test("erases the pages that it names for good; those of the list stay", async () => {
    await keep(1);
    const { since } = await user.get();
    await deleted(1, 2);
    expect(await purged(0, 1, 77)).toBe("200 OK");
    expect(await trashed()).toEqual([url(2)]);
    expect(await urls()).toContain(url(0));
    expect(await articleIsKept(1)).toBe(false);
    expect(JSON.stringify(await service.records())).not.toContain(`Title 1 ${secret}`);
    expect(Object.keys((await user.get({ since, deleted: 1 })).deleted ?? {})).toHaveLength(2);
  });

  test("does not report the deletion again", async () => {
    await deleted(1);
    const { since } = await user.get({ deleted: 1 });
    service.clock.advance(10);
    await purged(1);
    expect(await user.get({ since, deleted: 1 })).toMatchObject({ status: "2", deleted: {} });
  });

  test("all empties the trash", async () => {
    const many = Array.from({ length: 300 }, (_, i) => 1000 + i);
    await user.send({ new: entries(...many) });
    await deleted(...many);
    const before = Number((await user.ok("auth")).headers.get("x-limit-user-remaining"));
    const answer = await user.ok("trash", { purge: "all" });
    expect(answer.body).toBe("200 OK");
    expect(before - Number(answer.headers.get("x-limit-user-remaining"))).toBe(4);
    expect(await trashed()).toEqual([]);
    expect((await user.stats()).count_list).toBe("4");
  });

  test.each([
    ["everything", "purge must be all or a JSON array of URLs"],
    ["{}", "purge must be all or a JSON array of URLs"],
    ['["x"]', "purge.0 is not an http(s) URL"],
    [JSON.stringify(Array(1001).fill("http://e.example/")), "purge contains more than 1000 URLs"],
  ])("%j is 400", async (purge, error) => {
    const { status, headers } = await user.call("trash", { purge });
    expect([status, headers.get("x-error")]).toEqual([400, `trash: ${error}`]);
  });
});

describe("a full quota of articles", () => {
  const filled = async (i: number, bytes: number) => {
    const text = randomBytes(bytes).toString("base64");
    const record = await recordOf();
    const { timeAdded = 0 } =
      (await service.operator.items.find(record.username, [toItemId(url(i))])).get(toItemId(url(i))) ?? {};
    const article = { less: text, more: "", title: "", resolvedUrl: url(i), nextUrl: undefined, loginFound: false };
    await service.operator.articles.keep(record, toItemId(url(i)), { ...article, keptAt: 0, timeAdded }, 1e9);
  };

  test("drops the copies of the items that were deleted first, and nothing else of these items", async () => {
    for (const i of [0, 1, 2]) await filled(i, 430_000);
    for (const i of [1, 2, 0]) {
      await deleted(i);
      service.clock.advance(1);
    }
    await keep(3);
    expect(await Promise.all([0, 1, 2, 3].map(articleIsKept))).toEqual([true, false, true, true]);
    await restored(1);
    expect(await item(1)).toMatchObject({ tags: "tag 1" });
  });

  test("of items in the list refuses the article, and drops none", async () => {
    await filled(0, 1_200_000);
    await filled(1, 10_000);
    await deleted(1);
    expect((await user.call("article", { url: url(3), html: articlePage })).status).toBe(400);
    expect(await articleIsKept(1)).toBe(true);
  });
});
