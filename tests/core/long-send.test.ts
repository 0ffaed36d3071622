// SPDX-License-Identifier: MIT

import { send } from "@reading-list/core/contract/send.ts";
import { countTurns, makeStepsLong } from "@reading-list/testing/count-turns.ts";
import { expect, test } from "vitest";

const urls = Array.from({ length: 3500 }, (_, i) => `https://example.com/${i}`);
const inputWith = (entries: unknown[]) =>
  send.input.safeParseAsync({ apikey: "key", username: "ann", password: "secret", new: JSON.stringify(entries) });

test("the entries of a long send are validated in order, and other work is done meanwhile", async () => {
  makeStepsLong();
  const { result, turns } = await countTurns(() => inputWith(urls.map((url) => ({ url }))));
  expect(turns).toBeGreaterThanOrEqual(urls.length);
  expect(result.data?.new).toMatchObject(urls.map((url) => ({ url })));
});

test("a fault in a long send names the first faulty entry", async () => {
  const { error } = await inputWith(urls.map((url, i) => (i < 2500 ? { url } : {})));
  expect(error?.issues).toMatchObject([{ path: ["new", "2500", "url"], message: "is missing" }]);
});
