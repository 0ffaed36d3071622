// SPDX-License-Identifier: MIT

import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { TestUser } from "@reading-list/testing/client.ts";
import { importInto } from "@reading-list/testing/import-into.ts";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
/** The page that the next queries return as it was before the newest change, and the number of these queries. */
let late = { url: "", queries: 0 };

interface Stored {
  changed: string;
  page: string;
}
const urlOf = ({ page }: Stored): string => JSON.parse(page).url;

/** A database whose queries see the newest change of one item later than the user's record. */
function withLateItem(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  const visible = new Map<string, Stored>();
  return interceptCommands<{ Items?: Stored[] }>(client, async (command, send) => {
    const answer = await send(command);
    if (!(command instanceof QueryCommand) || !command.input.IndexName || !answer.Items) return answer;
    const {
      ":pk": pk,
      ":first": first,
      ":last": last,
    } = command.input.ExpressionAttributeValues as Record<string, string>;
    const before = visible.get(`${pk} ${late.url}`);
    if (late.queries-- <= 0) {
      for (const item of answer.Items) visible.set(`${pk} ${urlOf(item)}`, item);
      return answer;
    }
    const isInRange = before && first && last && first <= before.changed && before.changed <= last;
    const items = answer.Items.filter((item) => urlOf(item) !== late.url);
    if (isInRange) items.push(before);
    return { ...answer, Items: items.sort((a, b) => (a.changed < b.changed ? 1 : -1)) };
  });
}

beforeAll(async () => {
  service = await startDynamodbService({}, { wrapClient: withLateItem });
});
beforeEach(async () => {
  user = await service.newUser();
});

const url = (i: number) => `http://example.com/${i}`;
const added = [{ url: url(1) }, { url: url(2) }, { url: url(3) }];

/** A get during which the newest change of a page is not visible, then a sync that continues from its `since`. */
async function getBeforeVisible(page: string, parameters: Record<string, string | number>) {
  late = { url: page, queries: 99 };
  const before = await user.get(parameters);
  late.queries = 0;
  const next = await user.get({ since: before.since, deleted: 1 });
  return { before, next };
}
const urlsOf = (answer: { list: Record<string, { url: string }> }) =>
  Object.values(answer.list).map((item) => item.url);

describe("a change that is not visible yet is in the next sync", () => {
  const filters = [{}, { state: "unread" }, { count: 30 }, { count: 3, state: "unread" }, { myAppOnly: 1 }];
  const later = { count: 2, page: 2 };

  test.each([...filters, { url: url(1) }, { myAppOnly: 1, count: 3 }, later])(
    "after a sync with %o",
    async (parameters) => {
      await user.add(url(0));
      const { since } = await user.get({ count: 2 });
      service.clock.advance(1);
      await user.send({ new: added });
      const { before, next } = await getBeforeVisible(url(2), { since, ...parameters });
      expect(urlsOf(before)).not.toContain(url(2));
      for (const item of Object.values(before.list)) expect(Number(item.time_updated)).toBeGreaterThan(Number(since));
      expect(urlsOf(next)).toEqual([url(3), url(2), url(1)]);
    },
  );

  test.each([...filters, later])("after a first list with %o, which has the item as it was", async (parameters) => {
    await user.send({ new: added });
    service.clock.advance(1);
    const { since } = await user.get({ count: 1 });
    await user.send({ update_title: [{ url: url(3), title: "new" }] });
    const { before, next } = await getBeforeVisible(url(3), parameters);
    if (parameters !== later) expect(urlsOf(before)).toEqual([url(3), url(2), url(1)]);
    expect(Object.values(next.list)).toMatchObject([{ url: url(3), title: "new" }]);
    expect(Number(before.since)).toBeGreaterThanOrEqual(Number(since));
  });

  test.each([...filters, later])("if it is a deletion, after a first list with %o", async (parameters) => {
    await user.send({ new: added });
    await user.get({ count: 1 });
    service.clock.advance(1);
    await user.send({ delete: [{ url: url(1) }] });
    const { next } = await getBeforeVisible(url(1), parameters);
    if (parameters !== later) expect(Object.keys(next.deleted ?? {})).toHaveLength(1);
    // A page behind a deletion is followed by a first sync.
    else expect(next).toMatchObject({ complete: "1" });
  });

  test("if it is a deletion, after a sync", async () => {
    await user.add(url(1));
    const { since } = await user.get();
    service.clock.advance(1);
    await user.send({ delete: [{ url: url(1) }] });
    const { before, next } = await getBeforeVisible(url(1), { since, deleted: 1 });
    expect(before).toMatchObject({ deleted: {} });
    expect(Object.keys(next.deleted ?? {})).toHaveLength(1);
  });

  test("if other changes of its second are visible", async () => {
    await user.add(url(9));
    const { since } = await user.get();
    service.clock.advance(1);
    await user.add(url(1));
    await user.send({ new: [{ url: url(2) }], read: [{ url: url(2) }] });
    await user.send({ read: [{ url: url(1) }] });
    await user.add(url(2));
    await user.send({ read: [{ url: url(9) }] });
    const { next } = await getBeforeVisible(url(2), { since });
    expect(urlsOf(next).sort()).toEqual([url(1), url(2), url(9)]);
  });

  test.each([{}, { state: "unread" }, { count: 3 }, { count: 2, state: "unread" }, { page: 2, count: 1 }])(
    "if it was imported with an older time: a first list with %o is followed by another one",
    async (parameters) => {
      await importInto(
        service,
        user,
        [1, 2, 3].map((i) => ({ url: url(i), timeAdded: 1_500_000_000 + i })),
      );
      const { before, next } = await getBeforeVisible(url(2), parameters);
      expect(before).toMatchObject({ since: "0" });
      expect(before).not.toHaveProperty("complete");
      expect(urlsOf(next)).toEqual([url(3), url(2), url(1)]);
    },
  );
});

test("a later page of a walk answers with no later since than a first page that left the change out", async () => {
  await user.add(url(0));
  await user.get();
  service.clock.advance(1);
  await user.send({ new: added });
  late = { url: url(2), queries: 99 };
  const first = await user.get({ count: 2 });
  late.queries = 0;
  const second = await user.get({ count: 2, page: 2 });
  expect(Number(second.since)).toBeLessThanOrEqual(Number(first.since));
  expect(urlsOf(await user.get({ since: second.since }))).toContain(url(2));
});

test("a change is old enough to be visible two minutes later, so that no query looks for it", async () => {
  await user.send({ new: added });
  service.clock.advance(131);
  late = { url: url(2), queries: 1 };
  expect(urlsOf(await user.get())).toEqual([url(3), url(1)]);
});

test("pages are not counted from one that was read before the newest change was visible", async () => {
  const many = Array.from({ length: 300 }, (_, i) => ({ url: url(i) }));
  await user.send({ new: many });
  service.clock.advance(1);
  await user.send({ update_title: [{ url: url(10), title: "newest" }] });
  late = { url: url(10), queries: 3 };
  await user.get({ count: 60, page: 2 });
  late.queries = 0;
  const whole = await user.items();
  for (const page of [3, 4, 5]) {
    expect(await user.items({ count: 60, page })).toEqual(whole.slice(60 * page - 60, 60 * page));
  }
});
