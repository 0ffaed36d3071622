// SPDX-License-Identifier: MIT

import { currentKeys, hashApiKey } from "@reading-list/core/domain/applications.ts";
import { SetupError } from "@reading-list/core/errors.ts";
import type { ApiKeyChange, ApiKeyRecord, OperatorStore } from "@reading-list/core/ports/operator.ts";

/** An application of the local service, and the limits of its first key; if absent, the service's limits. */
type LocalApplication = Pick<ApiKeyRecord, "applicationId" | "name" | "userLimit" | "keyLimit" | "isPublic">;

export const localApplication: LocalApplication = { applicationId: "local", name: "Local development" };

/**
 * Makes `apiKey` the key of an application, with the status and the limits of its key so far. All its other keys are
 * disabled. Returns whether the key is new. Throws a SetupError if it is the key of another application.
 */
export async function setApiKey(
  store: OperatorStore,
  application: LocalApplication,
  apiKey: string,
  now: number,
): Promise<boolean> {
  const all = await store.listApiKeys();
  const hash = hashApiKey(apiKey);
  const keys = all.filter(({ applicationId }) => applicationId === application.applicationId);
  if (all.some((key) => key.keyHash === hash && !keys.includes(key))) {
    throw new SetupError("LOCAL_API_KEY: is already the key of another application; choose another key");
  }
  const current = currentKeys({ keys }).at(-1);
  const { userLimit, keyLimit } = current ?? application;
  const { status = "enabled" } = current ?? {};
  const { applicationId, name, isPublic = false } = application;
  const changes = keys.flatMap((key): [string, ApiKeyChange][] => {
    const { keyHash, replaced } = key;
    if (keyHash === hash) {
      const isSame = replaced === undefined && key.isPublic === isPublic;
      return isSame ? [] : [[hash, { status, userLimit, keyLimit, isPublic, replaced: undefined }]];
    }
    const isDone = replaced !== undefined && key.status === "disabled";
    return isDone ? [] : [[keyHash, { status: "disabled", replaced: replaced ?? now }]];
  });
  const record = { applicationId, name, status, userLimit, keyLimit, isPublic, created: now };
  const isCreated =
    !keys.some(({ keyHash }) => keyHash === hash) && (await store.createApiKey(apiKey, record, changes));
  if (!isCreated && changes.length > 0) await store.changeApiKeys(changes);
  return isCreated;
}
