// SPDX-License-Identifier: MIT

import type { z } from "zod";
import { signup } from "../../contract/signup.ts";
import { ServiceError } from "../../errors.ts";
import { type Dependencies, secondsOf, type UserStore } from "../../ports.ts";
import { type AnyCaller, defineEndpoint, type UseCase } from "../use-case.ts";

type Input = z.output<typeof signup.input>;
type Ports = Pick<Dependencies, "clock" | "passwords"> & { users: Pick<UserStore, "find" | "create"> };

const taken = () =>
  new ServiceError("unauthorized", "username is already taken; choose another one", { code: "username_taken" });

/** Registers a user (docs/api.md 4.6). Throws `unauthorized` if the username is taken. */
export const registerUser: UseCase<Input, void, Ports, AnyCaller> = {
  begin:
    (deps, { username, password }) =>
    async ({ address }) => {
      if (await deps.users.find(username)) throw taken();
      const hash = await deps.passwords.hash(password, address);
      if (!(await deps.users.create(username, hash, secondsOf(deps.clock)))) throw taken();
    },
};

export const endpoint = defineEndpoint({ contract: signup, useCase: registerUser });
