// SPDX-License-Identifier: MIT

import { findApi } from "@reading-list/core/contract/apis.ts";
import type { Api, ApiRoute } from "@reading-list/http/api.ts";
import type { ApiPorts } from "../ports.ts";
import { annotationRoutes } from "./annotations.ts";
import { answerError } from "./answers.ts";
import { bulkRoutes } from "./bulk.ts";
import { entryRoutes } from "./entries.ts";
import { libraryRoutes } from "./library.ts";
import { oauthRoutes, parseSignIn } from "./oauth.ts";
import { pageRoutes } from "./pages.ts";
import { serviceRoutes } from "./service.ts";

/** Clients append `.json` to any path except an export's; in a path that ends in an id, it becomes part of the id. */
const withSuffix = <Route extends Pick<ApiRoute, "route">>(route: Route): Route[] =>
  /[}]$|[.]epub$/.test(route.route)
    ? [route]
    : [route, { ...route, route: `${route.route}.json` as ApiRoute["route"] }];

/** wallabag's API (docs/apps.md) over the reading list, for wallabag's clients. */
export const wallabag: Api<ApiPorts> = {
  contract: findApi("wallabag"),
  // Fixed paths come before those with an id.
  routes: [
    ...pageRoutes,
    ...oauthRoutes,
    ...[...serviceRoutes, ...libraryRoutes, ...bulkRoutes, ...entryRoutes, ...annotationRoutes].flatMap(withSuffix),
  ],
  answerError,
  tooLarge: "the answer is too large for one response; use perPage, or detail=metadata",
  // Emacs sends the token as a parameter, which OAuth2 allows, too.
  signIn: ({ authorization }, { access_token: token }) =>
    parseSignIn(authorization ?? (typeof token === "string" ? `Bearer ${token}` : undefined)),
};
