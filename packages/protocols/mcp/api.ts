// SPDX-License-Identifier: MIT

import { findApi, resourcePath, toResource } from "@reading-list/core/contract/apis.ts";
import { parseBearerSecret } from "@reading-list/core/contract/bearer-secret.ts";
import * as z from "@reading-list/core/contract/bounded.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { noOperation } from "@reading-list/core/use-cases/use-case.ts";
import { type Api, defineFixedRoute, defineRoute } from "@reading-list/http/api.ts";
import type { ApiPorts } from "../ports.ts";
import { answerError, answerJson } from "./answers.ts";
import { answerMessage, maxBody, messageInput } from "./messages.ts";

const message = defineRoute({
  route: "POST /",
  // Each tool checks the scope that it needs.
  scope: "read",
  caller: "user",
  maxBody,
  input: messageInput,
  useCase: answerMessage,
  present: (answer) => answer,
});

/** A stateless server has no streams to listen to, and no sessions to end. */
const notAllowed = () => ({ ...answerJson({ error: "only POST is supported" }, 405), headers: { Allow: "POST" } });

/** The metadata of the protected resource (RFC 9728). */
const metadata = defineRoute({
  route: `GET ${resourcePath({ name: "mcp" }) as `/${string}`}`,
  caller: "application",
  input: z.object({}),
  useCase: noOperation,
  present: (_, __, { address }) =>
    answerJson({
      resource: address,
      resource_name: "Reading list",
      authorization_servers: [toResource("readeck", address)],
      scopes_supported: ["bookmarks:read", "bookmarks:write"],
      bearer_methods_supported: ["header"],
    }),
});

/** The Model Context Protocol (docs/apps.md), for assistants. */
export const mcp: Api<ApiPorts> = {
  contract: findApi("mcp"),
  routes: [message, defineFixedRoute("GET /", notAllowed), defineFixedRoute("DELETE /", notAllowed), metadata],
  answerError,
  tooLarge: "the answer is too large; ask for fewer pages",
  isOfOwnSite: true,
  signIn: ({ authorization }) => {
    if (authorization === undefined) return undefined;
    const credentials = parseBearerSecret(authorization.replace(/^Bearer +/i, ""));
    if (!credentials) throw new ServiceError("unauthorized", "the token is not from this service");
    return credentials;
  },
};
