// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { countList } from "@reading-list/core/use-cases/endpoints/stats.ts";
import { noOperation } from "@reading-list/core/use-cases/use-case.ts";
import { defineFixedRoute, defineRoute } from "@reading-list/http/api.ts";
import { wordsPerMinute } from "../words.ts";
import { answerJson } from "./answers.ts";
import { userId, writeTime } from "./entry.ts";

/** The version of wallabag whose API this is. The Android app compares it as text. */
const version = "2.6.10";

const user = defineRoute({
  route: "GET /api/user",
  caller: "user",
  input: z.object({}),
  useCase: countList,
  present: ({ username, createdAt }) => {
    const since = writeTime(createdAt);
    return answerJson({ id: userId, email: "", name: username, username, created_at: since, updated_at: since });
  },
});

/** The settings of an account, the same as wallabag's for everyone. */
const config = defineRoute({
  route: "GET /api/config",
  caller: "user",
  input: z.object({}),
  useCase: noOperation,
  present: () =>
    answerJson({
      id: userId,
      items_per_page: 30,
      language: "en",
      reading_speed: wordsPerMinute,
      action_mark_as_read: 0,
      list_mode: 0,
      display_thumbnails: 0,
    }),
});

/** Routes about the service; Frigoligo refuses other names than wallabag's. */
export const serviceRoutes = [
  defineFixedRoute("GET /api/version", () => answerJson(version)),
  defineFixedRoute("GET /api/info", () => answerJson({ appname: "wallabag", version, allowed_registration: false })),
  user,
  defineFixedRoute("PUT /api/user", () => answerJson({ error: "Server doesn't allow registrations" }, 403)),
  config,
];
