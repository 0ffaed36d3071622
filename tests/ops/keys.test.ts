// SPDX-License-Identifier: MIT

import { newName } from "@reading-list/testing/client.ts";
import { commandsFor, runCommand } from "@reading-list/testing/command-line.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

let service: TestService;
let commands: Awaited<ReturnType<typeof commandsFor>>;

beforeAll(async () => {
  service = await startTestService();
  commands = await commandsFor(service);
});

/** Seconds after which a change of a key has taken effect in all functions: it does within 5 s (docs/api.md 5.1). */
const promised = 5.001;

const statusOf = async (apikey: string) => (await service.call("api", { apikey })).status;

async function newApplication(...options: string[]) {
  const made = await commands.ok("keys", "create", newName(), ...options);
  return made as { applicationId: string; name: string; apiKey: string };
}

interface Shown {
  applicationId: string;
  name: string;
  status: string;
  userLimit: number | null;
  keyLimit: number | null;
  keys: { key: string; status: string; replaced: number | null }[];
}

const show = async (name: string) => (await commands.ok("keys", "show", name)) as unknown as Shown;

describe("a created key", () => {
  test("works at once, with its own limits", async () => {
    const { apiKey } = await newApplication("--user-limit", "7", "--key-limit", "9");
    const { status, headers } = await service.call("api", { apikey: apiKey });
    expect([status, headers.get("x-limit-user-limit"), headers.get("x-limit-key-limit")]).toEqual([200, "7", "9"]);
  });

  test("is shown once, and only its hash is stored", async () => {
    const { apiKey, name, applicationId } = await newApplication();
    for (const args of [["list"], ["show", name], ["show", applicationId], ["show", name, "--json"]]) {
      const { out, err } = await commands.run("keys", ...args);
      expect(out).toContain(applicationId);
      expect(out + err).not.toContain(apiKey);
    }
    expect(JSON.stringify(await service.records())).not.toContain(apiKey);
  });

  test("is random", async () => {
    const [one, other] = await Promise.all([newApplication(), newApplication()]);
    expect(one.apiKey).toMatch(/^[\w-]{32}$/);
    expect(other.apiKey).not.toBe(one.apiKey);
    expect(other.applicationId).not.toBe(one.applicationId);
  });

  test("is refused if another application has its name", async () => {
    const { name, applicationId } = await newApplication();
    for (const taken of [name, applicationId]) {
      const { code, err } = await commands.run("keys", "create", taken);
      expect([code, err]).toEqual([1, expect.stringMatching(/^readinglist: .*keys rotate\n$/)]);
    }
    expect((await commands.run("keys", "create", " ")).code).toBe(2);
  });
});

describe("a registered key", () => {
  const register = (name: string, input: string) =>
    runCommand(["keys", "create", name, "--key-from-stdin", "--user-limit", "7"], commands.env, input);

  test.each(["\n", "", "\r\n"])("works at once and is never shown, if its line ends with %j", async (lineEnd) => {
    const [name, apiKey] = [newName(), `compiled in: ${newName()}`];
    const { code, out, err } = await register(name, `${apiKey}${lineEnd}`);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(new RegExp(`^Registered the given key for ${name} \\(.*\\)\\.\n$`));
    expect(out).not.toContain(apiKey);
    const { status, headers } = await service.call("api", { apikey: apiKey });
    expect([status, headers.get("x-limit-user-limit")]).toEqual([200, "7"]);
  });

  test("is refused if it exists, whatever its application", async () => {
    const before = await newApplication("--key-limit", "9");
    const name = newName();
    for (const existing of [before.apiKey, service.apiKey]) {
      const { code, err } = await register(name, `${existing}\n`);
      expect([code, err]).toEqual([1, "readinglist: this key already exists (see keys list); nothing was changed\n"]);
    }
    expect((await commands.run("keys", "show", name)).code).toBe(1);
    expect((await service.call("api", { apikey: before.apiKey })).headers.get("x-limit-key-limit")).toBe("9");
  });

  test.each([
    ["7 characters", "a".repeat(7)],
    ["129 characters", "a".repeat(129)],
    ["a character that is not ASCII", "naïve-key"],
    ["a control character", "tab\tbed-key"],
    ["a blank at the end", "blank-at-end "],
    ["nothing", ""],
  ])("of %s is refused", async (_, apiKey) => {
    const name = newName();
    const { code, err } = await register(name, `${apiKey}\n`);
    expect([code, err]).toEqual([1, expect.stringMatching(/8-128 printable ASCII characters.*nothing was changed\n$/)]);
    expect((await commands.run("keys", "show", name)).code).toBe(1);
  });

  test.each([[8], [128]])("may have %i characters", async (length) => {
    const apiKey = newName().padEnd(length, "~").slice(-length);
    expect((await register(newName(), `${apiKey}\r\n`)).code).toBe(0);
    expect(await statusOf(apiKey)).toBe(200);
  });
});

