import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, test } from "vitest";
import { newName, startTestService, type TestService } from "../service.ts";
import { commandsFor } from "./command-line.ts";

let service: TestService;
let commands: Awaited<ReturnType<typeof commandsFor>>;

beforeAll(async () => {
  service = await startTestService();
  commands = await commandsFor(service);
});

/** Seconds within which what an operator does holds everywhere. */
const promised = 10;

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

describe("a key that is made", () => {
  test("works at once, with the limits it was given", async () => {
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
    const { Items } = await service.table.client.send(new ScanCommand({ TableName: service.table.tableName }));
    expect(JSON.stringify(Items)).not.toContain(apiKey);
  });

  test("is random", async () => {
    const [one, other] = await Promise.all([newApplication(), newApplication()]);
    expect(one.apiKey).toMatch(/^[\w-]{32}$/);
    expect(other.apiKey).not.toBe(one.apiKey);
    expect(other.applicationId).not.toBe(one.applicationId);
  });

  test("needs a name that no other application has", async () => {
    const { name, applicationId } = await newApplication();
    for (const taken of [name, applicationId]) {
      const { code, err } = await commands.run("keys", "create", taken);
      expect([code, err]).toEqual([1, expect.stringMatching(/^readinglist: .*keys rotate\n$/)]);
    }
    expect((await commands.run("keys", "create", " ")).code).toBe(2);
  });
});

test("the list holds the key of npm start, by name and application id", async () => {
  const list = (await commands.ok("keys", "list")) as unknown as Shown[];
  expect(list).toContainEqual(expect.objectContaining({ applicationId: "local", name: "Local development" }));
  expect((await commands.run("keys", "list")).out).toContain("Local development");
});

test("a key that was disabled is 403 within 10 seconds, and works again as soon after it was enabled", async () => {
  const { apiKey, name } = await newApplication();
  expect(await statusOf(apiKey)).toBe(200);
  await commands.ok("keys", "disable", name);
  service.clock.advance(promised);
  expect(await statusOf(apiKey)).toBe(403);
  await commands.ok("keys", "enable", name);
  service.clock.advance(promised);
  expect(await statusOf(apiKey)).toBe(200);
});

test("limits are changed within 10 seconds, each for itself, and go back to the default", async () => {
  const { apiKey, name } = await newApplication("--user-limit", "7", "--key-limit", "9");
  await commands.ok("keys", "limits", name, "--key-limit", "20");
  expect(await show(name)).toMatchObject({ userLimit: 7, keyLimit: 20 });
  await commands.ok("keys", "limits", name, "--user-limit", "default", "--key-limit", "0");
  expect(await show(name)).toMatchObject({ userLimit: null, keyLimit: 0 });
  service.clock.advance(promised);
  const { headers } = await service.call("api", { apikey: apiKey });
  expect([headers.get("x-limit-user-limit"), headers.get("x-limit-key-limit")]).toEqual(["100000", "0"]);
});

describe("a key that is rotated", () => {
  test("leaves the application its id, limits and items", async () => {
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

  test("is refused within 10 seconds", async () => {
    const { apiKey, name } = await newApplication();
    expect(await statusOf(apiKey)).toBe(200);
    const { apiKey: next } = await commands.ok("keys", "rotate", name);
    service.clock.advance(promised);
    expect(await statusOf(apiKey)).toBe(403);
    expect(await statusOf(String(next))).toBe(200);
  });

  test("goes on with --keep-old until it is disabled by itself, and enable does not bring it back", async () => {
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

  test("stays disabled where the application is", async () => {
    const { name } = await newApplication();
    await commands.ok("keys", "disable", name);
    const next = String((await commands.ok("keys", "rotate", name)).apiKey);
    expect(await statusOf(next)).toBe(403);
  });
});

test.each([["disable"], ["rotate"]])("keys %s refuses where there is nobody to ask and no --yes", async (command) => {
  const { apiKey, name } = await newApplication();
  const { code, err } = await commands.run("keys", command, name);
  expect([code, err]).toEqual([2, expect.stringMatching(/--yes/)]);
  service.clock.advance(promised);
  expect(await statusOf(apiKey)).toBe(200);
});

test.each([["show"], ["disable"], ["enable"], ["rotate"], ["limits", "--key-limit", "1"]])(
  "keys %s of a name that nobody has is one line that says what to do",
  async (command, ...options) => {
    const { code, out, err } = await commands.run("keys", command, "nobody", "--yes", ...options);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toBe('readinglist: no application "nobody" has a key; see readinglist keys list\n');
  },
);
