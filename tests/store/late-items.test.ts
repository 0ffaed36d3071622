import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { TestUser } from "@reading-list/testing/client.ts";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
/** The page that the next queries do not return yet, and the number of these queries. */
let late = { url: "", queries: 0 };

/** A database whose queries return one item of a transaction later than the user's record. */
function withLateItem(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  return interceptCommands<{ Items?: { page: string }[] }>(client, async (command, send) => {
    const answer = await send(command);
    if (!(command instanceof QueryCommand) || late.queries-- <= 0) return answer;
    return { ...answer, Items: answer.Items?.filter(({ page }) => JSON.parse(page).url !== late.url) };
  });
}

beforeAll(async () => {
  service = await startTestService({}, { wrapClient: withLateItem });
});
beforeEach(async () => {
  user = await service.newUser();
});

const url = (i: number) => `http://example.com/${i}`;
const added = [{ url: url(1) }, { url: url(2) }, { url: url(3) }];

test.each([
  {},
  { state: "unread" },
  { count: 30 },
  { count: 3, state: "unread" },
  { myAppOnly: 1 },
  { myAppOnly: 1, count: 3 },
])("a get of %o waits for an item of the newest change that is not to be seen yet", async (parameters) => {
  await user.add(url(0));
  const { since } = await user.get();
  service.clock.advance(1);
  await user.send({ new: added });
  for (const entry of added) {
    late = { url: entry.url, queries: 4 };
    expect(await user.items({ since, ...parameters })).toHaveLength(3);
  }
});

test("a get waits for the newest change if only other changes of its second are visible", async () => {
  await user.add(url(9));
  const { since } = await user.get();
  service.clock.advance(1);
  await user.add(url(1));
  await user.send({ new: [{ url: url(2) }], read: [{ url: url(2) }] });
  await user.send({ read: [{ url: url(1) }] });
  await user.add(url(2));
  await user.send({ read: [{ url: url(9) }] });
  for (const [each, state] of [
    [url(1), "read"],
    [url(2), "unread"],
  ] as const) {
    late = { url: each, queries: 4 };
    expect(await user.items({ since, state })).toHaveLength(state === "read" ? 2 : 1);
    late = { url: each, queries: 4 };
    expect(await user.items({ since })).toHaveLength(3);
  }
});

test("a get waits for a tombstone that is not visible yet", async () => {
  await user.add(url(1));
  const { since } = await user.get();
  service.clock.advance(1);
  await user.send({ delete: [{ url: url(1) }] });
  late = { url: url(1), queries: 4 };
  expect(Object.keys((await user.get({ since, deleted: 1 })).deleted ?? {})).toHaveLength(1);
});

test("no cursor is saved for a page that was read before the newest change was visible", async () => {
  const many = Array.from({ length: 300 }, (_, i) => ({ url: url(i) }));
  await user.send({ new: many });
  service.clock.advance(1);
  await user.send({ update_title: [{ url: url(10), title: "newest" }] });
  late = { url: url(10), queries: 3 };
  await user.get({ count: 60, page: 2 });
  const whole = await user.items();
  for (const page of [3, 4, 5]) {
    expect(await user.items({ count: 60, page })).toEqual(whole.slice(60 * page - 60, 60 * page));
  }
});