test("a disabled key is 403 within 5 seconds, and works within 5 seconds after it is enabled", async () => {
  const { apiKey, name } = await newApplication();
  expect(await statusOf(apiKey)).toBe(200);
  await commands.ok("keys", "disable", name);
  service.clock.advance(promised);
  expect(await statusOf(apiKey)).toBe(403);
  await commands.ok("keys", "enable", name);
  service.clock.advance(promised);
  expect(await statusOf(apiKey)).toBe(200);
});

test("each limit can be changed separately and reset to its default, within 5 seconds", async () => {
  const { apiKey, name } = await newApplication("--user-limit", "7", "--key-limit", "9");
  await commands.ok("keys", "limits", name, "--key-limit", "20");
  expect(await show(name)).toMatchObject({ userLimit: 7, keyLimit: 20 });
  await commands.ok("keys", "limits", name, "--user-limit", "default", "--key-limit", "0");
  expect(await show(name)).toMatchObject({ userLimit: null, keyLimit: 0 });
  service.clock.advance(promised);
  const { headers } = await service.call("api", { apikey: apiKey });
  expect([headers.get("x-limit-user-limit"), headers.get("x-limit-key-limit")]).toEqual(["100000", "0"]);
});

describe("a rotated key", () => {
  test("keeps the id, limits and items of its application", async () => {
    const { apiKey, name, applicationId } = await newApplication("--key-limit", "500");
    const user = await service.newUser();
    await user.add("http://example.com/mine", { apikey: apiKey });
    const rotated = await commands.ok("keys", "rotate", name);
    expect(rotated).toMatchObject({ applicationId, name });
    const apikey = String(rotated.apiKey);
    expect(apikey).not.toBe(apiKey);
    expect(await user.items({ apikey, myAppOnly: 1 })).toHaveLength(1);
    expect((await service.call("api", { apikey })).headers.get("x-limit-key-limit")).toBe("500");
  });

  test("is refused within 5 seconds", async () => {
    const { apiKey, name } = await newApplication();
    expect(await statusOf(apiKey)).toBe(200);
    const { apiKey: next } = await commands.ok("keys", "rotate", name);
    service.clock.advance(promised);
    expect(await statusOf(apiKey)).toBe(403);
    expect(await statusOf(String(next))).toBe(200);
  });

  test("works with --keep-old until it is disabled separately, and enable does not enable it", async () => {
    const { apiKey, name } = await newApplication();
    const next = String((await commands.ok("keys", "rotate", name, "--keep-old")).apiKey);
    expect([await statusOf(apiKey), await statusOf(next)]).toEqual([200, 200]);
    await commands.ok("keys", "disable", name, "--old");
    service.clock.advance(promised);
    expect([await statusOf(apiKey), await statusOf(next)]).toEqual([403, 200]);
    await commands.ok("keys", "enable", name);
    service.clock.advance(promised);
    expect([await statusOf(apiKey), await statusOf(next)]).toEqual([403, 200]);
    expect((await show(name)).keys.map(({ status }) => status)).toEqual(["disabled", "enabled"]);
  });

  test("stays disabled if the application is", async () => {
    const { name } = await newApplication();
    await commands.ok("keys", "disable", name);
    const next = String((await commands.ok("keys", "rotate", name)).apiKey);
    expect(await statusOf(next)).toBe(403);
  });
});

test.each([["disable"], ["rotate"]])("keys %s refuses to run without a terminal and --yes", async (command) => {
  const { apiKey, name } = await newApplication();
  const { code, err } = await commands.run("keys", command, name);
  expect([code, err]).toEqual([2, expect.stringMatching(/--yes/)]);
  service.clock.advance(promised);
  expect(await statusOf(apiKey)).toBe(200);
});

test.each([["show"], ["disable"], ["enable"], ["rotate"], ["limits", "--key-limit", "1"]])(
  "keys %s of an unknown name prints one line that says what to do",
  async (command, ...options) => {
    const { code, out, err } = await commands.run("keys", command, "nobody", "--yes", ...options);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toBe('readinglist: no application "nobody" has a key; see readinglist keys list\n');
  },
);
