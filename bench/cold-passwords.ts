import { randomUUID } from "node:crypto";
import { createPasswordHasher } from "@reading-list/functions/compose/password-hasher.ts";
import { createUserStore } from "@reading-list/store/users.ts";
import type { Subject } from "@reading-list/testing/table-text.ts";

import { connectionCounts, type Extent } from "./extent.ts";
import { measureLoad } from "./load.ts";
import { rateColumns, rateOf } from "./rate.ts";
import type { Stack } from "./stack.ts";

const passwords = createPasswordHasher();
const password = "correct horse";

/** The cost of a password that is not cached. */
export async function measureColdPasswords(stack: Stack, extent: Extent): Promise<Subject> {
  const hash = await passwords.hash(password);
  const rows: Subject["rows"] = [];
  rows.push({ what: "argon2id alone", connections: 1, ...rateColumns(await measureVerification(hash, extent)) });
  for (const connections of connectionCounts) {
    const names = await createUsers(stack, hash, extent.coldCalls);
    const { service } = stack;
    const load = {
      url: service.urlOf("auth"),
      connections,
      nextForm: () => service.formOf({ username: names.pop() ?? "", password }),
      isRight: (body: string) => body === "200 OK",
    };
    const rate = await measureLoad(load, { calls: extent.coldCalls });
    rows.push({ what: "auth, cold password", connections, ...rateColumns(rate) });
  }
  return {
    title: "Cold passwords",
    notes: [
      "Each call is for another user, whose password the process has not cached. A password is cold at the first call from",
      "an address and after 15 minutes. The users share one hash, which does not change the cost.",
    ],
    rows,
  };
}

async function measureVerification(hash: string, { verifications }: Extent) {
  // The first verification also creates the dummy hash for unknown users.
  await passwords.verify(undefined, password);
  const latencies: number[] = [];
  for (let i = 0; i < verifications; i++) {
    const start = performance.now();
    await passwords.verify(hash, password);
    latencies.push(performance.now() - start);
  }
  return rateOf(
    latencies,
    latencies.reduce((sum, latency) => sum + latency, 0),
  );
}

async function createUsers({ table }: Stack, hash: string, users: number): Promise<string[]> {
  const store = createUserStore(table);
  const names = Array.from({ length: users }, () => randomUUID().slice(0, 18));
  await Promise.all(names.map((name) => store.create(name, hash, Math.floor(Date.now() / 1000))));
  return names;
}
