// SPDX-License-Identifier: MIT

import { hash, randomBytes } from "node:crypto";
import type { Application } from "../ports/applications.ts";
import type { ApiKeyRecord, ListedApiKey } from "../ports/operator.ts";
import type { Limits } from "./limits.ts";

/** An application and its keys, oldest first. The newest is in use; earlier ones were replaced. */
export interface ApiKeyHolder extends Pick<Application, "name" | "status"> {
  applicationId: string;
  userLimit: number | undefined;
  keyLimit: number | undefined;
  isPublic: boolean;
  keys: ListedApiKey[];
}

/** The rules that the record of a key sets for its calls, with the default limits where it has none. */
export const toCallRules = (
  { userLimit, keyLimit, isPublic = false }: Pick<ApiKeyRecord, "userLimit" | "keyLimit" | "isPublic">,
  defaults: Limits,
): Pick<Application, "limits" | "isPublic" | "countsAlone"> => ({
  limits: { user: userLimit ?? defaults.user, key: keyLimit ?? defaults.key },
  isPublic,
  countsAlone: isPublic && userLimit !== undefined,
});

/** Groups keys by application. The record of the newest key describes the application. */
export function groupByApplication(keys: readonly ListedApiKey[]): ApiKeyHolder[] {
  return [...Map.groupBy(keys, ({ applicationId }) => applicationId).values()].map((own) => {
    const { applicationId, name, status, userLimit, keyLimit, isPublic = false } = own.at(-1) as ListedApiKey;
    return { applicationId, name, status, userLimit, keyLimit, isPublic, keys: own };
  });
}

/** Whether a new application cannot have this name: names and ids both find an application. */
export const isNameTaken = (holders: readonly ApiKeyHolder[], wanted: string): boolean =>
  holders.some(({ name, applicationId }) => name === wanted || applicationId === wanted);

/** The keys that can be enabled again: a key that was replaced stays refused. */
export const currentKeys = ({ keys }: Pick<ApiKeyHolder, "keys">): ListedApiKey[] =>
  keys.filter(({ replaced }) => replaced === undefined);

export const createApiKey = (): string => randomBytes(24).toString("base64url");

/** A new application, and its key. */
export function createApplication(
  name: string,
  now: number,
  apiKey = createApiKey(),
): { apiKey: string; record: ApiKeyRecord } {
  const record = { applicationId: randomBytes(6).toString("hex"), name, status: "enabled" as const, created: now };
  return { apiKey, record };
}

/** Characters of an API key. */
export const maxApiKey = 128;

/** API keys are stored only as hashes. They are random, so a plain SHA-256 resists brute force. */
export const hashApiKey = (apiKey: string) => hash("sha256", apiKey);
