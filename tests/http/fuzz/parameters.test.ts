// SPDX-License-Identifier: MIT

import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import fc from "fast-check";
import { beforeAll, describe, test } from "vitest";
import { type FuzzedService, startFuzzedService } from "./fuzzed-service.ts";
import { requestsOf } from "./requests.ts";

let fuzzed: FuzzedService;
let user: TestUser;

beforeAll(async () => {
  fuzzed = await startFuzzedService();
  user = await fuzzed.newUser();
});

/** Calls of each endpoint; fewer if each may hash a password or extract a page. */
const runsOf = { signup: 60, text: 80 } as Record<string, number>;

describe.each(endpoints)("$name", (contract) => {
  test("follows docs/api.md whatever its parameters and their encoding are", async () => {
    // Their password may change.
    const caller = "account" in contract ? await fuzzed.newUser() : user;
    await fc.assert(
      fc.asyncProperty(requestsOf(contract, fuzzed.rightValues(contract, caller)), async (request) => {
        await fuzzed.call(contract, request);
      }),
      runs(runsOf[contract.name] ?? 80),
    );
    await fuzzed.expectAlive(user);
  });
});
