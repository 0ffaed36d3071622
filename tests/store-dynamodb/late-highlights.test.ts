// SPDX-License-Identifier: MIT

import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { HighlightReplica } from "@reading-list/testing/highlight-replica.ts";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
/** Ends the sort keys of records that queries of the indexes do not see yet. */
let hidden: string | undefined;

interface Answer {
  Items?: { sk: string }[];
  Count?: number;
}

/** A database whose queries see a record later than the user's record. */
function withLateRecord(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  return interceptCommands<Answer>(client, async (command, send) => {
    const isLate = hidden !== undefined && command instanceof QueryCommand && command.input.IndexName;
    if (!isLate) return send(command);
    const { Select, ...query } = command.input;
    const answer = await send(new QueryCommand(query));
    const items = (answer.Items ?? []).filter(({ sk }) => !sk.endsWith(hidden ?? ""));
    return { ...answer, Items: Select === "COUNT" ? [] : items, Count: items.length };
  });
}

beforeAll(async () => {
  service = await startDynamodbService({}, { wrapClient: withLateRecord });
});
beforeEach(async () => {
  hidden = undefined;
  user = await service.newUser();
  await user.add(url);
});

const url = "http://example.com/1";
const change = (parameters: Record<string, unknown>) =>
  user.ok("highlights", Object.fromEntries(Object.entries(parameters).map(([k, v]) => [k, JSON.stringify(v)])));
const marks = (...ids: string[]) => ids.map((id) => ({ id, url, quote: `quote ${id}` }));

test.each([
  ["of a first sync", {}, 0],
  ["of a sync", {}, 1],
  ["of a walk over pages", { count: 2 }, 0],
  ["of a later walk over pages", { count: 2 }, 1],
])("a highlight that is not visible yet is in the next sync: %s", async (_, habit, earlier) => {
  const replica = new HighlightReplica(user, habit);
  await change({ save: marks("a", "b") });
  for (let i = 0; i < earlier; i++) await replica.sync();
  service.clock.advance(1);
  await change({ save: marks("c", "d", "e") });
  hidden = "#d";
  await replica.sync();
  expect([...replica.highlights.keys()]).not.toContain("d");
  hidden = undefined;
  await replica.sync();
  await replica.expectSame();
});

test("a deletion that is not visible yet is reported by the next sync", async () => {
  const replica = new HighlightReplica(user);
  await change({ save: marks("a", "b") });
  await replica.sync();
  await change({ delete: ["a"] });
  hidden = "#a";
  await replica.sync();
  hidden = undefined;
  await replica.sync();
  await replica.expectSame();
});

test.each(["delete", "restore"])("%s of a page that is not visible yet is reported by the next sync", async (kind) => {
  const replica = new HighlightReplica(user);
  await change({ save: marks("a", "b") });
  if (kind === "restore") await user.send({ delete: [{ url }] });
  await replica.sync();
  service.clock.advance(1);
  await user.send({ [kind]: [{ url }] });
  hidden = `ITEM#${toItemId(url)}`;
  await replica.sync();
  hidden = undefined;
  await replica.sync();
  await replica.expectSame();
});
