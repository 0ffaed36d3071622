import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { TestUser } from "@reading-list/testing/client.ts";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
/** Runs after the next call was counted, right before its query. */
let meanwhile: (() => Promise<unknown>) | undefined;

function withInterruption(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  return interceptCommands(client, async (command, send) => {
    const happen = command instanceof QueryCommand ? meanwhile : undefined;
    if (happen) meanwhile = undefined;
    await happen?.();
    return send(command);
  });
}

beforeAll(async () => {
  service = await startTestService({}, { wrapClient: withInterruption });
});
beforeEach(async () => {
  user = await service.newUser();
  await user.send({ new: Array.from({ length: 12 }, (_, i) => ({ url: url(12 - i) })) });
  service.clock.advance(1);
});

const url = (i: number) => `http://example.com/${i}`;
const interruptions: [string, () => Promise<unknown>][] = [
  ["is marked read", () => user.send({ read: [{ url: url(2) }] })],
  ["is deleted", () => user.send({ delete: [{ url: url(2) }] })],
  ["moves to the top", () => user.add(url(2))],
  [
    "moves to the top together with one of the last page",
    () => user.send({ new: [{ url: url(2) }, { url: url(11) }] }),
  ],
];

test.each(interruptions.flatMap(([what, interrupt]) => [2, 3].map((page) => ({ what, interrupt, page }))))(
  "a client that walks unread pages sees every item, if one of an earlier page $what while page $page is read",
  async ({ interrupt, page: interruptedPage }) => {
    const seen = new Set<string>();
    let since = "";
    for (const page of [1, 2, 3]) {
      if (page === interruptedPage) meanwhile = interrupt;
      const answer = await user.get({ count: 4, page, state: "unread" });
      for (const item of Object.values(answer.list)) seen.add(item.url);
      since = answer.since;
    }
    for (const item of await user.items({ since, state: "unread" })) seen.add(item.url);
    for (const item of await user.items({ state: "unread" })) expect(seen).toContain(item.url);
  },
);

test("a first page is full and exact as of its since, if items change while it is read", async () => {
  await user.add(url(0));
  service.clock.advance(1);
  meanwhile = () => user.send({ new: [{ url: url(99) }], delete: [{ url: url(1) }], read: [{ url: url(2) }] });
  const { since, list } = await user.get({ count: 4 });
  expect(Object.values(list).map((item) => item.url)).toEqual([0, 3, 4, 5].map(url));
  const next = await user.get({ since, deleted: 1 });
  expect(Object.values(next.list).map((item) => item.url)).toEqual([url(2), url(99)]);
  expect(Object.keys(next.deleted ?? {})).toHaveLength(1);
});
