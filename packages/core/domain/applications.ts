// SPDX-License-Identifier: MIT

import { randomBytes } from "node:crypto";
import type { Application } from "../ports/applications.ts";
import type { ApiKeyRecord, ListedApiKey } from "../ports/operator.ts";

/** An application and its keys, oldest first. The newest is in use; earlier ones were replaced. */
export interface ApiKeyHolder extends Pick<Application, "name" | "status"> {
  applicationId: string;
  userLimit: number | undefined;
  keyLimit: number | undefined;
  isPublic: boolean;
  keys: ListedApiKey[];
}

/** Groups keys by application. The record of the newest key describes the application. */
export function groupByApplication(keys: readonly ListedApiKey[]): ApiKeyHolder[] {
  return [...Map.groupBy(keys, ({ applicationId }) => applicationId).values()].map((own) => {
    const { applicationId, name, status, userLimit, keyLimit, isPublic = false } = own.at(-1) as ListedApiKey;
    return { applicationId, name, status, userLimit, keyLimit, isPublic, keys: own };
  });
}

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
