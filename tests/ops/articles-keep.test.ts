// SPDX-License-Identifier: MIT

import type { PageKeeper } from "@reading-list/core/use-cases/articles/keep-pages.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { commandsFor } from "@reading-list/testing/command-line.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { articlePage, page, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let keeper: PageKeeper;
let user: TestUser;
let commands: Awaited<ReturnType<typeof commandsFor>>;
let origin: string;
const pages = 3;

beforeAll(async () => {
  const server = await startPageServer(page(articlePage));
  atEndOfFile(server.stop);
  origin = server.origin;
  const env = { TEXT_ALLOWED_ORIGINS: origin };
  // Commands have the clock of the machine.
  const clock = new FakeClock(Math.floor(Date.now() / 1000));
  service = await startTestService(env, { clock, takeKeeper: (each) => (keeper = each) });
  commands = await commandsFor(service);
});
/** A list of years: the service does not save its pages by itself. */
beforeEach(async () => {
  user = await service.newUser();
  const urls = Array.from({ length: pages }, (_, i) => `${origin}/${user.credentials.username}/${i}`);
  await user.send({ new: urls.map((url) => ({ url, time_added: 1_500_000_000 })) });
});

const keep = (...args: string[]) => commands.run("articles", "keep", ...args);
const counts = async () => {
  const { count_kept: kept, count_waiting: waiting } = JSON.parse((await user.ok("kept", {})).body);
  return { kept, waiting };
};
async function work(): Promise<void> {
  for (let turn = 0; turn < pages; turn++) {
    await keeper.round();
    await keeper.finish();
    service.clock.advance(2);
  }
}

test("articles keep asks for all pages of a list, which the service then keeps", async () => {
  await work();
  expect(await counts()).toEqual({ kept: "0", waiting: "0" });
  expect((await keep(user.credentials.username, "--no-wait")).out).toContain("Asked the service to save 3 pages.");
  expect(await counts()).toEqual({ kept: "0", waiting: "3" });
  await work();
  expect(await counts()).toEqual({ kept: "3", waiting: "0" });
  expect((await keep(user.credentials.username)).out).toContain("All pages have saved copies.");
});

test("articles keep can be repeated, and shows the progress until all is read", async () => {
  await keep(user.credentials.username, "--no-wait");
  await keeper.round();
  await keeper.finish();
  const watching = keep(user.credentials.username);
  await expect
    .poll(async () => {
      await work();
      return (await counts()).waiting;
    })
    .toBe("0");
  expect((await watching).out).toMatch(/\d of \d pages? done, 0 could not be read\./);
});

test("articles keep --all asks for the lists of all users; without users or --all it says so", async () => {
  expect(await keep("--all", "--no-wait", "--json")).toMatchObject({
    err: "",
    out: expect.stringContaining('"asked":'),
  });
  expect(await counts()).toEqual({ kept: "0", waiting: "3" });
  expect(await keep()).toMatchObject({ code: 2, err: expect.stringContaining("--all") });
  expect(await keep("nobody-here")).toMatchObject({ code: 1, err: expect.stringContaining("nobody-here") });
});
