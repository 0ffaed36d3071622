// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { createAppPassword, makeRoom, type SignInPorts } from "@reading-list/core/use-cases/accounts/sign-in-apps.ts";
import type { UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import { answerJson } from "./answers.ts";
import { createStoreToken, encryptToken } from "./tokens.ts";

const serialRule = "must be the serial number, such as N418123456789";

const input = z.object({
  username: z.string(1000, "is missing"),
  password: z.string(1000, "is missing"),
  serial: z
    .string(100, "is missing", serialRule)
    .transform((serial) => serial.trim().toUpperCase())
    .refine((serial) => /^[A-Z0-9-]{6,30}$/.test(serial), serialRule),
});

interface Device {
  storeToken: string;
  /** As the file has it. */
  accessToken: string;
}

/** The name of the sign-in of each device. */
const name = "Kobo";

/** A sign-in for one device. The tokens are computed here: browsers have no such cipher, and none at all over http. */
const addDevice: UseCase<z.output<typeof input>, Device, SignInPorts> = {
  begin:
    (deps, { serial }) =>
    async (caller) => {
      const { username } = caller.user;
      await makeRoom(deps, caller, name);
      const { signIn, password } = await createAppPassword(deps, caller, name);
      return {
        storeToken: createStoreToken(username, signIn),
        accessToken: encryptToken(`${username}.${password}`, serial),
      };
    },
};

/** The lines of `.kobo/Kobo/Kobo eReader.conf` that lead a device here. */
const writeSettings = ({ storeToken, accessToken }: Device, address: string) => `[OneStoreServices]
api_endpoint=${address}/store/${storeToken}
instapaper_env_url=${address}/api/kobo

[Instapaper]
AccessToken=@ByteArray(${accessToken})
`;

/** For the Account page, not for devices. */
const device = defineRoute({
  route: "POST /device",
  caller: "user",
  account: "signIns",
  input,
  useCase: addDevice,
  signIn: ({ username, password }) => ({ username, password }),
  present: (added, _, { address }) => answerJson({ settings: writeSettings(added, address) }),
});

export const deviceRoutes = [device];
