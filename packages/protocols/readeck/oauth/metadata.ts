// SPDX-License-Identifier: MIT

import { audiences, metadataPath, toResource } from "@reading-list/core/contract/apis.ts";
import * as z from "@reading-list/core/contract/bounded.ts";
import { noOperation } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import { answerJson } from "../answers.ts";
import { scopesOfAccess } from "./scopes.ts";

export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

export const grantTypes = ["authorization_code", deviceGrant] as const;

/** The metadata of the authorization server (RFC 8414). */
export const metadataRoutes = [
  defineRoute({
    route: `GET ${metadataPath({ name: "readeck" }) as `/${string}`}`,
    caller: "application",
    input: z.object({}),
    useCase: noOperation,
    present: (_, __, { address }) =>
      answerJson({
        issuer: address,
        authorization_endpoint: `${address}/authorize`,
        token_endpoint: `${address}/api/oauth/token`,
        registration_endpoint: `${address}/api/oauth/client`,
        device_authorization_endpoint: `${address}/api/oauth/device`,
        revocation_endpoint: `${address}/api/oauth/revoke`,
        protected_resources: audiences.map((audience) => toResource(audience, address)),
        scopes_supported: scopesOfAccess.full,
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: grantTypes,
        token_endpoint_auth_methods_supported: ["none"],
        revocation_endpoint_auth_methods_supported: ["none"],
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
      }),
  }),
];
