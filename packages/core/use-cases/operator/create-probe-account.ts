// SPDX-License-Identifier: MIT

import { randomBytes } from "node:crypto";
import type { ProbeAccount } from "../../domain/probe-account.ts";
import { hashSecret } from "../../domain/sign-in.ts";
import type { OperatorStore } from "../../ports/operator.ts";
import type { SignInStore } from "../../ports/sign-ins.ts";
import type { UserStore } from "../../ports/users.ts";

export interface ProbePorts {
  createApiKey: OperatorStore["createApiKey"];
  users: Pick<UserStore, "create" | "find">;
  signIns: Pick<SignInStore, "add">;
}

const random = (bytes: number) => randomBytes(bytes).toString("base64").replaceAll("=", "");

/** A hash in the form of those of passwords (packages/http/compose/password-hasher.ts), of a password that nobody knows. */
const newHash = () => `$argon2id$v=19$m=19456,t=2,p=1$${random(16)}$${random(32)}`;

/** Creates the parts of the account of the synthetic user that do not exist. A part that does is left as it is. */
export async function createProbeAccount(ports: ProbePorts, account: ProbeAccount, now: number): Promise<void> {
  const { username, password, apiKey } = account;
  await ports.createApiKey(apiKey, { applicationId: "probe", name: "Probe", status: "enabled", created: now });
  await ports.users.create(username, newHash(), now);
  const user = await ports.users.find(username);
  if (!user) return;
  const signIn = { id: "probe", name: "Probe", scope: "full", createdAt: now, usedAt: 0 } as const;
  await ports.signIns.add(user, { ...signIn, secretHash: hashSecret(password) });
}
