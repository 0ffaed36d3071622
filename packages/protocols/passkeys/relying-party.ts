// SPDX-License-Identifier: MIT

import { randomBytes } from "node:crypto";
import * as z from "@reading-list/core/contract/bounded.ts";
import { challengeSeconds, type Passkey } from "@reading-list/core/domain/passkey.ts";
import { startOfDay } from "@reading-list/core/domain/sign-in.ts";
import { openSigned, signValue } from "@reading-list/core/domain/signed-text.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { unixTime } from "@reading-list/core/ports/clock.ts";
import type { Dependencies } from "@reading-list/core/ports/dependencies.ts";
import type { AnsweredChallenge, PasskeyStore, SecondFactor } from "@reading-list/core/ports/sign-ins.ts";
import type { ClosedUser, User } from "@reading-list/core/ports/users.ts";
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  VerifiedRegistrationResponse,
} from "@simplewebauthn/server";

/** Loaded with the first passkey: it takes 0.1 s. */
const loadLibrary = () => import("@simplewebauthn/server");

/** A passkey is the second factor beside a password, so the authenticator need not ask for another one. */
const userVerification = "preferred";

const challenge = z.object({
  purpose: z.enum(["signIn", "enrol"]),
  /** `userId` of the user who enrols. */
  user: z.string(100).optional(),
  /** Random: no two challenges are alike. */
  nonce: z.string(100),
  /** Unix seconds. */
  at: z.number(),
});
type Challenge = z.output<typeof challenge>;

export type RelyingPartyPorts = Pick<Dependencies, "clock" | "signatureKey"> & {
  passkeys: PasskeyStore;
  /** The address of the pages that ask for passkeys. */
  publicUrl: string;
};

/**
 * The service as a relying party of WebAuthn. Challenges are signed, so that unanswered ones need no storage; the store
 * accepts each answer once.
 */
export class RelyingParty implements SecondFactor {
  readonly #deps: RelyingPartyPorts;
  readonly #origin: string;
  readonly #id: string;

  constructor(deps: RelyingPartyPorts) {
    this.#deps = deps;
    const { origin, hostname } = new URL(deps.publicUrl);
    this.#origin = origin;
    this.#id = hostname;
  }

  /**
   * The options with which a browser asks an authenticator to sign in. They name no passkey, because anyone may ask.
   */
  async requestOptions(): Promise<PublicKeyCredentialRequestOptionsJSON> {
    return (await loadLibrary()).generateAuthenticationOptions({
      rpID: this.#id,
      userVerification,
      timeout: challengeSeconds * 1000,
      challenge: this.#challengeFor("signIn"),
    });
  }

  /** The options with which a browser asks an authenticator for a new passkey of a user. */
  async creationOptions({ username, userId }: User): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const known = await this.#deps.passkeys.list({ username, userId });
    return (await loadLibrary()).generateRegistrationOptions({
      rpName: "Reading list",
      rpID: this.#id,
      userName: username,
      userID: new Uint8Array(Buffer.from(userId)),
      challenge: this.#challengeFor("enrol", userId),
      timeout: challengeSeconds * 1000,
      attestationType: "none",
      // Discoverable: the request to sign in names none.
      authenticatorSelection: { residentKey: "required", userVerification },
      excludeCredentials: known.map(({ id, transports }) => ({ id, transports: [...transports] })),
    });
  }

  /** The passkey in the answer to `creationOptions`, and its challenge. Throws `invalid` for an answer that is wrong or late. */
  async readCreated(
    { userId }: Pick<User, "userId">,
    answer: string,
  ): Promise<{
    created: Pick<Passkey, "id" | "publicKey" | "counter" | "transports">;
    challenge: AnsweredChallenge;
  }> {
    let verified: VerifiedRegistrationResponse | undefined;
    let challenge: AnsweredChallenge | undefined;
    try {
      const response = JSON.parse(answer);
      await checkAttestation(response.response.attestationObject);
      verified = await (await loadLibrary()).verifyRegistrationResponse({
        response,
        expectedOrigin: this.#origin,
        expectedRPID: this.#id,
        requireUserVerification: false,
        expectedChallenge: (signed) => {
          challenge = this.#open(signed, "enrol", userId);
          return challenge !== undefined;
        },
      });
    } catch {
      // The answer is not one of an authenticator.
    }
    if (!verified?.verified || !challenge) {
      throw new ServiceError("invalid", "the authenticator's answer does not match the last request; start again");
    }
    const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
    return { created: { id, publicKey, counter, transports }, challenge };
  }

  async verify({ username, userId }: ClosedUser, answer: string): Promise<boolean> {
    const { passkeys, clock } = this.#deps;
    const user = { username, userId };
    const signed = await this.#readSigned(await passkeys.list(user), answer);
    if (!signed) return false;
    return passkeys.use(user, signed.id, signed.counter, startOfDay(unixTime(clock)), signed.challenge);
  }

  /** The passkey that has signed an answer, with its counter and the challenge; undefined if none of them has. */
  async #readSigned(known: readonly Passkey[], answer: string) {
    try {
      const response = JSON.parse(answer);
      const passkey = known.find(({ id }) => id === response.id);
      if (!passkey) return undefined;
      const { id, counter, transports } = passkey;
      const publicKey = new Uint8Array(passkey.publicKey);
      let challenge: AnsweredChallenge | undefined;
      const { verified, authenticationInfo } = await (await loadLibrary()).verifyAuthenticationResponse({
        response,
        expectedOrigin: this.#origin,
        expectedRPID: this.#id,
        requireUserVerification: false,
        credential: { id, publicKey, counter, transports: [...transports] },
        expectedChallenge: (signed) => {
          challenge = this.#open(signed, "signIn");
          return challenge !== undefined;
        },
      });
      return verified && challenge ? { id, counter: authenticationInfo.newCounter, challenge } : undefined;
    } catch {
      return undefined;
    }
  }

  get #key() {
    return this.#deps.signatureKey("passkeys");
  }

  #challengeFor(purpose: Challenge["purpose"], user?: string): string {
    const at = unixTime(this.#deps.clock);
    const nonce = randomBytes(16).toString("base64url");
    return signValue(this.#key, { purpose, user, nonce, at } satisfies Challenge);
  }

  /** A challenge that this service has given for a purpose in the last minutes; undefined for any other text. */
  #open(encoded: string, purpose: Challenge["purpose"], user?: string): AnsweredChallenge | undefined {
    const { data } = challenge.safeParse(openSigned(this.#key, Buffer.from(encoded, "base64url").toString()));
    if (data?.purpose !== purpose || data.user !== user) return undefined;
    return data.at > unixTime(this.#deps.clock) - challengeSeconds ? { nonce: data.nonce, at: data.at } : undefined;
  }
}

/** Throws for a statement about the maker: nobody asked for it, and its certificates name addresses to check them by. */
async function checkAttestation(encoded: string): Promise<void> {
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(encoded, "base64url")));
  const isOfOwn = attestation.get("fmt") === "packed" && attestation.get("attStmt").get("x5c") === undefined;
  if (attestation.get("fmt") !== "none" && !isOfOwn) throw new Error("the service did not ask for an attestation");
}

/** Whether browsers support passkeys for an address: it needs a host name and a secure connection. */
export function canHavePasskeys(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  const isName = !hostname.startsWith("[") && !/^[\d.]+$/.test(hostname);
  return isName && (protocol === "https:" || hostname === "localhost" || hostname.endsWith(".localhost"));
}
