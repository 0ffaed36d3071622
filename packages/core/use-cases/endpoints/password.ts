// SPDX-License-Identifier: MIT

import type { z } from "zod";
import { password } from "../../contract/password.ts";
import { wrongCredentials } from "../../errors.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { UserStore } from "../../ports/users.ts";
import { defineEndpoint, type UseCase } from "../use-case.ts";

type Input = z.output<typeof password.input>;
type Ports = Pick<Dependencies, "passwords"> & { users: Pick<UserStore, "changePassword"> };

/** Changes the password of an account (docs/api.md 4.11). */
const changePassword: UseCase<Input, void, Ports> = {
  begin:
    (deps, { new_password, revoke }) =>
    async ({ user, address }) => {
      const hash = await deps.passwords.hash(new_password, address);
      if (!(await deps.users.changePassword(user, hash, revoke))) throw wrongCredentials();
    },
};

export const endpoint = defineEndpoint({ contract: password, useCase: changePassword });
