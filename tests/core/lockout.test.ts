// SPDX-License-Identifier: MIT

import { beginLogin, endLogin, type LoginAttempts } from "@reading-list/core/domain/lockout.ts";
import { describe, expect, test } from "vitest";

const now = 1_800_000_000;

/** The attempts after logins have begun, and as many of them as are given have failed. */
function attemptsAfter(begun: number, failed = 0): LoginAttempts {
  let attempts: LoginAttempts | undefined;
  for (let i = 0; i < begun; i++) {
    const login = beginLogin(attempts, `login-${i}`, now);
    if (login.kind === "begun") attempts = login.attempts;
    if (i < failed) attempts = endLogin(attempts, `login-${i}`, true);
  }
  if (!attempts) throw new Error("no login has begun");
  return attempts;
}

describe("a login", () => {
  test("is refused after 10 wrong passwords, for 15 minutes", () => {
    expect(beginLogin(attemptsAfter(10, 10), "next", now)).toEqual({ kind: "lockedOut", until: now + 900 });
    expect(beginLogin(attemptsAfter(10, 10), "next", now + 900)).toMatchObject({
      kind: "begun",
      attempts: { failed: 0 },
    });
  });

  test("waits while as many are in progress as may still fail", () => {
    expect(beginLogin(attemptsAfter(10), "next", now)).toEqual({ kind: "busy" });
    expect(beginLogin(attemptsAfter(10, 3), "next", now)).toEqual({ kind: "busy" });
    expect(beginLogin(attemptsAfter(9, 3), "next", now)).toMatchObject({ kind: "begun", attempts: { failed: 3 } });
  });

  test("whose process has died counts nothing, and gives its place up after 10 seconds", () => {
    expect(beginLogin(attemptsAfter(10, 4), "next", now + 9)).toEqual({ kind: "busy" });
    expect(beginLogin(attemptsAfter(10, 4), "next", now + 10)).toMatchObject({
      kind: "begun",
      attempts: { failed: 4 },
    });
  });

  test("that has lost its place to another one has no result, so that 10 guesses stay 10", () => {
    const taken = beginLogin(attemptsAfter(10), "next", now + 10);
    if (taken.kind !== "begun") throw new Error("no place is free");
    expect(endLogin(taken.attempts, "login-0", true)).toBeUndefined();
    expect(endLogin(taken.attempts, "next", true)).toMatchObject({ failed: 1, underWay: {} });
  });

  test("that begins or ends twice counts once, as a retried request to the database does", () => {
    const once = beginLogin(undefined, "login", now);
    if (once.kind !== "begun") throw new Error("no place is free");
    expect(beginLogin(once.attempts, "login", now)).toEqual(once);
    const ended = endLogin(once.attempts, "login", true);
    expect(endLogin(ended, "login", true)).toBeUndefined();
  });

  test("with the right password counts nothing", () => {
    expect(endLogin(attemptsAfter(4, 3), "login-3", false)).toMatchObject({ failed: 3, underWay: {} });
  });

  test("is not refused for years after a call to a machine whose clock is wrong", () => {
    const ahead = { expires: now + 86_400, failed: 10, underWay: { other: now + 86_400 } };
    expect(beginLogin(ahead, "next", now)).toMatchObject({
      kind: "begun",
      attempts: { failed: 0, expires: now + 900 },
    });
  });
});
