import type { EndpointName } from "@reading-list/core/contract/endpoints.ts";
import type { Dependencies } from "@reading-list/core/ports.ts";
import { createHandler } from "../http/chain.ts";
import type { Report } from "../watch/watch-calls.ts";
import { endpoint as add } from "./add.ts";
import { endpoint as api } from "./api.ts";
import { endpoint as auth } from "./auth.ts";
import { endpoint as get } from "./get.ts";
import { endpoint as send } from "./send.ts";
import { endpoint as signup } from "./signup.ts";
import { endpoint as stats } from "./stats.ts";
import { endpoint as text } from "./text.ts";

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
