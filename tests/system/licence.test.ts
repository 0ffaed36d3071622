// SPDX-License-Identifier: MIT

import { expect, test } from "vitest";
import { filesWithoutLicence } from "../../tools/lint/licence.ts";

test("every source file begins with the SPDX line of the licence, which `npm run fix` writes", () => {
  expect(filesWithoutLicence().map(({ file }) => file)).toEqual([]);
});
