// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { commandsFor } from "@reading-list/testing/command-line.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeEach, expect, test } from "vitest";

let service: TestService;
let commands: Awaited<ReturnType<typeof commandsFor>>;
let user: TestUser;
/** The `since` of a client before the clock was wrong, and of one that has synced with it. */
let earlier: string;
let wrong: string;

const url = (i: number) => `http://example.com/${i}`;
const year = 366 * 86_400;
const urlsOf = ({ list }: { list: Record<string, { url: string }> }) => Object.values(list).map((item) => item.url);

/** A list with items that were changed while the clock was a year ahead. */
beforeEach(async () => {
  service = await startTestService();
  commands = await commandsFor(service);
  user = await service.newUser();
  await user.send({ new: [1, 2, 3, 4].map((i) => ({ url: url(i) })) });
  service.clock.advance(1);
  earlier = (await user.get()).since;
  service.clock.advance(year);
  await user.send({ new: [{ url: url(5) }], read: [{ url: url(2) }] });
  service.clock.advance(5);
  await user.send({ update_title: [{ url: url(1), title: "One" }], delete: [{ url: url(3) }] });
  wrong = (await user.get()).since;
  service.clock.advance(60 - year);
});

const clocks = async () => {
  const { out } = await commands.run("doctor", "--json");
  const { checks } = JSON.parse(out) as { checks: { check: string; ok: boolean; finding: string }[] };
  return checks.find(({ check }) => check === "clocks");
};

test("the `since` of a clock that was ahead is accepted, and doctor reports the list", async () => {
  expect(await user.get({ since: wrong })).toMatchObject({ status: "2", since: wrong });
  expect((await user.call("get", { since: String(Number(wrong) + 1) })).status).toBe(400);
  expect(await clocks()).toMatchObject({ ok: false, finding: expect.stringContaining("users repair-clock --all") });
});

test("a list is repaired only in maintenance, after every process has noticed it", async () => {
  const refused = await commands.run("users", "repair-clock", "--all");
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("start maintenance first")]);
  await commands.ok("maintenance", "on", "Back soon");
  const early = await commands.run("users", "repair-clock", "--all");
  expect([early.code, early.err]).toEqual([1, expect.stringContaining("run the command again in 10 seconds")]);
});

test("a repair sets the times back, and every client gets every change", async () => {
  const before = urlsOf(await user.get());
  await service.operator.beginMaintenance({ text: "Back soon", since: 1 });
  const { username } = user.credentials;
  expect(await commands.ok("users", "repair-clock", "--all")).toEqual([username]);
  expect(await commands.ok("users", "repair-clock", username)).toEqual([]);
  await service.operator.endMaintenance();
  expect(await clocks()).toMatchObject({ ok: true });

  const now = Math.ceil(Date.now() / 1000);
  // The command follows the clock of this machine, up to an hour ahead of the service's.
  service.clock.advance(3600);
  const whole = await user.get({ since: wrong, deleted: 1 });
  expect(whole).toMatchObject({ status: "1", complete: "1" });
  expect(urlsOf(whole)).toEqual(before);
  for (const item of Object.values(whole.list)) {
    expect(Number(item.time_updated)).toBeLessThanOrEqual(now);
    expect(Number(item.time_added)).toBeLessThanOrEqual(Number(item.time_updated));
  }
  const changes = await user.get({ since: earlier, deleted: 1 });
  expect(urlsOf(changes)).toEqual([url(1), url(2), url(5)].sort((a, b) => before.indexOf(a) - before.indexOf(b)));
  expect(Object.keys(changes.deleted ?? {})).toHaveLength(1);
  await user.add(url(6));
  expect(urlsOf(await user.get({ since: changes.since }))).toEqual([url(6)]);
  expect(await commands.ok("users", "recount", username)).toEqual([]);
});
