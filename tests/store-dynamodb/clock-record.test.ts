// SPDX-License-Identifier: MIT

import { startOfDay } from "@reading-list/core/domain/sign-in.ts";
import { ClockGuard } from "@reading-list/core/use-cases/operator/clock-guard.ts";
import { startDynamodbService } from "@reading-list/testing/test-service.ts";
import { expect, test } from "vitest";

const day = 86_400;

test("a table stores the last run of its schedule, and the newest day on which a page was deleted", async () => {
  const service = await startDynamodbService();
  const { operator } = service;
  const now = service.clock.seconds();
  expect(await operator.clock.newestChange(now)).toBeUndefined();
  const user = await service.newUser();
  await user.add("http://a.example/");
  await user.send({ delete: [{ url: "http://a.example/" }] });
  expect(await operator.clock.newestChange(now + 365 * day)).toBe(startOfDay(now));
  expect(await operator.clock.newestChange(startOfDay(now) - day)).toBeUndefined();

  const permitAt = (seconds: number) => new ClockGuard(operator.clock, { now: () => seconds * 1000 }).permit();
  expect(await permitAt(now)).toBeDefined();
  expect(await permitAt(now + 365 * day)).toBeUndefined();
  expect((await operator.clock.find()).doubt).toEqual({ base: now, runs: [now + 365 * day] });
  expect(await permitAt(now)).toBeDefined();
  await new ClockGuard(operator.clock, { now: () => (now + 365 * day) * 1000 }).confirm();
  expect(await permitAt(now + 370 * day)).toBeDefined();
});
