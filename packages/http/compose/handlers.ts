// SPDX-License-Identifier: MIT

import { toPath } from "@reading-list/core/contract/endpoint.ts";
import { type EndpointName, endpoints } from "@reading-list/core/contract/endpoints.ts";
import type { Dependencies, OperatorPorts } from "@reading-list/core/ports/dependencies.ts";
import { endpointsOfOperators } from "@reading-list/core/use-cases/operator/endpoints.ts";
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

/** The handlers of the endpoints of operators, by path. */
export const createOperatorHandlers = (deps: Dependencies & OperatorPorts, report: Report): Map<string, Handler> =>
  new Map(
    endpointsOfOperators.map((endpoint) => [toPath(endpoint.contract), createHandler(deps, report, endpoint as never)]),
  );
