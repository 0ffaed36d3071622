// SPDX-License-Identifier: MIT

import { toSite } from "@reading-list/core/domain/hosts.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import fc from "fast-check";
import { expect, test } from "vitest";

const parsed = (url: string) => (URL.parse(url)?.hostname ?? "").replace(/^www\./, "");

test.each([
  ["https://www.example.org/a?b#c", "example.org"],
  ["http://example.org", "example.org"],
  ["https://EXAMPLE.org/", "example.org"],
  ["https://user:word@example.org:8443/", "example.org"],
  ["https://bücher.example/", "xn--bcher-kva.example"],
  ["https://1.2/", "1.0.0.2"],
  ["https://0x7f.1/", "127.0.0.1"],
  ["https://example.org\\a", "example.org"],
  ["https://exa\tmple.org/", "example.org"],
  ["not a URL", ""],
])("the site of %j is %j", (url, site) => {
  expect(toSite({ url })).toBe(site);
});

test("the site of any URL is the host that the parser finds, without www.", () => {
  const part = fc.constantFrom(
    "www.",
    "a",
    "b-",
    "-",
    ".",
    "0x1",
    "12",
    "xn--",
    "ü",
    "A",
    "_",
    "@",
    ":8",
    "%61",
    "\\",
    "\t",
  );
  const host = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(""));
  const end = fc.constantFrom("", "/", "?a.b", "#a", "/@c.d", ".");
  fc.assert(
    fc.property(fc.constantFrom("https://", "http://", "https:/", "ftp://"), host, end, (scheme, name, rest) => {
      const url = scheme + name + rest;
      expect(toSite({ url })).toBe(parsed(url));
    }),
    runs(1000),
  );
});
