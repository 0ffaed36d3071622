// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import type { OAuthClient, OAuthRefusal } from "@reading-list/core/domain/oauth-client.ts";
import { cutText } from "@reading-list/core/domain/page-fields.ts";
import {
  openRegistration,
  type RegisteredClient,
  type RegistrationPorts,
  registerClient,
} from "@reading-list/core/use-cases/accounts/register-client.ts";
import type { AnyCaller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { type ApiRequest, defineRoute } from "@reading-list/http/api.ts";
import { answerJson } from "../answers.ts";
import { text, texts } from "../fields.ts";
import { answerRefusal, byApps, oauthText } from "./answers.ts";
import { grantTypes } from "./metadata.ts";

/** Characters of a name, which becomes the name of the sign-in. */
const maxName = 60;

/** A name to show, without characters that are invisible or change the direction of others. */
const cleanClientName = (given = "") => cutText(given.replaceAll(/\p{C}/gu, "").trim(), maxName) || "An unnamed app";

/**
 * The fields of a registration that we keep. The fields for grants, responses and authentication have a fixed value,
 * whatever the app asks for; the answer contains it (RFC 7591, 3.2.1).
 */
const metadata = z
  .object({
    client_name: text(1000),
    client_uri: oauthText,
    redirect_uris: texts(1600, 10),
    software_id: oauthText,
    software_version: oauthText,
  })
  .transform((given) => ({
    name: cleanClientName(given.client_name),
    redirectUris: given.redirect_uris ?? [],
    uri: given.client_uri ?? "",
    softwareId: given.software_id ?? "",
    softwareVersion: given.software_version ?? "",
  }));

/** The id of a client, and the token of its registration. */
const access = z
  .object({ id: z.ascii(2100), authorization: z.ofRequest<string | undefined>() })
  .transform(({ id, authorization = "" }) => ({ id, token: /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "" }));

type Metadata = Omit<OAuthClient, "issuedAt">;
type Access = z.output<typeof access>;
type Registration = RegisteredClient | { refusal: OAuthRefusal };

function answerClient(registration: Registration, { address }: Pick<ApiRequest, "address">, status = 200) {
  if ("refusal" in registration) return answerRefusal(registration.refusal);
  const { client, clientId, accessToken } = registration;
  const { name, redirectUris, uri, softwareId, softwareVersion, issuedAt } = client;
  const canRedirect = redirectUris.length > 0;
  return answerJson(
    {
      client_id: clientId,
      client_id_issued_at: issuedAt,
      registration_access_token: accessToken,
      registration_client_uri: `${address}/api/oauth/client/${clientId}`,
      client_name: name,
      // Leave an empty URL out: the MCP client refuses an answer with one.
      ...(uri && { client_uri: uri }),
      redirect_uris: redirectUris,
      software_id: softwareId,
      software_version: softwareVersion,
      grant_types: grantTypes.slice(canRedirect ? 0 : 1),
      response_types: canRedirect ? ["code"] : [],
      token_endpoint_auth_method: "none",
    },
    status,
  );
}

const register: UseCase<Metadata, Registration, RegistrationPorts, AnyCaller> = {
  begin: (deps, given) => async () => registerClient(deps, given),
};

const create = defineRoute({
  ...byApps,
  route: "POST /api/oauth/client",
  input: metadata,
  useCase: register,
  present: (registration, _, request) => answerClient(registration, request, 201),
});

const readRegistration: UseCase<Access, RegisteredClient, RegistrationPorts, AnyCaller> = {
  begin:
    (deps, { id, token }) =>
    async () =>
      openRegistration(deps, id, token),
};

const read = defineRoute({
  ...byApps,
  route: "GET /api/oauth/client/{id}",
  input: access,
  useCase: readRegistration,
  present: (registration, _, request) => answerClient(registration, request),
});

/** The id contains the data of the client, so changed data have a new id. */
const replaceRegistration: UseCase<Access & Metadata, Registration, RegistrationPorts, AnyCaller> = {
  begin:
    (deps, { id, token, ...given }) =>
    async () => {
      openRegistration(deps, id, token);
      return registerClient(deps, given);
    },
};

const change = defineRoute({
  ...byApps,
  route: "PUT /api/oauth/client/{id}",
  input: z.intersection(access, metadata),
  useCase: replaceRegistration,
  present: (registration, _, request) => answerClient(registration, request),
});

/** Nothing is stored that could be deleted: the sign-ins of an app end when they are revoked. */
const remove = defineRoute({
  ...byApps,
  route: "DELETE /api/oauth/client/{id}",
  input: access,
  useCase: readRegistration,
  present: () => ({ status: 204, headers: {}, body: "" }),
});

/** The registration of clients (RFC 7591, 7592). */
export const clientRoutes = [create, read, change, remove];
