import { countList } from "@reading-list/core/use-cases/stats.ts";
import { noOperation } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/functions/http/api.ts";
import * as z from "zod";
import { answerJson } from "./answers.ts";
import { dateOf } from "./bookmark.ts";

/** The version whose API this is. Clients compare it with the features that they need. */
const version = "0.20.0";

const info = defineRoute({
  route: "GET /api/info",
  caller: "application",
  input: z.object({}),
  useCase: noOperation,
  present: () => answerJson({ version: { canonical: version, release: version, build: "" }, features: [] }),
});

const profile = defineRoute({
  route: "GET /api/profile",
  caller: "user",
  input: z.object({}),
  useCase: countList,
  present: ({ username, userSince }) =>
    answerJson({
      provider: {
        name: "bearer token",
        application: "",
        id: username,
        roles: ["user"],
        permissions: ["api:bookmarks:read", "api:bookmarks:write", "api:profile:read"],
      },
      user: {
        username,
        email: "",
        created: dateOf(userSince),
        updated: dateOf(userSince),
        settings: {
          debug_info: false,
          lang: "en-US",
          addon_reminder: false,
          reader_settings: { width: 3, font: "serif", font_size: 3, line_height: 3, justify: 0, hyphenation: 0 },
        },
      },
    }),
});

/** The routes about the service and its user. */
export const serviceRoutes = [info, profile];
