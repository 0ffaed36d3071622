import { defineFixedRoute } from "@reading-list/http/api.ts";
import { answerJson } from "./answers.ts";

/** The version of wallabag whose API this is. The Android app compares it as text. */
const version = "2.6.10";

/** Routes about the service; Frigoligo refuses other names than wallabag's. */
export const serviceRoutes = [
  defineFixedRoute("GET /api/version", () => answerJson(version)),
  defineFixedRoute("GET /api/info", () => answerJson({ appname: "wallabag", version, allowed_registration: false })),
];
