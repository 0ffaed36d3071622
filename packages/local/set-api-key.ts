import { SetupError } from "@reading-list/functions/compose/environment.ts";
import { type ApiKeyChange, changeApiKeys, listApiKeys } from "@reading-list/store/api-key-records.ts";
import { type ApiKeyRecord, seedApiKey } from "@reading-list/store/api-keys.ts";
import type { Table } from "@reading-list/store/client.ts";
import { hashOfApiKey } from "@reading-list/store/keys.ts";

/** An application of the local service, and the limits of its first key; those of the service if absent. */
type LocalApplication = Pick<ApiKeyRecord, "applicationId" | "name" | "userLimit" | "keyLimit">;

export const localApplication: LocalApplication = { applicationId: "local", name: "Local development" };

/**
 * Makes `apiKey` the key of an application, with the status and the limits of its key so far. All its other keys are
 * disabled. Throws a SetupError if it is the key of another application.
 */
export async function setApiKey(
  table: Table,
  application: LocalApplication,
  apiKey: string,
  now: number,
): Promise<void> {
  const all = await listApiKeys(table);
  const hash = hashOfApiKey(apiKey);
  const keys = all.filter(({ applicationId }) => applicationId === application.applicationId);
  if (all.some((key) => key.keyHash === hash && !keys.includes(key))) {
    throw new SetupError("LOCAL_API_KEY: is the key of another application; choose another one");
  }
  const current = keys.findLast(({ replaced }) => replaced === undefined);
  const { userLimit, keyLimit } = current ?? application;
  const { status = "enabled" } = current ?? {};
  const limits = { ...(userLimit !== undefined && { userLimit }), ...(keyLimit !== undefined && { keyLimit }) };
  const { applicationId, name } = application;
  await seedApiKey(table, apiKey, { applicationId, name, status, ...limits, created: now });
  const revived: ApiKeyChange = { status, userLimit, keyLimit, replaced: undefined };
  const changes = keys.flatMap(({ keyHash, status, replaced }): [string, ApiKeyChange][] => {
    if (keyHash === hash) return replaced === undefined ? [] : [[hash, revived]];
    const isDone = replaced !== undefined && status === "disabled";
    return isDone ? [] : [[keyHash, { status: "disabled", replaced: replaced ?? now }]];
  });
  await changeApiKeys(table, changes);
}
