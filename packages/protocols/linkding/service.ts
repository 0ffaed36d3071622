// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { noOperation } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute, type RoutePattern } from "@reading-list/http/api.ts";
import { answerJson, emptyPage } from "./answers.ts";

/** The version of linkding whose API this is. */
const version = "1.46.2";

/** A route that answers each user alike. */
const fixed = (route: RoutePattern, value: object) =>
  defineRoute({
    route,
    caller: "user",
    input: z.object({}),
    useCase: noOperation,
    present: () => answerJson(value),
  });

/** The settings of an account, which are linkding's defaults for all. */
const profile = {
  theme: "auto",
  bookmark_date_display: "relative",
  bookmark_link_target: "_blank",
  web_archive_integration: "disabled",
  tag_search: "strict",
  enable_sharing: false,
  enable_public_sharing: false,
  enable_favicons: false,
  display_url: false,
  permanent_notes: false,
  search_preferences: { sort: "added_desc", shared: "off", unread: "off" },
  version,
};

/**
 * Routes about the service and about features that it does not have: shared bookmarks, bundles and assets are always
 * empty.
 */
export const serviceRoutes = [
  fixed("GET /api", {}),
  fixed("GET /api/user/profile", profile),
  fixed("GET /api/bundles", emptyPage),
  fixed("GET /api/bookmarks/{id}/assets", emptyPage),
  defineRoute({
    route: "GET /api/bookmarks/shared",
    caller: "application",
    input: z.object({}),
    useCase: noOperation,
    present: () => answerJson(emptyPage),
  }),
];
