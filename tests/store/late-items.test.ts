import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { interceptCommands } from "../intercept-commands.ts";
import { startTestService, type TestService, type TestUser } from "../service.ts";

let service: TestService;
let user: TestUser;
/** The page that queries do not show yet, and how many of them do not. */
let late = { url: "", queries: 0 };

/** A database whose queries see one of a transaction's items later than the user's record. */
function withLateItem(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  return interceptCommands<{ Items?: { url: string }[] }>(client, async (command, send) => {
    const answer = await send(command);
    if (!(command instanceof QueryCommand) || late.queries-- <= 0) return answer;
    return { ...answer, Items: answer.Items?.filter(({ url }) => url !== late.url) };
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

test.each([{}, { state: "unread" }, { count: 30 }, { count: 3, state: "unread" }])(
  "a get of %o waits for an item of the newest change that is not to be seen yet",
  async (parameters) => {
    await user.add(url(0));
    const { since } = await user.get();
    service.clock.advance(1);
    await user.send({ new: added });
    for (const entry of added) {
      late = { url: entry.url, queries: 4 };
      expect(await user.items({ since, ...parameters })).toHaveLength(3);
    }
  },
);

test("a get waits for the newest change where others of its second are there", async () => {
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
