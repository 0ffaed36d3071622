// SPDX-License-Identifier: MIT

import type { z } from "zod";
import { app_passwords } from "../../contract/app_passwords.ts";
import { findExpiry, isTemporary, type SignIn } from "../../domain/sign-in.ts";
import { ServiceError } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import { createAppPassword, type SignInPorts } from "../accounts/sign-in-apps.ts";
import { defineEndpoint, type UseCase } from "../use-case.ts";

type Input = z.output<typeof app_passwords.input>;
type Result =
  | { kind: "created"; signIn: SignIn; password: string }
  | { kind: "listed"; signIns: SignIn[] }
  | { kind: "revoked" };

/** Creates, lists or revokes the app passwords of a user (docs/api.md 4.10). */
const manageAppPasswords: UseCase<Input, Result, SignInPorts> = {
  begin:
    (deps, { create, scope, expires: expiresAt, revoke }) =>
    async (caller) => {
      const { username } = caller.user;
      if (expiresAt !== undefined && expiresAt <= unixTime(deps.clock)) {
        throw new ServiceError("invalid", "app_passwords: expires must be in the future, in Unix seconds");
      }
      if (create !== undefined) {
        return { kind: "created", ...(await createAppPassword(deps, caller, create, { scope, expiresAt })) };
      }
      if (revoke === undefined) {
        return { kind: "listed", signIns: (await deps.signIns.list(username)).filter((each) => !isTemporary(each)) };
      }
      if (await deps.signIns.remove(username, revoke)) return { kind: "revoked" };
      throw new ServiceError("invalid", "app_passwords: revoke must be the id of one of the user's app passwords");
    },
};

export const endpoint = defineEndpoint({
  contract: app_passwords,
  useCase: manageAppPasswords,
  writeFields: (result) => {
    if (result.kind === "revoked") return undefined;
    if (result.kind === "created") {
      const { id, name } = result.signIn;
      return { fields: { status: "1", id, name, password: result.password } };
    }
    const list = result.signIns.map(({ id, name, scope, createdAt, usedAt, ...secrets }) => ({
      id,
      name,
      scope,
      expires: String(findExpiry(secrets) ?? 0),
      time_created: String(createdAt),
      time_used: String(usedAt),
    }));
    return { fields: { status: "1" }, list: [list] };
  },
});
