// SPDX-License-Identifier: MIT

/** What a link of an operator, or of the service's log, has in its fragment. */
export interface Invitation {
  secret: string;
  /** `code` makes the first operator; `reset` replaces the password of a user. */
  kind: "invitation" | "code" | "reset";
  username: string | undefined;
}

/** The invitation in the address of the page; undefined without one. */
export function invitationIn(fragment: string): Invitation | undefined {
  const parameters = new URLSearchParams(fragment.slice(1));
  for (const kind of ["invitation", "code", "reset"] as const) {
    const secret = parameters.get(kind);
    if (secret) return { secret, kind, username: parameters.get("user") ?? undefined };
  }
  return undefined;
}
