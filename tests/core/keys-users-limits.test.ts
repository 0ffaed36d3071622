// SPDX-License-Identifier: MIT

import { request } from "node:http";
import { hashApiKey } from "@reading-list/core/domain/applications.ts";
import { type Answer, form, newName, TestUser } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ USER_LIMIT: "5", KEY_LIMIT: "1000" });
});

const limits = ({ headers }: Answer, whose: "user" | "key") =>
  ["limit", "remaining", "reset"].map((what) => Number(headers.get(`x-limit-${whose}-${what}`)));

/** A call that comes from another address of this machine. */
function callFrom(address: string, endpoint: string, parameters: Record<string, string>): Promise<number | undefined> {
  const body = form({ apikey: service.apiKey, ...parameters }).toString();
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const sent = request(service.urlOf(endpoint), { method: "POST", localAddress: address, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

describe("users", () => {
  test("who register the same name at the same time: exactly one succeeds", async () => {
    const username = newName();
    const passwords = Array.from({ length: 8 }, (_, i) => `password ${i}`);
    const answers = await Promise.all(passwords.map((password) => service.call("signup", { username, password })));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(7).fill(401)]);
    const winner = passwords[answers.findIndex((answer) => answer.status === 200)] ?? "";
    expect((await service.call("auth", { username, password: winner })).status).toBe(200);
  });

  test.each(["a", "a".repeat(20), "az09-_", "-", "_"])("may be called '%s'", async (username) => {
    expect((await service.call("signup", { username, password: "p" })).status).toBe(200);
  });

  test.each(["a".repeat(21), "Upper", "with space", "é", "a.b", "a@b", "a\n", "a\0", "😀"])(
    "called '%s' are 400 on every endpoint",
    async (username) => {
      for (const endpoint of ["signup", "auth", "add", "send", "get", "stats"]) {
        const answer = await service.call(endpoint, { username, password: "p", url: "http://example.com/" });
        expect(answer.status).toBe(400);
        expect(answer.headers.get("x-error")).toBe(
          `${endpoint}: username must be 1-20 characters of a-z, 0-9, - and _`,
        );
      }
    },
  );

  test("have passwords of 1-20 characters, however many bytes these are", async () => {
    for (const password of ["x", "a".repeat(20), "😀".repeat(20), "  ", "%&=+ ü"]) {
      const user = new TestUser(service, newName(), password);
      expect((await user.call("signup")).status).toBe(200);
      expect((await user.call("auth")).status).toBe(200);
    }
    for (const password of ["a".repeat(21), "😀".repeat(21)]) {
      const answer = await service.call("signup", { username: newName(), password });
      expect(answer.status).toBe(400);
      expect(answer.headers.get("x-error")).toBe("signup: password must be 1-20 characters");
    }
    const missing = await service.call("signup", { username: newName() });
    expect(missing.headers.get("x-error")).toBe("signup: password is missing");
  });

  test("who do not exist get the same 401 as a wrong password", async () => {
    const user = await service.newUser();
    const answers = await Promise.all([
      service.call("auth", { username: newName(), password: "wrong" }),
      user.call("auth", { password: "wrong" }),
    ]);
    const [unknown, wrong] = answers.map(({ status, headers, body }) => {
      const { date: _, ...rest } = Object.fromEntries(headers);
      return { status, body, rest: { ...rest, "x-limit-key-remaining": "" } };
    });
    expect(unknown?.status).toBe(401);
    expect(unknown).toEqual(wrong);
  });

  test("get 401 from every endpoint if their credentials are wrong", async () => {
    const user = await service.newUser();
    for (const endpoint of ["add", "send", "get", "stats", "auth"]) {
      const answer = await user.call(endpoint, { password: "wrong", url: "http://example.com/", new: "{}" });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("x-error")).toBe("username or password is incorrect");
    }
    expect((await user.stats()).count_list).toBe("0");
  });
});

