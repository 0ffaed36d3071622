// SPDX-License-Identifier: MIT

import { type EndpointName, endpoints } from "@reading-list/core/contract/endpoints.ts";
import type { Dependencies } from "@reading-list/core/ports/dependencies.ts";
import type { Handler } from "../call.ts";
import { createHandler } from "../chain.ts";
import type { Report } from "../watch/watch-calls.ts";

/** The handlers of all endpoints in one process, by name. */
export async function createHandlers(deps: Dependencies, report: Report): Promise<Map<EndpointName, Handler>> {
  const created = endpoints.map(async ({ name }) => {
    const { endpoint } = await import(`@reading-list/core/use-cases/endpoints/${name}.ts`);
    return [name, createHandler(deps, report, endpoint)] as const;
  });
  return new Map(await Promise.all(created));
}
