import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { TestUser } from "@reading-list/testing/client.ts";
import { importInto } from "@reading-list/testing/import-into.ts";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

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

test.each([{}, { state: "unread" }, { count: 3 }])(
  "a first sync with %o waits for a deletion that is not visible yet",
  async (parameters) => {
    await user.send({ new: added });
    expect(await user.items(parameters)).toHaveLength(3);
    service.clock.advance(1);
    await user.send({ delete: [{ url: url(2) }] });
    late = { url: url(2), queries: 4 };
    expect((await user.items(parameters)).map((item) => item.url)).toEqual([url(3), url(1)]);
  },
);

test.each([{ state: "unread" }, { state: "unread", count: 3 }])(
  "a get of %o waits for an item that has left it, but is still visible there",
  async (parameters) => {
    await user.send({ new: added });
    expect(await user.items(parameters)).toHaveLength(3);
    service.clock.advance(1);
    await user.send({ read: [{ url: url(2) }] });
    late = { url: url(2), queries: 4 };
    expect((await user.items(parameters)).map((item) => item.url)).toEqual([url(3), url(1)]);
  },
);

test("a page of items of the newest change contains also the one that is visible last", async () => {
  await user.send({ new: Array.from({ length: 9 }, (_, i) => ({ url: url(i) })) });
  late = { url: url(8), queries: 3 };
  expect((await user.items({ count: 3 })).map((item) => item.url)).toEqual([url(8), url(7), url(6)]);
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

test.each([{}, { state: "unread" }, { count: 3 }, { count: 2, state: "unread" }, { page: 2, count: 1 }])(
  "a first sync with %o waits for an imported item that is not visible yet, although it is not among the newest",
  async (parameters: { count?: number; page?: number; state?: string }) => {
    const pages = [1, 2, 3].map((i) => ({ url: url(i), timeAdded: 1_500_000_000 + i }));
    await importInto(service, user, pages);
    late = { url: url(2), queries: 4 };
    const { count = 100, page = 1 } = parameters;
    const expected = [url(3), url(2), url(1)].slice(count * (page - 1), count * page);
    expect((await user.items(parameters)).map((item) => item.url)).toEqual(expected);
  },
);
