// SPDX-License-Identifier: MIT

import { fileURLToPath } from "node:url";
import { createConfig, lint } from "@redocly/openapi-core";
import { expect, test } from "vitest";

const document = fileURLToPath(new URL("../../../docs/openapi.json", import.meta.url));

test("docs/openapi.json keeps to the rules that Redocly recommends", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lint({ ref: document, config });
  const told = problems.map(({ ruleId, severity, message, location }) => {
    return `${severity} ${ruleId} ${location[0]?.pointer}: ${message}`;
  });
  // Requests that are 400 break the schema on purpose; XML is shown as text.
  const expected = /^warn no-invalid-media-type-examples \S+(\/examples\/400\/value|application~1xml\/examples\/)/;
  expect(told.filter((line) => !expected.test(line))).toEqual([]);
});
