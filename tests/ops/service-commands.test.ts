// SPDX-License-Identifier: MIT

import { readFileSync } from "node:fs";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { newName } from "@reading-list/testing/client.ts";
import { commandsFor } from "@reading-list/testing/command-line.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

let service: TestService;
let commands: Awaited<ReturnType<typeof commandsFor>>;

beforeAll(async () => {
  service = await startTestService();
  commands = await commandsFor(service);
});

/** Seconds within which a change by an operator takes effect in all functions. */
const promised = 10;

describe("maintenance", () => {
  test("on answers every call with 503 and the text within 10 seconds; off ends this within 10 seconds", async () => {
    const user = await service.newUser();
    expect(await commands.ok("maintenance", "status")).toEqual({ maintenance: false });
    const on = await commands.ok("maintenance", "on", "Back at 14:00 UTC");
    expect(on).toEqual({ maintenance: true, text: "Back at 14:00 UTC", since: expect.any(Number) });
    service.clock.advance(promised);
    for (const { name } of endpoints) {
      const { status, headers } = await user.call(name, { url: "http://example.com/" });
      expect([status, headers.get("x-error")]).toEqual([503, "Back at 14:00 UTC"]);
    }
    expect((await commands.run("maintenance", "status")).out).toMatch(
      /^Maintenance is on since .*: Back at 14:00 UTC\n$/,
    );
    expect(await commands.ok("maintenance", "off")).toEqual({ maintenance: false });
    service.clock.advance(promised);
    expect((await user.call("auth")).status).toBe(200);
  });

  test.each([[""], ["two\nlines"], ["naïve"], ["x".repeat(201)]])(
    "refuses a text that is not valid in a header: %j",
    async (text) => {
      expect((await commands.run("maintenance", "on", text)).code).toBe(2);
      expect(await commands.ok("maintenance", "status")).toEqual({ maintenance: false });
    },
  );
});

test("usage prints the calls of each application by window, newest first", async () => {
  const apikey = newName();
  const record = {
    applicationId: apikey,
    name: `App ${apikey}`,
    status: "enabled",
    keyLimit: 900,
    created: 0,
  } as const;
  await service.operator.createApiKey(apikey, record);
  const user = await service.newUser();
  const start = service.clock.seconds() - (service.clock.seconds() % 3600);
  for (let i = 0; i < 3; i++) await user.call("auth", { apikey });
  service.clock.advance(3600);
  await user.call("auth", { apikey });
  const entry = {
    applicationId: apikey,
    name: `App ${apikey}`,
    keyLimit: 900,
    windows: [
      { start: start + 3600, calls: 1 },
      { start, calls: 3 },
    ],
  };
  expect(await commands.ok("usage")).toContainEqual(entry);
  expect(await commands.ok("usage", apikey, "--windows", "1")).toEqual([{ ...entry, windows: [entry.windows[0]] }]);
  expect((await commands.run("usage", apikey)).out).toMatch(/WINDOW FROM.*CALLS[\s\S]*\s3\s+900/);
});

describe("doctor", () => {
  interface Examination {
    ok: boolean;
    checks: { check: string; ok: boolean; finding: string }[];
  }

  test("reports no fault for a correct service", async () => {
    const { ok, checks } = (await commands.ok("doctor")) as unknown as Examination;
    expect(checks.filter((check) => !check.ok)).toEqual([]);
    const names = ["database", "disk", "pictures", "clock", "clocks", "counts", "highlights", "progress", "trash"];
    expect([ok, checks.map(({ check }) => check)]).toEqual([true, names]);
  });
});

describe("a wrong command line exits with 2 and one line that says why:", () => {
  test.each([
    ["keys", "create"],
    ["keys", "show", "a", "b"],
    ["keys", "create", "a", "--key-limit", "many"],
    ["keys", "create", "a", "--unknown"],
    ["keys", "limits", "a"],
    ["usage", "--windows", "0"],
    ["nonsense"],
    ["keys", "nonsense"],
  ])("%s %s %s %s", async (...args) => {
    const { code, out, err } = await commands.run(...args.filter((arg) => arg !== undefined));
    expect([code, out]).toEqual([2, ""]);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
  });
});

test("--version prints the version of the package", async () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(await commands.run("--version")).toMatchObject({ code: 0, out: `${version}\n` });
});

test.each([[], ["keys"], ["keys", "create"], ["users"], ["users", "delete"], ["maintenance"], ["usage"], ["doctor"]])(
  "%s %s --help describes it and exits with 0",
  async (...args) => {
    const { code, out } = await commands.run(...args, "--help");
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: readinglist/);
    expect(out).toContain("--json");
  },
);
