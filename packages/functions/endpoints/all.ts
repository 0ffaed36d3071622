import type { Logger } from "@aws-lambda-powertools/logger";
import type { EndpointName } from "@reading-list/core/contract/endpoints.ts";
import type { Dependencies } from "@reading-list/core/ports.ts";
import { createHandler } from "../http/chain.ts";
import add from "./add.ts";
import api from "./api.ts";
import auth from "./auth.ts";
import get from "./get.ts";
import send from "./send.ts";
import signup from "./signup.ts";
import stats from "./stats.ts";
import text from "./text.ts";

/** The handlers of all endpoints in one process, by name. */
export function createHandlers(deps: Dependencies, logger: Logger) {
  return {
    add: createHandler(deps, logger, add),
    send: createHandler(deps, logger, send),
    stats: createHandler(deps, logger, stats),
    get: createHandler(deps, logger, get),
    auth: createHandler(deps, logger, auth),
    signup: createHandler(deps, logger, signup),
    text: createHandler(deps, logger, text),
    api: createHandler(deps, logger, api),
  } satisfies Record<EndpointName, unknown>;
}