describe("API keys", () => {
  test("are 403 within seconds after they are disabled, even if the clock was set back", async () => {
    const apikey = await service.newApiKey();
    const user = await service.newUser();
    service.clock.advance(3600);
    expect((await user.call("auth", { apikey })).status).toBe(200);
    service.clock.advance(-3600);
    await service.operator.changeApiKeys([[hashApiKey(apikey), { status: "disabled" }]]);
    service.clock.advance(10);
    expect((await user.call("auth", { apikey })).status).toBe(403);
  });

  test("and passwords are stored only as hashes", async () => {
    const apikey = await service.newApiKey();
    const user = await service.newUser();
    await user.call("auth", { apikey });
    const records = JSON.stringify(await service.records());
    expect(records).toContain(user.credentials.username);
    expect(records).not.toContain(`"${apikey}`);
    expect(records).not.toContain(user.credentials.password);
  });
});

describe("rate limits", () => {
  test("count a user's calls, and refuse further ones with 403 until the window ends", async () => {
    const user = await service.newUser();
    for (let used = 1; used <= 5; used++) {
      expect(limits(await user.call("auth"), "user").slice(0, 2)).toEqual([5, 5 - used]);
    }
    const before = await service.call("api");
    const refused = await user.call("get");
    expect(refused.status).toBe(403);
    expect(refused.headers.get("status")).toBe("403 Forbidden");
    expect(refused.headers.get("x-error")).toContain("rate limit of 5 calls for this username");
    const [, remaining, reset] = limits(refused, "user");
    expect(remaining).toBe(0);
    expect(refused.headers.get("retry-after")).toBe(String(reset));
    expect(limits(await service.call("api"), "key")).toEqual(limits(before, "key"));
    service.clock.advance(Number(reset));
    expect(limits(await user.call("auth"), "user").slice(0, 2)).toEqual([5, 4]);
  });

  test("hold for a user after a call to a machine whose clock is a day ahead", async () => {
    const user = await service.newUser();
    service.clock.advance(86_400);
    expect((await user.call("auth")).status).toBe(200);
    service.clock.advance(-86_400);
    expect(limits(await user.call("auth"), "user").slice(0, 2)).toEqual([5, 4]);
    service.clock.advance(3600);
    expect(limits(await user.call("auth"), "user").slice(0, 2)).toEqual([5, 4]);
  });

  test("are shared with a machine whose clock is already in the next window", async () => {
    const user = await service.newUser();
    service.clock.advance(3600);
    await user.ok("auth");
    service.clock.advance(-3600);
    expect(limits(await user.call("auth"), "user").slice(0, 2)).toEqual([5, 3]);
    service.clock.advance(3600);
    expect(limits(await user.call("auth"), "user").slice(0, 2)).toEqual([5, 2]);
  });

  test("reset at the full hour", async () => {
    const user = await service.newUser();
    const seconds = service.clock.seconds();
    expect(limits(await user.call("auth"), "user")[2]).toBe(3600 - (seconds % 3600));
    expect(limits(await user.call("auth"), "key")[2]).toBe(3600 - (seconds % 3600));
  });

  test("count a key's calls to every endpoint except api, and refuse further ones with 403", async () => {
    const apikey = await service.newApiKey({ keyLimit: 4 });
    const user = await service.newUser();
    const call = (endpoint: string, parameters = {}) => user.call(endpoint, { apikey, ...parameters });
    expect(limits(await call("auth"), "key").slice(0, 2)).toEqual([4, 3]);
    expect(limits(await call("api"), "key").slice(0, 2)).toEqual([4, 3]);
    expect(limits(await call("signup", { username: newName() }), "key").slice(0, 2)).toEqual([4, 2]);
    expect(limits(await call("auth", { password: "wrong" }), "key").slice(0, 2)).toEqual([4, 1]);
    expect(limits(await call("get", { count: "x" }), "key").slice(0, 2)).toEqual([4, 0]);
    const used = limits(await user.call("auth"), "user")[1];
    for (const endpoint of ["auth", "get", "text"]) {
      const refused = await call(endpoint, { url: "http://example.com/" });
      expect(refused.status).toBe(403);
      expect(refused.headers.get("x-error")).toContain("rate limit of 4 calls for this apikey");
      expect(limits(refused, "key")[1]).toBe(0);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect((await call("api")).status).toBe(200);
    expect(limits(await user.call("auth"), "user")[1]).toBe(Number(used) - 1);
  });

  test("count invalid calls against their key, and show its limits", async () => {
    const apikey = await service.newApiKey({ keyLimit: 4 });
    const answers = [
      await service.call("add", { apikey, url: "nonsense" }),
      await service.fetch(`${service.urlOf("add")}?apikey=${apikey}&title=%ff`),
      await service.fetch(`${service.urlOf("add")}?apikey=${apikey}`, { method: "POST", body: "{}" }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([400, 400, 400]);
    expect(answers.map((answer) => limits(answer, "key").slice(0, 2))).toEqual([
      [4, 3],
      [4, 2],
      [4, 1],
    ]);
  });

  test("are 320 per user and 10,000 per key in a clock hour by default", async () => {
    const byDefault = await startTestService({ USER_LIMIT: "", KEY_LIMIT: "", LIMIT_WINDOW_SECONDS: "" });
    const answer = await (await byDefault.newUser()).call("auth");
    const reset = 3600 - (byDefault.clock.seconds() % 3600);
    expect(limits(answer, "user")).toEqual([320, 319, reset]);
    expect(limits(answer, "key")).toEqual([10_000, 9998, reset]);
  });

  test("are exact for concurrent calls", async () => {
    const apikey = await service.newApiKey({ keyLimit: 20, userLimit: 1000 });
    const user = await service.newUser();
    const answers = await Promise.all(Array.from({ length: 40 }, () => user.call("auth", { apikey })));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(20);
    expect(answers.filter((answer) => answer.status === 403)).toHaveLength(20);
    expect(limits(await service.call("api", { apikey }), "key")[1]).toBe(0);
    expect(limits(await user.call("auth", { apikey: await service.newApiKey({ userLimit: 1000 }) }), "user")[1]).toBe(
      1000 - 21,
    );
  });

  test("show the user's limit as unused if a call names no user", async () => {
    expect(limits(await service.call("api"), "user").slice(0, 2)).toEqual([5, 5]);
    expect(limits(await service.call("auth", { username: newName(), password: "p" }), "user").slice(0, 2)).toEqual([
      5, 5,
    ]);
  });

  test("of the user are not counted by api and text, which ignore username and password", async () => {
    const parameters = { username: "NOT VALID", password: "x".repeat(30), url: "ftp://example.com/" };
    expect((await service.call("api", parameters)).status).toBe(200);
    expect((await service.call("text", parameters)).headers.get("x-error")).toBe("text: url is not an http(s) URL");
  });
});

describe("a send", () => {
  const pages = (count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, i) => ({ url: `http://a.example/${i}` })));

  test("counts a call for each 99 items that it touches, against user and key", async () => {
    const apikey = await service.newApiKey({ userLimit: 10, keyLimit: 100 });
    const user = await service.newUser();
    const send = (parameters: Record<string, string>) => user.call("send", { apikey, ...parameters });
    expect(limits(await send({ new: pages(99), read: pages(99) }), "user")[1]).toBe(9);
    expect(limits(await send({ new: pages(100) }), "user")[1]).toBe(7);
    const answer = await send({ read: "[]" });
    expect([limits(answer, "user")[1], limits(answer, "key")[1]]).toEqual([6, 96]);
  });

  test("is 403 if the rest of the window is too small, and says how much is left; in a new window it is admitted", async () => {
    const apikey = await service.newApiKey({ userLimit: 2 });
    const user = await service.newUser();
    await user.ok("auth", { apikey });
    const refused = await user.call("send", { apikey, new: pages(300) });
    expect(refused.status).toBe(403);
    expect(refused.headers.get("x-error")).toContain("this send counts as more calls than are left (1 of 2");
    expect((await user.stats()).count_list).toBe("0");
    service.clock.advance(3600);
    const admitted = await user.call("send", { apikey, new: pages(300) });
    expect([admitted.status, limits(admitted, "user")[1]]).toEqual([200, 0]);
    expect((await user.call("auth", { apikey })).status).toBe(403);
  });
});

describe("a public key", () => {
  const callWith = (address: string, apikey: string) =>
    callFrom(address, "auth", { apikey, username: newName(), password: "wrong" });

  test("gives each address a share of its calls; beyond it 403 for that address, and the key is not used up", async () => {
    service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "3", USER_LIMIT: "5", KEY_LIMIT: "1000" });
    const apikey = await service.newApiKey({ keyLimit: 100, isPublic: true });
    for (let call = 0; call < 3; call++) expect(await callWith("127.0.0.4", apikey)).toBe(401);
    for (let call = 0; call < 3; call++) expect(await callWith("127.0.0.4", apikey)).toBe(403);
    expect(await callWith("127.0.0.5", apikey)).toBe(401);
    const answer = await service.call("api", { apikey });
    expect(limits(answer, "key").slice(0, 2)).toEqual([3, 3]);
    const other = await service.newApiKey({ keyLimit: 100 });
    for (let call = 0; call < 5; call++) expect(await callWith("127.0.0.4", other)).toBe(401);
  });

  test("counts the calls of a signed-in user only against the user, without calls that the user's limit refuses", async () => {
    const apikey = await service.newApiKey({ userLimit: 5, isPublic: true });
    const user = await service.newUser();
    for (let call = 0; call < 5; call++) {
      const answer = await user.call("auth", { apikey });
      expect([answer.status, limits(answer, "key")[1], limits(answer, "user")[1]]).toEqual([200, 3, 4 - call]);
    }
    expect((await user.call("auth", { apikey })).status).toBe(403);
    expect(limits(await service.call("api", { apikey }), "key")[1]).toBe(3);
  });

  test("with its own user limit compares it with the calls through it, which also count for other keys", async () => {
    const own = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "3", USER_LIMIT: "6", KEY_LIMIT: "1000" });
    const apikey = await own.newApiKey({ userLimit: 2, isPublic: true });
    const user = await own.newUser();
    const left = async (parameters = {}) => {
      const answer = await user.call("auth", parameters);
      return [answer.status, ...limits(answer, "user").slice(0, 2)];
    };
    for (const remaining of [5, 4, 3]) expect(await left()).toEqual([200, 6, remaining]);
    expect(await left({ apikey })).toEqual([200, 2, 1]);
    expect(await left({ apikey })).toEqual([200, 2, 0]);
    expect(await left({ apikey })).toEqual([403, 2, 0]);
    expect(await left()).toEqual([200, 6, 0]);
    own.clock.advance(3600);
    expect(await left({ apikey })).toEqual([200, 2, 1]);
    expect(await left()).toEqual([200, 6, 4]);
  });

  test("without its own user limit lets nobody make more calls than with other keys", async () => {
    const own = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "3", USER_LIMIT: "2", KEY_LIMIT: "1000" });
    const apikey = await own.newApiKey({ isPublic: true });
    const user = await own.newUser();
    await user.ok("auth");
    await user.ok("auth");
    expect((await user.call("auth", { apikey })).status).toBe(403);
  });

  test("is 403 for an address without calls left, except with a right app password", async () => {
    const apikey = await service.newApiKey({ isPublic: true });
    const user = await service.newUser();
    const { password } = JSON.parse((await user.ok("app_passwords", { create: "Phone" })).body);
    for (let call = 0; call < 3; call++)
      expect((await user.call("auth", { apikey, password: "wrong" })).status).toBe(401);
    const refused = await user.call("auth", { apikey });
    expect(refused.headers.get("x-error")).toMatch(
      /^rate limit of 3 calls from your address for this apikey reached; wait \d+ seconds$/,
    );
    expect((await user.call("auth", { apikey, password: "a".repeat(20) })).status).toBe(403);
    expect((await user.call("auth", { apikey, password })).status).toBe(200);
  });
});

