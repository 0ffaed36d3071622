// SPDX-License-Identifier: MIT

/** Identifies a person at a single sign-on provider: only these two together find a user. */
export interface Identity {
  issuer: string;
  subject: string;
}

/** The rights that the claims of a person give (`OIDC_ALLOWED`, `OIDC_OPERATORS`). */
export interface SignOnAccess {
  isAllowed: boolean;
  isOperator: boolean;
}

/** A claim, and the value that it has or contains. */
export interface ClaimRule {
  claim: string;
  value: string;
}

/** Whether claims meet a rule: the claim is the value, or a list that has it. */
export const meetsRule = (claims: Readonly<Record<string, unknown>>, { claim, value }: ClaimRule): boolean =>
  [claims[claim]].flat().some((each) => String(each) === value);

/** Characters of a claim that are read: at many providers users write their names themselves, as long as they like. */
const maxClaim = 200;

/** Names of 1 to 20 characters that a claim proposes for a new user, the best first. */
export function* proposedNames(claims: readonly (string | undefined)[]): Generator<string> {
  const names = claims
    .filter((claim) => claim !== undefined)
    .map((claim) =>
      claim
        .slice(0, maxClaim)
        .replace(/@.*$/s, "")
        .normalize("NFKD")
        .toLowerCase()
        .replaceAll(/\p{M}/gu, "")
        .replaceAll(/[^a-z0-9_-]+/g, "-")
        // bounded: what NFKD makes of 200 characters
        .replaceAll(/^-+|-+$/g, "")
        .slice(0, 20),
    )
    .filter(Boolean);
  const first = names[0] ?? "reader";
  yield* new Set([...names, first]);
  for (let number = 2; number < 100; number++) yield `${first.slice(0, 17)}-${number}`;
}
