import { SetupError } from "@reading-list/functions/compose/environment.ts";
import { type ApiKeyChange, changeApiKeys, listApiKeys } from "@reading-list/store/api-key-records.ts";
import { seedApiKey } from "@reading-list/store/api-keys.ts";
import type { Table } from "@reading-list/store/client.ts";
import { hashOfApiKey } from "@reading-list/store/keys.ts";

const application = { applicationId: "local", name: "Local development" };

/**
 * Makes `apiKey` the key of the application `local`, with the status and the limits of its key so far. All its other keys
 * are disabled. Throws a SetupError if it is the key of another application.
 */
export async function setLocalApiKey(table: Table, apiKey: string, now: number): Promise<void> {
  const all = await listApiKeys(table);
  const hash = hashOfApiKey(apiKey);
  const keys = all.filter(({ applicationId }) => applicationId === application.applicationId);
  if (all.some((key) => key.keyHash === hash && !keys.includes(key))) {
    throw new SetupError("LOCAL_API_KEY: is the key of another application; choose another one");
  }
  const { status = "enabled", userLimit, keyLimit } = keys.findLast(({ replaced }) => replaced === undefined) ?? {};
  const limits = { ...(userLimit !== undefined && { userLimit }), ...(keyLimit !== undefined && { keyLimit }) };
  await seedApiKey(table, apiKey, { ...application, status, ...limits, created: now });
  const revived: ApiKeyChange = { status, userLimit, keyLimit, replaced: undefined };
  const changes = keys.flatMap(({ keyHash, status, replaced }): [string, ApiKeyChange][] => {
    if (keyHash === hash) return replaced === undefined ? [] : [[hash, revived]];
    const isDone = replaced !== undefined && status === "disabled";
    return isDone ? [] : [[keyHash, { status: "disabled", replaced: replaced ?? now }]];
  });
  await changeApiKeys(table, changes);
}
