import { createUnroutedHandler } from "@reading-list/functions/http/unrouted.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { expect, test } from "vitest";

const answer = createUnroutedHandler(
  { clock: new FakeClock(), defaultLimits: { user: 5, key: 9 }, windowSeconds: 60, addressLimit: 7 },
  "main",
);
const event = (method: string, headers: Record<string, string>) =>
  ({ headers, rawPath: "/", requestContext: { http: { method } } }) as unknown as Parameters<typeof answer>[0];

test("a preflight that the gateway forwards succeeds, so that the gateway adds its CORS headers", async () => {
  const preflight = await answer(event("OPTIONS", { "access-control-request-method": "POST" }));
  expect(preflight).toMatchObject({ statusCode: 204, body: "" });
});
