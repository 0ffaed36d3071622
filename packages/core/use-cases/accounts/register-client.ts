// SPDX-License-Identifier: MIT

import { issueClientId, type OAuthClient, type OAuthRefusal, openClientId } from "../../domain/oauth-client.ts";
import { isSignature, signText } from "../../domain/signed-text.ts";
import { ServiceError } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";

export type RegistrationPorts = Pick<Dependencies, "clock" | "signatureKey">;

/** A client with its id, and the token with which it reads and changes its registration. */
export interface RegisteredClient {
  client: OAuthClient;
  clientId: string;
  accessToken: string;
}

/** The key that signs the ids of clients. */
export const clientIdKey = ({ signatureKey }: Pick<Dependencies, "signatureKey">) => signatureKey("OAuth client id");

const accessTokenKey = ({ signatureKey }: RegistrationPorts) => signatureKey("OAuth registration access token");

/** Registers a client; nothing is stored for it (RFC 7591). */
export function registerClient(
  deps: RegistrationPorts,
  given: Omit<OAuthClient, "issuedAt">,
): RegisteredClient | { refusal: OAuthRefusal } {
  const client = { ...given, issuedAt: unixTime(deps.clock) };
  const issued = issueClientId(clientIdKey(deps), client);
  if ("error" in issued) return { refusal: issued };
  return { client, ...issued, accessToken: signText(accessTokenKey(deps), issued.clientId) };
}

/** A registered client, for who has the token of its registration (RFC 7592). Throws `unauthorized`. */
export function openRegistration(deps: RegistrationPorts, clientId: string, accessToken: string): RegisteredClient {
  const client = openClientId(clientIdKey(deps), clientId);
  if (!client || !isSignature(accessTokenKey(deps), clientId, accessToken))
    throw new ServiceError("unauthorized", "the registration access token does not belong to this client");
  return { client, clientId, accessToken };
}