describe("the brute-force lockout", () => {
  test("refuses an address after 10 wrong passwords for a username, and no other address", async () => {
    const user = await service.newUser();
    const { username, password } = user.credentials;
    for (let guess = 1; guess <= 10; guess++) {
      expect(await callFrom("127.0.0.2", "auth", { username, password: `guess ${guess}` })).toBe(401);
    }
    const before = limits(await service.call("api"), "key");
    expect(await callFrom("127.0.0.2", "auth", { username, password: "guess 11" })).toBe(403);
    expect(limits(await service.call("api"), "key")).toEqual(before);
    expect(await callFrom("127.0.0.2", "auth", { username, password })).toBe(403);
    expect(limits(await user.call("auth"), "user").slice(0, 2)).toEqual([5, 4]);
    service.clock.advance(900);
    expect(await callFrom("127.0.0.2", "auth", { username, password })).toBe(200);
  });

  test("refuses the application that sent the wrong passwords, and no other application of the same address", async () => {
    const user = await service.newUser();
    const apikey = await service.newApiKey();
    for (let guess = 1; guess <= 10; guess++) await user.call("auth", { apikey, password: `guess ${guess}` });
    expect((await user.call("auth", { apikey })).status).toBe(403);
    expect((await user.call("auth")).status).toBe(200);
  });

  test("also refuses an address that sent the right password before", async () => {
    const user = await service.newUser();
    expect((await user.call("auth")).status).toBe(200);
    for (let guess = 1; guess <= 10; guess++) await user.call("auth", { password: `guess ${guess}` });
    const refused = await user.call("auth");
    expect(refused.status).toBe(403);
    expect(refused.headers.get("x-error")).toContain("too many wrong passwords");
    expect(refused.headers.get("retry-after")).toBe("900");
  });

  test("does not reveal whether a username exists", async () => {
    const username = newName();
    for (let guess = 1; guess <= 10; guess++) {
      expect(await callFrom("127.0.0.3", "auth", { username, password: `guess ${guess}` })).toBe(401);
    }
    expect(await callFrom("127.0.0.3", "auth", { username, password: "guess 11" })).toBe(403);
  });

  test("ends after 15 minutes", async () => {
    const user = await service.newUser();
    for (let guess = 1; guess <= 9; guess++) await user.call("auth", { password: "wrong" });
    service.clock.advance(901);
    for (let guess = 1; guess <= 9; guess++) expect((await user.call("auth", { password: "wrong" })).status).toBe(401);
    expect((await user.call("auth")).status).toBe(200);
  });
});

