// SPDX-License-Identifier: MIT

import { findApi } from "@reading-list/core/contract/apis.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { Api } from "@reading-list/http/api.ts";
import type { ApiPorts } from "../ports.ts";
import { annotationRoutes } from "./annotations.ts";
import { answerError } from "./answers.ts";
import { articleRoutes } from "./articles.ts";
import { bookmarkRoutes } from "./bookmarks.ts";
import { labelRoutes } from "./labels.ts";
import { authorizeRoutes } from "./oauth/authorize.ts";
import { clientRoutes } from "./oauth/clients.ts";
import { deviceRoutes } from "./oauth/device.ts";
import { metadataRoutes } from "./oauth/metadata.ts";
import { tokenRoutes } from "./oauth/tokens.ts";
import { serviceRoutes } from "./service.ts";

/** The authorization server (docs/apps.md 5). */
const oauthRoutes = [...metadataRoutes, ...clientRoutes, ...authorizeRoutes, ...deviceRoutes, ...tokenRoutes];

/** `username.password`, with an app password; `.apikey` after it if the application has its own. */
const token = /^Bearer +(?<username>[a-z0-9_-]{1,20})\.(?<password>[^.\s]{1,20})(?:\.(?<apiKey>\S+))?$/i;

/** Readeck's API (docs/apps.md) over the reading list, for Readeck's clients. */
export const readeck: Api<ApiPorts> = {
  contract: findApi("readeck"),
  routes: [...serviceRoutes, ...oauthRoutes, ...labelRoutes, ...annotationRoutes, ...articleRoutes, ...bookmarkRoutes],
  answerError,
  tooLarge: "the answer is too large for one response; use limit and offset to fetch the list in parts",
  signIn: ({ authorization }) => {
    if (authorization === undefined) return undefined;
    const { username = "", password = "", apiKey } = token.exec(authorization)?.groups ?? {};
    if (username === "") throw new ServiceError("unauthorized", "the token is not from this service");
    return { username, password, apiKey };
  },
};
