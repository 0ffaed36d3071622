// SPDX-License-Identifier: MIT

import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { type FuzzedService, startFuzzedService } from "./fuzzed-service.ts";
import { type Given, multipart, requestOf, urlencoded, writeForm, writeMultipart } from "./requests.ts";
import { utf8, type WireRequest } from "./wire.ts";

const posted = (type: string, body: string): Pick<WireRequest, "headers" | "body"> => ({
  headers: [["content-type", type]],
  body,
});
const halves = (givens: readonly Given[]) =>
  [0, 1].map((half) => givens.filter((_, i) => i % 2 === half)) as [Given[], Given[]];
const wrong = (givens: readonly Given[]) => givens.map(({ name }) => ({ name, value: "wrong" }));

/** Every encoding of the same parameters. */
const encodings: Record<string, (contract: EndpointContract, givens: readonly Given[]) => WireRequest> = {
  "a query": requestOf,
  "a query with other values before": (contract, givens) => requestOf(contract, [...wrong(givens), ...givens]),
  "a form": (contract, givens) => requestOf(contract, [], posted(urlencoded, writeForm(givens))),
  "a sloppy form": (contract, givens) =>
    requestOf(contract, [], posted(`${urlencoded};charset=UTF-8`, `&${writeForm(givens, true)}&junk=%ff`)),
  "a multipart body": (contract, givens) => requestOf(contract, [], posted(multipart, writeMultipart(givens))),
  "query and form": (contract, givens) => {
    const [query, rest] = halves(givens);
    return requestOf(contract, [...query, ...wrong(rest)], posted(urlencoded, writeForm(rest)));
  },
  "query and multipart body": (contract, givens) => {
    const [query, rest] = halves(givens);
    return requestOf(contract, [...query, ...wrong(rest)], posted(multipart, writeMultipart(rest)));
  },
};

let fuzzed: FuzzedService;
let users: Map<string, TestUser>;

beforeAll(async () => {
  fuzzed = await startFuzzedService();
  users = new Map();
  for (const encoding of Object.keys(encodings)) users.set(encoding, await fuzzed.newUser());
});

const url = fc.constantFrom(
  "http://example.com/?a=1&b=2+3#/ü",
  "http://example.com/漢%20字",
  "http://example.com/+%2B",
);
const text = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }).filter((value) => !value.includes("\0")),
  fc.constantFrom(" a ", "a\r\n", "\r\n\r\n--", "\ufeffa", "a+b", "100%", "%41", "a&b=c;d", '"\\"'),
);
const entries = fc
  .array(fc.record({ url, title: text, tags: text }), { maxLength: 4 })
  .map((list) => JSON.stringify(list));
const flag = fc.constantFrom("0", "1");
const number = fc.nat(5).map((value) => String(value + 1));

/** Calls that must succeed. */
const parametersOf: Record<string, fc.Arbitrary<Record<string, string>>> = {
  add: fc.record({ url, title: text, ref_id: text }, { requiredKeys: ["url"] }),
  send: fc.record(
    { new: entries, read: entries, update_title: entries, update_tags: entries },
    { requiredKeys: ["new"] },
  ),
  get: fc.record(
    {
      format: fc.constantFrom("json", "xml"),
      state: fc.constantFrom("read", "unread"),
      myAppOnly: flag,
      tags: flag,
      since: number,
      count: number,
      page: number,
    },
    { requiredKeys: [] },
  ),
  stats: fc.record({ format: fc.constantFrom("json", "xml") }, { requiredKeys: [] }),
};

const cases = endpoints.flatMap((contract) => {
  const parameters = parametersOf[contract.name];
  return parameters ? [{ name: contract.name, contract, parameters }] : [];
});

describe.each(cases)("$name", ({ contract, parameters: valid }) => {
  test("has the same effect and answer in every encoding of its parameters", async () => {
    await fc.assert(
      fc.asyncProperty(valid, async (parameters) => {
        fuzzed.service.clock.advance(1);
        const outcomes = new Map<string, unknown>();
        for (const [encoding, user] of users) {
          const bytes = Object.entries(parameters).map(([name, value]): [string, string] => [name, utf8(value)]);
          const givens = fuzzed.givensOf(user, Object.fromEntries(bytes));
          const { status, body } = await fuzzed.call(contract, encodings[encoding]?.(contract, givens) as WireRequest);
          expect(status).toBe(200);
          outcomes.set(encoding, { body, items: await user.items() });
        }
        const [first] = outcomes.values();
        for (const [encoding, outcome] of outcomes) expect([encoding, outcome]).toEqual([encoding, first]);
      }),
      runs(8),
    );
  });
});
