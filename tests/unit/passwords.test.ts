import { createPasswordHasher } from "@reading-list/functions/compose/password-hasher.ts";
import { createVerifiedPasswords } from "@reading-list/functions/compose/verified-passwords.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { expect, test } from "vitest";

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

test("a password is verified against its hash, and against a dummy hash if there is none", async () => {
  const { hash, verify } = createPasswordHasher();
  const stored = await hash("sécret");
  expect(await verify(stored, "sécret")).toBe(true);
  expect(await verify(stored, "secret")).toBe(false);
  expect(await verify(undefined, "secret")).toBe(false);
});

test("a verified password is cached only for its user and address, until it is removed or 15 minutes old", () => {
  const clock = new FakeClock();
  const passwords = createVerifiedPasswords(clock);
  passwords.set("ann", "1.2.3.4", "secret", "hash");
  expect(passwords.get("ann", "1.2.3.4", "secret")).toBe("hash");
  expect(passwords.get("ann", "1.2.3.4", "Secret")).toBeUndefined();
  expect(passwords.get("ann", "1.2.3.5", "secret")).toBeUndefined();
  expect(passwords.get("bob", "1.2.3.4", "secret")).toBeUndefined();
  clock.advance(15 * 60 + 1);
  expect(passwords.get("ann", "1.2.3.4", "secret")).toBeUndefined();
  passwords.set("ann", "1.2.3.4", "secret", "hash");
  passwords.delete("ann", "1.2.3.4");
  expect(passwords.get("ann", "1.2.3.4", "secret")).toBeUndefined();
});