describe("the order of checks", () => {
  test("is syntax, key, limits, credentials", async () => {
    const disabled = await service.newApiKey({ status: "disabled" });
    const spent = await service.newApiKey({ keyLimit: 0 });
    const noUserCalls = await service.newApiKey({ userLimit: 0 });
    const wrong = { username: newName(), password: "wrong" };
    expect((await service.call("auth", { apikey: "unknown", username: "UPPER", password: "x" })).status).toBe(400);
    expect((await service.call("auth", { ...wrong, apikey: "unknown" })).status).toBe(401);
    expect((await service.call("get", { ...wrong, apikey: disabled, count: 0 })).status).toBe(400);
    expect((await service.call("auth", { ...wrong, apikey: disabled })).headers.get("x-error")).toBe(
      "apikey was disabled",
    );
    expect((await service.call("auth", { ...wrong, apikey: spent })).status).toBe(403);
    const user = await service.newUser();
    expect((await user.call("auth", { password: "wrong", apikey: noUserCalls })).status).toBe(401);
    expect((await user.call("auth", { apikey: noUserCalls })).status).toBe(403);
  });

  test("begins with maintenance: 503 with the operator's text, on every endpoint, within 10 seconds", async () => {
    const words = "Back at noon: wir räumen auf.\nPlease wait.";
    await service.operator.beginMaintenance({ text: words });
    service.clock.advance(10);
    for (const endpoint of ["add", "send", "stats", "get", "auth", "signup", "text", "api"]) {
      const answer = await service.call(endpoint, { apikey: "" });
      expect(answer.status).toBe(503);
      expect(answer.headers.get("status")).toBe("503 Service Unavailable");
      expect(answer.headers.get("x-error")).toBe("Back at noon: wir r?umen auf. Please wait.");
      expect(answer.headers.get("x-limit-key-limit")).toBe("0");
    }
    await service.operator.endMaintenance();
    service.clock.advance(10);
    expect((await service.call("api")).status).toBe(200);
  });
});
