// SPDX-License-Identifier: MIT

import { newName } from "@reading-list/testing/client.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

describe("signup with SIGNUP=closed", () => {
  let service: TestService;
  const parameters = () => ({ username: newName(), password: "correct horse" });

  beforeAll(async () => {
    service = await startTestService({ SIGNUP: "closed", KEY_LIMIT: "5" });
  });

  test("is 403, creates no user, and is not counted", async () => {
    const credentials = parameters();
    const answer = await service.call("signup", credentials);
    expect(answer.status).toBe(403);
    expect(answer.headers.get("x-error")).toBe("signup is closed: only the operator of this service creates users");
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(answer.headers.get("x-limit-key-remaining")).toBe("5");
    expect((await service.call("auth", credentials)).status).toBe(401);
    expect((await service.call("signup", credentials)).headers.get("x-limit-key-remaining")).toBe("4");
  });

  test("is still 400 for invalid syntax and 401 for an unknown key", async () => {
    expect((await service.call("signup", { ...parameters(), username: "UPPER" })).status).toBe(400);
    expect((await service.call("signup", { ...parameters(), apikey: "nobody's key" })).status).toBe(401);
  });
});
