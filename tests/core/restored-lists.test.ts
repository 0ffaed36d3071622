// SPDX-License-Identifier: MIT

import { clockAfterRestore, maxLeadSeconds, newestTime } from "@reading-list/core/domain/user-clock.ts";
import type { UserRecord } from "@reading-list/core/ports/operator.ts";
import type { Parameters, TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ KEEP_PAGES: "opened" });
});

const url = (n: number) => `https://example.com/${n}`;
const highlight = { id: "a", url: url(1), quote: "Words." };

/** The answers of a sync of each part. */
async function sync(user: TestUser, endpoint: string, parameters: Parameters) {
  const { body } = await user.ok(endpoint, parameters);
  return JSON.parse(body) as { status: string; since: string; complete?: string; list: Record<string, unknown> };
}

/** A user whose list was restored, and who has synced before. */
async function userOfRestored(replaced = 0) {
  const user = await service.newUser();
  await user.send({ new: [{ url: url(1) }, { url: url(2) }] });
  await user.ok("highlights", { save: JSON.stringify([highlight]) });
  service.clock.advance(5);
  const { since } = await user.get();
  const record = (await service.operator.findUser(user.credentials.username)) as UserRecord;
  const now = service.clock.seconds();
  // DynamoDB's record has a count of highlights, too, which `setRestoredClock` sets.
  const restored = { ...record, ...clockAfterRestore(record, now, replaced && now + replaced), newestHighlights: 0 };
  expect(await service.operator.replaceUser(record, restored)).toBe(true);
  return { user, since, now };
}

describe("after a restore", () => {
  test.each(["get", "highlights", "kept"])(
    "every `since` of %s up to the largest lead of a logical clock is a first sync, but the returned one is not",
    async (endpoint) => {
      const { user, since, now } = await userOfRestored();
      for (const former of [since, String(now), String(now + maxLeadSeconds)]) {
        const answer = await sync(user, endpoint, { since: former });
        expect([former, answer.status, answer.complete]).toEqual([former, "1", "1"]);
        const next = await sync(user, endpoint, { since: answer.since });
        expect([next.status, next.complete, Object.keys(next.list)]).toEqual(["2", undefined, []]);
      }
    },
  );

  test("clients learn to ask for highlights, and changes need not wait for the clock", async () => {
    const { user, since } = await userOfRestored();
    const told = JSON.parse((await user.ok("get", { since, progress: 1 })).body) as Record<string, string>;
    expect(Number(told.highlights_updated)).toBeGreaterThan(Number(since) + maxLeadSeconds);
    let last = told.since ?? "";
    for (const n of [3, 4, 5]) {
      await user.add(url(n));
      const { list, since, complete } = await user.get({ since: last });
      expect([Object.values(list).map((item) => item.url), complete]).toEqual([[url(n)], undefined]);
      last = since;
    }
  });

  test.each([
    ["an hour", 3600],
    ["a year", 366 * 86_400],
  ])(
    "a `since` of a replaced list whose clock was %s ahead is a first sync, too, and none that follows",
    async (_, lead) => {
      const { user, now } = await userOfRestored(lead);
      const { since, complete } = await user.get({ since: String(now + lead) });
      expect(complete).toBe("1");
      expect(await user.get({ since })).toMatchObject({ status: "2" });
    },
  );

  test("after a second restore, every `since` from the first is a first sync", () => {
    const first = clockAfterRestore({ lastSince: 5, changedAt: 5, highlightsAt: 0, keptAt: 0 }, 1000);
    expect(newestTime(first)).toBe(1000 + maxLeadSeconds + 1);
    expect(clockAfterRestore(first, 1001).firstSyncUpTo).toBe(newestTime(first));
  });
});
