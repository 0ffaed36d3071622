// SPDX-License-Identifier: MIT

/** The content of the fragment in an address of the reader. */
export interface Arrival {
  /** Secret of an invitation, of the log, or for a new password; or a code or a link of single sign-on. */
  secret: string;
  /**
   * `code` makes the first operator; `reset` replaces the password of a user; `signin` signs in; `fresh` stands for the
   * account's password; `linked` links the account.
   */
  kind: (typeof kinds)[number];
  username: string | undefined;
  /** Only the browser that started the sign-in has it, so only that browser can exchange the code. */
  proof: string | undefined;
}

const kinds = ["invitation", "code", "reset", "signin", "fresh", "linked"] as const;

/** The content of an address's fragment; undefined for a route of the reader. */
export function arrivalIn(fragment: string): Arrival | undefined {
  const parameters = new URLSearchParams(fragment.slice(1));
  for (const kind of kinds) {
    const secret = parameters.get(kind);
    const read = (name: string) => parameters.get(name) ?? undefined;
    if (secret) return { secret, kind, username: read("user"), proof: read("proof") };
  }
  return undefined;
}
