// SPDX-License-Identifier: MIT

import { type ApiKeyHolder, groupByApplication } from "@reading-list/core/domain/applications.ts";
import type { OperatorStore } from "@reading-list/core/ports/operator.ts";
import { CommandError } from "./failures.ts";

/** Finds an application by id or name. Throws a CommandError if no application or more than one matches. */
export async function findApplication(store: OperatorStore, name: string): Promise<ApiKeyHolder> {
  const holders = groupByApplication(await store.listApiKeys());
  const byId = holders.find(({ applicationId }) => applicationId === name);
  if (byId) return byId;
  const [found, ...others] = holders.filter((holder) => holder.name === name);
  if (!found) throw new CommandError(`no application ${JSON.stringify(name)} has a key; see readinglist keys list`);
  if (others.length > 0) {
    throw new CommandError(`several applications are called ${JSON.stringify(name)}; give the application id instead`);
  }
  return found;
}
