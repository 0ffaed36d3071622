// SPDX-License-Identifier: MIT

import { createUnroutedHandler } from "@reading-list/http/unrouted.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { requestOf } from "@reading-list/testing/request.ts";
import { expect, test } from "vitest";

const answer = createUnroutedHandler(
  { clock: new FakeClock(), defaultLimits: { user: 5, key: 9 }, windowSeconds: 60, addressLimit: 7 },
  "main",
);
test("a preflight that the gateway forwards succeeds, so that the gateway adds its CORS headers", async () => {
  const preflight = await answer(
    requestOf({ method: "OPTIONS", headers: { "access-control-request-method": "POST" } }),
  );
  expect(preflight).toMatchObject({ status: 204, body: "" });
});
