// SPDX-License-Identifier: MIT

import { auth } from "@reading-list/core/contract/auth.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { type FuzzedService, startFuzzedService } from "./fuzzed-service.ts";
import { multipart, requestOf, urlencoded, writeForm, writeMultipart } from "./requests.ts";
import { writeRequest } from "./wire.ts";

let fuzzed: FuzzedService;
let user: TestUser;

beforeAll(async () => {
  fuzzed = await startFuzzedService();
  user = await fuzzed.newUser();
});

const mebibyte = 1024 * 1024;
const repeated = (unit: string, megabytes: number) => unit.repeat((megabytes * mebibyte) / unit.length);
/** Maximum number of measurements. The smallest counts: garbage collection and other processes only add time. */
const rounds = 12;
/** The cost of a byte may grow so much from 1 MB to 4 MB: it grows by 4 if the cost is quadratic. */
const maxGrowth = 2.5;

/** CPU milliseconds of this process for a call with valid parameters in the query, and `body`. */
async function costOf(type: string, body: string): Promise<number> {
  const request = requestOf(auth, fuzzed.givensOf(user), { headers: [["content-type", type]], body });
  const start = process.cpuUsage();
  const answer = await fuzzed.write("main", writeRequest(request));
  const { user: own, system } = process.cpuUsage(start);
  expect([200, 400]).toContain(answer?.status);
  return (own + system) / 1000;
}

/** A body of 4 MB costs 4 times as much as one of 1 MB if the cost is linear, and 16 times as much if it is quadratic. */
async function expectLinearCost(type: string, bodyOf: (megabytes: number) => string): Promise<void> {
  const least = [1, 2, 4].map((megabytes) => ({ megabytes, cost: Number.POSITIVE_INFINITY }));
  let growth = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && growth >= maxGrowth; round++) {
    for (const each of least) {
      each.cost = Math.min(each.cost, (await costOf(type, bodyOf(each.megabytes))) / each.megabytes);
    }
    const [one = 0, ...larger] = least.map(({ cost }) => cost);
    growth = Math.max(...larger) / one;
  }
  expect(growth).toBeLessThan(maxGrowth);
}

describe("the cost of reading a body is linear in its length:", () => {
  test.each([
    ["separators", "&"],
    ["names without values", "a&"],
    ["empty values", "a=&"],
    ["empty values of a known parameter", "title=&"],
    ["values of a known parameter that are not UTF-8", "password=%e9&"],
    ["names and values that are separators", "==&"],
    ["one name", "a"],
    ["equals signs", "="],
    ["spaces", "+"],
    ["percent signs", "%"],
    ["truncated percent sequences", "%e"],
    ["percent sequences that are not UTF-8", "%e9"],
    ["percent sequences of NUL", "%00"],
    ["raw bytes that are not UTF-8", "\xff"],
    ["JSON", '{"0":{'],
  ])("a form of %s", async (_, unit) => {
    await expectLinearCost(urlencoded, (megabytes) => repeated(unit, megabytes));
  });

  test("a form with one long value of a known parameter", async () => {
    await expectLinearCost(urlencoded, (megabytes) => `password=${repeated("%c3%a9", megabytes)}`);
  });

  const end = writeMultipart([]);
  const boundary = end.slice(2, -4);
  test.each([
    ["line breaks", "\r\n"],
    ["starts of a boundary", `\r\n--${boundary.slice(0, -1)}`],
    ["boundaries", `--${boundary}\r\n`],
    ["hyphens", "-"],
    ["headers", `--${boundary}\r\n${"a: b\r\n".repeat(50)}`],
  ])("a multipart body of %s", async (_, unit) => {
    await expectLinearCost(multipart, (megabytes) => `${repeated(unit, megabytes)}\r\n${end}`);
  });

  test("a multipart body of 9 MB of the shortest boundaries", async () => {
    const cost = await costOf("multipart/form-data; boundary=B", repeated("--B\r\n", 9));
    // Parsed to its end it costs 20 s.
    expect(cost).toBeLessThan(10 * (await costOf(urlencoded, repeated("a", 9))));
  });

  test.each([
    ["line breaks", "\r\n"],
    ["starts of a boundary", `\r\n--${boundary.slice(0, -1)}`],
    ["percent signs", "%"],
  ])("a multipart body with a part of %s", async (_, unit) => {
    const [before, after] = writeMultipart([{ name: "junk", value: "\0" }]).split("\0");
    await expectLinearCost(multipart, (megabytes) => `${before}${repeated(unit, megabytes)}${after}`);
  });
});

test("a call with more than 1,000 parameters is 400, whatever the others are", async () => {
  const givens = writeForm(fuzzed.givensOf(user));
  const call = (body: string) =>
    fuzzed.call(auth, requestOf(auth, [], { headers: [["content-type", urlencoded]], body }));
  expect((await call(`${givens}${"&a=b".repeat(997)}`)).status).toBe(200);
  const refused = await call(`${givens}${"&a=b".repeat(998)}`);
  expect(refused.status).toBe(400);
  expect(refused.headers.get("x-error")).toBe("auth: there are more than 1,000 parameters");
});
