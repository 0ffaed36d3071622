// SPDX-License-Identifier: MIT

import type { ListedApiKey, OperatorStore } from "@reading-list/core/operator-ports.ts";
import type { Application } from "@reading-list/core/ports.ts";
import { CommandError } from "./failures.ts";

/** An application and its keys, oldest first. The newest is in use; earlier ones were replaced. */
export interface KeyHolder extends Pick<Application, "name" | "status"> {
  applicationId: string;
  userLimit: number | undefined;
  keyLimit: number | undefined;
  isPublic: boolean;
  keys: ListedApiKey[];
}

/** Groups keys by application. The record of the newest key describes the application. */
export function groupByApplication(keys: readonly ListedApiKey[]): KeyHolder[] {
  return [...Map.groupBy(keys, ({ applicationId }) => applicationId).values()].map((own) => {
    const { applicationId, name, status, userLimit, keyLimit, isPublic = false } = own.at(-1) as ListedApiKey;
    return { applicationId, name, status, userLimit, keyLimit, isPublic, keys: own };
  });
}

/** Finds an application by id or name. Throws a CommandError if there is none, or more than one. */
export async function findApplication(store: OperatorStore, name: string): Promise<KeyHolder> {
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
