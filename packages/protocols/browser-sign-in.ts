// SPDX-License-Identifier: MIT

import type { ApiContract } from "@reading-list/core/contract/apis.ts";
import * as z from "@reading-list/core/contract/bounded.ts";
import { unixTime } from "@reading-list/core/ports/clock.ts";
import type { User } from "@reading-list/core/ports/users.ts";
import { createAppPassword, makeRoom, type SignInPorts } from "@reading-list/core/use-cases/accounts/sign-in-apps.ts";
import { addFreshToken } from "@reading-list/core/use-cases/accounts/temporary-secrets.ts";
import { answerError } from "@reading-list/http/answer.ts";
import type { Api } from "@reading-list/http/api.ts";
import type { HttpAnswer } from "@reading-list/http/call.ts";
import { answerJson } from "./readeck/answers.ts";

/** Ways to sign in to the web reader other than by the endpoints of the service: single sign-on, passkeys. */

export const answerUncached = (value: unknown): HttpAnswer => answerJson(value, 200, { "Cache-Control": "no-store" });

/** An API of the web reader, whose calls have the user's credentials among their fields. */
export const defineBrowserApi = <Ports>(contract: ApiContract, routes: readonly unknown[]): Api<Ports> => ({
  contract,
  routes: routes as Api<Ports>["routes"],
  signIn: () => undefined,
  answerError,
  tooLarge: "the answer is too large",
});

/** The fields with which a browser asks for a sign-in. */
export const wantedFields = {
  /** The name of the sign-in to be. */
  name: z.string(60).min(1).default("Web reader"),
  /** Seconds after which it ends; never if absent. */
  seconds: z
    .union([z.int(), z.string(20)])
    .transform(Number)
    .pipe(z.int().positive().max(31_536_000))
    .optional(),
  /** A token instead of the account's password, without a sign-in. */
  fresh: z.literal("1").optional(),
};

/** The credentials of the browser. `id`: the id of its sign-in, which the user sees in the list of devices. */
export interface SignedIn {
  username: string;
  password: string;
  id?: string;
}

const wanted = z.object(wantedFields);

/** Gives a browser its own sign-in, or a fresh token. Throws `invalid` if the user has 50 sign-ins. */
export async function signInBrowser(
  deps: SignInPorts,
  user: User,
  { name, seconds, fresh }: z.output<typeof wanted>,
): Promise<SignedIn> {
  const { username } = user;
  if (fresh) return { username, password: await addFreshToken(deps, user) };
  const caller = { user, signInId: undefined };
  await makeRoom(deps, caller, name);
  const expiresAt = seconds === undefined ? undefined : unixTime(deps.clock) + seconds;
  const { signIn, password } = await createAppPassword(deps, caller, name, { expiresAt });
  return { username, password, id: signIn.id };
}

export const credentialFields = { username: z.string(1000), password: z.string(1000) };

/** The credentials of a call of a signed-in user. */
export const toSignIn = ({ username, password }: { username: string; password: string }) => ({
  username,
  password,
});
