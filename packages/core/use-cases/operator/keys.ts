// SPDX-License-Identifier: MIT

import { operatorKeys } from "../../contract/operator.ts";
import {
  type ApiKeyHolder,
  createApplication,
  currentKeys,
  groupByApplication,
  isNameTaken,
} from "../../domain/applications.ts";
import { ServiceError } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import type { OperatorStore } from "../../ports/operator.ts";
import { defineOperatorEndpoint } from "./define.ts";

/** Creates, lists, disables or enables keys of applications (docs/api.md 13.3). */
export const endpoint = defineOperatorEndpoint(
  operatorKeys,
  async ({ records, clock }, { create, disable, enable }, { application }) => {
    const holders = groupByApplication(await records.listApiKeys());
    if (create !== undefined) {
      if (isNameTaken(holders, create)) {
        throw new ServiceError(
          "invalid",
          "operator/keys: create must not be the name of an application that has a key",
        );
      }
      const { apiKey, record } = createApplication(create, unixTime(clock));
      if (!(await records.createApiKey(apiKey, record))) throw new Error("two random keys are the same");
      return { fields: { status: "1", id: record.applicationId, key: apiKey } };
    }
    const changed = disable ?? enable;
    if (changed === undefined)
      return { fields: { status: "1" }, list: [await Promise.all(holders.map(writeEntry(records)))] };
    if (disable === application.id) {
      throw new ServiceError("invalid", "operator/keys: disable must not be the application that makes this call");
    }
    const holder = holders.find(({ applicationId }) => applicationId === changed);
    if (!holder) {
      throw new ServiceError(
        "invalid",
        `operator/keys: ${disable === undefined ? "enable" : "disable"} must be the id of an application`,
      );
    }
    const [keys, status] =
      disable === undefined ? [currentKeys(holder), "enabled" as const] : [holder.keys, "disabled" as const];
    await records.changeApiKeys(keys.map(({ keyHash }) => [keyHash, { status }]));
    return undefined;
  },
);

const writeEntry =
  (records: OperatorStore) =>
  async ({ applicationId, name, status, keys: [oldest] }: ApiKeyHolder) => {
    const [newest] = await records.listKeyWindows(applicationId, 1);
    return {
      id: applicationId,
      name,
      state: status,
      time_created: String(oldest?.created ?? 0),
      calls: String(newest?.calls ?? 0),
    };
  };
