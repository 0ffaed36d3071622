// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { type OAuthRefusal, refuse } from "@reading-list/core/domain/oauth-client.ts";
import {
  type AuthorizationPorts,
  type IssuedToken,
  redeemCode,
  revokeToken,
} from "@reading-list/core/use-cases/accounts/authorize-apps.ts";
import type { AnyCaller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import { answerJson } from "../answers.ts";
import { answerRefusal, byApps, oauthText, resourceFields } from "./answers.ts";
import { deviceGrant, grantTypes } from "./metadata.ts";
import { scopesOfAccess } from "./scopes.ts";

const input = z.object({
  grant_type: oauthText,
  client_id: oauthText,
  redirect_uri: oauthText,
  code: oauthText,
  code_verifier: oauthText,
  device_code: oauthText,
  ...resourceFields,
});

type Issued = IssuedToken | { refusal: OAuthRefusal };

const issue: UseCase<z.output<typeof input>, Issued, AuthorizationPorts, AnyCaller> = {
  begin: (deps, given) => async () => {
    const { grant_type: grantType, client_id: clientId, redirect_uri: redirectUri, code_verifier: verifier } = given;
    const { resource, address } = given;
    const [codeGrant] = grantTypes;
    const asked = { clientId, resource, address };
    if (grantType === codeGrant)
      return redeemCode(deps, { kind: "code", code: given.code ?? "", ...asked, redirectUri, verifier });
    if (grantType === deviceGrant) return redeemCode(deps, { kind: "device", code: given.device_code ?? "", ...asked });
    return { refusal: refuse("unsupported_grant_type", `grant_type must be ${grantTypes.join(" or ")}`) };
  },
};

/** 200, as RFC 6749 (5.1) has it: Readeck's apps take any success, and libraries of OAuth not its 201. No token expires. */
const token = defineRoute({
  ...byApps,
  route: "POST /api/oauth/token",
  input,
  useCase: issue,
  present: (issued) =>
    "refusal" in issued
      ? answerRefusal(issued.refusal)
      : answerJson({
          id: issued.id,
          access_token: `${issued.username}.${issued.secret}`,
          token_type: "Bearer",
          scope: scopesOfAccess[issued.access].join(" "),
        }),
});

const revokeInput = z.object({ token: z.ascii(2100, "is missing") });

const revoke: UseCase<z.output<typeof revokeInput>, void, AuthorizationPorts, AnyCaller> = {
  begin:
    (deps, { token }) =>
    () =>
      revokeToken(deps, token),
};

const revocation = defineRoute({
  ...byApps,
  route: "POST /api/oauth/revoke",
  input: revokeInput,
  useCase: revoke,
  present: () => answerJson({}),
});

/** Tokens for codes (RFC 6749, 8628), and their end (RFC 7009). */
export const tokenRoutes = [token, revocation];
