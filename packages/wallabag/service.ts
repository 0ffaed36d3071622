import { noOperation } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/functions/http/api.ts";
import * as z from "zod";
import { answerJson } from "./answers.ts";

/** The version of wallabag whose API this is. The Android app compares it as text. */
const version = "2.6.10";

const about = (route: `GET /${string}`, value: unknown) =>
  defineRoute({
    route,
    caller: "application",
    input: z.object({}),
    useCase: noOperation,
    present: () => answerJson(value),
  });

/** Routes about the service; Frigoligo refuses other names than wallabag's. */
export const serviceRoutes = [
  about("GET /api/version", version),
  about("GET /api/info", { appname: "wallabag", version, allowed_registration: false }),
];
