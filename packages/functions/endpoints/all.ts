import type { EndpointName } from "@reading-list/core/contract/endpoints.ts";
import type { Dependencies } from "@reading-list/core/ports.ts";
import { createHandler } from "../http/chain.ts";
import type { Report } from "../watch/watch-calls.ts";
import add from "./add.ts";
import api from "./api.ts";
import auth from "./auth.ts";
import get from "./get.ts";
import send from "./send.ts";
import signup from "./signup.ts";
import stats from "./stats.ts";
import text from "./text.ts";

/** The handlers of all endpoints in one process, by name. */
export function createHandlers(deps: Dependencies, report: Report) {
  return {
    add: createHandler(deps, report, add),
    send: createHandler(deps, report, send),
    stats: createHandler(deps, report, stats),
    get: createHandler(deps, report, get),
    auth: createHandler(deps, report, auth),
    signup: createHandler(deps, report, signup),
    text: createHandler(deps, report, text),
    api: createHandler(deps, report, api),
  } satisfies Record<EndpointName, unknown>;
}
