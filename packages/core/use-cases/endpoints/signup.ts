// SPDX-License-Identifier: MIT

import type { z } from "zod";
import { signup } from "../../contract/signup.ts";
import { isLoopback } from "../../domain/hosts.ts";
import { hashLinkSecret, isOperatorCode } from "../../domain/operator-link.ts";
import { ServiceError } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { UserStore } from "../../ports/users.ts";
import { countLimited } from "../count-limited.ts";
import { type AnyCaller, defineEndpoint, type UseCase } from "../use-case.ts";

type Input = z.output<typeof signup.input>;
type Ports = Pick<
  Dependencies,
  "clock" | "passwords" | "administration" | "operatorCode" | "keyWindows" | "signupAddressLimit"
> & {
  users: Pick<UserStore, "find" | "create">;
};

const hour = 3600;
/** Addresses of the machine itself, as `AnyCaller.address` has them. */
const isThisMachine = (address: string) => isLoopback(address) || address === "0:0:0:0";

/** Counts an account of an address; returns the undo. Throws `addressLimited`. Callers on this machine are not limited. */
async function countAccount(ports: Ports, address: string): Promise<() => Promise<void>> {
  if (isThisMachine(address)) return async () => {};
  const limit = ports.signupAddressLimit;
  return countLimited(ports, { id: `accounts of ${address}`, limit, seconds: hour }, (retryAfter) => {
    const message = `signup: your address has created ${limit} accounts in this hour; wait ${retryAfter} seconds, or ask the administrator for an invitation`;
    return new ServiceError("addressLimited", message, { retryAfter });
  });
}

const taken = () =>
  new ServiceError("unauthorized", "username is already taken; choose another", { code: "username_taken" });
const gone = () =>
  new ServiceError("unauthorized", "invitation has been used or has expired; ask the administrator for a new one", {
    code: "link_expired",
  });

/**
 * Registers a user (docs/api.md 4.6); by the code of the log the first operator, and by an operator's link even if
 * signup is closed, or the address has made many accounts. The link of a forgotten password replaces it. Throws
 * `unauthorized` if the username is taken, or the link or code does not work.
 */
const registerUser: UseCase<Input, void, Ports, AnyCaller> = {
  begin:
    (deps, { username, password, invitation }) =>
    async ({ address }) => {
      const now = unixTime(deps.clock);
      const hash = () => deps.passwords.hash(password, address);
      const { administration } = deps;
      if (invitation === undefined) {
        if (await deps.users.find(username)) throw taken();
        const undo = await countAccount(deps, address);
        try {
          if (!(await deps.users.create(username, await hash(), now))) throw taken();
        } catch (error) {
          await undo();
          throw error;
        }
        return;
      }
      if (!administration) throw gone();
      const secretHash = hashLinkSecret(invitation);
      const isCode = isOperatorCode(invitation, deps.operatorCode);
      if (!isCode && !(await administration.findLink(secretHash, now))) throw gone();
      const passwordHash = await hash();
      const outcome = isCode
        ? await administration.createFirstOperator(username, passwordHash, now)
        : await administration.useLink({ secretHash, username, passwordHash, now });
      if (outcome === "taken") throw taken();
      if (outcome === "gone") throw gone();
    },
};

export const endpoint = defineEndpoint({ contract: signup, useCase: registerUser });
