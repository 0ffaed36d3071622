// SPDX-License-Identifier: MIT

import { isSecret } from "../domain/sign-in.ts";
import { username as usernameField } from "./fields.ts";

/**
 * The credentials of a call whose secret alone finds its user. A wrong secret does not count as a failed sign-in,
 * because nobody can guess it.
 */
export interface BearerCredentials {
  username: string;
  /** The secret of a sign-in, 20 characters of a-z and 2-7. */
  password: string;
  isToken: true;
}

/** 20 of each, and the dot. */
const maxLength = 41;

/**
 * The credentials in a bearer secret `USERNAME.SECRET` (docs/api.md 5.2); undefined for any other text. A route's
 * `signIn` returns them, so that the call is admitted like one with username and password.
 */
export function parseBearerSecret(text: string): BearerCredentials | undefined {
  if (text.length > maxLength) return undefined;
  const [name, secret = "", ...rest] = text.split(".");
  const { data: username } = usernameField.safeParse(name);
  if (username === undefined || !isSecret(secret) || rest.length > 0) return undefined;
  return { username, password: secret, isToken: true };
}
