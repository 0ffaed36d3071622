import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, expect, test } from "vitest";
import { interceptCommands } from "../intercept-commands.ts";
import { startTestService, type TestService } from "../service.ts";

let service: TestService;
/** What happens between the queries of the read and of the unread items. */
let meanwhile: (() => Promise<unknown>) | undefined;

/** A database that answers the query of the unread items once that of the read ones was answered and more has happened. */
function withPauseBetweenQueries(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  let readItems = Promise.resolve<unknown>(undefined);
  return interceptCommands(client, async (command, send) => {
    if (!(command instanceof QueryCommand)) return send(command);
    const isOfRead = String(command.input.ExpressionAttributeValues?.[":first"]).startsWith("1#");
    if (!meanwhile) return send(command);
    if (isOfRead) {
      readItems = send(command);
      return readItems;
    }
    await new Promise(setImmediate);
    await readItems;
    const happen = meanwhile;
    meanwhile = undefined;
    await happen();
    return send(command);
  });
}

beforeAll(async () => {
  service = await startTestService({}, { wrapClient: withPauseBetweenQueries });
});

test("a client that walks pages sees every item, where one of an earlier page changes its state while a page is read", async () => {
  const user = await service.newUser();
  const url = (i: number) => `http://example.com/${i}`;
  for (let i = 12; i > 0; i--) {
    await user.add(url(i));
    service.clock.advance(1);
  }
  const seen = new Set<string>();
  let since = "";
  for (const page of [1, 2, 3]) {
    if (page === 2) meanwhile = () => user.send({ read: [{ url: url(2) }] });
    const answer = await user.get({ count: 4, page });
    for (const item of Object.values(answer.list)) seen.add(item.url);
    since = answer.since;
  }
  for (const item of await user.items({ since })) seen.add(item.url);
  expect(seen.size).toBe(12);
});
