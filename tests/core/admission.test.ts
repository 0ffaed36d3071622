// SPDX-License-Identifier: MIT

import { addProof, admitCall, type CallingUser, type CountedCall } from "@reading-list/core/domain/admission.ts";
import type { UserCalls } from "@reading-list/core/domain/limits.ts";
import { describe, expect, test } from "vitest";

const now = 1_800_000_000;
const window = { start: now - 100, end: now + 3500 };
const user: CallingUser = {
  passwordHash: "hash",
  clock: { lastSince: now - 50, changedAt: now - 60, highlightsAt: 0, keptAt: 0 },
  calls: 7,
  publicCalls: 0,
  windowStart: window.start,
  walks: {},
};
const call: CountedCall = {
  proof: "proof",
  needsAccountPassword: false,
  scope: "read",
  now,
  window,
  limit: 10,
  countsAlone: false,
  calls: 1,
};
const proven = { proofs: ["other", "proof"], signIn: undefined };
const unknown = { proofs: ["other"], signIn: undefined };

describe("the password of a call is right", () => {
  test.each([
    ["if its proof is known", call, proven, "proof"],
    ["if it was verified against the present hash", { ...call, verified: user }, unknown, "verified"],
    [
      "if it was verified, whatever scope an expired sign-in of the same text had",
      { ...call, scope: "full", verified: user },
      { ...unknown, signIn: { scope: "read", expiresAt: now } },
      "verified",
    ],
    ["if it is the secret of a sign-in", call, { ...unknown, signIn: { scope: "full" } }, "secret"],
    ["if that sign-in has not expired", call, { ...unknown, signIn: { scope: "full", expiresAt: now + 1 } }, "secret"],
  ] as const)("%s", (_, each, known, credential) => {
    expect(admitCall(each, user, known)).toMatchObject({ kind: "counted", credential });
  });

  test.each([
    ["if nothing is known of it", call, unknown],
    ["if the password was changed since it was verified", { ...call, verified: { passwordHash: "old" } }, proven],
  ])("not %s", (_, each, known) => {
    expect(admitCall(each, user, known)).toEqual({ kind: "unproven", user });
  });

  test.each([
    ["expired", "if its sign-in has expired", call, { scope: "full", expiresAt: now }],
    ["outOfScope", "if its scope does not include the call", { ...call, scope: "full" }, { scope: "read" }],
    ["outOfScope", "if its scope is narrower than reading", call, { scope: "feed" }],
  ] as const)("but refused as %s %s", (reason, _, each, signIn) => {
    expect(admitCall(each, user, { ...unknown, signIn })).toEqual({ kind: "refused", reason });
  });

  test("but refused, whichever it is, if single sign-on has suspended the user; a wrong password stays wrong", () => {
    const suspended = { ...user, isSuspended: true };
    const secret = { ...unknown, signIn: { scope: "full" } } as const;
    for (const [each, known] of [
      [call, proven],
      [{ ...call, verified: user }, unknown],
      [call, secret],
    ] as const) {
      expect(admitCall(each, suspended, known)).toEqual({ kind: "refused", reason: "suspended" });
    }
    expect(admitCall(call, suspended, unknown).kind).toBe("unproven");
  });

  test("but not the account's own, if it is the secret of a sign-in", () => {
    const each = { ...call, needsAccountPassword: true };
    expect(admitCall(each, user, { ...proven, signIn: { scope: "full" } })).toEqual({
      kind: "refused",
      reason: "appPassword",
    });
    expect(admitCall(each, user, proven).kind).toBe("counted");
  });
});

describe("a call is counted", () => {
  const admit = (change: Partial<CountedCall>, of: Partial<CallingUser> = {}, pending?: (start: number) => UserCalls) =>
    admitCall({ ...call, ...change }, { ...user, ...of }, proven, pending);

  test("while the window has room, together with the calls that are pending", () => {
    expect(admit({ calls: 3 })).toMatchObject({ kind: "counted", opensWindow: false, user: { calls: 10 } });
    expect(admit({ calls: 4 })).toMatchObject({ kind: "limited", user: { calls: 7 } });
    expect(admit({}, {}, () => ({ calls: 3, publicCalls: 0 }))).toMatchObject({ kind: "limited", user: { calls: 10 } });
    expect(admit({}, {}, () => ({ calls: 2, publicCalls: 0 }))).toMatchObject({ kind: "counted", user: { calls: 10 } });
  });

  test("in the user's window, or in the call's window if the user's is over or comes from a wrong clock", () => {
    for (const windowStart of [window.start - 3600, window.end + 3600]) {
      const opened = { opensWindow: true, user: { windowStart: window.start, calls: 1 } };
      expect(admit({}, { windowStart, calls: 10 })).toMatchObject(opened);
    }
    const next = { opensWindow: false, user: { windowStart: window.end, calls: 8 } };
    expect(admit({}, { windowStart: window.end })).toMatchObject(next);
  });

  test("and raises the clock only if it answers with a `since`", () => {
    expect(admit({})).toMatchObject({ user: { clock: user.clock } });
    expect(admit({ sync: { beginsWalk: false } })).toMatchObject({
      beginsWalk: false,
      user: { clock: { lastSince: now } },
    });
    const ahead = { clock: { lastSince: now + 5, changedAt: now + 9, highlightsAt: 0, keptAt: 0 } };
    expect(admit({ sync: { beginsWalk: false } }, ahead)).toMatchObject({ user: { clock: { lastSince: now + 9 } } });
  });

  test("and begins a walk, unless one began within the last hour", () => {
    const sync = { beginsWalk: true };
    const latest = { since: now, startedAt: now };
    expect(admit({ sync })).toMatchObject({ beginsWalk: true, user: { walks: { latest } } });
    const walks = { latest: { since: now - 90, startedAt: now - 90 } };
    expect(admit({ sync }, { walks })).toMatchObject({ beginsWalk: false, user: { walks } });
  });

  test("and keeps the ends of far pages if a walk begins", () => {
    const ends = [{ list: " ", above: 2000 }];
    expect(admit({ sync: { beginsWalk: true } }, { walks: { ends } })).toMatchObject({ user: { walks: { ends } } });
  });
});

test("the last 8 proofs of a password are kept", () => {
  const proofs = Array.from({ length: 8 }, (_, n) => `${n}`);
  expect(addProof(proofs, "new")).toEqual([...proofs.slice(1), "new"]);
});
