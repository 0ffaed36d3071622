// SPDX-License-Identifier: MIT

import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { createPasswordProof } from "@reading-list/http/compose/password-proof.ts";
import { describe, expect, test } from "vitest";

test("passwords are hashed with argon2id at OWASP's parameters or better, each with its own salt", async () => {
  const { hash } = createPasswordHasher();
  const [one, other] = [await hash("secret"), await hash("secret")];
  expect(one).not.toBe(other);
  expect(one).toMatch(/^\$argon2id\$v=19\$/);
  const parameter = (name: string) => Number(one.match(new RegExp(`[$,]${name}=(\\d+)`))?.[1]);
  expect(parameter("m")).toBeGreaterThanOrEqual(19_456);
  expect(parameter("t")).toBeGreaterThanOrEqual(2);
  expect(parameter("p")).toBeGreaterThanOrEqual(1);
});

test("a password is verified against its hash, or against a dummy hash for an unknown user", async () => {
  const { hash, verify } = createPasswordHasher();
  const stored = await hash("sécret");
  expect(await verify(stored, "sécret")).toBe(true);
  expect(await verify(stored, "secret")).toBe(false);
  expect(await verify(undefined, "secret")).toBe(false);
});

describe("the proof of a verified password", () => {
  const secret = "s".repeat(32);
  const login = { username: "ann", source: "1.2.3.4 app", password: "secret" };
  const proofOf = createPasswordProof(secret);
  const now = 1_800_000_000;

  test("is the same in every process with the same secret, and differs with another secret", () => {
    expect(createPasswordProof(secret)(login, now)).toBe(proofOf(login, now));
    expect(createPasswordProof("t".repeat(32))(login, now)).not.toBe(proofOf(login, now));
    expect(createPasswordProof(undefined)(login, now)).not.toBe(createPasswordProof(undefined)(login, now));
  });

  test.each([{ username: "bob" }, { source: "1.2.3.5 app" }, { source: "1.2.3.4 other" }, { password: "Secret" }])(
    "differs for %o",
    (change) => {
      expect(proofOf({ ...login, ...change }, now)).not.toBe(proofOf(login, now));
    },
  );

  test("lasts for a day at most, which ends at another time for each user", () => {
    const endOf = (username: string) => {
      const first = proofOf({ ...login, username }, now);
      let minutes = 0;
      while (proofOf({ ...login, username }, now + 60 * minutes) === first) minutes++;
      return minutes;
    };
    const ends = ["ann", "bob", "eve"].map(endOf);
    expect(new Set(ends).size).toBe(3);
    expect(Math.max(...ends)).toBeLessThanOrEqual(24 * 60);
  });
});
