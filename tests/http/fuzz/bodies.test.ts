// SPDX-License-Identifier: MIT

import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import fc from "fast-check";
import { beforeAll, describe, test } from "vitest";
import { type FuzzedService, startFuzzedService } from "./fuzzed-service.ts";
import {
  bodyKinds,
  type Given,
  multipart,
  mutationsOf,
  requestOf,
  urlencoded,
  writeForm,
  writeMultipart,
} from "./requests.ts";
import { utf8 } from "./wire.ts";

let fuzzed: FuzzedService;
/** Passwords may end up in a title of the writing user, whose list is never read. */
let writer: TestUser;
let reader: TestUser;

beforeAll(async () => {
  fuzzed = await startFuzzedService();
  [writer, reader] = [await fuzzed.newUser(), await fuzzed.newUser()];
});

const entries = JSON.stringify({ 0: { url: "http://example.com/ü", title: "é😀", tags: "a,b" } });
const parameters: Record<string, Record<string, string>> = {
  add: { url: "http://example.com/?a=b&c=d", title: "Grüße 100%", ref_id: "77" },
  send: { new: entries, read: entries, update_title: entries, update_tags: entries },
  stats: { format: "xml" },
  get: { format: "xml", state: "unread", since: "1", count: "3", page: "2", tags: "1", myAppOnly: "1" },
  text: { mode: "more", images: "1" },
};

const toBytes = (givens: Given[]) => givens.map(({ name, value }) => ({ name, value: utf8(value) }));

describe.each(endpoints)("$name", (contract) => {
  test.each(bodyKinds)("follows docs/api.md whatever the bytes of a %s body are", async (kind) => {
    const user = contract.name === "get" ? reader : writer;
    const givens = toBytes(fuzzed.givensOf(user, parameters[contract.name]));
    // Not in the body, because a changed byte there could name a host on the internet.
    const query = contract.name === "text" ? fuzzed.pageGivens() : [];
    const [type, body] =
      kind === "urlencoded" ? [urlencoded, writeForm(givens, true)] : [multipart, writeMultipart(givens)];
    await fc.assert(
      fc.asyncProperty(mutationsOf(body), async (mutated) => {
        await fuzzed.call(contract, requestOf(contract, query, { headers: [["content-type", type]], body: mutated }));
      }),
      runs(contract.name === "signup" ? 25 : 50),
    );
    await fuzzed.expectAlive(user);
  });

  test("follows docs/api.md whatever the Content-Type of a multipart body is", async () => {
    const givens = toBytes(fuzzed.givensOf(reader, parameters[contract.name]));
    const query = contract.name === "text" ? fuzzed.pageGivens() : [];
    const types = mutationsOf(multipart).map((type) => type.replaceAll(/[^\t -~\x80-\xff]/g, "?"));
    await fc.assert(
      fc.asyncProperty(types, async (type) => {
        const body = writeMultipart(givens);
        await fuzzed.call(contract, requestOf(contract, query, { headers: [["content-type", type]], body }));
      }),
      runs(25),
    );
  });
});
